"""``tritarea report``: a tournament's results as one page and as plots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import check_out, user_input


def report(
    file: Annotated[Path, typer.Argument(help="A tournament's file.")],
    out: Annotated[Path | None, typer.Option("--out", help="The page. [default: the file's name with .html]")] = None,
    plots: Annotated[
        Path | None, typer.Option("--plots", metavar="FOLDER", help="Write each plot as PNG and SVG as well.")
    ] = None,
) -> None:
    """Write a page that tells a tournament's results and needs nothing else: no script, no other file, no network.

    The tournament may still be going on. The same file gives the same page.

    \b
    Example:
      tritarea report tournament.sqlite --out report.html --plots plots
    """
    from tritarea_env.records import replacing
    from tritarea_eval.tournament import store
    from tritarea_eval.tournament.report import content, drawing, page
    from tritarea_train.curves import require_matplotlib

    require_matplotlib()
    target = out or file.with_suffix(".html")
    check_out(target, file)
    with user_input():
        if plots is not None:
            plots.mkdir(parents=True, exist_ok=True)
        with store.read(file) as opened:
            found = content.read(opened)
        with replacing(target) as text:
            text.write(page.written(found))
        if plots is not None:
            for plot in content.drawn(found).values():
                drawing.save(plot.draw, plot.size, plots / plot.name)
    typer.echo(f"The report on {found.numbers.games:,} games is {target}.")
