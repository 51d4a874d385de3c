"""Decisions that an agent fails to make: which of a batch they are, and what is told of them."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritarea_env.errors import IllegalActionError
from tritarea_env.games import Game
from tritarea_env.views import Agent, Views, checked, views_of

from .base import Undecided

LONGEST = 300  # characters of a fault's message

Act = Callable[[Views], Any]


@dataclass(frozen=True)
class Fault:
    """An agent's failure in a game, after which its seat goes on at random.

    Attributes:
        game: the game's place among those that are played together.
        seat: who was to move.
        decision: how many decisions of the game were made before.
        kind: ``late``, ``illegal`` (an answer that is no legal action), or ``error`` (everything else).
        message: one line.
    """

    game: int
    seat: int
    decision: int
    kind: str
    message: str


@dataclass(frozen=True)
class Waiting:
    """Decisions that wait for an agent.

    Attributes:
        index: (m,) int64, in which of ``games``.
        keys: (m,) uint64, of the agents' chance in each of them.
    """

    game: Game
    games: np.recarray
    index: NDArray[np.int64]
    keys: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.index)

    def part(self, places: slice | NDArray[np.int64]) -> Waiting:
        """Some of them."""
        return Waiting(self.game, self.games, self.index[places], self.keys[places])

    def views(self) -> Views:
        """What the agent may know; made anew at each call, for an agent may spoil its own."""
        return views_of(self.game, self.games, self.index, self.keys)

    def checked(self, answer: Any) -> NDArray[np.int64]:
        """The answer (m,) if it is one legal action for each.

        Raises:
            IllegalActionError: it is not.
        """
        return checked(self.game, self.games, self.index, answer, "it")


@dataclass(frozen=True)
class Trouble:
    """What came of a batch in which something failed: an error, and the answer if there was one."""

    error: Exception
    answer: Any = None


def attempt(act: Act, waiting: Waiting, chosen: NDArray[np.int64]) -> Trouble | None:
    """Write what ``act`` answers to ``chosen`` (m,), if all is well."""
    answer = None
    try:
        answer = act(waiting.views())
        chosen[:] = waiting.checked(answer)
    except Exception as error:
        return Trouble(error, answer)
    return None


def failing(
    agent: Agent, waiting: Waiting, trouble: Trouble, chosen: NDArray[np.int64]
) -> Iterator[tuple[int, Exception]]:
    """Which decisions fail, and how, in their order; the answers to the others are written to ``chosen`` (m,).

    A batch that fails as a whole is asked in halves, and what fails of these in halves again, so that each failure
    is found to be one decision's. It may be that none fails alone. A cause loses its traceback at the next step.
    """
    many = len(waiting)
    if isinstance(trouble.error, Undecided):
        yield from _one_by_one(waiting, trouble.error.chosen, trouble.error.causes, chosen)
    elif _is_whole(trouble.answer, many):
        yield from _one_by_one(waiting, np.asarray(trouble.answer), {}, chosen)
    elif many == 1:
        yield 0, trouble.error
    else:
        for half in (slice(0, many // 2), slice(many // 2, many)):
            again = attempt(agent.act, waiting.part(half), chosen[half])
            if again is not None:
                for place, cause in failing(agent, waiting.part(half), again, chosen[half]):
                    yield half.start + place, cause
                let_go(again.error)


def _one_by_one(
    waiting: Waiting, answer: NDArray[np.int64], causes: Mapping[int, Exception], chosen: NDArray[np.int64]
) -> Iterator[tuple[int, Exception]]:
    for place in range(len(waiting)):
        one = slice(place, place + 1)
        cause = causes.get(place)
        if cause is None:
            try:
                chosen[one] = waiting.part(one).checked(answer[one])
            except Exception as error:
                cause = error
        if cause is not None:
            yield place, cause
            let_go(cause)


def _is_whole(answer: Any, many: int) -> bool:
    """Whether it is an action id for each decision, legal or not."""
    try:
        found = np.asarray(answer)
    except Exception:  # nothing that an array can be made of
        return False
    return found.shape == (many,) and found.dtype.kind in "iu"


def let_go(error: Exception) -> None:
    """Drop the traceback: its frames and the error hold each other, and with them the agent and its program."""
    error.__traceback__ = None


def kind_of(cause: Exception) -> str:
    """The kind of fault that an error is."""
    if isinstance(cause, TimeoutError):
        return "late"
    return "illegal" if isinstance(cause, IllegalActionError) else "error"


def described(cause: Exception) -> str:
    """An error in words, with the place where it was raised."""
    frames = traceback.extract_tb(cause.__traceback__)
    last = frames[-1] if frames else None
    where = f" ({Path(last.filename).name}, line {last.lineno})" if last and last.name != "checked" else ""
    return f"{type(cause).__name__}: {cause}{where}"


def one_line(text: str) -> str:
    """The text as one line, not too long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
