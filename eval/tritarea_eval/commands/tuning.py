"""``tritarea tune-expert``: better values for the expert's parameters."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import MOST, UserError, fail, progress_bar, user_input


def tune_expert(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="A YAML file, see configs/tune.")],
    out: Annotated[Path, typer.Option("--out", help="The run's folder.")],
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in that folder.")] = False,
    generations: Annotated[int | None, typer.Option("--generations", min=1, help="Instead of the config's.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, max=MOST, help="Instead of the config's.")] = None,
) -> None:
    """Tune the expert's parameters by an evolution strategy over matches; writes best.toml.

    Every generation's candidates play the same deals, each in every seat, against the config's opponents. The run's
    folder is whole after every generation: stopped at any moment, it goes on with --resume to the same result.

    \b
    Example:
      tritarea tune-expert configs/tune/tritarea.yaml --out runs/tune-tritarea
    """
    from tritarea_agents.expert.parameters import FOLDER
    from tritarea_agents.playing import AgentError
    from tritarea_eval.tuning.config import load
    from tritarea_eval.tuning.run import BEST, STATE, tune
    from tritarea_eval.tuning.subject import expert
    from tritarea_train.config import ConfigError

    overrides = {name: value for name, value in (("generations", generations), ("seed", seed)) if value is not None}
    with user_input():
        checked = load(config, overrides)
        subject = expert(checked.game)
    try:
        found = tune(
            checked, subject, out, resume=resume, tell=lambda line: typer.echo(line, err=True), progress=progress_bar
        )
    except ConfigError as error:
        raise UserError(str(error)) from error
    except AgentError as failure:
        raise fail(f"{failure}. What was found before is in {out}", 1) from failure
    except KeyboardInterrupt as error:
        if not (out / STATE).exists():
            raise
        given = "".join(f" --{name} {value}" for name, value in overrides.items())
        again = f"tritarea tune-expert {config}{given} --resume --out {out}"
        raise fail(f"stopped; go on with: {again}", 130) from error
    typer.echo(_conclusion(found, out / BEST, os.path.relpath(FOLDER / f"{checked.game}.toml")))


def _conclusion(found: dict[str, Any], path: Path, shipped: str) -> str:
    """What the last check says, and what to do."""
    from tritarea_eval.tuning.run import BETTER, WORSE, reading

    readings = [reading(row) for row in found["tables"]]
    tables = f" of {len(readings)} tables"
    counts = [f"{told} at {readings.count(told)}{tables}" for told in dict.fromkeys(sorted(readings))]
    verdict = "; ".join(counts) if len(readings) > 1 else readings[0]
    told = f"The tuned values among the starting ones, by the 95% interval of their share of wins: {verdict}."
    if found["worth"] <= 0:
        return f"{told} They did not come out ahead, so {path} has the starting ones; {shipped} can stay."
    if BETTER in readings and WORSE not in readings:
        return f"{told} They are in {path}. To ship them: {shlex.join(['cp', str(path), shipped])}"
    return f"{told} They came out ahead, so {path} has them, but {shipped} can stay; more check.games would tell more."
