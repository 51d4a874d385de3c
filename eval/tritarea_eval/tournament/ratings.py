"""Strengths on a scale: Plackett-Luce by maximum likelihood with intervals; openskill's ratings beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce
from scipy import sparse
from scipy.sparse import csgraph

from ..interval import Estimate
from . import plackett_luce, ranking
from .games import Games
from .limits import limit
from .resampling import Deals, interval

SCALE = 400 / math.log(10)  # points for one unit of a strength's logarithm: 400 points are ten times the strength
_LEAST = 0.1  # games of the prior that a resample has won and lost at least, so that strengths stay finite


@dataclass(frozen=True)
class Ratings:
    """The strengths of all agents.

    Attributes:
        ratings: of each agent, in points; their mean over ``measured`` is 0. Of those outside it, who always won has
            but a lower limit, and who always lost an upper one (``limits``); who did not meet them has none.
        resampled: (resamples, K) float64, the ratings on each resample of the deals.
        measured: the agents between which the results fix every difference; empty if there are no two such.
        deals: (K,) int64, on how many deals each agent met another.
        notes: what the results leave open, in sentences; empty if nothing.
    """

    ratings: tuple[Estimate, ...]
    resampled: NDArray[np.float64]
    measured: tuple[int, ...]
    deals: NDArray[np.int64]
    notes: tuple[str, ...]

    def difference(self, first: int, second: int) -> Estimate:
        """How much stronger the first agent is than the second."""
        point = self.ratings[first].mean - self.ratings[second].mean
        if first == second or not {first, second} <= set(self.measured):
            return Estimate(point, None, None)
        both = self.resampled[:, first] - self.resampled[:, second]
        return interval(point, both, int(min(self.deals[first], self.deals[second])))


def rate(games: Games, names: Sequence[str], deals: Deals) -> Ratings:
    """The agents' strengths, from all games at once: their order does not matter.

    Args:
        games: at least one; teams folded by ``ranking.as_sides``.
        names: of the agents, by number.
        deals: those of the games.
    """
    agents = len(names)
    levels = ranking.levels(games, agents)
    found = plackett_luce.stages(levels, games.holders, agents, deals.index)
    columns = sparse.hstack([found.counts, found.wins], format="csr")
    many = found.counts.shape[1]
    whole = np.asarray(columns.sum(axis=0))[None] / found.unit
    prior = np.full((2, 1, agents), plackett_luce.PRIOR)
    best = plackett_luce.fit(found.members, whole[:, :many], whole[:, many:], prior)[0]
    drawn = deals.resampled(columns) / found.unit
    others = plackett_luce.fit(found.members, drawn[:, :many], drawn[:, many:], deals.doubts(agents) + _LEAST, best)
    measured, notes = _measured(games, levels, names)
    centre = list(measured) or list(range(agents))
    points = SCALE * (best - best[centre].mean())
    resampled = SCALE * (others - others[:, centre].mean(axis=1, keepdims=True))
    met = _met(found.counts, found.members)
    least = int(met[centre].min())
    main = np.isin(np.arange(agents), measured)
    ratings = tuple(
        interval(float(points[a]), resampled[:, a], least)
        if main[a]
        else _one_sided(float(points[a]), limit(games, levels, best, a, main, deals), float(best[centre].mean()))
        for a in range(agents)
    )
    return Ratings(ratings, resampled, measured, met, notes)


def _one_sided(point: float, found: tuple[bool, float] | None, mean: float) -> Estimate:
    """A rating, and its limit, if any, on the side of the others; the prior sets the rating beyond it."""
    if found is None:
        return Estimate(point, None, None)
    won, log = found
    end = SCALE * (log - mean)
    return Estimate(point, min(end, point), None) if won else Estimate(point, None, max(end, point))


def history(games: Games, names: Sequence[str], steps: int = 20) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """How the ratings came about: (steps,) int64 numbers of games, and (steps, K) the ratings on so many of them.

    Games count in the order of their ids; ratings have the mean 0 at each step.
    """
    ordered = games.take(np.argsort(games.id, kind="stable"))
    steps = min(steps, len(games.id))
    ends = np.arange(1, steps + 1) * len(games.id) // steps
    row = np.searchsorted(ends, np.arange(len(games.id)), side="right")
    found = plackett_luce.stages(ranking.levels(ordered, len(names)), ordered.holders, len(names), row)
    counts, wins = (np.cumsum(part.toarray(), axis=0) / found.unit for part in (found.counts, found.wins))
    logs = plackett_luce.fit(found.members, counts, wins, np.full((2, *wins.shape), plackett_luce.PRIOR))
    return ends.astype(np.int64), SCALE * (logs - logs.mean(axis=1, keepdims=True))


def openskill_ratings(games: Games, agents: int) -> list[tuple[float, float]]:
    """Each agent's mu and sigma by openskill's Plackett-Luce model, updated game by game in the order of ids.

    Unlike the maximum likelihood it depends on that order, and takes games on one deal for independent. An agent in
    several seats takes the mean of its seats' new values; a table of one agent alone changes nothing.
    """
    model = PlackettLuce()
    current = [(float(model.mu), float(model.sigma))] * agents
    ordered = games.take(np.argsort(games.id, kind="stable"))
    for levels, holders in zip(
        ranking.levels(ordered, agents).tolist(), ordered.holders.astype(np.int64).tolist(), strict=True
    ):
        seats = [seat for seat, level in enumerate(levels) if level >= 0]
        playing = [holders[seat] for seat in seats]
        if len(set(playing)) < 2:
            continue
        teams = [[model.create_rating([*current[agent]])] for agent in playing]
        rated = model.rate(teams, ranks=[float(levels[seat]) for seat in seats])
        for agent in set(playing):
            new = [team[0] for team, holder in zip(rated, playing, strict=True) if holder == agent]
            current[agent] = (sum(r.mu for r in new) / len(new), sum(r.sigma for r in new) / len(new))
    return current


def _met(counts: sparse.csr_array, members: sparse.csr_array) -> NDArray[np.int64]:
    """(K,) int64: on how many deals each agent met another."""
    return np.asarray(((counts @ members) != 0).sum(axis=0), np.int64)


def _measured(games: Games, levels: NDArray[np.int64], names: Sequence[str]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The agents whose differences the results fix, and what to say of the others.

    The likelihood has a maximum within a group just if in every division of it in two, either part once finished
    ahead of the other or level with it (Ford 1957; Hunter 2004): if each agent leads to each along such results.
    """
    agents = len(names)
    graph = _finished_ahead(games, levels, agents)
    _, group = csgraph.connected_components(graph, directed=True, connection="strong")
    _, met = csgraph.connected_components(graph, directed=False)
    size = np.bincount(group)[group]
    main = int(np.argmax(size))  # of the largest groups, that of the first agent
    inside = np.flatnonzero(group == group[main]) if size[main] > 1 else np.empty(0, np.int64)
    reached = csgraph.breadth_first_order(graph, main, return_predecessors=False)
    apart = [met == number for number in np.unique(met[met != met[main]])]
    alone = np.isin(np.arange(agents), [np.argmax(part) for part in apart if part.sum() == 1])
    notes = [
        f"{_listed(names, part)} never met the others, not even by way of third agents: ratings do not compare them"
        for part in [alone, *(part for part in apart if part.sum() > 1)]
        if part.any()
    ]
    outside = (group != group[main]) & (met == met[main])
    if not len(inside) and agents > 1:
        notes.append("no two agents have each finished ahead of the other: ratings show the order at most")
        return (), tuple(notes)
    below, those = np.isin(np.arange(agents), reached), _listed(names, group == group[main])
    for side, words in ((outside & ~below, "behind"), (outside & below, "ahead of")):
        if side.any():
            notes.append(
                f"{_listed(names, side)} never finished {words} or level with any of {those}: the distance is as the "
                f"prior sets it, and has a limit on one side at most"
            )
    return tuple(int(a) for a in inside), tuple(notes)


def _finished_ahead(games: Games, levels: NDArray[np.int64], agents: int) -> sparse.csr_array:
    """(K, K): whether the one agent finished ahead of the other, or level with it, in some game."""
    found = np.zeros((agents, agents))
    seats = levels.shape[1]
    for a in range(seats):
        for b in range(seats):
            some = (levels[:, a] >= 0) & (levels[:, b] >= 0) & (levels[:, a] <= levels[:, b])
            found[games.holders[some, a], games.holders[some, b]] = 1
    np.fill_diagonal(found, 0)
    return sparse.csr_array(found)


def _listed(names: Sequence[str], chosen: NDArray[np.bool_]) -> str:
    return ", ".join(name for name, one in zip(names, chosen, strict=True) if one)
