"""``tritarea runs``: what runs there are, and how far and how strong they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import UserError, screen

if TYPE_CHECKING:
    from rich.table import Table

    from tritarea_train.listing import Summary


def runs(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of runs, or a run.")] = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List runs: how far they are, how fast, their win share against each opponent of their evaluations.

    last and best: the share of the wins in the last evaluation and in the best one. digest: the first digits of the
    SHA-256 of the weights, the same for two runs of one config and seed. A run is "running" while a process trains in
    its folder. What is wrong with a folder is said below the tables.

    \b
    Example:
      tritarea runs
      tritarea runs runs/quick --json
    """
    from tritarea_train.listing import summaries

    if not folder.is_dir():
        raise UserError(f"there is no folder {str(folder)!r}")
    found = summaries(folder)
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], indent=1))
        return
    listed = [one for one in found if one.state is not None]
    if listed:
        screen().print(_run_table(listed))
    if any(one.last for one in listed):
        screen().print(_strength_table(listed))
    for one in found:
        for problem in one.problems:
            typer.echo(f"{one.name}: {problem}")
    if not found:
        typer.echo(f"There are no runs in {folder}.")


def _run_table(found: list[Summary]) -> Table:
    table = _table(("run", "game", "state"), ("steps", "trained", "steps/s"), ("digest",))
    for one in found:
        table.add_row(
            one.name,
            "?" if one.game is None else f"{one.game} {one.players}",
            one.state,
            _steps(one),
            _duration(one.seconds),
            "-" if one.speed is None else f"{one.speed:,.0f}",
            (one.digest or "-")[:8],
        )
    return table


def _strength_table(found: list[Summary]) -> Table:
    table = _table(("run", "against"), ("last share, 95%", "best share, 95%", "at step"))
    for one in found:
        for against, match in one.last.items():
            best = one.best[against]
            table.add_row(one.name, against, _share(match), _share(best), f"{best['steps']:,}")
    return table


def _table(left: Sequence[str], right: Sequence[str], last: Sequence[str] = ()) -> Table:
    """A narrow one: names and steps are folded if need be."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in (*left, *right, *last):
        name = column in ("run", "against")
        table.add_column(
            column,
            justify="right" if column in right else "left",
            overflow="fold",
            no_wrap=not name and column != "steps",
            min_width=10 if name else None,
        )
    return table


def _steps(one: Summary) -> str:
    """How far it is; of how many if it is not finished."""
    if one.imitated is not None:
        return f"imitated {one.imitated:,}"
    whole = one.total is None or (one.steps or 0) >= one.total
    return f"{one.steps or 0:,}" if whole else f"{one.steps or 0:,} of {one.total:,}"


def _share(match: dict[str, Any]) -> str:
    low, high = match.get("low"), match.get("high")
    interval = "" if low is None or high is None else f" ({low:.3f}-{high:.3f})"
    return f"{match['share']:.3f}{interval}"


def _duration(seconds: float | None) -> str:
    """Hours, minutes and seconds."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
