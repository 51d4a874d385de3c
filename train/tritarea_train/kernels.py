"""Compiled loops of the vector env, for any game."""

from typing import Any

import numpy as np

from tritarea_env.engine.compile import kernel
from tritarea_env.engine.protocol import outcome
from tritarea_env.engine.rng import derive
from tritarea_env.engine.seats import LEARNER


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
def outcomes(final: Any, index: Any, seats: Any, by_seat: Any, out: Any) -> None:
    """``outcome`` (m,) float64 of one seat each (m,) in the games ``index`` (m,), which are over.

    ``by_seat`` (seats,) float64 is scratch.
    """
    for j in range(index.shape[0]):
        outcome(final[index[j]], by_seat)
        out[j] = by_seat[seats[j]]
