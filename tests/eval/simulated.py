"""Tournaments without a game: results drawn by a formula, so that the truth about the agents is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tritarea_eval.tournament.games import Games

POINTS = 100  # of score for one unit of a strength's logarithm


def simulate(
    strength: Sequence[float],
    deals: int,
    seed: int,
    *,
    tables: Sequence[Sequence[int]] | None = None,
    every: bool = True,
    cards: float = 0.4,
    taste: float = 0.2,
) -> Games:
    """Draw a tournament in which tables play deals once in each rotation.

    A seat's worth in a game is its agent's strength plus luck, whose distribution is Gumbel's: so places follow the
    Plackett-Luce model exactly, and the chance to finish ahead in a pair is p / (p + q). Part of the luck is the seat's
    in that deal, whoever sits there; part is the agent's in that deal, wherever it sits; the rest is the game's own.

    Args:
        strength: each agent's logarithm of p.
        deals: how many.
        seed: of all chance.
        tables: the agents of each table, clockwise; None: one table of all.
        every: whether every table plays every deal; else one after the other plays one.
        cards: the part of luck's variance that is the seat's in the deal, and
        taste: the part that is the agent's in the deal (0 where an agent has several seats at a table).
    """
    random = np.random.default_rng(seed)
    tables = [range(len(strength))] if tables is None else tables
    seats = len(tables[0])
    rotations = np.array([[np.roll(table, turn) for turn in range(seats)] for table in tables])
    deal, table = np.repeat(np.arange(deals), len(tables)), np.tile(np.arange(len(tables)), deals)
    if not every:
        deal, table = np.arange(deals), np.arange(deals) % len(tables)
    holders, deal = rotations[table].reshape(-1, seats), deal.repeat(seats)
    luck = np.sqrt(cards) * random.standard_normal((deals, seats))[deal]
    luck += np.sqrt(taste) * random.standard_normal((deals, len(strength)))[deal[:, None], holders]
    luck += np.sqrt(1 - cards - taste) * random.standard_normal(holders.shape)
    worth = np.asarray(strength)[holders] - np.log(-special.log_ndtr(luck))
    return games_of(holders, np.rint(POINTS * worth).astype(np.int64), deal)


def games_of(holders: NDArray[np.int64], score: NDArray[np.int64], deal: NDArray[np.int64]) -> Games:
    """Games with these results: the highest score wins, shared by those that have it."""
    count, seats = score.shape
    won = score == score.max(axis=1, keepdims=True)
    ids = np.arange(count)
    first = score // 3
    return Games(
        id=ids,
        block=ids // seats,
        deal=deal.astype(np.int64),
        holders=np.asarray(holders, np.int8),
        score=score,
        share=won / won.sum(axis=1, keepdims=True),
        points=np.stack([first, score - first], axis=2),
        start=(deal % seats).astype(np.int8),
        failed=np.zeros(score.shape, bool),
        digest=ids.astype(np.uint64),
        decisions=np.full(score.shape, 10),
    )
