"""The start by imitation."""

import io
import threading

import pytest
from rich.console import Console
from tiny import tiny

from tritarea_train import train
from tritarea_train.imitation import imitate
from tritarea_train.model import build


def test_the_net_comes_to_act_as_its_teacher():
    config = tiny(imitation__steps=20_000, imitation__learning_rate=0.005)
    learner = build(config)
    agreements = []
    assert imitate(learner, config.imitation, threading.Event(), lambda steps, agreement: agreements.append(agreement))
    assert len(agreements) == 40
    assert sum(agreements[-5:]) / 5 > sum(agreements[:3]) / 3 + 0.1
    assert not learner.league.games.any()  # the teacher's games are not the learner's
    assert learner.model.num_timesteps == 0


def test_stopped_while_imitating(tmp_path, monkeypatch):
    stopped = threading.Event()
    stopped.set()
    config = tiny()
    assert not imitate(build(config), config.imitation, stopped, lambda steps, agreement: None)
    monkeypatch.setattr("tritarea_train.driver.imitate", lambda *args: False)
    console = Console(file=io.StringIO(), width=200)
    with pytest.raises(KeyboardInterrupt, match="nothing to resume"):
        train(config, tmp_path, console=console)
    assert "nothing lost but this time" in console.file.getvalue()
    assert not (tmp_path / "checkpoints").exists()
