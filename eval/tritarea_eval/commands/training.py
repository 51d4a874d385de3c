"""``tritarea train`` and ``tritarea demo``."""

from __future__ import annotations

import json
import shlex
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import MOST, Seed, UserError, fail, screen, user_input

QUICK = Path("configs", "train", "quick.yaml")


def train(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML file, see configs/train.")],
    seed: Annotated[int | None, typer.Option("--seed", min=0, max=MOST, help="Instead of the config's.")] = None,
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Instead of the config's.")] = None,
    players: Annotated[int | None, typer.Option("--players", help="Instead of the config's.")] = None,
    device: Annotated[
        str | None, typer.Option("--device", help="cpu, cuda, mps, auto: instead of the config's.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The run's folder. [default: runs/ and the config's name]")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in that folder.")] = False,
) -> None:
    """Train an agent by self-play; writes a checkpoint folder, whose path is an agent's spec.

    \b
    Example:
      tritarea train configs/train/quick.yaml --seed 1 --out runs/first
    """
    overrides = {"seed": seed, "steps": steps, "game.options.players": players, "device": device}
    folder = _train(f"train {config}", config, overrides, out or Path("runs", config.stem), resume)
    typer.echo(f"The agent is in {folder}. Try: tritarea match {folder} greedy --games 400{_game_of(folder)}")


def _game_of(run: Path) -> str:
    """What a command must be told to play the game that a run was trained for: nothing for the default one."""
    from tritarea_train import load_config

    game = load_config(run / "config.yaml").game
    told = [] if game.name == "tritarea" else [f"--game {game.name}"]
    for name, value in game.options.items():
        text = value if isinstance(value, str) else json.dumps(value)
        told.append(f"--players {text}" if name == "players" else f"--option {shlex.quote(f'{name}={text}')}")
    return "".join(f" {option}" for option in told)


def demo(
    steps: Annotated[
        int | None, typer.Option("--steps", min=1, help="Learner's decisions. [default: about three minutes of them]")
    ] = None,
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", help="The run's folder. [default: runs/demo, or the next that is free]")
    ] = None,
    games: Annotated[int, typer.Option("--games", min=1, help="Games of each match afterwards.")] = 1000,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the demo that was stopped in --out.")] = False,
) -> None:
    """Train an agent for about three minutes, then play it against three random and against three greedy.

    \b
    Example:
      tritarea demo --seed 1 --out runs/demo
    """
    from tritarea_eval.report import summary_table
    from tritarea_train import load_config

    from .matching import run_match

    config = find_config(QUICK)
    settings = load_config(config)
    run = out or (Path("runs", "demo") if resume else free_folder(Path("runs", "demo")))
    typer.echo(
        "Training for about three minutes: the net first imitates greedy, then plays itself, older selves and greedy. "
        "Then it plays matches, one seat against three of a kind; its share of the wins would be 0.25 among equals."
    )
    folder = str(_train("demo", config, {"seed": seed, "steps": steps}, run, resume))
    game = settings.game
    results = [run_match([folder, other], games, seed, game.name, game.options, None) for other in ("random", "greedy")]
    screen().print(summary_table("The trained agent in one seat against three of a kind", results))
    typer.echo(f"The agent is in {folder}. Play against it: tritarea play --opponents {folder}")


def find_config(wanted: Path) -> Path:
    """A shipped config: of the working folder, or of the checkout that this package is installed from.

    Raises:
        UserError: there is neither.
    """
    checkout = Path(__file__).resolve().parents[3]
    for folder in (Path(), checkout):
        if (folder / wanted).is_file():
            return folder / wanted
    raise UserError(f"there is no {wanted} here: run this in a checkout of the project, or give a config of your own")


def free_folder(wanted: Path) -> Path:
    """``wanted``, or if it is there already, the first of ``wanted-2``, ``wanted-3`` … that is not."""
    names = chain([wanted.name], (f"{wanted.name}-{number}" for number in count(2)))
    return next(folder for name in names if not (folder := wanted.with_name(name)).exists())


def _train(command: str, config: Path, overrides: dict[str, Any], out: Path, resume: bool) -> Path:
    """Train; returns the run's folder. A run that was stopped ends the command and says how to go on."""
    from tritarea_agents.checkpoint import CheckpointError
    from tritarea_train import load_config
    from tritarea_train import train as run
    from tritarea_train.about import IMITATION
    from tritarea_train.config import ConfigError

    with user_input():
        checked = load_config(config, {key: value for key, value in overrides.items() if value is not None})
    try:
        saved = run(checked, out, resume=resume, console=screen(stderr=True))
    except (CheckpointError, ConfigError) as error:
        raise UserError(str(error)) from error
    imitating = saved.parent.name == IMITATION
    if imitating or int(saved.name) < checked.steps:
        given = "".join(
            f" --{name.rpartition('.')[2]} {value}" for name, value in overrides.items() if value is not None
        )
        again = f"tritarea {command}{given} --resume --out {out}"
        total, of = (checked.imitation.steps, "decisions to imitate") if imitating else (checked.steps, "steps")
        raise fail(f"stopped after {int(saved.name):,} of {total:,} {of}; go on with: {again}", 130)
    return out
