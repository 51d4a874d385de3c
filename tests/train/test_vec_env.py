"""The vector env: row by row it is the single environment; every seat learns; nothing illegal passes."""

import numpy as np
import pytest
from helpers import CASES, IDS
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from tritarea_env import IllegalActionError, games
from tritarea_env.gym import SeatEnv
from tritarea_train.config import OpponentsConfig
from tritarea_train.league import League
from tritarea_train.vec_env import LeagueVecEnv

N = 12  # a multiple of 2, 3 and 4 players
SEATS = [
    pytest.param(*case, id=words) for case, words in zip(CASES, IDS, strict=True) if set(case[1]) <= {"players", "npc"}
]
WITHOUT_NPCS = [case for case in SEATS if "npc" not in case.values[1]]
REWARDS = [
    pytest.param(*case.values, reward, id=f"{case.id}-{reward}")
    for case in SEATS
    for reward in games.get(case.values[0]).rewards
]


def make(n=N, *, game="tritarea", agents=None, seed=3, reward="score", **options):
    definition = games.get(game)
    config = OpponentsConfig(current=0, snapshots=0, agents=agents or {"random": 1.0})
    league = League(definition, definition.check_options(options), config)
    return LeagueVecEnv(game, n, league, seed=seed, reward=reward, **options)


def choose(env, rng):
    """Random legal actions."""
    masks = get_action_masks(env)
    assert masks.any(axis=1).all()
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


def rollout(env, least):
    """By row, the games that ended, ``least`` or more: their observations, masks, actions, rewards, and last info."""
    rng = np.random.default_rng(0)
    observation = env.reset()
    games_of = [[[]] for _ in range(env.num_envs)]
    while min(map(len, games_of)) <= least:
        masks, actions = get_action_masks(env), choose(env, rng)
        after, rewards, dones, infos = env.step(actions)
        for i, done in enumerate(dones):
            games_of[i][-1].append((observation[i], masks[i], actions[i], rewards[i], infos[i]))
            if done:
                games_of[i].append([])
            else:
                assert not infos[i]
        observation = after
    return [row[:-1] for row in games_of]


@pytest.mark.parametrize(("name", "options", "reward"), REWARDS)
def test_a_row_is_the_single_environment(name, options, reward):
    env = make(4, game=name, reward=reward, **options)
    scale, players = env.batch.game.scale, env.players
    for i, row in enumerate(rollout(env, 3)):
        for e, played in enumerate(row):
            seat = (i + e) % players
            single = SeatEnv(name, seat=seat, opponents="random", reward=reward, illegal="raise", **options)
            seen, info = single.reset(seed=3, options={"game_index": i})
            for _ in range(e):
                seen, info = single.reset()
            total = 0.0
            for observation, mask, action, got, ended in played:
                assert np.array_equal(observation * scale, seen)
                assert np.array_equal(mask, info["action_mask"])
                seen, expected, over, _, info = single.step(action)
                assert got == np.float32(expected)
                assert over == bool(ended)
                total += expected
            assert np.array_equal(ended["terminal_observation"] * scale, seen)
            assert ended["scores"] == info["scores"]
            assert ended["share"] == (seat in info["winners"]) / len(info["winners"])
            assert ended["seat"] == seat
            assert ended["episode"] == {"r": pytest.approx(total), "l": len(played)}


@pytest.mark.parametrize(
    ("name", "options", "reward"),
    [("tritarea", {}, "score_delta"), *(("triatri", {"players": players}, "score") for players in (2, 3, 4))],
)
def test_settled_rewards_come_sooner_and_sum_to_the_same(name, options, reward):
    """Nothing that counts happens before a learner's first decision: every seat plays a card, or bids, before."""
    settled, plain = (rollout(make(game=name, reward=kind, **options), 3) for kind in ("settled_delta", reward))
    for ours, theirs in zip(settled, plain, strict=True):
        for one, other in zip(ours, theirs, strict=True):
            assert one[-1][-1]["episode"]["r"] == pytest.approx(other[-1][-1]["episode"]["r"])
            assert [step[2] for step in one] == [step[2] for step in other]
    rewards = np.array([step[3] for row in settled for game in row for step in game])
    sparse = np.array([step[3] for row in plain for game in row for step in game])
    assert np.count_nonzero(rewards) > np.count_nonzero(sparse)


@pytest.mark.parametrize(("name", "options"), SEATS)
def test_every_seat_equally_often(name, options):
    env = make(game=name, **options)
    players = env.players
    seats = [[game[-1][-1]["seat"] for game in row] for row in rollout(env, players + 1)]
    for i, row in enumerate(seats):
        assert row == [(i + e) % players for e in range(len(row))]
    for e in range(min(map(len, seats))):
        assert np.bincount([row[e] for row in seats]).tolist() == [N // players] * players


def test_opponents_come_by_weight_and_do_not_depend_on_the_number_of_games():
    agents = {"random": 3.0, "greedy": 1.0}
    few, many = make(4, agents=agents), make(256, agents=agents)
    few.reset()
    many.reset()
    assert np.array_equal(few.member, many.member[:4])
    names = [many.league.names[member] for member in many.member]
    assert 0.15 < names.count("greedy") / 256 < 0.35
    assert names.count("greedy") + names.count("random") == 256


@pytest.mark.parametrize(("name", "options"), WITHOUT_NPCS)
def test_shares_are_counted_by_opponent_and_seat(name, options):
    env = make(game=name, agents={"random": 1.0, "greedy": 1.0}, **options)
    ended = [game[-1][-1] for row in rollout(env, 6) for game in row]
    assert {info["opponents"] for info in ended} == {"random", "greedy"}
    for member, opponents in enumerate(env.league.names):
        for seat in range(env.players):
            those = [info for info in ended if (info["opponents"], info["seat"]) == (opponents, seat)]
            assert env.league.games[member, seat] == len(those)
            assert env.league.won[member, seat] == pytest.approx(sum(info["share"] for info in those))


@pytest.mark.parametrize("name", games.names())
def test_an_illegal_action_is_refused_before_anything_is_stepped(name):
    env = make(game=name)
    env.reset()
    before = env.batch.games.tobytes()
    actions = choose(env, np.random.default_rng(1))
    for wrong in (int(np.flatnonzero(env.batch.mask[5] == 0)[0]), -1, env.batch.game.actions):
        actions[5] = wrong
        with pytest.raises(IllegalActionError, match="the learner may not play"):
            env.step(actions)
    assert env.batch.games.tobytes() == before


def test_what_was_returned_is_not_written_again():
    env = make()
    rng = np.random.default_rng(1)
    first = env.reset()
    kept = first.copy()
    for _ in range(3):
        _, rewards, dones, _ = env.step(choose(env, rng))
        copies = rewards.copy(), dones.copy()
        env.step(choose(env, rng))
        assert np.array_equal(rewards, copies[0])
        assert np.array_equal(dones, copies[1])
    assert np.array_equal(first, kept)


def test_a_reset_starts_over():
    env = make()
    first = env.reset()
    rng = np.random.default_rng(1)
    for _ in range(50):
        env.step(choose(env, rng))
    assert np.array_equal(env.reset(), first)
    assert not env.length.any()


def test_masks_as_sb3_asks_for_them():
    env = make()
    env.reset()
    assert is_masking_supported(env)
    assert np.array_equal(get_action_masks(env), env.batch.mask)
    assert np.array_equal(env.env_method("action_masks", indices=[2])[0], env.batch.mask[2])
    with pytest.raises(AttributeError, match="no method 'jump'"):
        env.env_method("jump")
