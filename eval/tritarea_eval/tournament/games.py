"""The games of a tournament as columns: all that its numbers are made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Games(NamedTuple):
    """G games at tables of S seats (NPC seats among them) that score from C sources; sorted by ``id``.

    Attributes:
        id: (G,) int64, block * seatings + turn.
        block: (G,) int64, the unit of work: a deal with a line-up, once in each seating.
        deal: (G,) int64: blocks may share one; what is resampled for intervals.
        holders: (G, S) int8, the agent in each seat, by number; the number of agents stands for an NPC.
        score: (G, S) int64.
        share: (G, S) float64, of the win, after the rule for failures; a game's sum to 1.
        points: (G, S, C) int64, by source (``Game.sources``); they sum to the score.
        start: (G,) int8, the seat that leads the first trick; -1 if none does.
        failed: (G, S) bool, seats whose agent failed in that game.
        digest: (G,) uint64, of the actions: equal for games in which the same was done.
        decisions: (G, S) int64, by the seat that made them.
    """

    id: NDArray[np.int64]
    block: NDArray[np.int64]
    deal: NDArray[np.int64]
    holders: NDArray[np.int8]
    score: NDArray[np.int64]
    share: NDArray[np.float64]
    points: NDArray[np.int64]
    start: NDArray[np.int8]
    failed: NDArray[np.bool_]
    digest: NDArray[np.uint64]
    decisions: NDArray[np.int64]

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Games:
        """The games at ``index``, in that order."""
        return Games._make(column[index] for column in self)
