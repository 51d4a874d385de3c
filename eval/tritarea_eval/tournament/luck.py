"""Luck against skill: how much of the spread of results lies in the deal, and how much in who plays.

Take a result (a share of the win, or a score) of one seat in one game, and its variance over all of them. Then

- *luck* is the covariance of two results of one seat in one deal under different agents, each agent's own mean taken
  off, as a part of that variance: what the deal (cards, seat, start player) does to whoever sits there;
- *skill* is the covariance of two results of one agent in different deals, as a part of that variance: what an agent
  does whatever it is dealt. It is the variance between agents without the chance in their means;
- the *rest* is neither: the agents' own chance, opponents, and how an agent gets along with a deal.

Both are means over all such pairs of results, which makes them the estimates of variance components by moments
(Searle, Casella & McCulloch, Variance Components, 1992). They are not shares: chance can take them below 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..interval import Estimate
from . import ranking
from .games import Games
from .resampling import Deals, interval


class Spread(NamedTuple):
    """Where the variance of a result lies.

    Attributes:
        variance: of a seat's result.
        luck: the part of it that is the deal's; None if no seat of a deal was held by two agents.
        skill: the part that is the agents'; None if there is but one agent, or one deal.
        rest: what is left, of those that could be measured.
    """

    variance: float
    luck: Estimate | None
    skill: Estimate | None
    rest: float


def spread(games: Games, agents: int, deals: Deals, values: NDArray[np.float64]) -> Spread | None:
    """Split the variance of a result.

    Args:
        games: without failures.
        agents: how many.
        deals: those of the games.
        values: (G, S), the results; those of seats that are no agent's are left out.

    Returns:
        None if all results are alike.
    """
    own = ranking.of_agents(games, agents)
    holder = np.where(own, games.holders, -1).astype(np.int64)
    centred = np.where(own, values - values[own].mean(), 0.0)
    variance = float((centred[own] ** 2).mean())
    if variance == 0:
        return None
    many = np.bincount(holder[own], minlength=agents)
    means = np.bincount(holder[own], centred[own], minlength=agents) / np.maximum(many, 1)
    residual = np.where(own, centred - means[holder], 0.0)
    squares = deals.sums(np.where(own, 0, -1), centred**2, 1)
    seen = deals.sums(np.where(own, 0, -1), np.ones(1), 1)
    luck = _luck(deals, holder, residual, agents, squares, seen)
    skill = _skill(deals, holder, centred, agents, squares, seen) if agents > 1 else None
    return Spread(variance, luck, skill, 1 - sum(part.mean for part in (luck, skill) if part is not None))


def _luck(
    deals: Deals,
    holder: NDArray[np.int64],
    residual: NDArray[np.float64],
    agents: int,
    squares: sparse.csr_array,
    seen: sparse.csr_array,
) -> Estimate | None:
    """Pairs within a seat of a deal: all, without those of one agent."""
    seats = holder.shape[1]
    place = np.where(holder >= 0, np.arange(seats), -1)
    by_agent = np.where(holder >= 0, np.arange(seats) * agents + holder, -1)
    products, count = (
        (deals.sums(place, values, seats) ** 2).sum(axis=1)
        - (deals.sums(by_agent, values, seats * agents) ** 2).sum(axis=1)
        for values in (residual, np.ones(1))
    )
    if not count.any():
        return None
    columns = sparse.hstack([sparse.csr_array(np.stack([products, count], axis=1)), squares, seen], format="csr")

    def part(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        some = sums[sums[:, 1] > 0]
        return np.asarray(some[:, 0] / some[:, 1] / (some[:, 2] / some[:, 3]))

    return interval(float(part(columns.sum(axis=0)[None])[0]), part(deals.resampled(columns)), int((count > 0).sum()))


def _skill(
    deals: Deals,
    holder: NDArray[np.int64],
    centred: NDArray[np.float64],
    agents: int,
    squares: sparse.csr_array,
    seen: sparse.csr_array,
) -> Estimate | None:
    """Pairs of an agent over all deals, without those within a deal."""
    sums, many = (deals.sums(holder, values, agents) for values in (centred, np.ones(1)))
    once = sparse.hstack([sums, many, squares, seen], format="csr")
    twice = sparse.hstack([sums**2, many**2], format="csr")

    def part(of_one: NDArray[np.float64], of_pairs: NDArray[np.float64]) -> NDArray[np.float64]:
        found = of_one[:, : 2 * agents] ** 2 - of_pairs
        products, count = found[:, :agents].sum(axis=1), found[:, agents:].sum(axis=1)
        some = count > 0
        variance = of_one[some, -2] / of_one[some, -1]
        return np.asarray(products[some] / count[some] / variance)

    point = part(once.sum(axis=0)[None], twice.sum(axis=0)[None])
    if not len(point):
        return None
    return interval(float(point[0]), part(deals.resampled(once), deals.resampled(twice, power=2)), deals.count)
