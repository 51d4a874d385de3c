"""The bootstrap over deals: whole deals are drawn with replacement, because games on one deal are not independent.

Every number is made of sums over games. The sums are taken by deal once; a resample is then a sum over deals, each
counted as often as it was drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..interval import Estimate, expanded_tail, without_spread

RESAMPLES = 1000
FEWEST = 8  # deals; from fewer the intervals would claim more than they know
_AT_ONCE = 4_000_000  # entries of a matrix of weights
_KEPT = 50_000_000  # counts of draws that are kept for the next number, two bytes each
_DENSE = 0.05  # part of a matrix that is not 0, from which on ordinary products are faster
_NO_SPREAD = 1e-12


@dataclass(frozen=True)
class Deals:
    """The deals of games, and how they are resampled.

    Attributes:
        index: (G,) int64, each game's deal, as a number 0 … count - 1 in the order of the deals.
        count: how many deals there are.
        seed: fixes the resampling; the same seed draws the same deals for every number.
        resamples: how many; with 0 there are no intervals.
    """

    index: NDArray[np.int64]
    count: int
    seed: int
    resamples: int

    @classmethod
    def of(cls, deal: NDArray[np.int64], seed: int = 0, resamples: int = RESAMPLES) -> Deals:
        """The deals of games, by each game's deal."""
        different, index = np.unique(deal, return_inverse=True)
        return cls(index.astype(np.int64), len(different), seed, resamples)

    def sums(self, column: NDArray[np.int64], values: NDArray[Any], columns: int) -> sparse.csr_array:
        """(count, columns) float64, sums by deal.

        Args:
            column: (G, …) int64, which column each value belongs to; -1 for none.
            values: of the same shape.
        """
        deal = np.broadcast_to(self.index.reshape(-1, *[1] * (column.ndim - 1)), column.shape)
        kept = column >= 0
        entries = (np.broadcast_to(values, column.shape)[kept].astype(np.float64), (deal[kept], column[kept]))
        return sparse.csr_array(sparse.coo_array(entries, shape=(self.count, columns)))

    def resampled(self, by_deal: sparse.csr_array, power: int = 1) -> NDArray[np.float64]:
        """(resamples, columns): the sums of each resample, its deals weighted by how often they were drawn.

        Args:
            by_deal: (count, columns), the sums of each deal.
            power: of the weights: 2 for sums over pairs within a deal that must not count a deal's copies.
        """
        sums = by_deal.toarray() if by_deal.nnz > _DENSE * self.count * by_deal.shape[1] else sparse.csc_array(by_deal)
        parts = [weights**power @ sums for weights in self._weights()]
        return np.concatenate(parts) if parts else np.empty((0, by_deal.shape[1]))

    def doubts(self, columns: int) -> NDArray[np.float64]:
        """(2, resamples, columns): games won and lost beside those that were played, one each on the mean.

        Resampling cannot draw what has hardly been seen: of one lost game in a thousand, none to three. What was not
        seen yet is drawn too, as the "plus four" intervals of Agresti & Coull (1998) add two games won and two lost.
        """
        random = np.random.default_rng([self.seed, 1])
        return random.poisson(1.0, (2, self.resamples, columns)).astype(np.float64)

    def _weights(self) -> Iterator[NDArray[np.float64]]:
        small = self.resamples * self.count <= _KEPT
        return (drawn.astype(np.float64) for drawn in (self._drawn if small else self._draws()))

    @cached_property
    def _drawn(self) -> list[NDArray[np.uint16]]:
        return list(self._draws())

    def _draws(self) -> Iterator[NDArray[np.uint16]]:
        """(some resamples, count): how often each deal is drawn."""
        random = np.random.default_rng(self.seed)
        rows = max(1, _AT_ONCE // self.count)
        for first in range(0, self.resamples, rows):
            many = min(rows, self.resamples - first)
            drawn = random.integers(0, self.count, (many, self.count)) + self.count * np.arange(many)[:, None]
            counted = np.bincount(drawn.ravel(), minlength=many * self.count)
            yield counted.reshape(many, self.count).astype(np.uint16)


class Ratio(NamedTuple):
    """Sums by deal whose quotients are wanted: (deals, q) each.

    Attributes:
        above, below: numerators and denominators.
        least: what a quotient can be at least where 1 is the most (0 of a share); None where there is no bound.
    """

    above: sparse.csr_array
    below: sparse.csr_array
    least: int | None


def ratios(deals: Deals, wanted: Mapping[str, Ratio]) -> dict[str, list[Estimate | None]]:
    """Quotients of sums over all games, each with its interval; None where the denominator is 0.

    What has bounds and came out alike on every deal has the interval of the rule of three (``without_spread``).
    """
    columns = sparse.hstack([part for r in wanted.values() for part in (r.above, r.below)], format="csr")
    samples, points = deals.resampled(columns), columns.sum(axis=0)
    seen = (columns != 0).sum(axis=0)
    doubts = deals.doubts(1)[:, :, 0]
    found: dict[str, list[Estimate | None]] = {}
    first = 0
    for name, ratio in wanted.items():
        q = ratio.above.shape[1]
        found[name] = [
            _quotient(points[[i, i + q]], samples[:, [i, i + q]], int(seen[i + q]), ratio.least, doubts)
            for i in range(first, first + q)
        ]
        first += 2 * q
    return found


def _quotient(
    point: NDArray[np.float64],
    samples: NDArray[np.float64],
    deals: int,
    least: int | None,
    doubts: NDArray[np.float64],
) -> Estimate | None:
    """Of (2,) and (resamples, 2) sums."""
    if point[1] == 0:
        return None
    whole, some = float(point[0] / point[1]), samples[:, 1] != 0
    above, below = samples[some].T
    if least is None:
        return interval(whole, above / below, deals)
    if deals >= FEWEST and len(above) and _alike(above / below):
        share = without_spread((whole - least) / (1 - least), deals)
        assert share.low is not None
        assert share.high is not None
        return Estimate(whole, least + (1 - least) * share.low, least + (1 - least) * share.high)
    won, lost = doubts[:, some]
    return interval(whole, (above + won + least * lost) / (below + won + lost), deals)


def _alike(samples: NDArray[np.float64]) -> bool:
    return bool(samples.max() - samples.min() < _NO_SPREAD)


def interval(point: float, samples: NDArray[np.float64], deals: int) -> Estimate:
    """The expanded percentile interval (see ``interval.estimates``) of a number that was resampled.

    There is none from fewer than ``FEWEST`` deals, nor where resampling showed no spread.

    Args:
        point: the number on all deals.
        samples: (resamples,) the number on each resample.
        deals: how many deals say anything about it.
    """
    if deals < FEWEST or not len(samples) or _alike(samples):
        return Estimate(point, None, None)
    tail = expanded_tail(deals)
    low, high = np.quantile(samples, [tail, 1 - tail])
    return Estimate(point, float(low), float(high))
