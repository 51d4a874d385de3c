"""``tritarea study``: a grid of configs times seeds."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .common import UserError, fail, screen, user_input

if TYPE_CHECKING:
    from rich.console import Console

    from tritarea_train.study import Run, Study

STOPPED = 130


def study(
    file: Annotated[Path, typer.Argument(metavar="STUDY", help="A YAML file, see configs/studies.")],
    out: Annotated[
        Path | None, typer.Option("--out", help="The study's folder. [default: runs/studies and the file's name]")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Runs side by side.")] = 1,
    report: Annotated[bool, typer.Option("--report", help="Only make the table and plots of what is done.")] = False,
    only: Annotated[
        str | None, typer.Option("--run", metavar="VARIANT/seed-N", help="Do this run alone, in this process.")
    ] = None,
    watched: Annotated[bool, typer.Option("--end-with-stdin", hidden=True)] = False,
) -> None:
    """Train every variant of a config with every seed, play each agent's matches, and draw up table and curves.

    Stopped at any moment, even by kill -9, the same command goes on: runs that are done are not done again, the
    others go on from their newest checkpoints. The number of workers changes nothing but the time. A run that fails is
    reported, the others go on; the next call tries it again.

    \b
    Example:
      tritarea study configs/studies/smoke.yaml --workers 2 --out runs/studies/smoke
    """
    if watched:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    from tritarea_train import curves
    from tritarea_train import study as studies
    from tritarea_train.config import ConfigError

    folder = out or Path("runs", "studies", file.stem)
    try:
        with user_input():
            found = studies.load(file)
        run = None if only is None else found.run(only)
        if report and not (folder / studies.STUDY).is_file():
            raise ConfigError(f"there is no study in {folder}")
        if not (report or watched):  # who watches has seen to this
            curves.require_matplotlib()
            studies.check(found)
        studies.begin(found, folder)
    except ConfigError as error:
        raise UserError(str(error)) from error
    if run is not None:
        _perform(found, run, folder)
        return
    failures = [] if report else _conduct(found, folder, file, workers)
    from tritarea_eval.study_table import report as write_report

    typer.echo(write_report(found, folder), nl=False)
    typer.echo(f"\nTable and curves are in {folder}.", err=True)
    if failures:
        raise fail(f"{len(failures)} of {len(found.runs)} runs failed: {'; '.join(failures)}", 1)


def _perform(found: Study, run: Run, folder: Path) -> None:
    from tritarea_agents.checkpoint import CheckpointError
    from tritarea_train.config import GameConfig
    from tritarea_train.study import perform
    from tritarea_train.trial import Stopped

    def play(agents: list[str], game: GameConfig, games: int, seed: int) -> dict[str, object]:
        from tritarea_eval.match import play_match

        return play_match(game.name, agents, games=games, seed=seed, options=game.options).as_json()

    try:
        perform(found, run, folder, play)
    except CheckpointError as error:
        raise UserError(str(error)) from error
    except Stopped as error:
        raise fail(f"{error}; the same command goes on", STOPPED) from error


def _end_with_stdin() -> None:
    """Whoever began this run holds the other end of stdin: when that is gone, so is this process."""
    while os.read(0, 1):
        pass
    os._exit(STOPPED)


def _conduct(found: Study, folder: Path, file: Path, workers: int) -> list[str]:
    """Do all that is not done yet; what failed."""
    from tritarea_train.study import STUDY
    from tritarea_train.workers import conduct

    done = found.finished(folder)
    todo = [run for run in found.runs if run not in done]
    console = screen(stderr=True)
    console.print(f"{len(found.runs)} runs, {len(done)} done, {len(todo)} to do", soft_wrap=True)

    def command(run: Run) -> list[str]:
        written = str(folder / STUDY)  # the files that it was begun with may change meanwhile
        words = ["study", written, "--out", str(folder), "--run", run.name, "--end-with-stdin"]
        return [sys.executable, "-m", "tritarea_eval.cli", *words]

    try:
        with _bars(found, folder, console) as watch:
            return conduct(todo, folder, workers, command, lambda line: console.print(line, soft_wrap=True), watch)
    except (KeyboardInterrupt, SystemExit) as error:
        again = shlex.join(["tritarea", "study", str(file), "--out", str(folder), "--workers", str(workers)])
        left = f"{len(found.finished(folder))} of {len(found.runs)} runs are done"
        code = error.code if isinstance(error, SystemExit) and isinstance(error.code, int) else STOPPED
        raise fail(f"stopped: {left}; go on with: {again}", code) from error


@contextmanager
def _bars(found: Study, folder: Path, console: Console) -> Iterator[Callable[[Sequence[Run]], None]]:
    """A bar for every run under way, on a terminal; yields what is to be called with those runs."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from tritarea_train.curves import steps_so_far

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("steps"))
    with Progress(
        *columns, TimeElapsedColumn(), console=console, disable=not console.is_terminal, transient=True
    ) as progress:
        tasks = {
            run.name: progress.add_task(run.name, total=run.config.steps, visible=False, start=False)
            for run in found.runs
        }

        def watch(busy: Sequence[Run]) -> None:
            if progress.disable:
                return
            for name, task in tasks.items():
                progress.update(task, visible=any(run.name == name for run in busy))
            for run in busy:
                progress.start_task(tasks[run.name])
                progress.update(tasks[run.name], completed=steps_so_far(run.folder(folder)))

        yield watch
