"""The Plackett-Luce model by maximum likelihood, for many weightings of the same games at once.

An agent has a strength p. A ranking comes about in *stages*: of the seats that are not placed yet, each is placed
next with a chance in proportion to its agent's strength. Seats that are level are shared out: every order of them is
as likely, so each counts in part. What a result says lies in its stages alone, so games are counted by stages: by the
multiset of agents that were left. An agent in several seats of a table is in the multiset as often.

With t = ln p, n the number of an agent's seats in a stage's multiset, c how often the stage occurred and w how many
stages an agent won, the log-likelihood is  sum(w * t) - sum over stages of c * ln(sum(n * exp(t))). It is concave.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

PRIOR = 0.5  # games that each agent has won, and lost, against one of strength 1 beside those that were played
_LONGEST = 0.5  # step of a strength's logarithm: up to this, every Newton step goes uphill (see ``fit``)
_EXACT = 1e-8  # of the last step; Newton squares what is left, and where the prior alone holds, rounding is no smaller
_MOST_STEPS = 500
_AT_ONCE = 4_000_000  # entries of a matrix of stages, or pairs of agents, by weightings


class Stages(NamedTuple):
    """The stages of many games, by rows (deals, say), in whole units so that sums are exact in any order.

    Attributes:
        members: (M, K) float64, how many seats each agent has in each multiset; those of one agent only are left out.
        counts: (rows, M) units, how often each stage occurred.
        wins: (rows, K) units, how many stages each agent won.
        unit: units that make one stage.
    """

    members: sparse.csr_array
    counts: sparse.csr_array
    wins: sparse.csr_array
    unit: int


def stages(levels: NDArray[np.int64], holders: NDArray[np.int8], agents: int, row: NDArray[np.int64]) -> Stages:
    """Count the stages of games.

    Args:
        levels: (G, S), see ``ranking.levels``.
        holders: (G, S), the agents by number.
        agents: how many there are, K.
        row: (G,) int64, the row in which each game counts, 0 … some number.
    """
    seats, rows = levels.shape[1], int(row.max()) + 1
    unit = math.lcm(*(math.comb(k, j) for k in range(seats + 1) for j in range(k + 1)))
    held = np.where(levels >= 0, holders.astype(np.int64) + 1, 0)  # 0: no agent's seat
    games, codes, units = [], [], []
    for size in range(1, seats + 1):
        for left in combinations(range(seats), size):
            weight = _chance_left(levels, np.isin(np.arange(seats), left), unit)
            some = np.flatnonzero(weight)
            games.append(some)
            codes.append(_multiset(held[some][:, left], agents + 1))
            units.append(weight[some])
    game, code, weight = np.concatenate(games), np.concatenate(codes), np.concatenate(units)
    return _counted(row[game], code, weight, _seats_by_row(levels, holders, agents, row, rows), agents, seats, unit)


def _chance_left(levels: NDArray[np.int64], left: NDArray[np.bool_], unit: int) -> NDArray[np.int64]:
    """(G,) units: how likely it is that just these seats are left at some stage, over all orders of level seats."""
    own = levels >= 0
    first = np.where(left, levels, 99).min(axis=1)  # the next to be placed
    last = np.where(~left & own, levels, -1).max(axis=1)  # the last that was placed
    level = own & (levels == first[:, None])
    table = np.array([[math.comb(k, j) for j in range(len(left) + 1)] for k in range(len(left) + 1)])
    orders = table[level.sum(axis=1), (level & ~left).sum(axis=1)]
    possible = own[:, left].all(axis=1) & (last <= first)
    return np.where(possible, unit // np.maximum(orders, 1), 0)


def _multiset(held: NDArray[np.int64], base: int) -> NDArray[np.int64]:
    """(n,) int64: one number for each multiset of agents + 1."""
    return np.asarray(np.sort(held, axis=1) @ base ** np.arange(held.shape[1]))


def _seats_by_row(
    levels: NDArray[np.int64], holders: NDArray[np.int8], agents: int, row: NDArray[np.int64], rows: int
) -> sparse.csr_array:
    own = levels >= 0
    at = (np.broadcast_to(row[:, None], own.shape)[own], holders[own].astype(np.int64))
    return sparse.csr_array(sparse.coo_array((np.ones(own.sum()), at), shape=(rows, agents)))


def _counted(
    row: NDArray[np.int64],
    code: NDArray[np.int64],
    weight: NDArray[np.int64],
    placed: sparse.csr_array,
    agents: int,
    seats: int,
    unit: int,
) -> Stages:
    """Gather equal stages. Every seat wins one stage; stages among one agent's seats say nothing and are taken out."""
    different, number = np.unique(code, return_inverse=True)
    digits = different[:, None] // (agents + 1) ** np.arange(seats) % (agents + 1)
    members = (digits[:, :, None] == np.arange(1, agents + 1)).sum(axis=1)  # (multisets, K)
    shape = (placed.shape[0], len(different))
    counts = sparse.csr_array(sparse.coo_array((weight.astype(np.float64), (row, number)), shape=shape))
    alone = (members > 0).sum(axis=1) == 1
    wins = placed * unit - counts[:, alone] @ sparse.csr_array((members[alone] > 0).astype(np.float64))
    return Stages(sparse.csr_array(members[~alone].astype(np.float64)), counts[:, ~alone], sparse.csr_array(wins), unit)


def fit(
    members: sparse.csr_array,
    counts: NDArray[np.float64],
    wins: NDArray[np.float64],
    prior: NDArray[np.float64],
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """(R, K) float64: the logarithms of the strengths that make each of R weightings of the games likeliest.

    The prior, a few games of each agent with an entrant of strength 1, keeps the strength of an agent that always wins
    finite, and fixes the scale where the games do not. A Newton step that changes no logarithm by more than
    ``_LONGEST`` goes uphill: along it the curvature grows by no more than e (Bach, Self-concordant analysis for
    logistic regression, 2010).

    Args:
        members: (M, K), see ``Stages``.
        counts: (R, M), stages.
        wins: (R, K), stages won.
        prior: (2, R, K), above 0: games of the prior won and lost; ``PRIOR`` each for the ratings themselves.
        start: (K,), where to begin.
    """
    begin = np.zeros(members.shape[1]) if start is None else start
    rows = max(1, _AT_ONCE // max(members.shape[0], members.shape[1] ** 2))
    parts = [
        _climb(members, counts[some].T, wins[some].T, prior[:, some].transpose(0, 2, 1), begin)
        for some in (slice(first, first + rows) for first in range(0, len(counts), rows))
    ]
    return np.concatenate(parts) if parts else np.empty((0, members.shape[1]))


def _climb(
    members: sparse.csr_array,
    counts: NDArray[np.float64],
    wins: NDArray[np.float64],
    prior: NDArray[np.float64],
    begin: NDArray[np.float64],
) -> NDArray[np.float64]:
    agents, many = wins.shape
    by_agent, by_pair = sparse.csr_array(members.T), sparse.csr_array(_pairs(members).T)
    logs = np.repeat(begin[:, None], many, axis=1)
    diagonal = np.arange(agents)
    won, played = prior[0], prior.sum(axis=0)
    for _ in range(_MOST_STEPS):
        strength = np.exp(logs)
        whole = members @ strength
        expected = strength * (by_agent @ (counts / whole))
        chance = strength / (1 + strength)
        slope = wins - expected + won - played * chance
        curve = -(by_pair @ (counts / whole**2)).reshape(agents, agents, many) * strength * strength[:, None]
        curve[diagonal, diagonal] += expected + played * chance * (1 - chance)
        step = np.linalg.solve(curve.transpose(2, 0, 1), slope.T[:, :, None])[:, :, 0].T
        longest = np.abs(step).max(axis=0)
        logs += step * np.minimum(1.0, _LONGEST / np.maximum(longest, _LONGEST))
        if longest.max() < _EXACT:
            return logs.T
    raise ArithmeticError("strengths did not converge")


def _pairs(members: sparse.csr_array) -> sparse.csr_array:
    """(M, K * K): products of two agents' seats in each multiset."""
    columns = [members.multiply(members[:, [agent]]) for agent in range(members.shape[1])]
    return sparse.csr_array(sparse.hstack(columns, format="csr"))
