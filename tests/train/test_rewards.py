"""A reward that turns into ``outcome`` during the run, and a league that hangs on how it goes: logged and resumable."""

import json

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tiny import tiny

from tritarea_agents.checkpoint import find
from tritarea_train import driver, train
from tritarea_train.league import MEMORY
from tritarea_train.rewards import outcome_weight, reward_learned

CHANGING = {
    "game__to_outcome": {"start": 0.25, "end": 0.75},
    "opponents__rule": "pfsp",
    "opponents__snapshot_every": 256,
    "opponents__agents": {"random": 0.4, "greedy": 0.4},
    "opponents__play": "mode",
}  # of 2048 steps, in rollouts of 512
WEIGHTS = {512: 0.0, 1024: 0.0, 1536: 0.5, 2048: 1.0}  # by the step at a rollout's end


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0.0, 1.0, [0, 0.25, 0.5, 0.75, 1]), (0.5, 0.75, [0, 0, 0, 1, 1]), (0.25, 0.25, [0, 0, 1, 1, 1])],
)
def test_the_weight_of_outcome_rises_in_a_line(start, end, expected):
    config = tiny(game__to_outcome={"start": start, "end": end}, steps=400)
    assert [outcome_weight(config, steps) for steps in (0, 100, 200, 300, 400)] == pytest.approx(expected)
    assert outcome_weight(tiny(), 2048) == 0.0


def test_what_values_are_expectations_of_is_the_reward_of_the_last_rollout():
    config = tiny(**CHANGING)
    told = [reward_learned(config, steps) for steps in (0, *WEIGHTS)]
    assert told == ["settled_delta"] * 3 + ["0.5 settled_delta + 0.5 outcome", "outcome"]
    assert reward_learned(tiny(game__reward="score"), 2048) == "score"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run in which all of that changes."""
    out = tmp_path_factory.mktemp("changing")
    train(tiny(**CHANGING), out)
    return out


def test_the_log_and_the_checkpoint_tell_the_reward(whole):
    log = EventAccumulator(str(whole / "log"))
    log.Reload()
    assert {event.step: event.value for event in log.Scalars("rollout/outcome_weight")} == WEIGHTS
    assert {event.value for event in log.Scalars("rollout/opponents_sample")} == {0.0}
    assert json.loads((find(whole) / "meta.json").read_text())["reward"] == "outcome"


def test_the_log_tells_which_snapshots_are_met_how_often(whole):
    log = EventAccumulator(str(whole / "log"))
    log.Reload()
    last = {tag: log.Scalars(tag)[-1].value for tag in log.Tags()["scalars"]}
    assert {tag: value for tag, value in last.items() if tag.startswith("born/")} == {
        "born/snapshot_0": 512, "born/snapshot_1": 1024, "born/snapshot_2": 1536,
    }  # fmt: skip
    assert sum(value for tag, value in last.items() if tag.startswith("chance_by_opponent/")) == pytest.approx(1)
    games = [value for tag, value in last.items() if tag.startswith("games_by_seat/")]
    assert len(games) == 4
    assert min(games) > 0.8 * max(games)
    kept = torch.load(find(whole) / "training_state.pt", weights_only=True)["league"]["games"].sum(dim=0)
    assert kept.tolist() == pytest.approx([MEMORY * n for n in games])  # they have faded since


def test_a_killed_run_goes_on_with_the_same_rewards_and_opponents(whole, tmp_path, monkeypatch):
    save = driver.Driver.save

    def save_and_die(self):
        save(self)
        if self.learner.model.num_timesteps:
            raise SystemExit("killed")

    monkeypatch.setattr(driver.Driver, "save", save_and_die)
    with pytest.raises(SystemExit):
        train(tiny(**CHANGING), tmp_path)
    monkeypatch.undo()
    assert find(tmp_path).name == "0000001024"
    train(tiny(**CHANGING), tmp_path, resume=True)
    ours, theirs = find(tmp_path), find(whole)
    for file in ("policy.safetensors", "meta.json"):
        assert (ours / file).read_bytes() == (theirs / file).read_bytes()
    leagues = [torch.load(folder / "training_state.pt", weights_only=True)["league"] for folder in (ours, theirs)]
    for name in ("born", "games", "won"):
        assert np.array_equal(leagues[0][name], leagues[1][name])
    assert leagues[0]["games"].sum() > 0
