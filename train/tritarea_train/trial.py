"""A training run that goes on where it was left, and the final match of its agent: what exploit and study share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tritarea_agents import checkpoint
from tritarea_env.engine.rng import child, key_of

from . import about
from .config import GameConfig, TrainConfig
from .run import train

if TYPE_CHECKING:
    from rich.console import Console

FINAL_BRANCH = (1 << 32) + 4  # child of a seed's key: the seed of final matches


class Stopped(Exception):
    """Training was asked to stop before its end; ``steps`` (0: of imitation) are in the checkpoint to go on from."""

    def __init__(self, steps: int) -> None:
        super().__init__(f"stopped after {steps:,} steps")
        self.steps = steps


class Play(Protocol):
    """Plays a match, the first of two agents in every seat in turn, and gives its numbers.

    They hold ``games`` and, for each agent under ``agents``, ``even``, ``share`` and ``score`` with intervals, as
    ``tritarea_eval.match.MatchResult.as_json`` gives them.
    """

    def __call__(self, agents: list[str], game: GameConfig, games: int, seed: int) -> dict[str, Any]:
        """``agents`` are specs."""
        ...


def final_seed(seed: int) -> int:
    """The seed of final matches: its deals are neither those of a training with ``seed`` nor those of evaluations."""
    return int(child(key_of(seed), FINAL_BRANCH))


def go_on(config: TrainConfig, out: Path, console: Console | None = None) -> Path:
    """Train in ``out`` to the end, from its newest checkpoint or, if there is none yet, from the beginning.

    Returns the folder of the last checkpoint. Errors as of ``run.train``, and:

    Raises:
        Stopped: by SIGINT or SIGTERM.
    """
    saved = train(config, out, resume=about.begun(out), console=console)
    if (steps := int(meta_of(saved)["steps"])) < config.steps:
        raise Stopped(steps)
    return saved


def meta_of(folder: Path) -> dict[str, Any]:
    """All that a checkpoint of our own says of itself: ``steps``, ``digest`` and more."""
    meta: dict[str, Any] = json.loads((folder / checkpoint.META).read_text(encoding="utf-8"))
    return meta
