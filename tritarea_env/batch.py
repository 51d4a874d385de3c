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
from .views import Views, stream_views

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
        seats = self.game.seats
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
        self.look(self._all)

    def step(self, actions: ArrayLike) -> None:
        """One decision in every game; ``actions`` (n,) integers. Writes all arrays.

        Raises:
            IllegalActionError: names the first game whose action is not legal; no game was stepped.
            TypeError: not n integers.
        """
        self.advance(actions, self._all)
        self.look(self._all)

    def advance(self, actions: ArrayLike, index: Index) -> None:
        """One decision in each of the games ``index`` (m,); writes all their rows but observation and mask.

        Raises:
            As ``step``.
        """
        chosen = np.asarray(actions)
        if chosen.shape != index.shape or chosen.dtype.kind not in "iu":
            raise TypeError(f"actions are {len(index)} integers, not {chosen.dtype} of shape {chosen.shape}")
        chosen = chosen.astype(np.int64)
        bad = loops.first_illegal(self.games, index, chosen, np.empty(self.game.actions, np.int8))
        if bad >= 0:
            raise IllegalActionError(self._complaint(int(index[bad]), int(chosen[bad])))
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

    def look(self, index: Index) -> None:
        """Write observation and mask of the games ``index`` (m,)."""
        loops.look_at_games(self.games, index, self.observation, self.mask)

    def views(self, index: Index) -> Views:
        """What agents get to decide in the games ``index`` (m,), one batch of decisions."""
        return stream_views(self.game, self.games, index)

    def _complaint(self, i: int, action: int) -> str:
        mask = np.empty((1, self.game.actions), np.int8)
        loops.legal_games(self.games, np.array([i]), mask)
        name = self.game.action_names[action] if 0 <= action < self.game.actions else "no action of this game"
        return (
            f"game {i}: seat {self.seat[i]} may not play {action} ({name}); legal: {np.flatnonzero(mask[0]).tolist()}"
        )
