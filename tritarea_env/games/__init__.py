"""The games, one folder each. ``get`` finds a game by name; a folder that defines ``DEFINITION`` is a game."""

from __future__ import annotations

import functools
import importlib
import pkgutil

from .base import Field, Game

__all__ = ["Field", "Game", "get", "names"]


@functools.cache
def names() -> tuple[str, ...]:
    """Names of all games."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg))


@functools.cache
def get(name: str) -> Game:
    """The game of that name.

    Raises:
        ValueError: there is none.
    """
    if name not in names():
        raise ValueError(f"no game is named {name!r}; there is {', '.join(names())}")
    definition: Game = importlib.import_module(f"{__name__}.{name}").DEFINITION
    return definition
