"""What wins: which sources of score separate winners from the others at their table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..interval import Estimate
from .games import Games
from .ranking import PARTNER
from .resampling import Deals, Ratio, ratios


class Source(NamedTuple):
    """A source of score.

    Attributes:
        name: as the game calls it.
        mean: points of a seat.
        gap: by how much the winners' mean exceeds that of the others at their table; None if no game had both.
        part: of the gap in whole scores, how much comes from here.
        effect: the gap in units of the points' spread (standard deviation over all seats); 0 without spread.
        correlation: of points and share of the win, each against the mean of its table; 0 without spread.
    """

    name: str
    mean: float
    gap: Estimate | None
    part: float
    effect: float
    correlation: float


def sources(games: Games, names: Sequence[str], deals: Deals) -> list[Source]:
    """Each source of score, over all seats, NPCs' too.

    Args:
        games: without failures; at least one.
        names: of the sources.
        deals: those of the games.
    """
    seat = games.holders != PARTNER
    points = games.points.astype(np.float64)
    gaps, decided = _gaps(games, points, seat)
    where = np.where(decided, 0, -1)
    below = deals.sums(where, np.ones(1), 1)
    found = ratios(deals, {str(c): Ratio(deals.sums(where, gaps[:, c], 1), below, None) for c in range(len(names))})
    whole = gaps[decided].sum()
    rows = []
    for c, name in enumerate(names):
        own, (gap,) = points[:, :, c], found[str(c)]
        spread = float(own[seat].std())
        rows.append(
            Source(
                name=name,
                mean=float(own[seat].mean()),
                gap=gap,
                part=float(gaps[decided, c].sum() / whole) if whole else 0.0,
                effect=gap.mean / spread if gap and spread else 0.0,
                correlation=_correlation(_against_table(own, seat)[seat], _against_table(games.share, seat)[seat]),
            )
        )
    return rows


def _gaps(
    games: Games, points: NDArray[np.float64], seat: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(G, C) mean points of winners less those of the others; (G,) whether there are both."""
    won = seat & (games.share > 0)
    lost = seat & ~won
    decided = won.any(axis=1) & lost.any(axis=1)
    winners, others = (
        np.einsum("gs,gsc->gc", part.astype(np.float64), points) / np.maximum(part.sum(axis=1), 1)[:, None]
        for part in (won, lost)
    )
    return winners - others, np.asarray(decided)


def _against_table(values: NDArray[np.float64], seat: NDArray[np.bool_]) -> NDArray[np.float64]:
    counted = np.where(seat, values, 0.0)
    return np.asarray(counted - counted.sum(axis=1, keepdims=True) / seat.sum(axis=1, keepdims=True))


def _correlation(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    spread = np.sqrt((a**2).sum() * (b**2).sum())
    return float((a * b).sum() / spread) if spread else 0.0
