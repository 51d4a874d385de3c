"""A training run from its config to its checkpoint."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from rich.console import Console
from stable_baselines3.common.logger import configure

from tritarea_agents import checkpoint
from tritarea_agents.checkpoint import CheckpointError
from tritarea_env import games
from tritarea_env.views import find_agent

from . import checkpoints, model
from .config import ConfigError, TrainConfig
from .driver import Driver

LOG = "log"


def train(config: TrainConfig, out: Path, *, resume: bool = False, console: Console | None = None) -> Path:
    """Train until ``config.steps``; returns the folder of the checkpoint.

    ``out`` gets ``log/`` (TensorBoard) and ``checkpoints/``, whose newest is whole at every moment. SIGINT or
    SIGTERM ends the run after the update under way, with a checkpoint. ``resume`` goes on from the newest one
    and, on a CPU with as many threads, arrives where the run would have without the stop.
    Torch's and numpy's global random state and torch's number of threads are set; both are this process's.

    Args:
        console: for a progress bar and results; None: nothing is printed.

    Raises:
        CheckpointError: ``out`` holds a run already, or the one to resume does not fit.
        ConfigError: an agent of the config is not there, or its net is too large; nothing was written.
    """
    check(config)
    torch.set_num_threads(config.threads or usable_cpus())
    if config.device.startswith("cuda") and not torch.cuda.is_available():
        raise ConfigError(f"device: there is no {config.device} here; cpu always is")
    there = (out / checkpoint.CHECKPOINTS).is_dir()
    if there and not resume:
        raise CheckpointError(f"{out} holds a run already: resume it, or choose another folder")
    folder = checkpoint.find(out) if resume else None
    if folder is not None:
        checkpoints.check_config(folder, config)
    learner = model.build(config)
    progress = {} if folder is None else checkpoints.restore(folder, learner)
    learner.model.set_logger(configure(str(out / LOG), ["tensorboard"]))
    with asked_to_stop() as stop, Driver(config, out, learner, progress, stop, console) as driver:
        todo = config.steps - learner.model.num_timesteps
        if folder is None and not driver.imitate():
            raise KeyboardInterrupt("stopped before the first checkpoint: there is nothing to resume")
        if todo > 0:
            learner.model.learn(todo, callback=driver, reset_num_timesteps=folder is None)
        saved = driver.finish()
    learner.model.logger.close()
    return saved


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
