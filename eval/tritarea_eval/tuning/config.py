"""What a tuning run is, as data: read from YAML like a training run's config, with errors that name the field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from tritarea_env import games
from tritarea_train.config import Number, Part, Weight, load_as

INCUMBENT, START = "incumbent", "start"  # opponents: the agent at the generation's mean, at the values it began with
MOST = 1_000_000  # of games, generations and weights: more than any run has, and nothing overflows
LEAST_STEP = 0.0001  # of the first candidates' spread, in ranges of a parameter

BoundedWeight = Annotated[Weight, Field(le=MOST)]


class ObjectiveConfig(Part):
    """What a candidate is worth at a table."""

    share: BoundedWeight = 1.0  # of its share of the wins over an even one, less 1
    score: BoundedWeight = 0.0  # of a point by which its mean score is above the others'

    @model_validator(mode="after")
    def _some(self) -> ObjectiveConfig:
        if self.share + self.score <= 0:
            raise ValueError("share or score must be above 0")
        return self


class CheckConfig(Part):
    """Matches of the mean in one seat against the starting values in all others, on the same deals every time."""

    every: int = Field(default=10, ge=1, le=MOST)  # generations; the last one is always checked
    games: int = Field(default=4000, ge=2, le=MOST)  # at each table


class TuneConfig(Part):
    """A tuning run. ``games`` is what each candidate plays in a generation at each table, over all opponents."""

    game: str = "tritarea"
    tables: list[dict[str, Any]] = Field(default=[{}], min_length=1)  # the game's options at each
    seed: int = Field(default=0, ge=0, lt=1 << 64)
    generations: int = Field(default=30, ge=1, le=MOST)
    population: int = Field(default=48, ge=4, le=10_000)
    games: int = Field(default=600, ge=1, le=MOST)
    step: Number = Field(default=0.2, ge=LEAST_STEP, le=1)  # the first candidates' spread, in ranges of a parameter
    spread: dict[str, Annotated[Number, Field(gt=0)]] = Field(default={})  # the same by name, in its own unit
    opponents: dict[str, BoundedWeight] = Field(
        default={INCUMBENT: 1.0, "greedy": 1.0}
    )  # or start, or any agent's spec
    objective: ObjectiveConfig = ObjectiveConfig()
    only: list[str] = Field(default=[])  # parameters to tune; none: all
    fixed: list[str] = Field(default=[])  # but not these: what costs time, as numbers of samples, only grows
    check: CheckConfig = CheckConfig()
    workers: int = Field(default=2, ge=1, le=256)  # threads; the result does not depend on them

    @field_validator("game")
    @classmethod
    def _a_game(cls, name: str) -> str:
        return games.get(name).name

    @model_validator(mode="after")
    def _known(self) -> TuneConfig:
        game = games.get(self.game)
        for number, options in enumerate(self.tables):
            try:
                players = len(game.agents(game.check_options(options)))
            except ValueError as error:
                raise ValueError(f"tables.{number}: {error}") from error
            if players < 2:
                raise ValueError(f"tables.{number}: a player alone meets no opponent")
        if sum(self.opponents.values()) <= 0:
            raise ValueError("opponents: at least one weight must be above 0")
        return self


def load(path: str | Path, overrides: Mapping[str, Any]) -> TuneConfig:
    """Read a YAML file; ``overrides`` by dotted field name win over it.

    Raises:
        ConfigError: names the file and the field.
    """
    return load_as(TuneConfig, path, overrides)
