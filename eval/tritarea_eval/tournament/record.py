"""The games of a tournament's file as records that replay and check themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tritarea_agents.playing import Played
from tritarea_env.engine import loops
from tritarea_env.engine.rng import child, key_of
from tritarea_env.records import Record

from .schedule import Schedule
from .store import Store, StoreError


def record_of(store: Store, game: int) -> Record:
    """The record of one game.

    Raises:
        StoreError: there is no such game, or its moves do not lead to a game's end.
    """
    seats, actions = store.moves(game)
    schedule = Schedule.of(store.config)
    (deal,) = schedule.deal(np.array([game // schedule.seatings])).tolist()
    return replayed(store, deal, seats, actions).record(0)


def told_seats(store: Store, game: int) -> list[str]:
    """Who held each seat in a game of the store, and where its agent failed."""
    schedule = Schedule.of(store.config)
    block, turn = divmod(game, schedule.seatings)
    told = [store.agents[holder].name for holder in schedule.holders(block, 1)[turn]]
    for failure in store.failures():
        if failure.game == game:
            told[failure.seat] += f" (failed at decision {failure.decision}, {failure.what}: {failure.message})"
    return told


def replayed(store: Store, deal: int, seats: NDArray[np.int8], actions: NDArray[np.int16]) -> Played:
    """One game played once more."""
    rules, options = store.config.game.game, store.config.game.checked
    games, only = rules.new(1, options), np.zeros(1, np.int64)
    games.stream[:] = child(key_of(store.config.seed), deal)
    loops.reset_games(games, only)
    for number, (seat, action) in enumerate(zip(seats, actions, strict=True)):
        chosen = np.array([action], np.int64)
        if games.done[0] or games.seat[0] != seat or loops.first_illegal(games, only, chosen) >= 0:
            raise StoreError(f"{store.path}: the file is damaged: decision {number} of a game does not fit")
        loops.step_games(games, only, chosen)
    return Played(rules, options, games.stream.copy(), games, seats[None], actions[None])
