"""One simulation after the other: a sampled world, down the tree, a playout, and what it was worth back up.

Information set Monte Carlo tree search with one tree for all seats (SO-ISMCTS; Cowling, Powley, Whitehouse,
"Information Set Monte Carlo Tree Search", IEEE Trans. on Computational Intelligence and AI in Games, 2012), with a
value for every seat in place of a single one (max^n). One thing is added: below the root, the policy of the playouts
may say which of the actions that were never tried is tried first. With few simulations for many cards, others would
else be taken to play at random.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.engine.loops import copy_scores, random_action
from tritarea_env.engine.protocol import determinize, legal, outcome, score_now, score_reward, seats, secret, step
from tritarea_env.engine.rng import derive, mix

from ..playouts import chances, choose
from .tree import DEEPEST, ROOT, at_key, back_up, clear, key_of_next, look

TO_ROUND, TO_GAME = 0, 1
HORIZONS = {"round": TO_ROUND, "game": TO_GAME}
BY_OUTCOME, BY_SCORE, BY_CHANCE = 0, 1, 2
VALUES = {"outcome": BY_OUTCOME, "score": BY_SCORE, "chance": BY_CHANCE}

# How to search, as compiled code takes it
PLAN = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("c", np.float64),  # weight of exploration
                ("widen", np.float64),  # see ``select``
                ("rate", np.float64),  # share of a playout's decisions that the policy makes; the others are random
                ("horizon", np.int64),
                ("value", np.int64),
            ]
        ),
    )
)


@inlined
def is_over(g, horizon):
    return g.done or (horizon == TO_ROUND and g.round_ended)


@inlined
def evaluate(g, kind, before, now, values):
    """``values`` (seats,) of a world that is over, or counts as settled now; it is spoilt. ``now`` is scratch.

    Chances, like outcomes, are what exceeds an even share.
    """
    if kind == BY_CHANCE:
        chances(g, now, values)
        even = 0.0
        for s in range(values.shape[0]):
            even += values[s] / values.shape[0]
        for s in range(values.shape[0]):
            values[s] -= even
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
def play_out(g, plan, policy, work, key):
    """Play a world to the horizon, each decision by the policy or at random."""
    while not is_over(g, plan.horizon):
        word = derive(key, g.decision)
        if plan.rate < 1.0 and np.float64(mix(word)) >= plan.rate * 2.0**64:
            step(g, random_action(g, word))
        else:
            step(g, choose(policy, g, word, work))


@inlined
def select(tree, node, g, plan, policy, work, word):
    """The action to try at a node, and whether it is tried for the first time.

    At the root, and with ``widen`` 0, one that was never tried before comes first. Else such a one comes first if the
    policy chooses it, or while sqrt(``widen`` * visits) is more than were tried (progressive widening; Coulom 2007).
    Otherwise the one of the highest bound.
    """
    actions = legal(g)
    best, new, tried, visits = look(tree, node, actions, plan.c, word)
    if new < 0:
        return best, False
    if node == ROOT or plan.widen == 0.0 or tried == 0:
        return new, True
    liked = choose(policy, g, word, work)
    if tree.edges[node, liked].visits == 0:
        return liked, True
    return (new, True) if tried * tried < plan.widen * visits else (best, False)


@inlined
def descend(tree, g, plan, policy, work, key):
    """Step the world down the tree, as far as its actions were tried before; returns the path's length.

    A node is made when an action that led to it is tried again. The tree ends with the round: what comes then is
    dealt anew in every world.
    """
    node, depth = np.int64(ROOT), 0
    path_key, unrevealed = tree.keys[ROOT], np.uint64(0)
    while True:
        action, new = select(tree, node, g, plan, policy, work, derive(key, g.decision))
        at = tree.path[depth]
        at.node, at.action, at.seat = node, action, g.seat
        depth += 1
        closed = secret(g)
        step(g, action)
        if new or g.done or g.round_ended or depth == DEEPEST:
            return depth
        path_key, unrevealed = key_of_next(path_key, unrevealed, closed, action, g)
        node = at_key(tree, path_key, True)
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
        scratch: as ``new_scratch`` makes it.
    """
    plan, policy, work, g = plans[0], policies[0], works[0], worlds[0]
    n = seats(games[i])
    before, now, values = scratch[0][:n], scratch[1][:n], scratch[2][:n]
    copy_scores(games[i], before)
    if first == 0:
        clear(tree, mix(seed))
    for number in range(first, first + count):
        key = derive(seed, number)
        worlds[0] = games[i]
        determinize(g, g.seat, derive(key, 0))
        depth = descend(tree, g, plan, policy, work, derive(key, 1))
        play_out(g, plan, policy, work, derive(key, 2))
        evaluate(g, plan.value, before, now, values)
        back_up(tree, depth, values)
