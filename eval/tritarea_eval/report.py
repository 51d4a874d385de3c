"""Results of matches as tables for the terminal."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .interval import Estimate
from .match import AgentResult, MatchResult


def match_report(result: MatchResult) -> list[RenderableType]:
    """The tables of a match, and what there is to say about it."""
    return [result_table(result), seat_table(result), Text(remarks(result))]


def result_table(result: MatchResult) -> Table:
    """Win share and mean score of each agent, with 95% intervals."""
    title = f"{result.games} games on {result.deals} deals, seed {result.seed}"
    table = Table(title=title, title_justify="left")
    table.add_column("agent", overflow="fold")
    for column in ("seats", "win share, 95%", "even", "mean score, 95%", "decisions/s"):
        table.add_column(column, justify="right")
    for agent in result.agents:
        table.add_row(
            agent.label,
            str(agent.seats),
            estimate_text(agent.share, 3),
            f"{agent.even:.2f}",
            estimate_text(agent.score, 1),
            speed_text(agent),
        )
    return table


def estimate_text(estimate: Estimate, digits: int) -> str:
    """``mean (low-high)``, or the mean alone where there is no interval."""
    mean = f"{estimate.mean:.{digits}f}"
    if estimate.low is None or estimate.high is None:
        return mean
    return f"{mean} ({estimate.low:.{digits}f}-{estimate.high:.{digits}f})"


def speed_text(agent: AgentResult) -> str:
    """Decisions a second, rounded to two digits."""
    return "-" if agent.speed is None else f"{float(f'{agent.speed:.2g}'):,.0f}"


def seat_table(result: MatchResult) -> Table:
    """Win share (for one seat) and mean score of each agent in each seat."""
    table = Table(title="By seat: win share, mean score", title_justify="left")
    table.add_column("agent", overflow="fold")
    seats = len(result.agents[0].by_seat)
    for seat in range(seats):
        table.add_column(f"seat {seat}", justify="right")
    for agent in result.agents:
        table.add_row(agent.label, *(f"{share:.3f} {score:6.1f}" if n else "-" for n, share, score in agent.by_seat))
    return table


def remarks(result: MatchResult) -> str:
    """Distinct games, NPC seats and options, in words."""
    lines = [f"{result.distinct} of {result.games} games are distinct."]
    if result.distinct < result.games:
        lines[0] += " The rest repeat one of these, as agents without chance do: they add nothing to what is known."
    if result.deals < 20:
        lines.append(f"{result.deals} deal{'s' * (result.deals != 1)}: too few for intervals to be relied on.")
    if result.npc_share is not None:
        lines.append(f"NPC seats won {result.npc_share:.3f}.")
    if result.options:
        lines.append("Options: " + ", ".join(f"{key}={value}" for key, value in result.options.items()) + ".")
    return "\n".join(lines)


def summary_table(title: str, results: list[MatchResult]) -> Table:
    """The first agent of each match, a line a match."""
    table = Table(title=title, title_justify="left")
    table.add_column("against", overflow="fold")
    for column in ("games", "win share, 95%", "even", "mean score", "theirs"):
        table.add_column(column, justify="right")
    for result in results:
        own, *others = result.agents
        table.add_row(
            " ".join(f"{agent.seats} × {agent.label[2:]}" for agent in others),
            str(result.games),
            estimate_text(own.share, 3),
            f"{own.even:.2f}",
            f"{own.score.mean:.1f}",
            " ".join(f"{agent.score.mean:.1f}" for agent in others),
        )
    return table
