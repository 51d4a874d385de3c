"""Games worth a look, found in the results alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..games import Games
from ..ranking import PARTNER

LEAST = np.iinfo(np.int64).min // 2  # below every score


class Example(NamedTuple):
    """A game by its id, and why it is one to look at."""

    game: int
    why: str


def examples(games: Games, ratings: NDArray[np.float64]) -> list[Example]:
    """A few games, each for one reason; of equal ones the first. Games in which an agent failed are looked at last.

    Args:
        games: teams folded by ``ranking.as_sides``.
        ratings: (K,) of the agents, by number.
    """
    failed = np.asarray(games.failed.any(axis=1))
    sound = games.take(~failed)
    found = _of_scores(sound) if len(sound.id) else []
    upset = _upset(sound, ratings) if len(sound.id) else None
    found += [upset] if upset is not None else []
    spoilt = games.id[failed]
    found += [Example(int(spoilt[0]), "the first in which an agent failed")] if len(spoilt) else []
    return found


def _of_scores(games: Games) -> list[Example]:
    ordered = np.sort(np.where(games.holders == PARTNER, LEAST, games.score), axis=1)
    lead = ordered[:, -1] - ordered[:, -2]
    best = ordered[:, -1]
    length = games.decisions.sum(axis=1)
    close, clear, high, long = (int(np.argmax(values)) for values in (-lead, lead, best, length))
    return [
        Example(int(games.id[close]), f"the closest: {_points(lead[close])} between the first two"),
        Example(int(games.id[clear]), f"the clearest: {_points(lead[clear])} between the first two"),
        Example(int(games.id[high]), f"the highest score: {_points(best[high])}"),
        Example(int(games.id[long]), f"the longest: {length[long]:,} decisions"),
    ]


def _points(count: int) -> str:
    return f"{count:,} point{'s' if abs(count) != 1 else ''}"


def _upset(games: Games, ratings: NDArray[np.float64]) -> Example | None:
    """Where an agent won alone that is rated furthest below the best one at its table; None if none is below."""
    agents = len(ratings)
    rated = np.append(ratings, np.nan)[np.clip(games.holders, -1, agents)]  # NPC seats (and partners) have none
    winner = np.argmax(games.share, axis=1)
    own = rated[np.arange(len(rated)), winner]
    best = np.where(np.isnan(rated), -np.inf, rated).max(axis=1)
    gap = np.where((games.share.max(axis=1) == 1) & ~np.isnan(own), best - own, 0.0)
    i = int(np.argmax(gap))
    return Example(int(games.id[i]), f"the greatest upset: won from {gap[i]:,.0f} below") if gap[i] > 0 else None
