"""The expert's parameters as data: ``<game>.toml`` beside this file, one table a parameter.

Each table has ``value`` (as shipped), ``low`` and ``high`` (the range an agent takes and a tuner searches), ``about``
(what it means, with its unit) and, where a parameter is the weight of an idea, ``off``: the value without that idea.
"""

from __future__ import annotations

import tomllib
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Parameter:
    """One number that the rules of thumb leave open; a whole number where ``value`` is one."""

    value: float
    low: float
    high: float
    about: str
    off: float | None = None


@cache
def read(game: str) -> Mapping[str, Parameter]:
    """The parameters of a game's expert by name, in the order of the file.

    Raises:
        ValueError: a value lies outside its range.
    """
    tables = tomllib.loads((FOLDER / f"{game}.toml").read_text(encoding="utf-8"))
    found = {name: Parameter(**table) for name, table in tables.items()}
    for name, parameter in found.items():
        for value in (parameter.value, parameter.value if parameter.off is None else parameter.off):
            if not parameter.low <= value <= parameter.high:
                raise ValueError(f"{game}.toml: {name} is {parameter.low} … {parameter.high}, not {value}")
    return found


def options(game: str, module: str) -> tuple[Any, dict[str, tuple[float, float]]]:
    """``Parameters`` (a named tuple class, the shipped values its defaults) and ``RANGES``, as the registry asks.

    ``module``: the name of the module that keeps them, where pickles find the class.
    """
    found = read(game)
    defaults = [p.value for p in found.values()]
    parameters = namedtuple("Parameters", found, defaults=defaults, module=module)  # type: ignore[misc]
    return parameters, {name: (p.low, p.high) for name, p in found.items()}
