"""The agent ``exec:PROGRAM``: a program of any language, asked by lines of JSON on its standard streams.

docs/bots.md has the protocol. The program is started at the first decision.
"""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Game

from .base import Undecided, Views, check_game
from .exec_program import Program, ProgramError
from .exec_talk import Conversation, hello, read_ready
from .registry import check_ranges, given_options

PREFIX = "exec"
STARTS = 3  # times in a row that a start is tried
PAUSE = 0.05  # seconds at least from one start to the next


class Parameters(NamedTuple):
    """What a program may use.

    Attributes:
        seconds: for a decision, from the question, or from its answer before if that came later.
        start_seconds: from its start until it is ready.
        memory_mb: memory of each of its processes, in MiB.
        restarts: how often it may be started again, by each process that plays.
    """

    seconds: float = 5.0
    start_seconds: float = 30.0
    memory_mb: int = 1024
    restarts: int = 1000


RANGES = {
    "seconds": (0.001, 86_400.0),
    "start_seconds": (0.001, 86_400.0),
    "memory_mb": (16, 1 << 20),
    "restarts": (0, 1_000_000),
}


def split(spec: str) -> tuple[str, str] | None:
    """Options and command of a spec ``exec:[key=value,…] PROGRAM [ARGUMENT …]``; None if it is another's spec."""
    name, colon, text = spec.partition(":")
    if name != PREFIX or not colon:
        return None
    first, _, rest = text.strip().partition(" ")
    is_option = first.partition("=")[1] and first.partition("=")[0].isidentifier()
    return (first, rest.strip()) if is_option else ("", text.strip())


def with_limits(spec: str, limits: Mapping[str, float]) -> str:
    """The spec with these options where it does not give its own; one of another agent stays as it is."""
    found = split(spec)
    if found is None:
        return spec
    own, command = found
    given = {item.partition("=")[0].strip() for item in own.split(",")}
    more = [f"{key}={value}" for key, value in limits.items() if key not in given]
    return f"{PREFIX}:{','.join([own] * bool(own) + more)} {command}" if own or more else spec


def command_of(text: str) -> list[str]:
    """The words of a command, the program with its whole path.

    Raises:
        ValueError: there is none, or it cannot be run.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{PREFIX}: {text!r} is no command: {error}") from None
    if not words:
        raise ValueError(f"{PREFIX}: give the program to run, as {PREFIX}:./bot")
    found = shutil.which(words[0])
    if found is None and os.path.isfile(words[0]):
        raise ValueError(f"{PREFIX}: {words[0]} may not be executed (chmod +x {words[0]})")
    if found is None:
        raise ValueError(f"{PREFIX}: there is no program {words[0]!r}")
    return [os.path.abspath(found), *words[1:]]


class ExecAgent:
    """Decides by a program. A copy, also one in another process, has a program of its own.

    Args:
        options: the game's, checked; None: not known.
        command: the program, with its whole path, and its arguments.
        folder: where it runs.
    """

    def __init__(
        self, game: Game, options: Mapping[str, Any] | None, command: Sequence[str], folder: str, limits: Parameters
    ) -> None:
        self.game, self.options, self.command, self.folder, self.limits = game, options, command, folder, limits
        self._numbers = itertools.count(1)
        self._running: tuple[Program, int] | None = None
        self._owner, self._starts, self._next_start = os.getpid(), 0, 0.0
        self._hopeless: ProgramError | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return ExecAgent, (self.game, self.options, self.command, self.folder, self.limits)

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids; whether they are legal is for the caller to see.

        Raises:
            Undecided: the program failed in some of the decisions.
            ValueError: the views are of another game.
        """
        check_game(self.game, views)
        conversation = Conversation(views, self.limits.seconds, self._numbers)
        conversation.hold(self._program, self._kill)
        if conversation.causes:
            causes = {place: cause.with_traceback(None) for place, cause in conversation.causes.items()}
            raise Undecided(conversation.chosen, causes)
        return conversation.chosen

    def _program(self) -> tuple[Program, int]:
        """The running program, and how many questions it takes at once."""
        if self._owner != os.getpid():  # a forked copy of this process: the program is the other's
            self._owner, self._running = os.getpid(), None
        if self._running is None:
            self._running = self._start()
        return self._running

    def _kill(self) -> None:
        if self._running is not None:
            self._running[0].kill()
        self._running = None

    def _start(self) -> tuple[Program, int]:
        for _ in range(STARTS):
            if self._hopeless is not None:
                break
            try:
                return self._started()
            except ProgramError as error:
                failed = error.with_traceback(None)
        self._hopeless = self._hopeless or ProgramError(f"it does not start: {failed}")
        raise self._hopeless

    def _started(self) -> tuple[Program, int]:
        if self._starts > self.limits.restarts:
            self._hopeless = ProgramError(f"it failed {self._starts} times, and is not started again")
            raise self._hopeless
        time.sleep(max(0.0, self._next_start - time.monotonic()))
        self._next_start = time.monotonic() + PAUSE
        self._starts += 1
        program = Program(self.command, self.folder, self.limits.memory_mb)
        try:
            program.send(hello(self.game, self.options, self.limits.seconds))
            return program, read_ready(program.receive(self.limits.start_seconds))
        except BaseException:
            program.kill()
            raise


def build(spec: str, game: Game, options: Mapping[str, Any] | None) -> ExecAgent:
    """The agent of a spec.

    Raises:
        ValueError: the spec has no program that can be run, or an option that is none.
    """
    if os.name != "posix":
        raise ValueError(f"{PREFIX}: programs play on POSIX systems only (Linux, macOS, …)")
    own, command = split(spec) or ("", "")
    given = given_options(PREFIX, Parameters, own)
    check_ranges(PREFIX, given, RANGES)
    return ExecAgent(game, options, command_of(command), os.getcwd(), Parameters(**given))
