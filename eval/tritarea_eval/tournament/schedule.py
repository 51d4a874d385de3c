"""Who plays which deal in which seat, in every game of a tournament, by number.

A *table* is a row of agents, clockwise. A *block* is one deal and one table, played once in each seating of the table
with the same cards: the unit of all work. Blocks go through a *cycle* of tables again and again; the agents have met
alike after every whole cycle. Where the format draws balanced tables, each cycle gives the numbers of its tables to
other agents, by the seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from tritarea_env.engine.rng import child, derive_many, key_of
from tritarea_train.config import ConfigError

from . import tables
from .config import TournamentConfig

MOST_TABLES = 100_000  # in a cycle
SCHEDULE_STREAM = (1 << 32) + 1  # child of the seed's key; its children are the cycles'

Rows = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Schedule:
    """All games of a tournament.

    Block b needs nothing but the config and b, and is the same however many deals there are. Game id is
    ``block * seatings + turn``.

    Attributes:
        agents: how many; the number after the last one's holds the NPC seats.
        seats: at a table, NPC seats included; the first ``players`` are players'.
        order: (seatings, players) int8: which place of the table sits in each seat.
        cycle: (T, players) int8, tables of places in ``labels``.
        labels: (agents,) int8, agents' numbers; the first ``drawn`` of them are in a new order in each cycle.
        key: of that chance.
        tables_per_deal: how many blocks, one after the other, play the same deal.
        blocks: how many there are: whole cycles, whole deals.
        wave: blocks between two looks, of the same kind; the last wave may be shorter.
    """

    agents: int
    players: int
    seats: int
    order: Rows
    cycle: Rows
    labels: Rows
    drawn: int
    key: np.uint64
    tables_per_deal: int
    blocks: int
    wave: int

    @classmethod
    def of(cls, config: TournamentConfig) -> Schedule:
        """The schedule of a config.

        Raises:
            ConfigError: there are too many tables, or the deals are for more tables than there are.
        """
        cycle, labels, drawn = _cycle(config)
        per_deal = len(cycle) if config.tables_per_deal == "all" else config.tables_per_deal
        if per_deal > len(cycle):
            raise ConfigError(f"tables_per_deal: there are but {len(cycle)} tables, not {per_deal}: all means all")
        whole = math.lcm(len(cycle), per_deal)
        return cls(
            agents=len(config.agents),
            players=config.game.players,
            seats=config.game.game.seats_of(config.game.checked),
            order=_order(config),
            cycle=cycle,
            labels=labels,
            drawn=drawn,
            key=child(key_of(config.seed), SCHEDULE_STREAM),
            tables_per_deal=per_deal,
            blocks=_rounded_up(config.deals * per_deal, whole),
            wave=_rounded_up(config.wave, whole),
        )

    @property
    def seatings(self) -> int:
        """How many games a block is."""
        return len(self.order)

    @property
    def deals(self) -> int:
        """How many deals are played."""
        return self.blocks // self.tables_per_deal

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.blocks * self.seatings

    def deal(self, blocks: NDArray[np.int64]) -> NDArray[np.int64]:
        """The deal of each block."""
        return np.asarray(blocks) // self.tables_per_deal

    def lineups(self, first: int, count: int) -> Rows:
        """(count, players) int8: the agents at the table of each block from ``first`` on, clockwise."""
        rounds, places = np.divmod(np.arange(first, first + count), len(self.cycle))
        if not self.drawn:
            return self.labels[self.cycle[places]]
        begun = first // len(self.cycle)
        labels = np.stack(
            [self._labels(number) for number in range(begun, int(rounds[-1]) + 1 if count else begun + 1)]
        )
        return np.asarray(labels[(rounds - begun)[:, None], self.cycle[places]])

    def holders(self, first: int, count: int) -> Rows:
        """(count * seatings, seats) int8: who holds each seat in each game of these blocks, in the order of the ids."""
        out = np.full((count, self.seatings, self.seats), self.agents, np.int8)
        out[:, :, : self.players] = self.lineups(first, count)[:, self.order]
        return out.reshape(-1, self.seats)

    def _labels(self, number: int) -> Rows:
        """``labels`` in the cycle of this number."""
        words = np.empty(self.drawn, np.uint64)
        derive_many(child(self.key, number), 0, words)
        return np.concatenate([self.labels[np.argsort(words)], self.labels[self.drawn :]])


def _rounded_up(number: int, whole: int) -> int:
    return -(-number // whole) * whole


def _order(config: TournamentConfig) -> Rows:
    players = config.game.players
    if config.format == "self":
        return np.arange(players, dtype=np.int8)[None]
    if config.seating == "permutations" and _all_different(config):
        return _rows(permutations(range(players)))
    return _rows(np.roll(np.arange(players), turn) for turn in range(players))


def _all_different(config: TournamentConfig) -> bool:
    """Whether no agent sits twice at a table. Where all but one are the same, rotations are all that differ."""
    return config.format == "round_robin" or (config.ladder is not None and config.ladder.against == "mixed")


def _cycle(config: TournamentConfig) -> tuple[Rows, Rows, int]:
    """``cycle``, ``labels`` and ``drawn``."""
    agents, players = len(config.agents), config.game.players
    numbers = np.arange(agents, dtype=np.int8)
    if config.format == "self":
        return numbers[:, None].repeat(players, axis=1), numbers, 0
    if config.format == "one_vs_rest":
        ones = [(a, b) for a in range(agents) for b in range(agents) if a != b and (players > 2 or a < b)]
        return _rows((a, *[b] * (players - 1)) for a, b in ones), numbers, 0
    in_order = config.seating == "rotations"
    if config.ladder is None:
        return _round_robin(config, agents, players, in_order), numbers, agents
    new = config.names.index(config.ladder.new)
    pool = agents - 1
    labels = np.append(np.delete(numbers, new), np.int8(new))
    if config.ladder.against == "alone":
        return _rows((pool, *[b] * (players - 1)) for b in range(pool)), labels, 0
    beside = _beside(config, pool, players - 1, in_order)
    return np.concatenate([np.full((len(beside), 1), pool, np.int8), beside], axis=1), labels, pool


def _round_robin(config: TournamentConfig, agents: int, players: int, in_order: bool) -> Rows:
    count = tables.count_all(agents, players, in_order)
    if config.tables == "balanced" and 2 < players < agents:
        fewer = tables.balanced_tables(agents, players)
        if len(fewer) < count:
            return fewer
    _few_enough(count)
    return tables.all_tables(agents, players, in_order)


def _beside(config: TournamentConfig, pool: int, size: int, in_order: bool) -> Rows:
    count = tables.count_beside(pool, size, in_order)
    if config.tables == "balanced" and size == 3:
        fewer = tables.balanced_beside(pool)
        if len(fewer) < count:
            return fewer
    _few_enough(count)
    return tables.all_beside(pool, size, in_order)


def _few_enough(count: int) -> None:
    if count > MOST_TABLES:
        raise ConfigError(f"tables: all would be {count:,}, and at most {MOST_TABLES:,} can be; take balanced")


def _rows(rows: Iterable[Iterable[int]]) -> Rows:
    return np.array([list(row) for row in rows], np.int8)
