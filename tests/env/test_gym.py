"""One seat as a gymnasium environment."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from helpers import EVERY_CASE, EVERY_GAME, EVERY_TABLE, expected_reward
from stable_baselines3.common.env_checker import check_env as sb3_check_env

import tritarea_env  # noqa: F401  (registers)
from tritarea_env import IllegalActionError, games, records
from tritarea_env.gym import SeatEnv

GYM_ID = {"tritarea": "tritarea/TriTArea-v0", "triatri": "tritarea/TriATri-v0"}

IMITATION = {"tritarea": None, "triatri": 21}  # a card that the field `hand` does not show


def seats_of(name, options):
    return range(games.get(name).seats_of(games.get(name).check_options(options)))


def first_legal(env):
    return int(np.flatnonzero(env.unwrapped.action_masks())[0])


def play(env, draw=0, **reset):
    """One episode with random legal actions; returns the rewards and the last info."""
    rng = np.random.default_rng(draw)
    _, info = env.reset(**reset)
    rewards, over = [], False
    while not over:
        masks = env.unwrapped.action_masks()
        assert np.array_equal(masks, info["action_mask"])
        _, reward, over, truncated, info = env.step(int(rng.choice(np.flatnonzero(masks))))
        assert not truncated
        rewards.append(reward)
    return rewards, info


@EVERY_CASE
def test_checkers(name, options):
    env = gymnasium.make(GYM_ID[name], opponents="random", **options)
    check_env(env.unwrapped, skip_render_check=True)
    sb3_check_env(env.unwrapped)


@EVERY_GAME
def test_checker_with_rendering(name, capsys):
    check_env(gymnasium.make(GYM_ID[name], opponents="random", render_mode="human").unwrapped)
    assert "to move" in capsys.readouterr().out


@EVERY_TABLE
def test_defaults_play_greedy(name, options):
    env = gymnasium.make(GYM_ID[name], **options)
    _, info = play(env, 1)
    assert info["opponents"] == {seat: "greedy" for seat in seats_of(name, options) if seat != info["seat"]}


@EVERY_CASE
def test_rewards_sum_to_the_total_of_the_seat(name, options):
    for reward in games.get(name).rewards:
        env = SeatEnv(name, opponents="random", reward=reward, **options)
        for seed in range(3):
            rewards, info = play(env, seed, seed=seed)
            expected = expected_reward(name, reward, options, info, info["seat"])
            assert sum(rewards) == pytest.approx(expected)
            records.check(env.record())


@EVERY_TABLE
def test_a_random_seat_is_each_seat_and_a_given_one_stays(name, options):
    env = SeatEnv(name, opponents="random", **options)
    seats = [env.reset(seed=seed)[1]["seat"] for seed in range(60)]
    n = len(seats_of(name, options))
    assert np.bincount(seats, minlength=n).min() > 30 / n
    assert seats == [env.reset(seed=seed)[1]["seat"] for seed in range(60)]
    for seat in range(n):
        env = SeatEnv(name, seat=seat, opponents="random", **options)
        assert {env.reset(seed=seed)[1]["seat"] for seed in range(9)} == {seat}
    with pytest.raises(ValueError, match=f"seat is one of None, .*{n - 1}, not {n}"):
        SeatEnv(name, seat=n, opponents="random", **options)


@EVERY_TABLE
def test_the_observation_is_the_seats_own(name, options):
    env = SeatEnv(name, seat=1, opponents="random", **options)
    observation, _ = env.reset(seed=3)
    seen = games.get(name).unflatten(observation)
    assert np.flatnonzero(seen["hand"]).tolist() == [
        card for card in env.position()["hands"][1] if card != IMITATION[name]
    ]
    assert seen["to_move"].tolist() == [1, 0, 0, 0]


class Marked:
    """Plays the first legal action and counts its decisions by seat."""

    def __init__(self):
        self.seats = set()

    def act(self, views):
        self.seats |= set(views.seat.tolist())
        return views.mask.argmax(axis=1)


@EVERY_TABLE
def test_opponents_by_seat_and_clockwise(name, options):
    seats = seats_of(name, options)
    by_seat = [Marked() for _ in seats]
    play(SeatEnv(name, seat=1, opponents=[None if s == 1 else by_seat[s] for s in seats], **options))
    assert [by_seat[s].seats for s in seats] == [set() if s == 1 else {s} for s in seats]
    clockwise = [Marked() for _ in seats[1:]]
    play(SeatEnv(name, seat=1, opponents=clockwise, **options))
    assert [agent.seats for agent in clockwise] == [{(2 + i) % len(seats)} for i in range(len(clockwise))]
    with pytest.raises(ValueError, match=rf"{len(seats)} entries \(by seat\) or {len(seats) - 1} "):
        SeatEnv(name, seat=1, opponents=["random"] * (len(seats) + 1), **options)


@EVERY_TABLE
def test_a_pool_is_drawn_anew_each_game(name, options):
    env = SeatEnv(name, seat=0, opponents={"random": 1, "greedy": 3}, **options)
    drawn = [tuple(env.reset(seed=seed)[1]["opponents"].values()) for seed in range(200)]
    share = np.mean([spec == "greedy" for game in drawn for spec in game])
    assert 0.68 < share < 0.82
    assert len(set(drawn)) == 2 ** (len(seats_of(name, options)) - 1)
    assert drawn == [tuple(env.reset(seed=seed)[1]["opponents"].values()) for seed in range(200)]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"opponents": {}}, "a pool of opponents"),
        ({"opponents": {"random": 0}}, "a pool of opponents"),
        ({"opponents": {"random": -1, "greedy": 2}}, "a pool of opponents"),
        ({"seat": 3, "players": 2}, "seat is one of None, 0, 1, not 3"),
        ({"reward": "money"}, "reward is one of"),
        ({"render_mode": "rgb_array"}, "render_mode is one of"),
    ],
    ids=str,
)
def test_wrong_options(options, says):
    with pytest.raises(ValueError, match=says):
        SeatEnv("tritarea", **options)


def test_a_missing_agent_is_named():
    with pytest.raises(ValueError, match="nobody"):
        SeatEnv("tritarea", opponents="nobody")
    with pytest.raises(ValueError, match="nobody"):
        SeatEnv("tritarea", opponents="random", players=3, npc="nobody")
    with pytest.raises(ValueError, match="opponents has no agent at place 2"):
        SeatEnv("tritarea", seat=0, opponents=[None, "random", None, "random"])
    with pytest.raises(ValueError, match="opponents has no agent at place 0"):
        SeatEnv("tritarea", opponents=[None, "random", "random", "random"])
    for wrong in (None, 5, {1, 2}, [5, 5, 5]):
        with pytest.raises(ValueError, match="an opponent is the spec of an agent, or an object with act"):
            SeatEnv("tritarea", opponents=wrong)


def positions_of_a_game(name, options):
    """The positions of a random game's decisions."""
    env = SeatEnv(name, seat=0, opponents="random", **options)
    play(env, 3, seed=3)
    return [position for position, *_ in records.replay(env.record())][:-1]


@EVERY_TABLE
def test_a_position_without_a_decision_for_the_seat_is_refused_and_the_game_kept(name, options):
    there = positions_of_a_game(name, options)[-1]
    other = (there["seat"] + 1) % len(seats_of(name, options))
    env = SeatEnv(name, seat=other, opponents="random", **options)
    env.reset(seed=1)
    before = env.record()
    with pytest.raises(ValueError, match="has no decision left"):
        env.reset(seed=1, options={"position": there})
    assert env.record() == before
    env.step(first_legal(env))


@EVERY_TABLE
def test_rewards_before_the_seats_first_decision_come_with_its_first_step(name, options):
    """Of games set up from positions: what a seat has gained since."""
    reward = games.get(name).rewards[-1]
    positions = positions_of_a_game(name, options)
    for there in positions[: -len(positions) // 8 : 9]:
        for seat in seats_of(name, options):
            env = SeatEnv(name, seat=seat, opponents="random", reward=reward, **options)
            rewards, info = play(env, 1, seed=1, options={"position": there})
            brought = there["scores"] or [0] * len(info["scores"])
            gained = [after - before for after, before in zip(info["scores"], brought, strict=True)]
            result = {"scores": gained, "winners": info["winners"]}
            assert sum(rewards) == pytest.approx(expected_reward(name, reward, options, result, seat))


class Failing:
    """Raises at its n-th decision."""

    def __init__(self, n):
        self.left = n

    def act(self, views):
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("tired")
        return views.mask.argmax(axis=1)


@EVERY_TABLE
def test_an_opponent_that_fails_leaves_no_half_stepped_game(name, options):
    others = ["random"] * (len(seats_of(name, options)) - 2)
    env = SeatEnv(name, seat=0, opponents=[Failing(10), *others], **options)
    env.reset(seed=1)
    with pytest.raises(RuntimeError, match="tired"):  # noqa: PT012
        while True:
            before = env.record(), env.action_masks().tolist()
            env.step(first_legal(env))
    assert (env.record(), env.action_masks().tolist()) == before


@EVERY_TABLE
def test_an_illegal_action_ends_the_episode(name, options):
    env = SeatEnv(name, opponents="random", **options)
    env.reset(seed=1)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    observation, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated, info["illegal_action"]) == (-1.0, True, False, illegal)
    assert env.observation_space.contains(observation)
    assert not env.action_masks().any()
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)


@EVERY_GAME
def test_an_illegal_action_raises_if_asked_to(name):
    env = SeatEnv(name, opponents="random", illegal="raise")
    env.reset(seed=1)
    before = env.record()
    with pytest.raises(IllegalActionError, match="legal:"):
        env.step(int(np.flatnonzero(~env.action_masks())[0]))
    assert env.record() == before


@EVERY_GAME
def test_an_action_out_of_range_or_of_a_wrong_type_always_raises(name):
    env = SeatEnv(name, opponents="random")
    env.reset(seed=1)
    n = env.game.actions
    for action, error in ((-1, IllegalActionError), (n, IllegalActionError), (0.5, TypeError), (None, TypeError)):
        with pytest.raises(error, match=f"an integer 0 … {n - 1}"):
            env.step(action)


@EVERY_TABLE
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
def test_a_copy_goes_on_with_the_same_game(name, options, duplicate):
    env = SeatEnv(name, opponents="greedy", **options)
    env.reset(seed=1)
    for _ in range(10):
        env.step(first_legal(env))
    twin = duplicate(env)
    ends = []
    for one in (twin, env):
        while one.action_masks().any():
            _, reward, *_ = one.step(first_legal(one))
        ends.append((reward, one.record()))
    assert ends[0] == ends[1]


@EVERY_TABLE
def test_the_same_seed_the_same_games(name, options):
    def games_of(seed):
        env = SeatEnv(name, opponents={"random": 1, "greedy": 1}, **options)
        play(env, 1, seed=seed)
        first = env.record()
        play(env, 2)
        return first, env.record()

    assert games_of(3) == games_of(3)
    assert games_of(3) != games_of(4)


@EVERY_GAME
def test_a_masked_ppo_learns_without_a_wrapper_of_ours(name):
    """sb3-contrib on the plain environment; two updates move the policy and play no illegal action."""
    from sb3_contrib import MaskablePPO

    env = gymnasium.make(GYM_ID[name], opponents="random", reward=games.get(name).rewards[-1], illegal="raise")
    model = MaskablePPO("MlpPolicy", env, n_steps=128, batch_size=64, n_epochs=2, seed=1, device="cpu")
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(256)
    moved = [not np.allclose(a, b.detach()) for a, b in zip(before, model.policy.parameters(), strict=True)]
    assert all(moved)
