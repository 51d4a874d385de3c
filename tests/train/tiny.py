"""A run that takes a second: what the tests of training train."""

from __future__ import annotations

from typing import Any

from tritarea_train.config import TrainConfig, make

GAMES: dict[str, dict[str, Any]] = {"tritarea": {}, "triatri": {"players": 3}}  # with the options of tiny runs
TINY: dict[str, Any] = {
    "steps": 2048,
    "n_games": 32,
    "net": {"shared": [16], "policy": [16], "value": [16]},
    "ppo": {"n_steps": 16, "batch_size": 256, "n_epochs": 2},
    "imitation": {"agent": "greedy", "steps": 1024},
    "opponents": {"agents": {"random": 0.4}, "pool": 3, "snapshot_every": 512},
    "evaluation": {"every": 1024, "games": 8, "against": ["random"]},
    "threads": 1,
}


def tiny(game: str = "tritarea", **overrides: Any) -> TrainConfig:
    """The config of a tiny run; overrides by dotted name, dots written as ``__``."""
    content = {**TINY, "game": {"name": game, "options": GAMES[game]}}
    return make(content, {name.replace("__", "."): value for name, value in overrides.items()}, "tiny")
