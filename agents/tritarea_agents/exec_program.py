"""A program that reads and answers lines on its standard streams, and is held to limits."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from pathlib import Path

GUARD = Path(__file__).with_name("exec_guard.py")
LONGEST = 1 << 16  # bytes of a line that it answers
KEPT = 2000  # bytes that are kept of what it said last on its standard error
GONE = 2.0  # seconds that a killed program has to be gone
TOLD = 1.0  # seconds after the end of its output in which its exit code is known, if it has ended
GRACE = 0.5  # seconds that a program has to end itself when it is not needed any more
_CHUNK = 1 << 16


class ProgramError(Exception):
    """The program does not do what it should."""


class LateError(ProgramError, TimeoutError):
    """It did not answer in time."""


class Program:
    """A running program. Whatever becomes of this process, it and its descendants end with this object.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        memory_mb: how much memory each of its processes may use, in MiB.

    Raises:
        ProgramError: the system starts no process.
    """

    def __init__(self, command: Sequence[str], folder: str, memory_mb: int) -> None:
        self._said, self._complained, self._unsent = b"", b"", b""
        life = -1
        try:
            theirs, life = os.pipe()
            try:
                self._guard = _started([str(theirs), str(os.getpid()), str(memory_mb), *command], folder, theirs)
            finally:
                os.close(theirs)
        except OSError as error:
            if life >= 0:
                os.close(life)
            raise ProgramError(f"no process can be started: {error.strerror}") from error
        streams = [self._guard.stdin, self._guard.stdout, self._guard.stderr]
        self._stdin, self._stdout, self._stderr = (stream.fileno() for stream in streams if stream is not None)
        for stream in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(stream, False)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._held = (self._guard, life, os.getpid())
        self._finalize = weakref.finalize(self, _stop, *self._held, GRACE)

    def kill(self) -> None:
        """End it at once; without this call it gets a moment to end itself when nobody refers to it any more."""
        if self._finalize.detach() is not None:
            _stop(*self._held, 0.0)

    @property
    def said_more(self) -> bool:
        """Whether something has come from it that was not asked for yet."""
        return bool(self._said)

    def send(self, line: bytes) -> None:
        """Give it a line to read, at the latest while its answer is waited for."""
        if not self._unsent:
            self._poll.register(self._stdin, select.POLLOUT)
        self._unsent += line
        self._write()

    def receive(self, seconds: float) -> bytes:
        """The next line that it answers, without the newline.

        Raises:
            LateError: there is none after so many seconds.
            ProgramError: it ended, or the line is too long.
        """
        until = time.monotonic() + seconds
        while True:
            line, newline, rest = self._said.partition(b"\n")
            if len(line) > LONGEST:
                raise ProgramError(f"it answered a line of more than {LONGEST} bytes")
            if newline:
                self._said = rest
                return line
            left = until - time.monotonic()
            if not self._exchange(max(0.0, left)) and left <= 0:
                raise LateError(f"it did not answer within {seconds:g} s{self.complaint()}")

    def _exchange(self, seconds: float) -> bool:
        """Write and read what can be; whether there was something on its standard output."""
        answered = False
        for stream, _ in self._poll.poll(seconds * 1000):
            if stream == self._stdin:
                self._write()
            elif stream == self._stderr:
                self._listen()
            else:
                heard = os.read(stream, _CHUNK)
                if not heard:
                    raise ProgramError(self._end())
                self._said += heard
                answered = True
        return answered

    def _write(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._stdin, self._unsent[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it reads no more: what it still answers counts
            self._unsent = b""
        if not self._unsent:
            self._poll.unregister(self._stdin)

    def _listen(self) -> None:
        """Keep the end of what it says on its standard error."""
        heard = os.read(self._stderr, _CHUNK)
        self._complained = (self._complained + heard)[-KEPT:]
        if not heard:
            self._poll.unregister(self._stderr)

    def _end(self) -> str:
        """How it ended, now that its standard output is closed."""
        try:
            code = self._guard.wait(TOLD)
        except subprocess.TimeoutExpired:
            return f"it closed its standard output{self.complaint()}"
        return f"it ended with {_told(code)}{self.complaint()}"

    def complaint(self) -> str:
        """The last line that it said on its standard error, if any."""
        with contextlib.suppress(BlockingIOError):
            while heard := os.read(self._stderr, _CHUNK):
                self._complained = (self._complained + heard)[-KEPT:]
                if len(heard) == _CHUNK:  # a flood has no end
                    break
        lines = self._complained.decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"; it said: {last[:200]}" if last else ""


def _started(arguments: list[str], folder: str, life: int) -> subprocess.Popen[bytes]:
    """The guard that runs the program, in a session of its own: Ctrl-C is for those who can save something."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(GUARD), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        cwd=folder,
        pass_fds=(life,),
        start_new_session=True,
    )


def _stop(guard: subprocess.Popen[bytes], life: int, owner: int, patience: float) -> None:
    """End the program: after ``patience`` seconds in which it may end itself, its input being closed."""
    own = os.getpid() == owner
    assert guard.stdin is not None
    with contextlib.suppress(OSError):
        guard.stdin.close()
    if own and patience:
        with contextlib.suppress(subprocess.TimeoutExpired):
            guard.wait(patience)
    os.close(life)
    for stream in (guard.stdout, guard.stderr):
        assert stream is not None
        stream.close()
    if not own:  # a copy of this process closes its ends and leaves the program alone
        guard.returncode = 0
        return
    try:
        guard.wait(GONE)
    except subprocess.TimeoutExpired:
        guard.kill()
        guard.wait()


def _told(code: int) -> str:
    """An exit code in words."""
    number = code - 128
    if number in {int(known) for known in signal.Signals}:
        return f"exit code {code} ({signal.Signals(number).name})"
    return f"exit code {code}"
