"""A tournament's numbers as tables for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ..interval import Estimate
from ..report import estimate_text
from .luck import Spread
from .numbers import Numbers, Place, numbers
from .store import Failure, Store

MOST_PAIRS = 45  # that are listed: of ten agents


def tournament_report(store: Store, found: Numbers) -> list[RenderableType]:
    """The tables of a tournament, and what there is to say about it."""
    names = store.config.names
    parts: list[RenderableType] = [ranking_table(title_of(store, found), found), agent_table(found)]
    if len(found.agents) > 1:
        parts.append(pair_table(found, names))
    parts += [place_table("By seat", "seat", found.seats), place_table("By start", "after the leader", found.starts)]
    if found.sources:
        parts += [source_table(found), winning_table(found)]
    parts.append(Text("\n".join(remarks(store, found))))
    return parts


def numbers_of(store: Store, resamples: int | None = None) -> Numbers:
    """The numbers of all games that a file holds: at least one.

    Args:
        resamples: of the deals; None: as many as the config says.
    """
    config, speeds = store.config, store.speeds()
    game = config.game.game
    return numbers(
        store.games(),
        config.names,
        sources=game.sources,
        sides=game.sides(config.game.checked),
        seed=config.seed,
        resamples=config.bootstrap if resamples is None else resamples,
        speeds=[speeds.get(number) for number in range(len(config.names))],
    )


def title_of(store: Store, found: Numbers) -> str:
    """What was played."""
    config = store.config
    played = f"{found.games:,} game{'s' * (found.games != 1)} on {found.deals:,} deal{'s' * (found.deals != 1)}"
    return f"{config.game.game.title}, {config.format}, {played}, seed {config.seed}"


def ranking_table(title: str, found: Numbers) -> Table:
    """The agents, the strongest first: what they are worth."""
    table = Table(title=title, title_justify="left")
    table.add_column("", justify="right")
    table.add_column("agent", overflow="fold")
    for column in ("rating, 95%", "win share, 95%", "mean score, 95%"):
        table.add_column(column, justify="right")
    for place, number in enumerate(found.ranking, 1):
        agent = found.agents[number]
        whole = agent.whole
        table.add_row(
            str(place),
            agent.name,
            signed_text(agent.rating, 0),
            "-" if whole is None else estimate_text(whole.share, 3),
            "-" if whole is None or whole.score is None else signed_text(whole.score, 1, plus=False),
        )
    return table


def agent_table(found: Numbers) -> Table:
    """The agents, the strongest first: what they did. openskill's rating depends on the order of the games."""
    table = Table(title="Agents", title_justify="left")
    table.add_column("agent", overflow="fold")
    for column in ("games", "even share", "openskill", "failed", "decisions", "a second"):
        table.add_column(column, justify="right")
    for number in found.ranking:
        agent = found.agents[number]
        table.add_row(
            agent.name,
            f"{agent.games:,}",
            "-" if agent.whole is None else f"{agent.whole.even:.2f}",
            f"{agent.openskill[0]:.1f} ± {agent.openskill[1]:.1f}",
            f"{agent.failures:,}",
            f"{agent.decisions:,}",
            "-" if agent.speed is None else f"{float(f'{agent.speed:.2g}'):,.0f}",
        )
    return table


def signed_text(estimate: Estimate, digits: int, *, plus: bool = True) -> str:
    """``mean (low … high)`` of what may be negative, or its limit; the mean alone where there is no interval."""
    form = f"{'+' if plus else ''}z.{digits}f"  # z: no minus at what is rounded to 0
    mean = format(estimate.mean, form)
    low, high = (None if end is None else format(end, form) for end in (estimate.low, estimate.high))
    if low is None or high is None:
        return mean if low == high else f"{mean} (≤ {high})" if low is None else f"{mean} (≥ {low})"
    return f"{mean} ({low} … {high})"


def pair_table(found: Numbers, names: Sequence[str]) -> RenderableType:
    """How each agent did against each other one, the stronger one first."""
    if len(found.pairs) > MOST_PAIRS:
        return Text(f"{len(found.pairs):,} pairs are too many for a table here; --json and the report have them.")
    table = Table(title="Pairs: the first against the second", title_justify="left")
    table.add_column("agents", overflow="fold")
    for column in ("games", "part of wins, 95%", "score, 95%"):
        table.add_column(column, justify="right")
    place = {number: i for i, number in enumerate(found.ranking)}
    ordered = [pair if place[pair.first] < place[pair.second] else pair.turned() for pair in found.pairs]
    for pair in sorted(ordered, key=lambda pair: (place[pair.first], place[pair.second])):
        table.add_row(
            f"{names[pair.first]} - {names[pair.second]}",
            f"{pair.games:,}",
            "-" if pair.share is None else estimate_text(pair.share, 3),
            "-" if pair.score is None else signed_text(pair.score, 1),
        )
    return table


def place_table(title: str, what: str, places: Sequence[Place | None]) -> Table:
    """Results of all agents together by kind of seat."""
    table = Table(title=title, title_justify="left")
    for column in (what, "results", "win share, 95%", "even", "mean score, 95%"):
        table.add_column(column, justify="right")
    for number, place in enumerate(places):
        if place is not None:
            score = "-" if place.score is None else signed_text(place.score, 1, plus=False)
            table.add_row(str(number), f"{place.games:,}", estimate_text(place.share, 3), f"{place.even:.2f}", score)
    return table


def source_table(found: Numbers) -> Table:
    """Where points come from: of each agent on the mean."""
    table = Table(title="Mean points by source", title_justify="left")
    table.add_column("agent", overflow="fold")
    for source in found.sources:
        table.add_column(source.name, justify="right", overflow="fold")
    for agent in (found.agents[number] for number in found.ranking):
        means = [f"{mean:.1f}" for mean in agent.sources] if agent.sources else ["-"] * len(found.sources)
        table.add_row(agent.name, *means)
    return table


def winning_table(found: Numbers) -> Table:
    """What separates winners from the others."""
    table = Table(title="What wins: winners' points less the others'", title_justify="left")
    table.add_column("source")
    for column in ("gap, 95%", "part", "effect"):
        table.add_column(column, justify="right")
    for source in found.sources:
        gap = "-" if source.gap is None else signed_text(source.gap, 1)
        table.add_row(source.name, gap, f"{source.part:.0%}", f"{source.effect:+.2f}")
    return table


def remarks(store: Store, found: Numbers) -> list[str]:
    """Luck, what a rule said, failures, and what to keep in mind, a line each."""
    lines = []
    for what, spread in (("win share", found.share_spread), ("score", found.score_spread)):
        if spread is not None:
            lines.append(f"Variance of a seat's {what}: {_spread_text(spread)}.")
    if store.ended is not None:
        lines.append(f"Ended after {store.ended.blocks:,} tables: {store.ended.verdict}.")
    if found.npc_share is not None:
        lines.append(f"NPC seats won {found.npc_share:.3f}.")
    lines += [f"{note[:1].upper()}{note[1:]}." for note in found.notes]
    return [*lines, *_failures_told(store, store.failures())]


def _spread_text(spread: Spread) -> str:
    parts = [("the deal", spread.luck), ("the agents' skill", spread.skill)]
    told = [f"{name} {signed_text(part, 3, plus=False)}" for name, part in parts if part is not None]
    return ", ".join([*told, f"the rest {spread.rest:z.3f}"])


def _failures_told(store: Store, failures: list[Failure]) -> list[str]:
    """A line for each agent that failed: how, how often, and where to look."""
    lines = []
    for agent in store.agents:
        own = [failure for failure in failures if failure.agent == agent.number]
        if own:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(Counter(one.what for one in own).items()))
            first, games = own[0], f"{len(own):,} game{'s' * (len(own) != 1)}"
            lines.append(
                f"{agent.name} failed in {games} ({kinds}); first in game {first.game}, "
                f"decision {first.decision}: {first.message}"
            )
    return lines
