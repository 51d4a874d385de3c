"""A limit for the rating of an agent that always won, or always lost: how weak, or strong, it may still be."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from ..interval import LEVEL
from . import plackett_luce
from .games import Games
from .resampling import FEWEST, Deals

_FAR = 100.0  # a logarithm of strengths beyond all that games can show


def limit(
    games: Games,
    levels: NDArray[np.int64],
    logs: NDArray[np.float64],
    agent: int,
    main: NDArray[np.bool_],
    deals: Deals,
) -> tuple[bool, float] | None:
    """Whether it always won, and the logarithm of the strength with which so one-sided a result has a chance of 5%.

    With a lower one (of an agent that always lost: a higher one) it has less. None if that cannot be said. Others'
    strengths are taken as they are. Games on one deal hang together in an unknown way: that all of them came out like
    this is no likelier than the least likely one, so no likelier than the geometric mean of them. Thus a deal counts as
    one game.

    Args:
        games: teams folded by ``ranking.as_sides``.
        levels: of those, see ``ranking.levels``.
        logs: (K,) the logarithms of the strengths.
        agent: finished ahead of all seats of ``main``, or behind all, in every game.
        main: (K,) bool, the agents whose strengths are measured.
    """
    rivals = np.append(main, False)[games.holders] & (levels >= 0)
    own = (games.holders == agent) & (levels >= 0)
    met = np.flatnonzero(own.any(axis=1) & rivals.any(axis=1))
    many = len(np.unique(deals.index[met]))
    if many < FEWEST:
        return None
    placed = np.where(own | rivals, levels, -1)[met]
    found = plackett_luce.stages(placed, games.holders[met], len(logs), np.zeros(len(met), np.int64))
    seats = found.members[:, [agent]].toarray()[:, 0]
    both = seats > 0
    times = found.counts.toarray()[0, both] / found.unit * many / len(met)
    seats = seats[both]
    rest = (found.members @ np.exp(logs))[both] - seats * math.exp(logs[agent])
    won = levels[met[0]][own[met[0]]].min() < levels[met[0]][rivals[met[0]]].min()

    def beyond(log: float) -> float:
        against = np.log(rest / seats) - log if won else log - np.log(rest / seats)
        return float(times @ np.logaddexp(0, against)) + math.log(1 - LEVEL)

    return bool(won), float(brentq(beyond, -_FAR, _FAR))
