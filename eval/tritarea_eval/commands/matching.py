"""``tritarea match``: agents against each other, with error bars."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import (
    GameName,
    GameOptions,
    Out,
    Players,
    Seed,
    check_out,
    fail,
    game_of,
    progress_bar,
    screen,
    user_input,
)

if TYPE_CHECKING:
    from tritarea_agents.playing import AgentError
    from tritarea_eval.match import MatchResult


def match(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="Specs: two, or one for each seat.")],
    games: Annotated[int, typer.Option("--games", min=1, help="Number of games, rounded up to whole deals.")] = 400,
    seed: Seed = 0,
    game: GameName = "tritarea",
    players: Players = None,
    option: GameOptions = None,
    out: Out = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON.")] = False,
) -> None:
    """Play agents against each other: win shares and scores with 95% intervals.

    Two agents: the first in one seat against the second in all others. As many agents as seats: these against
    each other. Every deal is played with the agents in every seat. An agent is named by a spec: random, greedy,
    expert, search:sims=400, a checkpoint folder, module:attribute, or exec:program; docs/agents.md has them all.

    \b
    Example:
      tritarea match greedy random --games 400 --seed 1
      tritarea match greedy random --game triatri --players 2
    """
    result = run_match(agents, games, seed, game, game_of(game, option, players)[1], out)
    if as_json:
        typer.echo(json.dumps(result.as_json(), indent=1))
        return
    from tritarea_eval.report import match_report

    for part in match_report(result):
        screen().print(part)


def run_match(
    agents: Sequence[str], games: int, seed: int, game: str, options: dict[str, Any], out: Path | None
) -> MatchResult:
    """Play a match with a progress bar; an agent's failure ends the command, its record is kept in a file."""
    from tritarea_agents.playing import AgentError
    from tritarea_eval.match import Match

    check_out(out)
    with user_input():
        made = Match(game, agents, games=games, seed=seed, options=options)
    try:
        with progress_bar(" - ".join(agents), made.games) as on_progress:
            return made.play(out=out, on_progress=on_progress)
    except AgentError as failure:
        kept = f" {out} holds the {failure.written} games that were complete." if failure.written else ""
        raise fail(f"{failure}. The game so far is in {_keep(failure, out)}.{kept}", 1) from failure


def _keep(failure: AgentError, out: Path | None) -> Path:
    """Write the record of the game that an agent broke off beside the file ``out``, else as a temporary file."""
    from tritarea_env import records

    if out is not None and records.target_of(out) is not None:
        path = out.with_name(f"{out.stem}-failed.jsonl")
    else:
        handle, name = tempfile.mkstemp(prefix="tritarea-failed-", suffix=".jsonl")
        os.close(handle)
        path = Path(name)
    records.write(path, [failure.record])
    return path
