"""Intervals for means over deals: games on one deal are not independent, so whole deals are resampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

RESAMPLES = 4000
LEVEL = 0.95
_AT_ONCE = 1_000_000  # entries of an index drawn at a time


@dataclass(frozen=True)
class Estimate:
    """A mean and its 95% interval; both ends are None where there is none, one if there is a limit on one side only."""

    mean: float
    low: float | None
    high: float | None

    def as_json(self) -> dict[str, float | None]:
        """Rounded to six decimals."""
        rounded = [None if x is None else round(x, 6) for x in (self.mean, self.low, self.high)]
        return dict(zip(("mean", "low", "high"), rounded, strict=True))


def estimates(values: NDArray[np.float64], seed: int, shares: Sequence[bool]) -> list[Estimate]:
    """Means over deals, each with its interval.

    The interval is the bootstrap's percentile interval, its tails moved outwards for small samples (the
    "expanded percentile interval" of Hesterberg, What Teachers Should Know About the Bootstrap, 2015). Where a share
    came out alike on every deal, as when an agent wins them all, resampling shows nothing; see ``without_spread``.

    Args:
        values: (deals, k) float64: for each deal the mean over its games of k quantities.
        seed: fixes the resampling.
        shares: which of the quantities are shares, in [0, 1].
    """
    n = len(values)
    means = values.mean(axis=0)
    if n < 2:
        return [Estimate(float(mean), None, None) for mean in means]
    tail = expanded_tail(n)
    low, high = np.quantile(_resampled_means(values, seed), [tail, 1 - tail], axis=0)
    found = [Estimate(float(m), float(a), float(b)) for m, a, b in zip(means, low, high, strict=True)]
    alike = (values == values[0]).all(axis=0)
    return [without_spread(e.mean, n) if s and a else e for e, s, a in zip(found, shares, alike, strict=True)]


def without_spread(share: float, n: int) -> Estimate:
    """The interval of a share that was the same on all of n deals.

    With 95% confidence no more than 1 - 0.05 ** (1 / n) of all deals (about 3 / n, the "rule of three") come out
    otherwise; what is won on those may be anything from 0 to 1.
    """
    others = 1 - (1 - LEVEL) ** (1 / n)
    return Estimate(share, share * (1 - others), share + others * (1 - share))


def expanded_tail(n: int) -> float:
    """The share of resamples to cut off at each end."""
    t = special.stdtrit(n - 1, (1 - LEVEL) / 2)
    return float(special.ndtr(np.sqrt(n / (n - 1)) * t))


def _resampled_means(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """(resamples, k): the means of as many deals as there are, drawn with replacement."""
    random = np.random.default_rng(seed)
    n = len(values)
    rows = max(1, _AT_ONCE // n)
    parts = []
    for first in range(0, RESAMPLES, rows):
        drawn = random.integers(0, n, (min(rows, RESAMPLES - first), n))
        parts.append(np.stack([column[drawn].mean(axis=1) for column in values.T], axis=1))
    return np.concatenate(parts)
