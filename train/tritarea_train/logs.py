"""What a run logs about its rollouts, and where stable-baselines3's logger writes it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

from tritarea_env.games import Game
from tritarea_env.tables import Tables

from . import history

LINES = "lines"  # what to exclude a value from to keep it out of ``progress.jsonl``


class Lines(KVWriter):
    """Appends what the logger dumps to ``progress.jsonl``: ``phase``, ``steps``, and the values by name."""

    def __init__(self, path: Path) -> None:
        self.path, self.phase = path, history.TRAINING

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """A line, if there is any value for it; what is not finite is null."""
        values = {
            key: _plain(value) for key, value in sorted(key_values.items()) if LINES not in (key_excluded[key] or ())
        }
        if values:
            history.append(self.path, [{"phase": self.phase, "steps": step, **values}])

    def close(self) -> None:
        """Nothing is open."""


def _plain(value: Any) -> float | int | None:
    number: float | int = value.item() if isinstance(value, np.generic) else value
    return number if math.isfinite(number) else None


def logger_of(run: Path) -> tuple[Logger, Lines]:
    """A logger that writes to TensorBoard's files and to lines, and the writer of the lines."""
    lines = Lines(run / history.PROGRESS)
    folder = str(run / history.LOG)
    return Logger(folder, [TensorBoardOutputFormat(folder), lines]), lines


class Tally:
    """What is counted from line to line of the log: the learner's actions, and the points of games that ended.

    Points by source (``game.sources``) of the learner's seat sum to its score.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.clear()

    def clear(self) -> None:
        """Count from zero."""
        self.actions = self.illegal = self.games = 0
        self.points = np.zeros(len(self.game.sources))

    def count(self, actions: NDArray[np.int64], masks: NDArray[Any], tables: Tables) -> None:
        """A step: the actions (n,) that were chosen with ``masks`` (n, A), and the tables after it."""
        self.actions += len(actions)
        self.illegal += int((masks[np.arange(len(actions)), actions] == 0).sum())
        ended = np.flatnonzero(tables.ended)
        if len(ended):
            self.games += len(ended)
            self.points += tables.final.points[ended, tables.final_seat[ended]].sum(axis=0)

    def record(self, logger: Logger) -> None:
        """Hand everything to the logger and count anew."""
        if self.actions:
            logger.record("actions/checked", self.actions)
            logger.record("actions/illegal_share", self.illegal / self.actions)
        logger.record("rollout/games", self.games)
        if self.games:
            means = self.points / self.games
            logger.record("rollout/score", means.sum())
            for source, mean in zip(self.game.sources, means, strict=True):
                logger.record(f"score_by_source/{source.replace(' ', '_')}", mean)
        self.clear()
