"""What happens around the rollouts of a run: snapshots, evaluation, checkpoints, logs, progress, stopping."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from tritarea_agents.policy import Parameters, PolicyAgent

from . import checkpoints
from .config import TrainConfig
from .evaluation import Result, evaluate
from .imitation import imitate
from .model import Learner
from .rewards import outcome_weight


class Driver(BaseCallback):
    """Follows a run of MaskablePPO; enter it for the progress bar.

    Everything that must survive a stop happens between two rollouts, where the run's state is whole.

    Args:
        progress: ``done``, the steps up to which snapshots and evaluations were made (a resumed run's).
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
        self.stopped = False
        self.saved: Path | None = None
        self._lap = (time.perf_counter(), 0)
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

    def _say(self, text: str) -> None:
        if not self._bar.disable:
            self._bar.console.print(text, highlight=False, soft_wrap=True)

    def imitate(self) -> bool:
        """The start by imitation, if the config asks for one; False if it was stopped."""
        config = self.config.imitation
        if not config.steps:
            return True
        task = self._bar.add_task(f"imitating {config.agent}", total=config.steps, speed="-", share="-")
        since = time.perf_counter()

        def told(steps: int, agreement: float) -> None:
            self.learner.model.logger.record("imitation/agreement", agreement)
            self.learner.model.logger.dump(step=steps)
            self._bar.update(task, completed=steps, speed=f"{steps / (time.perf_counter() - since):,.0f}")

        whole = imitate(self.learner, config, self.stop, told)
        self._bar.remove_task(task)
        if not whole:
            self._say(
                "Stopped during the start by imitation: no checkpoint yet, nothing lost but this time. Start again."
            )
        return whole

    # ---------------------------------------------------------------------------------- between rollouts

    def _on_rollout_start(self) -> None:
        steps = self.learner.model.num_timesteps
        self._log_speed(steps)
        if self._due(self.config.opponents.snapshot_every, steps):
            self.learner.league.take_snapshot(steps)
        evaluation = self._due(self.config.evaluation.every, steps)
        self.done = steps
        if evaluation or self.stop.is_set():
            self.save()  # first: if a match fails, nothing is lost
        if evaluation:
            self.evaluate()
        self.learner.env.outcome_weight = outcome_weight(self.config, steps)
        self.stopped = self.stop.is_set()
        self._lap = (time.perf_counter(), steps)

    def _due(self, every: int, steps: int) -> bool:
        return steps // every > self.done // every

    def _on_step(self) -> bool:
        return not self.stopped

    def _on_rollout_end(self) -> None:
        self._log_shares()
        self._bar.update(self._task, completed=self.learner.model.num_timesteps)

    def _log_speed(self, steps: int) -> None:
        """Samples/s of the last rollout and its update."""
        since, before = self._lap
        if steps > before > 0:
            speed = (steps - before) / (time.perf_counter() - since)
            self.logger.record("time/samples_per_second", speed)
            self._bar.update(self._task, speed=f"{speed:,.0f}")
        self.logger.record("time/threads", torch.get_num_threads())

    def _log_shares(self) -> None:
        """How the learner fares in the league, and what it is paid."""
        league, env = self.learner.league, self.learner.env
        scalars = league.scalars()
        for name, value in scalars.items():
            self.logger.record(name, value)
        self.logger.record("rollout/outcome_weight", env.outcome_weight)
        self.logger.record("rollout/opponents_sample", float(self.config.opponents.play == "sample"))
        if "rollout/share" in scalars:
            self._bar.update(self._task, share=f"{scalars['rollout/share']:.3f}")
        league.fade()

    def evaluate(self) -> list[Result]:
        """Play the matches of the config, write them to the logs, and say how they went."""
        learner, config = self.learner, self.config
        game, options = learner.env.batch.game, learner.env.batch.options
        agent = PolicyAgent(game, learner.net, Parameters())
        steps = learner.model.num_timesteps
        results = [evaluate(agent, spec, game, options, config.evaluation.games) for spec in config.evaluation.against]
        told = []
        for result in results:
            learner.model.logger.record(f"evaluation_share/{result.against}", result.share)
            learner.model.logger.record(f"evaluation_score/{result.against}", result.score)
            told.append(f"{result.against} {result.share:.3f} ± {result.margin:.3f}")
        learner.model.logger.dump(step=steps)
        self._say(f"{steps:>10,} decisions: share of wins against {', '.join(told)}")
        return results

    def save(self) -> None:
        """Write the checkpoint of this moment."""
        progress: dict[str, Any] = {"done": self.done}
        self.saved = checkpoints.save(self.run, self.config, self.learner, progress)

    def finish(self) -> Path:
        """At the run's end: save and evaluate if it came to its end, say how to go on if it was stopped."""
        if self.stopped and self.saved is not None:
            self._say(f"Stopped. The checkpoint is {self.saved}; resume the run in {self.run} to go on.")
            return self.saved
        self.save()
        self.evaluate()
        assert self.saved is not None
        return self.saved
