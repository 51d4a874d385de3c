"""Play what a tournament's file lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import numpy as np
from rich.console import Console

from .config import SprtConfig, TournamentConfig
from .games import Games
from .pool import OnProgress, Task, Team
from .ranking import as_sides
from .schedule import Schedule
from .stopping import Rule, SequentialTest, Verdict, Width
from .store import Batch, Ended, Store
from .watching import Screen
from .work import Work

Players = Callable[[Iterator[Task], OnProgress], Iterator[Batch]]  # play tasks, in whatever order


def finish(store: Store, workers: int, games_at_once: int, console: Console) -> None:
    """Play all that a tournament's file lacks, in so many processes or fewer; ``console`` shows how it goes.

    Raises:
        PoolError: a worker failed.
        StoreError: the file cannot be written.
    """
    schedule, done = Schedule.of(store.config), store.count()
    games = blocks_to_play(store, schedule) * schedule.seatings
    at_most = " at most" if store.config.stop is not None and store.ended is None else ""
    console.print(f"{games:,} games{at_most}, {done:,} played, {games - done:,} to play", soft_wrap=True)
    if complete(store, schedule):
        return
    tasks = -(-(games - done) // (_step(schedule, games_at_once) * schedule.seatings))
    workers = min(workers, tasks)
    with ExitStack() as stack:
        if workers <= 1:
            players: Players = Work(store.config).play_all
        else:
            players = stack.enter_context(Team(store.config, workers)).play
        screen = stack.enter_context(Screen(store, console, games, done))
        play(store, players, games_at_once, screen.played, screen.stored)


def blocks_to_play(store: Store, schedule: Schedule) -> int:
    """How many blocks the tournament has, at most if a stopping rule may yet end it."""
    return schedule.blocks if store.ended is None else store.ended.blocks


def complete(store: Store, schedule: Schedule) -> bool:
    """Whether nothing is left to do: all blocks are there, and a stopping rule has looked at them."""
    looked = store.ended is not None or store.config.stop is None
    return looked and len(store.blocks()) == blocks_to_play(store, schedule)


def play(
    store: Store, players: Players, games_at_once: int, on_progress: OnProgress, on_stored: Callable[[Games], None]
) -> None:
    """Play and store all blocks that are missing, until a rule ends the tournament or all are there.

    A stopping rule looks only when all blocks up to a whole number of waves are there, so that who played which of
    them, and in which order, changes nothing.

    Args:
        players: ``Work.play_all`` or ``Team.play``.
        games_at_once: of a process and of a transaction, rounded down to whole blocks.
        on_progress: gets games finished and decisions made since its last call.
        on_stored: gets games when they are in the file.
    """
    schedule = Schedule.of(store.config)
    if store.ended is not None:
        return
    step = _step(schedule, games_at_once)
    rule = None if store.config.stop is None else rule_of(store.config)
    for end in _looks(store.config, schedule):
        for batch in players(_tasks(store, end, step), on_progress):
            store.add(batch)
            on_stored(batch.games)
        if rule is not None:
            verdict = _verdict(store, rule, end)
            if verdict.stop or end == schedule.blocks:
                store.end(Ended(end, verdict.text if verdict.stop else f"undecided, {verdict.text}"))
                return


def _step(schedule: Schedule, games_at_once: int) -> int:
    """How many blocks a task has."""
    return max(1, games_at_once // schedule.seatings)


def _looks(config: TournamentConfig, schedule: Schedule) -> Iterator[int]:
    """After how many blocks the stopping rule looks; the last is after all."""
    if config.stop is not None:
        yield from range(schedule.wave, schedule.blocks, schedule.wave)
    yield schedule.blocks


def _verdict(store: Store, rule: Rule, end: int) -> Verdict:
    """What the rule says of the blocks below ``end``."""
    config = store.config
    games = as_sides(store.games(end), config.game.game.sides(config.game.checked))
    return rule.look(games, len(config.agents), config.seed)


def rule_of(config: TournamentConfig) -> Rule:
    """The config's stopping rule."""
    assert config.stop is not None
    rule = config.stop.rule
    first, second = (config.names.index(name) for name in rule.between)
    if isinstance(rule, SprtConfig):
        return SequentialTest(first, second, "lead", rule.low, rule.high, rule.alpha, rule.beta)
    return Width(first, second, rule.of, rule.below)


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
