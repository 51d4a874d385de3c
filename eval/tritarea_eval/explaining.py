"""What an agent that explains itself thinks of a decision, as lines of text."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Game
from tritarea_env.views import Views, find_agent, stream_views

if TYPE_CHECKING:
    from tritarea_agents.search import Thought

EXPLAINERS = ("search",)  # the agents by name that explain themselves
SHOWN = 5  # actions of a decision, beside the one that was played
WANTED = (
    "explain() must return a list with one Thought (tritarea_agents.search) for each view: actions, visits and values, "
    "one of each for every action, and priors or None"
)
_ONLY = np.zeros(1, np.int64)


@runtime_checkable
class Explainer(Protocol):
    """An agent that can say what it thought of its last decisions."""

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids, as every agent."""
        ...

    def explain(self) -> Sequence[Thought]:
        """One thought for each view of the last call of ``act``."""
        ...


@dataclass(frozen=True)
class Adviser:
    """An explainer at a table, with the spec that named it."""

    spec: str
    explainer: Explainer
    game: Game

    def explanation(self, state: np.recarray, labels: Mapping[int, str], played: int | None = None) -> str:
        """What it thinks of the decision in ``state`` (1,), knowing only what the seat to move may know.

        Its chance comes from the game's stream, as that of every agent of a game.

        Args:
            labels: what to call each legal action.
            played: the action to mark, if one was played.

        Returns:
            A table of the best actions and the one played, a line each; nothing if only one action is legal.

        Raises:
            ValueError: the explanation is none; says what ``explain()`` must return.
        """
        if len(labels) < 2:
            return ""
        self.explainer.act(stream_views(self.game, state, _ONLY))
        thought = _checked(self.explainer.explain(), labels)
        return _table(thought, labels, played)


def find_adviser(spec: str, game: Game, options: Mapping[str, Any]) -> Adviser:
    """The adviser that a spec names.

    Raises:
        ValueError: there is no such agent, or it does not explain itself.
    """
    agent = find_agent(spec, game, options)
    if not isinstance(agent, Explainer) or not callable(agent.explain):
        able = f"{', '.join(EXPLAINERS)} does, and any agent with act(views) and explain()"
        raise ValueError(f"{spec} does not explain itself; {able}")
    return Adviser(spec, agent, game)


def _checked(explained: Any, labels: Mapping[int, str]) -> Thought:
    """The one thought in what ``explain()`` returned, as arrays.

    Raises:
        ValueError: that is not what it must return.
    """
    from tritarea_agents.search import Thought

    try:
        (found,) = explained
        thought = Thought(
            _column(found.actions, "iu"),
            _column(found.visits, "iu"),
            _column(found.values, "iuf"),
            None if found.priors is None else _column(found.priors, "iuf"),
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"{WANTED}: {error}") from error
    if len({len(column) for column in thought if column is not None}) > 1:
        raise ValueError(f"{WANTED}: these are not of one length")
    actions = thought.actions.tolist()
    if not actions or len(set(actions)) < len(actions) or not set(actions) <= labels.keys():
        raise ValueError(f"{WANTED}: actions are legal ones, each once, not {reprlib.repr(actions)}")
    return thought


def _column(found: Any, kinds: str) -> NDArray[Any]:
    column = np.asarray(found)
    if column.ndim != 1 or column.dtype.kind not in kinds:
        words = "whole numbers" if kinds == "iu" else "numbers"
        raise ValueError(f"a row of {words} is wanted, not {reprlib.repr(found)}")
    return column


def _table(thought: Thought, labels: Mapping[int, str], played: int | None) -> str:
    actions = [int(action) for action in thought.actions]
    shown = [place for place, action in enumerate(actions) if place < SHOWN or action == played]
    head = ("  action", "visits", "share", "value", *(["prior"] if thought.priors is not None else []))
    marks = [("> " if actions[place] == played else "  ") + labels[actions[place]] for place in shown]
    rows = [head, *((mark, *_numbers(thought, place)) for mark, place in zip(marks, shown, strict=True))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join([label.ljust(widths[0]), *(n.rjust(w) for n, w in zip(numbers, widths[1:], strict=True))]).rstrip()
        for label, *numbers in rows
    )


def _numbers(thought: Thought, place: int) -> list[str]:
    """Visits, their share, the value if there is one, and the prior if there are some."""
    visits, value = int(thought.visits[place]), float(thought.values[place])
    share = visits / max(1, int(np.sum(thought.visits)))
    told = [str(visits), f"{share:.1%}", "" if np.isnan(value) else f"{value:+.3f}"]
    return told if thought.priors is None else [*told, f"{thought.priors[place]:.1%}"]
