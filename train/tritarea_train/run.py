"""A training run from its config to its checkpoint."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from tritarea_agents import checkpoint
from tritarea_agents.checkpoint import CheckpointError
from tritarea_env import games
from tritarea_env.views import find_agent

from . import about, checkpoints, model
from .config import ConfigError, TrainConfig
from .driver import Driver
from .model import Learner

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO}  # errors of a disk, not of what is asked


def train(config: TrainConfig, out: Path, *, resume: bool = False, console: Console | None = None) -> Path:
    """Train until ``config.steps``; returns the folder of the checkpoint.

    ``out`` gets ``config.yaml`` and ``run.json`` (see ``about``), ``log/`` (see ``history``; and TensorBoard's files),
    ``checkpoints/``, whose newest is whole at every moment, and ``best/``, the one that did best in evaluation. SIGINT
    or SIGTERM ends the run after the update under way, with a checkpoint; the start by imitation has its own, in
    ``imitation/``. ``resume`` goes on from the newest one and, on a CPU with as many threads, arrives where the run
    would have without the stop.
    Torch's and numpy's global random state and torch's number of threads are set; both are this process's.

    Args:
        console: for a progress bar and results; None: nothing is printed.

    Raises:
        CheckpointError: ``out`` holds a run already, or the one to resume does not fit, or the disk is full, or
            training has diverged.
        ConfigError: an agent or device of the config is not there, or its net or rollouts are too large.
    """
    check(config)
    set_threads(config)
    _check_device(config.device)
    if about.begun(out) and not resume:
        raise CheckpointError(f"{out} holds a run already: resume it, or choose another folder")
    if resume:
        about.newest(out)
    try:
        with about.held(out):
            return _train(config, out, resume, console)
    except OSError as error:
        if error.errno not in FULL:
            raise
        told = f"{error.filename or out}: {error.strerror}; what was saved before is whole: resume the run to go on"
        raise CheckpointError(told) from error


def _train(config: TrainConfig, out: Path, resume: bool, console: Console | None) -> Path:
    folder = about.newest(out) if resume else None
    if resume:
        checkpoints.check_config(folder or out, config)
    learner = _built(config)
    progress = {} if folder is None else checkpoints.restore(folder, learner)
    start = about.start_of(learner.model.num_timesteps, torch.get_num_threads(), str(learner.model.device))
    about.write(out, config, start)
    try:
        return _learn(config, out, learner, progress, console)
    except ValueError as error:
        if learner.is_finite():
            raise
        told = "training has diverged, the net's weights are no numbers any more: lower the learning rate"
        raise CheckpointError(f"{out}: {told}; what was saved before is whole") from error


def _learn(config: TrainConfig, out: Path, learner: Learner, progress: dict[str, int], console: Console | None) -> Path:
    algorithm = learner.model
    with asked_to_stop() as stop, Driver(config, out, learner, progress, stop, console) as driver:
        if not driver.imitate():
            assert driver.saved is not None
            return driver.saved
        todo = config.steps - algorithm.num_timesteps
        if todo > 0:
            never: Any = None  # for the driver writes the log
            first = algorithm.num_timesteps == 0
            algorithm.learn(todo, callback=driver, log_interval=never, reset_num_timesteps=first)
        return driver.finish()


def _built(config: TrainConfig) -> Learner:
    try:
        return model.build(config)
    except MemoryError as error:
        rollout = config.n_games * config.ppo.n_steps
        raise ConfigError(f"n_games, ppo.n_steps: there is no memory for rollouts of {rollout:,} decisions") from error


def _check_device(name: str) -> None:
    """Raises ConfigError if torch cannot use it."""
    if name == "auto":
        return
    try:
        torch.zeros(1, device=name)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"device: there is no {name} here; cpu always is") from error


def check(config: TrainConfig) -> None:
    """Raises ConfigError, naming the field, for what only shows when agents and net are looked at."""
    game = games.get(config.game.name)
    options = game.check_options(config.game.options)
    specs = [("evaluation.against", spec) for spec in config.evaluation.against]
    specs += [("opponents.agents", spec) for spec in config.opponents.agents]
    if config.imitation.steps:
        specs.append(("imitation.agent", config.imitation.agent))
    if "npc" in options:
        specs.append(("game.options.npc", options["npc"]))
    try:
        checkpoint.check_size(model.shape_of(config), game)
    except ValueError as error:
        raise ConfigError(f"net: {error}") from error
    for field, spec in specs:
        try:
            find_agent(spec, game, options)
        except ValueError as error:
            raise ConfigError(f"{field}: {error}") from error


def set_threads(config: TrainConfig) -> None:
    """Torch's number of threads, as the config has it."""
    torch.set_num_threads(config.threads or usable_cpus())


def usable_cpus() -> int:
    """How many threads to use: ``OMP_NUM_THREADS``, or as many as the processors that this process may use."""
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    if wanted.isdecimal() and int(wanted) > 0:
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def asked_to_stop() -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set; a second SIGINT is a KeyboardInterrupt as ever.

    Outside the main thread, where signals cannot be caught, it is never set.
    """
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return

    def stop(number: int, frame: object) -> None:
        event.set()
        signal.signal(signal.SIGINT, before[signal.SIGINT])

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, stop)
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
