"""Rules that end a tournament early: enough is known.

Both look at the games so far between waves. The interval that is narrow enough keeps its level well, since its width
says little about where it lies. A sequential test's decision has the error rates that it was asked for; intervals
of the quantity it tested lie too far from even after it has stopped early, as with any such test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..interval import Estimate
from . import pairs, ratings
from .games import Games
from .resampling import RESAMPLES, Deals, ratios

FEWEST = 30  # deals on which both met, before a test may decide: its variance is estimated from them


class Verdict(NamedTuple):
    """What a rule says of the games so far.

    Attributes:
        stop: whether enough is known.
        text: how things stand, for people.
    """

    stop: bool
    text: str


class Rule(Protocol):
    """When to stop."""

    def look(self, games: Games, agents: int, seed: int) -> Verdict:
        """Judge the games so far.

        Args:
            games: at least one; teams folded by ``ranking.as_sides``.
            agents: how many there are.
            seed: fixes the resampling of deals.
        """


@dataclass(frozen=True)
class Width:
    """Stop when the interval of a difference between two agents is narrow.

    Attributes:
        first, second: the agents by number.
        quantity: ``rating``, or one of ``pairs.QUANTITIES``.
        width: from the lower to the upper limit, in the quantity's units.
    """

    first: int
    second: int
    quantity: str
    width: float

    def look(self, games: Games, agents: int, seed: int) -> Verdict:
        """See ``Rule``."""
        deals = Deals.of(games.deal, seed, RESAMPLES)
        if self.quantity == "rating":
            rated = ratings.rate(games, [str(agent) for agent in range(agents)], deals)
            found: Estimate | None = rated.difference(self.first, self.second)
        else:
            sums = pairs.pair_sums(games, self.first, self.second, deals)
            (found,) = ratios(deals, {self.quantity: sums[self.quantity]})[self.quantity]
        if found is None or found.low is None or found.high is None:
            return Verdict(False, f"{self.quantity}: no interval yet")
        width = found.high - found.low
        return Verdict(width <= self.width, f"{self.quantity}: interval {width:.4g} wide, {self.width:.4g} wanted")


@dataclass(frozen=True)
class SequentialTest:
    """Stop when it is decided whether the first agent's lead over the second is ``low``, or less, or ``high``, or more.

    The generalised sequential probability ratio test of Van den Bergh and chess engines' testing: Wald's test on the
    sums of whole deals, taken as normal, with the variance estimated. If the truth is ``low`` (or less), it decides for
    ``high`` with a chance of ``alpha`` at most; if it is ``high`` (or more), for ``low`` with one of ``beta``. In
    between either may come out.

    Attributes:
        first, second: the agents by number.
        quantity: ``lead``, ``share`` or ``ahead``, see ``pairs.Pair``.
        low, high: the two values between which it decides.
        alpha, beta: the error rates.
    """

    first: int
    second: int
    quantity: str
    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def look(self, games: Games, agents: int, seed: int) -> Verdict:
        """See ``Rule``; nothing is drawn, so the seed does not matter."""
        deals = Deals.of(games.deal, seed, 0)
        sums = pairs.pair_sums(games, self.first, self.second, deals)[self.quantity]
        return self.verdict(sums.above.toarray()[:, 0], sums.below.toarray()[:, 0])

    def verdict(self, above: NDArray[np.float64], below: NDArray[np.float64]) -> Verdict:
        """Judge by the sums of each deal: (n,) numerators and (n,) denominators."""
        met = below > 0
        if met.sum() < FEWEST:
            return Verdict(False, f"test: {met.sum()} deals of at least {FEWEST}")
        ratio = self._log_likelihood_ratio(above[met], below[met])
        bottom, top = math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)
        state = f"log-likelihood ratio {ratio:.2f} between {bottom:.2f} and {top:.2f}"
        if ratio >= top:
            return Verdict(True, f"test: {self.quantity} is above {self.low} ({state})")
        if ratio <= bottom:
            return Verdict(True, f"test: {self.quantity} is below {self.high} ({state})")
        return Verdict(False, f"test: {state}")

    def _log_likelihood_ratio(self, above: NDArray[np.float64], below: NDArray[np.float64]) -> float:
        """Of ``high`` against ``low``. A quotient of m makes the deals' sums of above - m * below 0 on the mean.

        One deal more, half of it won and half lost, keeps the variance from 0 where all deals were alike.
        """
        n, size = len(above), float(below.mean())
        mean = above.sum() / below.sum()
        least = -1 if self.quantity == "lead" else 0
        squares = ((above - mean * below) ** 2).sum() + 0.5 * size**2 * ((1 - mean) ** 2 + (least - mean) ** 2)
        variance = squares / (n + 1)
        off_low, off_high = (above.sum() - value * below.sum() for value in (self.low, self.high))
        return float((off_low**2 - off_high**2) / (2 * n * variance))
