"""``tritarea bench``: the environment's speed on this machine."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from .common import GameName, Players, game_of, screen


def bench(
    game: GameName = "tritarea",
    players: Players = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.01, help="Time for each try, three tries a line.")] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure decisions a second and start times; the best of three tries each (the cold start: one).

    \b
    Example:
      tritarea bench --json
    """
    options = game_of(game, players=players)[1]
    from rich.table import Table

    from tritarea_eval.bench import measures

    console = screen(stderr=True)
    found = []
    with console.status("measuring") as status:
        for measure in measures(game, options, seconds):
            found.append(measure)
            status.update(f"measured: {measure.what}")
    if as_json:
        rows = [{"what": m.what, "value": float(f"{m.value:.4g}"), "unit": m.unit} for m in found]
        typer.echo(json.dumps({"game": game, "options": options, "measures": rows}, indent=1))
        return
    table = Table("what")
    table.add_column("value", justify="right")
    table.add_column("unit")
    for m in found:
        table.add_row(m.what, f"{m.value:.2f}" if m.unit == "s" else f"{float(f'{m.value:.3g}'):,.0f}", m.unit)
    screen().print(table)
