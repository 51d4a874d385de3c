"""Runs from end to end: reproducible, stoppable, resumable to the bit."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tiny import GAMES, tiny

from tritarea_agents import make as make_agent
from tritarea_agents.checkpoint import CheckpointError, find
from tritarea_env import games
from tritarea_env.batch import Batch
from tritarea_env.views import checked
from tritarea_train import driver, train
from tritarea_train.evaluation import evaluate

GAME = games.get("tritarea")
in_games = pytest.mark.parametrize("name", GAMES)


def content(folder):
    """Everything that a checkpoint holds."""
    state = torch.load(folder / "training_state.pt", weights_only=True)
    return {"weights": load_file(folder / "policy.safetensors"), "state": state}


def assert_same(a, b, where=""):
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


def play(path, name="tritarea", decisions=100):
    """The agent of a folder decides in every seat."""
    game, every = games.get(name), np.arange(4)
    agent = make_agent(str(path), game)
    batch = Batch(name, 4, seed=9, **GAMES[name])
    for _ in range(decisions):
        batch.step(checked(game, batch.games, every, agent.act(batch.views(every)), "the agent"))


@in_games
def test_a_run_leaves_a_whole_checkpoint_that_plays(run_of, name):
    run = run_of(name)
    folder = find(run)
    assert [entry.name for entry in (run / "checkpoints").iterdir()] == ["0000002048"]
    names = {"config.yaml", "meta.json", "policy.safetensors", "training_state.pt"}
    assert {entry.name for entry in folder.iterdir()} == names
    assert list((run / "log").glob("events*"))
    play(run, name)
    play(folder, name)


@in_games
def test_the_logs_tell_shares_by_opponent_and_seat(run_of, name):
    game = games.get(name)
    seats = game.seats_of(game.check_options(GAMES[name]))
    log = EventAccumulator(str(run_of(name) / "log"))
    log.Reload()
    tags = set(log.Tags()["scalars"])
    assert {tag for tag in tags if "share_by_seat" in tag} == {f"share_by_seat/seat_{seat}" for seat in range(seats)}
    assert {"share_by_opponent/current", "share_by_opponent/random", "evaluation_share/random"} <= tags
    assert {"train/loss", "train/entropy_loss", "train/approx_kl", "train/explained_variance"} <= tags
    assert "time/samples_per_second" in tags


def test_the_same_seed_gives_the_same_run_and_another_another(run, tmp_path):
    train(tiny(), tmp_path / "again")
    assert_same(content(find(run)), content(find(tmp_path / "again")))
    train(tiny(seed=1, steps=512), tmp_path / "other")
    ours, theirs = content(find(run))["weights"], content(find(tmp_path / "other"))["weights"]
    assert not torch.equal(ours["logits.weight"], theirs["logits.weight"])


@in_games
def test_a_run_killed_half_way_and_resumed_ends_like_one_that_was_not(run_of, name, tmp_path, monkeypatch):
    save = driver.Driver.save

    def save_and_die(self):
        save(self)
        raise SystemExit("killed")

    monkeypatch.setattr(driver.Driver, "save", save_and_die)
    with pytest.raises(SystemExit):
        train(tiny(name), tmp_path)
    monkeypatch.undo()
    assert find(tmp_path).name == "0000001024"
    torch.manual_seed(123)
    np.random.seed(123)  # noqa: NPY002
    train(tiny(name), tmp_path, resume=True)
    assert_same(content(find(run_of(name))), content(find(tmp_path)))


def test_evaluation_does_not_touch_the_run(run, tmp_path):
    train(tiny(evaluation__games=4, evaluation__every=512), tmp_path)
    assert_same(content(find(run))["weights"], content(find(tmp_path))["weights"])


@pytest.mark.parametrize(
    ("name", "players"), [("tritarea", 4), ("triatri", 2), ("triatri", 3), ("triatri", 4)], ids=str
)
def test_evaluation_of_equals_is_even(name, players):
    game = games.get(name)
    result = evaluate(make_agent("random", game), "random", game, game.check_options({"players": players}), 1998)
    assert result.games == players * -(-1998 // players)
    assert abs(result.share - 1 / players) < 1.5 * result.margin


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal(tmp_path, number):
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); from tiny import tiny; from rich.console import Console; "
        "from tritarea_train import train; "
        "print(train(tiny(steps=10**8, evaluation__every=2048), sys.argv[1], console=Console()))"
    )
    command = [sys.executable, "-c", code, str(tmp_path), str(Path(__file__).parent)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 120
        while not list(tmp_path.glob("checkpoints/0*")) and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(number)
        told, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Stopped" in told
    assert "resume" in told
    folder = find(tmp_path)
    assert str(folder) in told.replace("\n", "")
    play(tmp_path)
    train(tiny(steps=int(folder.name) + 512, evaluation__every=2048), tmp_path, resume=True)
    assert int(find(tmp_path).name) == int(folder.name) + 512


def test_a_folder_with_a_run_is_not_overwritten(run):
    with pytest.raises(CheckpointError, match="holds a run already"):
        train(tiny(), run)


def test_going_on_with_another_config_is_refused(run, tmp_path):
    with pytest.raises(CheckpointError, match="was begun with seed 0, not 1"):
        train(tiny(seed=1), run, resume=True)
    with pytest.raises(CheckpointError, match="holds no checkpoint"):
        train(tiny(), tmp_path, resume=True)


def test_a_damaged_state_is_refused_in_one_sentence(run, tmp_path):
    shutil.copytree(run, tmp_path / "copy")
    path = find(tmp_path / "copy") / "training_state.pt"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(CheckpointError, match=r"training_state\.pt cannot be used to go on") as raised:
        train(tiny(), tmp_path / "copy", resume=True)
    assert "\n" not in str(raised.value)


def test_a_learner_among_two_players_and_npcs(tmp_path):
    train(tiny(steps=512, game__options={"players": 2, "npc": "random"}, evaluation__games=4), tmp_path)
    play(tmp_path)
    with pytest.raises(CheckpointError, match="players 2, not 4"):
        make_agent(str(tmp_path), GAME, GAME.check_options({}))


def spoil_games(field, value):
    def change(state, game):
        records = np.frombuffer(state["games"].numpy().tobytes(), game.dtype).copy()
        records[field][:] = value  # of every game: deals matter only to those with rounds to come
        state["games"] = torch.from_numpy(np.frombuffer(records.tobytes(), np.uint8).copy())

    return change


def spoil_env(field, value):
    return lambda state, game: state["env"][field][3].fill_(value)


SPOILT = {
    "tritarea": [
        spoil_games("phase", 77),
        spoil_games("round_number", 100),
        spoil_games("height", 120),
        spoil_games("area", 99),
        spoil_games("blocks", -3),
        spoil_games("deals", -1),
        spoil_games("episode", 3_000_002),
        spoil_env("seat", 50),
        spoil_env("member", 50),
        spoil_env("holders", -7),
        lambda state, game: state["games"].random_(generator=torch.Generator().manual_seed(1)),
        lambda state, game: state.update(games=state["games"][:-5]),
    ],
    "triatri": [
        spoil_games("phase", 77),
        spoil_games("players", 4),
        spoil_games("hand", 1 << 20),
        spoil_games("hand_size", 9),
        spoil_games("next_deal", 1 << 30),
        spoil_games("supply", 50),
        spoil_games("strength", 99),
        spoil_games("voids", 15),
        spoil_env("seat", 3),
        spoil_env("holders", -7),
    ],
}


@pytest.mark.parametrize(("name", "change"), [(name, change) for name in GAMES for change in SPOILT[name]])
def test_games_that_cannot_be_are_not_gone_on_with(run_of, tmp_path, name, change):
    shutil.copytree(run_of(name), tmp_path / "copy")
    path = find(tmp_path / "copy") / "training_state.pt"
    state = torch.load(path, weights_only=True)
    change(state, games.get(name))
    torch.save(state, path)
    with pytest.raises(CheckpointError, match=r"training_state\.pt cannot be used to go on") as raised:
        train(tiny(name), tmp_path / "copy", resume=True)
    assert "\n" not in str(raised.value)


def test_a_failing_evaluation_loses_nothing(tmp_path, monkeypatch):
    def fail(*args):
        raise RuntimeError("no match")

    monkeypatch.setattr(driver, "evaluate", fail)
    with pytest.raises(RuntimeError, match="no match"):
        train(tiny(), tmp_path / "first")
    assert find(tmp_path / "first").name == "0000001024"
    with pytest.raises(RuntimeError, match="no match"):
        train(tiny(evaluation__every=10_000), tmp_path / "last")
    assert find(tmp_path / "last").name == "0000002048"


@in_games
def test_a_thousand_games_without_an_illegal_action(run_of, name):
    game = games.get(name)
    options = game.check_options(GAMES[name])
    assert evaluate(make_agent(str(run_of(name)), game, options), "random", game, options, 1000).games >= 1000
