"""Seats that no player holds: agents play them, and what they do wrong is told."""

import numpy as np
import pytest
from helpers import legal_actions, play_out

from tritarea_env import IllegalActionError, records, tritarea_v0


@pytest.mark.parametrize("players", [1, 2, 3])
def test_npc_seats_are_played_and_recorded(players):
    env = tritarea_v0.env(players=players, npc="random")
    env.reset(seed=4)
    assert env.agents == [f"player_{s}" for s in range(players)]
    play_out(env, np.random.default_rng(4))
    record = env.unwrapped.record()
    assert {seat for seat, _ in record["actions"]} == {0, 1, 2, 3}
    assert record["options"] == {"players": players, "npc": "random"}


def test_an_npc_may_be_an_agent():
    class Lowest:
        def act(self, views):
            return views.mask.argmax(axis=1)

    env = tritarea_v0.raw_env(players=1, npc=Lowest())
    env.reset(seed=4)
    play_out(env, np.random.default_rng(4))
    assert env.is_over


def test_an_npc_that_chooses_badly_is_named():
    class Wrong:
        def act(self, views):
            return np.full(len(views), 81)

    env = tritarea_v0.raw_env(players=1, npc=Wrong())
    with pytest.raises(IllegalActionError, match=r"agent of seat 1 may not play 81 \(sell 9\) now; legal: \d+ \(card"):
        env.reset(seed=0, options={"start_player": 1})


@pytest.mark.parametrize("npc", [7, [], {}, 0.5], ids=str)
def test_what_is_no_agent_is_no_npc(npc):
    with pytest.raises(ValueError, match="npc is the spec of an agent, or an object with act"):
        tritarea_v0.env(players=3, npc=npc)
    with pytest.raises(ValueError, match="no agent is named 'nobody'"):
        tritarea_v0.env(players=3, npc="nobody")


def test_a_fresh_env_set_up_where_only_npcs_decide_is_over():
    env = tritarea_v0.raw_env(players=1, npc="random")
    env.reset(seed=1)
    play_out(env, np.random.default_rng(1))
    *_, (last, _, seat, _), _ = records.replay(env.record())
    assert seat > 0
    fresh = tritarea_v0.raw_env(players=1, npc="random")
    fresh.reset(seed=1, options={"position": last})
    assert fresh.is_over
    assert fresh.last()[2]
    fresh.step(None)
    assert fresh.agents == []


def test_an_npc_that_fails_leaves_no_half_stepped_game():
    class Failing:
        left = 20

        def act(self, views):
            self.left -= 1
            if self.left < 0:
                raise RuntimeError("tired")
            return views.mask.argmax(axis=1)

    env = tritarea_v0.raw_env(players=1, npc=Failing())
    env.reset(seed=1)
    with pytest.raises(RuntimeError, match="tired"):  # noqa: PT012
        while True:
            before = env.record()
            env.step(int(legal_actions(env)[0]))
    assert env.record() == before
    with pytest.raises(RuntimeError, match="tired"):
        env.reset(seed=2)
    assert env.record() == before
