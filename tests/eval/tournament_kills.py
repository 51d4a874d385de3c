"""kill -9 a tournament again and again, and see that in the end nothing differs: ``python tournament_kills.py 10``."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
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


def killed(words: list[str], after: float) -> bool:
    """Begin a command and kill it after some seconds; False if it was over by then."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            workers = children(process.pid)
            process.send_signal(signal.SIGKILL)
            process.wait()
            until = time.monotonic() + 20
            while any(alive(worker) for worker in workers):
                assert time.monotonic() < until, "a worker outlives the one that it works for"
                time.sleep(0.05)
            return True
    return False


def compare(folder: Path, kills: int, deals: int, workers: int, rng: random.Random) -> int:
    """Kill a tournament ``kills`` times, let it end, compare it with an undisturbed one; returns how many kills struck."""
    (folder / "config.yaml").write_text(CONFIG % deals)
    begun = time.monotonic()
    whole = subprocess.run(
        command(folder, "whole", "--workers", "1", "--export", "csv", "--json"), capture_output=True, check=True
    )
    seconds, struck = time.monotonic() - begun, 0
    for number in range(kills):
        words = command(folder, "killed", "--workers", str(workers), "--batch", str(rng.choice([2, 30, 256])))
        after = rng.uniform(0.3, 1.0) * seconds
        struck += killed(words, after)
        print(f"kill {number + 1} of {kills}: after {after:.1f} s", flush=True)
    again = subprocess.run(
        command(folder, "killed", "--workers", "2", "--export", "csv", "--json"), capture_output=True, check=True
    )
    assert again.stdout == whole.stdout
    assert (folder / "killed.csv").read_bytes() == (folder / "whole.csv").read_bytes()
    return struck


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        struck = compare(Path(name), int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 20_000, 2, random.Random())
        print(f"{struck} kills struck; the numbers and the exported bytes are those of an undisturbed run")
