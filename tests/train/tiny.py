"""A run that takes a second: what the tests of training train."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

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


def content(folder: Path) -> dict[str, Any]:
    """Everything that a checkpoint holds."""
    state = torch.load(folder / "training_state.pt", weights_only=True)
    return {"weights": load_file(folder / "policy.safetensors"), "state": state}


def assert_same(a: Any, b: Any, where: str = "") -> None:
    assert type(a) is type(b), where
    if isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for key in a:
            assert_same(a[key], b[key], f"{where}/{key}")
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b), where
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{where}/{i}")
    elif isinstance(a, torch.Tensor):
        assert torch.equal(a, b), where
    else:
        assert a == b, where


def lines(path: Path) -> list[dict[str, Any]]:
    """A log, times aside."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [{key: value for key, value in row.items() if not key.startswith("time/")} for row in rows]
