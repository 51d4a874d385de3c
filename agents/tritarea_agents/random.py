"""The agent ``random``: every legal action is equally likely."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.engine import loops
from tritarea_env.engine.compile import bare
from tritarea_env.games import Game

from .base import Agent, Views


class Parameters(NamedTuple):
    """It has none."""


class RandomAgent:
    """Uniform over the legal actions, from the views' own chance."""

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids."""
        chosen = np.empty(len(views), np.int64)
        loops.random_actions(bare(views.hidden), views.seed, chosen)
        return chosen


def build(game: Game, parameters: Parameters) -> Agent:
    """The agent, for any game."""
    return RandomAgent()
