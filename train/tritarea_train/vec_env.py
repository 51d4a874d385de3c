"""Many games as one stable-baselines3 ``VecEnv``: a learner in one seat of each, a league in the others."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from tritarea_env.batch import Batch
from tritarea_env.checks import one_of
from tritarea_env.engine import loops
from tritarea_env.engine.compile import bare
from tritarea_env.tables import Tables
from tritarea_env.views import checked

from . import kernels
from .config import SETTLED_REWARD
from .league import League
from .sight import Sight

OPPONENT_BRANCH = (1 << 32) + 3  # child of a row's stream from which its games' opponents are drawn
_NOTHING: Any = MappingProxyType({})  # the info of a row where no game has ended; nobody can write to it


class LeagueVecEnv(VecEnv):
    """``n`` games; a step is the learner's decision in each, then all others', until each waits for the learner.

    The decisions of one agent in all the games that wait for it are made together. Row i plays the stream of
    ``reset(seed=seed, options={"game_index": i})`` of the single environments; in its e-th game the learner has
    seat (i + e) mod players, so that every seat comes equally often. A game that has ended is followed at once
    by the row's next.

    Observations are (n, d) uint8 as ``sight`` shows them; the net casts and scales. The reward is the sum over
    the decisions from one of the learner's own to its next. ``infos[i]`` of a game that has ended holds
    ``terminal_observation`` (d,) uint8, ``episode`` (``r`` the sum of rewards, ``l`` the learner's decisions),
    ``scores`` by seat, ``share`` of the win, ``seat``, and ``opponents``, a name; all others are empty.

    Attributes:
        outcome_weight: how much of the reward is ``outcome`` from here on, 0 … 1; the rest is ``reward``.

    Args:
        game: name of the game.
        n: number of games.
        league: who plays the other seats.
        seed: of all games and opponents.
        reward: as for the single environments, or ``settled_delta`` (see ``engine.seats.write_settled``).
        sight: what the learner is shown of its games; None: just what its seat sees.
        options: the game's options.
    """

    def __init__(
        self, game: str, n: int, league: League, *, seed: int, reward: str, sight: Sight | None = None, **options: Any
    ) -> None:
        self.batch = Batch(game, n, seed=seed, **options)
        definition = self.batch.game
        self.league = league
        self.render_mode = None
        self._seed = seed
        one_of(reward, (*definition.rewards, SETTLED_REWARD), "reward")
        self.tables = Tables(self.batch, reward, league.agents, league.names, self._take_seats)
        self.seat, self.holders = self.tables.seat, self.tables.holders
        self.players = len(definition.agents(self.batch.options))
        self.sight = sight or Sight(definition, self.batch.options, oracle=False, augment=False)
        super().__init__(n, spaces.Box(0, 255, (self.sight.size,), np.uint8), spaces.Discrete(definition.actions))
        self._all = np.arange(n)
        self.member = np.zeros(n, np.int64)  # of the league: the opponents
        self.outcome_weight = 0.0
        self.total = np.zeros(n)  # rewards of the game so far
        self.length = np.zeros(n, np.int64)  # the learner's decisions in it
        self._actions = np.zeros(n, np.int64)

    def reset(self) -> NDArray[np.uint8]:
        """Start every row's stream from its first game; the observations (n, d) uint8."""
        self.batch.reset(seed=self._seed)
        self.total[:] = 0.0
        self.length[:] = 0
        self.tables.start(self._all)
        return self.look()

    def step_async(self, actions: NDArray[np.integer[Any]]) -> None:
        """The learner's actions (n,).

        Raises:
            IllegalActionError: one is not legal; nothing was stepped.
        """
        meant = self.sight.meant(self.batch.games, actions)
        self._actions = checked(self.batch.game, self.batch.games, self._all, meant, "the learner")

    def step_wait(self) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.bool_], list[Any]]:
        """Observations, rewards (n,) float32, dones (n,) bool, infos."""
        tables, member = self.tables, self.member.copy()
        tables.step(self._actions)
        ended = np.flatnonzero(tables.ended)
        rewards = self._rewards(ended)
        self.length += 1
        self.total += rewards
        infos: list[Any] = [_NOTHING] * self.num_envs
        if len(ended):
            self._close(ended, member[ended], infos)
        return self.look(), rewards.astype(np.float32), tables.ended.copy(), infos

    def _rewards(self, ended: NDArray[np.int64]) -> NDArray[np.float64]:
        """(n,) the learner's, of the last step, in which games ended in the rows ``ended`` (m,)."""
        tables, weight = self.tables, self.outcome_weight
        if weight == 0.0:
            return tables.reward
        mixed = (1.0 - weight) * tables.reward
        outcomes, by_seat = np.empty(len(ended)), np.empty(self.holders.shape[1])
        kernels.outcomes(bare(tables.final), ended, tables.final_seat[ended], by_seat, outcomes)
        mixed[ended] += weight * outcomes
        return mixed

    def _close(self, ended: NDArray[np.int64], member: NDArray[np.int64], infos: list[Any]) -> None:
        """Write the infos of games that have ended in the rows ``ended`` (m,), against ``member`` (m,); count them."""
        tables, seat = self.tables, self.tables.final_seat[ended]
        shares = np.empty((len(ended), self.holders.shape[1]))
        loops.shares(tables.final, ended, shares)
        share = shares[np.arange(len(ended)), seat]
        scores = tables.final.scores[ended, : self.holders.shape[1]]
        shown = self.sight.see(tables.final, ended, tables.final_seat, tables.final_observations(ended))
        for j, (i, observation) in enumerate(zip(ended, shown, strict=True)):
            infos[i] = {
                "terminal_observation": observation,
                "episode": {"r": float(self.total[i]), "l": int(self.length[i])},
                "scores": scores[j].tolist(),
                "share": float(share[j]),
                "seat": int(seat[j]),
                "opponents": self.league.names[member[j]],
            }
        self.league.count(member, seat, share)
        self.total[ended] = 0.0
        self.length[ended] = 0

    def _take_seats(
        self, games: np.recarray, index: NDArray[np.int64], seat: NDArray[np.int64], holders: NDArray[np.int64]
    ) -> None:
        """Seats and opponents of games that begin."""
        league = self.league
        kernels.take_seats(
            games, index, self.players, OPPONENT_BRANCH, league.weights(), league.npc, seat, self.member, holders
        )

    def memory(self) -> dict[str, NDArray[Any]]:
        """What it keeps from step to step beside the games themselves."""
        return {name: getattr(self, name) for name in ("seat", "member", "holders", "total", "length")}

    def look(self) -> NDArray[np.uint8]:
        """The learner's observations, as an array of its own: who steps still needs the last one."""
        self.batch.look(self._all)
        return self.sight.see(self.batch.games, self._all, self.seat, self.batch.observation)

    def action_masks(self) -> NDArray[np.int8]:
        """(n, A) int8: the learner's legal actions, as sb3-contrib asks for them."""
        return self.sight.masks(self.batch.games, self.batch.mask)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """``action_masks`` is the one method that a single game has."""
        if method_name != "action_masks":
            raise AttributeError(f"the games of {type(self).__name__} have no method {method_name!r}")
        masks = self.action_masks()
        return masks if indices is None else masks[np.atleast_1d(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute is the same for all games."""
        return [getattr(self, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not possible: the games have no attributes of their own."""
        raise AttributeError(f"the games of {type(self).__name__} have no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No game is wrapped."""
        return [False] * len(self._indices(indices))

    def _indices(self, indices: Any) -> list[int]:
        return list(self._get_indices(indices))

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Start from another seed at the next ``reset``."""
        if seed is not None:
            self._seed = seed
        return [self._seed] * self.num_envs

    def close(self) -> None:
        """There is nothing to close."""
