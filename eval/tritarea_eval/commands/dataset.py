"""``tritarea dataset``: a tournament's decisions as a table to learn from."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from .common import UserError, check_out, progress_bar, user_input


def dataset(
    file: Annotated[Path, typer.Argument(help="A tournament's file.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The Parquet file to write.")],
    agents: Annotated[
        list[str] | None, typer.Option("--agent", metavar="NAME", help="Its decisions only; repeatable.")
    ] = None,
) -> None:
    """Write the decisions of a tournament's games as rows: what the seat saw, might do and did, and what it came to.

    The columns are in docs/dataset.md. The same games give the same bytes; memory does not grow with their number.

    \b
    Example:
      tritarea dataset tournament.sqlite decisions.parquet --agent expert
    """
    from tritarea_eval.tournament import dataset, parquet, store

    check_out(out, file)
    with user_input(), store.read(file) as opened:
        names = opened.config.names
        unknown = [name for name in agents or [] if name not in names]
        if unknown:
            raise UserError(f"no agent is named {unknown[0]!r}; there is {', '.join(names)}")
        if not opened.count():
            raise UserError(f"{file} holds no game yet")
        game, options = opened.config.game.game, opened.config.game.checked
        about = {"game": game.name, "options": json.dumps(options), "fields": game.observation_digest}
        with (
            progress_bar("writing", opened.count()) as on_progress,
            closing(dataset.recorded(opened, on_progress)) as recorded,
        ):
            frames = dataset.frames(game, options, names, recorded, agents)
            rows = parquet.write(frames, dataset.schema_of(game, names), out, about)
    typer.echo(f"{rows:,} decisions are in {out}.")
