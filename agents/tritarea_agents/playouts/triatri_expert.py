"""The rules of thumb by which TriATri's ``expert`` plays imagined worlds on, as a policy for playouts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritarea_env.engine.compile import kernel
from tritarea_env.games.triatri.kernel import best_seat
from tritarea_env.games.triatri.rules import BID, PRIZE

from ..expert.triatri_playing import favourite_prize, lead
from ..expert.triatri_standing import WORK, Parameters, fill_chances, fill_tables
from ..greedy.packing import packed
from ..greedy.triatri import reply
from .triatri import choose_bid

__all__ = ["expert", "ready"]


def ready() -> tuple[NDArray[Any], NDArray[Any]]:
    """Its parameters and its scratch memory, (1,) each."""
    parameters, works = packed(Parameters()), np.zeros(1, WORK)
    fill_tables(parameters[0], works[0])
    return parameters, works


@kernel
def expert(g, word, p, work):
    """A legal action of the seat to move in the full record ``g``, which stays as it is; ``word``: a random uint64."""
    if g.phase == BID:
        return choose_bid(g, word)
    if g.phase == PRIZE:
        work.world = g
        return np.int64(favourite_prize(work.world, p, work))
    leader = best_seat(g)
    if leader < 0:
        return np.int64(lead(g, g.seat))
    fill_chances(g, p, work, work.now)
    work.world = g
    return np.int64(reply(work.world, g.seat, leader, work.now))
