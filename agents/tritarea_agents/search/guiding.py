"""A search by a trained net, as compiled code: its priors say what to look at, its values take the place of playouts.

Simulations go down the tree by PUCT (Rosin 2011, in the form of Silver et al., "Mastering the game of Go without human
knowledge", Nature 2017), the prior shared out anew among the actions that are legal in each sampled world, up to a
decision that has no node yet. There they stop, for the net to look at it, and go on with ``expand``.
"""

from __future__ import annotations

import math

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.engine.loops import copy_scores
from tritarea_env.engine.protocol import (
    determinize,
    legal,
    observe,
    outcome,
    score_now,
    score_reward,
    seats,
    secret,
    step,
)
from tritarea_env.engine.rng import derive, mix
from tritarea_env.engine.sets import WORD

from .tree import DEEPEST, ROOT, at_key, back_up, clear, key_of_next

# By the reward that the net was trained on: what of it is known before the end; the net's value is what is to come
NOTHING_BUT_OUTCOME, NOTHING, SCORES, SETTLED = 0, 1, 2, 3
REWARDS = {"outcome": NOTHING_BUT_OUTCOME, "score": NOTHING, "score_delta": SCORES, "settled_delta": SETTLED}

# Where a simulation stands
LEAF = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("key", np.uint64),  # of the node to be made; 0: none
                ("depth", np.int64),
                ("waits", np.int64),  # whether the net has to look at it
            ]
        ),
    )
)


@inlined
def select(tree, weights, node, actions, c):
    """Count the legal actions as seen; the one of the highest bound. What was never tried counts as the node's mean."""
    shared, total, visits, first = 0.0, 0.0, 0, 0
    for bits in actions:
        left = bits
        a = first
        while left != 0:
            if left & 1:
                tree.edges[node, a].seen += 1
                shared += weights[node, a]
                visits += tree.edges[node, a].visits
                total += tree.edges[node, a].value
            left >>= 1
            a += 1
        first += WORD
    usual = total / max(1, visits)
    scale = c * math.sqrt(visits + 1.0) / shared
    best, most, first = -1, -np.inf, 0
    for bits in actions:
        left = bits
        a = first
        while left != 0:
            if left & 1:
                edge = tree.edges[node, a]
                mean = edge.value / edge.visits if edge.visits > 0 else usual
                found = mean + scale * weights[node, a] / (1.0 + edge.visits)
                if found > most:
                    best, most = a, found
            left >>= 1
            a += 1
        first += WORD
    return best


@inlined
def descend(tree, weights, g, c, leaf):
    """Step the world down the tree to a decision without a node, or to the end; ``leaf`` says where."""
    node, depth = np.int64(ROOT), 0
    path_key, unrevealed = tree.keys[ROOT], np.uint64(0)
    leaf.key = np.uint64(0)
    while True:
        action = select(tree, weights, node, legal(g), c)
        at = tree.path[depth]
        at.node, at.action, at.seat = node, action, g.seat
        depth += 1
        closed = secret(g)
        step(g, action)
        if g.done or g.round_ended or depth == DEEPEST:
            break
        path_key, unrevealed = key_of_next(path_key, unrevealed, closed, action, g)
        node = at_key(tree, path_key, False)
        if node < 0:
            leaf.key = path_key
            break
    leaf.depth = depth


@kernel
def begin(games, i, seed, number, c, tree, weights, worlds, leaves, observation):
    """Simulation ``number`` of the decision in the hidden record ``games[i]``, up to where the net must look.

    Args:
        tree: a ``Tree``; cleared by simulation 0, which is for the root.
        weights: (nodes, A) float32, in proportion to the priors.
        worlds: (1,) record of the game, scratch until ``expand``.
        leaves: (1,) LEAF, written.
        observation: (d,) uint8, written: what the seat to move sees there.
    """
    g, leaf = worlds[0], leaves[0]
    worlds[0] = games[i]
    if number == 0:
        clear(tree, mix(seed))
        leaf.key, leaf.depth = tree.keys[ROOT], 0
    else:
        key = derive(seed, number)
        determinize(g, g.seat, key)
        descend(tree, weights, g, c, leaf)
    leaf.waits = not g.done
    if leaf.waits:
        observe(g, g.seat, observation)


@inlined
def rewards_of(g, so_far, value, before, now, values, tilt):
    """``values`` (seats,): each seat's rewards of the whole game, ``value`` those to come of the seat to move.

    What it is to gain, the others lose as the game's score counts it: in equal parts, or as a team. The
    world is spoilt.
    """
    before[:] = 0
    if g.done:
        if so_far == NOTHING_BUT_OUTCOME:
            outcome(g, values)
        else:
            score_reward(g, before, values)
        return
    now[:] = 0
    if so_far == SETTLED:
        score_now(g, now)
    elif so_far == SCORES:
        copy_scores(g, now)
    mover = g.seat
    for s in range(now.shape[0]):
        g.scores[s] = s == mover
    score_reward(g, before, tilt)
    for s in range(now.shape[0]):
        g.scores[s] = now[s]
    score_reward(g, before, values)
    for s in range(now.shape[0]):
        values[s] += value * tilt[s] / tilt[mover]


@kernel
def expand(tree, weights, worlds, leaves, so_far, logits, value, scratch):
    """Make the leaf's node from the net's ``logits`` (A,) float32, and back up ``value``, its value for the mover."""
    g, leaf = worlds[0], leaves[0]
    n = seats(g)
    before, now, values, tilt = scratch[0][:n], scratch[1][:n], scratch[2][:n], scratch[3][:n]
    if leaf.waits and leaf.key != 0:
        node = np.int64(ROOT) if leaf.depth == 0 else at_key(tree, leaf.key, True)
        if node >= 0:
            most = np.float32(-np.inf)
            for a in range(logits.shape[0]):
                most = max(most, logits[a])
            for a in range(logits.shape[0]):
                weights[node, a] = math.exp(logits[a] - most) + 1e-6
    rewards_of(g, so_far, value, before, now, values, tilt)
    back_up(tree, leaf.depth, values)
