"""Batch: row i is the single environment's stream, whatever else is in the batch."""

import numba
import numpy as np
import pytest
from helpers import CASES, EVERY_CASE, EVERY_GAME, EVERY_TABLE, PLAIN, TABLES, id_of, random_action

from tritarea_env import IllegalActionError, games
from tritarea_env.aec import GameEnv
from tritarea_env.batch import Batch
from tritarea_env.engine import loops

# without NPCs, whose decisions the single environment makes itself
PLAYERS_CASES = [(name, options) for name, options in CASES if "npc" not in options]
REWARD_CASES = [(name, options, games.get(name).rewards[0]) for name, options in PLAYERS_CASES] + [
    (name, options, reward) for name, options in TABLES for reward in games.get(name).rewards[1:]
]
REWARD_IDS = [f"{id_of(name, options)}-{reward}" for name, options, reward in REWARD_CASES]


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "options", "reward"), REWARD_CASES, ids=REWARD_IDS)
def test_a_row_equals_the_env_played_alone(name, options, reward):
    """Position for position over four games a row, automatic resets included."""
    n, seed, games_a_row = 3, 11, 1 if PLAIN else 4
    batch = Batch(name, n, seed=seed, reward=reward, **options)
    game = batch.game
    envs = [GameEnv(name, reward=reward, **options) for _ in range(n)]
    for i, env in enumerate(envs):
        env.reset(seed=seed, options={"game_index": i})
    rng = np.random.default_rng(1)
    ended = np.zeros(n, int)
    while ended.min() < games_a_row:
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.mask])
        for i, env in enumerate(envs):
            seen = env.observe(env.agent_selection)
            assert batch.seat[i] == env._seat_of[env.agent_selection]
            assert np.array_equal(batch.mask[i], seen["action_mask"])
            assert np.array_equal(batch.observation[i] * game.scale, seen["observation"])
            assert game.to_position(batch.games[i]) == env.position()
            env.step(int(actions[i]))
        batch.step(actions)
        for i, env in enumerate(envs):
            assert batch.reward[i] == pytest.approx(list(env.rewards.values()))
            assert batch.done[i] == env.is_over
            if env.is_over:
                ended[i] += 1
                assert batch.final_scores[i].tolist() == env.position()["scores"]
                assert batch.episode_length[i] == len(env.record()["actions"])
                env.reset()


NPC_CASES = [(name, options) for name, options in CASES if "npc" in options]


@pytest.mark.parametrize(("name", "options"), NPC_CASES, ids=[id_of(*case) for case in NPC_CASES])
def test_a_row_equals_the_env_whose_npcs_decide_the_same(name, options):
    """What the env's NPCs have done is done in the row; then both stand the same, over three games a row."""
    seed, rng = 3, np.random.default_rng(2)
    batch, env = Batch(name, 2, seed=seed, **options), GameEnv(name, **options)
    for i in range(2):
        env.reset(seed=seed, options={"game_index": i})
        for game in range(3):
            done = 0
            while True:
                actions = env.record()["actions"]
                for mover, action in actions[done:]:
                    assert batch.games.seat[i] == mover
                    batch.advance([action], [i])
                done = len(actions)
                if env.is_over:
                    break
                batch.look([i])
                seen = env.last()[0]
                assert batch.game.to_position(batch.games[i]) == env.position()
                assert np.array_equal(batch.observation[i] * batch.scale, seen["observation"])
                assert np.array_equal(batch.mask[i], seen["action_mask"])
                env.step(random_action(env, rng))
            assert batch.done[i]
            assert batch.episode_length[i] == done
            assert batch.games.episode[i] == game + 1
            assert batch.final_scores[i].tolist() == env.infos["player_0"]["scores"]
            env.reset()


@EVERY_TABLE
def test_rows_do_not_depend_on_the_size(name, options):
    small, large = Batch(name, 2, seed=4, **options), Batch(name, 50, seed=4, **options)
    for _ in range(400):
        actions = large.mask.argmax(axis=1)
        large.step(actions)
        small.step(actions[:2])
        assert np.array_equal(small.observation, large.observation[:2])
        assert np.array_equal(small.reward, large.reward[:2])


@EVERY_CASE
def test_the_arrays_stay_the_same_ones(name, options):
    batch = Batch(name, 4, **options)
    seats = batch.game.seats_of(batch.options)
    assert batch.reward.shape == batch.final_scores.shape == (4, seats)
    assert seats == (4 if name == "tritarea" else batch.options["players"])
    arrays = [batch.observation, batch.mask, batch.reward, batch.done, batch.final_scores, batch.episode_length]
    batch.step(batch.mask.argmax(axis=1))
    now = [batch.observation, batch.mask, batch.reward, batch.done, batch.final_scores, batch.episode_length]
    assert all(a is b for a, b in zip(arrays, now, strict=True))


@EVERY_TABLE
def test_an_illegal_action_names_the_game_and_steps_none(name, options):
    batch = Batch(name, 5, seed=1, **options)
    before = batch.games.tobytes()
    for action in (-1, batch.game.actions, int(batch.mask[3].argmin()), 10**12):
        actions = batch.mask.argmax(axis=1)
        actions[3] = action
        with pytest.raises(IllegalActionError, match=f"game 3: seat {batch.seat[3]} may not play {action} "):
            batch.step(actions)
        assert batch.games.tobytes() == before


@pytest.mark.parametrize("actions", [[1, 2], [0.5] * 5, "abcde", None], ids=str)
def test_actions_of_a_wrong_type(actions):
    batch = Batch("tritarea", 5)
    with pytest.raises(TypeError, match="actions are 5 integers"):
        batch.step(actions)


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", True])
def test_a_wrong_number_of_games(n):
    with pytest.raises(ValueError, match="n is a number of games"):
        Batch("tritarea", n)


@EVERY_GAME
def test_advance_touches_only_the_games_named(name):
    batch = Batch(name, 6, seed=2)
    before = batch.games.copy()
    index = np.array([4, 1])
    batch.advance(batch.mask[index].argmax(axis=1), index)
    changed = [before[i].tobytes() != batch.games[i].tobytes() for i in range(6)]
    assert changed == [False, True, False, False, True, False]


@EVERY_GAME
def test_views_are_those_of_the_seats_to_move(name):
    batch = Batch(name, 6, seed=2)
    for _ in range(25):
        batch.step(batch.mask.argmax(axis=1))
    views = batch.views(np.array([5, 0]))
    assert np.array_equal(views.observation, batch.observation[[5, 0]])
    assert np.array_equal(views.mask, batch.mask[[5, 0]])
    assert views.seat.tolist() == batch.seat[[5, 0]].tolist()
    alone = batch.views(np.array([0]))
    assert alone.seed[0] == views.seed[1]
    assert len(set(batch.views(np.arange(6)).seed.tolist())) == 6


@pytest.mark.parametrize("index", [[5], [-1], [0.5], [True, False], [[0]], 10**6, "ab"], ids=str)
def test_an_index_that_names_no_game(index):
    batch = Batch("tritarea", 5)
    before = batch.games.tobytes()
    for call in (batch.look, batch.views, lambda which: batch.advance([0], which)):
        with pytest.raises(IndexError, match="index is a list of games 0 … 4"):
            call(index)
    with pytest.raises(IndexError, match="names one twice"):
        batch.advance(batch.mask.argmax(axis=1)[[0, 0]], [0, 0])
    assert batch.games.tobytes() == before


def test_what_an_agent_does_to_its_views_changes_no_game():
    """It may scribble on masks and records that it is given; its answer is checked against the games."""

    class Scribbler:
        def act(self, views):
            views.mask[:] = 1
            views.hidden.hand[:] = 0
            views.seed[:] = 0
            return np.zeros(len(views), np.int64)

    env = GameEnv("tritarea", players=1, npc=Scribbler())
    with pytest.raises(IllegalActionError, match=r"the agent of seat . may not play 0 \(card B1\) now"):  # noqa: PT012
        for seed in range(9):
            env.reset(seed=seed)
            while not env.is_over:
                env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
    with pytest.raises(ValueError, match="read-only"):
        env.game.scale[:] = 0


@pytest.mark.kernel
@pytest.mark.parametrize(("name", "options"), PLAYERS_CASES, ids=[id_of(*case) for case in PLAYERS_CASES])
def test_nothing_of_a_finished_game_lives_on(name, options):
    """A row's next game is what a fresh one of its stream and episode is, over several games a row."""
    batch = Batch(name, 4, seed=3, **options)
    hands = {row.tobytes() for row in batch.games.hand}
    last = batch.final_scores.copy()
    for _ in range(200 if PLAIN else 600):
        batch.step(batch.mask.argmax(axis=1))
        last[batch.done] = batch.final_scores[batch.done]
        assert np.array_equal(batch.final_scores, last), "they stay until the next game has ended"
        assert not batch.reward[~batch.done].any()
        assert np.array_equal(batch.games.points.sum(axis=2), batch.games.scores)
        for row in np.flatnonzero(batch.done):
            fresh = batch.game.new(1, batch.options)
            fresh.stream[0], fresh.episode[0] = batch.games.stream[row], batch.games.episode[row]
            loops.reset_games(fresh, np.zeros(1, np.int64))
            assert batch.game.to_position(fresh[0]) == batch.game.to_position(batch.games[row])
            hands.add(batch.games.hand[row].tobytes())
    assert len(hands) == 4 + batch.games.episode.sum() > 4


@EVERY_TABLE
def test_global_random_state_between_steps_changes_nothing(name, options):
    def play(disturb):
        batch = Batch(name, 3, seed=5, **options)
        for number in range(200):
            if disturb:
                np.random.seed(number)  # noqa: NPY002
                seed_numba(number)
            batch.step(batch.mask.argmax(axis=1))
        return batch.games.tobytes()

    assert play(False) == play(True)


@numba.njit
def seed_numba(number):
    np.random.seed(number)  # noqa: NPY002
