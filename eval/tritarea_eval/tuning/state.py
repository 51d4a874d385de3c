"""What the files of a tuning run's folder hold, checked when they are read: they may have been edited or damaged."""

from __future__ import annotations

import json
import reprlib
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from tritarea_train.config import ConfigError, Part, make_as

from .strategy import SMALLEST

MOST = 1e30  # of a number; no run comes near it, and sums of squares stay finite

Finite = Annotated[float, Field(ge=-MOST, le=MOST, allow_inf_nan=False)]
Values = dict[str, Finite]


class StrategyState(Part):
    """``strategy.Strategy`` as JSON."""

    generation: int = Field(ge=0)
    mean: list[Annotated[float, Field(ge=0, le=1)]]
    step: float = Field(ge=SMALLEST, le=1)
    variance: list[Annotated[Finite, Field(ge=SMALLEST)]]
    path_step: list[Finite]
    path_variance: list[Finite]


class GenerationState(Part):
    """A row of the history."""

    generation: int = Field(ge=1)
    best: Finite
    mean: Finite
    step: Finite
    values: Values


class RunState(Part):
    """``state.json``; what it was begun with is compared with what the run would begin with now."""

    format: int
    agent: str
    parameters: list[Annotated[list[Any], Field(min_length=1)]]
    config: dict[str, Any]
    strategy: StrategyState
    history: list[GenerationState]


class EstimateState(Part):
    """``interval.Estimate`` as JSON."""

    mean: Finite
    low: Finite | None
    high: Finite | None


class TableState(Part):
    """A check's result at a table."""

    options: dict[str, Any]
    even: Finite
    share: EstimateState
    score: EstimateState
    start_score: EstimateState
    worth: Finite


class CheckState(Part):
    """A check; ``checks.json`` has them by generation."""

    values: Values
    worth: Finite
    tables: list[TableState] = Field(min_length=1)


def read_state(path: Path) -> dict[str, Any]:
    """``state.json``.

    Raises:
        ConfigError: names the file, the field, and what would be right.
    """
    content = _read(path)
    make_as(RunState, content, {}, str(path))
    rows, generation = [row["generation"] for row in content["history"]], content["strategy"]["generation"]
    if len(rows) != generation or rows != list(range(1, len(rows) + 1)):
        raise ConfigError(
            f"{path}: history: a row for each generation from 1 to strategy.generation {generation}, "
            f"not {len(rows)} rows for {reprlib.repr(rows)}"
        )
    return content


def check_lengths(state: dict[str, Any], coordinates: int, path: Path) -> None:
    """Raises ConfigError if a list of the strategy has not a number for each parameter that is tuned."""
    for name, numbers in state["strategy"].items():
        if isinstance(numbers, list) and len(numbers) != coordinates:
            raise ConfigError(
                f"{path}: strategy.{name}: {coordinates} numbers, one for each parameter tuned, not {len(numbers)}"
            )


def read_checks(path: Path) -> dict[str, Any]:
    """``checks.json``; nothing if there is no such file.

    Raises:
        ConfigError: names the file, the field, and what would be right.
    """
    if not path.exists():
        return {}
    try:
        checks = _read(path)
        for number, check in checks.items():
            make_as(CheckState, _mapping(check, f"{path}: {number}"), {}, f"{path}: {number}")
    except ConfigError as error:
        raise ConfigError(f"{error} (without this file, checks are played anew)") from error
    return checks


def _read(path: Path) -> dict[str, Any]:
    try:
        return _mapping(json.loads(path.read_text(encoding="utf-8")), str(path))
    except ConfigError:
        raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {error}") from error


def _mapping(found: Any, what: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ConfigError(f"{what}: an object with named fields, not {type(found).__name__}")
    return found
