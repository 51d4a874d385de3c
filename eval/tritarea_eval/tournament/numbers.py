"""All numbers of a tournament, made of its games alone; definitions in docs/numbers.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..interval import Estimate
from . import ranking, ratings, winning
from .games import Games
from .luck import Spread, spread
from .pairs import Pair, pairs
from .resampling import FEWEST, RESAMPLES, Deals, Ratio, ratios
from .winning import Source


class Place(NamedTuple):
    """Results in some kind of seat.

    Attributes:
        games: results that are counted.
        even: the share of the win that they would have among equals.
        share: of the win, on the mean.
        score: on the mean, of seats that did not fail; None if all did.
    """

    games: int
    even: float
    share: Estimate
    score: Estimate | None


@dataclass(frozen=True)
class AgentNumbers:
    """One agent.

    Attributes:
        name: as people see it.
        games: at how many tables it sat.
        whole: its results, over all its seats; None if it had none.
        by_seat: those in each seat.
        rating: its strength in points, see ``ratings.rate``.
        openskill: mu and sigma, see ``ratings.openskill_ratings``.
        sources: mean points by source, of seats that did not fail; empty if there is none.
        failures: seats in which it failed.
        decisions: how many it made.
        speed: decisions a second; None if unknown. No result: the seed does not fix it.
    """

    name: str
    games: int
    whole: Place | None
    by_seat: tuple[Place | None, ...]
    rating: Estimate
    openskill: tuple[float, float]
    sources: tuple[float, ...]
    failures: int
    decisions: int
    speed: float | None


@dataclass(frozen=True)
class Numbers:
    """A whole tournament.

    Attributes:
        games, deals: how many were played.
        distinct: games that differ in at least one action.
        failed: games in which an agent failed.
        agents: by number.
        pairs: that met, the lower number first.
        seats: results of agents by seat; None for a seat that agents never held.
        starts: the same by distance from the seat that leads the first trick: it, its left neighbour and so on.
        npc_share: what NPC seats win, which play for themselves, all together; None if there are none.
        share_spread, score_spread: luck and skill in shares of the win and in scores, games with failures left out.
        sources: what wins, games with failures left out; empty if there are no others.
        notes: what to keep in mind, in sentences.
    """

    games: int
    deals: int
    distinct: int
    failed: int
    agents: tuple[AgentNumbers, ...]
    pairs: tuple[Pair, ...]
    seats: tuple[Place | None, ...]
    starts: tuple[Place | None, ...]
    npc_share: float | None
    share_spread: Spread | None
    score_spread: Spread | None
    sources: tuple[Source, ...]
    notes: tuple[str, ...]

    @property
    def ranking(self) -> list[int]:
        """The agents by number, the strongest first."""
        return sorted(range(len(self.agents)), key=lambda a: -self.agents[a].rating.mean)

    def pair(self, first: int, second: int) -> Pair | None:
        """How the first agent did against the second; None if they never met."""
        for pair in self.pairs:
            if (pair.first, pair.second) == (first, second):
                return pair
            if (pair.second, pair.first) == (first, second):
                return pair.turned()
        return None

    def as_json(self) -> dict[str, Any]:
        """Everything but the times, rounded to six decimals: equal for equal games and seeds."""
        found: dict[str, Any] = _plain(self)
        for agent in found["agents"]:
            del agent["speed"]
        return found


def numbers(
    games: Games,
    names: Sequence[str],
    *,
    sources: Sequence[str],
    sides: Sequence[int],
    seed: int = 0,
    resamples: int = RESAMPLES,
    speeds: Sequence[float | None] | None = None,
) -> Numbers:
    """The numbers of these games; the order of the games does not matter.

    Args:
        games: as they were played.
        names: of the agents, by number.
        sources: of score (``Game.sources``).
        sides: the player of each seat (``Game.sides``).
        seed: fixes the resampling of deals.
        resamples: how many; with 0 there are no intervals.
        speeds: decisions a second of each agent.

    Raises:
        ValueError: there is no game.
    """
    if not len(games.id):
        raise ValueError("there are no numbers before the first game")
    played, games = games, ranking.as_sides(games.take(np.argsort(games.id, kind="stable")), sides)
    deals = Deals.of(games.deal, seed, resamples)
    clean = games.take(np.flatnonzero(~games.failed.any(axis=1)))
    sound = deals if len(clean.id) == len(games.id) else Deals.of(clean.deal, seed, resamples)
    spreads, winners = _without_failures(clean, len(names), sources, sound)
    rated = ratings.rate(games, names, deals)
    distinct = len(np.unique(games.digest))
    places = _places(games, len(names), deals)
    return Numbers(
        games=len(games.id),
        deals=deals.count,
        distinct=distinct,
        failed=len(games.id) - len(clean.id),
        agents=_agents(games, played, names, len(sources), places, rated, speeds),
        pairs=tuple(pairs(games, len(names), deals)),
        seats=places["seats"],
        starts=places["starts"],
        npc_share=_npc_share(games, len(names)),
        share_spread=spreads[0],
        score_spread=spreads[1],
        sources=winners,
        notes=rated.notes + _notes(len(games.id), distinct, deals.count),
    )


def _without_failures(
    clean: Games, agents: int, sources: Sequence[str], deals: Deals
) -> tuple[tuple[Spread | None, Spread | None], tuple[Source, ...]]:
    if not len(clean.id):
        return (None, None), ()
    split = (spread(clean, agents, deals, values) for values in (clean.share, clean.score.astype(np.float64)))
    return (next(split), next(split)), tuple(winning.sources(clean, sources, deals))


def _places(games: Games, agents: int, deals: Deals) -> dict[str, tuple[Place | None, ...]]:
    """Results by agent, by agent and seat, by seat, and by distance from the first leader."""
    seats = games.holders.shape[1]
    own = ranking.of_agents(games, agents)
    holder = games.holders.astype(np.int64)
    seat = np.broadcast_to(np.arange(seats), own.shape)
    start = games.start.astype(np.int64)[:, None]
    kinds = {
        "agents": (holder, own, agents),
        "agents_by_seat": (holder * seats + seat, own, agents * seats),
        "seats": (seat, own, seats),
        "starts": ((seat - start) % seats, own & (start >= 0), seats),
    }
    wanted = {}
    for name, (column, counted, columns) in kinds.items():
        every = np.where(counted, column, -1)
        sound = np.where(games.failed, -1, every)
        for what, where, values, least in (("share", every, games.share, 0), ("score", sound, games.score, None)):
            below = deals.sums(where, np.ones(1), columns)
            wanted[f"{name} {what}"] = Ratio(deals.sums(where, values, columns), below, least)
    found = ratios(deals, wanted)
    even = np.broadcast_to(1 / ranking.contenders(games)[:, None], own.shape)
    places: dict[str, tuple[Place | None, ...]] = {}
    for name, (column, counted, columns) in kinds.items():
        many = np.bincount(column[counted], minlength=columns)
        evens = np.bincount(column[counted], even[counted], minlength=columns) / np.maximum(many, 1)
        both = zip(found[f"{name} share"], found[f"{name} score"], strict=True)
        places[name] = tuple(
            None if share is None else Place(int(many[i]), float(evens[i]), share, score)
            for i, (share, score) in enumerate(both)
        )
    return places


def _agents(
    games: Games,
    played: Games,
    names: Sequence[str],
    sources: int,
    places: dict[str, tuple[Place | None, ...]],
    rated: ratings.Ratings,
    speeds: Sequence[float | None] | None,
) -> tuple[AgentNumbers, ...]:
    seats = games.holders.shape[1]
    skilled = ratings.openskill_ratings(games, len(names))
    rows = []
    for agent, name in enumerate(names):
        own = games.holders == agent
        sound = games.points[own & ~games.failed]
        rows.append(
            AgentNumbers(
                name=name,
                games=int(own.any(axis=1).sum()),
                whole=_with_opponents(places["agents"][agent], own, games),
                by_seat=places["agents_by_seat"][agent * seats : (agent + 1) * seats],
                rating=rated.ratings[agent],
                openskill=skilled[agent],
                sources=tuple(sound.mean(axis=0).tolist()) if len(sound) and sources else (),
                failures=int(games.failed[own].sum()),
                decisions=int(played.decisions[played.holders == agent].sum()),
                speed=speeds[agent] if speeds is not None else None,
            )
        )
    return tuple(rows)


def _with_opponents(place: Place | None, own: NDArray[np.bool_], games: Games) -> Place | None:
    """The results of an agent. One that had every table to itself has its share by that alone: without interval."""
    if place is None or (own.any(axis=1, keepdims=True) & ~own & (games.holders != ranking.PARTNER)).any():
        return place
    return place._replace(share=Estimate(place.share.mean, None, None))


def _npc_share(games: Games, agents: int) -> float | None:
    npc = games.holders == agents
    return float(games.share[npc].sum() / len(games.id)) if npc.any() else None


def _notes(games: int, distinct: int, deals: int) -> tuple[str, ...]:
    notes = []
    if distinct < games:
        notes.append(f"{games - distinct} of {games} games repeat another action for action: they add nothing new")
    if deals < FEWEST:
        notes.append(f"intervals take at least {FEWEST} deals, and there {'are' if deals != 1 else 'is'} {deals}")
    return tuple(notes)


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, Estimate):
        return value.as_json()
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: _plain(one) for key, one in value._asdict().items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, (Numbers, AgentNumbers)):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value
