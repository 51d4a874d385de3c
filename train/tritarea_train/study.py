"""A study: a grid of configs times seeds, each a training run that ends in matches on the same deals.

A study's folder holds ``study.yaml`` (what it was begun with), ``runs/VARIANT/seed-N`` (the runs, as training makes
them) and ``results/VARIANT/seed-N.json`` (their matches, written whole when a run is done). A study goes on from what
is there: each run from its newest checkpoint, those that are done not at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import yaml
from pydantic import ConfigDict, Field, field_validator

from tritarea_env import games
from tritarea_env.records import replacing
from tritarea_env.views import find_agent

from .config import ConfigError, Part, TrainConfig, flat, load_as, make
from .run import check as check_run
from .trial import Play, final_seed, go_on, meta_of

STUDY, RUNS, RESULTS = "study.yaml", "runs", "results"
MOST_DIFFERENCES = 3  # told of a study that changed

Overrides = dict[str, Any]  # by dotted field name
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][\w.+-]*$", max_length=100)]  # of a folder
Seed = Annotated[int, Field(ge=0, lt=1 << 64)]


class MatchesConfig(Part):
    """What every run ends in: its last checkpoint in one seat, in turn, against each of these in all others."""

    against: list[str] = Field(default=["random", "greedy"], min_length=1)  # specs
    games: int = Field(default=2000, ge=2)  # against each; rounded up to whole deals
    seed: Seed = 0  # of the deals, the same for all runs


class StudyConfig(Part):
    """A study. A run's config is ``base`` with ``overrides``, then its variant's, and its seed."""

    base: str | dict[str, Any]  # a training config: its file, seen from the study's, or its fields
    overrides: Overrides = Field(default={})  # for all variants
    variants: dict[Name, Overrides] = Field(min_length=1)
    seeds: list[Seed] = Field(min_length=1)
    matches: MatchesConfig = MatchesConfig()

    @field_validator("seeds")
    @classmethod
    def _different(cls, seeds: list[int]) -> list[int]:
        if len(set(seeds)) < len(seeds):
            raise ValueError("a seed is given twice")
        return seeds


class _Fields(Part):
    """Any fields: a base is checked when it is whole, with its overrides."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Run(NamedTuple):
    """One run of a study."""

    variant: str
    seed: int
    config: TrainConfig

    @property
    def name(self) -> str:
        """Of its folder."""
        return f"{self.variant}/seed-{self.seed}"

    def folder(self, out: Path) -> Path:
        """Where it trains."""
        return out / RUNS / self.variant / f"seed-{self.seed}"

    def result(self, out: Path) -> Path:
        """The file that is there when it is done."""
        return self._beside(out, "json")

    def log(self, out: Path) -> Path:
        """What its process says on stderr."""
        return self._beside(out, "log")

    def _beside(self, out: Path, suffix: str) -> Path:
        return out / RESULTS / self.variant / f"seed-{self.seed}.{suffix}"


class Study(NamedTuple):
    """A study's config, its base written out, and its runs: every seed of the first variant, then of the next."""

    config: StudyConfig
    runs: tuple[Run, ...]

    def run(self, name: str) -> Run:
        """Raises ConfigError if no run has this name."""
        for run in self.runs:
            if run.name == name:
                return run
        raise ConfigError(f"the study has no run {name!r}; it has {', '.join(run.name for run in self.runs)}")

    def finished(self, out: Path) -> list[Run]:
        """Those that are done."""
        return [run for run in self.runs if run.result(out).is_file()]


# ----------------------------------------------------------------------------------------------- what it is


def load(path: Path) -> Study:
    """The study in a YAML file.

    Raises:
        ConfigError: names the file, where it helps the variant, and the field.
    """
    config = load_as(StudyConfig, path, {})
    if isinstance(config.base, str):
        base = load_as(_Fields, path.parent / config.base, {}).model_extra
        config = config.model_copy(update={"base": base})
    runs = tuple(
        Run(variant, seed, _config(config, variant, seed, str(path)))
        for variant in config.variants
        for seed in config.seeds
    )
    return Study(config, runs)


def _config(config: StudyConfig, variant: str, seed: int, path: str) -> TrainConfig:
    assert isinstance(config.base, dict)
    overrides = {**config.overrides, **config.variants[variant], "seed": seed}
    found = make(config.base, overrides, f"{path}: variants.{variant}")
    # as many threads as there happen to be: then results would hang on the machine
    return found if found.threads else found.model_copy(update={"threads": 1})


def check(study: Study) -> None:
    """Raises ConfigError for agents that are not there, before anything is begun."""
    for run in {run.variant: run for run in study.runs}.values():
        try:
            check_run(run.config)
        except ConfigError as error:
            raise ConfigError(f"variants.{run.variant}: {error}") from error
        game = games.get(run.config.game.name)
        options = game.check_options(run.config.game.options)
        for spec in study.config.matches.against:
            try:
                find_agent(spec, game, options)
            except ValueError as error:
                raise ConfigError(f"matches.against: {error}") from error


def begin(study: Study, out: Path) -> None:
    """Write ``study.yaml``, or see that the one there says the same.

    Raises:
        ConfigError: ``out`` holds another study; tells the difference.
    """
    path = out / STUDY
    if path.is_file():
        differences = _differences(load(path), study)
        told = list(islice(differences, MOST_DIFFERENCES))
        if told:
            more = f"; and {n} more" if (n := sum(1 for _ in differences)) else ""
            raise ConfigError(f"{out} was begun with {'; '.join(told)}{more}: change it back or use another folder")
        return
    out.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        yaml.safe_dump(study.config.model_dump(), file, sort_keys=False)


def _differences(begun: Study, now: Study) -> Iterator[str]:
    before, after = ({run.name: run.config.model_dump() for run in study.runs} for study in (begun, now))
    yield from (f"the run {name}, which is not there now" for name in before if name not in after)
    yield from (f"no run {name}" for name in after if name not in before)
    pairs = [("matches", begun.config.matches.model_dump(), now.config.matches.model_dump())]
    pairs += [(name, before[name], after[name]) for name in before if name in after]
    told = set()
    for where, old, new in pairs:
        a, b = flat(old), flat(new)
        for field in {**a, **b}:
            change = f"{field} {a.get(field)}, not {b.get(field)}"
            if a.get(field) != b.get(field) and change not in told:
                told.add(change)  # the runs after this one may tell the same
                yield f"{where}: {change}"


# ------------------------------------------------------------------------------------------------- one run


def perform(study: Study, run: Run, out: Path, play: Play) -> None:
    """Train a run of the study in ``out`` to its end, play its matches, and write its result; none if it is done.

    Raises:
        CheckpointError: another process is doing this run.
        Stopped: by SIGINT or SIGTERM while training.
    """
    path = run.result(out)
    if path.is_file():
        return
    saved = go_on(run.config, run.folder(out))
    matches = study.config.matches
    rows = [_row(spec, play, saved, run.config, matches) for spec in matches.against]
    head = {"variant": run.variant, "seed": run.seed, **{key: meta_of(saved)[key] for key in ("steps", "digest")}}
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(json.dumps({**head, "matches": rows}, indent=1, allow_nan=False) + "\n")


def _row(against: str, play: Play, saved: Path, config: TrainConfig, matches: MatchesConfig) -> dict[str, Any]:
    played = play([str(saved), against], config.game, matches.games, final_seed(matches.seed))
    own, other = played["agents"]
    numbers = {name: own[name] for name in ("even", "share", "score")}
    return {"against": against, "games": played["games"], **numbers, "their_score": other["score"]}


def read_result(run: Run, out: Path) -> dict[str, Any]:
    """What a finished run came to."""
    found: dict[str, Any] = json.loads(run.result(out).read_text(encoding="utf-8"))
    return found
