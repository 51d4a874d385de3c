"""The commands of ``tritarea``, one module a group. At their heads they import nothing heavy."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from .benching import bench
from .common import guarded
from .dataset import dataset
from .exploit import exploit
from .listing import runs
from .matching import match
from .playing import play
from .replaying import replay
from .report import report
from .specifying import spec
from .study import study
from .tournament import tournament
from .training import demo, train
from .tuning import tune_expert

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"tritarea {version('tritarea')}")
        raise typer.Exit


@app.callback()
def tritarea(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """A research environment for the trick-taking games Tri*T*Area and TriATri.

    \b
    Example:
      tritarea match greedy random --games 400 --seed 1
    """


_commands = (
    train,
    match,
    tournament,
    report,
    dataset,
    play,
    replay,
    spec,
    demo,
    bench,
    tune_expert,
    exploit,
    study,
    runs,
)
for _command in _commands:
    app.command()(guarded(_command))
