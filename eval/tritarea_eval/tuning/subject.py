"""What is tuned: a named agent whose options are the parameters of a file, one table a parameter."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tritarea_agents.expert import parameters as expert_parameters
from tritarea_agents.expert.parameters import Parameter

from .config import LEAST_STEP, TuneConfig
from .strategy import Vector

Values = dict[str, float]  # whole numbers are ints

DIGITS = 4  # significant ones of a value
_TABLE = re.compile(r"""\s*\[\s*["']?([\w-]+)["']?\s*\]""")
_VALUE = re.compile(r"(\s*value\s*=\s*)[^\s#]+")


@dataclass(frozen=True)
class Subject:
    """An agent and its parameters.

    Attributes:
        agent: its name; every parameter is an option of its spec.
        parameters: by name, as the file has them.
        text: the file.
    """

    agent: str
    parameters: Mapping[str, Parameter]
    text: str

    @property
    def start(self) -> Values:
        """The values as shipped."""
        return {name: parameter.value for name, parameter in self.parameters.items()}

    def spec(self, values: Values) -> str:
        """The agent with these values."""
        return f"{self.agent}:" + ",".join(f"{name}={value!r}" for name, value in values.items())


def expert(game: str) -> Subject:
    """The expert of a game, as it is shipped."""
    file = expert_parameters.FOLDER / f"{game}.toml"
    return Subject("expert", expert_parameters.read(game), file.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Space:
    """The parameters that are tuned, as coordinates: each one's range is 0 … 1."""

    subject: Subject
    names: tuple[str, ...]

    def point(self) -> Vector:
        """Where the values as shipped lie."""
        found = [self.subject.parameters[name] for name in self.names]
        return np.array([(p.value - p.low) / (p.high - p.low) for p in found], np.float64)

    def spread(self, step: float, wanted: Mapping[str, float]) -> Vector:
        """Each coordinate's, in units of ``step``: 1, or as ``wanted`` by name in the parameter's own unit."""
        found = [(name, self.subject.parameters[name]) for name in self.names]
        return np.array([wanted[n] / (p.high - p.low) / step if n in wanted else 1.0 for n, p in found], np.float64)

    def values(self, point: Vector) -> Values:
        """All parameters at a point, as they can be written: rounded, whole numbers to whole ones."""
        found = self.subject.start
        for name, x in zip(self.names, point.tolist(), strict=True):
            found[name] = _value(self.subject.parameters[name], x)
        return found


def space(subject: Subject, config: TuneConfig) -> Space:
    """The space of the parameters that have a range: those of ``only``, if it names some, but none of ``fixed``.

    Raises:
        ValueError: there is no such parameter, nothing to tune, or a spread is not within the parameter's range.
    """
    known = subject.parameters
    for field, names in (("only", config.only), ("fixed", config.fixed), ("spread", list(config.spread))):
        for name in names:
            if name not in known:
                raise ValueError(f"{field}: there is no parameter {name!r}; there is {', '.join(known)}")
    asked = [name for name in known if name in (config.only or known) and name not in config.fixed]
    wide = tuple(name for name in asked if known[name].low < known[name].high)
    if not wide:
        raise ValueError("only, fixed: no parameter with a range is left to tune")
    for name, spread in config.spread.items():
        width = known[name].high - known[name].low
        if not LEAST_STEP * width <= spread <= width:
            raise ValueError(
                f"spread.{name}: {LEAST_STEP * width:g} … {width:g}, the parameter's range, not {spread:g}"
            )
    return Space(subject, wide)


def _value(parameter: Parameter, x: float) -> float:
    exact = parameter.low + x * (parameter.high - parameter.low)
    if isinstance(parameter.value, int):
        return round(exact)
    return float(min(max(float(f"{exact:.{DIGITS}g}"), parameter.low), parameter.high))


def rewritten(text: str, values: Values) -> str:
    """A parameter file with other values; all else, comments too, as it was.

    Raises:
        ValueError: a table has its value not in a line of its own.
    """
    old = tomllib.loads(text)
    lines, table = text.splitlines(keepends=True), ""
    for number, line in enumerate(lines):
        if head := _TABLE.match(line):
            table = head[1]
        elif table in values and values[table] != old[table]["value"] and (found := _VALUE.match(line)):
            lines[number] = f"{found[1]}{values[table]!r}{line[found.end() :]}"
    changed = "".join(lines)
    wanted = {name: {**entry, "value": values[name]} for name, entry in old.items()}
    if tomllib.loads(changed) != wanted:
        raise ValueError("the parameter file cannot be rewritten: each value must stand in a line of its own")
    return changed
