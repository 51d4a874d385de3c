"""One game at a table: its random stream, its record, and the seats that agents hold.

Both single environments are views of a table: ``aec`` of one whose players' seats are all open, ``gym`` of one
where all seats but one are held by agents.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import games, records
from .engine import loops
from .engine.compile import bare, copy_records, put_records
from .engine.rng import child, key_of
from .games.base import Position
from .views import Agent, checked, complaint, find_agent, stream_views

_ONLY = np.zeros(1, np.int64)  # the index of a table's one game


class Table:
    """A game under way, and the stream that the next one comes from.

    Args:
        game: name of the game.
        options: the game's options, checked here.
        reward: one of the game's rewards.

    Attributes:
        seats: how many there are.
        to_move: the seat to move, -1 at the end.
        mask: (A,) int8, its legal actions.
        total: (seats,) float64, rewards since ``total`` was last set to 0.
        rewarded: whether the last decision was one that can bring a reward.
    """

    def __init__(self, game: str, options: Mapping[str, Any], reward: str) -> None:
        self.game = games.get(game)
        self.options = self.game.check_options(options)
        self._kind = loops.REWARD_KINDS[reward]
        self.mask = np.zeros(self.game.actions, np.int8)
        self.seats = self.game.seats_of(self.options)
        self.total = np.zeros(self.seats)
        self.rewarded = False
        self._reward = np.zeros(self.seats)
        self._before = np.zeros(self.seats, np.int64)
        self._raw = np.zeros(self.game.observation_size, np.uint8)
        self._root: np.uint64 | None = None  # key of the seed
        self._blank = self.game.new(1, self.options)
        self._games: NDArray[Any] | None = None  # the game itself, (1,), as kernels take it fastest
        self.to_move = -1
        self._drawn: NDArray[Any] | None = None  # the game before its start, if all of it was drawn
        self._given: dict[str, Any] = {}  # its start, if something was given
        self._fed: list[Any] = []  # deals to put into the record when their time comes
        self._log: list[list[int]] = []

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A copy's records get the game's own dtype, which kernels know at once (see ``engine.compile.records``)."""
        vars(self).update(state)
        for name in ("_blank", "_games", "_drawn"):
            if state[name] is not None:
                own = self.game.new(1, self.options)
                put_records(own, state[name])
                setattr(self, name, own if name == "_blank" else bare(own))

    def reset(self, seed: int | None, given: Mapping[str, Any]) -> None:
        """Start a game; the one under way is untouched if something given is wrong.

        Args:
            seed: 0 … 2**64-1, or None: the next game of the present stream, which comes from the system's
                entropy if no seed was ever given.
            given: may hold ``game_index``, ``deals``, a start, ``position``; other keys are ignored.
        """
        if not isinstance(given, Mapping):
            raise TypeError(f"the options of a reset are a dict, not {given!r}")
        root, stream, episode = self._next_stream(seed, given.get("game_index"))
        state = copy_records(self._blank)
        state["stream"], state["episode"] = stream, episode
        games = bare(state)
        loops.draw_game(games, 0)
        drawn = copy_records(games) if set(given) <= {"game_index"} else None
        start = {} if drawn is not None else self._begin(state, given)
        fed = start.get("deals", []) if self.game.feed is not None else []
        if drawn is not None:
            loops.begin_game(games, 0)
        self._root, self._games, self._drawn, self._given, self._fed = root, games, drawn, start, fed
        self._log = []
        self._feed()
        self.to_move = int(loops.mask_game(games, 0, self.mask))
        self.total[:] = 0.0
        self.rewarded = False

    def _next_stream(self, seed: int | None, index: int | None) -> tuple[np.uint64, np.uint64, int]:
        whole = isinstance(index, (int, np.integer)) and not isinstance(index, bool)
        if index is not None and not (whole and 0 <= index < 2**32):
            raise ValueError(f"game_index is a whole number in 0 … 2**32-1, not {index!r}")
        if seed is None and index is None and self._games is not None and self._root is not None:
            return self._root, self._games["stream"][0], int(self._games["episode"][0]) + 1
        if seed is None and self._root is None:
            seed = secrets.randbits(64)
        root = self._root if seed is None else key_of(seed)
        assert root is not None
        return root, child(root, index or 0), 0

    def _begin(self, state: np.recarray, given: Mapping[str, Any]) -> dict[str, Any]:
        """Put in what is given, begin; returns what the record says of the start."""
        if "position" not in given:
            start = self.game.set_start(state[0], given)
            loops.begin_game(bare(state), 0)
            return start
        stream, episode = state.stream[0], state.episode[0]
        self.game.from_position(state[0], given["position"], child(stream, episode))
        later = self.game.set_later(state[0], given.get("deals", []))
        state.stream[0], state.episode[0] = stream, episode
        return {"position": self.game.to_position(state[0]), "deals": later}

    def _feed(self) -> None:
        if self._fed and self.game.feed is not None:
            self.game.feed(self.playing()[0], self._fed)

    def start(self) -> dict[str, Any]:
        """What the record says of the game's start."""
        if self._drawn is not None:
            self._given, self._drawn = self.game.set_start(self._drawn.view(np.recarray)[0], {}), None
        return self._given

    def npcs(self, npc: str | Agent | None) -> dict[int, Agent]:
        """Who decides for the seats that no player holds: ``npc``, or None: the agent that the options name."""
        seats = range(len(self.game.agents(self.options)), self.seats)
        return {seat: find_agent(npc or self.options["npc"], self.game, self.options) for seat in seats}

    @contextmanager
    def whole(self) -> Iterator[None]:
        """If something inside raises, the table is as it was: no half-stepped game, none lost by a failed reset."""
        kept, games = dict(vars(self)), self._games
        record = copy_records(self._blank if games is None else games)
        mask, total, length = self.mask.copy(), self.total.copy(), len(self._log)
        try:
            yield
        except BaseException:
            vars(self).update(kept)
            self.mask[:], self.total[:] = mask, total
            if games is not None:
                put_records(games, record)
            del self._log[length:]
            raise

    def apply(self, action: int) -> None:
        """One decision of the seat to move, a legal action; its rewards are added to ``total``."""
        self._log.append([self.to_move, action])
        mover = loops.step_rewarded(
            self._games, 0, action, self._kind, self.mask, self._before, self._reward, self.total
        )
        self.to_move = int(mover)  # without the compiler it is numpy's, which no record may hold
        self.rewarded = self.to_move < 0 or self._kind == loops.SCORE_DELTA
        if self._fed:
            self._feed()

    def play_agents(self, holders: Mapping[int, Agent]) -> None:
        """Decide for the seats that agents hold, until another seat is to move or the game is over.

        Raises:
            IllegalActionError: an agent chose what is not legal.
        """
        games = self._begun()
        while self.to_move in holders:
            choice = np.asarray(holders[self.to_move].act(stream_views(self.game, games, _ONLY)))
            if choice.shape != (1,) or choice.dtype.kind not in "iu" or not self.is_legal(int(choice[0])):
                checked(self.game, games, _ONLY, choice, f"the agent of seat {self.to_move}")
            self.apply(int(choice[0]))

    def is_legal(self, action: int) -> bool:
        """Whether the seat to move may do this now."""
        return 0 <= action < len(self.mask) and bool(self.mask[action])

    def playing(self) -> np.recarray:
        """The game itself, (1,).

        Raises:
            RuntimeError: no game was started yet.
        """
        return self._begun().view(np.recarray)

    def _begun(self) -> NDArray[Any]:
        if self._games is None:
            raise RuntimeError("there is no game yet; call reset() first")
        return self._games

    def observation(self, seat: int) -> NDArray[np.float32]:
        """(d,) float32 in [0, 1]: what ``seat`` sees."""
        out = np.empty(len(self._raw), np.float32)
        loops.observe_scaled(self._begun(), 0, seat, self.game.scale, self._raw, out)
        return out

    def full_state(self) -> NDArray[np.float32]:
        """(m,) float32 in [0, 1]: everything."""
        raw = np.empty(self.game.state_size, np.uint8)
        loops.state_game(self._begun(), 0, raw)
        return raw * self.game.state_scale

    def result(self) -> dict[str, Any]:
        """Scores, winners and each seat's points by source, of a game that is over."""
        return records.result_of(self.game, self.options, self.playing(), 0, self._given)

    def position(self, seat: int | None = None) -> Position:
        """The position; with a ``seat``, as that seat sees it."""
        return self.game.to_position(self.playing()[0], seat)

    def record(self) -> records.Record:
        """The record of the game so far; scores and winners are None unless it was played to its end."""
        g = self.playing()[0]
        return records.make(self.game, self.options, self.start(), self._log, g)

    def text(self, seat: int | None) -> str:
        """The table as text, as ``seat`` sees it."""
        return self.game.draw_text(self.position(seat), self.options)

    def complaint(self, who: str, action: int) -> str:
        """What to say of an action that is not legal now."""
        return complaint(self.game, self.playing(), 0, action, who)
