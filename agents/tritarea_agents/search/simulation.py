"""One simulation after the other: a sampled world, down the tree, a playout, and what it was worth back up.

Information set Monte Carlo tree search with one tree for all seats (SO-ISMCTS; Cowling, Powley, Whitehouse,
"Information Set Monte Carlo Tree Search", IEEE Trans. on Computational Intelligence and AI in Games, 2012), with a
value for every seat in place of a single one (max^n).
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.engine.loops import copy_scores, random_action
from tritarea_env.engine.protocol import determinize, legal, outcome, score_now, score_reward, seats, secret, step, tricks_over
from tritarea_env.engine.rng import derive, mix

from ..playouts import chances, choose
from .tree import DEEPEST, ROOT, at_key, back_up, clear, key_after, select

TO_TRICK, TO_ROUND, TO_GAME = 0, 1, 2
HORIZONS = {"trick": TO_TRICK, "round": TO_ROUND, "game": TO_GAME}
BY_OUTCOME, BY_SCORE, BY_CHANCE = 0, 1, 2
VALUES = {"outcome": BY_OUTCOME, "score": BY_SCORE, "chance": BY_CHANCE}

# How to search, as compiled code takes it
PLAN = np.dtype(
    [
        ("c", np.float64),  # weight of exploration
        ("rate", np.float64),  # share of a playout's decisions that the policy makes; the others are random
        ("horizon", np.int64),
        ("value", np.int64),
        ("ahead", np.int64),
        ("guide", np.float64),
        ("paired", np.int64),
    ]
)
PLAN = np.dtype((np.record, PLAN))
MOST_SEATS = 8


@inlined
def is_over(g, plan, last):
    return g.done or (plan.horizon != TO_GAME and g.round_ended) or (plan.horizon == TO_TRICK and tricks_over(g) >= last)


@inlined
def evaluate(g, plan, before, now, values):
    """``values`` (seats,) of a world that is over, or counts as settled now; it is spoilt. ``now`` is scratch."""
    kind = plan.value
    if kind == BY_CHANCE:
        chances(g, now, values)
        return
    if not g.done:
        score_now(g, now)
        for s in range(now.shape[0]):
            g.scores[s] = now[s]
    if kind == BY_SCORE:
        score_reward(g, before, values)
    else:
        outcome(g, values)


@inlined
def play_out(g, plan, policy, work, key, last):
    """Play a world to the horizon, each decision by the policy or at random."""
    while not is_over(g, plan, last):
        word = derive(key, g.decision)
        if plan.rate < 1.0 and np.float64(mix(word)) >= plan.rate * 2.0**64:
            step(g, random_action(g, word))
        else:
            step(g, choose(policy, g, word, work))


@inlined
def descend(tree, g, plan, key, action, new, policy, work, last):
    """Step the world down the tree, as far as its actions were tried before; returns the path's length.

    A node is made when an action that led to it is tried again. The tree ends with the round: what comes then is
    dealt anew in every world.
    """
    node, depth, hidden = ROOT, 0, np.uint64(0)
    path_key = tree.keys[ROOT]
    while True:
        if depth > 0:
            word = derive(key, g.decision)
            liked = choose(policy, g, word, work) if plan.guide > 0.0 else -1
            action, new = select(tree, node, legal(g), plan.c, word, liked, plan.guide)
        at = tree.path[depth]
        at.node, at.action, at.seat = node, action, g.seat
        depth += 1
        closed = secret(g)
        step(g, action)
        if new or g.round_ended or depth == DEEPEST or is_over(g, plan, last):
            return depth
        if closed:
            hidden = key_after(hidden, action, 0)
            action = -1
        path_key = key_after(path_key, action, g.seat)
        if hidden != 0 and not secret(g):
            path_key ^= hidden
            hidden = np.uint64(0)
        node = at_key(tree, path_key)
        if node < 0:
            return depth


@kernel
def simulate(games, i, seed, first, count, plans, policies, works, tree, worlds, scratch):
    """Simulations ``first`` … ``first + count - 1`` of the decision in the hidden record ``games[i]``.

    Args:
        seed: uint64, all the chance of this tree.
        plans: (1,) PLAN.
        policies, works: (1,) each, what the playout's policy takes.
        tree: a ``Tree``, cleared before the first simulation.
        worlds: (1,) record of the game, scratch.
        scratch: three arrays (seats at most,): int64, int64, float64.
    """
    plan, policy, work, g = plans[0], policies[0], works[0], worlds[0]
    n = seats(games[i])
    before, now, values = scratch[0][:n], scratch[1][:n], scratch[2][:n]
    copy_scores(games[i], before)
    if first == 0:
        clear(tree, mix(seed))
    last = tricks_over(games[i]) + plan.ahead
    for number in range(first, first + count):
        key = derive(seed, number)
        action, new = select(tree, ROOT, legal(games[i]), plan.c, derive(key, 3), -1, 0.0)
        if plan.paired:
            key = derive(seed, tree.edges[ROOT, action].visits)
        worlds[0] = games[i]
        determinize(g, g.seat, derive(key, 0))
        depth = descend(tree, g, plan, derive(key, 1), action, new, policy, work, last)
        play_out(g, plan, policy, work, derive(key, 2), last)
        evaluate(g, plan, before, now, values)
        back_up(tree, depth, values)
