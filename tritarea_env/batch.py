"""Many games stepped together, no Python per game."""

from __future__ import annotations

import io
import json
import threading
import weakref
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import games
from .checks import one_of
from .engine import batching, loops
from .engine.compile import bare, copy_records, put_records
from .engine.protocol import is_registered
from .engine.rng import derive_many, key_of
from .engine.team import Team
from .errors import IllegalActionError
from .views import Views, complaint, stream_views

Index = NDArray[np.int64]

_COUNTED = ("reward", "done", "final_scores", "episode_length")
_KEPT = ("games", *_COUNTED)  # what ``save`` writes; the rest follows from it
_UNREADABLE = (ValueError, OSError, EOFError, KeyError, TypeError, RuntimeError, zipfile.BadZipFile, zlib.error)


class Batch:
    """``n`` games of one kind. A game that ends goes on at once with the next of its own stream.

    Row i plays the stream of ``reset(seed=seed, options={"game_index": i})`` of the single environment, whatever
    ``n`` and ``threads`` are. The arrays below are allocated once and written in place by every call: copy what is
    to be kept. ``torch.from_numpy`` takes them as they are.

    Args:
        game: name of the game.
        n: number of games.
        seed: 0 … 2**64-1.
        reward: as for the single environment.
        threads: how many threads share the games; worth it from some hundred games on. Nothing depends on it.
        options: the game's options. Every seat's decision is the caller's, NPC seats' too.

    Attributes:
        games: (n,) recarray, the games themselves.
        seat: (n,) int8, the seats to move.
        observation: (n, d) uint8 of the seat to move; times ``scale`` it is the single environment's observation.
        mask: (n, A) int8, legal actions of the seat to move.
        reward: (n, seats) float64 of the last decision.
        done: (n,) bool, whether the last decision ended a game (the row shows the next one already).
        final_scores: (n, seats) int64 of the game that ended last in the row.
        episode_length: (n,) int64, its number of decisions.

    Raises:
        ValueError, TypeError: an argument that is none; says which values are.
    """

    def __init__(
        self, game: str, n: int, *, seed: int = 0, reward: str = "outcome", threads: int = 1, **options: Any
    ) -> None:
        key_of(seed)
        self._allocate(game, n, reward, threads, options)
        self.reset(seed=seed)

    def _allocate(self, game: str, n: int, reward: str, threads: int, options: dict[str, Any]) -> None:
        n, self.threads = _number(n, "n", "games"), _number(threads, "threads", "threads")
        self.game = games.get(game)
        self.options = self.game.check_options(options)
        self._reward = one_of(reward, self.game.rewards, "reward")
        seats = self.game.seats_of(self.options)
        self.games = self.game.new(n, self.options)
        self.seat = np.zeros(n, np.int8)
        self.observation = np.zeros((n, self.game.observation_size), np.uint8)
        self.mask = np.zeros((n, self.game.actions), np.int8)
        self.reward = np.zeros((n, seats))
        self.done = np.zeros(n, np.bool_)
        self.final_scores = np.zeros((n, seats), np.int64)
        self.episode_length = np.zeros(n, np.int64)
        self._all = np.arange(n)
        self._index, self._in_order = self._all.copy(), True
        self._actions = np.zeros(n, np.int64)
        shown = (self.seat, self.observation, self.mask)
        counted = (self.reward, self.done, self.final_scores, self.episode_length)
        self._shown = shown
        self._arrays = (loops.REWARD_KINDS[reward], bare(self.games), self._index, self._actions, *shown, *counted)
        self._team: Team | None = None
        self._at_work: dict[str, int] = {}  # the caller's thread: after a signal it may come again, unlike with a lock

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        changed = self.game.changed_options(self.options)
        return f"<Batch of {len(self)} games of {self.game.name}{f', {changed}' if changed else ''}>"

    @property
    def scale(self) -> NDArray[np.float32]:
        """(d,) float32: ``observation * scale`` is the float observation in [0, 1]."""
        return self.game.scale

    # ------------------------------------------------------------------------------------- playing

    def reset(self, indices: ArrayLike | None = None, *, seed: int | None = None) -> None:
        """Start new games and write their rows.

        Args:
            indices: (m,) which games, or (n,) bool; None: all.
            seed: start each row's stream of this seed from its first game, and forget the scores of games before.
                Without one, each goes on with the next game of its stream.

        Raises:
            IndexError: ``indices`` names what is no game.
            ValueError, TypeError: a seed that is none.
        """
        index = self._all if indices is None else self._named(indices)
        if seed is None:
            self.games.episode[index] += 1
        else:
            streams = np.empty(len(self), np.uint64)
            derive_many(key_of(seed), 0, streams)
            self.games.stream[index] = streams[index]
            self.games.episode[index] = 0
            self.final_scores[index] = 0
            self.episode_length[index] = 0
        loops.reset_games(bare(self.games), index)
        self.reward[index] = 0.0
        self.done[index] = False
        self.look(index)

    def random_actions(self) -> NDArray[np.int64]:
        """(n,) int64, an array of its own: a legal action for each game, every one equally likely.

        Drawn in compiled code from the game's stream and the number of the decision: the same until it is stepped.
        """
        chosen: NDArray[np.int64] = self._alone(self._choose)
        return chosen

    def _choose(self) -> NDArray[np.int64]:
        self._order()
        self._working().do(batching.CHOOSE, len(self))
        return self._actions.copy()

    def step(self, actions: ArrayLike) -> None:
        """One decision in every game; ``actions`` (n,) integers. Writes all arrays.

        Raises:
            IllegalActionError: names the first game whose action is not legal; no game was stepped.
            TypeError: not n integers.
            RuntimeError: another thread is at it.
        """
        self._alone(self._advance_all, actions)

    def advance(self, actions: ArrayLike, index: ArrayLike) -> None:
        """One decision in each of the games ``index`` (m,); writes all their rows but observation and mask.

        Raises:
            As ``step``, and IndexError: ``index`` names what is no game, or a game twice.
        """
        named = self._named(index)
        if len(named) and np.bincount(named).max() > 1:
            raise IndexError("a game can be stepped once at a time, but index names one twice")
        self._alone(self._advance_some, actions, named)

    def _advance_some(self, actions: ArrayLike, named: Index) -> None:
        self._in_order = False
        self._index[: len(named)] = named
        self._advance(actions, len(named), False)

    def _advance_all(self, actions: ArrayLike) -> None:
        self._order()
        self._advance(actions, len(self), True)

    def _order(self) -> None:
        """Bring the index back to all games in order, where ``advance`` has left others."""
        if not self._in_order:
            self._index[:] = self._all
            self._in_order = True

    def _advance(self, actions: ArrayLike, count: int, looking: bool) -> None:
        chosen = _integers(actions, count)
        np.copyto(self._actions[:count], chosen, casting="unsafe")  # what is too large turns negative: illegal, too
        bad = self._working().do(batching.STEP_AND_LOOK if looking else batching.STEP, count)
        if bad >= 0:
            i = int(self._index[bad])
            who = f"game {i}: seat {self.games.seat[i]}"
            raise IllegalActionError(complaint(self.game, self.games, i, int(chosen[bad]), who))

    def _alone(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do something while nobody else steps these games."""
        me = threading.get_ident()
        if self._at_work.setdefault("thread", me) != me:
            raise RuntimeError("this batch is being stepped in another thread; each thread needs a batch of its own")
        try:
            return work(*arguments)
        finally:
            self._at_work.pop("thread", None)

    def _working(self) -> Team:
        """The threads that work on the games, in this process."""
        if self._team is None or not self._team.of_this_process:
            self._team = Team(self.threads, self.reward.shape[1], self._arrays)
            weakref.finalize(self, self._team.stop)
        return self._team

    def look(self, index: ArrayLike) -> None:
        """Write seat, observation and mask of the games ``index`` (m,).

        Raises:
            IndexError: ``index`` names what is no game.
        """
        batching.look(bare(self.games), self._named(index), *self._shown)

    def views(self, index: ArrayLike) -> Views:
        """What agents get to decide in the games ``index`` (m,), one batch of decisions.

        Raises:
            IndexError: ``index`` names what is no game.
        """
        return stream_views(self.game, self.games, self._named(index))

    def _named(self, index: ArrayLike) -> Index:
        found = np.asarray(index)
        if found.dtype.kind == "b" and found.shape == (len(self),):
            return np.flatnonzero(found)
        good = found.ndim == 1 and (found.dtype.kind in "iu" or not found.size)
        if not good or (found.size and not 0 <= int(found.min()) <= int(found.max()) < len(self)):
            raise IndexError(f"index is a list of games 0 … {len(self) - 1}, or a bool for each, not {index!r}")
        return found.astype(np.int64)

    # ------------------------------------------------------------------------------------- keeping

    def copy(self) -> Batch:
        """A batch of the same games, which from here on go their own way."""
        return self._like(self._head(), {name: getattr(self, name) for name in _KEPT}, self.threads)

    def save(self) -> bytes:
        """All that the batch is, as bytes: ``Batch.load`` makes one of them that goes on just the same."""
        file = io.BytesIO()
        arrays: dict[str, Any] = {name: np.asarray(getattr(self, name)) for name in _KEPT}
        np.savez(file, head=json.dumps(self._head()), **arrays)
        return file.getvalue()

    @classmethod
    def load(cls, data: bytes, threads: int = 1) -> Batch:
        """The batch that ``save`` has written.

        Raises:
            ValueError: the bytes are none of these, or hold records as another version has them.
        """
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                arrays = dict(file)
            head = json.loads(str(arrays.pop("head")))
            game = games.get(head["game"])
        except _UNREADABLE as error:
            raise ValueError("these bytes were not written by Batch.save, or are damaged") from error
        if "games" in arrays and arrays["games"].dtype != game.dtype:
            raise ValueError(f"these bytes hold records of {game.name} as another version of tritarea has them")
        try:
            batch = cls._like(head, arrays, threads)
            rules = copy_records(batch.games)
            game.configure(rules, batch.options)
        except (KeyError, TypeError, ValueError, MemoryError) as error:
            raise ValueError(f"these bytes were not written by Batch.save: {error}") from error
        if rules.tobytes() != batch.games.tobytes():
            raise ValueError("these bytes were not written by Batch.save: records and options disagree")
        return batch

    def __deepcopy__(self, memo: dict[int, Any]) -> Batch:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return Batch.load, (self.save(), self.threads)

    def _head(self) -> dict[str, Any]:
        """What ``_allocate`` needs."""
        return {"game": self.game.name, "n": len(self), "reward": self._reward, "options": self.options}

    @classmethod
    def _like(cls, head: dict[str, Any], arrays: dict[str, Any], threads: int) -> Batch:
        batch = cls.__new__(cls)
        batch._allocate(head["game"], head["n"], head["reward"], threads, head["options"])
        for name in _KEPT:
            own = getattr(batch, name)
            if (own.shape, own.dtype) != (arrays[name].shape, arrays[name].dtype):
                raise ValueError(f"{name} is {own.dtype} of shape {own.shape}, not {arrays[name].shape}")
        put_records(batch.games, arrays["games"])
        for name in _COUNTED:
            getattr(batch, name)[...] = arrays[name]
        batch.look(batch._all)
        return batch


def _integers(actions: ArrayLike, count: int) -> NDArray[Any]:
    """The actions as an array (count,) of integers."""
    try:
        chosen = np.asarray(actions)
    except ValueError:  # lists of different lengths
        raise TypeError(f"actions are {count} integers, not {actions!r}") from None
    if not chosen.size:
        chosen = chosen.astype(np.int64)
    if chosen.shape != (count,) or chosen.dtype.kind not in "iu":
        raise TypeError(f"actions are {count} integers, not {chosen.dtype} of shape {chosen.shape}")
    return chosen


def _number(n: Any, name: str, of_what: str) -> int:
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise ValueError(f"{name} is a number of {of_what} from 1 on, not {n!r}")
    return int(n)


UNTIL = ("game", "round")


def playout(games: NDArray[Any], *, seed: int = 0, until: str = "game") -> int:
    """Play games on with random actions, in place and in compiled code.

    Args:
        games: (n,) records of games under way, complete ones: not as ``hide`` leaves them. Copies of ``Batch.games``,
            say: a batch whose own games were played on needs a ``reset``. Those that are over stay as they are.
        seed: 0 … 2**64-1, of all chance but the deals, which come from the games' own streams. Row i's actions do not
            depend on the other rows.
        until: the end of the ``"game"`` or of the ``"round"``.

    Returns:
        How many decisions were made.

    Raises:
        TypeError, ValueError: what is no array of records or cannot be written to, no seed, or neither of the two.
    """
    if not isinstance(games, np.ndarray) or games.ndim != 1 or not is_registered(games.dtype):
        raise TypeError(f"games is an array (n,) of a game's records, not {games!r}")
    if not games.flags.writeable:
        raise ValueError("games are played on in place, but this array is read-only: give a copy")
    only_round = one_of(until, UNTIL, "until") == "round"
    return int(loops.playout_games(bare(games), np.arange(len(games)), key_of(seed), only_round))
