"""The vector of seats where something is wrong: options, and signals in the midst of a step."""

import numpy as np
import pytest
from helpers import EVERY_GAME

from tritarea_env.vector import SeatVectorEnv


@EVERY_GAME
def test_an_interrupt_leaves_games_and_masks_together(name, monkeypatch):
    envs = SeatVectorEnv(name, 6, opponents="random")
    envs.reset(seed=1)
    real, calls = envs.batch.look, []

    def look(index):
        calls.append(index)
        if len(calls) == 1:
            raise KeyboardInterrupt
        real(index)

    for _ in range(20):
        before, masks = envs.batch.games.tobytes(), envs.action_masks()
        monkeypatch.setattr(envs.batch, "look", look)
        calls.clear()
        with pytest.raises(KeyboardInterrupt):
            envs.step(masks.argmax(axis=1))
        monkeypatch.undo()
        assert envs.batch.games.tobytes() == before
        assert np.array_equal(envs.action_masks(), masks)
        envs.step(masks.argmax(axis=1))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"seat": 3, "players": 2}, "seat is one of None, 0, 1, not 3"),
        ({"reward": "settled_delta"}, "reward is one of"),
        ({"illegal": "ignore"}, "illegal is one of"),
        ({"opponents": "nobody"}, "nobody"),
        ({"opponents": {"random": 0}}, "a pool of opponents"),
        ({"opponents": ["random"]}, "a list of opponents has 4 entries"),
        ({"num_envs": 0}, "a number of games from 1 on"),
        ({"render_mode": "human"}, "render_mode"),
        ({"threads": 2}, "unknown options"),
        ({"seed": 5}, "unknown options"),
    ],
    ids=str,
)
def test_wrong_options(options, says):
    with pytest.raises(ValueError, match=says):
        SeatVectorEnv("tritarea", **{"num_envs": 2, **options})
