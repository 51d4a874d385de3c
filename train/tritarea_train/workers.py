"""Runs of a study one after the other or side by side, each in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .study import Run

PAUSE = 0.2  # seconds between looks at the processes
PATIENCE = 120.0  # seconds that a run has to save itself when it is asked to stop

Process = subprocess.Popen[bytes]


def conduct(
    runs: Sequence[Run],
    out: Path,
    workers: int,
    command: Callable[[Run], list[str]],
    tell: Callable[[str], None],
    watch: Callable[[Sequence[Run]], None] = lambda busy: None,
) -> list[str]:
    """Do the runs, at most ``workers`` at once; returns what went wrong, a line for each that failed.

    However this ends, its processes end: asked to by SIGTERM where Python can, else by the end of their stdin.

    Args:
        command: does one run and ends when its stdin does; what it says goes to the run's log.
        tell: gets a line when a run begins and ends.
        watch: is called again and again with the runs under way.
    """
    waiting, failures = list(runs), list[str]()
    busy: list[tuple[Run, Process]] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                run = waiting.pop(0)
                busy.append((run, _start(command(run), run.log(out))))
                tell(f"{run.name}: under way")
            for run, process in [(run, process) for run, process in busy if process.poll() is not None]:
                busy.remove((run, process))
                code = _close(process)
                left = f"{len(waiting) + len(busy)} to go"
                if run.result(out).is_file():
                    tell(f"{run.name}: done, {left}")
                else:
                    failures.append(f"{run.name} failed: {_reason(run.log(out), code)}")
                    tell(f"{failures[-1]}; {left}")
            watch([run for run, _ in busy])
            time.sleep(PAUSE)
    finally:
        if busy:
            tell(f"stopping {len(busy)} runs, which save first; Ctrl-C again to end them at once")
        _stop([process for _, process in busy])
    return failures


def _start(command: list[str], log: Path) -> Process:
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as said:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)


def _stop(processes: Sequence[Process]) -> None:
    """Ask all that are left to stop, and wait while they save; at a second interrupt, or if it takes long, kill."""
    try:
        for process in processes:
            process.terminate()
        until = time.monotonic() + PATIENCE
        for process in processes:
            process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        pass  # killed below; its last checkpoint is whole
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            _close(process)


def _close(process: Process) -> int:
    assert process.stdin is not None
    process.stdin.close()
    return process.wait()


def _reason(log: Path, code: int) -> str:
    """The last line that a run said, and where the rest is."""
    if code < 0:
        return f"ended by {signal.Signals(-code).name}; see {log}"
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    said = next((line.strip() for line in reversed(lines) if line.strip()), f"exit code {code}")
    return f"{said[:300]}; see {log}"
