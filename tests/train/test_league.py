"""The opponent pool: its weights, and which snapshots it keeps."""

import numpy as np
import pytest
import torch

from tritarea_agents.net import Shape, build
from tritarea_env import games
from tritarea_train.config import OpponentsConfig
from tritarea_train.league import League


def make(name="tritarea", options=None, **config):
    game = games.get(name)
    league = League(game, game.check_options(options or {}), OpponentsConfig(**config))
    league.lead(build(Shape(game.observation_size, game.actions, (4,), (4,), (4,), "relu"), game))
    return league


def chances(league):
    return dict(zip(league.names, np.diff(league.weights(), prepend=0.0).tolist(), strict=True))


@pytest.mark.parametrize("name", games.names())
def test_weights_of_the_config(name):
    league = make(name, current=1, snapshots=2, agents={"random": 1, "greedy": 4}, pool=2)
    expected = {"current": 3 / 8, "snapshot_0": 0, "snapshot_1": 0, "random": 1 / 8, "greedy": 1 / 2}
    assert chances(league) == pytest.approx(expected)  # no snapshot yet: their part goes to the current net
    league.take_snapshot(10)
    assert chances(league) == pytest.approx({**expected, "current": 1 / 8, "snapshot_0": 2 / 8})
    league.take_snapshot(20)
    assert chances(league) == pytest.approx({**expected, "current": 1 / 8, "snapshot_0": 1 / 8, "snapshot_1": 1 / 8})


def test_the_npc_is_never_drawn():
    league = make(agents={"random": 1}, options={"players": 2, "npc": "greedy"})
    assert league.names[league.npc] == "greedy"
    assert chances(league)["greedy"] == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_where_players_hold_all_seats_there_is_no_npc(players):
    league = make("triatri", {"players": players})
    assert league.npc == -1
    assert league.games.shape == league.won.shape == (len(league.names), players)


def test_the_pool_spans_the_whole_run():
    league = make(pool=5)
    for steps in range(100, 5100, 100):
        league.take_snapshot(steps)
        born = np.sort(league.born[league.born >= 0])
        assert born[0] == 100
        assert born[-1] == steps
        if steps > 500:
            assert np.diff(born).max() <= 0.55 * (steps - 100)


@pytest.mark.parametrize("pool", [1, 2])
def test_the_smallest_pools_keep_the_newest(pool):
    league = make(pool=pool)
    for steps in range(100, 600, 100):
        league.take_snapshot(steps)
    assert league.born.max() == 500
    assert (league.born >= 0).all()


def test_a_snapshot_stays_what_it_was_and_the_current_net_does_not():
    league = make()
    league.take_snapshot(1)
    with torch.no_grad():
        league.current.logits.bias += 1.0
    assert league.agents[0].net is league.current
    assert not torch.equal(league.agents[1].net.logits.bias, league.current.logits.bias)


@pytest.mark.parametrize(("name", "options"), [("tritarea", {}), ("triatri", {"players": 2})])
def test_state_makes_the_same_league_again(name, options):
    league, other = make(name, options, pool=3), make(name, options, pool=3)
    for steps in (1, 2):
        league.take_snapshot(steps)
    league.count(np.array([0, 1]), np.array([1, 0]), np.array([1.0, 0.5]))
    league.fade()
    other.restore(league.state())
    assert np.array_equal(league.born, other.born)
    assert np.array_equal(league.games, other.games)
    assert np.array_equal(league.won, other.won)
    assert np.array_equal(league.weights(), other.weights())
    for ours, theirs in zip(league.agents[1:3], other.agents[1:3], strict=True):
        assert torch.equal(ours.net.trunk.layers[0].weight, theirs.net.trunk.layers[0].weight)
