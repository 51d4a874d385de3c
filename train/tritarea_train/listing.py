"""What can be said of runs from their folders alone, whatever state those are in."""

from __future__ import annotations

import json
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tritarea_agents import checkpoint
from tritarea_agents.checkpoint import META, CheckpointError
from tritarea_env import games

from . import about, history
from .config import ConfigError, load

RUNNING, FINISHED, STOPPED = "running", "finished", "stopped"
MOST = 1e15  # of any number in a log


@dataclass
class Summary:
    """A run, as far as its folder tells.

    Attributes:
        problems: what is wrong with the folder, a line each; what does not show for that reason is None or empty.
        steps: of the newest checkpoint, or of the log's last line while it is running.
        imitated: decisions of the start by imitation, while there are no steps yet.
        seconds: of training, over all starts.
        speed: decisions/s in rollouts and updates, the median over all of them.
        last: by opponent, the last match of an evaluation, as ``evaluation.jsonl`` has it.
        best: by opponent, the match with the greatest share.
        digest: of the newest checkpoint's weights.
        kept: of the checkpoint in ``best/``: ``steps`` and ``digest``.
    """

    name: str
    problems: list[str] = field(default_factory=list)
    game: str | None = None
    players: int | None = None
    seed: int | None = None
    state: str | None = None
    steps: int | None = None
    total: int | None = None
    imitated: int | None = None
    seconds: float | None = None
    speed: float | None = None
    last: dict[str, history.Row] = field(default_factory=dict)
    best: dict[str, history.Row] = field(default_factory=dict)
    digest: str | None = None
    kept: dict[str, Any] | None = None


def summaries(folder: Path) -> list[Summary]:
    """Of the run that ``folder`` is, or of all folders in it, by name."""
    if about.begun(folder):
        return [summary(folder)]
    return [summary(entry) for entry in sorted(folder.iterdir()) if entry.is_dir() and not entry.name.startswith(".")]


def summary(run: Path) -> Summary:
    """Of one folder; never raises for what is in it."""
    found = _summary(run)
    if found.state == RUNNING and found.problems:  # perhaps a checkpoint was replaced while it was looked at
        found = _summary(run)
    return found


def _summary(run: Path) -> Summary:
    found = Summary(run.name or str(run))
    for look in (_look_at_kind, _look_at_config, _look_at_checkpoints, _look_at_logs):
        try:
            look(run, found)
        except OSError as error:
            found.problems.append(f"{error.filename or run}: {error.strerror}")
        if found.state is None:
            return found
    return found


def _look_at_kind(run: Path, found: Summary) -> None:
    if about.begun(run):
        found.state = RUNNING if about.is_held(run) else STOPPED
    else:
        found.problems.append(_foreign(run))


def _foreign(run: Path) -> str:
    inside = sum(about.begun(entry) for entry in run.iterdir())
    if inside:
        return f"a folder of {inside} run{'s' * (inside != 1)}: tritarea runs {run}"
    return f"no training run: neither {about.CONFIG} nor {checkpoint.CHECKPOINTS}/"


def _look_at_config(run: Path, found: Summary) -> None:
    newest = about.newest(run)
    own = run / about.CONFIG
    try:
        config = load(own if own.is_file() or newest is None else newest / about.CONFIG, {})
    except ConfigError as error:
        found.problems.append(str(error))
        return
    game = games.get(config.game.name)
    found.game, found.players = game.name, len(game.agents(game.check_options(config.game.options)))
    found.seed, found.total = config.seed, config.steps


def _look_at_checkpoints(run: Path, found: Summary) -> None:
    newest = about.newest(run)
    if newest is None:
        found.steps = 0
        return
    number = int(newest.name)
    found.steps, found.imitated = (0, number) if newest.parent.name == about.IMITATION else (number, None)
    try:
        checkpoint.read_meta(newest)
        found.digest = about.digest_of(newest)
        if _meta(newest).get("digest", found.digest) != found.digest:
            found.problems.append(f"{newest / checkpoint.WEIGHTS} is damaged: its digest is not the one in {META}")
        if (run / about.BEST / META).is_file():
            checkpoint.read_meta(run / about.BEST)
            steps = _meta(run / about.BEST).get("steps")
            found.kept = {"steps": steps if _number(steps) else None, "digest": about.digest_of(run / about.BEST)}
    except CheckpointError as error:
        found.problems.append(str(error))


def _meta(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / META).read_text(encoding="utf-8"))
    return content


def _look_at_logs(run: Path, found: Summary) -> None:
    rows, damage = history.read(run / history.PROGRESS)
    trained, speeds = ([row[key] for row in rows if _number(row.get(key))] for key in (history.TRAINED, history.SPEED))
    found.seconds = trained[-1] if trained else None
    found.speed = statistics.median(speeds) if speeds else None
    if found.state == RUNNING:
        reached = [row["steps"] for row in rows if row.get("phase") == history.TRAINING and _number(row["steps"])]
        found.steps = max(found.steps or 0, *reached[-1:])
    matches, damaged = history.read(run / history.EVALUATION)
    for match in filter(_is_match, matches):
        against = match["against"]
        found.last[against] = match
        if against not in found.best or match["share"] >= found.best[against]["share"]:
            found.best[against] = match
    if not all(map(_is_match, matches)):
        damaged = damaged or f"a line of {history.EVALUATION.name} is no match"
    found.problems += [told for told in (damage, damaged) if told]
    evaluated = all(match["steps"] == found.steps for match in found.last.values())
    if found.state == STOPPED and found.total is not None and (found.steps or 0) >= found.total and evaluated:
        found.state = FINISHED


def _is_match(row: history.Row) -> bool:
    bounds = [row.get("low"), row.get("high")]
    numbers = [row["steps"], row.get("share"), *(bound for bound in bounds if bound is not None)]
    return isinstance(row.get("against"), str) and all(map(_number, numbers))


def _number(value: object) -> bool:
    """Whether it is a number that can be shown."""
    return type(value) in (int, float) and abs(value) <= MOST  # type: ignore[arg-type]
