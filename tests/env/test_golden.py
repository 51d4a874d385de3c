"""Worked games made by independent implementations: every position, every legal set, every result."""

import json

import pytest
from helpers import GOLDEN, PLAIN

from tritarea_env import games, records

pytestmark = pytest.mark.kernel
POSITIONS = [
    (path.name, number, json.loads(line))
    for path in sorted(GOLDEN.glob("*_positions.jsonl"))
    for number, line in enumerate(path.read_text().splitlines())
]


def test_every_game_has_golden_games():
    assert {f"{name}_positions.jsonl" for name in games.names()} <= {path.name for path in GOLDEN.iterdir()}


@pytest.mark.parametrize(("file", "number", "worked"), POSITIONS, ids=[f"{f}:{n}" for f, n, _ in POSITIONS])
def test_every_position_and_legal_set(file, number, worked):
    replayed = list(records.replay(worked["record"]))
    assert len(replayed) == len(worked["steps"])
    for (position, legal, _, _), step in zip(replayed, worked["steps"], strict=True):
        assert position == step["position"]
        assert legal == step["legal"]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*_records.jsonl")), ids=lambda path: path.name)
def test_results(path):
    games_played = records.read(path)
    assert len(games_played) >= 200
    for record in games_played[:: 8 if PLAIN else 1]:
        records.check(record)
