"""Small tournaments for tests: a second or less, in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tritarea_eval.tournament.config import TournamentConfig
from tritarea_eval.tournament.export import export
from tritarea_eval.tournament.identity import identities
from tritarea_eval.tournament.run import play
from tritarea_eval.tournament.store import begin, read
from tritarea_eval.tournament.work import Work
from tritarea_train.config import make_as

SMALL: dict[str, Any] = {
    "game": {"name": "triatri", "options": {"players": 2}},
    "seed": 3,
    "agents": {"one": "random", "two": "random", "first": "eval_agents:First"},
    "deals": 30,
    "bootstrap": 100,
}


def config_of(**changes: Any) -> TournamentConfig:
    return make_as(TournamentConfig, {**SMALL, **changes}, {}, "test")


def ignore(*_: Any) -> None:
    """Nobody watches."""


def play_to(
    path: Path, config: TournamentConfig, games_at_once: int = 64, on_stored: Callable[[Any], None] = ignore
) -> None:
    """Play what the file lacks."""
    with begin(path, config, identities(config)) as store:
        play(store, Work(config).play_all, games_at_once, ignore, on_stored)


def exported(path: Path, kind: Any = "csv") -> bytes:
    """The table's bytes."""
    out = path.with_name(f"{path.stem}-table")
    with read(path) as store:
        export(store, kind, out)
    return out.read_bytes()
