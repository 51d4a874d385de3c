"""``tritarea bench``: the environment's speed on this machine, and what got slower."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .common import Players, check_out, game_of, screen, user_input

Subject = Literal["engine", "train"]

if TYPE_CHECKING:
    from rich.table import Table

    from tritarea_eval.baseline import Bench, GameBench, Measure, Row
    from tritarea_eval.bench import Line


def bench(
    what: Annotated[
        Subject, typer.Argument(metavar="[engine|train]", help="The environment, search and start, or training.")
    ] = "engine",
    game: Annotated[
        list[str] | None, typer.Option("--game", help="A game; repeatable. [default: all, one after the other]")
    ] = None,
    players: Players = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.01, max=3600, help="Of each try, three tries a line; not of train.")
    ] = 1.0,
    updates: Annotated[
        int, typer.Option("--updates", min=1, max=1000, help="Of train: how many are timed, in turns.")
    ] = 5,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PATTERN", help="Lines to measure, as 'batch.*'; repeatable. [default: all]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    out: Annotated[Path | None, typer.Option("--out", help="File for the JSON.")] = None,
    against: Annotated[
        Path | None, typer.Option("--compare", metavar="FILE", help="Say what got slower since that JSON.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0.0, max=0.99, help="Part of the speed that may be lost unsaid.")
    ] = 0.15,
) -> None:
    """Measure speeds, memory and start times; the best of three tries each (the cold start: one).

    ``train`` times updates of MaskablePPO with a league of four nets, greedy and expert, in turns with the same on
    games that cost nothing; it needs the extra train.
    The tables show rates and the nanoseconds that one of what they count takes.
    With --compare the exit code is 1 if a line got slower by more than the tolerance.

    \b
    Example:
      tritarea bench --only 'batch.*' --game tritarea
      tritarea bench train --game tritarea
      tritarea bench --out before.json
      tritarea bench --compare before.json
    """
    from tritarea_env import games

    chosen = {name: game_of(name, players=players)[1] for name in game or games.names()}
    check_out(out)
    from tritarea_eval import baseline
    from tritarea_eval.bench import selected

    with user_input():
        lines = selected(only or []) if what == "engine" else None
        if only and lines is None:
            raise ValueError("--only chooses among lines of the engine: train's are measured together")
        old = baseline.read(against) if against else None
        parts = [baseline.part_for(old, against, *one) for one in chosen.items()] if old and against else []
    new = _measure(lines, chosen, seconds, updates)
    if out:
        _write(out, new)
    rows = _compared(parts, new, only or [], tolerance) if old else {}
    if as_json:
        compared = {"comparison": {"tolerance": tolerance, "games": _plain(rows)}} if old else {}
        typer.echo(json.dumps(new.model_dump() | compared, indent=1))
    elif old:
        _show_comparison(old, new, rows, tolerance)
    else:
        for part in new.games:
            screen().print(_table(part))
    if any(row.slower for of_game in rows.values() for row in of_game):
        raise typer.Exit(1)


def _measure(lines: Sequence[Line] | None, chosen: dict[str, dict[str, Any]], seconds: float, updates: int) -> Bench:
    """Measure the lines; None: training."""
    from tritarea_eval import baseline

    parts = []
    with screen(stderr=True).status("measuring", refresh_per_second=1) as status:
        for name, options in chosen.items():
            found = []
            for measure in _measures(lines, name, options, seconds, updates):
                found.append(measure)
                status.update(f"measured of {name}: {measure.what}")
            parts.append(baseline.GameBench(game=name, options=options, measures=found))
    return baseline.bench_of(parts, seconds)


def _measures(
    lines: Sequence[Line] | None, name: str, options: dict[str, Any], seconds: float, updates: int
) -> Iterator[Measure]:
    if lines is None:
        from tritarea_eval.bench_train import measured as training

        return training(name, options, updates)
    from tritarea_eval import bench

    return bench.measured(lines, name, options, seconds)


def _write(out: Path, new: Bench) -> None:
    from tritarea_env import records

    with records.replacing(out) as file:
        file.write(json.dumps(new.model_dump(), indent=1) + "\n")


def _compared(parts: list[GameBench], new: Bench, only: list[str], tolerance: float) -> dict[str, list[Row]]:
    """By game, the lines that were asked for, then and now."""
    from tritarea_eval import baseline
    from tritarea_eval.bench import matches

    return {
        part.game: baseline.compare(
            [measure for measure in part.measures if matches(measure.key, only)], now.measures, tolerance
        )
        for part, now in zip(parts, new.games, strict=True)
    }


def _plain(rows: dict[str, list[Row]]) -> dict[str, list[dict[str, Any]]]:
    return {name: [asdict(row) for row in of_game] for name, of_game in rows.items()}


# -------------------------------------------------------------------------------------- the terminal


def _show_comparison(old: Bench, new: Bench, rows: dict[str, list[Row]], tolerance: float) -> None:
    from tritarea_eval import baseline

    for part in new.games:
        screen().print(_comparison_table(part, rows[part.game]))
    others = baseline.differences(old, new)
    if others:
        typer.echo(f"Not measured alike: {'; '.join(others)}.")
    slower = [f"{name} {row.key}" for name, of_game in rows.items() for row in of_game if row.slower]
    typer.echo(f"Slower by more than {tolerance:.0%}: {', '.join(slower) or 'nothing'}.")


def _table(part: GameBench) -> Table:
    from rich.table import Table

    table = Table(title=_title(part), title_justify="left")
    table.add_column("line", no_wrap=True)
    table.add_column("what", overflow="fold")
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("ns", justify="right", no_wrap=True)
    for m in part.measures:
        table.add_row(m.key, m.what, _amount(m.value, m.unit), "" if m.ns is None else _digits(m.ns))
    return table


def _comparison_table(part: GameBench, rows: list[Row]) -> Table:
    from rich.table import Table

    table = Table(title=_title(part), title_justify="left")
    table.add_column("line", no_wrap=True)
    for column in ("old", "new", "ratio"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("")
    for row in rows:
        old, new = (_amount(value, row.unit) for value in (row.old, row.new))
        table.add_row(row.key, old, new, "" if row.ratio is None else f"{row.ratio:.2f}", _remark(row))
    return table


def _title(part: GameBench) -> str:
    options = ", ".join(f"{key}={value}" for key, value in part.options.items() if not isinstance(value, dict))
    return f"{part.game}: {options}"


def _remark(row: Row) -> str:
    if row.old is None:
        return "new only"
    if row.new is None:
        return "old only"
    return ("larger" if row.unit == "bytes" else "slower") if row.slower else ""


def _amount(value: float | None, unit: str) -> str:
    """A value with its unit; of rates only ``/s``: what is counted stands in the description."""
    if value is None:
        return ""
    return f"{_digits(value)}/s" if unit.endswith("/s") else f"{_digits(value)} {unit}"


def _digits(value: float) -> str:
    """Three digits."""
    return f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}"
