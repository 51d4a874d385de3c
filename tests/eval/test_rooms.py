"""The commands that show or call other rooms: spec, bench, train, demo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import good, refused

from tritarea_env import games
from tritarea_eval import bench, specs
from tritarea_eval.commands import training

TINY = """
steps: 64
n_games: 4
net: {shared: [8], policy: [8], value: [8]}
ppo: {n_steps: 8, batch_size: 16, n_epochs: 1}
opponents: {agents: {random: 1.0}}
evaluation: {games: 4, against: [random]}
threads: 1
"""


def test_spec_lists_all_actions_and_fields() -> None:
    game = games.get("tritarea")
    assert [a for group in specs.action_groups(game) for a in group] == list(range(game.actions))
    words = " ".join(good("spec").replace("│", " ").split())
    assert all(field.name in words for field in game.fields)
    assert "sell 8, sell 9" in words


def test_spec_as_markdown() -> None:
    game = games.get("tritarea")
    shown = good("spec", "--markdown")
    assert "| 0-35 | card B1 … card R9 |\n| 36 | keep the five |\n" in shown
    assert "| `seen` | 36 | 36 × 4 | 1 |" in shown
    assert shown == specs.actions_markdown(game) + "\n\n" + specs.fields_markdown(game) + "\n"


def test_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "BATCH", 16)
    monkeypatch.setattr(bench, "start_seconds", lambda game, cache: 1.5)  # the true one compiles everything
    rows = json.loads(good("bench", "--json", "--seconds", 0.01))["measures"]
    assert len(rows) == len(bench.SPEEDS) + 3
    assert all(row["value"] > 0 for row in rows)
    assert "decisions/s" in good("bench", "--seconds", 0.01)


def test_warm_start_is_measured() -> None:
    assert 0.1 < bench.start_seconds("tritarea", None) < 120


def test_train_and_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "tiny.yaml"
    config.write_text(TINY, encoding="utf-8")
    monkeypatch.setattr(training, "find_config", lambda: config)
    run = tmp_path / "run"
    shown = good("demo", "--out", run, "--games", 4)
    assert "3 × random" in shown
    assert "3 × greedy" in shown
    assert f"The agent is in {run}." in shown
    assert "holds a run already" in refused("train", config, "--out", run)
    assert f"The agent is in {run}." in good("train", config, "--out", run, "--resume", "--steps", 128)
    assert "steps" in refused("train", config, "--steps", 0)


def test_demo_takes_the_next_free_folder(tmp_path: Path) -> None:
    for name in ("demo", "demo-2", "demo-3"):
        assert training.free_folder(tmp_path / "demo") == tmp_path / name
        (tmp_path / name).mkdir()


def test_demo_needs_its_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert training.find_config().is_file()  # of the checkout
    monkeypatch.setattr(training, "QUICK", Path("nowhere.yaml"))
    assert "there is no nowhere.yaml here" in refused("demo")
