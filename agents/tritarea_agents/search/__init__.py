"""The agent ``search``: information set Monte Carlo tree search over the game protocol, for any game."""

from __future__ import annotations

from typing import Any

from tritarea_env.games import Game

from ..base import Agent
from .agent import SearchAgent, Thought
from .options import CHOICES, RANGES, parameters_of

__all__ = ["CHOICES", "RANGES", "SearchAgent", "Thought", "build", "parameters_of"]


def build(game: Game, parameters: Any) -> Agent:
    """The agent."""
    if parameters.ms and parameters.sims != parameters_of(game)().sims:
        raise ValueError("search: give sims or ms, not both")
    return SearchAgent(game, parameters)
