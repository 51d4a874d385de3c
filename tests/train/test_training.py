"""Runs from end to end: reproducible, stoppable, resumable to the bit."""

import inspect
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tiny import GAMES, assert_same, content, tiny

from tritarea_agents import make as make_agent
from tritarea_agents.checkpoint import CheckpointError, find
from tritarea_agents.playing import AgentError
from tritarea_env import games
from tritarea_env.batch import Batch
from tritarea_env.views import checked
from tritarea_train import driver, evaluation, train
from tritarea_train.evaluation import evaluate

GAME = games.get("tritarea")
in_games = pytest.mark.parametrize("name", GAMES)


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
    files = {"checkpoints", "best", "log", "config.yaml", "run.json", "run.lock"}
    assert {entry.name for entry in run.iterdir()} == files
    assert [entry.name for entry in (run / "checkpoints").iterdir()] == ["0000002048"]
    names = {"config.yaml", "meta.json", "policy.safetensors", "training_state.pt"}
    assert {entry.name for entry in folder.iterdir()} == names
    assert list((run / "log").glob("events*"))
    assert {entry.name for entry in (run / "best").iterdir()} == names - {"training_state.pt"}
    for path in (run, folder, run / "best"):
        play(path, name)


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
    sources = {f"score_by_source/{source.replace(' ', '_')}" for source in game.sources}
    assert {"time/samples_per_second", "time/threads", "train/clip_fraction", "actions/illegal_share", *sources} <= tags


def test_the_same_seed_gives_the_same_run_and_another_another(run, tmp_path):
    train(tiny(), tmp_path / "again")
    assert_same(content(find(run)), content(find(tmp_path / "again")))
    train(tiny(seed=1, steps=512), tmp_path / "other")
    ours, theirs = content(find(run))["weights"], content(find(tmp_path / "other"))["weights"]
    assert not torch.equal(ours["logits.weight"], theirs["logits.weight"])


def test_evaluation_does_not_touch_the_run(run, tmp_path):
    """Nor does it if it loads a net, which draws weights, or plays an agent whose chance is the global one."""
    against = ["random", str(run), "gambler:Gambler"]
    config = tiny(evaluation__games=4, evaluation__every=512, evaluation__against=against)
    train(config, tmp_path / "often")
    assert_same(content(find(run))["weights"], content(find(tmp_path / "often"))["weights"])
    train(tiny(evaluation__every=10_000, evaluation__against=[]), tmp_path / "never")
    assert_same(content(find(run))["weights"], content(find(tmp_path / "never"))["weights"])
    assert not (tmp_path / "never" / "best").exists()


def test_an_evaluation_gives_the_same_every_time(run):
    agent, spec, options = make_agent(str(run), GAME), "gambler:Gambler", GAME.check_options({})
    results = []
    for seed in (1, 2):
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        torch.manual_seed(seed)
        results.append(evaluate(agent, spec, GAME, options, 40))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("name", "players"), [("tritarea", 4), ("triatri", 2), ("triatri", 3), ("triatri", 4)], ids=str
)
def test_evaluation_of_equals_is_even(name, players):
    game = games.get(name)
    result = evaluate(make_agent("random", game), "random", game, game.check_options({"players": players}), 1998)
    assert result.games == players * -(-1998 // players)
    assert abs(result.share - 1 / players) < 1.5 * (result.high - result.low) / 2


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
    with pytest.raises(CheckpointError, match=r"was begun with opponents\.play sample, not mode$"):
        train(tiny(opponents__play="mode"), run, resume=True)
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

    class Counting:
        """The agent, its actions counted by what the game says of each."""

        agent = make_agent(str(run_of(name)), game, options)
        legal = illegal = 0

        def act(self, views):
            chosen = self.agent.act(views)
            allowed = np.array([views.mask[i, action] for i, action in enumerate(chosen)])
            self.legal, self.illegal = self.legal + int(allowed.sum()), self.illegal + int((allowed == 0).sum())
            return chosen

    counting = Counting()
    result = evaluate(counting, "random", game, options, 1000)
    assert result.games >= 1000
    assert (counting.legal, counting.illegal) == (result.decisions, 0)
    assert result.decisions > 5 * result.games


@in_games
def test_an_illegal_action_ends_an_evaluation(name):
    class Stubborn:
        def act(self, views):
            return views.mask.argmin(axis=1)

    game = games.get(name)
    with pytest.raises(AgentError, match="may not play"):
        evaluate(Stubborn(), "random", game, game.check_options(GAMES[name]), 4)


def test_no_agent_decides_without_a_mask(run):
    """The one way to ask a trained agent for actions takes views, and those have the mask."""
    agent = make_agent(str(run), GAME)
    assert list(inspect.signature(agent.act).parameters) == ["views"]
    public = {name for name in dir(agent) if not name.startswith("_") and callable(getattr(agent, name))}
    assert public == {"act", "logits", "net"}  # the net gives logits, no actions


def test_shares_alike_on_all_deals_are_not_certain(run):
    agent, options = make_agent(str(run), GAME), GAME.check_options({})
    one = evaluate(agent, "random", GAME, options, 4)
    assert (one.low, one.high) == (None, None)
    assert evaluation._interval(np.ones(50)) == (0.94, 1.0)
    assert evaluation._interval(np.zeros(300)) == (0.0, 0.01)
    low, high = evaluation._interval(np.array([0.25, 0.75] * 50))
    assert high - low == pytest.approx(2 * 1.96 * 0.25 / 10, rel=0.01)
    result = evaluate(agent, "random", GAME, options, 40)
    assert result.low < result.share < result.high
    assert result.share == pytest.approx(np.mean(result.share_by_seat))
    assert result.score == pytest.approx(np.mean(result.score_by_seat))
    assert len(result.score_by_seat) == 4
