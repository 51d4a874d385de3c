"""Decisions that an agent fails to make: which of a batch they are, and what is told of them."""

from __future__ import annotations

import signal
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
    answer: NDArray[Any] | None = None


def attempt(act: Act, waiting: Waiting, chosen: NDArray[np.int64]) -> Trouble | None:
    """Write what ``act`` answers to ``chosen`` (m,), if all is well.

    ``sys.exit()`` and the like in an agent are failures as any other; Ctrl-C and what handles a signal are not its own.
    """
    answer = None
    try:
        answer = np.asarray(act(waiting.views()))  # once: whatever the agent's object does by that, it does here
        chosen[:] = waiting.checked(answer)
    except Exception as error:
        return Trouble(error, answer)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or _of_a_signal(error):
            raise
        cause = RuntimeError(f"it raised {type(error).__name__}: {error}")
        return Trouble(cause.with_traceback(error.__traceback__), answer)
    return None


def _of_a_signal(error: BaseException) -> bool:
    """Whether a signal's handler raised it, in the middle of what the agent was doing."""
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = {getattr(getattr(handler, "__func__", handler), "__code__", None) for handler in handlers}
    return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))


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
    elif trouble.answer is not None and _is_whole(trouble.answer, many):
        yield from _one_by_one(waiting, trouble.answer, {}, chosen)
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


def _is_whole(answer: NDArray[Any], many: int) -> bool:
    """Whether it is an action id for each decision, legal or not."""
    return answer.shape == (many,) and answer.dtype.kind in "iu"


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
    return f"{type(cause).__name__}: {_words(cause)}{where}"


def _words(cause: Exception) -> str:
    """What it says; it may be the agent's own kind of error, and fail at that."""
    try:
        return str(cause)
    except Exception:
        return "(it cannot say what)"


def one_line(text: str) -> str:
    """The text as one line, not too long, of characters that every terminal and file takes."""
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
