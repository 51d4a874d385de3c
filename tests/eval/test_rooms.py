"""The commands that show or call other rooms: spec, train, demo."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import good, refused

from tritarea_env import games
from tritarea_eval import specs
from tritarea_eval.commands import training

TINY = """
game: {{name: {name}, options: {{players: {players}}}}}
steps: 64
n_games: 4
net: {{shared: [8], policy: [8], value: [8]}}
ppo: {{n_steps: 8, batch_size: 16, n_epochs: 1}}
opponents: {{agents: {{random: 1.0}}}}
evaluation: {{games: 4, against: [random]}}
threads: 1
"""


@pytest.mark.parametrize("name", games.names())
def test_spec_lists_all_actions_and_fields(name: str) -> None:
    game = games.get(name)
    assert [a for group in specs.action_groups(game) for a in group] == list(range(game.actions))
    words = " ".join(good("spec", "--game", name).replace("│", " ").split())
    assert all(field.name in words for field in game.fields)
    assert ", ".join(game.action_names[-2:]) in words


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "tritarea",
            ["| 0-35 | card B1 … card R9 |\n| 36 | keep the five |\n", "| `seen` | 36 | 36 × 4 | 1 |"],
        ),
        (
            "triatri",
            ["| 0-21 | card R2 … card imitation |\n| 22-24 | prize from the supply", "| `seen` | 21 | 21 × 4 | 1 |"],
        ),
    ],
)
def test_spec_as_markdown(name: str, lines: list[str]) -> None:
    game = games.get(name)
    shown = good("spec", "--markdown", "--game", name)
    assert all(line in shown for line in lines)
    assert shown == specs.actions_markdown(game) + "\n\n" + specs.fields_markdown(game) + "\n"


@pytest.mark.parametrize(
    ("name", "players", "other", "told"),
    [
        ("tritarea", 4, "triatri", "was trained for the game 'tritarea', not for 'triatri'"),
        ("triatri", 2, "triatri", "was trained with other options: players 2, not 4"),
    ],
    ids=["tritarea", "triatri"],
)
def test_train_and_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, players: int, other: str, told: str
) -> None:
    config = tmp_path / "tiny.yaml"
    config.write_text(TINY.format(name=name, players=players), encoding="utf-8")
    monkeypatch.setattr(training, "find_config", lambda wanted: config)
    run = tmp_path / "run"
    shown = good("demo", "--out", run, "--games", 4)
    assert f"{players - 1} × random" in shown
    assert f"{players - 1} × greedy" in shown
    assert f"The agent is in {run}." in shown
    assert "holds a run already" in refused("train", config, "--out", run)
    again = good("train", config, "--out", run, "--resume", "--steps", 128)
    assert f"The agent is in {run}." in again
    game = "" if name == "tritarea" else f" --game {name}"
    assert again.rstrip().endswith(f"tritarea match {run} greedy --games 400{game} --players {players}")
    assert "steps" in refused("train", config, "--steps", 0)
    assert told in refused("match", run, "random", "--game", other)


def test_demo_takes_the_next_free_folder(tmp_path: Path) -> None:
    for name in ("demo", "demo-2", "demo-3"):
        assert training.free_folder(tmp_path / "demo") == tmp_path / name
        (tmp_path / name).mkdir()


def test_demo_needs_its_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert training.find_config(training.QUICK).is_file()  # of the checkout
    monkeypatch.setattr(training, "QUICK", Path("nowhere.yaml"))
    assert "there is no nowhere.yaml here" in refused("demo")
