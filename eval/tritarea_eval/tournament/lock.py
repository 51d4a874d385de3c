"""A lock that one process at a time can have, and that goes with it, however it ends."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
except ImportError:  # no such locks here: processes are not kept apart
    fcntl = None  # type: ignore[assignment]

PATIENCE = 1.0  # seconds to wait for a process that is just ending


class Lock:
    """A lock that is held, until it is closed; made by ``take``."""

    def __init__(self, path: Path, file: IO[Any]) -> None:
        self._path, self._file = path, file

    def close(self) -> None:
        """Let go of it."""
        with suppress(OSError):
            self._path.unlink()  # while it is locked: who waits for it sees that it is no longer there
        self._file.close()


def take(path: Path) -> Lock | None:
    """Lock the file ``path``, which is made for that and taken away in the end; None if another process has it.

    Raises:
        OSError: it cannot be made.
    """
    until = time.monotonic() + PATIENCE
    while True:
        file = path.open("ab")
        if _is_ours(path, file):
            return Lock(path, file)
        file.close()
        if time.monotonic() > until:
            return None
        time.sleep(0.02)


def _is_ours(path: Path, file: IO[Any]) -> bool:
    """Whether the open file could be locked, and is still the one at ``path``."""
    if fcntl is None:
        return True
    with suppress(BlockingIOError, FileNotFoundError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    return False
