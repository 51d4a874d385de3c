"""Agents two by two: what happened where both sat at one table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..interval import Estimate
from . import ranking
from .games import Games
from .resampling import Deals, Ratio, ratios


class Pair(NamedTuple):
    """How the first agent did against the second, over all pairs of a seat of the one and a seat of the other.

    Attributes:
        first, second: the agents by number.
        games: in which they met.
        share: of the wins that one of the two seats took, the part of the first; None if neither ever won.
        ahead: how often the first finished ahead; level counts half.
        lead: the mean difference of their shares of the win.
        score: the mean difference of scores, where neither failed; None if there is no such game.
    """

    first: int
    second: int
    games: int
    share: Estimate | None
    ahead: Estimate | None
    lead: Estimate | None
    score: Estimate | None

    def turned(self) -> Pair:
        """The same from the second agent's side."""
        return Pair(
            self.second,
            self.first,
            self.games,
            _mirrored(self.share, 1),
            _mirrored(self.ahead, 1),
            _mirrored(self.lead, 0),
            _mirrored(self.score, 0),
        )


QUANTITIES = ("share", "ahead", "lead", "score")  # of a pair, each in the words of ``Pair``


def _mirrored(estimate: Estimate | None, whole: int) -> Estimate | None:
    if estimate is None:
        return None
    low, high = (None if x is None else whole - x for x in (estimate.high, estimate.low))
    return Estimate(whole - estimate.mean, low, high)


def pairs(games: Games, agents: int, deals: Deals) -> list[Pair]:
    """All pairs that met, the lower number first, each with intervals over deals."""
    column = _columns(games, agents)
    found = ratios(deals, _sums(games, agents * agents, column, deals))
    game = np.broadcast_to(np.arange(len(column))[:, None, None], column.shape)
    once = np.unique(np.stack([game[column >= 0], column[column >= 0]]), axis=1)
    met = np.bincount(once[1], minlength=agents * agents)
    return [
        Pair(a, b, int(met[n]), *(found[quantity][n] for quantity in QUANTITIES))
        for a in range(agents)
        for b in range(a + 1, agents)
        if met[n := a * agents + b]
    ]


def pair_sums(games: Games, first: int, second: int, deals: Deals) -> dict[str, Ratio]:
    """Numerators and denominators of one pair's quantities by deal, (deals, 1) each; the agents differ."""
    one, other = games.holders[:, :, None] == first, games.holders[:, None, :] == second
    return _sums(games, 1, np.where(one & other, 0, -1), deals)


def _columns(games: Games, agents: int) -> NDArray[np.int64]:
    """(G, S, S) int64: first agent * agents + second agent, the lower number first; -1 where there is no such pair."""
    own = ranking.of_agents(games, agents)
    holders = games.holders.astype(np.int64)
    one, other = holders[:, :, None], holders[:, None, :]
    two = own[:, :, None] & own[:, None, :] & (one < other)
    return np.where(two, one * agents + other, -1)


def _sums(games: Games, columns: int, column: NDArray[np.int64], deals: Deals) -> dict[str, Ratio]:
    one, other = games.share[:, :, None], games.share[:, None, :]
    sound = np.where(games.failed[:, :, None] | games.failed[:, None, :], -1, column)
    apart = games.score[:, :, None] - games.score[:, None, :]
    met, met_sound = (deals.sums(where, np.ones(1), columns) for where in (column, sound))
    return {
        "share": Ratio(deals.sums(column, one, columns), deals.sums(column, one + other, columns), 0),
        "ahead": Ratio(deals.sums(column, ranking.ahead(games), columns), met, 0),
        "lead": Ratio(deals.sums(column, one - other, columns), met, -1),
        "score": Ratio(deals.sums(sound, apart, columns), met_sound, None),
    }
