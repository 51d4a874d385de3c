"""A tuning run from its config to the file with the tuned values.

All that a run has found stands in ``state.json`` of its folder, written whole after every generation; chance follows
from the seed and the generation's number. So a run that was stopped at any moment goes on from its last whole
generation and ends as it would have without the stop.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tritarea_agents.playing import OnProgress
from tritarea_env.records import replacing
from tritarea_train.config import ConfigError

from . import contest, strategy
from .config import TuneConfig
from .state import check_lengths, read_checks, read_state
from .strategy import Strategy
from .subject import Space, Subject, Values, rewritten, space

STATE, CHECKS, BEST = "state.json", "checks.json", "best.toml"
MAY_CHANGE = {"generations", "workers"}  # in the config of a run that goes on
FORMAT = 1
BETTER, WORSE, LUCK = "better", "worse", "no difference that can be told from luck"

Progress = Callable[[str, int], AbstractContextManager[OnProgress | None]]  # what is played, how many games


class Run(NamedTuple):
    """A run's parts, and whom to tell what."""

    config: TuneConfig
    subject: Subject
    space: Space
    out: Path
    tell: Callable[[str], None]
    progress: Progress


def _quiet(what: str, games: int) -> AbstractContextManager[OnProgress | None]:
    return nullcontext()


def tune(
    config: TuneConfig,
    subject: Subject,
    out: Path,
    *,
    resume: bool = False,
    tell: Callable[[str], None] = lambda line: None,
    progress: Progress = _quiet,
) -> dict[str, Any]:
    """Tune until ``config.generations``; returns the last check, as ``checks.json`` holds it.

    ``out`` gets ``state.json``, ``checks.json`` (the mean against the starting values) and ``best.toml``, the
    parameter file with the mean's values if these came out ahead in the last check (by however little: ``reading``
    says whether that can be told from luck), else with the starting values.

    Args:
        subject: what is tuned.
        resume: go on with the run in ``out``.
        tell: gets a line for each generation and each check.
        progress: makes a bar for some games.

    Raises:
        AgentError: an agent failed.
        ConfigError: the config names something that is not there, or does not fit the run in ``out``; or the run's
            files are damaged.
    """
    run = Run(config, subject, _checked_space(config, subject), out, tell, progress)
    state = _resumed(run) if resume else _begun(run)
    while True:
        at = strategy.from_json(state["strategy"])
        last = at.generation >= config.generations
        if at.generation and (last or at.generation % config.check.every == 0):
            found = _check(run, at)
            if last:
                return found
        state = {**state, **_advanced(run, at, state["history"])}
        _write_json(out / STATE, state)


def _checked_space(config: TuneConfig, subject: Subject) -> Space:
    """What is tuned, when all that the config names was looked up."""
    try:
        contest.check_agents(config, subject)
        rewritten(subject.text, subject.start)
        return space(subject, config)
    except ValueError as error:
        raise ConfigError(str(error)) from error


# ------------------------------------------------------------------------------------------------ begin, resume


def _begun(run: Run) -> dict[str, Any]:
    if any((run.out / name).exists() for name in (STATE, CHECKS)):
        raise ConfigError(f"{run.out} holds a run already: resume it, or choose another folder")
    if run.out.exists() and not run.out.is_dir():
        raise ConfigError(f"{run.out} is no folder: choose another for the run")
    run.out.mkdir(parents=True, exist_ok=True)
    step = run.config.step
    begin = strategy.begin(run.space.point(), step, run.space.spread(step, run.config.spread))
    state = {**_head(run), "strategy": begin.as_json(), "history": []}
    _write_json(run.out / STATE, state)
    return state


def _head(run: Run) -> dict[str, Any]:
    """What a run that goes on must have been begun with."""
    parameters = [[name, p.value, p.low, p.high] for name, p in run.subject.parameters.items()]
    config = {name: value for name, value in run.config.model_dump().items() if name not in MAY_CHANGE}
    return {"format": FORMAT, "agent": run.subject.agent, "parameters": parameters, "config": config}


def _resumed(run: Run) -> dict[str, Any]:
    """The state in the run's folder.

    Raises:
        ConfigError: there is none, it is damaged, or it was begun with something else; names the field.
    """
    path = run.out / STATE
    if not path.is_file():
        raise ConfigError(f"{run.out} holds no run to resume: there is no {STATE}")
    state = read_state(path)
    begun, now = _fields(state), _fields(_head(run))
    for field in {**now, **begun}:
        if begun.get(field) != now.get(field):
            raise ConfigError(f"{run.out} was begun with {field} {begun.get(field)}, not {now.get(field)}")
    check_lengths(state, len(run.space.names), path)
    read_checks(run.out / CHECKS)  # damage is told before anything is played
    return state


def _fields(state: dict[str, Any]) -> dict[str, Any]:
    """What a state was begun with, by the names to tell a user."""
    parameters = {f"parameter {name}": numbers for name, *numbers in state["parameters"]}
    order = [name for name, *_ in state["parameters"]]
    return {"format": state["format"], "agent": state["agent"], **state["config"], **parameters, "parameters": order}


# -------------------------------------------------------------------------------------------- generation, check


def _advanced(run: Run, at: Strategy, history: list[dict[str, Any]]) -> dict[str, Any]:
    """The changes of the state by a generation."""
    config, number = run.config, at.generation
    points = strategy.sample(at, config.population, np.random.default_rng([config.seed, number]))
    candidates = [run.space.values(point) for point in points]
    met = contest.encounters(config, run.subject, number, run.space.values(at.mean))
    what = f"generation {number + 1} of {config.generations}"
    with _players(run, what, config.population * sum(e.games for e in met)) as players:
        worth = contest.measure(players, config, run.subject, candidates, met)
    then = strategy.update(at, points, worth)
    row = {
        "generation": then.generation,
        "best": float(worth.max()),
        "mean": float(worth.mean()),
        "step": then.step,
        "values": run.space.values(then.mean),
    }
    run.tell(f"{what}: best {row['best']:+.4f}, mean {row['mean']:+.4f}, step size {then.step:.4f}")
    return {"strategy": then.as_json(), "history": [*history, row]}


def _players(run: Run, what: str, games: int) -> AbstractContextManager[contest.Pool]:
    return contest.pool(run.config.workers, run.progress(what, games))


def _check(run: Run, at: Strategy) -> dict[str, Any]:
    """The mean against the starting values, by matches if that was not done before; ``best.toml`` follows from it."""
    path = run.out / CHECKS
    done = read_checks(path)
    number, values = str(at.generation), run.space.values(at.mean)
    if number not in done:
        with _players(run, "check", run.config.check.games * len(run.config.tables)) as players:
            results = contest.check(players, run.config, run.subject, values)
        rows = [
            {
                "options": options,
                "even": result.agents[0].even,
                "share": result.agents[0].share.as_json(),
                "score": result.agents[0].score.as_json(),
                "start_score": result.agents[1].score.as_json(),
                "worth": contest.worth(result, run.config.objective),
            }
            for options, result in zip(run.config.tables, results, strict=True)
        ]
        done[number] = {"values": values, "worth": float(np.mean([row["worth"] for row in rows])), "tables": rows}
    found: dict[str, Any] = done[number]
    best: Values = values if found["worth"] > 0 else run.subject.start
    with replacing(run.out / BEST) as file:
        file.write(rewritten(run.subject.text, best))
    _write_json(path, done)
    for row in found["tables"]:
        run.tell(_told(at.generation, row))
    return found


def reading(row: dict[str, Any]) -> str:
    """How a check's result at a table is to be read: by the 95% interval of the share of wins, not by its middle."""
    share, even = row["share"], row["even"]
    if share["low"] is not None and share["low"] > even:
        return BETTER
    return WORSE if share["high"] is not None and share["high"] < even else LUCK


def _told(generation: int, row: dict[str, Any]) -> str:
    share = row["share"]
    interval = "" if share["low"] is None else f" [{share['low']:.4f}, {share['high']:.4f}]"
    table = f" at {row['options']}" if row["options"] else ""
    return (
        f"check after {generation}: the mean among starting values{table} wins {share['mean']:.4f}{interval}, "
        f"even {row['even']:.4f}: {reading(row)}; score {row['score']['mean']:.2f} to {row['start_score']['mean']:.2f}"
    )


def _write_json(path: Path, content: dict[str, Any]) -> None:
    with replacing(path) as file:
        file.write(json.dumps(content, indent=1, allow_nan=False) + "\n")
