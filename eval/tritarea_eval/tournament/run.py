"""Play what a tournament's file lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from .config import TournamentConfig
from .pool import OnProgress, Task
from .schedule import Schedule
from .store import Batch, Store

GAMES_AT_ONCE = 256  # of a process, and of a transaction


class Watch(NamedTuple):
    """Who is told what happens: ``played`` of games finished and decisions made, ``stored`` of games in the file."""

    played: Callable[[int, int], None]
    stored: Callable[[int], None]


def blocks_to_play(store: Store, schedule: Schedule) -> int:
    """How many blocks the tournament has, as far as is known: a rule may have ended it, or may yet."""
    return schedule.blocks if store.stopped is None else store.stopped[0]


def complete(store: Store, schedule: Schedule) -> bool:
    """Whether nothing is left to play."""
    over = store.stopped is not None or store.config.stop is None
    return over and len(store.blocks()) == blocks_to_play(store, schedule)


def play(
    store: Store, players: Callable[[Iterator[Task], OnProgress], Iterator[Batch]], games_at_once: int, watch: Watch
) -> None:
    """Play and store all blocks that are missing, until a rule ends the tournament or all are there.

    A stopping rule looks only when all blocks up to a whole number of waves are there, so that who played which of
    them, and in which order, changes nothing.

    Args:
        players: play tasks, in whatever order (``Work.play_all`` or ``Team.play``).
        games_at_once: of a process and of a transaction, rounded down to whole blocks.

    Raises:
        PoolError: a worker failed.
        StoreError: the file cannot be written.
    """
    schedule = Schedule(store.config)
    if store.stopped is not None:
        return
    step = max(1, games_at_once // schedule.seatings)
    for end in _looks(store.config, schedule):
        for batch in players(_tasks(store, end, step), watch.played):
            store.add(batch)
            watch.stored(len(batch.games.id))
        reason = _reason(store, end)
        if reason is not None:
            store.stop(end, reason)
            return


def _looks(config: TournamentConfig, schedule: Schedule) -> Iterator[int]:
    """After how many blocks the stopping rule looks; the last is after all."""
    if config.stop is not None:
        yield from range(schedule.wave, schedule.blocks, schedule.wave)
    yield schedule.blocks


def _reason(store: Store, end: int) -> str | None:
    """Why the tournament ends here; None if it goes on."""
    return None


def _tasks(store: Store, end: int, step: int) -> Iterator[Task]:
    """The runs of blocks below ``end`` that are missing, none across a multiple of ``step``."""
    stored = store.blocks()
    for first in range(0, end, step):
        last = min(first + step, end)
        there = stored[np.searchsorted(stored, first) : np.searchsorted(stored, last)]
        left = np.setdiff1d(np.arange(first, last), there)
        for run in np.split(left, np.flatnonzero(np.diff(left) > 1) + 1):
            if len(run):
                yield int(run[0]), len(run)
