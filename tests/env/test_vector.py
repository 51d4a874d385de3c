"""The vector of seats: row by row it is the single environment, in the form of gymnasium's own vectors."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from helpers import CASES, EVERY_GAME, EVERY_TABLE, PLAIN, TABLES, id_of

import tritarea_env  # noqa: F401  (registers)
from tritarea_env import IllegalActionError, games
from tritarea_env.gym import SeatEnv
from tritarea_env.vector import SeatVectorEnv

GYM_ID = {"tritarea": "tritarea/TriTArea-v0", "triatri": "tritarea/TriATri-v0"}
POOL = {"random": 1, "greedy": 2}


class First:
    """Plays the first legal action for ``left`` calls, then raises or gives its wrong ``answer``."""

    left, answer = 10**9, None

    def act(self, views):
        self.left -= 1
        if self.left >= 0:
            return views.mask.argmax(axis=1)
        if self.answer is None:
            raise RuntimeError("tired")
        return self.answer(views)


def clockwise(name, options):
    """A list of opponents: an agent that is an object, and others by turns."""
    players = len(games.get(name).agents(games.get(name).check_options(options)))
    return [First(), "greedy", "random"][: players - 1]


def by_seat(name, options):
    """For a learner in seat 0."""
    return [None, *clockwise(name, options)]


KEY_CASES = [
    *((name, options, reward, POOL, None) for name, options in CASES for reward in games.get(name).rewards[-1:]),
    *((name, options, "outcome", opponents, seat)
      for name, options in TABLES
      for opponents, seat in (("greedy", None), ("random", 1), (clockwise, None), (by_seat, 0))),
    ("tritarea", {}, "score", "random", None),
    ("tritarea", {"players": 2, "npc": First()}, "score_delta", "random", None),
]  # fmt: skip


def id_of_case(case):
    name, options, reward, opponents, seat = case
    who = opponents if isinstance(opponents, str) else getattr(opponents, "__name__", "pool")
    return f"{id_of(name, options)}-{reward}-{who}-{seat}"


def choose(masks, rng):
    """A random legal action in every row."""
    assert masks.any(axis=1).all()
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def row_of(infos, i):
    """The info of row ``i`` in the form of the single environment's."""
    found = {}
    for key, value in infos.items():
        if not str(key).startswith("_") and infos[f"_{key}"][i]:
            found[key] = row_of(value, i) if isinstance(value, dict) else value[i]
    return found


def assert_same(a, b):
    """Nested infos are equal, types of arrays included."""
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        for one, other in zip(a, b, strict=True) if a.dtype == object else [(a, b)]:
            assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one is other or np.all(one == other)
    else:
        assert a == b


@pytest.mark.parametrize(
    ("name", "options", "reward", "opponents", "seat"),
    # without the compiler only those that take seconds
    [
        pytest.param(*case, id=id_of_case(case), marks=[pytest.mark.kernel] if "random" in case else [])
        for case in KEY_CASES
    ],
)
def test_a_row_is_the_single_environment(name, options, reward, opponents, seat):
    """Over at least three games a row: seats, opponents, observations, rewards, ends and infos."""
    n, seed, games_a_row = 3, 11, 1 if PLAIN else 3
    if callable(opponents):
        opponents = opponents(name, options)
    given = {"seat": seat, "opponents": opponents, "reward": reward, **options}
    env = SeatVectorEnv(name, n, **given)
    singles = [SeatEnv(name, **given) for _ in range(n)]
    observations, infos = env.reset(seed=seed)
    for i, single in enumerate(singles):
        seen, info = single.reset(seed=seed, options={"game_index": i})
        assert np.array_equal(observations[i], seen)
        assert_same(row_of(infos, i), info)
    rng, ended = np.random.default_rng(1), np.zeros(n, int)
    while ended.min() < games_a_row:
        actions = choose(env.action_masks(), rng)
        observations, rewards, terminated, truncated, infos = env.step(actions)
        for i, single in enumerate(singles):
            seen, expected, over, _, info = single.step(actions[i])
            assert (rewards[i], terminated[i], truncated[i]) == (expected, over, False)
            final = row_of(infos, i)
            assert ("final_obs" in final) == ("final_info" in final) == over
            if over:
                assert np.array_equal(final.pop("final_obs"), seen)
                assert_same(final.pop("final_info"), info)
                seen, info = single.reset()
                ended[i] += 1
            assert np.array_equal(observations[i], seen)
            assert_same(final, info)
    assert observations.dtype == np.float32
    assert rewards.dtype == np.float64


@EVERY_TABLE
def test_infos_have_the_form_of_gymnasiums_own_vector(name, options):
    """Whole results, those of illegal actions too, with a list of seeds."""
    n, seeds = 4, [5, 2**64 - 1, 0, 5]
    given = {"opponents": POOL, **options}
    env = SeatVectorEnv(name, n, **given)
    theirs = SyncVectorEnv([lambda: SeatEnv(name, **given)] * n, autoreset_mode=AutoresetMode.SAME_STEP)
    assert env.observation_space == theirs.observation_space
    assert env.action_space == theirs.action_space
    assert env.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    result = env.reset(seed=seeds)
    expected = theirs.reset(seed=seeds)
    rng, ended = np.random.default_rng(2), 0
    while ended < 3 * n:
        for got, wanted in zip(result, expected, strict=True):
            assert_same(got, wanted)
        actions = choose(env.action_masks(), rng)
        if rng.random() < 0.1:
            row = rng.integers(n)
            actions[row] = np.flatnonzero(~env.action_masks()[row])[0]
        result, expected = env.step(actions), theirs.step(actions)
        ended += result[2].sum()
    some, nobody = np.array([True, False, True, False]), [None] * n
    for seed in (None, nobody, [7, 8, None, 9]):
        observations, infos = env.reset(seed=seed, options={"reset_mask": some})
        wanted, info = theirs.reset(seed=seed, options={"reset_mask": some.copy()})
        assert np.array_equal(observations, wanted)
        for i in np.flatnonzero(some):
            assert_same(row_of(infos, i), row_of(info, i))
        assert np.array_equal(infos["action_mask"], env.action_masks())


@EVERY_TABLE
def test_rows_do_not_depend_on_their_number(name, options):
    few, many = (SeatVectorEnv(name, n, opponents=POOL, **options) for n in (2, 40))
    few.reset(seed=4)
    many.reset(seed=4)
    for _ in range(60):
        actions = many.action_masks().argmax(axis=1)
        all_of, some = many.step(actions), few.step(actions[:2])
        for got, wanted in zip(some[:4], all_of[:4], strict=True):
            assert np.array_equal(got, wanted[:2])


@EVERY_GAME
def test_a_reset_without_a_seed_is_each_rows_next_game(name):
    env, single = SeatVectorEnv(name, 2, opponents="random"), SeatEnv(name, opponents="random")
    env.reset(seed=3)
    env.step(env.action_masks().argmax(axis=1))
    observations, _ = env.reset()
    single.reset(seed=3, options={"game_index": 1})
    assert np.array_equal(observations[1], single.reset()[0])
    again, _ = env.reset(seed=3)
    assert np.array_equal(again, SeatVectorEnv(name, 2, opponents="random").reset(seed=3)[0])
    unseeded = [SeatVectorEnv(name, 2, opponents="random").reset(seed=seed)[0] for seed in (None, None, [None, 1])]
    assert not np.array_equal(unseeded[0], unseeded[1])
    assert np.array_equal(unseeded[2][1], single.reset(seed=1)[0])


@EVERY_GAME
def test_wrong_resets_change_nothing(name):
    env = SeatVectorEnv(name, 2, opponents="random")
    with pytest.raises(RuntimeError, match="call reset"):
        env.step([0, 0])
    with pytest.raises(RuntimeError, match="takes no reset_mask"):
        env.reset(options={"reset_mask": np.array([True, False])})
    env.reset(seed=1)
    before = env.batch.games.tobytes()
    for given, error, says in (
        ({"seed": [1]}, ValueError, "one for each of 2 rows, not 1"),
        ({"seed": [1, -1]}, ValueError, "a seed is an integer"),
        ({"seed": 0.5}, TypeError, "a seed is an integer"),
        ({"seed": "12"}, TypeError, "a seed is an integer"),
        ({"options": {"position": {}, "deals": []}}, ValueError, "reset_mask, not deals, position"),
        ({"options": {"reset_mask": [True, False]}}, TypeError, "an array of bool"),
        ({"options": {"reset_mask": np.ones(2)}}, TypeError, "an array of bool"),
        ({"options": {"reset_mask": np.zeros(2, bool)}}, ValueError, "2 bools, not all False"),
        ({"options": {"reset_mask": np.ones(3, bool)}}, ValueError, "2 bools, not all False"),
    ):
        with pytest.raises(error, match=says):
            env.reset(**given)
        assert env.batch.games.tobytes() == before


@EVERY_GAME
def test_wrong_actions_are_refused_before_anything_is_stepped(name):
    last = games.get(name).actions - 1
    for mode in ("terminate", "raise"):
        env = SeatVectorEnv(name, 3, opponents="random", illegal=mode)
        env.reset(seed=1)
        before, good = env.batch.games.tobytes(), env.action_masks().argmax(axis=1)
        for actions, error, says in (
            (good[:2], ValueError, r"3 integers, not of shape \(2,\)"),
            (good[:, None], ValueError, "3 integers, not of shape"),
            (good.astype(float), TypeError, "3 integers, not float64"),
            (good > 0, TypeError, "3 integers, not bool"),
            (None, TypeError, "3 integers, not object"),
            ([good[0], -1, last + 1], IllegalActionError, "game 1: seat . may not play -1 .no action of this game"),
            ([good[0], good[1], last + 1], IllegalActionError, f"game 2: seat . may not play {last + 1} "),
        ):
            with pytest.raises(error, match=says):
                env.step(actions)
            assert env.batch.games.tobytes() == before
        env.step(good)


@EVERY_TABLE
def test_an_illegal_action_raises_if_asked_to(name, options):
    env = SeatVectorEnv(name, 3, opponents="random", illegal="raise", **options)
    env.reset(seed=1)
    before, actions = env.batch.games.tobytes(), env.action_masks().argmax(axis=1)
    illegal = int(np.flatnonzero(~env.action_masks()[2])[0])
    with pytest.raises(IllegalActionError, match=f"game 2: seat . may not play {illegal} .*; legal:"):
        env.step([*actions[:2], illegal])
    assert env.batch.games.tobytes() == before


@EVERY_TABLE
def test_an_illegal_action_ends_its_row_only(name, options):
    env, twin = (SeatVectorEnv(name, 3, opponents="random", **options) for _ in range(2))
    env.reset(seed=1)
    twin.reset(seed=1)
    for _ in range(3):
        masks = env.action_masks()
        actions = masks.argmax(axis=1)
        illegal = np.flatnonzero(~masks[1])[0]
        observations, rewards, terminated, truncated, infos = env.step([actions[0], illegal, actions[2]])
        expected = twin.step(actions)
        assert np.array_equal(observations[[0, 2]], expected[0][[0, 2]])
        assert terminated.tolist() == [False, True, False]
        assert not truncated.any()
        assert rewards.tolist() == [0, -1, 0]
        final = row_of(infos, 1)["final_info"]
        assert final["illegal_action"] == illegal
        assert "scores" not in final
        assert env.action_masks().any(axis=1).all()


FAILURES = [
    (None, RuntimeError, "tired"),
    (lambda views: views.mask.argmin(axis=1), IllegalActionError, "First may not play"),
    (lambda views: views.mask.argmax(axis=1)[1:], IllegalActionError, "First answers . action ids"),
    (lambda views: [0.5] * len(views), IllegalActionError, "First answers . action ids"),
]


def state_of(env):
    tables = env._tables
    parts = (env.batch.games, tables.seat, tables.holders, env.action_masks(), env.batch.observation)
    return [part.tobytes() for part in parts]


@EVERY_TABLE
@pytest.mark.parametrize(("answer", "error", "says"), FAILURES, ids=["raises", "illegal", "short", "fraction"])
def test_an_agent_that_fails_leaves_no_half_stepped_game(name, options, answer, error, says):
    """At every moment of the first games, the ends of some included; then the rows go on as if nothing had been."""
    env = SeatVectorEnv(name, 4, opponents=First(), reward="score", **options)
    (agent,) = env._tables.agents
    agent.answer = answer
    env.reset(seed=1)
    rng, ended = np.random.default_rng(0), 0
    while ended < 3:
        actions, before = choose(env.action_masks(), rng), state_of(env)
        agent.left, twin = int(rng.integers(4)), copy.deepcopy(env)
        try:
            result = env.step(actions)
        except error as failure:
            assert says.split()[0] in str(failure)  # noqa: PT017
            assert state_of(env) == before
            agent.left = 10**9
            result = env.step(actions)
        twin._tables.agents[0].left = 10**9
        for got, wanted in zip(result, twin.step(actions), strict=True):
            assert_same(got, wanted)
        ended += result[2].sum()
        before, agent.left = state_of(env), 0
        with pytest.raises(error, match=says):
            env.reset(seed=2)
        assert state_of(env) == before


@EVERY_TABLE
@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
def test_a_copy_goes_on_with_the_same_games(name, options, duplicate):
    env = SeatVectorEnv(name, 3, opponents=POOL, **options)
    env.reset(seed=1)
    for _ in range(10):
        env.step(env.action_masks().argmax(axis=1))
    twin, ended = duplicate(env), 0
    while ended < 6:
        actions = env.action_masks().argmax(axis=1)
        results = env.step(actions), twin.step(actions)
        for got, wanted in zip(*results, strict=True):
            assert_same(got, wanted)
        ended += results[0][2].sum()


@EVERY_GAME
def test_what_was_returned_is_not_written_again(name):
    env, rng = SeatVectorEnv(name, 3, opponents="random"), np.random.default_rng(1)
    results = [env.reset(seed=1)]
    kept = [copy.deepcopy(results[0])]
    for _ in range(40):
        results.append(env.step(choose(env.action_masks(), rng)))
        kept.append(copy.deepcopy(results[-1]))
    for result, then in zip(results, kept, strict=True):
        for got, wanted in zip(result, then, strict=True):
            assert_same(got, wanted)
    _, infos = env.reset()
    infos["action_mask"][:] = 0
    infos["seat"][:] = 9
    assert env.action_masks().any(axis=1).all()
    assert (env._tables.seat < 9).all()


@EVERY_TABLE
def test_made_by_gymnasium_and_counted_by_its_wrapper(name, options):
    """``make_vec`` finds it; the wrapper's returns and lengths of episodes are those of the rows."""
    given = {"opponents": "greedy", "reward": games.get(name).rewards[-1], **options}
    env = gymnasium.make_vec(GYM_ID[name], num_envs=4, **given)
    assert type(env) is SeatVectorEnv
    assert type(gymnasium.make_vec(GYM_ID[name], num_envs=2, vectorization_mode="sync", **given)) is SyncVectorEnv
    assert repr(env) == f"SeatVectorEnv({GYM_ID[name]}, num_envs=4)"
    env, rng = RecordEpisodeStatistics(env), np.random.default_rng(3)
    observations, _ = env.reset(seed=1)
    returns, lengths, ended = np.zeros(4), np.zeros(4, int), 0
    while ended < 8:
        assert env.observation_space.contains(observations)
        actions = choose(env.unwrapped.action_masks(), rng)
        assert env.action_space.contains(actions)
        observations, rewards, over, _, infos = env.step(actions)
        returns, lengths, ended = returns + rewards, lengths + 1, ended + over.sum()
        if over.any():
            assert np.array_equal(infos["_episode"], over)
            assert infos["episode"]["r"][over] == pytest.approx(returns[over])
            assert np.array_equal(infos["episode"]["l"][over], lengths[over])
            returns[over], lengths[over] = 0, 0
