"""A training run that goes on where it was left, and the final match of its agent: what exploit and study share."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tritarea_agents import checkpoint
from tritarea_agents.checkpoint import CheckpointError
from tritarea_env.engine.rng import child, key_of

from .config import GameConfig, TrainConfig
from .run import LOG, train

if TYPE_CHECKING:
    from rich.console import Console

FINAL_BRANCH = (1 << 32) + 4  # child of a seed's key: the seed of final matches


class Stopped(Exception):
    """Training was asked to stop before its end; ``steps`` are in the checkpoint that it goes on from (0: none)."""

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


def has_checkpoint(out: Path) -> bool:
    """Whether a run's folder holds a checkpoint to go on from."""
    try:
        checkpoint.find(out)
    except CheckpointError:
        return False
    return True


def go_on(config: TrainConfig, out: Path, console: Console | None = None) -> Path:
    """Train in ``out`` to the end, from its newest checkpoint or, if there is none yet, from the beginning.

    Returns the folder of the last checkpoint. Errors as of ``run.train``, and:

    Raises:
        Stopped: by SIGINT or SIGTERM.
    """
    begun = has_checkpoint(out)
    if not begun:  # killed before its first checkpoint: what it wrote would stand twice
        for part in (LOG, checkpoint.CHECKPOINTS):
            shutil.rmtree(out / part, ignore_errors=True)
    try:
        saved = train(config, out, resume=begun, console=console)
    except KeyboardInterrupt as error:  # before the first checkpoint
        raise Stopped(0) from error
    if steps_of(saved) < config.steps:
        raise Stopped(steps_of(saved))
    return saved


def steps_of(folder: Path) -> int:
    """After how many steps a checkpoint was written."""
    return int(json.loads((folder / checkpoint.META).read_text(encoding="utf-8"))["steps"])
