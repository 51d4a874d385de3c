"""Processes that play blocks for one that stores them, and that end with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection
from typing import Any, NamedTuple

from .config import TournamentConfig
from .store import Batch

Task = tuple[int, int]  # first block, and how many
OnProgress = Callable[[int, int], None]
AHEAD = 2  # tasks that a worker holds, so that it need not wait for the next one
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
PATIENCE = 5.0  # seconds that a worker has to end


class PoolError(RuntimeError):
    """A worker failed: the tournament cannot go on, but what is stored is whole."""


class _Worker(NamedTuple):
    process: Any
    line: Any  # to it
    tasks: list[Task]  # that it holds


class Team:
    """``workers`` processes with a tournament's agents. However this process ends, also if it is killed, they end."""

    def __init__(self, config: TournamentConfig, workers: int) -> None:
        self._team = [_start(config) for _ in range(workers)]

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *_: object) -> None:
        _end(self._team)

    def play(self, tasks: Iterator[Task], on_progress: OnProgress) -> Iterator[Batch]:
        """Play all tasks; yields what was played as it comes, in no order.

        Raises:
            PoolError: a process has died, or cannot play.
        """
        for _ in range(AHEAD):
            for worker in self._team:
                _give(worker, tasks)
        while lines := [worker.line for worker in self._team if worker.tasks]:
            ready = connection.wait(lines)
            for worker in [worker for worker in self._team if worker.line in ready]:
                batch = _hear(worker, on_progress)
                if batch is not None:
                    _give(worker, tasks)
                    yield batch


def _start(config: TournamentConfig) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, config), daemon=True)
    with _for_workers():
        process.start()
    theirs.close()  # so that its end is seen here
    return _Worker(process, ours, [])


@contextmanager
def _for_workers() -> Iterator[None]:
    """A process begun in this block computes with one thread, there being one for each core, and no Ctrl-C reaches it.

    A terminal sends that to all its processes, but the first one decides; its own comes when the block ends.
    """
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _give(worker: _Worker, tasks: Iterator[Task]) -> None:
    task = next(tasks, None)
    if task is not None:
        worker.tasks.append(task)
        with suppress(OSError):  # it has died, which is noticed when it should answer
            worker.line.send(task)


def _hear(worker: _Worker, on_progress: OnProgress) -> Batch | None:
    """What a worker has to say; a batch of games, or None if it was something else."""
    try:
        kind, content = worker.line.recv()
    except (EOFError, OSError) as error:
        raise PoolError(_obituary(worker)) from error
    if kind == "failed":
        raise PoolError(content)
    if kind == "progress":
        on_progress(*content)
        return None
    worker.tasks.pop(0)
    batch: Batch = content
    return batch


def _obituary(worker: _Worker) -> str:
    worker.process.join(PATIENCE)
    code, (first, count) = worker.process.exitcode, worker.tasks[0]
    how = f"exit code {code}"
    if code is not None and code < 0:
        name = signal.Signals(-code).name
        how = f"{name}{', perhaps for lack of memory' if name == 'SIGKILL' else ''}"
    return f"a worker died ({how}) while it played blocks {first} … {first + count - 1}"


def _end(team: list[_Worker]) -> None:
    for worker in team:
        worker.line.close()  # one that waits for a task ends at that
    for worker in team:
        worker.process.join(0.0 if worker.tasks else PATIENCE)
        worker.process.terminate()
    for worker in team:
        worker.process.join(PATIENCE)
        worker.process.kill()
        worker.process.join()
        worker.process.close()


# ----------------------------------------------------------------------------------- in the worker


def _serve(line: Any, config: TournamentConfig) -> None:
    """Play what is asked for until the line is closed."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from .work import Work

    try:
        work = Work(config)
        while True:
            first, count = line.recv()
            reports = _Reports(line)
            batch = work.play(first, count, reports)
            reports.send()
            line.send(("batch", batch))
    except (EOFError, OSError):
        return
    except Exception as error:
        with suppress(OSError):
            line.send(("failed", f"{type(error).__name__}: {error}"))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class _Reports:
    """Tells the other end of a line now and then how far the games are."""

    EVERY = 0.25  # seconds

    def __init__(self, line: Any) -> None:
        self.line, self.finished, self.decisions, self.last = line, 0, 0, 0.0

    def __call__(self, finished: int, decisions: int) -> None:
        self.finished, self.decisions = self.finished + finished, self.decisions + decisions
        if time.monotonic() - self.last > self.EVERY:
            self.send()

    def send(self) -> None:
        """Tell what is not told yet."""
        self.line.send(("progress", (self.finished, self.decisions)))
        self.finished, self.decisions, self.last = 0, 0, time.monotonic()
