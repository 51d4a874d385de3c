"""What a training run is, as data: read from YAML, checked, with errors that name the field."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from tritarea_env import games

from .symmetry import frames_of

MOST_BYTES = 100_000  # of a config's file
MOST_TOLD = 300  # characters of one error, and at most so many errors:
MOST_ERRORS = 5
MOST_LAYERS, MOST_UNITS = 16, 1 << 16  # as checkpoints allow; those need torch, a config does not


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"a number, not {value}")
    return value


# ``1e-4`` is a text to YAML, so a number may come as one.
Number = Annotated[float, BeforeValidator(_no_bool), Field(strict=False, allow_inf_nan=False)]
Weight = Annotated[Number, Field(ge=0)]
SETTLED_REWARD = "settled_delta"  # ``score_delta`` of the scores as if the round were settled at every moment
Size = Annotated[int, Field(ge=1, le=MOST_UNITS)]


class ConfigError(ValueError):
    """A config that cannot be used; names the field."""


class Part(BaseModel):
    """A part of a config: it knows its fields, and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


P = TypeVar("P", bound=Part)


class ToOutcome(Part):
    """When the reward turns into ``outcome``: not yet up to ``start``, wholly from ``end`` on, linearly between."""

    start: Number = Field(default=0.4, ge=0, le=1)  # both are shares of the run's ``steps``
    end: Number = Field(default=0.8, gt=0, le=1)

    @model_validator(mode="after")
    def _in_order(self) -> ToOutcome:
        if self.end < self.start:
            raise ValueError(f"end {self.end} lies before start {self.start}")
        return self


class GameConfig(Part):
    """The game, and its options off their defaults."""

    name: str = "tritarea"
    options: dict[str, Any] = {}
    reward: str = SETTLED_REWARD
    to_outcome: ToOutcome | None = None  # null: the reward is the same throughout the run

    @model_validator(mode="after")
    def _known(self) -> GameConfig:
        game = games.get(self.name)
        game.check_options(self.options)
        rewards = (*game.rewards, SETTLED_REWARD)
        if self.reward not in rewards:
            raise ValueError(f"reward is one of {', '.join(rewards)}, not {self.reward!r}")
        if self.to_outcome is not None and self.reward == "outcome":
            raise ValueError("to_outcome is for another reward: this one is outcome from the start")
        return self


class NetConfig(Part):
    """Sizes of the hidden layers: those that policy and value share, then each one's own."""

    # cards_board: beside the layers, suits and squares (TriATri: colours) share weights and speak for their own actions
    kind: Literal["mlp", "cards_board"] = "mlp"
    items: Size = 256  # cards_board: units for each set of items, shared out among them; mlp: not used
    # oracle: in training, the value net also sees what no seat may see; the agent made of it has no value for search
    critic: Literal["own", "oracle"] = "own"
    shared: list[Size] = [256]
    policy: list[Size] = [256]
    value: list[Size] = [256]
    activation: Literal["relu", "tanh"] = "relu"

    @model_validator(mode="after")
    def _not_too_deep(self) -> NetConfig:
        layers = len(self.shared) + len(self.policy) + len(self.value)
        if layers > MOST_LAYERS:
            raise ValueError(f"shared, policy and value have at most {MOST_LAYERS} layers together, not {layers}")
        return self


class PpoConfig(Part):
    """PPO (Schulman et al. 2017), in stable-baselines3's terms; ``n_steps`` counts decisions of each game's learner."""

    n_steps: int = Field(default=16, ge=1)
    batch_size: int = Field(default=1024, ge=2)
    n_epochs: int = Field(default=4, ge=1)
    learning_rate: Number = Field(default=3e-4, gt=0, lt=1)
    schedule: Literal["constant", "linear"] = "linear"  # linear: down to 0 at the last step
    gamma: Number = Field(default=1.0, gt=0, le=1)
    gae_lambda: Number = Field(default=0.8, ge=0, le=1)
    clip: Number = Field(default=0.2, gt=0, lt=1)
    ent_coef: Weight = 0.0
    vf_coef: Weight = 2.0
    max_grad_norm: Number = Field(default=0.5, gt=0)


class OpponentsConfig(Part):
    """Who plays the other seats. A game draws one member of the league for all of them.

    The weights divide the games between the current net, its snapshots together, and each agent. ``rule`` says how
    the part of the snapshots is divided: ``uniform``, evenly; ``latest``, all of it to the newest; ``pfsp``, as
    ``uniform``, but then the parts of all snapshots and agents are changed in proportion to how the learner
    fares against each (see ``prioritised``).
    """

    current: Weight = 0.4
    snapshots: Weight = 0.2  # none yet: the current net gets their part, too
    agents: dict[str, Weight] = {"greedy": 0.4}  # by spec; a run's folder is one
    rule: Literal["uniform", "latest", "pfsp"] = "uniform"
    pfsp: Literal["hard", "even"] = "hard"  # who is met most: those who beat the learner, or its equals
    pfsp_power: Number = Field(default=2.0, gt=0, le=10)  # of hard: the greater, the more the hardest ones are met
    play: Literal["sample", "mode"] = "sample"  # current net and snapshots draw from their policy, or take its mode
    pool: int = Field(default=5, ge=1, le=1000)  # snapshots kept
    snapshot_every: int = Field(default=100_000, ge=1)  # steps

    @model_validator(mode="after")
    def _some(self) -> OpponentsConfig:
        if self.current + self.snapshots + sum(self.agents.values()) <= 0:
            raise ValueError("at least one weight must be above 0")
        return self


class ImitationConfig(Part):
    """A start by imitation of an agent, before PPO; its decisions are not among the run's ``steps``."""

    agent: str = "greedy"
    steps: int = Field(default=0, ge=0)  # 0: from scratch
    n_epochs: int = Field(default=2, ge=1)
    learning_rate: Number = Field(default=1e-3, gt=0, lt=1)  # at the start; it falls to 0 at the end


class EvaluationConfig(Part):
    """Matches of the agent as it is, on the same deals every time, and the checkpoint written with them."""

    every: int = Field(default=250_000, ge=1)  # steps
    games: int = Field(default=200, ge=1)  # against each; rounded up to whole deals, one game for every seat
    against: list[str] = ["random", "greedy"]
    best: str | None = None  # which of ``against`` says how good the net kept in ``best/`` is; None: the last of them

    @model_validator(mode="after")
    def _best_is_played(self) -> EvaluationConfig:
        if self.best is not None and self.best not in self.against:
            raise ValueError(f"best is one of against, {self.against}, not {self.best!r}")
        return self

    def yardstick(self) -> str | None:
        """The opponent by which the best net is known; None without opponents."""
        return self.best or (self.against[-1] if self.against else None)


class TrainConfig(Part):
    """A training run. ``steps`` counts the learner's decisions, rounded up to whole rollouts."""

    game: GameConfig = GameConfig()
    seed: int = Field(default=0, ge=0, lt=1 << 64)
    steps: int = Field(default=1_000_000, ge=1)
    n_games: int = Field(default=512, ge=1, le=1_000_000)
    net: NetConfig = NetConfig()
    augment: bool = False  # show each game in one of the relabellings under which it stays the same game
    ppo: PpoConfig = PpoConfig()
    imitation: ImitationConfig = ImitationConfig()
    opponents: OpponentsConfig = OpponentsConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    threads: int = Field(default=0, ge=0, le=1024)  # of torch; 0: OMP_NUM_THREADS, or as many as this process may use
    device: str = Field(default="cpu", pattern=r"^(auto|cpu|cuda(:\d+)?|mps)$")

    @model_validator(mode="after")
    def _has_symmetry(self) -> TrainConfig:
        game = games.get(self.game.name)
        if self.augment and len(frames_of(game, game.check_options(self.game.options)).actions) == 1:
            raise ValueError(
                f"augment is false where no relabelling keeps the game: {game.title} on this board has none"
            )
        return self

    @model_validator(mode="after")
    def _whole_batches(self) -> TrainConfig:
        rollout = self.n_games * self.ppo.n_steps
        if rollout % self.ppo.batch_size:
            raise ValueError(
                f"ppo.batch_size {self.ppo.batch_size} does not divide a rollout of "
                f"n_games {self.n_games} * ppo.n_steps {self.ppo.n_steps} = {rollout} decisions"
            )
        return self

    def to_yaml(self) -> str:
        """All fields, defaults included, as a file that ``load`` reads."""
        text: str = yaml.safe_dump(self.model_dump(), sort_keys=False)
        return text


class _Loader(yaml.SafeLoader):
    """Without aliases, with which a short text can stand for more data than any memory holds; no key twice."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("a config has no aliases (*name)")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """A mapping, each key once: of two the first would go unnoticed."""
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        keys = [key.value for key, _ in pairs if isinstance(key, yaml.ScalarNode)]
        twice = next((key for place, key in enumerate(keys) if key in keys[:place]), None)
        if twice is not None:
            raise yaml.YAMLError(f"{twice!r} is given twice in one mapping (line {node.start_mark.line + 1})")
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def load(path: str | Path, overrides: Mapping[str, Any]) -> TrainConfig:
    """Read a YAML file; ``overrides`` by dotted field name win over it.

    Raises:
        ConfigError: names the file and the field.
    """
    return load_as(TrainConfig, path, overrides)


def load_as(kind: type[P], path: str | Path, overrides: Mapping[str, Any]) -> P:
    """``load`` for a config of any kind."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise ConfigError(f"{path}: a config has at most {MOST_BYTES:,} bytes")
        content = yaml.load(text.decode(), _Loader)
    except ConfigError:
        raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not YAML: {_short(' '.join(str(error).split()))}") from error
    if content is not None and not isinstance(content, dict):
        raise ConfigError(f"{path}: a config is a mapping of fields, not {type(content).__name__}")
    return make_as(kind, content or {}, overrides, str(path))


def make(content: Mapping[str, Any], overrides: Mapping[str, Any], source: str) -> TrainConfig:
    """A config from plain data; ``source`` is named in errors.

    Raises:
        ConfigError: names the source and the field.
    """
    return make_as(TrainConfig, content, overrides, source)


def make_as(kind: type[P], content: Mapping[str, Any], overrides: Mapping[str, Any], source: str) -> P:
    """``make`` for a config of any kind."""
    merged = dict(content)
    for name, value in overrides.items():
        *parts, last = name.split(".")
        place = merged
        for part in parts:
            inner = place.get(part, {})
            place[part] = dict(inner) if isinstance(inner, Mapping) else {}
            place = place[part]
        place[last] = value
    try:
        return kind.model_validate(merged)
    except ValidationError as error:
        told = [f"{source}: {_short(_told(one))}" for one in error.errors()[:MOST_ERRORS]]
        raise ConfigError("; ".join(told)) from error


def _told(one: Any) -> str:
    field = ".".join(map(str, one["loc"]))
    reason = str(one["msg"]).removeprefix("Value error, ")
    if one["type"] == "extra_forbidden":
        reason = "there is no such field"
    elif one["type"] != "value_error":
        reason = f"{reason}, not {reprlib.repr(one['input'])}"
    return f"{field}: {reason}" if field else reason


def _short(text: str) -> str:
    return text if len(text) <= MOST_TOLD else text[:MOST_TOLD] + " …"
