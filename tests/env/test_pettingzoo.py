"""The AEC environment against PettingZoo's own tests, and the faults that users reported of such environments."""

import copy
import pickle

import numpy as np
import pettingzoo
import pytest
from helpers import (
    CASES,
    ENTRIES,
    EVERY_CASE,
    EVERY_GAME,
    EVERY_TABLE,
    TABLES,
    expected_reward,
    id_of,
    play_on,
    play_out,
    random_action,
)
from pettingzoo.test import api_test, render_test, seed_test, state_test

from tritarea_env import games, tritarea_v0

# api_test warns of dict observations unless the env is one of PettingZoo's own
DICT_OBSERVATIONS = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]
API_CASES = CASES + [
    (name, {**options, "reward": reward}) for name, options in TABLES for reward in games.get(name).rewards[1:]
]


@pytest.mark.parametrize(("name", "options"), API_CASES, ids=[id_of(*case) for case in API_CASES])
@pytest.mark.parametrize("entry", ["env", "raw_env"])
class TestTheirs:
    pytestmark = DICT_OBSERVATIONS

    def test_api(self, name, options, entry):
        api_test(getattr(ENTRIES[name], entry)(**options), num_cycles=1000)

    def test_seed(self, name, options, entry):
        seed_test(lambda: getattr(ENTRIES[name], entry)(**options), num_cycles=200)


@EVERY_CASE
def test_state(name, options):
    """Their state_test samples without masks, so only with ``illegal="terminate"``."""
    env = ENTRIES[name].env(**options)
    state_test(env, env)


@EVERY_CASE
@pytest.mark.parametrize("entry", ["env", "raw_env"])
def test_render(name, options, entry, capsys):
    render_test(lambda **more: getattr(ENTRIES[name], entry)(**options, **more))
    assert "to move" in capsys.readouterr().out


@EVERY_GAME
def test_registry(name):
    env = pettingzoo.make("aec", f"tritarea/{name}-v0", reward="score", players=3)
    env.reset(seed=1)
    assert str(env) == f"{name}_v0"
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert env.unwrapped.action_name(27) == games.get(name).action_names[27]


@EVERY_CASE
def test_a_random_walk_over_the_whole_interface(name, options):
    """In place of bombardment_test and test_save_obs, which do not serve dict observations."""
    env = ENTRIES[name].env(**options)
    rng = np.random.default_rng(3)
    for number in range(5):
        env.reset(seed=number)
        while env.agents:
            for agent in env.agents:
                given = env.observe(agent)
                assert env.observation_space(agent).contains(given)
                assert given["action_mask"].dtype == np.int8
            observation, reward, terminated, truncated, _ = env.last()
            assert env.state_space.contains(env.state())
            assert np.isfinite(reward)
            mask = observation["action_mask"]
            action = None if terminated or truncated else env.action_space(env.agent_selection).sample(mask)
            assert action is None or mask[action]
            kept = copy.deepcopy(observation)
            env.step(action if action is None or rng.random() < 0.5 else int(action))
            assert np.array_equal(kept["observation"], observation["observation"]), "what was given does not change"
            assert np.array_equal(kept["action_mask"], observation["action_mask"])


# ------------------------------------------------------------------------------- copies


@EVERY_TABLE
@pytest.mark.parametrize("entry", ["env", "raw_env"])
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
def test_a_copy_goes_on_with_the_same_game(name, options, entry, duplicate):
    def look(env):
        observation, reward, terminated, truncated, _ = env.last()
        return (
            env.agent_selection,
            observation["observation"].tobytes(),
            observation["action_mask"].tobytes(),
            reward,
            terminated,
            truncated,
            env.unwrapped.position(),
        )

    def begun():
        env = getattr(ENTRIES[name], entry)(reward=games.get(name).rewards[-1], **options)
        env.reset(seed=6)
        return env

    length = len(play_out(begun(), np.random.default_rng(6)))
    for stop in np.linspace(0, length, 20).astype(int):
        env = begun()
        play_on(env, np.random.default_rng(6), stop)
        assert env.unwrapped.is_over == (stop == length)
        twin = duplicate(env)
        before = look(env)
        assert look(twin) == before
        ends = [play_out(twin, np.random.default_rng(1)), twin.unwrapped.record()]
        assert look(env) == before, "the original is untouched"
        assert [play_out(env, np.random.default_rng(1)), env.unwrapped.record()] == ends


# --------------------------------------------------------------- the end of a game


@EVERY_CASE
def test_after_the_end_each_agent_is_visited_once_with_none(name, options):
    env = ENTRIES[name].raw_env(**options)
    env.reset(seed=1)
    play_on(env, np.random.default_rng(1))
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    visited = []
    for agent in env.agent_iter():
        visited.append(agent)
        env.step(None)
    assert sorted(visited) == env.possible_agents
    assert env.agents == []
    with pytest.raises(ValueError, match="reset"):
        env.step(0)


@EVERY_TABLE
def test_a_wrapped_env_warns_after_the_very_end(name, options):
    env = ENTRIES[name].env(**options)
    env.reset(seed=1)
    play_out(env, np.random.default_rng(1))
    env.step(0)  # PettingZoo's wrapper logs a warning
    assert env.agents == []


@EVERY_CASE
def test_rewards_seen_through_last_sum_to_the_total(name, options):
    for reward in games.get(name).rewards:
        env = ENTRIES[name].env(reward=reward, **options)
        env.reset(seed=8)
        seen = dict.fromkeys(env.possible_agents, 0.0)
        rng = np.random.default_rng(8)
        for agent in env.agent_iter():
            _, gained, terminated, truncated, info = env.last()
            seen[agent] += gained
            if terminated or truncated:
                final = info
                env.step(None)
            else:
                env.step(random_action(env, rng))
        expected = [expected_reward(name, reward, options, final, seat) for seat in range(len(seen))]
        assert list(seen.values()) == pytest.approx(expected)


def test_score_delta_rewards_every_decision():
    env = tritarea_v0.raw_env(reward="score_delta")
    env.reset(seed=8)
    rng = np.random.default_rng(8)
    while not env.is_over:
        before = env.position()["scores"]
        env.step(random_action(env, rng))
        change = [after - b for after, b in zip(env.position()["scores"], before, strict=True)]
        result = {"scores": change, "winners": []}
        expected = [expected_reward("tritarea", "score_delta", {}, result, seat) for seat in range(4)]
        assert list(env.rewards.values()) == pytest.approx(expected)


@EVERY_CASE
def test_infos_at_the_end(name, options):
    env = ENTRIES[name].env(**options)
    env.reset(seed=1)
    play_on(env, np.random.default_rng(1))
    assert env.agents == env.possible_agents
    for agent in env.agents:
        info = env.infos[agent]
        assert info["scores"] == env.unwrapped.position()["scores"]
        assert info["winners"] == env.unwrapped.record()["winners"]
        assert [sum(points.values()) for points in info["points"]] == info["scores"]
        assert set(info["points"][0]) == set(games.get(name).sources)
        assert not info["action_mask"].any()
