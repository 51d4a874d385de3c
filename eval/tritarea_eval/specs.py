"""A game's actions and observation fields as tables, for the terminal and for the documentation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rich.table import Table

from tritarea_env.games import Field, Game

FIELD_COLUMNS = ("field", "offset", "shape", "maximum", "meaning")


def action_groups(game: Game) -> list[list[int]]:
    """Action ids in order, those that differ only in the last word of their names together."""
    names = game.action_names
    return [list(group) for _, group in groupby(range(game.actions), lambda a: names[a].rpartition(" ")[0] or names[a])]


def _ids(group: list[int]) -> str:
    return str(group[0]) if len(group) == 1 else f"{group[0]}-{group[-1]}"


def _field_row(field: Field) -> tuple[str, str, str, str, str]:
    shape = " × ".join(map(str, field.shape))
    return field.name, str(field.offset), shape, str(field.maximum), field.meaning


def actions_table(game: Game) -> Table:
    """Every action with its id and name."""
    table = Table(title=f"{game.title}: {game.actions} actions", title_justify="left")
    table.add_column("ids", justify="right")
    table.add_column("actions in the order of their ids", overflow="fold")
    for group in action_groups(game):
        table.add_row(_ids(group), ", ".join(game.action_names[a] for a in group))
    return table


def fields_table(game: Game) -> Table:
    """The fields of the observation."""
    title = f"{game.title}: {game.observation_size} numbers in an observation, each divided by its maximum"
    table = Table(title=title, title_justify="left")
    for column in FIELD_COLUMNS:
        table.add_column(column, justify="right" if column in ("offset", "maximum") else "left")
    for field in game.fields:
        table.add_row(*_field_row(field))
    return table


def actions_markdown(game: Game) -> str:
    """The actions as a Markdown table, without a newline at the end."""
    names = game.action_names
    rows = [(_ids(g), names[g[0]] if len(g) == 1 else f"{names[g[0]]} … {names[g[-1]]}") for g in action_groups(game)]
    return _markdown(("ids", "action"), rows)


def fields_markdown(game: Game) -> str:
    """The fields of the observation as a Markdown table, without a newline at the end."""
    return _markdown(FIELD_COLUMNS, [(f"`{name}`", *rest) for name, *rest in map(_field_row, game.fields)])


def _markdown(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
