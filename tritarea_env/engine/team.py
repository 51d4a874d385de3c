"""Threads that share the jobs of one ``Batch``."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from . import batching

PATIENCE = 50_000  # looks for a job, about a nanosecond each, before a thread goes to sleep


class Team:
    """``threads`` threads, the caller's among them, which do each job in chunks of games.

    The others look for the next job for some ten microseconds before they sleep. The caller's waits for nobody but
    those who are at a chunk, so it is done alone where the others are not there. A process that was forked has none
    of its parent's threads: ``of_this_process`` says so.

    Args:
        threads: how many, from 1 on.
        seats: how many the games have.
        arrays: what ``batching.take`` takes after its scratch.
    """

    def __init__(self, threads: int, seats: int, arrays: tuple[Any, ...]) -> None:
        self._threads, self._arrays = threads, arrays
        self._before = np.zeros((threads, seats), np.int64)
        self._board = np.zeros(batching.NEXT + batching.APART * threads, np.int64)
        self._process = os.getpid()
        self._called = [threading.Event() for _ in range(1, threads)]
        self._stopped = False
        if threads > 1:
            self._look(0, 0)  # compiles, or loads
        for me, called in enumerate(self._called, 1):
            threading.Thread(target=self._serve, args=(me, called), name=f"tritarea-{me}", daemon=True).start()

    @property
    def of_this_process(self) -> bool:
        """Whether its threads live in this process."""
        return self._process == os.getpid()

    def _serve(self, me: int, called: threading.Event) -> None:
        while not self._stopped:
            called.wait()
            called.clear()
            self._look(me, PATIENCE)

    def _look(self, me: int, patience: int) -> None:
        batching.serve(self._board, me, self._threads, patience, self._before[me], *self._arrays)

    def do(self, job: int, count: int) -> int:
        """Do a job for the first ``count`` games of the index.

        Returns the place of the first illegal action, and then no game was stepped; or -1.
        """
        if count > batching.CHUNK:
            for called in self._called:
                if not called.is_set():  # where it is set, its thread looks for a job once more before it sleeps
                    called.set()
        return int(batching.lead(self._board, self._threads, job, count, self._before[0], *self._arrays))

    def stop(self) -> None:
        """Let the threads end."""
        self._stopped = True
        for called in self._called:
            called.set()
