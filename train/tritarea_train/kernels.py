"""Compiled loops of the vector env, for any game."""

from typing import Any

import numpy as np

from tritarea_env.engine.compile import kernel
from tritarea_env.engine.protocol import outcome, state
from tritarea_env.engine.rng import below, derive
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


@kernel
def draw_frames(games: Any, index: Any, branch: int, frames: int, out: Any) -> None:
    """In which of its ``frames`` each game ``index`` is shown (m,) int64, from its row's stream and episode."""
    for j in range(index.shape[0]):
        g = games[index[j]]
        out[j] = below(derive(derive(g.stream, branch), g.episode), frames)


@kernel
def turn(rows: Any, frame: Any, orders: Any, out: Any) -> None:
    """Rows (m, k) into the first k columns of ``out``, each in the order of its frame: ``orders`` (frames, k)."""
    for j in range(rows.shape[0]):
        order = orders[frame[j]]
        for k in range(rows.shape[1]):
            out[j, k] = rows[j, order[k]]


@kernel
def show_hidden(
    games: Any, index: Any, seats: Any, frame: Any, orders: Any, entries: Any, whole: Any, start: int, out: Any
) -> None:
    """The state's ``entries`` (seats, e) of each game ``index``, for its seat and in its frame.

    They go into ``out[:, start:]``. ``orders`` (frames, s): of the state in each frame. ``whole`` (s,) uint8: scratch.
    """
    for j in range(index.shape[0]):
        state(games[index[j]], whole)
        order, mine = orders[frame[j]], entries[seats[index[j]]]
        for k in range(mine.shape[0]):
            out[j, start + k] = whole[order[mine[k]]]
