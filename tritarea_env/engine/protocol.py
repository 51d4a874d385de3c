"""The game protocol: generic functions on a record that find the game by the record's dtype.

Compiled code calls ``step(g, action)`` and the rest like any function; numba picks the game's kernel while it
compiles (``overload``), so that loops over any game are cached and start warm, which a function passed as an
argument would prevent. Called from Python they take one record of a recarray.

A game registers its kernels with ``register``; ``FUNCTIONS`` says which it must give.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

FUNCTIONS = {
    "seats": "how many seats sit at the table",
    "draw": "draw the start and all deals that g.stream and g.episode name",
    "begin": "start the game with the start and deals that stand in the record",
    "step": "one decision of g.seat with a legal action; g.seat, g.phase, g.done, g.scores are up to date after it",
    "legal": "the legal actions of the seat to move, as a set of actions (see engine.sets); empty at the end",
    "legal_mask": "write the same into mask (A,) int8, 1 for each legal action",
    "observe": "write what a seat sees into out (d,) uint8, egocentric",
    "state": "write all there is into out (m,) uint8, absolute seats",
    "secret": "whether the other seats do not see at once what the seat to move decides now",
    "hide": "blank in place what a seat does not know, the stream and deals to come included",
    "determinize": "fill in place what a seat does not know with a random deal that fits all it knows",
    "score_now": "write the scores as if the round were settled now into out (seats,) int64",
    "winners": "the set (bits) of seats that have won a game that is over",
    "outcome": "write every seat's reward 'outcome' at the end into out (seats,) float64",
    "score_reward": "write every seat's reward 'score' for the change since before (seats,) into out (seats,)",
}
_KERNELS: dict[tuple[str, ...], Mapping[str, Any]] = {}


def register(dtype: np.dtype[Any], *modules: ModuleType) -> None:
    """Make the kernels of a game known, by the field names of its record's dtype, as its modules define them.

    Raises:
        TypeError: a function of the protocol is missing.
    """
    kernels = {name: vars(module)[name] for module in modules for name in FUNCTIONS if name in vars(module)}
    missing = sorted(set(FUNCTIONS) - set(kernels))
    if missing:
        raise TypeError(f"a game gives every function of the protocol; missing: {missing}")
    assert dtype.names is not None
    _KERNELS[dtype.names] = kernels


def is_registered(dtype: np.dtype[Any]) -> bool:
    """Whether these are the records of a game."""
    return dtype.names in _KERNELS


def _of_record(g: Any, name: str) -> Any:
    return _KERNELS[g.dtype.names][name]


def _of_type(g: Any, name: str) -> Any:
    if not isinstance(g, types.Record):
        return None
    return _KERNELS.get(tuple(g.fields), {}).get(name)


def seats(g: Any) -> Any:
    return _of_record(g, "seats")(g)


def draw(g: Any) -> None:
    _of_record(g, "draw")(g)


def begin(g: Any) -> None:
    _of_record(g, "begin")(g)


def step(g: Any, action: int) -> None:
    _of_record(g, "step")(g, action)


def legal(g: Any) -> Any:
    return _of_record(g, "legal")(g)


def legal_mask(g: Any, mask: Any) -> None:
    _of_record(g, "legal_mask")(g, mask)


def observe(g: Any, seat: int, out: Any) -> None:
    _of_record(g, "observe")(g, seat, out)


def state(g: Any, out: Any) -> None:
    _of_record(g, "state")(g, out)


def secret(g: Any) -> Any:
    return _of_record(g, "secret")(g)


def hide(g: Any, seat: int) -> None:
    _of_record(g, "hide")(g, seat)


def determinize(g: Any, seat: int, seed: Any) -> None:
    _of_record(g, "determinize")(g, seat, seed)


def score_now(g: Any, out: Any) -> None:
    _of_record(g, "score_now")(g, out)


def winners(g: Any) -> Any:
    return _of_record(g, "winners")(g)


def outcome(g: Any, out: Any) -> None:
    _of_record(g, "outcome")(g, out)


def score_reward(g: Any, before: Any, out: Any) -> None:
    _of_record(g, "score_reward")(g, before, out)


@overload(seats)
def _seats(g):
    kernel = _of_type(g, "seats")
    return (lambda g: kernel(g)) if kernel else None


@overload(draw)
def _draw(g):
    kernel = _of_type(g, "draw")
    return (lambda g: kernel(g)) if kernel else None


@overload(begin)
def _begin(g):
    kernel = _of_type(g, "begin")
    return (lambda g: kernel(g)) if kernel else None


@overload(step)
def _step(g, action):
    kernel = _of_type(g, "step")
    return (lambda g, action: kernel(g, action)) if kernel else None


@overload(legal)
def _legal(g):
    kernel = _of_type(g, "legal")
    return (lambda g: kernel(g)) if kernel else None


@overload(legal_mask)
def _legal_mask(g, mask):
    kernel = _of_type(g, "legal_mask")
    return (lambda g, mask: kernel(g, mask)) if kernel else None


@overload(observe)
def _observe(g, seat, out):
    kernel = _of_type(g, "observe")
    return (lambda g, seat, out: kernel(g, seat, out)) if kernel else None


@overload(state)
def _state(g, out):
    kernel = _of_type(g, "state")
    return (lambda g, out: kernel(g, out)) if kernel else None


@overload(secret)
def _secret(g):
    kernel = _of_type(g, "secret")
    return (lambda g: kernel(g)) if kernel else None


@overload(hide)
def _hide(g, seat):
    kernel = _of_type(g, "hide")
    return (lambda g, seat: kernel(g, seat)) if kernel else None


@overload(determinize)
def _determinize(g, seat, seed):
    kernel = _of_type(g, "determinize")
    return (lambda g, seat, seed: kernel(g, seat, seed)) if kernel else None


@overload(score_now)
def _score_now(g, out):
    kernel = _of_type(g, "score_now")
    return (lambda g, out: kernel(g, out)) if kernel else None


@overload(winners)
def _winners(g):
    kernel = _of_type(g, "winners")
    return (lambda g: kernel(g)) if kernel else None


@overload(outcome)
def _outcome(g, out):
    kernel = _of_type(g, "outcome")
    return (lambda g, out: kernel(g, out)) if kernel else None


@overload(score_reward)
def _score_reward(g, before, out):
    kernel = _of_type(g, "score_reward")
    return (lambda g, before, out: kernel(g, before, out)) if kernel else None
