"""What is said to a program that plays, and what it answers: docs/bots.md has the protocol."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import tritarea_env
from tritarea_env.errors import IllegalActionError
from tritarea_env.games import Game

from .base import Views
from .exec_program import Program, ProgramError

PROTOCOL = 1
MOST_AT_ONCE = 1024
SEED_BITS = 53  # what every language's numbers hold exactly
_SHOWN = 80  # characters of a bad answer that are told

Running = Callable[[], tuple[Program, int]]


def hello(game: Game, options: Mapping[str, Any] | None, seconds: float) -> bytes:
    """The first line, by which the program gets ready."""
    fields = [{"name": f.name, "offset": f.offset, "shape": list(f.shape), "maximum": f.maximum} for f in game.fields]
    return _line(
        {
            "protocol": PROTOCOL,
            "version": tritarea_env.__version__,
            "game": game.name,
            "options": None if options is None else dict(options),
            "actions": list(game.action_names),
            "observation": fields,
            "seconds": seconds,
        }
    )


def read_ready(line: bytes) -> int:
    """How many questions a program takes at once, from its answer to the first line.

    Raises:
        ProgramError: it is not ready.
    """
    answer = _object(line)
    at_once = answer.get("at_once", 1)
    if answer.get("ready") is not True or type(at_once) is not int or not 1 <= at_once <= MOST_AT_ONCE:
        raise ProgramError(f'it answered {_shown(line)}, not {{"ready": true}}')
    return at_once


def question(views: Views, place: int, number: int) -> bytes:
    """The line that asks for the decision at a place."""
    seat, legal = int(views.seat[place]), np.flatnonzero(views.mask[place]).tolist()
    return _line(
        {
            "id": number,
            "seat": seat,
            "seed": int(views.seed[place]) >> (64 - SEED_BITS),
            "legal": legal,
            "names": [views.game.action_names[action] for action in legal],
            "position": views.game.to_position(views.hidden[place], seat),
            "observation": views.observation[place].tolist(),
        }
    )


def read_answer(line: bytes) -> tuple[int, Any]:
    """Which question a line answers, and the action, which may be anything.

    Raises:
        ProgramError: it answers none.
    """
    answer = _object(line)
    if type(answer.get("id")) is not int:
        raise ProgramError(f"it answered {_shown(line)}, which names no id")
    return answer["id"], answer.get("action")


class Conversation:
    """A batch of decisions, asked of a program, and of the next one when that fails.

    If it fails while several questions are open, each of these is asked alone, so that the one at fault is found.

    Attributes:
        chosen: (n,) int64, the actions.
        causes: by place, why there is none.
    """

    def __init__(self, views: Views, seconds: float, numbers: Iterator[int]) -> None:
        self.chosen = np.zeros(len(views), np.int64)
        self.causes: dict[int, Exception] = {}
        self._views, self._seconds, self._numbers = views, seconds, numbers
        self._waiting, self._suspects = deque(range(len(views))), deque[int]()
        self._open: dict[int, int] = {}  # places by the numbers of their questions
        self._answered: dict[int, int] = {}

    def hold(self, running: Running, kill: Callable[[], None]) -> None:
        """Ask until each decision has an action or a cause.

        Args:
            running: gives the program, started if need be, and how many questions it takes at once.
            kill: ends it.
        """
        while self._waiting or self._suspects:
            try:
                program, at_once = running()
            except ProgramError as error:
                self.causes.update(dict.fromkeys([*self._suspects, *self._waiting], error))
                return
            try:
                self._ask(program, self._suspects, 1)
                self._ask(program, self._waiting, at_once)
            except ProgramError as error:
                kill()
                self._blame(error)
            except BaseException:  # an interrupt: answers that are under way must not meet other questions
                kill()
                raise

    def _ask(self, program: Program, places: deque[int], at_once: int) -> None:
        while places or self._open:
            while places and len(self._open) < at_once:
                number = next(self._numbers)
                self._open[number] = places.popleft()
                program.send(question(self._views, self._open[number], number))
            number, action = read_answer(program.receive(self._seconds))
            self._note(number, action)
            if program.said_more and not self._open:
                error = ProgramError(f"it answered more than it was asked{program.complaint()}")
                self.causes[self._answered[number]] = error
                raise error

    def _note(self, number: int, action: Any) -> None:
        if number not in self._open:
            error = ProgramError(f"it answered id {number}, which is not open")
            if number in self._answered:
                self.causes[self._answered[number]] = error
            raise error
        place = self._answered[number] = self._open.pop(number)
        if type(action) is int and 0 <= action < self._views.game.actions:
            self.chosen[place] = action
        else:
            self.causes[place] = IllegalActionError(f"it answered action {_cut(repr(action))}, which is no action id")

    def _blame(self, error: ProgramError) -> None:
        """A failure is that of the one question that is open; if there are several, it shows when they are alone."""
        error.__traceback__ = None  # its frames would keep the agent, and with it the next program
        places = list(self._open.values())
        self._open.clear()
        if len(places) == 1:
            self.causes[places[0]] = error
        else:
            self._suspects.extendleft(reversed(places))


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ProgramError(f"it answered {_shown(line)}, which is no JSON object")
    return found


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _shown(line: bytes) -> str:
    return repr(_cut(line[: 4 * _SHOWN].decode(errors="replace")))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
