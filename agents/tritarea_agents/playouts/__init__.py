"""Policies that play sampled worlds out, where all cards are known: fast rather than good.

A *policy* is a record of its parameters. Compiled code calls ``choose(policy, g, word, work)``, and numba picks the
kernel by the dtypes of the policy and of the game while it compiles, as it does for the game protocol.

``random`` plays every game. A game's other policies stand in a module of this package that is named like the game.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload
from numpy.typing import NDArray

from tritarea_env.engine.loops import random_action
from tritarea_env.games import Game


class Policy(NamedTuple):
    """What compiled code takes to play by a policy.

    Attributes:
        parameters: (1,) record.
        works: (1,) record, what it writes to; each thread needs its own.
    """

    parameters: NDArray[Any]
    works: NDArray[Any]


def plain(name: str) -> NDArray[Any]:
    """The record of a policy that has no parameters."""
    return np.zeros(1, np.dtype((np.record, np.dtype([(name, np.int64)]))))


_KERNELS: dict[tuple[Any, Any], Callable[..., Any]] = {}
_BLANK = plain("nothing")


def register(game: Game, policy: NDArray[Any], kernel: Any) -> None:
    """Make ``kernel(policy, g, word, work)`` what ``choose`` calls for a policy of this dtype in this game."""
    _KERNELS[policy.dtype.names, game.dtype.names] = kernel


def load(name: str, game: Game) -> Policy:
    """The playout policy of that name for a game, ready for compiled code.

    Raises:
        ValueError: the game has no such policy.
    """
    if name == "random":
        return Policy(plain(name), _BLANK.copy())
    path = f"{__name__}.{game.name}"
    module: Any = importlib.import_module(path) if importlib.util.find_spec(path) else None
    found = {"random": None} | getattr(module, "POLICIES", {})
    if name not in found:
        raise ValueError(f"{game.title} has the playouts {', '.join(found)}, not {name!r}")
    parameters, work, kernel = found[name]
    register(game, parameters, kernel)
    return Policy(parameters.copy(), _BLANK.copy() if work is None else np.zeros(1, work))


def choose(policy: Any, g: Any, word: Any, work: Any) -> int:
    """An action of the seat to move in a world ``g``; ``word`` (uint64) is all the chance there is."""
    if policy.dtype.names == ("random",):
        return int(random_action(g, word))
    action: int = _KERNELS[policy.dtype.names, g.dtype.names](policy, g, word, work)
    return action


@overload(choose)
def _choose(policy, g, word, work):  # type: ignore[no-untyped-def]
    if not isinstance(policy, types.Record) or not isinstance(g, types.Record):
        return None
    if tuple(policy.fields) == ("random",):
        return lambda policy, g, word, work: random_action(g, word)
    kernel = _KERNELS.get((tuple(policy.fields), tuple(g.fields)))
    return (lambda policy, g, word, work: kernel(policy, g, word, work)) if kernel else None
