"""How fast training is: the real thing beside the same algorithm on games that cost nothing, in one run."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.logger import configure

from tritarea_train import model
from tritarea_train.config import TrainConfig, make
from tritarea_train.driver import Driver
from tritarea_train.run import check, set_threads
from tritarea_train.vec_env import LeagueVecEnv

from .baseline import Measure

UNIT = "samples/s"
POOL = 4  # older selves among the opponents
# 256 games, 8,192 decisions of the learner an update, and opponents of every kind: four nets and two rules
CONFIG: dict[str, Any] = {
    "steps": 10_000_000_000,
    "n_games": 256,
    "net": {"shared": [], "policy": [256, 256], "value": [256, 256]},
    "ppo": {"n_steps": 32, "batch_size": 1024, "n_epochs": 4, "learning_rate": 3e-4, "schedule": "constant"},
    "opponents": {
        "current": 0.0,
        "snapshots": 4.0,
        "agents": {"greedy": 1.0, "expert": 1.0},
        "pool": POOL,
        "snapshot_every": 10_000_000_000,
    },
    "evaluation": {"every": 10_000_000_000, "against": ["random"]},
}
_NOTHING: Any = MappingProxyType({})


class FreeGames(LeagueVecEnv):
    """The same spaces, observations and masks as a league's games show, and a step that costs nothing.

    It shows what it kept of ``kept`` steps of real games, over and over; no game of it ends.
    """

    def __init__(self, real: LeagueVecEnv, kept: int = 16) -> None:
        self.num_envs, self.render_mode, self.reset_infos = real.num_envs, None, [{} for _ in range(real.num_envs)]
        self.observation_space: spaces.Space[Any] = real.observation_space
        self.action_space: spaces.Space[Any] = real.action_space
        self._shown = []
        observation = real.reset()
        for _ in range(kept):
            mask = real.action_masks().copy()
            self._shown.append((observation, mask))
            real.step_async(mask.argmax(axis=1))
            observation = real.step_wait()[0]
        self._at = 0
        self._paid = np.zeros(real.num_envs, np.float32)
        self._ended = np.zeros(real.num_envs, np.bool_)

    def reset(self) -> NDArray[np.uint8]:
        """The first observations (n, d)."""
        return self._shown[self._at][0]

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """The actions are not looked at."""

    def step_wait(self) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], list[Any]]:
        """The next observations, no rewards, no ends."""
        self._at = (self._at + 1) % len(self._shown)
        return self._shown[self._at][0], self._paid, self._ended, [_NOTHING] * self.num_envs

    def action_masks(self) -> NDArray[np.int8]:
        """(n, A) int8."""
        return self._shown[self._at][1]

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """The masks."""
        return self.action_masks()


def config_for(game: str, options: dict[str, Any]) -> TrainConfig:
    """What is measured. ``options``: the game's, checked."""
    return make(CONFIG | {"game": {"name": game, "options": options}}, {}, "bench")


class Lane:
    """One of the two that are timed: an algorithm with its games, an update at a time."""

    def __init__(self, config: TrainConfig, folder: Path, free: bool) -> None:
        self.learner = model.build(config)
        for steps in range(POOL):
            self.learner.league.take_snapshot(steps)
        if free:
            self.learner.model.set_env(FreeGames(self.learner.env))
            self.learner.model.set_logger(configure(str(folder), ["tensorboard"]))
        self.driver = None if free else Driver(config, folder, self.learner, {}, threading.Event(), None)
        self.samples = config.n_games * config.ppo.n_steps

    def update(self) -> float:
        """Collect and learn once; samples/s."""
        begun = time.perf_counter()
        every: Any = None if self.driver else 1  # the driver writes the log itself
        self.learner.model.learn(self.samples, callback=self.driver, log_interval=every, reset_num_timesteps=False)
        return self.samples / (time.perf_counter() - begun)


def measured(game: str, options: dict[str, Any], updates: int) -> Iterator[Measure]:
    """The best of so many updates of each, made in turns: ``train.samples``, ``train.free``, ``train.bound``.

    The bound is what the opponents' forward passes alone would leave of ``train.free``: each decision of a net among
    the opponents costs one row of a pass.
    """
    config = config_for(game, options)
    check(config)
    set_threads(config)
    with tempfile.TemporaryDirectory() as folder:
        real, free = (Lane(config, Path(folder), free) for free in (False, True))
        real.update(), free.update()  # compile, and warm up
        speeds = np.array([(real.update(), free.update()) for _ in range(updates)])
    samples, most = speeds.max(axis=0)
    passes = forward_seconds(real.learner, config)
    yield Measure.of("train.samples", "training: opponents, masks, logs and all", UNIT, samples)
    yield Measure.of("train.free", "the same algorithm on games that cost nothing", UNIT, most)
    yield Measure.of("train.bound", "that, and the opponents' forward passes", UNIT, 1 / (1 / most + passes))


def forward_seconds(learner: model.Learner, config: TrainConfig) -> float:
    """Seconds of a sample that forward passes of nets among the opponents take, in batches as large as can be.

    Of the decisions of the other seats, as many to each of the learner's as there are other seats, nets make the part
    that the config's weights say.
    """
    env, opponents = learner.env, config.opponents
    rows = torch.from_numpy(env.look())
    with torch.no_grad():
        learner.net(rows)
        spent = min(_seconds(learner.net, rows) for _ in range(20)) / len(rows)
    others = env.batch.game.seats_of(env.batch.options) - 1
    nets = opponents.current + opponents.snapshots
    return spent * others * nets / (nets + sum(opponents.agents.values()))


def _seconds(net: Any, rows: torch.Tensor) -> float:
    begun = time.perf_counter()
    net(rows)
    return time.perf_counter() - begun
