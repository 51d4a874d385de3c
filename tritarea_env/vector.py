"""Many games seen from one seat each as a ``gymnasium.vector.VectorEnv``; agents play the other seats."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from . import games, records
from .batch import Batch
from .checks import one_of
from .engine import loops, seats
from .engine.rng import child, derive_many, key_of
from .errors import IllegalActionError
from .seating import ILLEGAL_REWARD, Opponents, Seating
from .tables import Tables
from .views import Agent, complaint, spec_of

Infos = dict[Any, Any]
Step = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]


class SeatVectorEnv(gymnasium.vector.VectorEnv[NDArray[np.float32], ArrayLike, NDArray[Any]]):
    """``num_envs`` games, each of them ``SeatEnv``'s; opponents decide in all that wait for them at once.

    Row i is ``SeatEnv`` after ``reset(seed=seed, options={"game_index": i})``, game after game of that stream, whatever
    ``num_envs`` is. A game that ends is followed in the same step by the row's next (``AutoresetMode.SAME_STEP``): the
    observation is the next game's first, ``infos["final_obs"]`` and ``infos["final_info"]`` hold the last of the one
    that ended. Infos have the form that ``gymnasium.vector.SyncVectorEnv`` gives those of ``SeatEnv``. All arrays that
    are returned are the caller's own.

    Args:
        game: name of the game.
        num_envs: number of games.
        seat: as for ``SeatEnv``, and so all below.
        opponents: an agent that is an object plays in all games.
        reward: summed over the decisions between two of the seat's own.
        illegal: ``"terminate"`` ends the game of that row with reward -1 and ``illegal_action`` in ``final_info``, all
            others go on; ``"raise"`` raises IllegalActionError and steps nothing.
        options: the game's options; NPC seats are played by ``npc``.

    Raises:
        ValueError: an option that is none; says which values are.
    """

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        seat: int | None = None,
        opponents: Opponents = "greedy",
        reward: str = "outcome",
        illegal: str = "terminate",
        **options: Any,
    ) -> None:
        npc: str | Agent | None = options.get("npc")
        if npc is not None:
            options["npc"] = spec_of(npc, "npc")
        self.illegal = one_of(illegal, ("terminate", "raise"), "illegal")
        self.batch = Batch(game, num_envs, reward=reward, **games.get(game).check_options(options))
        self.game, self.options = self.batch.game, self.batch.options
        seating = Seating(self.game, self.options, seat, opponents, npc)
        self.players = seating.players
        self._tables = Tables(self.batch, reward, seating.agents, seating.names, seating.take_seats)
        self._names = np.array([*seating.names, None], object)  # who holds no seat is named by -1
        self.num_envs = len(self.batch)
        self.single_observation_space = spaces.Box(0.0, 1.0, (self.game.observation_size,), np.float32)
        self.single_action_space = spaces.Discrete(self.game.actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._all = np.arange(self.num_envs)
        self._started = False

    # ---------------------------------------------------------------------------------- reset

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Infos]:
        """Start a game in every row.

        Args:
            seed: 0 … 2**64-1, of which row i plays the stream ``game_index`` i; or one for each row, whose stream 0
                it plays, as ``SeatEnv`` does after ``reset(seed=…)``. None, for all or for a row: the next game of
                the row's present stream, which comes from the system's entropy if there is none yet.
            options: ``reset_mask`` (n,) bool: the rows to start; the games of the others go on, and are in what is
                returned as they stand.

        Returns:
            The observations (n, d) float32, each at the seat's first decision, and infos.

        Raises:
            TypeError, ValueError: something of the wrong type or length, or an option that is none. Nothing changed.
            RuntimeError: a mask, but no games yet.
        """
        rows = self._rows(options)
        streams, episodes = self._streams(seed)
        games = self.batch.games
        with self._tables.whole():
            games.stream[rows], games.episode[rows] = streams[rows], episodes[rows]
            loops.reset_games(games, rows)
            self._tables.start(rows)
            self.batch.look(self._all)
        super().reset(seed=int(seed) if isinstance(seed, (int, np.integer)) else None)
        self._started = True
        return self._scaled(self.batch.observation), self._infos()

    def _rows(self, options: dict[str, Any] | None) -> NDArray[np.int64]:
        """The rows that a reset with these options is for."""
        unknown = sorted(set(options or {}) - {"reset_mask"})
        if unknown:
            raise ValueError(f"the options of a reset of many games are reset_mask, not {', '.join(unknown)}")
        if not options:
            return self._all
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            raise TypeError(f"reset_mask is an array of bool, not {mask!r}")
        if mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(f"reset_mask is {self.num_envs} bools, not all False, not {mask!r}")
        if not self._started:
            raise RuntimeError("there are no games yet; the first reset() takes no reset_mask")
        return np.flatnonzero(mask)

    def _streams(self, seed: Any) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Stream and episode (n,) of the game that each row would start."""
        games = self.batch.games
        if seed is None and self._started:
            return games.stream.copy(), games.episode + 1
        streams, episodes = np.empty(self.num_envs, np.uint64), np.zeros(self.num_envs, np.int64)
        if seed is None or not isinstance(seed, (list, tuple, np.ndarray)):
            derive_many(key_of(secrets.randbits(64) if seed is None else seed), 0, streams)
            return streams, episodes
        if len(seed) != self.num_envs:
            raise ValueError(f"a list of seeds has one for each of {self.num_envs} rows, not {len(seed)}")
        for i, own in enumerate(seed):
            if own is None and self._started:
                streams[i], episodes[i] = games.stream[i], games.episode[i] + 1
            else:
                streams[i] = child(key_of(secrets.randbits(64) if own is None else own), 0)
        return streams, episodes

    # ---------------------------------------------------------------------------------- step

    def step(self, actions: ArrayLike) -> Step:
        """The seat's decision in every row, then all others' until each row waits for its seat again.

        Args:
            actions: (n,) integers.

        Returns:
            Observations (n, d) float32, rewards (n,) float64, terminations (n,) bool, truncations (n,) bool (never),
            and infos.

        Raises:
            TypeError: not integers.
            ValueError: not n of them.
            IllegalActionError: one is outside 0 … A-1, or illegal with ``illegal="raise"``; names the first such game.
                Or an agent's was. Whatever is raised, by an agent too: nothing was stepped.
            RuntimeError: no games were started yet.
        """
        if not self._started:
            raise RuntimeError("there are no games yet; call reset() first")
        chosen, illegal = self._checked(actions)
        with self._tables.whole():
            self._tables.step(chosen, illegal)
            self.batch.look(self._all)
        rewards = self._tables.reward.copy()
        rewards[illegal] = ILLEGAL_REWARD
        observation, infos = self._scaled(self.batch.observation), self._infos()
        if self._tables.ended.any():
            infos |= self._final_infos(dict(zip(illegal.tolist(), chosen[illegal].tolist(), strict=True)))
        return observation, rewards, self._tables.ended.copy(), np.zeros(self.num_envs, np.bool_), infos

    def _checked(self, actions: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The actions (n,) int64, and the rows (m,) where they are illegal."""
        given = np.asarray(actions)
        if given.dtype.kind not in "iu":
            raise TypeError(f"actions are {self.num_envs} integers, not {given.dtype}")
        if given.shape != (self.num_envs,):
            raise ValueError(f"actions are {self.num_envs} integers, not of shape {given.shape}")
        chosen = given.astype(np.int64)
        outside = (chosen < 0) | (chosen >= self.game.actions)
        illegal = np.flatnonzero(outside | (self.batch.mask[self._all, np.where(outside, 0, chosen)] == 0))
        wrong = illegal if self.illegal == "raise" else np.flatnonzero(outside)
        if len(wrong):
            i = int(wrong[0])
            who = f"game {i}: seat {self._tables.seat[i]}"
            raise IllegalActionError(complaint(self.game, self.batch.games, i, int(chosen[i]), who))
        return chosen, illegal

    # ---------------------------------------------------------------------------------- what is seen

    def action_masks(self) -> NDArray[np.bool_]:
        """(n, A) bool: the legal actions of every row; at least one each, once games were started."""
        return self.batch.mask.astype(np.bool_)

    def _scaled(self, raw: NDArray[np.uint8]) -> NDArray[np.float32]:
        out = np.empty(raw.shape, np.float32)
        seats.scale_rows(raw, self.game.scale, out)
        return out

    def _infos(self) -> Infos:
        """What ``SeatEnv`` tells of every row."""
        everywhere = np.ones(self.num_envs, np.bool_)
        return self._about(self.batch.mask.copy(), self._tables.seat, self._tables.holders, everywhere)

    def _final_infos(self, illegal: dict[int, int]) -> Infos:
        """What ``SeatEnv`` tells at the end, of the games that ended; ``illegal``: the actions that ended a game."""
        tables, rows = self._tables, np.flatnonzero(self._tables.ended)
        observations = _objects(self.num_envs, rows, list(self._scaled(tables.final_observations(rows))))
        no_mask = np.zeros_like(self.batch.mask)
        infos = self._about(no_mask, tables.final_seat, tables.final_holders, tables.ended)
        for i, action in illegal.items():
            self._add_info(infos, {"illegal_action": action}, i)
        played = tables.ended.copy()
        played[list(illegal)] = False
        over = np.flatnonzero(played).tolist()
        results = [records.result_of(self.game, self.options, tables.final, i) for i in over]
        for key in results[0] if results else ():
            infos[key] = _objects(self.num_envs, over, [result[key] for result in results])
            infos[f"_{key}"] = played.copy()
        return {
            "final_obs": observations,
            "_final_obs": tables.ended.copy(),
            "final_info": infos,
            "_final_info": tables.ended.copy(),
        }

    def _about(
        self, mask: NDArray[np.int8], seat: NDArray[np.int64], holders: NDArray[np.int64], rows: NDArray[np.bool_]
    ) -> Infos:
        """Infos of the games in ``rows`` (n,): ``action_mask``, ``seat``, and ``opponents``, by seat their names."""
        names: Infos = {}
        for s in range(holders.shape[1]):
            held = rows & (holders[:, s] != seats.LEARNER)
            if held.any():
                names |= {s: self._names[np.where(held, holders[:, s], -1)], f"_{s}": held}
        infos = {"action_mask": mask, "seat": np.where(rows, seat, 0), "opponents": names}
        return {**infos, **{f"_{key}": rows.copy() for key in infos}}


def _objects(n: int, rows: Any, values: list[Any]) -> NDArray[np.object_]:
    """(n,) objects: ``values`` in ``rows``, elsewhere None."""
    out = np.full(n, None, object)
    for i, value in zip(rows, values, strict=True):
        out[i] = value
    return out
