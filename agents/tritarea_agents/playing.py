"""Play many games to their end at once, every agent deciding for all games that wait for it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tritarea_env import records
from tritarea_env.engine import loops
from tritarea_env.games import Game
from tritarea_env.records import Record
from tritarea_env.views import Agent, Views

from .faults import Fault, Waiting, attempt, described, failing, kind_of, let_go, one_line
from .random import RandomAgent

OnProgress = Callable[[int, int], None]  # games finished and decisions made since the last call


class AgentError(Exception):
    """An agent raised an exception or answered nonsense.

    Attributes:
        agent: its label.
        seat: the seat that was to move.
        decision_seed: the chance it was given for the decision.
        record: the game up to that decision.
        finished: records of the games that were over by then and not handed on yet.
        written: how many complete records stand in the match's file.
    """

    def __init__(self, agent: str, seat: int, decision_seed: int, cause: Exception, record: Record) -> None:
        self.agent, self.seat, self.decision_seed, self.record = agent, seat, decision_seed, record
        self.finished: list[Record] = []
        self.written = 0
        number = len(record["actions"])
        super().__init__(f"agent {agent!r} failed in seat {seat} at decision {number} of its game: {described(cause)}")


@dataclass
class Participant:
    """An agent at the tables, by the label that reports give it, and what it has done so far."""

    label: str
    agent: Agent
    decisions: int = 0
    _timed: int = 0
    _seconds: float = 0.0

    def start(self) -> None:
        """Count from zero."""
        self.decisions, self._timed, self._seconds = 0, 0, 0.0

    def act(self, views: Views) -> Any:
        """The agent's answer, timed; not so the first one, for which code may be compiled or loaded."""
        begun = time.perf_counter()
        try:
            return self.agent.act(views)
        finally:
            if self.decisions:
                self._timed += len(views)
                self._seconds += time.perf_counter() - begun
            self.decisions += len(views)

    @property
    def speed(self) -> float | None:
        """Decisions a second; None if there is nothing timed."""
        return self._timed / self._seconds if self._seconds else None

    @property
    def timed(self) -> tuple[int, float]:
        """The decisions that were timed, and the seconds that they took."""
        return self._timed, self._seconds


@dataclass(frozen=True)
class Played:
    """Games that were played to their end.

    Attributes:
        streams: (n,) uint64, the stream whose first game each of them is.
        final: (n,) recarray, the records at the end.
        seats: (n, T) int8 and
        actions: (n, T) int16, who did what in each decision; -1 after a game's end.
        faults: the agents' failures, by game and decision; at most one of a seat in a game.
    """

    game: Game
    options: Mapping[str, Any]
    streams: NDArray[np.uint64]
    final: np.recarray
    seats: NDArray[np.int8]
    actions: NDArray[np.int16]
    faults: tuple[Fault, ...] = ()

    def __len__(self) -> int:
        return len(self.streams)

    @property
    def scores(self) -> NDArray[np.int64]:
        """(n, seats) int64."""
        return np.asarray(self.final.scores[:, : self.game.seats_of(self.options)], np.int64)

    def shares(self) -> NDArray[np.float64]:
        """(n, seats) float64: 1/k for each of k winners."""
        out = np.empty((len(self), self.game.seats_of(self.options)))
        loops.shares(self.final, np.arange(len(self)), out)
        return out

    @property
    def failed(self) -> NDArray[np.bool_]:
        """(n, seats) bool: the seats whose agent failed."""
        out = np.zeros((len(self), self.game.seats_of(self.options)), np.bool_)
        for fault in self.faults:
            out[fault.game, fault.seat] = True
        return out

    def begun(self) -> np.recarray:
        """(n,) recarray: the same games before their first decision."""
        games = _blank(self.game, self.options, self.streams)
        loops.reset_games(games, np.arange(len(games)))
        return games

    def digests(self) -> NDArray[np.uint64]:
        """(n,) uint64, a digest of each game's actions: equal for games in which the same was done."""
        rows = (row[row >= 0].tobytes() for row in self.actions)
        return np.frombuffer(b"".join(hashlib.blake2b(row, digest_size=8).digest() for row in rows), np.uint64)

    def record(self, i: int) -> Record:
        """The record of game ``i``."""
        length = int((self.actions[i] >= 0).sum())
        pairs = np.stack([self.seats[i, :length], self.actions[i, :length]], axis=1).tolist()
        drawn = _blank(self.game, self.options, self.streams[i : i + 1])
        loops.draw_game(drawn, 0)
        start = self.game.set_start(drawn[0], {})
        return records.make(self.game, self.options, start, pairs, self.final[i])


def _blank(game: Game, options: Mapping[str, Any], streams: NDArray[np.uint64]) -> np.recarray:
    games = game.new(len(streams), options)
    games.stream[:] = streams
    return games


@dataclass
class _Tables:
    """Games under way, all at the same decision; a game that is over waits for the rest.

    ``holders`` (n, seats) says who decides for a seat now; ``stand_in`` is the number of who does after a failure.
    """

    game: Game
    options: Mapping[str, Any]
    streams: NDArray[np.uint64]
    games: np.recarray
    holders: NDArray[np.int8]
    stand_in: int
    seats: list[NDArray[np.int8]] = field(default_factory=list)
    actions: list[NDArray[np.int16]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def step(self, live: NDArray[np.int64], chosen: NDArray[np.int64]) -> None:
        """One decision in each of the games ``live`` (m,); ``chosen`` (n,) by game."""
        seats = np.full(len(self.games), -1, np.int8)
        seats[live] = self.games.seat[live]
        actions = np.full(len(self.games), -1, np.int16)
        actions[live] = chosen[live]
        self.seats.append(seats)
        self.actions.append(actions)
        loops.step_games(self.games, live, chosen[live])

    def played(self) -> Played:
        """The games as they stand; those under way have records without a result."""
        empty = np.empty((len(self.games), 0), np.int8)
        seats = np.stack(self.seats, axis=1) if self.seats else empty
        actions = np.stack(self.actions, axis=1) if self.actions else empty.astype(np.int16)
        faults = tuple(sorted(self.faults, key=lambda fault: (fault.game, fault.decision)))
        return Played(self.game, self.options, self.streams, self.games, seats, actions, faults)


def play_games(
    game: Game,
    options: Mapping[str, Any],
    participants: Sequence[Participant],
    holders: NDArray[np.int8],
    streams: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    on_progress: OnProgress | None = None,
    on_failure: Literal["raise", "random"] = "raise",
) -> Played:
    """Play n games to their end.

    Args:
        options: the game's options, checked.
        holders: (n, seats) int8, which participant holds each seat.
        streams: (n,) uint64; the first game of each stream is played.
        keys: (n,) uint64, of the chance of each game's agents.
        on_progress: called after every decision.
        on_failure: what follows if an agent raises an exception or chooses an illegal action. ``raise``: all ends;
            ``random``: its seat goes on at random in that game, with the chance that the agent was given, and the
            fault is recorded. No other game and no other seat notices.

    Raises:
        AgentError: an agent failed.
    """
    stand_in = Participant("stand-in", RandomAgent())
    tables = _Tables(game, options, streams, _blank(game, options, streams), holders.copy(), len(participants))
    loops.reset_games(tables.games, np.arange(len(streams)))
    live = np.arange(len(streams))
    chosen = np.zeros(len(streams), np.int64)
    while len(live):
        holder = tables.holders[live, tables.games.seat[live]]
        for number, participant in enumerate([*participants, stand_in] if tables.faults else participants):
            index = live[holder == number]
            if len(index):
                waiting = Waiting(game, tables.games, index, keys[index])
                chosen[index] = _decide(participant, tables, waiting, None if on_failure == "raise" else stand_in)
        tables.step(live, chosen)
        still = live[tables.games.done[live] == 0]
        if on_progress is not None:
            on_progress(len(live) - len(still), len(live))
        live = still
    return tables.played()


def _decide(
    participant: Participant, tables: _Tables, waiting: Waiting, stand_in: Participant | None
) -> NDArray[np.int64]:
    """What the participant does, or from its failure on the stand-in, if there is one."""
    chosen = np.empty(len(waiting), np.int64)
    trouble = attempt(participant.act, waiting, chosen)
    if trouble is None:
        return chosen
    found = failing(participant.agent, waiting, trouble, chosen)
    if stand_in is None:
        place, cause = next(found, (0, trouble.error))
        raise _error_of(participant, tables, waiting.part(slice(place, place + 1)), cause) from cause
    failed = []
    for place, cause in found:
        failed.append(place)
        tables.faults.append(_fault(tables, int(waiting.index[place]), cause))
    let_go(trouble.error)
    if failed:
        part = waiting.part(np.array(failed))
        chosen[failed] = stand_in.act(part.views())
        tables.holders[part.index, tables.games.seat[part.index]] = tables.stand_in
    return chosen


def _fault(tables: _Tables, i: int, cause: Exception) -> Fault:
    """The failure of the seat to move in game ``i``."""
    message = one_line(described(cause))
    return Fault(i, int(tables.games.seat[i]), len(tables.seats), kind_of(cause), message)


def _error_of(participant: Participant, tables: _Tables, one: Waiting, cause: Exception) -> AgentError:
    """The failure of a decision, with all that is known of the games by then."""
    views, played = one.views(), tables.played()
    record = played.record(int(one.index[0]))
    failure = AgentError(participant.label, int(views.seat[0]), int(views.seed[0]), cause, record)
    failure.finished = [played.record(int(j)) for j in np.flatnonzero(tables.games.done)]
    return failure
