"""Playing blocks of a tournament: the same games whatever process plays them, and with whatever others."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritarea_agents.exec_bot import with_limits
from tritarea_agents.playing import OnProgress, Participant, Played, play_games
from tritarea_env.engine.rng import child, derive_many, key_of
from tritarea_env.games import Game
from tritarea_env.views import AGENT_STREAM, find_agent

from .config import TournamentConfig
from .games import Games
from .identity import identities
from .layout import pack
from .play import shares_of
from .pool import Task
from .schedule import Schedule
from .store import Batch, Failure, Timed


class Work:
    """A tournament's agents, made and ready to play any of its blocks.

    Raises:
        ValueError: an agent that is none.
    """

    def __init__(self, config: TournamentConfig) -> None:
        self.config, self.schedule = config, Schedule.of(config)
        self.game = game = config.game.game
        self.options = config.game.checked
        self.participants = [
            Participant(agent.name, find_agent(with_limits(agent.spec, config.limits.model_dump()), game, self.options))
            for agent in identities(config)
        ]

    def play(self, first: int, count: int, on_progress: OnProgress | None = None) -> Batch:
        """Play ``count`` blocks from block ``first`` on; an agent's failure ends nothing."""
        key, turns = key_of(self.config.seed), self.schedule.seatings
        deals = self.schedule.deal(np.arange(first, first + count)).repeat(turns)
        streams, keys = np.empty(len(deals), np.uint64), np.empty(len(deals), np.uint64)
        for i, deal in enumerate(deals.tolist()):
            streams[i] = child(key, deal)
        derive_many(child(key, AGENT_STREAM), first * turns, keys)
        for participant in self.participants:
            participant.start()
        holders = self.schedule.holders(first, count)
        with _torch_alone():
            played = play_games(
                self.game, self.options, self.participants, holders, streams, keys, on_progress, on_failure="random"
            )
        ids = first * turns + np.arange(len(deals))
        games = columns_of(played, ids, turns, deals, holders, shares_of(played, self.config.failure))
        failures = [
            Failure(int(ids[f.game]), f.seat, f.decision, int(holders[f.game, f.seat]), f.kind, f.message)
            for f in played.faults
        ]
        times = [Timed(number, *participant.timed) for number, participant in enumerate(self.participants)]
        return Batch(games, moves_of(played), failures, times)

    def play_all(self, tasks: Iterable[Task], on_progress: OnProgress) -> Iterator[Batch]:
        """Play tasks one after the other."""
        return (self.play(first, count, on_progress) for first, count in tasks)


@contextmanager
def _torch_alone() -> Iterator[None]:
    """Nets compute with one thread in this block: with others, the last bits of their numbers would be others."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def columns_of(
    played: Played,
    ids: NDArray[np.int64],
    seatings: int,
    deals: NDArray[np.int64],
    holders: NDArray[np.int8],
    shares: NDArray[np.float64],
) -> Games:
    """What was played as columns."""
    seats = holders.shape[1]
    return Games(
        id=ids,
        block=ids // seatings,
        deal=deals,
        holders=holders,
        score=played.scores,
        share=shares,
        points=np.asarray(played.final.points[:, :seats], np.int64),
        start=first_leaders(played),
        failed=played.failed,
        digest=played.digests(),
        decisions=np.stack([(played.seats == seat).sum(axis=1) for seat in range(seats)], axis=1),
    )


def first_leaders(played: Played) -> NDArray[np.int8]:
    """(n,) int8, the seats that lead the first trick: in TriATri who first picks a prize, else who decides first."""
    picks = _prizes(played.game)
    if not picks.any():
        return played.seats[:, 0].copy()
    at = (picks[played.actions] & (played.actions >= 0)).argmax(axis=1)
    leaders: NDArray[np.int8] = played.seats[np.arange(len(played)), at]
    return leaders


def _prizes(game: Game) -> NDArray[np.bool_]:
    return np.array([name.startswith("prize") for name in game.action_names])


def moves_of(played: Played) -> list[bytes]:
    """Each game's packed moves."""
    lengths = (played.actions >= 0).sum(axis=1).tolist()
    return [pack(played.seats[i, :length], played.actions[i, :length]) for i, length in enumerate(lengths)]
