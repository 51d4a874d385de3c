"""Who finished where in each game, as agents against agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .games import Games

_Number = TypeVar("_Number", np.int64, np.float64)
PARTNER = -1  # the holder of a seat whose result is told in its player's seat


def as_sides(games: Games, sides: Sequence[int]) -> Games:
    """The games with each team's result in its player's seat.

    Args:
        games: as they were played.
        sides: the player of each seat (``Game.sides``), -1 for an NPC seat that plays for itself.
    """
    side = np.asarray(sides)
    partners = np.flatnonzero((side >= 0) & (side != np.arange(len(side))))
    if not len(partners):
        return games
    holders = games.holders.copy()
    holders[:, partners] = PARTNER
    return games._replace(
        holders=holders,
        score=_folded(games.score, side, partners),
        share=_folded(games.share, side, partners),
        points=_folded(games.points, side, partners),
    )


def _folded(column: NDArray[_Number], side: NDArray[np.int64], partners: NDArray[np.intp]) -> NDArray[_Number]:
    folded = column.copy()
    for seat in partners:
        folded[:, side[seat]] += column[:, seat]
        folded[:, seat] = 0
    return folded


def of_agents(games: Games, agents: int) -> NDArray[np.bool_]:
    """(G, S) bool: the seats that agents hold; those of NPCs and partners are no agent's."""
    return (games.holders >= 0) & (games.holders < agents)


def contenders(games: Games) -> NDArray[np.int64]:
    """(G,) int64: how many seats can win for themselves, NPC seats that play for themselves among them."""
    return np.asarray((games.holders != PARTNER).sum(axis=1), np.int64)


def ahead(games: Games) -> NDArray[np.float64]:
    """(G, S, S) float64: 1 where the first seat finished ahead of the second, ½ where they are level, else 0.

    Seats that failed are last, level with each other. Of the rest those with more of the win come first, then those
    with the higher score; so the game's own rule for ties decides who won.
    """
    standing = ~games.failed
    above = _greater(standing, standing)
    level = standing[:, :, None] == standing[:, None, :]
    for value in (np.where(standing, games.share, 0), np.where(standing, games.score, 0)):
        above |= level & _greater(value, value)
        level &= value[:, :, None] == value[:, None, :]
    return np.where(above, 1.0, np.where(level, 0.5, 0.0))


def _greater(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(a[:, :, None] > b[:, None, :])


def levels(games: Games, agents: int) -> NDArray[np.int64]:
    """(G, S) int64: how many seats of agents finished ahead; equal for seats that are level. -1: no agent's seat."""
    own = of_agents(games, agents)
    better = (ahead(games) == 1.0) & own[:, :, None]
    return np.where(own, better.sum(axis=1), -1)
