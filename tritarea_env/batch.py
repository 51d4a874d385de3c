"""Many games stepped together, no Python per game."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import games
from .checks import one_of
from .engine import loops
from .engine.rng import derive_many, key_of
from .errors import IllegalActionError
from .views import Views, complaint, stream_views

Index = NDArray[np.int64]


class Batch:
    """``n`` games of one kind. A game that ends goes on at once with the next of its own stream.

    Row i plays the stream of ``reset(seed=seed, options={"game_index": i})`` of the single environment, whatever
    ``n`` is. The arrays below are allocated once and written in place: copy what is to be kept.

    Args:
        game: name of the game.
        n: number of games.
        seed: 0 … 2**64-1.
        reward: as for the single environment.
        options: the game's options. Every seat's decision is the caller's, NPC seats' too.

    Attributes:
        games: (n,) recarray, the games themselves.
        observation: (n, d) uint8 of the seat to move; times ``game.scale`` it is the float observation.
        mask: (n, A) int8, legal actions of the seat to move.
        reward: (n, seats) float64 of the last decision.
        done: (n,) bool, whether the last decision ended a game (the row shows the next one already).
        final_scores: (n, seats) int64 of the game that ended last in the row.
        episode_length: (n,) int64, its number of decisions.
    """

    def __init__(self, game: str, n: int, *, seed: int = 0, reward: str = "outcome", **options: Any) -> None:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ValueError(f"n is a number of games from 1 on, not {n!r}")
        self.game = games.get(game)
        self.options = self.game.check_options(options)
        self._kind = loops.REWARD_KINDS[one_of(reward, self.game.rewards, "reward")]
        seats = self.game.seats_of(self.options)
        self.games = self.game.new(int(n), self.options)
        self.observation = np.zeros((n, self.game.observation_size), np.uint8)
        self.mask = np.zeros((n, self.game.actions), np.int8)
        self.reward = np.zeros((n, seats))
        self.done = np.zeros(n, np.bool_)
        self.final_scores = np.zeros((n, seats), np.int64)
        self.episode_length = np.zeros(n, np.int64)
        self._all = np.arange(n)
        self._before = np.zeros(seats, np.int64)
        self.reset(seed)

    def __len__(self) -> int:
        return len(self._all)

    @property
    def seat(self) -> NDArray[np.int8]:
        """(n,) int8: the seats to move."""
        return np.asarray(self.games.seat)

    def reset(self, seed: int) -> None:
        """Start every row's stream of ``seed`` from its first game."""
        streams = np.empty(len(self), np.uint64)
        derive_many(key_of(seed), 0, streams)
        self.games.stream[:] = streams
        self.games.episode[:] = 0
        loops.reset_games(self.games, self._all)
        for array in (self.reward, self.done, self.final_scores, self.episode_length):
            array[:] = 0
        loops.look_at_games(self.games, self._all, self.observation, self.mask)

    def step(self, actions: ArrayLike) -> None:
        """One decision in every game; ``actions`` (n,) integers. Writes all arrays.

        Raises:
            IllegalActionError: names the first game whose action is not legal; no game was stepped.
            TypeError: not n integers.
        """
        self._advance(actions, self._all)
        loops.look_at_games(self.games, self._all, self.observation, self.mask)

    def advance(self, actions: ArrayLike, index: ArrayLike) -> None:
        """One decision in each of the games ``index`` (m,); writes all their rows but observation and mask.

        Raises:
            As ``step``, and IndexError: ``index`` names what is no game, or a game twice.
        """
        games = self._named(index)
        if len(games) and np.bincount(games).max() > 1:
            raise IndexError("a game can be stepped once at a time, but index names one twice")
        self._advance(actions, games)

    def _advance(self, actions: ArrayLike, index: Index) -> None:
        chosen = np.asarray(actions)
        if chosen.shape != index.shape or chosen.dtype.kind not in "iu":
            raise TypeError(f"actions are {len(index)} integers, not {chosen.dtype} of shape {chosen.shape}")
        chosen = chosen.astype(np.int64)
        bad = loops.first_illegal(self.games, index, chosen, np.empty(self.game.actions, np.int8))
        if bad >= 0:
            i = int(index[bad])
            who = f"game {i}: seat {self.seat[i]}"
            raise IllegalActionError(complaint(self.game, self.games, i, int(chosen[bad]), who))
        loops.advance_games(
            self.games,
            index,
            chosen,
            self._kind,
            self.reward,
            self.done,
            self.final_scores,
            self.episode_length,
            self._before,
        )

    def look(self, index: ArrayLike) -> None:
        """Write observation and mask of the games ``index`` (m,).

        Raises:
            IndexError: ``index`` names what is no game.
        """
        loops.look_at_games(self.games, self._named(index), self.observation, self.mask)

    def views(self, index: ArrayLike) -> Views:
        """What agents get to decide in the games ``index`` (m,), one batch of decisions.

        Raises:
            IndexError: ``index`` names what is no game.
        """
        return stream_views(self.game, self.games, self._named(index))

    def _named(self, index: ArrayLike) -> Index:
        found = np.asarray(index)
        good = found.ndim == 1 and (found.dtype.kind in "iu" or not found.size)
        if not good or (found.size and not 0 <= int(found.min()) <= int(found.max()) < len(self)):
            raise IndexError(f"index is a list of games 0 … {len(self) - 1}, not {index!r}")
        return found.astype(np.int64)
