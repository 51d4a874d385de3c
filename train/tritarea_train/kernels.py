"""Compiled loops of the vector env, for any game."""

from typing import Any

import numpy as np

from tritarea_env.engine.compile import kernel
from tritarea_env.engine.loops import REWARD_KINDS, copy_scores, write_reward
from tritarea_env.engine.protocol import begin, draw, observe, score_now, score_reward, step, winners
from tritarea_env.engine.rewards import share as share_of
from tritarea_env.engine.rng import derive

from .config import SETTLED_REWARD

SETTLED = len(REWARD_KINDS)
KINDS = {**REWARD_KINDS, SETTLED_REWARD: SETTLED}  # what a learner's reward can be
LEARNER = -1  # in ``holders``: the seat's decisions come from outside


@kernel
def advance(
    games: Any, index: Any, actions: Any, kind: int, seats: Any, counted: Any, reward: Any, scores: Any, share: Any,
    terminal: Any, scratch: Any,
) -> None:  # fmt: skip
    """One decision in each game ``index[j]``; a game that ends goes on at once with the next of its stream.

    The reward of the learner's seat ``seats[i]`` is added to ``reward[i]`` where ``counted[i]``. Of a game that
    ends are written: ``scores`` (n, seats) int64, the learner's ``share`` (n,) of the win, and ``terminal`` (n, d)
    uint8, what the learner sees then; its ``counted`` turns 0. ``scratch``: (2, seats) int64 and (seats,) float64.
    """
    (before, now), one = scratch
    for j in range(index.shape[0]):
        i = index[j]
        g = games[i]
        seat = seats[i]
        copy_scores(g, before)
        if kind == SETTLED:
            score_now(g, before)
        step(g, actions[j])
        if counted[i]:
            if kind == SETTLED:
                write_settled(g, before, now, one)
            else:
                write_reward(g, kind, before, one)
            reward[i] += one[seat]
        if g.done:
            counted[i] = 0
            copy_scores(g, scores[i])
            share[i] = share_of(winners(g), seat)
            observe(g, seat, terminal[i])
            g.episode += 1
            draw(g)
            begin(g)


@kernel
def write_settled(g: Any, before: Any, now: Any, out: Any) -> None:
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
def take_seats(
    games: Any, index: Any, players: int, branch: int, weights: Any, npc: int, seats: Any, member: Any, holders: Any
) -> None:
    """The learner's seat and the opponents of the games ``index``, at their start.

    Every seat in turn: row i has seat (i + episode) mod players. ``member`` (n,) is drawn by ``weights`` (k,)
    cumulative and ending in 1, from the row's stream and episode; ``holders`` (n, seats) says who decides:
    ``LEARNER``, the member, or ``npc`` for seats beyond the players'.
    """
    for i in index:
        g = games[i]
        seats[i] = (i + g.episode) % players
        chance = np.float64(derive(derive(g.stream, branch), g.episode)) / 2.0**64
        member[i] = weights.shape[0] - 1
        for k in range(weights.shape[0]):
            if chance < weights[k]:
                member[i] = k
                break
        for s in range(holders.shape[1]):
            holders[i, s] = npc if s >= players else member[i]
        holders[i, seats[i]] = LEARNER


@kernel
def who_decides(games: Any, index: Any, holders: Any, out: Any) -> None:
    """The holder (n,) int64 of the seat to move in each game ``index[j]``."""
    for j in range(index.shape[0]):
        out[j] = holders[index[j], games[index[j]].seat]
