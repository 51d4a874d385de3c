"""What happens around the rollouts of a run: snapshots, evaluation, checkpoints, logs, progress, stopping."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from tritarea_agents.policy import Parameters, PolicyAgent

from . import checkpoints, history
from .config import TrainConfig
from .evaluation import Result, evaluate
from .history import SPEED, TRAINED
from .imitation import imitate
from .logs import LINES, Tally, logger_of
from .model import Learner


class _Interrupted(Exception):
    """An evaluation was broken off."""


class Driver(BaseCallback):
    """Follows a run of MaskablePPO, which must be told not to write its log itself; enter it for the progress bar.

    Everything that must survive a stop happens between two rollouts, where the run's state is whole: first the line of
    the log, then the checkpoint, then the evaluation. A run that goes on from that checkpoint evaluates again.

    Args:
        progress: up to which steps snapshots (``done``) and evaluations (``evaluated``) were made, and decisions
            imitated (``imitated``), when the checkpoint of a resumed run was saved.
        stop: ends the run at the next rollout when set.
    """

    def __init__(
        self,
        config: TrainConfig,
        run: Path,
        learner: Learner,
        progress: dict[str, int],
        stop: threading.Event,
        console: Console | None,
    ) -> None:
        super().__init__()
        self.config, self.run, self.learner, self.stop = config, run, learner, stop
        self.done = progress.get("done", 0)
        self.evaluated = progress.get("evaluated", 0)
        self.imitated = progress.get("imitated", 0)
        self.logged = int(learner.model.num_timesteps)
        self.stopped = False
        self.saved: Path | None = None
        self._trained = self._cut_logs()
        self._begun = time.perf_counter()
        self._lap = (self._begun, 0)
        self._tally = Tally(learner.env.batch.game)
        logger, self._lines = logger_of(run)
        learner.model.set_logger(logger)
        self._bar = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} decisions"),
            TextColumn("{task.fields[speed]}/s"),
            TextColumn("wins {task.fields[share]}"),
            TimeRemainingColumn(),
            console=console,
            disable=console is None,
            refresh_per_second=2,
        )
        self._task = self._bar.add_task(
            "training", total=config.steps, completed=learner.model.num_timesteps, speed="-", share="-"
        )

    def __enter__(self) -> Driver:
        self._bar.start()
        self._say(f"{torch.get_num_threads()} torch threads, {self.learner.model.device}")
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()
        self.learner.model.logger.close()

    def _cut_logs(self) -> float:
        """Cut the logs back to where the run stands; the seconds that it has trained up to there."""
        (self.run / history.LOG).mkdir(parents=True, exist_ok=True)
        at = {history.IMITATION: self.imitated, history.TRAINING: self.logged}
        rows = history.cut(self.run / history.PROGRESS, lambda row: row["steps"] <= at.get(str(row.get("phase")), -1))
        history.cut(self.run / history.EVALUATION, lambda row: row["steps"] <= self.evaluated)
        seconds = rows[-1].get(TRAINED) if rows else 0.0
        return float(seconds) if isinstance(seconds, int | float) else 0.0

    def _say(self, text: str) -> None:
        if not self._bar.disable:
            self._bar.console.print(text, highlight=False, soft_wrap=True)

    def imitate(self) -> bool:
        """The start by imitation, or what is left of it, if the config asks for one; False if it was stopped."""
        config = self.config.imitation
        if self.imitated >= config.steps:
            return True
        task = self._bar.add_task(
            f"imitating {config.agent}", total=config.steps, completed=self.imitated, speed="-", share="-"
        )
        since, first = time.perf_counter(), self.imitated
        self._lines.phase = history.IMITATION

        def told(steps: int, agreement: float) -> None:
            logger, before = self.learner.model.logger, self.imitated
            self.imitated = steps
            logger.record("imitation/agreement", agreement)
            logger.record(TRAINED, self._seconds(), exclude="tensorboard")
            logger.dump(step=steps)
            self._bar.update(task, completed=steps, speed=f"{(steps - first) / (time.perf_counter() - since):,.0f}")
            if steps < config.steps and (self.stop.is_set() or _due(self.config.evaluation.every, before, steps)):
                self.save()

        whole = imitate(self.learner, config, self.stop, told, self.imitated)
        self._lines.phase = history.TRAINING
        self._bar.remove_task(task)
        if whole:
            self.save()
        else:
            self._say_stopped("in the start by imitation")
        return whole

    def _say_stopped(self, where: str) -> None:
        self._say(f"Stopped {where}. The checkpoint is {self.saved}; resume the run in {self.run} to go on.")

    def _seconds(self) -> float:
        return round(self._trained + time.perf_counter() - self._begun, 1)

    # ---------------------------------------------------------------------------------- between rollouts

    def _on_rollout_start(self) -> None:
        steps = self.learner.model.num_timesteps
        self._log(steps)
        if _due(self.config.opponents.snapshot_every, self.done, steps):
            self.learner.league.take_snapshot(steps)
        self.done = steps
        evaluation = _due(self.config.evaluation.every, self.evaluated, steps)
        if evaluation or self.stop.is_set():
            self.save()  # first: if a match fails, nothing is lost
        if evaluation:
            self.evaluate()
        self.stopped = self.stop.is_set()
        self._lap = (time.perf_counter(), steps)

    def _on_step(self) -> bool:
        if self.stopped:
            return False
        self._tally.count(self.locals["actions"], self.locals["action_masks"], self.learner.env.tables)
        return True

    def _on_rollout_end(self) -> None:
        self._log_shares()
        self._bar.update(self._task, completed=self.learner.model.num_timesteps)

    def _log(self, steps: int) -> None:
        """Write the log's line for the last rollout and its update, unless it was written before."""
        if steps <= self.logged:
            return
        self.logged = steps
        since, before = self._lap
        if before > 0:  # not of the first, for which code is compiled
            speed = (steps - before) / (time.perf_counter() - since)
            self.logger.record(SPEED, speed)
            self._bar.update(self._task, speed=f"{speed:,.0f}")
        self.logger.record("time/threads", torch.get_num_threads())
        self.logger.record(TRAINED, self._seconds(), exclude="tensorboard")
        self._tally.record(self.logger)
        self.learner.model.dump_logs()

    def _log_shares(self) -> None:
        """The learner's share of the win of late: over all, by opponent and by seat."""
        league = self.learner.league
        won, games = league.won, league.games
        for name, w, n in zip(league.names, won.sum(axis=1), games.sum(axis=1), strict=True):
            if n > 0:
                self.logger.record(f"share_by_opponent/{name}", w / n)
        for seat, (w, n) in enumerate(zip(won.sum(axis=0), games.sum(axis=0), strict=True)):
            if n > 0:
                self.logger.record(f"share_by_seat/seat_{seat}", w / n)
        if games.sum() > 0:
            share = won.sum() / games.sum()
            self.logger.record("rollout/share", share)
            self._bar.update(self._task, share=f"{share:.3f}")
        league.fade()

    def evaluate(self) -> None:
        """Play the matches of the config, write them down, keep the net if it is the best, and say how it went.

        If the run is to stop, this is broken off, and nothing of it is kept.
        """
        learner, config = self.learner, self.config.evaluation
        agent = PolicyAgent(learner.net, Parameters())
        game, options = learner.env.batch.game, learner.env.batch.options
        try:
            results = [evaluate(agent, spec, game, options, config.games, self._go_on) for spec in config.against]
        except _Interrupted:
            return
        steps = learner.model.num_timesteps
        rows = [{"steps": steps, **result._asdict()} for result in results]
        history.append(self.run / history.EVALUATION, rows)
        self._keep_best(rows)
        self.evaluated = steps
        self._log_results(results)

    def _go_on(self, finished: int, decisions: int) -> None:
        if self.stop.is_set():
            raise _Interrupted

    def _keep_best(self, rows: list[history.Row]) -> None:
        """Keep the net of the last checkpoint if none of those before did better in the match that counts."""
        before = checkpoints.best_match(self.run)
        for row in rows:
            if row["against"] != self.config.evaluation.yardstick() or self.saved is None:
                continue
            alike = before is not None and all(before[key] == row[key] for key in ("against", "games"))
            if before is None or not alike or row["share"] >= before["share"]:
                checkpoints.keep_best(self.run, self.saved, row)

    def _log_results(self, results: list[Result]) -> None:
        logger, steps = self.learner.model.logger, self.learner.model.num_timesteps
        for result in results:
            logger.record(f"evaluation_share/{result.against}", result.share, exclude=LINES)
            logger.record(f"evaluation_score/{result.against}", result.score, exclude=LINES)
        logger.dump(step=steps)
        told = ", ".join(f"{result.against} {result.share:.3f}{_interval(result)}" for result in results)
        self._say(f"{steps:>10,} decisions: share of wins against {told}")

    def save(self) -> None:
        """Write the checkpoint of this moment."""
        progress = {"done": self.done, "evaluated": self.evaluated, "imitated": self.imitated}
        self.saved = checkpoints.save(self.run, self.config, self.learner, progress)

    def finish(self) -> Path:
        """At the run's end: save and evaluate if it came to its end, say how to go on if it was stopped."""
        if not self.stopped:
            self._log(self.learner.model.num_timesteps)
            self.save()
            self.evaluate()
        if self.stop.is_set():
            self._say_stopped(f"after {self.logged:,} decisions")
        assert self.saved is not None
        return self.saved


def _due(every: int, before: int, now: int) -> bool:
    return now // every > before // every


def _interval(result: Result) -> str:
    return "" if result.low is None or result.high is None else f" ({result.low:.3f}-{result.high:.3f})"
