"""Compiled loops over games in which one seat each, the learner's, is decided from outside, for any game.

``holders`` (n, seats) int64 says who decides for which seat: ``LEARNER``, or a place in a list of agents.
"""

import numpy as np

from .compile import kernel
from .loops import REWARD_KINDS, copy_scores, go_on, write_reward
from .protocol import score_now, score_reward, step
from .rng import below, derive

LEARNER, DRAWN = -1, -2  # in a plan of who holds which seat: the learner, one drawn for each game
SEAT_BRANCH, POOL_BRANCH = (1 << 32) + 1, (1 << 32) + 2  # children of a row's stream for the draws made here
SETTLED = len(REWARD_KINDS)
KINDS = {**REWARD_KINDS, "settled_delta": SETTLED}  # what a learner's reward can be; see ``write_settled``


@kernel
def advance(games, index, actions, kind, seats, ended, reward, over, final, scratch):
    """One decision in each game ``index[j]``; a game that ends goes on at once with the next of its stream.

    The reward of the learner's seat ``seats[i]`` is added to ``reward[i]`` until ``ended[i]`` (n,) bool, which turns 1
    when a game ends; ``over`` (m,) bool says where it was this decision. ``final`` (n,) are records of the games that
    have ended, as they ended. ``scratch``: (2, seats) int64 and (seats,) float64.
    """
    (before, now), one = scratch
    for j in range(index.shape[0]):
        i = index[j]
        g = games[i]
        copy_scores(g, before)
        if kind == SETTLED:
            score_now(g, before)
        step(g, actions[j])
        if not ended[i]:
            if kind == SETTLED:
                write_settled(g, before, now, one)
            else:
                write_reward(g, kind, before, one)
            reward[i] += one[seats[i]]
        over[j] = g.done == 1
        if g.done:
            ended[i] = True
            final[i] = g
            go_on(g)


@kernel
def leave(games, index, ended, final):
    """Give up each game ``index[j]`` as it stands; it goes on with the next of its stream."""
    for i in index:
        g = games[i]
        ended[i] = True
        final[i] = g
        go_on(g)


@kernel
def write_settled(g, before, now, out):
    """The change of every seat's score as if the round were settled now, less the others', in ``score``'s unit.

    It comes with the decision that earns it, not at the round's end, and sums over a game to the same: shaping by a
    potential, which leaves the best policy what it was (Ng, Harada and Russell 1999). ``before`` (seats,) int64:
    ``score_now`` before the decision. ``now`` (seats,) int64 is scratch.
    """
    copy_scores(g, now)
    if not g.done:
        score_now(g, now)
    for s in range(now.shape[0]):
        now[s], g.scores[s] = g.scores[s], now[s]
    score_reward(g, before, out)
    for s in range(now.shape[0]):
        g.scores[s] = now[s]


@kernel
def who_decides(games, index, holders, out):
    """The holder (m,) int64 of the seat to move in each game ``index[j]``."""
    for j in range(index.shape[0]):
        out[j] = holders[index[j], games[index[j]].seat]


@kernel
def take_seats(games, index, fixed, plan, weights, total, seats, holders):
    """The learner's seat and the holders of the others in the games ``index``, from their streams and episodes.

    The seat is ``fixed``, or drawn if that is -1. ``plan[own]`` (seats,) int64 says who holds which seat when the
    learner has seat ``own`` (one row for each player): ``DRAWN`` is a place by ``weights`` (k,) float64, which sum to
    ``total``. ``seats`` (n,) and ``holders`` (n, seats) int64 are written.
    """
    for i in index:
        g = games[i]
        own = fixed
        if own < 0:
            own = below(derive(derive(g.stream, SEAT_BRANCH), g.episode), plan.shape[0])
        pool = derive(derive(g.stream, POOL_BRANCH), g.episode)
        seats[i] = own
        for s in range(plan.shape[1]):
            holders[i, s] = plan[own, s]
            if plan[own, s] == DRAWN:
                holders[i, s] = draw_place(derive(pool, s), weights, total)


@kernel
def draw_place(word, weights, total):
    """A place 0 … k-1 with chances ``weights`` (k,) out of their ``total``, from a random uint64."""
    left = np.float64(word) / 2.0**64 * total
    for k in range(weights.shape[0]):
        left -= weights[k]
        if left < 0.0:
            return k
    return weights.shape[0] - 1


@kernel
def scale_rows(raw, scale, out):
    """Observations (n, d) uint8 times ``scale`` (d,) float32, into ``out`` (n, d) float32."""
    for i in range(raw.shape[0]):
        for k in range(raw.shape[1]):
            out[i, k] = raw[i, k] * scale[k]
