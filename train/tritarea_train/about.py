"""What a run's folder says about the run itself: its config, when and with what it was started, whether it goes on."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tritarea_agents import checkpoint
from tritarea_agents.checkpoint import CHECKPOINTS, META, WEIGHTS, CheckpointError
from tritarea_env import records

from .config import TrainConfig

try:
    import fcntl
except ImportError:  # not on Windows: there two processes may train in one folder
    fcntl = None  # type: ignore[assignment]

CONFIG, ABOUT, LOCK = "config.yaml", "run.json", "run.lock"
BEST = "best"  # the checkpoint that did best in evaluation
IMITATION = "imitation"  # the folder of checkpoints of the start by imitation, named by its decisions
PACKAGES = ("tritarea", "torch", "stable_baselines3", "sb3_contrib", "numpy")
FORMAT = 1
PATIENCE = 1.0  # seconds to wait for a lock: whoever only looks at it holds it for a moment


def begun(run: Path) -> bool:
    """Whether the folder holds a run, be it one that has no checkpoint yet."""
    return (run / CONFIG).is_file() or any((run / shelf).is_dir() for shelf in (CHECKPOINTS, IMITATION))


def newest(run: Path) -> Path | None:
    """The checkpoint from which a run goes on; None if it was begun but has none yet.

    Raises:
        CheckpointError: there is no run.
    """
    try:
        return checkpoint.find(run)
    except CheckpointError:
        if not begun(run):
            raise
    imitated = [entry for entry in run.glob(f"{IMITATION}/*") if entry.name.isdecimal() and (entry / META).is_file()]
    return max(imitated, key=lambda entry: int(entry.name), default=None)


def digest_of(folder: Path) -> str:
    """The SHA-256 of a checkpoint's weights."""
    with (folder / WEIGHTS).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(run: Path, config: TrainConfig, about: dict[str, Any]) -> None:
    """Write the config as it is used, and add a start to ``run.json``."""
    with records.replacing(run / CONFIG) as file:
        file.write(config.to_yaml())
    starts = [*read(run)["starts"], about]
    with records.replacing(run / ABOUT) as file:
        file.write(json.dumps({"format": FORMAT, "starts": starts}, indent=1) + "\n")


def read(run: Path) -> dict[str, Any]:
    """``run.json``, as far as it can be read: ``starts`` is a list."""
    try:
        content = json.loads((run / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        content = None
    starts = content.get("starts") if isinstance(content, dict) else None
    return {"format": FORMAT, "starts": starts if isinstance(starts, list) else []}


def versions() -> dict[str, str]:
    """Of the packages on which a run's result depends."""
    return {name: importlib.metadata.version(name) for name in PACKAGES}


def start_of(steps: int, threads: int, device: str) -> dict[str, Any]:
    """This start of a run, at ``steps``: when, by which command, with which software, with how many threads."""
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "from_steps": steps,
        "versions": versions(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "git": {"code": _code_commit(), "folder": commit_of(Path.cwd())},
        "threads": {"torch": threads, "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS")},
        "device": device,
    }


def _code_commit() -> dict[str, Any] | None:
    """The commit of this package's own checkout; one that lies installed inside another checkout has none."""
    here = Path(__file__)
    return None if _git(here.parent, "ls-files", "--error-unmatch", here.name) is None else commit_of(here.parent)


def commit_of(folder: Path) -> dict[str, Any] | None:
    """The commit that is checked out in ``folder``, and whether tracked files differ from it; None: no checkout."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return None
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": None if changed is None else bool(changed)}


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode(errors="replace").strip()


@contextmanager
def held(run: Path) -> Iterator[None]:
    """Keep the run's folder to this process; the system lets go of it even if the process is killed.

    Raises:
        CheckpointError: another process trains in it.
    """
    run.mkdir(parents=True, exist_ok=True)
    with (run / LOCK).open("ab") as file:
        until = time.monotonic() + PATIENCE
        while not _lock(file, exclusive=True):
            if time.monotonic() > until:
                raise CheckpointError(f"{run} is in use: another process trains there")
            time.sleep(0.02)
        yield


def is_held(run: Path) -> bool:
    """Whether a process trains in the folder at this moment."""
    try:
        with (run / LOCK).open("rb") as file:
            return not _lock(file, exclusive=False)
    except OSError:
        return False


def _lock(file: Any, exclusive: bool) -> bool:
    """Try to lock an open file, until it is closed."""
    if fcntl is None:
        return True
    with suppress(BlockingIOError):
        fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        return True
    return False
