"""The league: whom a game draws, which snapshots stay, nets of other runs among the agents."""

import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tiny import tiny

from tritarea_agents.checkpoint import find
from tritarea_agents.net import Shape, build
from tritarea_agents.policy import PolicyAgent
from tritarea_env import games
from tritarea_env.batch import Batch
from tritarea_env.views import Views
from tritarea_train import train
from tritarea_train.config import OpponentsConfig
from tritarea_train.league import League
from tritarea_train.prioritised import prioritised, strength
from tritarea_train.vec_env import LeagueVecEnv


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


def test_latest_gives_the_snapshots_part_to_the_newest():
    league = make(current=1, snapshots=2, agents={"random": 1}, pool=3, rule="latest")
    assert chances(league)["current"] == pytest.approx(3 / 4)
    for steps in (10, 20, 30, 40):  # the last one takes a place in the middle
        league.take_snapshot(steps)
        expected = dict.fromkeys(("snapshot_0", "snapshot_1", "snapshot_2"), 0.0)
        expected[f"snapshot_{league.born.argmax()}"] = 2 / 4
        assert chances(league) == pytest.approx({"current": 1 / 4, "random": 1 / 4, **expected})


def fared(league, **shares):
    """So many games that nothing else counts, with these shares of the win against members by name, in each seat."""
    league.games[:] = 1e9
    for name, share in shares.items():
        league.won[league.names.index(name)] = share * 1e9


def test_hard_meets_more_often_who_beats_the_learner():
    """Two seats: f = (1 - p) ** 2, so 1/4, 4/25, 9/100 for p of 1/2, 3/5, 7/10; times the weights 1, 1, 4."""
    league = make("triatri", {"players": 2}, current=4, snapshots=2, agents={"random": 4}, pool=2, rule="pfsp")
    for steps in (1, 2):
        league.take_snapshot(steps)
    fared(league, current=0.5, snapshot_0=0.5, snapshot_1=0.6, random=0.7)
    f = np.array([0.25, 0.16, 4 * 0.09])
    expected = dict(zip(("snapshot_0", "snapshot_1", "random"), 0.6 * f / f.sum(), strict=True))
    assert chances(league) == pytest.approx({"current": 0.4, **expected})


def test_even_meets_more_often_who_is_as_strong():
    league = make("triatri", {"players": 2}, current=0, snapshots=0, agents={"random": 1, "greedy": 1, "expert": 2},
                  pool=1, rule="pfsp", pfsp="even")  # fmt: skip
    fared(league, random=0.9, greedy=0.5, expert=0.1)
    f = np.array([0.09, 0.25, 2 * 0.09])
    expected = dict(zip(("random", "greedy", "expert"), f / f.sum(), strict=True))
    assert chances(league) == pytest.approx({"current": 0, "snapshot_0": 0, **expected})


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_an_even_share_is_one_half_whatever_the_number_of_seats(seats):
    games = np.full(4, 1e12)
    shares = np.array([0.0, 1 / seats, 0.6, 1.0])
    p = strength(shares * games, games, seats)
    assert p[[0, 1, 3]] == pytest.approx([0.0, 0.5, 1.0], abs=1e-9)
    assert p[2] / (p[2] + (seats - 1) * (1 - p[2])) == pytest.approx(0.6)


@pytest.mark.parametrize("weighting", ["hard", "even"])
def test_whom_it_has_not_met_counts_as_even_and_nobody_is_lost_for_good(weighting):
    league = make(current=0, snapshots=0, agents={"random": 1, "greedy": 1}, rule="pfsp", pfsp=weighting, pool=1)
    assert chances(league) == pytest.approx({"current": 0, "snapshot_0": 0, "random": 0.5, "greedy": 0.5})
    fared(league, random=1.0, greedy=0.25)
    assert chances(league)["random"] < 1e-6
    for _ in range(300):
        league.fade()
    assert chances(league)["random"] == pytest.approx(0.5, abs=0.01)


def test_members_that_always_lose_are_drawn_by_their_weights():
    base = np.array([1.0, 3.0])
    assert prioritised(base, np.array([1.0, 1.0]), "hard", 2.0).tolist() == [1.0, 3.0]


def test_a_greater_power_looks_for_the_hardest():
    base, p = np.ones(2), np.array([0.5, 0.75])
    for power in (1.0, 2.0, 4.0):
        hard, soft = prioritised(base, p, "hard", power)
        assert (hard / soft, hard + soft) == (pytest.approx(2.0**power), pytest.approx(2.0))


@pytest.mark.parametrize(("play", "kinds"), [("sample", 2), ("mode", 1)])
def test_nets_of_the_pool_sample_or_take_their_mode(play, kinds):
    """Twenty views that differ in nothing but their chance."""
    league = make(play=play)
    league.take_snapshot(1)
    views = Batch("tritarea", 1, seed=1).views([0])
    many = Views(views.game, np.repeat(views.records, 20), np.arange(20, dtype=np.uint64))
    for agent in league.agents[:2]:
        assert len(set(agent.act(many).tolist())) >= kinds
        assert kinds > 1 or len(set(agent.act(many).tolist())) == 1


def test_the_logs_tell_who_is_met_and_how_it_went():
    league = make("triatri", {"players": 2}, current=1, snapshots=1, agents={"random": 2}, pool=2)
    assert league.scalars() == {"chance_by_opponent/current": 0.5, "chance_by_opponent/random": 0.5}
    league.take_snapshot(500)
    league.count(np.array([1, 1, 3]), np.array([0, 1, 1]), np.array([1.0, 0.0, 0.5]))
    assert league.scalars() == {
        "chance_by_opponent/current": 0.25,
        "chance_by_opponent/snapshot_0": 0.25,
        "chance_by_opponent/random": 0.5,
        "born/snapshot_0": 500,
        "share_by_opponent/snapshot_0": 0.5,
        "games_by_opponent/snapshot_0": 2,
        "share_by_opponent/random": 0.5,
        "games_by_opponent/random": 1,
        "share_by_seat/seat_0": 1.0,
        "games_by_seat/seat_0": 1,
        "share_by_seat/seat_1": 0.25,
        "games_by_seat/seat_1": 2,
        "rollout/share": 0.5,
    }


def test_the_npc_is_never_drawn():
    league = make(agents={"random": 1}, options={"players": 2, "npc": "greedy"})
    assert league.names[league.npc] == "greedy"
    assert chances(league)["greedy"] == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_where_players_hold_all_seats_there_is_no_npc(players):
    league = make("triatri", {"players": players})
    assert league.npc == -1
    assert league.games.shape == league.won.shape == (len(league.names), players)


@pytest.mark.parametrize("pool", [3, 5, 12])
def test_the_pool_spans_the_whole_run(pool):
    """Oldest and newest stay, and no gap in between is much more than what an even spread would have."""
    league = make(pool=pool)
    for steps in range(100, 10_100, 100):
        league.take_snapshot(steps)
        born = np.sort(league.born[league.born >= 0])
        assert born[0] == 100
        assert born[-1] == steps
        if steps > 100 * pool:
            assert len(born) == pool
            assert np.diff(born).max() <= 2.2 * (steps - 100) / (pool - 1)


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


def test_counts_that_cannot_be_are_refused():
    league = make()
    for field, value in (("games", float("nan")), ("won", -1.0), ("won", 1.0)):
        state = league.state()
        state[field][0, 0] = value
        with pytest.raises(ValueError, match="counts of games are damaged"):
            make().restore(state)


def test_a_run_is_an_opponent_and_each_net_is_asked_once_a_round_of_decisions(run_of, monkeypatch):
    """The current net, two snapshots and another run's net in two ways: calls do not grow with the number of games."""
    foreign, asked, logits = str(run_of("tritarea")), [], PolicyAgent.logits
    league = make(current=1, snapshots=2, agents={foreign: 1, f"{foreign}:sample=true": 1}, pool=2)
    for steps in (1, 2):
        league.take_snapshot(steps)
    env = LeagueVecEnv("tritarea", 64, league, seed=1, reward="score")
    monkeypatch.setattr(PolicyAgent, "logits", lambda agent, views: asked.append(agent) or logits(agent, views))
    env.reset()
    assert set(env.member.tolist()) == {0, 1, 2, 3, 4}
    for _ in range(20):
        asked.clear()
        before = env.batch.games.decision.copy()
        env.step(env.batch.mask.argmax(axis=1))
        assert not env.tables.ended.any()
        others = env.batch.games.decision - before - 1
        assert len({id(agent) for agent in asked}) == 5
        assert max(sum(one is agent for one in asked) for agent in league.agents) <= others.max() < others.sum() / 10


def test_a_run_trains_against_another(run_of, tmp_path):
    foreign = str(run_of("tritarea"))
    train(tiny(opponents__current=0, opponents__agents={foreign: 1.0}, imitation__steps=0), tmp_path)
    log = EventAccumulator(str(tmp_path / "log"))
    log.Reload()
    assert log.Scalars(f"games_by_opponent/{foreign}")[-1].value > 10


def test_another_net_in_an_opponents_folder_is_noticed(run_of, tmp_path):
    folder = tmp_path / "foreign"
    shutil.copytree(run_of("tritarea"), folder)
    state = make(agents={str(folder): 1}).state()
    make(agents={str(folder): 1}).restore(state)
    path = find(folder) / "policy.safetensors"
    weights = load_file(path)
    weights["logits.bias"] += 1.0
    save_file(weights, path)
    with pytest.raises(ValueError, match=f"the net of the opponent {folder} is another one"):
        make(agents={str(folder): 1}).restore(state)
