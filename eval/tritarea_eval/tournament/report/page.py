"""A report as one page that needs nothing else: no script, no file, no network."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence

from ..numbers import Place
from . import drawing
from .content import Report, drawn
from .markup import Markup, element, figure, folded, joined, number, page, section, shown, table
from .plots import Plot

MOST_FAILURES = 50  # told one by one
WIDE = 7.0  # inches: a plot that has a row of its own

CAPTIONS = {
    "ranking": "Ratings by maximum likelihood in the Plackett-Luce model; 400 points are ten times the strength, the "
    "mean is 0. The bar is the 95% interval, from a bootstrap over deals. An arrow, and ≤ or ≥: it always lost, or "
    "won, and a limit is all that is known; the hollow mark shows the order at most.",
    "growth": "The rating on the first games alone, in the order of their numbers; the bar at the end is the 95% "
    "interval.",
    "pairs-share": "Where both sat at one table: of the wins that one of the two seats took, the part of the row's "
    "agent; 0.50 is even. Columns are numbered as rows.",
    "pairs-score": "The row's mean score less the column's, at the same tables.",
    "seats": "The share of the wins that is won from each seat, with 95% intervals; the dotted line is even.",
    "sources": "Where the points come from.",
    "luck": "How much of the variance of a seat's result is the deal's, whoever sits there, and how much the agents', "
    "whatever they are dealt; all else is the agents' own chance, their opponents, and how they get along with a deal.",
}


def written(report: Report) -> str:
    """The page."""
    plots = drawn(report)
    parts = {
        "ranking": ("Ranking", _ranking(report, plots)),
        "pairs": ("Pairs", _pairs(report, plots)),
        "seats": ("Seats", _seats(report, plots)),
        "sources": ("What wins", _sources(report, plots)),
        "luck": ("Luck and skill", _luck(report, plots)),
        "failures": ("Failures", _failures(report)),
        "games": ("Games to look at", _games(report)),
        "about": ("Agents and config", _about(report)),
    }
    title = f"{report.title}: a tournament of {_many(len(report.names), 'agent')}"
    links = Markup("".join(f'<li><a href="#{key}">{head}</a></li>' for key, (head, _) in parts.items()))
    sections = [section(key, head, *content) for key, (head, content) in parts.items()]
    return page(title, joined([element("h1", title), *_summary(report), _nav(links), *sections]))


def _nav(links: Markup) -> Markup:
    return Markup(f'<nav aria-label="Parts"><ul>{links}</ul></nav>')


def _many(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'s' * (count != 1)}"


def _pictures(plots: dict[str, Plot], *names: str) -> Markup:
    """Those plots that there are, side by side where there is room."""
    found = [plots[name] for name in names if name in plots]
    shown = joined(figure(drawing.inline(p.draw, p.size, p.name, p.told), CAPTIONS[p.name]) for p in found)
    return Markup(f'<div class="side">{shown}</div>') if all(p.size[0] < WIDE for p in found) else shown


def _summary(report: Report) -> list[Markup]:
    n = report.numbers
    words = f"{_many(n.games, 'game')} ({n.distinct:,} distinct) on {_many(n.deals, 'deal')}; seed {report.seed}." + (
        f" In {_many(n.failed, 'game')} an agent failed." if n.failed else ""
    )
    found = [element("p", words)]
    if report.ended is not None:
        words = f"Its stopping rule ended it, of {_many(report.planned, 'game')} at most, with: {report.ended}."
        found.append(element("p", words))
    elif n.games < report.planned:
        words = f"Not complete: {n.games:,} of {_many(report.planned, 'game')} are played. Numbers may still change."
        found.append(element("p", words, kind="note"))
    return found + [element("p", f"Note: {note}.", kind="note") for note in n.notes]


def _ranking(report: Report, plots: dict[str, Plot]) -> list[Markup]:
    heads = [
        "",
        "agent",
        "rating, 95%",
        "win share, 95%",
        "even",
        "mean score, 95%",
        "games",
        "failures",
        "decisions/s",
    ]
    rows = []
    for rank, a in enumerate(report.ranked, 1):
        agent, whole = report.numbers.agents[a], report.numbers.agents[a].whole
        even = "–" if whole is None else f"{whole.even:.3f}"
        speed = "–" if agent.speed is None else f"{float(f'{agent.speed:.2g}'):,.0f}"
        counts = [f"{agent.games:,}", f"{agent.failures:,}", speed]
        rows.append([rank, agent.name, shown(agent.rating, 0), *_place(whole), even, _score(whole), *counts])
    npc = report.numbers.npc_share
    told = [] if npc is None else [element("p", f"NPC seats win {npc:.3f} of all games.")]
    openskill = [
        [rank, agent.name, f"{agent.openskill[0]:.2f}", f"{agent.openskill[1]:.2f}"]
        for rank, agent in enumerate((report.numbers.agents[a] for a in report.ranked), 1)
    ]
    beside = folded(
        "Ratings by openskill",
        element("p", "These depend on the order of the games, and take games on one deal for independent."),
        table(["", "agent", "mu", "sigma"], openskill, text=(1,)),
    )
    return [_pictures(plots, "ranking", "growth"), table(heads, rows, text=(1,)), *told, beside]


def _place(place: Place | None) -> list[str]:
    return ["–" if place is None else shown(place.share, 3)]


def _score(place: Place | None) -> str:
    return "–" if place is None else shown(place.score, 1)


def _pairs(report: Report, plots: dict[str, Plot]) -> list[Markup]:
    heads = [
        "",
        "agent",
        "against",
        "games",
        "share of their wins, 95%",
        "finished ahead, 95%",
        "score difference, 95%",
    ]
    rows = []
    for rank, (a, name) in enumerate(zip(report.ranked, report.names, strict=True), 1):
        for b in report.ranked:
            pair = report.numbers.pair(a, b) if a != b else None
            if pair is not None:
                numbers = [shown(pair.share, 3), shown(pair.ahead, 3), shown(pair.score, 1, sign=True)]
                rows.append([rank, name, report.numbers.agents[b].name, f"{pair.games:,}", *numbers])
    if not rows:
        return [element("p", "No two agents sat at one table.")]
    listed = folded(f"All {_many(len(rows), 'pair')}, from either side", table(heads, rows, text=(1, 2)))
    return [_pictures(plots, "pairs-share", "pairs-score"), listed]


def _seats(report: Report, plots: dict[str, Plot]) -> list[Markup]:
    starts = report.numbers.starts
    places = [f"seat {s}" for s in range(len(report.numbers.seats))]
    after = ["leads the first trick", *(f"sits {i} to its left" for i in range(1, len(starts)))]
    own = [
        [report.numbers.agents[a].name, *(_place(place)[0] for place in report.numbers.agents[a].by_seat)]
        for a in report.ranked
    ]
    return [
        _pictures(plots, "seats"),
        Markup('<div class="side">'),
        _places("By seat, all agents", places, report.numbers.seats),
        _places("By who leads the first trick", after, starts),
        Markup("</div>"),
        folded("Share of the wins by agent and seat", table(["agent", *places], own)),
    ]


def _places(caption: str, names: Sequence[str], places: Sequence[Place | None]) -> Markup:
    rows = [
        [name, f"{place.games:,}", shown(place.share, 3), _score(place)]
        for name, place in zip(names, places, strict=True)
        if place is not None
    ]
    if not rows:
        return element("p", f"{caption}: no results.")
    return table(["", "results", "win share, 95%", "mean score, 95%"], rows, caption=caption)


def _sources(report: Report, plots: dict[str, Plot]) -> list[Markup]:
    sources = report.numbers.sources
    heads = ["source", "mean points", "winners more than others, 95%", "part of the gap", "effect", "correlation"]
    rows = [
        [
            source.name,
            number(source.mean, 2),
            shown(source.gap, 2, sign=True),
            f"{number(100 * source.part, 0)}%",
            number(source.effect, 2, sign=True),
            number(source.correlation, 2, sign=True),
        ]
        for source in sources
    ]
    told = (
        "Effect: the winners' gap in units of the points' standard deviation. Correlation: of points and share of the "
        "win, each against the mean of its table. Games with failures are left out."
    )
    listed = [[report.numbers.agents[a].name, *_points(report, a)] for a in report.ranked]
    by_agent = folded("Mean points by agent and source", table(["agent", *(s.name for s in sources)], listed))
    return [_pictures(plots, "sources"), table(heads, rows), element("p", told), by_agent]


def _points(report: Report, agent: int) -> list[str]:
    found = report.numbers.agents[agent].sources
    return [number(points, 2) for points in found] if found else ["–"] * len(report.numbers.sources)


def _luck(report: Report, plots: dict[str, Plot]) -> list[Markup]:
    spreads = {"share of the win": report.numbers.share_spread, "score": report.numbers.score_spread}
    rows = [
        [name, number(s.variance, 3), shown(s.luck, 3), shown(s.skill, 3), number(s.rest, 3)]
        for name, s in spreads.items()
        if s is not None
    ]
    if not rows:
        return [element("p", "All results are alike: there is no variance to divide.")]
    heads = ["result", "variance", "deal (luck), 95%", "who plays (skill), 95%", "all else"]
    return [_pictures(plots, "luck"), table(heads, rows)]


def _failures(report: Report) -> list[Markup]:
    if not report.failures:
        return [element("p", "None.")]
    names = {agent.number: agent.name for agent in report.agents}
    kinds = Counter((names.get(f.agent, f.agent), f.what) for f in report.failures)
    counted = [[name, what, f"{count:,}"] for (name, what), count in kinds.most_common()]
    rows = [
        [f.game, names.get(f.agent, f.agent), f.seat, f.decision, f.what, f.message]
        for f in report.failures[:MOST_FAILURES]
    ]
    heads = ["game", "agent", "seat", "decision", "what", "message"]
    title = f"The first {len(rows)} of {_many(len(report.failures), 'failure')}"
    told = "A seat whose agent failed went on at random, and its result counts " + (
        "as last." if report.failure == "random_last" else "as it came out."
    )
    return [
        element("p", told),
        table(["agent", "what", "seats"], counted, text=(0, 1)),
        folded(title, table(heads, rows, text=(1, 4, 5))),
    ]


def _games(report: Report) -> list[Markup]:
    command = f"tritarea replay {shlex.quote(report.file)} --game"
    told = "Any game can be looked at by its number, decision by decision, or with --positions position by position."
    rows = [[example.why, example.game, element("code", f"{command} {example.game}")] for example in report.examples]
    return [
        element("p", told),
        element("pre", f"{command} ID"),
        table(["", "game", "command"], rows, text=(0, 2)),
    ]


def _about(report: Report) -> list[Markup]:
    rows = [[a.name, a.spec, a.version, a.digest if a.digest is not None else "–"] for a in report.agents]
    return [
        table(["agent", "spec", "version", "digest of its files"], rows, text=(0, 1, 2, 3)),
        folded("Config", element("pre", report.config)),
    ]
