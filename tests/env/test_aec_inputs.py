"""What callers give the AEC environment: actions, seeds, reset options. Bad input raises and nothing is lost."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import (
    ENTRIES,
    EVERY_CASE,
    EVERY_GAME,
    EVERY_TABLE,
    OPTIONS,
    illegal_action,
    legal_actions,
    play_on,
    play_out,
)
from permute import deck_of_triatri

from tritarea_env import IllegalActionError, games, records, tritarea_v0
from tritarea_env.engine import loops
from tritarea_env.games.triatri.deals import draw_next

# ----------------------------------------------------------------------- bad actions


BAD_ACTIONS = [
    (-1, IllegalActionError),
    (10**30, IllegalActionError),
    (1.0, TypeError),
    ("3", TypeError),
    (None, TypeError),
    (True, TypeError),
    (np.array([1, 2]), TypeError),
]


@pytest.mark.parametrize("entry", ["env", "raw_env"])
@pytest.mark.parametrize(
    ("name", "action", "error"),
    [
        (name, action, error)
        for name in games.names()
        for action, error in [*BAD_ACTIONS, (games.get(name).actions, IllegalActionError)]
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


@EVERY_TABLE
def test_raise_says_what_is_legal_and_steps_nothing(name, options):
    env = ENTRIES[name].raw_env(**options)
    env.reset(seed=1)
    before = env.record()
    action = {"tritarea": "pass", "triatri": "prize from the supply: red"}[name]
    number = env.action_id(action)
    says = rf"{env.agent_selection} may not play {number} \({action}\) now; legal: \d+ \(card "
    with pytest.raises(IllegalActionError, match=says):
        env.step(number)
    assert env.record() == before


@EVERY_CASE
def test_terminate_ends_the_game_as_the_classics_do(name, options):
    env = ENTRIES[name].env(reward=games.get(name).rewards[-1], **options)
    env.reset(seed=1)
    play_on(env, np.random.default_rng(1), 20)
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


@EVERY_GAME
def test_every_numpy_integer_is_an_action(name):
    for kind in (np.int8, np.uint8, np.int32, np.int64, np.uint64):
        env = ENTRIES[name].raw_env()
        env.reset(seed=1)
        env.step(kind(legal_actions(env)[0]))
        assert len(env.record()["actions"]) == 1


# ----------------------------------------------------------------------------------- seeds

SCRIPT = """
import json, sys
from tritarea_env import triatri_v0, tritarea_v0
tables = [(tritarea_v0.raw_env(players=3, npc="random"), 100)]
tables += [(triatri_v0.raw_env(players=players), 30) for players in (2, 3, 4)]
for env, steps in tables:
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
    assert deals(ENTRIES[name].raw_env(**options)) != deals(ENTRIES[name].raw_env(**options))
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


@EVERY_TABLE
def test_given_deals(name, options):
    """Given ones come first, and what is not given comes from the seed."""

    def play(seed, **given):
        env = ENTRIES[name].raw_env(**options)
        env.reset(seed=seed, options=given)
        play_out(env, np.random.default_rng(0))
        records.check(env.record())
        return env.record()

    drawn, other = play(9), play(5)
    mixed = play(9, deals=other["deals"][:1], unknown=1)
    assert mixed["deals"][0] == other["deals"][0]
    assert mixed["deals"][1] == drawn["deals"][1]
    start = {key: value for key, value in drawn.items() if key == "start_player"}
    assert play(7, deals=[[hand[::-1] for hand in deal] for deal in drawn["deals"]], **start) == drawn
    if name == "triatri":
        assert play(7, deals=drawn["deals"] * 3) == drawn, "deals that are not needed do not matter"


def test_a_given_start_player():
    env = tritarea_v0.raw_env()
    env.reset(seed=9, options={"start_player": 2})
    assert env.record()["start_player"] == 2
    assert env.agent_selection == "player_2"


RESETS = [
    ("tritarea", {}, {"start_player": 4}, "start_player is a seat 0 … 3"),
    ("tritarea", {}, {"start_player": "1"}, "start_player is a seat"),
    ("tritarea", {}, {"deals": [[[0] * 8] * 4]}, r"B1 \(0\) is dealt too often in the deal of round 1"),
    (
        "tritarea",
        {},
        {"deals": [[[4, 0, 1, 2, 3, 5, 6, 7]] * 4]},
        r"B5 \(4\) is not in the deck of the deal of round 1",
    ),
    ("tritarea", {}, {"deals": [[[0, 1, 2]] * 4]}, "seat 0 has a list of 8 cards"),
    ("tritarea", {}, {"deals": [[]]}, "a list of 4 hands"),
    ("tritarea", {}, {"deals": [[[99] * 8] * 4]}, "a card is a number 0 … 35"),
    ("tritarea", {}, {"deals": [None] * 4}, "at most 3 deals"),
    ("triatri", {}, {"deals": 3}, "deals is a list of deals, not 3"),
    ("triatri", {}, {"deals": [[[0] * 6] * 4]}, r"R2 \(0\) is dealt too often in deal 0"),
    ("triatri", {}, {"deals": [[[21] * 6] * 4]}, r"imitation \(21\) is dealt too often in deal 0"),
    ("triatri", {}, {"deals": [[[0, 1, 2]] * 4]}, "in deal 0 seat 0 has a list of 6 cards"),
    ("triatri", {}, {"deals": [[[0, 1, 2, 3, 4, 5]] * 3]}, "deal 0 is a list of 4 hands"),
    ("triatri", {}, {"deals": [[[22] * 6] * 4]}, "a card is a number 0 … 21, not 22"),
    ("triatri", {}, {"deals": [[[True] * 6] * 4]}, "a card is a number 0 … 21, not True"),
    ("triatri", {"players": 2}, {"deals": [[[0] * 6] * 4]}, "deal 0 is a list of 2 hands"),
    ("triatri", {"players": 2}, {"deals": [[[5] * 6] * 2]}, r"R7 \(5\) is not in the deck of deal 0"),
    ("triatri", {"players": 3}, {"deals": [[[6] * 6] * 3]}, r"R8 \(6\) is not in the deck of deal 0"),
    ("triatri", {"players": 3}, {"deals": [[[21] * 6] * 3]}, r"imitation \(21\) is dealt too often in deal 0"),
    *((name, {}, {"game_index": -1}, "game_index is a whole number") for name in games.names()),
    *((name, {}, [1], "the options of a reset are a dict, not") for name in games.names()),
]


@pytest.mark.parametrize(("name", "options", "given", "says"), RESETS, ids=str)
def test_wrong_reset_options_raise_and_leave_the_game(name, options, given, says):
    env = ENTRIES[name].raw_env(**options)
    env.reset(seed=1)
    before = env.record()
    with pytest.raises((ValueError, TypeError), match=says):
        env.reset(seed=2, options=given)
    assert env.record() == before
    play_out(env, np.random.default_rng(0))


WRONG_OPTIONS = [
    ("tritarea", {"players": 0}, "players is 1, 2, 3 or 4"),
    ("tritarea", {"players": 5}, "players is 1, 2, 3 or 4"),
    ("tritarea", {"adjacency": "side"}, "adjacency is 'top' or 'any'"),
    ("tritarea", {"voluntary_default": 1}, "voluntary_default is True or False"),
    ("tritarea", {"board": "square"}, "no board is named 'square'"),
    ("tritarea", {"board": {"areas": [0] * 16, "bonus": [0] * 16}}, r"four squares; these have \[16, 0, 0, 0\]"),
    ("tritarea", {"board": {"areas": [0, 1, 2, 3] * 4, "bonus": [4] * 16}}, r"'bonus'\[0\] is a whole number in 0 … 3"),
    ("tritarea", {"board": {"areas": [0, 1, 2, 3] * 4}}, "a board is a name or"),
    ("tritarea", {"reward": "money"}, "reward is one of 'outcome', 'score', 'score_delta'"),
    ("tritarea", {"illegal": "ignore"}, "illegal is one of 'raise', 'terminate'"),
    ("tritarea", {"render_mode": "rgb"}, "render_mode is one of None"),
    ("triatri", {"players": 1}, "players is 2, 3 or 4, not 1"),
    ("triatri", {"players": 5}, "players is 2, 3 or 4, not 5"),
    ("triatri", {"players": "2"}, "players is 2, 3 or 4, not '2'"),
    ("triatri", {"players": True}, "players is 2, 3 or 4, not True"),
    ("triatri", {"reward": "score_delta"}, "reward is one of 'outcome', 'score', not 'score_delta'"),
    ("triatri", {"illegal": "ignore"}, "illegal is one of 'raise', 'terminate'"),
]


@pytest.mark.parametrize(("name", "options", "says"), WRONG_OPTIONS, ids=str)
def test_wrong_options_raise(name, options, says):
    for entry in (ENTRIES[name].env, ENTRIES[name].raw_env):
        with pytest.raises(ValueError, match=says):
            entry(**options)


@pytest.mark.parametrize(("name", "option"), [("tritarea", "wind"), ("triatri", "npc")])
def test_an_unknown_option_raises(name, option):
    with pytest.raises(ValueError, match=rf"unknown options \['{option}'\]; there are"):
        games.get(name).check_options({option: "greedy"})
    with pytest.raises(TypeError, match=option):
        ENTRIES[name].env(**{option: "greedy"})


@EVERY_GAME
def test_before_the_first_reset(name):
    env = ENTRIES[name].raw_env()
    for call in (env.position, env.record, env.state, lambda: env.observe("player_0")):
        with pytest.raises(RuntimeError, match="call reset"):
            call()
    with pytest.raises(ValueError, match="reset"):
        env.step(0)


# ------------------------------------------------------------------------------------ draws, endings


def test_the_seat_to_move_always_has_a_legal_action():
    """10,000 random games in compiled code: a game could not end if one had none."""
    for name in games.names():
        game = games.get(name)
        for options in OPTIONS[name]:
            n = -(-10_000 // len(OPTIONS[name]))
            many = game.new(n, game.check_options(options))
            many.stream[:] = np.arange(n)
            loops.reset_games(many, np.arange(n))
            decisions = loops.playout_games(many, np.arange(n), np.uint64(1), False)
            assert many.done.all()
            assert decisions == many.decision.sum()


def drawn(name, many):
    """(deck, hands) of a game's first deals: hands (n, seats) are sums of 1 << card."""
    if name == "tritarea":
        decks = [[card for card in range(36) if card % 9 != 4], list(range(36)), list(range(36))]
        return [(deck, many.deals[:, i]) for i, deck in enumerate(decks)]
    players, later = int(many.players[0]), many.copy()
    for g in later:
        draw_next(g)
    return [(deck_of_triatri(players), hands[:, :players]) for hands in (many.hand, later.next_deal)]


def times_dealt(deck, hands):
    """How often each card id of the deck (the highest may be there several times) lies with each seat, or unused."""
    counts = []
    for card in sorted(set(deck)):
        copies = hands >> card if card == max(deck) else hands >> card & 1
        by_seat = copies.sum(axis=0)
        counts.append([*by_seat, deck.count(card) * len(hands) - by_seat.sum()])
    return np.array(counts)


@EVERY_TABLE
def test_draws_are_fair(name, options):
    """Start players and deals over many streams: each seat, and each card in each seat or unused, equally often."""
    game = games.get(name)
    n = 20_000
    many = game.new(n, game.check_options(options))
    many.stream[:] = np.arange(n)
    loops.reset_games(many, np.arange(n))
    if name == "tritarea":
        starts = np.bincount(many.start_player, minlength=4)
        assert np.square(starts - n / 4).sum() / (n / 4) < 3 + 5 * np.sqrt(2 * 3)
    for deck, hands in drawn(name, many):
        size = times_dealt(deck, hands[:1])[:, 0].sum()
        places = np.array([size] * hands.shape[1] + [len(deck) - size * hands.shape[1]])
        copies = np.array([deck.count(card) for card in sorted(set(deck))])
        expected = n * copies[:, None] * places / len(deck)
        found = times_dealt(deck, hands)
        assert (found[expected == 0] == 0).all()
        squares = np.square(found - expected)[expected > 0] / expected[expected > 0]
        assert squares.sum() < squares.size + 5 * np.sqrt(2 * squares.size)
    again = many.copy()
    again.episode[:] = 1
    loops.reset_games(again, np.arange(n))
    deals = [hands for records in (many, again) for _, hands in drawn(name, records)]
    for one, two in itertools.combinations(deals, 2):
        assert (one != two).any(axis=1).mean() > 0.999


@EVERY_CASE
def test_illegal_rewards_are_seen_through_last(name, options):
    env = ENTRIES[name].env(**options)
    env.reset(seed=1)
    offender = env.agent_selection
    env.step(illegal_action(env))
    seen = {}
    for agent in env.agent_iter():
        seen[agent] = env.last()[1]
        env.step(None)
    assert seen == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
