"""What an agent is, and how an agent that decides one view at a time becomes one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Protocol, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Game
from tritarea_env.views import Agent, Views

__all__ = ["Agent", "OneByOne", "SimpleAgent", "Undecided", "Views", "check_game"]

SimpleFunction = Callable[[NDArray[np.float32], NDArray[np.int8]], SupportsIndex]


def check_game(game: Game, views: Views) -> None:
    """Refuse views of another game than that for which an agent was made.

    Raises:
        ValueError: names both games.
    """
    if views.game.name != game.name:
        raise ValueError(f"this agent was made for {game.title}, and these are decisions in {views.game.title}")


class Undecided(Exception):
    """Some decisions failed, and the agent knows which: the others count, and it is not asked again.

    Attributes:
        chosen: (n,) int64, an action id for each decision; anything where it failed.
        causes: by place, what went wrong there.
    """

    def __init__(self, chosen: NDArray[np.int64], causes: Mapping[int, Exception]) -> None:
        self.chosen, self.causes = chosen, causes
        first = min(causes)
        many = f"{len(causes)} of {len(chosen)} decisions failed, the first: " if len(chosen) > 1 else ""
        super().__init__(f"{many}{causes[first]}")


class SimpleAgent(Protocol):
    """Decides for one seat at a time: the easiest agent to write."""

    def act(self, observation: NDArray[np.float32], mask: NDArray[np.int8]) -> int:
        """One legal action id, for an observation (d,) float32 in [0, 1] and a mask (A,) int8."""
        ...


class OneByOne:
    """An ``Agent`` made of a simple agent, or of a plain function ``f(observation, mask) -> int``.

    The simple agent gets arrays of its own, which it may change.
    """

    def __init__(self, simple: SimpleAgent | SimpleFunction) -> None:
        found: Any = simple
        self._choose: SimpleFunction = getattr(found, "act", found)

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids.

        Raises:
            TypeError: the simple agent answers something that is not a whole number.
        """
        observations = views.observation * views.game.scale
        masks = views.mask.copy()
        chosen = [operator.index(self._choose(observations[i], masks[i])) for i in range(len(views))]
        return np.array(chosen, np.int64)
