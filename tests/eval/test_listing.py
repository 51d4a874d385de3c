"""The command ``runs``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from commandline import good, refused

from tritarea_train import history, train
from tritarea_train.config import make

TINY = {
    "steps": 64,
    "n_games": 4,
    "net": {"shared": [8], "policy": [8], "value": [8]},
    "ppo": {"n_steps": 8, "batch_size": 16, "n_epochs": 1},
    "opponents": {"agents": {"random": 1.0}},
    "evaluation": {"games": 8, "against": ["random"]},
    "threads": 1,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run, one that is to go on, and one that is none."""
    found = tmp_path_factory.mktemp("runs")
    train(make(TINY, {}, "tiny"), found / "first")
    shutil.copytree(found / "first", found / "second")
    (found / "second" / "config.yaml").write_text(make(TINY, {"steps": 12_800}, "tiny").to_yaml())
    (found / "stray").mkdir()
    return found


def test_runs_are_listed(folder: Path) -> None:
    shown = good("runs", folder)
    first, second = (line.split() for line in shown.splitlines() if "tritarea 4" in line)
    assert first[:5] == ["first", "tritarea", "4", "finished", "64"]
    assert second[:7] == ["second", "tritarea", "4", "stopped", "64", "of", "12,800"]
    assert len(first[-1]) == 8
    assert first[-1] == second[-1]
    assert "stray: no training run" in shown
    assert max(map(len, shown.splitlines())) <= 80
    match = json.loads((folder / "first" / history.EVALUATION).read_text())
    assert f"{match['share']:.3f} ({match['low']:.3f}-{match['high']:.3f})" in shown


def test_runs_as_json(folder: Path) -> None:
    first, second, stray = json.loads(good("runs", folder, "--json"))
    assert (first["name"], first["state"], first["steps"], first["total"]) == ("first", "finished", 64, 64)
    assert len(first["digest"]) == 64
    assert first["digest"] == second["digest"] == first["kept"]["digest"]
    assert first["last"]["random"]["games"] == 8
    assert stray["problems"] == ["no training run: neither config.yaml nor checkpoints/"]


def test_one_run_is_listed_alone(folder: Path) -> None:
    assert [one["name"] for one in json.loads(good("runs", folder / "first", "--json"))] == ["first"]


def test_a_run_without_matches_or_checkpoint(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    shutil.copyfile(folder / "first" / "config.yaml", tmp_path / "new" / "config.yaml")
    shown = good("runs", tmp_path)
    assert "0 of 64" in shown
    assert "against" not in shown


def test_no_runs(tmp_path: Path) -> None:
    assert good("runs", tmp_path) == f"There are no runs in {tmp_path}.\n"
    assert "there is no folder" in refused("runs", tmp_path / "nowhere")
