"""``tritarea spec``: a game's actions and observation."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import GameName, game_of, screen


def spec(
    game: GameName = "tritarea",
    markdown: Annotated[bool, typer.Option("--markdown", help="Tables for the documentation.")] = False,
) -> None:
    """Print a game's actions and the fields of its observation.

    \b
    Example:
      tritarea spec --game triatri
    """
    from tritarea_eval import specs

    found, _ = game_of(game)
    if markdown:
        typer.echo(specs.actions_markdown(found) + "\n\n" + specs.fields_markdown(found))
        return
    screen().print(specs.actions_table(found))
    screen().print(specs.fields_table(found))
