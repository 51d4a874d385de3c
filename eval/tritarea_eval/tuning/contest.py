"""What candidates are worth: duplicate matches, each candidate on the same deals, played side by side in threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tritarea_agents.playing import OnProgress
from tritarea_env import games
from tritarea_env.views import find_agent
from tritarea_eval.match import Match, MatchResult

from .config import INCUMBENT, START, ObjectiveConfig, TuneConfig
from .strategy import Vector
from .subject import Subject, Values

TRAINING, CHECKING = 0, 1  # purposes of deals


class Stopped(Exception):
    """The match was broken off."""


@dataclass(frozen=True)
class Encounter:
    """A match that every candidate plays: at a table, against an opponent; ``weight`` is its part of the objective."""

    options: dict[str, Any]
    opponent: str
    weight: float
    games: int
    seed: int


def encounters(config: TuneConfig, subject: Subject, generation: int, incumbent: Values) -> list[Encounter]:
    """A generation's: every table counts alike, and games are dealt to the opponents by their weights."""
    own = {INCUMBENT: subject.spec(incumbent), START: subject.spec(subject.start)}
    total = sum(config.opponents.values())
    return [
        Encounter(
            options,
            own.get(opponent, opponent),
            weight / total / len(config.tables),
            max(1, round(config.games * weight / total)),
            seed_of(config.seed, TRAINING, generation, table, number),
        )
        for table, options in enumerate(config.tables)
        for number, (opponent, weight) in enumerate(sorted(config.opponents.items()))
        if weight > 0
    ]


def seed_of(seed: int, *path: int) -> int:
    """A match's seed of its own for each path."""
    return int(np.random.SeedSequence(seed, spawn_key=path).generate_state(1, np.uint64)[0])


def worth(result: MatchResult, objective: ObjectiveConfig) -> float:
    """What the first agent's result is worth."""
    own, other = result.agents
    margin = own.score.mean - other.score.mean
    return objective.share * (own.share.mean / own.even - 1) + objective.score * margin


class Pool:
    """Threads that play matches; kernels run without Python's lock, so threads do as well as processes."""

    def __init__(self, threads: ThreadPoolExecutor, stop: threading.Event, on_progress: OnProgress | None) -> None:
        self._threads, self._stop, self._on_progress = threads, stop, on_progress

    def play(self, matches: Sequence[Match]) -> list[MatchResult]:
        """The matches' results, in their order."""
        return list(self._threads.map(self._play, matches))

    def _play(self, match: Match) -> MatchResult:
        return match.play(on_progress=self._report)

    def _report(self, games: int, decisions: int) -> None:
        if self._stop.is_set():
            raise Stopped
        if self._on_progress is not None:
            self._on_progress(games, decisions)


@contextmanager
def pool(workers: int, bar: AbstractContextManager[OnProgress | None]) -> Iterator[Pool]:
    """A pool that ends with the block: at once if that ends by an error or an interrupt."""
    stop = threading.Event()
    with bar as on_progress, ThreadPoolExecutor(workers) as threads:
        try:
            yield Pool(threads, stop, on_progress)
        except BaseException:
            stop.set()
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def measure(
    players: Pool, config: TuneConfig, subject: Subject, candidates: Sequence[Values], met: Sequence[Encounter]
) -> Vector:
    """(candidates,) what each is worth: the mean over the encounters, by their weights."""
    matches = [
        Match(config.game, [subject.spec(values), e.opponent], games=e.games, seed=e.seed, options=e.options)
        for values in candidates
        for e in met
    ]
    found = np.array([worth(result, config.objective) for result in players.play(matches)], np.float64)
    weights = np.array([e.weight for e in met])
    return np.asarray((found.reshape(len(candidates), len(met)) * weights).sum(axis=1), np.float64)


def check(players: Pool, config: TuneConfig, subject: Subject, values: Values) -> list[MatchResult]:
    """A match at each table: ``values`` in one seat against the starting values in all others."""
    agents = [subject.spec(values), subject.spec(subject.start)]
    parts = [
        Match(
            config.game, agents, games=config.check.games, seed=seed_of(config.seed, CHECKING, table), options=options
        )
        for table, options in enumerate(config.tables)
    ]
    return players.play(parts)


def check_agents(config: TuneConfig, subject: Subject) -> None:
    """Raises ValueError if an opponent is no agent at one of the tables, or the subject has not these parameters."""
    find_agent(subject.spec(subject.start), games.get(config.game), {})
    for spec in set(config.opponents) - {INCUMBENT, START}:
        for options in config.tables:
            try:
                Match(config.game, [spec, spec], games=1, options=options)
            except ValueError as error:
                raise ValueError(f"opponents: {error} (or {INCUMBENT}, {START})") from error
