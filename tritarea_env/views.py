"""What agents receive: many decisions at once, each only with what its seat may know."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .engine import loops
from .engine.compile import bare
from .errors import IllegalActionError
from .games import Game


class Views:
    """``n`` decisions to make. Nothing in it depends on what the deciding seats cannot see.

    Args:
        game: the game's definition.
        hidden: (n,) records of the game, each after ``hide`` for its seat to move.
        seed: (n,) uint64.

    Attributes:
        game: the game's definition.
        hidden: (n,) recarray of the game's dtype.
        records: the same as compiled code takes it fastest (see ``engine.compile.bare``).
        seed: (n,) uint64, all the chance an agent may use for each decision; made of the run's seed, game,
            seat and decision, so a choice does not depend on what else is in the batch. The deals cannot be
            computed back from it; but a small seed of a run can be found by trying: give a large one (a random
            number of 64 bits) where agents are not trusted.
    """

    def __init__(self, game: Game, hidden: NDArray[Any], seed: NDArray[np.uint64]) -> None:
        self.game = game
        self.records = bare(hidden)
        self.seed = seed

    def __len__(self) -> int:
        return len(self.seed)

    @cached_property
    def hidden(self) -> np.recarray:
        """(n,) recarray: the records, with their fields as attributes."""
        return self.records.view(np.recarray)  # type: ignore[no-any-return]

    @property
    def seat(self) -> NDArray[np.int8]:
        """(n,) int8: the seats that decide."""
        return np.asarray(self.records["seat"])

    @cached_property
    def observation(self) -> NDArray[np.uint8]:
        """(n, d) uint8: times ``game.scale`` it is the env's float observation."""
        out = np.empty((len(self), self.game.observation_size), np.uint8)
        loops.observe_games(self.records, np.arange(len(self)), self.seat, out)
        return out

    @cached_property
    def mask(self) -> NDArray[np.int8]:
        """(n, A) int8: 1 for each legal action."""
        out = np.empty((len(self), self.game.actions), np.int8)
        loops.legal_games(self.records, np.arange(len(self)), out)
        return out

    def take(self, index: NDArray[np.intp]) -> Views:
        """The decisions at ``index``, in that order."""
        return Views(self.game, self.records[index], self.seed[index])


AGENT_STREAM = 1 << 32  # child of a row's stream from which the chance of its agents is derived


class Agent(Protocol):
    """Decides for many games at once. ``act`` may depend on nothing but the views."""

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids, one legal action for each view."""
        ...


def views_of(game: Game, games: NDArray[Any], index: NDArray[np.int64], keys: NDArray[np.uint64]) -> Views:
    """The views of the seats to move in ``games[index]``.

    Args:
        index: (n,) int64, which games.
        keys: (n,) uint64, for each of them the key of its agents' chance.
    """
    hidden, seeds = np.empty(len(index), game.dtype), np.empty(len(index), np.uint64)
    loops.hide_games(bare(games), index, keys, bare(hidden), seeds)
    return Views(game, hidden, seeds)


def stream_views(game: Game, games: NDArray[Any], index: NDArray[np.int64]) -> Views:
    """The same, with the agents' chance derived from each game's own stream and episode."""
    hidden, seeds = np.empty(len(index), game.dtype), np.empty(len(index), np.uint64)
    loops.hide_streams(bare(games), index, AGENT_STREAM, bare(hidden), seeds)
    return Views(game, hidden, seeds)


def spec_of(agent: Any, what: str) -> str:
    """How an agent or spec is named in records and infos.

    Raises:
        ValueError: it is neither.
    """
    if isinstance(agent, str):
        return agent
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"{what} is the spec of an agent, or an object with act(views), not {agent!r}")
    return f"{type(agent).__module__}:{type(agent).__qualname__}"


def find_agent(spec: str | Agent, game: Game, options: Mapping[str, Any]) -> Agent:
    """The agent that a spec names, for a game with these checked options; an agent itself is returned as it is.

    The agents live in a package of their own, which is looked up only when one is needed.

    Raises:
        ImportError: ``tritarea_agents`` is not installed.
        ValueError: no such agent, or one that does not play with these options.
    """
    if not isinstance(spec, str):
        return spec
    registry: Any = importlib.import_module("tritarea_agents")
    agent: Agent = registry.make(spec, game, options)
    return agent


def checked(game: Game, games: NDArray[Any], index: NDArray[np.int64], actions: Any, who: str) -> NDArray[np.int64]:
    """The actions (n,) int64 that an agent chose in ``games[index]``, after a check against the games themselves.

    What the agent did to its views does not matter: they are copies.

    Raises:
        IllegalActionError: names the agent, the action, and what was legal.
    """
    chosen = np.asarray(actions)
    if chosen.shape != index.shape or chosen.dtype.kind not in "iu":
        raise IllegalActionError(f"{who} answers {len(index)} action ids, not {chosen.dtype} of shape {chosen.shape}")
    chosen = chosen.astype(np.int64)
    bad = loops.first_illegal(bare(games), index, chosen)
    if bad >= 0:
        raise IllegalActionError(complaint(game, games, int(index[bad]), int(chosen[bad]), who))
    return chosen


def complaint(game: Game, games: NDArray[Any], i: int, action: int, who: str) -> str:
    """What to say of an action that is not legal in ``games[i]``."""
    mask = np.empty((1, game.actions), np.int8)
    loops.legal_games(bare(games), np.array([i]), mask)
    name = game.action_names[action] if 0 <= action < game.actions else "no action of this game"
    if not mask.any():
        return f"{who} may not play {action} ({name}): this game is over"
    legal = ", ".join(f"{a} ({game.action_names[a]})" for a in np.flatnonzero(mask))
    return f"{who} may not play {action} ({name}) now; legal: {legal}"
