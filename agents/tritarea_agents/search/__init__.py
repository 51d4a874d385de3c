"""The agent ``search``: information set Monte Carlo tree search over the game protocol, for any game."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from tritarea_env.games import Game

from ..base import Agent
from .agent import SearchAgent, Thought
from .options import CHOICES, EXCLUSIVE, IDLE, RANGES, parameters_of

__all__ = ["CHOICES", "EXCLUSIVE", "IDLE", "RANGES", "SearchAgent", "Thought", "build", "parameters_of"]


def build(game: Game, parameters: Any, options: Mapping[str, Any] | None = None) -> Agent:
    """The agent, for ``game`` with ``options`` (None: not known yet).

    Raises:
        ValueError: options that do not go together, or that the game does not know.
    """
    if not parameters.prior:
        return SearchAgent(game, parameters)
    guided: Any = importlib.import_module(".guided", __name__)
    agent: Agent = guided.GuidedAgent(game, parameters, options)
    return agent
