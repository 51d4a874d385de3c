"""What callers give the AEC environment: actions, seeds, reset options, NPCs. Bad input raises and nothing is lost."""

import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import ENTRIES, EVERY_CASE, EVERY_GAME, OPTIONS, illegal_action, legal_actions, play_out, random_action

from tritarea_env import IllegalActionError, games, records, triatri_v0, tritarea_v0
from tritarea_env.engine import loops

# ----------------------------------------------------------------------- bad actions


@EVERY_GAME
@pytest.mark.parametrize("entry", ["env", "raw_env"])
@pytest.mark.parametrize(
    ("action", "error"),
    [
        (-1, IllegalActionError),
        (82, IllegalActionError),
        (10**30, IllegalActionError),
        (1.0, TypeError),
        ("3", TypeError),
        (None, TypeError),
        (True, TypeError),
        (np.array([1, 2]), TypeError),
    ],
    ids=str,
)
def test_an_action_out_of_range_or_of_a_wrong_type_always_raises(name, entry, action, error):
    env = getattr(ENTRIES[name], entry)()
    env.reset(seed=1)
    before = env.unwrapped.position()
    with pytest.raises(error, match=f"an integer 0 … {games.get(name).actions - 1}"):
        env.step(action)
    assert env.unwrapped.position() == before
    assert not env.unwrapped.is_over


def test_raise_says_what_is_legal_and_steps_nothing():
    env = tritarea_v0.raw_env()
    env.reset(seed=1)
    before = env.record()
    with pytest.raises(IllegalActionError, match=r"player_\d may not play 71 \(pass\) now; legal: \d+ \(card "):
        env.step(71)
    assert env.record() == before


@EVERY_CASE
def test_terminate_ends_the_game_as_the_classics_do(name, options):
    env = ENTRIES[name].env(reward=games.get(name).rewards[-1], **options)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(20):
        env.step(random_action(env, rng))
    offender = env.agent_selection
    env.step(illegal_action(env))
    assert env.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    assert all(env.terminations.values())
    assert all(env.truncations.values())
    assert all(info["illegal_agent"] == offender and "illegal_action" in info for info in env.infos.values())
    for _ in env.possible_agents:
        assert env.last()[2]
        env.step(None)
    assert env.agents == []
    assert env.unwrapped.record()["scores"] is None


def test_every_numpy_integer_is_an_action():
    for kind in (np.int8, np.uint8, np.int32, np.int64, np.uint64):
        env = tritarea_v0.raw_env()
        env.reset(seed=1)
        env.step(kind(np.flatnonzero(env.last()[0]["action_mask"])[0]))
        assert len(env.record()["actions"]) == 1


# ----------------------------------------------------------------------------------- seeds

SCRIPT = """
import json, sys
from tritarea_env import triatri_v0, tritarea_v0
for env, steps in ((tritarea_v0.raw_env(players=3, npc="random"), 100), (triatri_v0.raw_env(players=3), 40)):
    env.reset(seed=int(sys.argv[1]))
    for _ in range(steps):
        env.step(int(env.last()[0]["action_mask"].nonzero()[0][-1]))
    print(json.dumps(env.record()))
"""


def run(seed, hash_seed):
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, str(seed)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed)},
    ).stdout


def test_one_seed_one_game_in_every_process():
    assert run(5, 1) == run(5, 2) != run(6, 1)


@EVERY_CASE
def test_seeds_and_streams(name, options):
    env, twin = ENTRIES[name].raw_env(**options), ENTRIES[name].raw_env(**options)

    def deals(e, **how):
        e.reset(**how)
        return e.record()["deals"]

    first = deals(env, seed=5)
    assert first == deals(twin, seed=5) == deals(env, seed=5)
    second = deals(env)
    assert second == deals(twin)
    assert (
        len({str(x) for x in (first, second, deals(env, seed=6), deals(env, seed=5, options={"game_index": 1}))}) == 4
    )
    assert deals(ENTRIES[name].raw_env()) != deals(ENTRIES[name].raw_env())
    np.random.seed(0)  # noqa: NPY002
    third = deals(env, seed=7)
    np.random.seed(1)  # noqa: NPY002
    assert deals(env, seed=7) == third


@pytest.mark.parametrize(
    ("seed", "error"),
    [(-1, ValueError), (2**64, ValueError), (1.5, TypeError), ("1", TypeError), (True, TypeError)],
    ids=str,
)
@EVERY_GAME
def test_a_wrong_seed_raises_and_leaves_the_game(name, seed, error):
    env = ENTRIES[name].raw_env()
    env.reset(seed=1)
    before = env.position()
    with pytest.raises(error, match="a seed is an integer"):
        env.reset(seed=seed)
    assert env.position() == before


# ------------------------------------------------------------------------------------ reset options


def test_given_deals_and_start_player():
    env = tritarea_v0.raw_env()
    env.reset(seed=5)
    deals = env.record()["deals"]
    env.reset(seed=9, options={"deals": deals[:2], "start_player": 2, "unknown": 1})
    record = env.record()
    assert record["deals"][:2] == deals[:2]
    assert record["start_player"] == 2
    other = tritarea_v0.raw_env()
    other.reset(seed=9)
    assert record["deals"][2] == other.record()["deals"][2], "what is not given comes from the seed"
    assert env.agent_selection == "player_2"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_given_deals_of_a_game_whose_deals_have_no_bound(players):
    """TriATri: given ones come first, what is missing comes from the seed, and what is not needed does not matter."""

    def play(seed, given):
        env = triatri_v0.raw_env(players=players)
        env.reset(seed=seed, options={"deals": given})
        play_out(env, np.random.default_rng(0))
        records.check(env.record())
        return env.record()

    drawn = play(9, [])
    assert len(drawn["deals"]) >= 2
    given = play(5, [])["deals"][:1]
    mixed = play(9, given)
    assert mixed["deals"][0] == given[0]
    assert mixed["deals"][1] == drawn["deals"][1], "what is not given comes from the seed"
    assert play(7, drawn["deals"] * 3)["deals"] == drawn["deals"]
    shuffled = [[hand[::-1] for hand in deal] for deal in drawn["deals"]]
    assert play(7, shuffled) == drawn


TRITAREA_RESETS = [
    ({"start_player": 4}, "start_player is a seat 0 … 3"),
    ({"start_player": "1"}, "start_player is a seat"),
    ({"deals": [[[0] * 8] * 4]}, r"B1 \(0\) is dealt too often in the deal of round 1"),
    ({"deals": [[[4, 0, 1, 2, 3, 5, 6, 7]] * 4]}, r"B5 \(4\) is not in the deck of the deal of round 1"),
    ({"deals": [[[0, 1, 2]] * 4]}, "seat 0 has a list of 8 cards"),
    ({"deals": [[]]}, "a list of 4 hands"),
    ({"deals": [[[99] * 8] * 4]}, "a card is a number 0 … 35"),
    ({"deals": [None] * 4}, "at most 3 deals"),
]
TRIATRI_RESETS = [
    ({"deals": 3}, "deals is a list of deals, not 3"),
    ({"deals": [[[0] * 6] * 4]}, r"R2 \(0\) is dealt too often in deal 0"),
    ({"deals": [[[21] * 6] * 4]}, r"imitation \(21\) is dealt too often in deal 0"),
    ({"deals": [[[0, 1, 2]] * 4]}, "in deal 0 seat 0 has a list of 6 cards"),
    ({"deals": [[[0, 1, 2, 3, 4, 5]] * 3]}, "deal 0 is a list of 4 hands"),
    ({"deals": [[[22] * 6] * 4]}, "a card is a number 0 … 21, not 22"),
    ({"deals": [[[True] * 6] * 4]}, "a card is a number 0 … 21, not True"),
]
RESETS = [
    (name, options, says)
    for name, rows in (("tritarea", TRITAREA_RESETS), ("triatri", TRIATRI_RESETS))
    for options, says in [*rows, ({"game_index": -1}, "game_index is a whole number")]
]


@pytest.mark.parametrize(("name", "options", "says"), RESETS, ids=str)
def test_wrong_reset_options_raise_and_leave_the_game(name, options, says):
    env = ENTRIES[name].raw_env()
    env.reset(seed=1)
    before = env.record()
    with pytest.raises(ValueError, match=says):
        env.reset(seed=2, options=options)
    assert env.record() == before
    play_out(env, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"players": 1}, "players is 2, 3 or 4, not 1"),
        ({"players": 5}, "players is 2, 3 or 4, not 5"),
        ({"players": "2"}, "players is 2, 3 or 4, not '2'"),
        ({"players": True}, "players is 2, 3 or 4, not True"),
        ({"reward": "score_delta"}, "reward is one of 'outcome', 'score', not 'score_delta'"),
        ({"illegal": "ignore"}, "illegal is one of 'raise', 'terminate'"),
    ],
    ids=str,
)
def test_wrong_options_of_triatri_raise(options, says):
    with pytest.raises(ValueError, match=says):
        triatri_v0.env(**options)
    with pytest.raises(ValueError, match=r"unknown options \['npc'\]"):
        games.get("triatri").check_options({"npc": "greedy"})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"players": 0}, "players is 1, 2, 3 or 4"),
        ({"players": 5}, "players is 1, 2, 3 or 4"),
        ({"adjacency": "side"}, "adjacency is 'top' or 'any'"),
        ({"voluntary_default": 1}, "voluntary_default is True or False"),
        ({"board": "square"}, "no board is named 'square'"),
        ({"board": {"areas": [0] * 16, "bonus": [0] * 16}}, r"four squares; these have \[16, 0, 0, 0\]"),
        ({"board": {"areas": [0, 1, 2, 3] * 4, "bonus": [4] * 16}}, r"'bonus'\[0\] is a whole number in 0 … 3"),
        ({"board": {"areas": [0, 1, 2, 3] * 4}}, "a board is a name or"),
        ({"reward": "money"}, "reward is one of 'outcome', 'score', 'score_delta'"),
        ({"illegal": "ignore"}, "illegal is one of 'raise', 'terminate'"),
        ({"render_mode": "rgb"}, "render_mode is one of None"),
    ],
    ids=str,
)
def test_wrong_options_raise(options, says):
    with pytest.raises(ValueError, match=says):
        tritarea_v0.env(**options)


@EVERY_GAME
def test_before_the_first_reset(name):
    env = ENTRIES[name].raw_env()
    for call in (env.position, env.record, env.state, lambda: env.observe("player_0")):
        with pytest.raises(RuntimeError, match="call reset"):
            call()
    with pytest.raises(ValueError, match="reset"):
        env.step(0)


# ------------------------------------------------------------------------------------ NPCs, records


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


def test_the_seat_to_move_always_has_a_legal_action():
    """10,000 random games in compiled code: a game could not end if one had none."""
    for name in games.names():
        game = games.get(name)
        for options in OPTIONS[name]:
            n = -(-10_000 // len(OPTIONS[name]))
            many = game.new(n, game.check_options(options))
            many.stream[:] = np.arange(n)
            loops.reset_games(many, np.arange(n))
            decisions = loops.play_randomly(many, np.arange(n), np.uint64(1), np.zeros(game.actions, np.int8))
            assert many.done.all()
            assert decisions == many.decision.sum()


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


@pytest.mark.parametrize("players", [2, 3, 4])
def test_draws_of_triatri_are_fair(players):
    """Deals over many streams: each number card in each seat, or unused, as often as there is room."""
    game = games.get("triatri")
    n = 20_000
    many = game.new(n, game.check_options({"players": players}))
    many.stream[:] = np.arange(n)
    loops.reset_games(many, np.arange(n))
    for hands in (many.hand, many.next_deal):
        dealt = np.stack([(hands[:, :players] >> card & 1).sum(axis=0) for card in range(21)])
        dealt = dealt[dealt.sum(axis=1) > 0]
        assert len(dealt) == {2: 15, 3: 18, 4: 21}[players]
        cards = len(dealt) + {2: 2, 3: 1, 4: 3}[players]
        expected = n * 6 / cards
        assert np.square(dealt - expected).sum() / expected < dealt.size + 5 * np.sqrt(2 * dealt.size)
    assert (many.hand != many.next_deal).any(axis=1).all()
    one = many.copy()
    one.episode[:] = 1
    loops.reset_games(one, np.arange(n))
    assert (one.hand != many.hand).any(axis=1).all()


def test_draws_are_fair():
    """Start players and deals over many streams: each seat, and each card in each seat, equally often."""
    game = games.get("tritarea")
    n = 20_000
    many = game.new(n, game.check_options({}))
    many.stream[:] = np.arange(n)
    loops.reset_games(many, np.arange(n))
    starts = np.bincount(many.start_player, minlength=4)
    assert np.square(starts - n / 4).sum() / (n / 4) < 3 + 5 * np.sqrt(2 * 3)
    for round_, cards in ((0, 32), (1, 36), (2, 36)):
        dealt = np.stack([(many.deals[:, round_] >> card & 1).sum(axis=0) for card in range(36)])
        dealt = dealt[dealt.sum(axis=1) > 0]
        assert dealt.shape == (cards, 4)
        assert (dealt.sum(axis=1) == n).all()
        degrees = 3 * (cards - 1)
        assert np.square(dealt - n / 4).sum() / (n / 4) < degrees + 5 * np.sqrt(2 * degrees)
    one = many.copy()
    one.episode[:] = 1
    loops.reset_games(one, np.arange(n))
    assert (one.deals != many.deals).any(axis=(1, 2)).all()


@EVERY_GAME
def test_illegal_rewards_are_seen_through_last(name):
    env = ENTRIES[name].env()
    env.reset(seed=1)
    offender = env.agent_selection
    env.step(illegal_action(env))
    seen = {}
    for agent in env.agent_iter():
        seen[agent] = env.last()[1]
        env.step(None)
    assert seen == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
