"""What a tournament is, as data: read from YAML like a training run's config, with errors that name the field."""

from __future__ import annotations

import reprlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BeforeValidator, Field, field_validator, model_validator

from tritarea_env import games
from tritarea_env.games import Game
from tritarea_env.views import find_agent
from tritarea_train.config import ConfigError, Number, Part, load_as

MOST_AGENTS = 64
MOST_DEALS = 100_000_000
NPC = "npc"  # how reports call the holder of the seats that no player has


def _named(value: Any) -> Any:
    """A list of specs stands for agents named as their specs."""
    if not isinstance(value, list):
        return value
    strange = [spec for spec in value if not isinstance(spec, str)]
    if strange:
        raise ValueError(f"{{name: spec, …}} or a list of specs, and {strange[0]!r} is none")
    twice = [spec for spec, times in Counter(value).items() if times > 1]
    if twice:
        raise ValueError(f"{twice[0]!r} is given twice: give names, as {{first: {twice[0]}, second: {twice[0]}}}")
    return {spec: spec for spec in value}


def _all_or_number(value: Any) -> Any:
    if value != "all" and (isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_DEALS):
        raise ValueError(f"all, or a whole number in 1 … {MOST_DEALS:,}, not {reprlib.repr(value)}")
    return value


Name = Annotated[str, Field(min_length=1, max_length=100)]
Spec = Annotated[str, Field(min_length=1, max_length=1000)]
Agents = Annotated[dict[Name, Spec], BeforeValidator(_named), Field(min_length=1, max_length=MOST_AGENTS)]
Tables = Annotated[int | Literal["all"], BeforeValidator(_all_or_number)]
Quantity = Literal["lead", "score", "rating"]  # share of the win at the same tables, score at them, Elo-like rating
Chance = Annotated[Number, Field(gt=0, lt=0.5)]


class GameConfig(Part):
    """The game, and its options off their defaults."""

    name: str = "tritarea"
    options: dict[str, Any] = Field(default={})

    @model_validator(mode="after")
    def _known(self) -> GameConfig:
        if self.players < 2:
            raise ValueError("options.players is at least 2: a player alone meets no opponent")
        return self

    @property
    def game(self) -> Game:
        """The game's definition."""
        return games.get(self.name)

    @property
    def checked(self) -> dict[str, Any]:
        """All options, defaults filled in."""
        return self.game.check_options(self.options)

    @property
    def players(self) -> int:
        """How many players sit at a table."""
        return len(self.game.agents(self.checked))


class LadderConfig(Part):
    """Format ``ladder``: a new agent against a frozen pool, all the others."""

    new: str  # by name
    # mixed: beside different agents of the pool; alone: against one of the pool in all other seats
    against: Literal["mixed", "alone"] = "mixed"


class LimitsConfig(Part):
    """What a program that plays (``exec:``) may use; beyond it, it has failed."""

    seconds: Number = Field(default=5.0, ge=0.001, le=86_400)  # for a decision
    start_seconds: Number = Field(default=30.0, ge=0.001, le=86_400)  # from its start to its readiness
    memory_mb: int = Field(default=1024, ge=16, le=1 << 20)


class Compared(Part):
    """Two agents, by name; what is looked at is the first one's value less the second one's."""

    between: list[str] = Field(min_length=2, max_length=2)

    @field_validator("between")
    @classmethod
    def _different(cls, names: list[str]) -> list[str]:
        if names[0] == names[1]:
            raise ValueError(f"two agents, not {names[0]!r} twice")
        return names


class WidthConfig(Compared):
    """Stop when the 95% interval of a difference is narrow."""

    of: Quantity = "lead"
    below: Number = Field(gt=0)  # the interval's width, from its low to its high end


class SprtConfig(Compared):
    """Stop when a sequential test has decided between two values of the difference in share of the win (``lead``)."""

    low: Number = Field(default=0.0, ge=-1, le=1)
    high: Number = Field(default=0.05, ge=-1, le=1)
    alpha: Chance = 0.05  # the chance to decide for high where low is the truth
    beta: Chance = 0.05  # and for low where high is

    @model_validator(mode="after")
    def _in_order(self) -> SprtConfig:
        if self.low >= self.high:
            raise ValueError(f"low {self.low} is not below high {self.high}")
        return self


class StopConfig(Part):
    """A rule that ends the tournament before its last deal; looked at after every wave."""

    width: WidthConfig | None = None
    sprt: SprtConfig | None = None

    @model_validator(mode="after")
    def _one(self) -> StopConfig:
        if (self.width is None) == (self.sprt is None):
            raise ValueError("give one of width and sprt")
        return self

    @property
    def rule(self) -> WidthConfig | SprtConfig:
        """The one that is given."""
        rule = self.width or self.sprt
        assert rule is not None
        return rule


class TournamentConfig(Part):
    """A tournament. Its schedule, and so its results, depend on nothing else."""

    game: GameConfig = GameConfig()
    seed: int = Field(default=0, ge=0, lt=1 << 64)
    agents: Agents  # name: spec; or a list of specs, each its own name
    format: Literal["round_robin", "one_vs_rest", "ladder", "self"] = "round_robin"
    ladder: LadderConfig | None = None  # for that format
    tables: Literal["balanced", "all"] = "balanced"  # all: every table that there is, in every order around it
    seating: Literal["rotations", "permutations"] = "rotations"  # in which a table plays its deal
    deals: int = Field(default=500, ge=1, le=MOST_DEALS)  # rounded up to whole cycles of the tables
    tables_per_deal: Tables = 1  # how many tables play the same deal; all: a whole cycle of them
    # of a seat whose agent failed, which goes on at random: last, or what it comes to by its random play
    failure: Literal["random_last", "random_as_played"] = "random_last"
    limits: LimitsConfig = LimitsConfig()
    bootstrap: int = Field(default=1000, ge=100, le=100_000)  # resamples of the deals for every interval
    stop: StopConfig | None = None  # null: all deals are played
    wave: int = Field(default=500, ge=1, le=MOST_DEALS)  # tables between two looks; rounded up to whole cycles

    @field_validator("agents")
    @classmethod
    def _good_names(cls, agents: dict[str, str]) -> dict[str, str]:
        for name in agents:
            if name == NPC or not name.isprintable() or name != name.strip():
                raise ValueError(f"an agent's name is printable, without blanks around it, and not {NPC!r}: {name!r}")
        return agents

    @model_validator(mode="after")
    def _fits(self) -> TournamentConfig:
        if (self.ladder is not None) != (self.format == "ladder"):
            raise ValueError("ladder: goes with format ladder, and with no other")
        named = [("ladder.new", self.ladder.new)] if self.ladder else []
        if self.stop is not None:
            kind = "width" if self.stop.width else "sprt"
            named += [(f"stop.{kind}.between", name) for name in self.stop.rule.between]
        for field, name in named:
            if name not in self.agents:
                raise ValueError(f"{field}: no agent is named {name!r}; there is {', '.join(self.agents)}")
        if len(self.agents) < self.least_agents:
            raise ValueError(
                f"agents: {self.format} at tables of {self.game.players} takes at least {self.least_agents}, "
                f"not {len(self.agents)}; one_vs_rest and a ladder against alone take 2"
            )
        return self

    @property
    def least_agents(self) -> int:
        """How many agents the format needs."""
        if self.format == "self":
            return 1
        alone = self.ladder is not None and self.ladder.against == "alone"
        return 2 if alone or self.format == "one_vs_rest" else self.game.players

    @property
    def names(self) -> list[str]:
        """Of the agents, in the order of their numbers."""
        return list(self.agents)

    def to_yaml(self) -> str:
        """All fields, defaults included, as a file that ``load`` reads."""
        text: str = yaml.safe_dump(self.model_dump(), sort_keys=False, allow_unicode=True)
        return text


def load(path: str | Path, overrides: Mapping[str, Any]) -> TournamentConfig:
    """Read a YAML file; ``overrides`` by dotted field name win over it.

    Raises:
        ConfigError: names the file and the field.
    """
    return load_as(TournamentConfig, path, overrides)


def check(config: TournamentConfig) -> None:
    """Look the agents up. Raises ConfigError, naming the field, for one that is not there or does not fit the game."""
    options = config.game.checked
    specs = [(f"agents.{name}", spec) for name, spec in config.agents.items()]
    if "npc" in options:
        specs.append(("game.options.npc", options["npc"]))
    for field, spec in specs:
        try:
            find_agent(spec, config.game.game, options)
        except ValueError as error:
            raise ConfigError(f"{field}: {error}") from error
