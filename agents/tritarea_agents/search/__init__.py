"""The agent ``search``: information set Monte Carlo tree search over the game protocol, for any game."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from tritarea_env.games import Game

from ..base import Agent
from .agent import SearchAgent, Thought
from .options import CHOICES, EXCLUSIVE, RANGES, WITHOUT_NET, parameters_of

__all__ = ["CHOICES", "EXCLUSIVE", "RANGES", "SearchAgent", "Thought", "build", "parameters_of"]


def build(game: Game, parameters: Any, options: Mapping[str, Any] | None = None) -> Agent:
    """The agent, for ``game`` with ``options`` (None: not known yet).

    Raises:
        ValueError: options that do not go together, or that the game does not know.
    """
    defaults = parameters_of(game)()
    if not parameters.prior:
        return SearchAgent(game, parameters)
    idle = [name for name in WITHOUT_NET if getattr(parameters, name) != getattr(defaults, name)]
    if idle:
        raise ValueError(f"search: with prior there are no playouts, so {', '.join(idle)} means nothing; leave it out")
    guided: Any = importlib.import_module(".guided", __name__)
    agent: Agent = guided.GuidedAgent(game, parameters, options)
    return agent
