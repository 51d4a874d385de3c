"""Stands between a program and the process that wants it run: limits it, and lets nothing of it outlive that process.

A script of its own, which imports nothing of this package:
``exec_guard.py LIFE PARENT MEMORY_MB PROGRAM [ARGUMENT ...]``. The program gets this process's standard streams. It is
killed with all its descendants when it ends itself, when LIFE, a pipe's end, is closed at the other end, or when
PARENT is gone. The exit code is the program's, 128 + n if signal n killed it.
"""

import contextlib
import ctypes
import os
import resource
import select
import signal
import sys

DEATH_SIGNAL, SUBREAPER = 1, 36  # Linux, of prctl
LOOK = 1.0  # seconds between looks whether the parent is there
LINUX = sys.platform == "linux"


def main() -> int:
    """Run the program to its end, or to that of who wants it."""
    life, parent, memory = (int(word) for word in sys.argv[1:4])
    os.set_inheritable(life, False)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    _prctl(SUBREAPER, 1)  # descendants whose parents end become children of this process
    guard = os.getpid()
    program = os.fork()
    if program == 0:
        _become(sys.argv[4:], guard, memory)
    _let_go_of_streams()
    status = None
    while status is None and os.getppid() == parent:
        ready, _, _ = select.select([life, woken], [], [], LOOK)
        if life in ready:
            break
        if woken in ready:
            os.read(woken, 4096)
        status = _reap(program)
    status = _end(program, status)
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _become(command: list[str], guard: int, memory: int) -> None:
    """Turn this process, a child, into the program."""
    try:
        os.setsid()
        _prctl(DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != guard:
            os._exit(127)
        for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        _limit(resource.RLIMIT_CORE, 0)
        # Linux counts there what a program can write to, not the address space that some set aside and never use.
        _limit(resource.RLIMIT_DATA if LINUX else resource.RLIMIT_AS, memory << 20)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode(errors="replace"))
    finally:
        os._exit(127)


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):  # a system that has no such limit
        resource.setrlimit(kind, (most, most))


def _prctl(option: int, value: int) -> None:
    if LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _let_go_of_streams() -> None:
    """The program alone holds its ends, so that who reads them sees when it closes them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)


def _reap(program: int) -> int | None:
    """Take note of children that ended; the status of the program if it is one of them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                break
            if child == program:
                found = status
    return found


def _end(program: int, status: int | None) -> int:
    """Kill what is left of the program and its descendants; returns its status."""
    for kill in (os.killpg, os.kill) if status is None else (os.killpg,):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(program, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            for child in _children():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(child, signal.SIGKILL)
            child, ended = os.waitpid(-1, 0)
            if child == program:
                status = ended
    return status or 0


def _children() -> list[int]:
    """This process's children, where the system tells."""
    me = os.getpid()
    try:
        with open(f"/proc/{me}/task/{me}/children") as listed:
            return [int(word) for word in listed.read().split()]
    except OSError:
        return []


if __name__ == "__main__":
    os._exit(main())
