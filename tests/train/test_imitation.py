"""The start by imitation."""

import threading

import numpy as np
import pytest
from tiny import GAMES, tiny

from tritarea_agents import make
from tritarea_agents.policy import Parameters, PolicyAgent
from tritarea_env.batch import Batch
from tritarea_train.imitation import imitate
from tritarea_train.model import build


def agreement(learner, agent):
    """How often the net's likeliest action is the agent's, where the agent brings games."""
    own, every = learner.env.batch, np.arange(100)
    batch = Batch(own.game.name, len(every), seed=9, **own.options)
    net, same = PolicyAgent(learner.net, Parameters()), []
    for _ in range(40):
        views = batch.views(every)
        chosen = agent.act(views)
        same.append(net.act(views) == chosen)
        batch.step(chosen)
    return np.mean(same)


@pytest.mark.parametrize("name", GAMES)
def test_the_net_comes_to_act_as_its_teacher(name):
    config = tiny(name, imitation__steps=20_000, imitation__learning_rate=0.005)
    learner, told = build(config), []
    teacher = make("greedy", learner.env.batch.game)
    before = agreement(learner, teacher)
    assert imitate(learner, config.imitation, threading.Event(), lambda steps, agreed: told.append(agreed))
    after = agreement(learner, teacher)
    assert after > before + 0.15
    assert len(told) == 40
    assert np.mean(told[-10:]) == pytest.approx(after, abs=0.1)
    assert not learner.league.games.any()  # the teacher's games are not the learner's
    assert learner.model.num_timesteps == 0


def test_stopped_while_imitating():
    stopped, told = threading.Event(), []
    stopped.set()
    config = tiny()
    assert not imitate(build(config), config.imitation, stopped, lambda steps, agreement: told.append(steps))
    assert told == [512]
