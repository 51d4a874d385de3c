"""``tritarea replay``: a record, position by position."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import UserError, adviser_of, agents_fault, screen, user_input

if TYPE_CHECKING:
    import numpy as np

    from tritarea_env.records import Record
    from tritarea_eval.explaining import Adviser


def replay(
    file: Annotated[Path, typer.Argument(help="A file of records (JSON lines), or a tournament's.")],
    game_number: Annotated[
        int | None, typer.Option("--game-number", min=1, help="Which game of a file of records.  [default: 1]")
    ] = None,
    game_id: Annotated[
        int | None, typer.Option("--game", metavar="ID", min=0, help="Which game of a tournament.")
    ] = None,
    from_seat: Annotated[int | None, typer.Option("--from-seat", min=0, help="Show what this seat sees.")] = None,
    positions: Annotated[
        bool, typer.Option("--positions/--moves", help="The board at every decision, or the actions only.")
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            metavar="AGENT",
            help="At each decision, what this agent thinks of it, knowing what the seat knew: search:sims=800.",
        ),
    ] = None,
) -> None:
    """Print a recorded game and check it: every action must be legal, and the result must be the record's.

    \b
    Example:
      tritarea replay games.jsonl --game-number 3 --positions
      tritarea replay games.jsonl --from-seat 2 --explain search:sims=800
      tritarea replay tournament.sqlite --game 17
    """
    from tritarea_env.errors import RecordError

    if _is_tournament(file):
        record, headline = _of_tournament(file, game_id, game_number)
    else:
        record, headline = _of_records(file, game_number, game_id)
    try:
        _show(record, headline, from_seat, positions, explain)
    except RecordError as error:
        place = f"game {game_number or 1}" if game_id is None else f"game {game_id}"
        raise UserError(f"{file}, {place}: {error}") from error


def _is_tournament(file: Path) -> bool:
    """A pipe is a file of records: what is read from it to find out is gone."""
    from tritarea_eval.tournament.store import is_store

    return file.is_file() and is_store(file)


def _of_records(file: Path, number: int | None, game: int | None) -> tuple[Record, str]:
    from tritarea_env import records

    if game is not None:
        raise UserError(f"{file} is no tournament's file: its games are told by --game-number")
    with user_input():
        found = records.read(file)
    if not found:
        raise UserError(f"{file} holds no record")
    number = number or 1
    if number > len(found):
        raise UserError(f"{file} holds {len(found)} game{'s' * (len(found) != 1)}; there is no game {number}")
    return found[number - 1], f"Game {number} of {len(found)}"


def _of_tournament(file: Path, game: int | None, number: int | None) -> tuple[Record, str]:
    from tritarea_eval.tournament import record, store

    if number is not None or game is None:
        raise UserError(f"{file} is a tournament's file: say which game by --game ID, as `tritarea report` lists some")
    with user_input(), store.read(file) as opened:
        found = record.record_of(opened, game)
        lines = [f"Seat {seat}: {who}" for seat, who in enumerate(record.told_seats(opened, game))]
    return found, "\n".join([*map(_plain, lines), f"Game {game}"])


def _plain(text: str) -> str:
    """Names and messages of programs may hold what a terminal would obey."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _show(record: Record, headline: str, viewer: int | None, positions: bool, explain: str | None) -> None:
    import numpy as np

    from tritarea_env import records
    from tritarea_eval.telling import points_table, told_action

    game, options, state = records.start(record)
    seats = game.seats_of(options)
    if viewer is not None and viewer >= seats:
        raise UserError(f"--from-seat is 0 … {seats - 1}, not {viewer}")
    adviser = adviser_of(explain, game, options)
    seen = f", as seat {viewer} sees it" if viewer is not None else ""
    explained = f", explained by {explain} (> is what was played)" if explain is not None else ""
    typer.echo(f"{headline}: {game.title}{seen}{explained}")
    mask = np.zeros(game.actions, np.int8)
    heading = ""
    for number, (position, legal, seat, action) in enumerate(records.replay(record)):
        if positions:
            typer.echo("\n" + game.draw_text(game.to_position(state[0], viewer), options))
        elif action is not None and heading != (heading := f"round {position['round']}, trick {position['trick']}"):
            typer.echo(f"\n{heading[0].upper()}{heading[1:]}")
        if action is None:
            break
        typer.echo(f"{number:>4}  seat {seat}: {told_action(game, state, action, viewer)}")
        if adviser is not None and seat is not None and viewer in (None, seat):
            _tell_thoughts(adviser, state, legal, seat, action)
        records.step(record, game, state, action, mask)
    if not state.done[0]:
        typer.echo("\nThe game was broken off here.")
        return
    points = records.points_of(game, options, state[0], record)
    scores = records.scores_of(game, options, state[0])
    screen().print(points_table(game, "\nThe end", [str(s) for s in range(seats)], points, scores))
    typer.echo(f"Won by seat {', '.join(map(str, records.winners_of(state[0])))}. The record is right.")


def _tell_thoughts(adviser: Adviser, state: np.recarray, legal: list[int], seat: int, played: int) -> None:
    """What the adviser thinks of the decision in which ``seat`` played an action."""
    labels = {action: adviser.game.action_names[action] for action in legal}
    with agents_fault(adviser.spec, seat):
        told = adviser.explanation(state, labels, played)
    if told:
        typer.echo(textwrap.indent(told, " " * 12))
