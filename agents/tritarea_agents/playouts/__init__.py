"""Policies that play sampled worlds out, where all cards are known: fast rather than good.

A *policy* is a record of its parameters. Compiled code calls ``choose(policy, g, word, work)``, and numba picks the
kernel by the dtypes of the policy and of the game while it compiles, as it does for the game protocol.

``random`` plays every game. Others stand in modules of this package: ``<game>.py`` gives ``greedy(g, word)``,
``<game>_expert.py`` gives ``expert(g, word, policy, work)`` and ``ready()``, its parameters and scratch memory, and
``<game>_chances.py`` gives ``chances(g, now, values)``, every seat's chance to win as things stand.
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
_MODULES = {"greedy": "{game}", "expert": "{game}_expert"}


def load(name: str, game: Game) -> Policy:
    """The playout policy of that name for a game, ready for compiled code.

    Raises:
        ValueError: the game has no such policy.
    """
    if name == "random":
        return Policy(plain(name), plain("nothing"))
    module = _module(_MODULES[name].format(game=game.name))
    if module is None:
        raise ValueError(f"{game.title} has no playout {name!r}")
    parameters, works = module.ready() if hasattr(module, "ready") else (plain(name), plain("nothing"))
    _KERNELS[parameters.dtype.names, game.dtype.names] = getattr(module, name)
    return Policy(parameters, works)


def _module(name: str) -> Any:
    """The module of this package of that name; None if there is none."""
    path = f"{__name__}.{name}"
    return None if importlib.util.find_spec(path) is None else importlib.import_module(path)


_ESTIMATES: dict[Any, Callable[..., Any]] = {}


def load_estimate(game: Game) -> bool:
    """Make ``chances`` known for a game; whether it has it, in the module ``<game>_chances`` of this package."""
    module = _module(f"{game.name}_chances")
    if module is None:
        return False
    _ESTIMATES[game.dtype.names] = module.chances
    return True


def chances(g: Any, now: Any, values: Any) -> None:
    """``values`` (seats,) float64: every seat's chance to win, as the game's estimate has it; ``now`` is scratch."""
    _ESTIMATES[g.dtype.names](g, now, values)


@overload(chances)
def _chances(g, now, values):
    if not isinstance(g, types.Record):
        return None
    kernel = _ESTIMATES.get(tuple(g.fields))
    if kernel is None:
        return lambda g, now, values: None
    return lambda g, now, values: kernel(g, now, values)


def choose(policy: Any, g: Any, word: Any, work: Any) -> int:
    """An action of the seat to move in a world ``g``; ``word`` (uint64) is all the chance there is."""
    if policy.dtype.names == ("random",):
        return int(random_action(g, word))
    kernel = _KERNELS[policy.dtype.names, g.dtype.names]
    return int(kernel(g, word) if policy.dtype.names == ("greedy",) else kernel(g, word, policy, work))


@overload(choose)
def _choose(policy, g, word, work):
    if not isinstance(policy, types.Record) or not isinstance(g, types.Record):
        return None
    names = tuple(policy.fields)
    if names == ("random",):
        return lambda policy, g, word, work: random_action(g, word)
    kernel = _KERNELS[names, tuple(g.fields)]
    if names == ("greedy",):
        return lambda policy, g, word, work: kernel(g, word)
    return lambda policy, g, word, work: kernel(g, word, policy, work)
