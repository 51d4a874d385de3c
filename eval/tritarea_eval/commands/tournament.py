"""``tritarea tournament``: any number of agents against each other."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .common import MOST, UserError, check_out, fail, screen

if TYPE_CHECKING:
    from tritarea_eval.tournament.config import TournamentConfig

INTERRUPTED, TERMINATED = 130, 143  # exit codes of SIGINT and SIGTERM
STOPS = (INTERRUPTED, TERMINATED)


def tournament(
    file: Annotated[
        Path, typer.Argument(metavar="CONFIG", help="A YAML file, see configs/tournament; or a tournament's file.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The tournament's file. [default: runs/tournaments and the config's name]"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, max=256, help="Processes that play. [default: one for each core]")
    ] = None,
    batch: Annotated[
        int, typer.Option("--batch", min=1, max=1_000_000, help="Games that each process plays at once, and stores.")
    ] = 256,
    games: Annotated[
        int | None, typer.Option("--games", min=1, help="Number of games, rounded up. [default: the config's deals]")
    ] = None,
    deals: Annotated[
        int | None, typer.Option("--deals", min=1, help="Number of deals in place of the config's.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, max=MOST, help="The seed in place of the config's.")
    ] = None,
    export: Annotated[
        Literal["csv", "parquet"] | None,
        typer.Option("--export", help="Also write the games as a table, beside the tournament's file."),
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="Play nothing: only show what the file holds.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Play a tournament: who is stronger, by how much, and how sure that is.

    Tables are balanced, and each deal is played with the agents in every seat. Every game is kept in one SQLite file.
    Stopped at any moment, even by kill -9, the same command goes on to the same result, with whatever --workers and
    --batch. An agent that fails loses that game, by the config's rule, and ends nothing.

    \b
    Example:
      tritarea tournament configs/tournament/smoke.yaml --out smoke.sqlite
      tritarea tournament smoke.sqlite --table
    """
    from tritarea_eval.tournament.pool import PoolError
    from tritarea_eval.tournament.store import StoreError
    from tritarea_train.config import ConfigError

    try:
        config, path = _asked(file, out, {"deals": deals, "seed": seed}, games)
        if export is not None and path.suffix == f".{export}":
            raise UserError(f"{path}: --export {export} would take the place of this file; name it otherwise")
        many = workers or _cores()
        again = shlex.join(["tritarea", "tournament", str(path), "--workers", str(many)])
        try:
            if not table:
                _play(config, path, many, batch)
            _show(path, export, as_json)
        except PoolError as error:
            raise fail(f"{error}; what is stored is whole; go on with: {again}", 1) from error
        except (KeyboardInterrupt, SystemExit) as error:
            code = error.code if isinstance(error, SystemExit) else INTERRUPTED
            if code not in STOPS:
                raise
            raise fail(f"stopped: what is stored is whole; go on with: {again}", int(code)) from error
    except (ConfigError, StoreError) as error:
        raise UserError(str(error)) from error


def _asked(
    file: Path, out: Path | None, given: dict[str, int | None], games: int | None
) -> tuple[TournamentConfig, Path]:
    """The config, and the tournament's file."""
    from tritarea_eval.tournament import config as configs
    from tritarea_eval.tournament.schedule import Schedule
    from tritarea_eval.tournament.store import is_store, read

    overrides = {key: value for key, value in given.items() if value is not None}
    if file.is_file() and is_store(file):
        if out is not None or overrides or games is not None:
            raise UserError(f"{file} holds its own config: --out, --games, --deals and --seed go with a YAML file")
        with read(file) as store:
            return store.config, file
    if games is not None and "deals" in overrides:
        raise UserError("give --games or --deals, not both")
    config = configs.load(file, overrides)
    schedule = Schedule.of(config)
    if games is not None:
        needed = -(-games // (schedule.seatings * schedule.tables_per_deal))
        config = configs.load(file, {**overrides, "deals": needed})
    return config, out or Path("runs", "tournaments", f"{file.stem}.sqlite")


def _play(config: TournamentConfig, path: Path, workers: int, batch: int) -> None:
    """Play what the file lacks."""
    from tritarea_eval.tournament import run
    from tritarea_eval.tournament.config import check
    from tritarea_eval.tournament.identity import identities
    from tritarea_eval.tournament.store import begin

    check(config)
    if path.parent == Path("runs", "tournaments"):
        path.parent.mkdir(parents=True, exist_ok=True)
    with begin(path, config, identities(config)) as store:
        run.finish(store, workers, batch, screen(stderr=True))


def _show(path: Path, export: Literal["csv", "parquet"] | None, as_json: bool) -> None:
    """Print the numbers, and write the table that is asked for."""
    from tritarea_eval.tournament.export import export as write_table
    from tritarea_eval.tournament.store import read
    from tritarea_eval.tournament.telling import numbers_of, tournament_report

    with read(path) as store:
        if not store.count():
            raise UserError(f"{path} holds no games yet")
        found = numbers_of(store)
        if as_json:
            typer.echo(json.dumps(found.as_json(), indent=1))
        else:
            for part in tournament_report(store, found):
                screen().print(part)
        typer.echo(f"All games are in {path}.", err=True)
        if export is not None:
            target = path.with_suffix(f".{export}")
            check_out(target, path)
            write_table(store, export, target)
            typer.echo(f"The table is {target}.", err=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
