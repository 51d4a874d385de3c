"""A state to go on from that is damaged or hostile is refused in one sentence, before anything believes it."""

import shutil

import pytest
import torch
from tiny import tiny

from tritarea_agents.checkpoint import CheckpointError, find
from tritarea_train import checkpoints, model, train
from tritarea_train import run as run_module
from tritarea_train.config import ConfigError


def moments(state):
    kept = state["optimizer"]["state"]
    return kept[next(iter(kept))]


def nets(state):
    return state["league"]["nets"]


SPOILT = {
    "steps a text": (lambda s: s.update(steps="12"), "steps is no number"),
    "steps below 0": (lambda s: s.update(steps=-5), "steps is no number"),
    "steps beyond all": (lambda s: s.update(steps=10**40), "steps is no number"),
    "steps a tensor": (lambda s: s.update(steps=torch.ones(3)), "steps is no number"),
    "updates a text": (lambda s: s.update(updates="x"), "updates is no number"),
    "no progress": (lambda s: s.update(progress={}), "done"),
    "progress below 0": (lambda s: s["progress"].update(imitated=-1), "imitated is no number"),
    # numpy reads from there without looking
    "behind the end of the random words": (lambda s: s["numpy_random"].update(pos=10**9), "random state"),
    "before their beginning": (lambda s: s["numpy_random"].update(pos=-1), "pos is no number"),
    "too few of them": (lambda s: s["numpy_random"].update(key=torch.zeros(5, dtype=torch.int64)), "random state"),
    "moments of another form": (lambda s: moments(s).update(exp_avg=torch.zeros(3)), "of other weights"),
    "moments left out": (lambda s: moments(s).pop("exp_avg_sq"), "of other weights"),
    "moments not finite": (lambda s: moments(s)["exp_avg"].fill_(float("nan")), "not finite"),
    "another optimiser": (lambda s: s["optimizer"]["param_groups"][0].update(betas=(5, "x")), "other parameters"),
    "a snapshot too many": (lambda s: nets(s).update({"-1": nets(s)["0"]}), "snapshots"),
    "a snapshot too few": (lambda s: nets(s).pop("0"), "snapshots"),
    "starts of other games": (lambda s: s.update(episode_starts=torch.ones(3)), "shape"),
}


@pytest.mark.parametrize(("spoil", "told"), SPOILT.values(), ids=SPOILT.keys())
def test_refused(run, tmp_path, spoil, told):
    shutil.copytree(find(run), tmp_path / "copy")
    path = tmp_path / "copy" / checkpoints.STATE
    checkpoints.restore(tmp_path / "copy", model.build(tiny()))
    state = torch.load(path, weights_only=True)
    spoil(state)
    torch.save(state, path)
    with pytest.raises(CheckpointError, match=told) as raised:
        checkpoints.restore(tmp_path / "copy", model.build(tiny()))
    assert str(path) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_shelf_that_leads_elsewhere_costs_nothing_there(tmp_path):
    """Old checkpoints and drafts go, what else lies beside them stays."""
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "run"
    (elsewhere / "photos").mkdir(parents=True)
    (elsewhere / "photos" / "one").write_text("x")
    (elsewhere / "2024").mkdir()
    (elsewhere / ".0000000008.77").mkdir()
    out.mkdir()
    (out / "checkpoints").symlink_to(elsewhere)
    (out / "config.yaml").write_text(tiny().to_yaml())
    train(tiny(), out, resume=True)
    assert {entry.name for entry in elsewhere.iterdir()} == {"photos", "2024", "0000002048"}
    assert (elsewhere / "photos" / "one").read_text() == "x"


def test_a_training_that_diverges_says_so_and_keeps_what_was_saved(tmp_path, monkeypatch):
    learn = model.MaskablePPO.train

    def diverge(self):
        learn(self)
        if self.num_timesteps > 1024:
            self.policy.value_net.weight.data.fill_(float("nan"))

    monkeypatch.setattr(model.MaskablePPO, "train", diverge)
    with pytest.raises(CheckpointError, match=r"diverged.*lower the learning rate"):
        train(tiny(), tmp_path)
    assert find(tmp_path).name == "0000001024"


def test_rollouts_that_no_memory_holds(tmp_path, monkeypatch):
    def full(config):
        raise MemoryError

    monkeypatch.setattr(run_module.model, "build", full)
    with pytest.raises(ConfigError, match=r"n_games, ppo\.n_steps: there is no memory for rollouts of 512"):
        train(tiny(), tmp_path)


@pytest.mark.parametrize("device", ["cuda:99", "mps"])
def test_a_device_that_is_not_there(tmp_path, device):
    if device == "mps" and torch.backends.mps.is_available():
        pytest.skip("it is there")
    with pytest.raises(ConfigError, match=f"device: there is no {device} here"):
        train(tiny(device=device), tmp_path)
