"""What a report tells: a tournament's file as plain data, and the plots made of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...interval import Estimate
from .. import ranking, ratings
from ..identity import Identity
from ..numbers import Numbers, Place
from ..schedule import Schedule
from ..store import Failure, Store
from ..telling import numbers_of
from . import plots
from .examples import Example, examples
from .plots import Floats, Plot


class Report(NamedTuple):
    """A tournament as far as it was played.

    Attributes:
        file: the name of its file.
        title: of its game.
        seed, config: as it was set up; the config as YAML.
        failure: its rule for failures.
        planned: how many games it has in all.
        ended: what its stopping rule said in the end; None if it has none, or not yet.
        agents: in the order of their numbers; NPC seats' last.
        numbers: of its games.
        history: see ``ratings.history``; None with one agent.
        failures: of agents.
        examples: games to look at.
    """

    file: str
    title: str
    seed: int
    config: str
    failure: str
    planned: int
    ended: str | None
    agents: list[Identity]
    numbers: Numbers
    history: tuple[np.ndarray, Floats] | None
    failures: list[Failure]
    examples: list[Example]

    @property
    def ranked(self) -> list[int]:
        """Agents by number, the strongest first."""
        return self.numbers.ranking

    @property
    def names(self) -> list[str]:
        """Of the agents as they are ranked."""
        return [self.numbers.agents[a].name for a in self.ranked]


def read(store: Store) -> Report:
    """All that a report tells of a tournament's file.

    Raises:
        ValueError: it holds no game yet.
    """
    config, names, found = store.config, store.config.names, numbers_of(store)
    sides = config.game.game.sides(config.game.checked)
    folded = ranking.as_sides(store.games(), sides)
    rated = np.array([agent.rating.mean for agent in found.agents])
    return Report(
        file=store.path.name,
        title=config.game.game.title,
        seed=config.seed,
        config=config.to_yaml(),
        failure=config.failure,
        planned=Schedule.of(config).games,
        ended=None if store.ended is None else store.ended.verdict,
        agents=store.agents,
        numbers=found,
        history=ratings.history(folded, names) if len(names) > 1 else None,
        failures=store.failures(),
        examples=examples(folded, rated),
    )


def drawn(report: Report) -> dict[str, Plot]:
    """The plots that there is something to show in, by name."""
    found = [_sources(report), *_seats(report), *_luck(report)]
    if len(report.names) > 1:
        found += [_ranking(report), *_pairs(report), _growth(report)]
    return {plot.name: plot for plot in found}


def _bounds(estimates: Iterable[Estimate | None]) -> tuple[Floats, Floats, Floats]:
    """Means, low and high ends; NaN for what there is not."""
    rows = [(None,) * 3 if e is None else (e.mean, e.low, e.high) for e in estimates]
    mean, low, high = np.array(rows, np.float64).reshape(-1, 3).T
    return mean, low, high


def _ranking(report: Report) -> Plot:
    mean, low, high = _bounds(report.numbers.agents[a].rating for a in report.ranked)
    told = "Ratings: " + ", ".join(f"{name} {m:.0f}" for name, m in zip(report.names, mean, strict=True))
    return plots.intervals("ranking", told, report.names, mean, low, high, "rating with its 95% interval", 0)


def _pairs(report: Report) -> list[Plot]:
    count = len(report.names)
    share, score = np.full((count, count), np.nan), np.full((count, count), np.nan)
    for i, first in enumerate(report.ranked):
        for j, second in enumerate(report.ranked):
            pair = report.numbers.pair(first, second)
            if pair is not None:
                share[i, j] = np.nan if pair.share is None else pair.share.mean
                score[i, j] = np.nan if pair.score is None else pair.score.mean
    if np.isnan(share).all() and np.isnan(score).all():
        return []
    widest = float(np.nanmax(np.abs(score), initial=1.0))
    told = "A square for each pair of agents, the row's against the column's"
    return [
        plots.heat("pairs-share", f"{told}: share of their wins", report.names, share, 0.5, 0.5, ".2f"),
        plots.heat("pairs-score", f"{told}: mean difference of scores", report.names, score, 0.0, widest, "+z.1f"),
    ]


def _growth(report: Report) -> Plot:
    assert report.history is not None
    games, values = report.history
    mean, low, high = _bounds(report.numbers.agents[a].rating for a in report.ranked)
    values = values[:, report.ranked]
    values = values + (mean - values[-1]).mean()  # their mean is 0 over all agents, here over those that are measured
    told = "Each agent's rating after so many games"
    return plots.growth("growth", told, report.names, games, values, low, high)


def _seats(report: Report) -> list[Plot]:
    rows = [report.numbers.seats, *(report.numbers.agents[a].by_seat for a in report.ranked)]
    labels = ["all agents", *plots.labels(report.names)]
    if len(report.names) == 1:
        rows, labels = rows[:1], labels[1:]
    held = [seat for seat in range(len(rows[0])) if rows[0][seat] is not None]
    mean, low, high = (part.reshape(len(rows), -1) for part in _bounds(_share(row[s]) for row in rows for s in held))
    even = next((place.even for place in rows[0] if place is not None), 0.0)
    told = "Share of the wins in each seat, of all agents and of each"
    return [plots.seats("seats", told, labels, held, mean, low, high, even)] if held else []


def _share(place: Place | None) -> Estimate | None:
    return None if place is None else place.share


def _sources(report: Report) -> Plot:
    names = [source.name for source in report.numbers.sources]
    points = [report.numbers.agents[a].sources or (0.0,) * len(names) for a in report.ranked]
    values = np.array(points, np.float64).reshape(len(points), -1)[:, : len(names)]
    told = "Mean points of a seat by source, for each agent"
    return plots.stacked("sources", told, plots.labels(report.names), names, values, "mean points in a seat")


def _luck(report: Report) -> list[Plot]:
    spreads = {"share of the win": report.numbers.share_spread, "score": report.numbers.score_spread}
    rows = {name: spread for name, spread in spreads.items() if spread is not None}
    parts = ("the deal (luck)", "who plays (skill)", "all else")
    values = [[_mean(spread.luck), _mean(spread.skill), spread.rest] for spread in rows.values()]
    told = "Parts of the variance of a seat's result"
    along = "part of the variance of a seat's result"
    return [plots.stacked("luck", told, list(rows), parts, np.array(values), along)] if rows else []


def _mean(estimate: Estimate | None) -> float:
    return 0.0 if estimate is None else estimate.mean
