"""What the commands share: options, errors in one line, a progress bar."""

from __future__ import annotations

import errno
import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from tritarea_env.games import Game
    from tritarea_eval.explaining import Adviser

F = TypeVar("F", bound=Callable[..., Any])

MOST = 2**64 - 1  # the largest seed
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)  # errors that no file's name goes with
EXTRAS = {  # packages that the environment alone does not need, and the extra that brings them
    **dict.fromkeys(("torch", "stable_baselines3", "sb3_contrib", "safetensors", "tensorboard"), "train"),
    **dict.fromkeys(("scipy", "rich", "yaml", "pydantic", "polars", "openskill"), "eval"),
    "matplotlib": "plots",
}

GameName = Annotated[str, typer.Option("--game", help="The game.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=MOST, help="Fixes everything that is drawn.")]
GameOptions = Annotated[
    list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="An option of the game; repeatable.")
]
Players = Annotated[int | None, typer.Option("--players", help="Number of players. [default: the game's]")]
Out = Annotated[Path | None, typer.Option("--out", help="File for the records (JSON lines).")]


class UserError(Exception):
    """What the user asked for cannot be done; the message is one line."""


@contextmanager
def user_input() -> Iterator[None]:
    """Errors of values in this block are the user's: one line instead of a traceback."""
    try:
        yield
    except OSError as error:
        raise UserError(_trouble(error)) from error
    except (ValueError, TypeError) as error:
        raise UserError(str(error)) from error


def guarded(command: F) -> F:
    """The command, with the errors that are not bugs told in one line on stderr."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except UserError as error:
            raise fail(str(error), 2) from error
        except (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError) as error:
            raise fail(_trouble(error), 2) from error
        except OSError as error:
            if error.errno not in DISK:
                raise
            raise fail(_trouble(error), 2) from error
        except ImportError as error:
            package = (error.name or "").partition(".")[0]
            if package in EXTRAS:
                raise fail(f'this needs {package}: pip install "tritarea[{EXTRAS[package]}]"', 2) from error
            if "pip install" not in str(error):
                raise
            raise fail(str(error), 2) from error
        except KeyboardInterrupt as error:
            raise fail(str(error) or "stopped", 130) from error

    return run  # type: ignore[return-value]


def _trouble(error: OSError) -> str:
    """Which file it is about, if that is known, and what went wrong."""
    where = "" if error.filename is None else f"{error.filename}: "
    return f"{where}{error.strerror or error}"


def fail(message: str, code: int) -> typer.Exit:
    """Say what is wrong on stderr; the exception to raise."""
    typer.echo(f"error: {' '.join(message.split())}", err=True)
    return typer.Exit(code)


@contextmanager
def agents_fault(who: str, seat: int) -> Iterator[None]:
    """Errors in this block are the agent's that decides for a seat: one line instead of a traceback."""
    try:
        yield
    except Exception as error:
        raise fail(f"{who} failed in seat {seat}: {type(error).__name__}: {error}", 1) from error


def check_out(out: Path | None, source: Path | None = None) -> None:
    """Refuse a file that could not be written in the end, or would take the place of its source, before any work."""
    from tritarea_env import records

    if out is None:
        return
    if not out.parent.is_dir():
        raise UserError(f"there is no folder {str(out.parent)!r} to write {out.name!r} in")
    if source is not None and out.exists() and source.exists() and out.samefile(source):
        raise UserError(f"{str(out)!r} is the tournament's own file: give another one to write")
    try:
        target = records.target_of(out)
        if target is not None:
            with tempfile.TemporaryFile(dir=target.parent):
                return
    except OSError as error:
        raise UserError(f"{str(out)!r} cannot be written: {error.strerror}") from error
    if not os.access(out, os.W_OK):
        raise UserError(f"{str(out)!r} cannot be written")


def game_of(name: str, options: list[str] | None = None, players: int | None = None) -> tuple[Game, dict[str, Any]]:
    """The game and its checked options, from ``NAME=VALUE`` texts (values are JSON, or plain words) and ``players``."""
    from tritarea_env import games

    with user_input():
        game = games.get(name)
        given: dict[str, Any] = {} if players is None else {"players": players}
        for text in options or []:
            key, equals, value = text.partition("=")
            if not equals:
                raise ValueError(f"an option of the game is written NAME=VALUE, not {text!r}")
            if key.strip() in given:
                raise ValueError(f"the option {key.strip()} is given twice")
            given[key.strip()] = _value(value.strip())
        return game, game.check_options(given)


def _value(text: str) -> Any:
    try:
        return json.loads(text.lower() if text.lower() in ("true", "false") else text)
    except ValueError:
        return text


def adviser_of(spec: str | None, game: Game, options: dict[str, Any]) -> Adviser | None:
    """The agent after ``--explain``, if one is given."""
    if spec is None:
        return None
    from tritarea_eval.explaining import find_adviser

    with user_input():
        return find_adviser(spec, game, options)


def screen(stderr: bool = False) -> Console:
    """Where tables go; text is printed as it is."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, soft_wrap=False)


@contextmanager
def progress_bar(what: str, games: int) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr (on a terminal) for ``games`` games; yields an ``on_progress`` for ``play_match``."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = screen(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games, {task.fields[decisions]:,} decisions"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task(what, total=games, decisions=0)
        made = 0

        def on_progress(finished: int, decisions: int) -> None:
            nonlocal made
            made += decisions
            progress.update(task, advance=finished, decisions=made)

        yield on_progress
