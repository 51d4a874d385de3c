"""kill -9 a tournament again and again, and see that in the end nothing differs: ``python tournament_kills.py 10``."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

COMMAND = [sys.executable, "-m", "tritarea_eval.cli", "tournament"]
CONFIG = """
game: {name: triatri, options: {players: 2}}
seed: 5
agents: {one: random, two: random, three: greedy}
deals: %d
bootstrap: 100
"""


def command(folder: Path, name: str, *more: str) -> list[str]:
    return [*COMMAND, str(folder / "config.yaml"), "--out", str(folder / f"{name}.sqlite"), *more]


def children(process: int) -> list[int]:
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(processes: list[int]) -> bool:
    """Whether all end soon."""
    until = time.monotonic() + 20
    while any(map(alive, processes)) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(map(alive, processes))


def kill(words: list[str], ready: Callable[[], bool]) -> bool:
    """Begin a command and kill it when ``ready`` says so; False if it was over by then."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not ready():
            if process.poll() is not None:
                return False
            time.sleep(0.01)
        workers = children(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert gone(workers), "a worker outlives the process that it works for"
    return True


def after(seconds: float) -> Callable[[], bool]:
    """Whether so much time has gone by."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until


def stored(path: Path) -> int:
    """How many games a tournament's file holds; 0 if there is no such file yet."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT COUNT(*) FROM games").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def after_more(path: Path, games: int) -> Callable[[], bool]:
    """Whether so many more games are stored than there were."""
    until = stored(path) + games
    return lambda: stored(path) >= until


def finished(folder: Path, name: str, workers: int) -> tuple[bytes, bytes]:
    """Play a tournament to its end: the numbers that it prints, and its exported table."""
    words = command(folder, name, "--workers", str(workers), "--export", "csv", "--json")
    printed = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
    return printed, (folder / f"{name}.csv").read_bytes()


def compare(folder: Path, kills: int, deals: int, rng: random.Random) -> int:
    """Kill a tournament ``kills`` times, let it end, compare it with an undisturbed one; how many kills struck.

    Every third kill strikes at any moment, the beginning too; the others while games are played and stored.
    """
    (folder / "config.yaml").write_text(CONFIG % deals)
    begun = time.monotonic()
    whole = finished(folder, "whole", 1)
    seconds, struck, path = time.monotonic() - begun, 0, folder / "killed.sqlite"
    for number in range(kills):
        words = command(folder, "killed", "--workers", "2", "--batch", str(rng.choice([2, 30, 256])))
        anywhere = after(rng.uniform(0.0, 0.5) * seconds)
        struck += kill(words, after_more(path, rng.randint(1, deals // kills)) if number % 3 else anywhere)
        print(f"kill {number + 1} of {kills}: {stored(path):,} games stored", flush=True)
    assert finished(folder, "killed", 2) == whole
    return struck


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        struck = compare(Path(name), int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 20_000, random.Random())
        print(f"{struck} kills struck; the numbers and the exported bytes are those of an undisturbed run")
