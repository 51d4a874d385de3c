"""Threads that share the jobs of one ``Batch``."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import numpy as np

from . import batching

PATIENCE = 50_000  # looks for a job, about a nanosecond each, before a thread goes to sleep


class Team:
    """``threads`` threads, the caller's among them, which do each job in equal slices of the games.

    Waiting threads look for the next job for some ten microseconds before they sleep. A process that was forked
    has none of its parent's threads: ``of_this_process`` says so.

    Args:
        threads: how many, from 1 on.
        seats: how many the games have.
        arrays: what ``batching.work`` takes after its scratch.
    """

    def __init__(self, threads: int, seats: int, arrays: tuple[Any, ...]) -> None:
        self.threads = threads
        self._arrays = arrays
        self._before = np.zeros((threads, seats), np.int64)
        self._board = np.zeros(batching.FIRST + batching.APART * threads, np.int64)
        self._process = os.getpid()
        self._called = [threading.Event() for _ in range(threads)]
        self._stopped = False
        for me in range(1, threads):
            threading.Thread(target=self._serve, args=(me,), name=f"tritarea-{me}", daemon=True).start()

    @property
    def of_this_process(self) -> bool:
        """Whether its threads live in this process."""
        return self._process == os.getpid()

    def _serve(self, me: int) -> None:
        ticket = 0
        while not self._stopped:
            ticket = batching.serve(self._board, me, self.threads, ticket, PATIENCE, self._before[me], *self._arrays)
            self._called[me].wait()
            self._called[me].clear()

    def do(self, job: int, count: int) -> int:
        """Do a job for the first ``count`` games of the index; returns the place of the first illegal action, or -1.

        If there is one, no game was stepped.
        """
        self._finish()  # what was broken off
        batching.post(self._board, job, count)
        for event in self._called[1:]:
            if not event.is_set():  # where it is set, its thread looks for a job once more before it sleeps
                event.set()
        try:
            batching.work(self._board, 0, self.threads, self._before[0], *self._arrays)
        finally:
            self._finish()
        return -1 if job == batching.CHOOSE else int(batching.found(self._board, self.threads))

    def _finish(self) -> None:
        """Wait until every thread has done its slice."""
        while self.threads > 1 and not batching.wait(self._board, self.threads, PATIENCE):
            time.sleep(0)

    def stop(self) -> None:
        """Let the threads end."""
        self._stopped = True
        for event in self._called:
            event.set()
