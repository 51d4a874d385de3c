"""Games set up from positions: every position of play can be, and what does not add up is refused."""

import copy
import json

import numpy as np
import pytest
from helpers import ENTRIES, EVERY_GAME, EVERY_TABLE, PLAIN, legal_actions, options_of, play_on, play_out, positions
from tritarea_table import position as make_position

from tritarea_env import PositionError, games, records, tritarea_v0
from tritarea_env.aec import GameEnv
from tritarea_env.engine import loops
from tritarea_env.games.tritarea.setup import most_on_a_square


@pytest.mark.kernel
@EVERY_GAME
def test_every_position_can_be_set_up_and_plays_on_the_same(name):
    """Until the next deal, which comes from another stream."""
    game = games.get(name)
    ignored = {"stream", "episode", "deals", "dealt", "next_deal", "points", "decision", "round_ended"}
    for number, state in enumerate(positions(name, 8 if PLAIN else 160)):
        there = game.to_position(state[0])
        assert json.loads(json.dumps(there)) == there
        twin = game.new(1, game.check_options(options_of(name, state)))
        game.from_position(twin[0], there, np.uint64(1))
        for field in set(game.dtype.names) - ignored:
            assert np.array_equal(state[field], twin[field]), field
        mask = np.zeros((2, game.actions), np.int8)
        rng = np.random.default_rng(number)
        deal = deal_of(state[0])
        while not state.done[0] and deal_of(state[0]) == deal:
            for i, one in enumerate((state, twin)):
                loops.legal_games(one, np.zeros(1, np.int64), mask[i : i + 1])
            assert np.array_equal(mask[0], mask[1])
            action = int(rng.choice(np.flatnonzero(mask[0])))
            for i, one in enumerate((state, twin)):
                loops.step_game(one, 0, action, mask[i])
        assert np.array_equal(state.scores, twin.scores)
        assert "start_player" not in there or state.start_player == twin.start_player


def deal_of(g):
    """Which deal of its game is being played."""
    return int(g.dealt) if "dealt" in g.dtype.names else int(g.round_number)


FROM_POSITIONS = [
    ("tritarea", {"voluntary_default": True}),
    *(("triatri", {"players": players}) for players in (2, 3, 4)),
]


@pytest.mark.parametrize(("name", "options"), FROM_POSITIONS, ids=str)
def test_a_game_from_a_position_has_a_record_that_replays(name, options):
    env = GameEnv(name, **options)
    for number, state in enumerate(positions(name, 16, options)):
        there = games.get(name).to_position(state[0])
        env.reset(seed=number, options={"position": there})
        assert env.position() == there
        assert env.agent_selection == f"player_{there['seat']}"
        play_on(env, np.random.default_rng(number))
        record = env.record()
        assert record["position"] == there
        assert name == "triatri" or len(record["deals"]) == 3 - there["round"]
        assert "start_player" not in record
        records.check(json.loads(json.dumps(record)))
        assert [sum(points.values()) for points in record["sources"]] == record["scores"]


@EVERY_TABLE
def test_later_deals_of_a_position_come_from_the_seed_or_are_given(name, options):
    env = ENTRIES[name].raw_env(**options)
    env.reset(seed=5)
    there = env.position()

    def later(seed, **given):
        env.reset(seed=seed, options={"position": there, **given})
        play_out(env, np.random.default_rng(3))
        return env.record()["deals"]

    drawn = later(1)
    assert drawn == later(1) != later(2)
    assert later(2, deals=drawn) == drawn


def test_more_deals_than_rounds_after_a_position_are_refused():
    there = make_position(0, "B1 B2 B3 B4")
    env = tritarea_v0.raw_env()
    env.reset(seed=1, options={"position": there})
    drawn = env.record()["deals"]
    with pytest.raises(ValueError, match="at most 1 deals, from round 3"):
        env.reset(seed=1, options={"position": there, "deals": drawn * 2})


@pytest.mark.parametrize(("seat", "phase", "built", "elsewhere"), [(1, "build", 21, 21), (1, "extra", 22, 21)])
def test_the_height_of_a_building_of_rightholder_1(seat, phase, built, elsewhere):
    p = {"phase": phase, "trick": 8, "seat": seat, "rightholders": [1, 2], "built": 5}
    assert (most_on_a_square(p, 5), most_on_a_square(p, 6)) == (built, elsewhere)


@pytest.mark.parametrize(("seat", "phase", "built", "elsewhere"), [(2, "build", 22, 22), (2, "extra", 24, 22)])
def test_the_height_of_a_building_of_rightholder_2(seat, phase, built, elsewhere):
    """So no trick puts more than three blocks on a square: the extra block goes next to the one just built on."""
    p = {"phase": phase, "trick": 8, "seat": seat, "rightholders": [1, 2], "built": 5}
    assert (most_on_a_square(p, 5), most_on_a_square(p, 6)) == (built, elsewhere)


def wrong(change):
    """A sound position with a fault in it."""
    p = copy.deepcopy(make_position(0, "B1 B2 B3 B4"))
    change(p)
    return p


FAULTS = [
    ("expected a dict", lambda p: p.clear() or None, "missing keys"),
    ("a key too many", lambda p: p.update(extra=1), r"unknown keys \['extra'\]"),
    ("another game", lambda p: p.update(game="chess"), "game is 'tritarea'"),
    ("a phase that is none", lambda p: p.update(phase="think"), "phase is 'declare' or 'sell'"),
    ("a round that is none", lambda p: p.update(round=4), "round is a whole number in 1 … 3, not 4"),
    ("a truth value", lambda p: p.update(round=True), "round is a whole number"),
    ("a seat that is none", lambda p: p.update(seat=4), "seat is a whole number in 0 … 3, not 4"),
    ("an end", lambda p: p.update(phase="end", seat=None), "a game that is over cannot be set up"),
    ("declare in round 2", lambda p: p.update(phase="declare", trick=0), "belongs to round 3"),
    ("a five in round 1", lambda p: p.update(phase="five", round=1), "belongs to rounds 2 and 3"),
    ("trick 0", lambda p: p.update(trick=0), r"in phase 'play' trick is 1 … 8, not 0"),
    ("a leader who did not start", lambda p: p.update(leader=1), "start player leads the round's first trick"),
    ("a card twice", lambda p: p["hands"][0].append(p["hands"][1][0]), "cards in two places"),
    ("a card too few", lambda p: p["hands"][0].pop(), "hold each card of round 2's deck; amiss"),
    ("a hand too small", lambda p: p["hands"][1].append(p["hands"][0].pop()), r"hands\[0\] holds 9 cards here, not 8"),
    ("a card played too early", lambda p: p["played"].__setitem__(1, p["hands"][1].pop()), r"played\[1\] is null"),
    ("a past too long", lambda p: p["past"][1].append(p["hands"][1].pop()), r"past\[1\] holds a card for each of 0"),
    ("a declaration in round 2", lambda p: p["declared"].__setitem__(1, p["hands"][1].pop()), r"declared\[1\] is null"),
    ("a rank without a card", lambda p: p["ranks"].__setitem__(1, 5), r"ranks\[1\] is None here, not 5"),
    ("a block too many", lambda p: p["blocks"].__setitem__(2, 9), "seat 2 has 8 blocks in hand, placed or sold, not 9"),
    ("a block from nowhere", lambda p: p["stacks"][3].append(2), "so 0 here, not 1"),
    (
        "too high a building",
        lambda p: (p["stacks"][3].extend([0] * 4), p["blocks"].__setitem__(0, 4)),
        "at most three blocks a trick, so 0 here, not 4",
    ),
    (
        "a sale in round 2",
        lambda p: (p["sold"].__setitem__(0, 1), p["blocks"].__setitem__(0, 7)),
        r"sold\[0\] is 0 here",
    ),
    ("a concept in play", lambda p: p.update(adopted=1), "adopted, rightholders and built are null in phase 'play'"),
    (
        "a negative score",
        lambda p: p["scores"].__setitem__(0, -1),
        r"scores\[0\] is a whole number in 0 … 9999, not -1",
    ),
    ("a stack of strangers", lambda p: p["stacks"][0].append(4), r"stacks\[0\]\[0\] is a whole number in 0 … 3, not 4"),
    ("too few stacks", lambda p: p["stacks"].pop(), "stacks is a list of 16"),
]


@pytest.mark.parametrize(("fault", "change", "says"), FAULTS, ids=[f[0] for f in FAULTS])
def test_a_position_that_does_not_add_up_is_refused(fault, change, says):
    env = tritarea_v0.raw_env()
    env.reset(seed=1)
    before = env.record()
    with pytest.raises(PositionError, match=says):
        env.reset(seed=2, options={"position": wrong(change)})
    assert env.record() == before, "the game under way is untouched"


def test_no_building_grows_beyond_what_the_kernel_holds():
    """In the last trick a building of 21 can become 24 and no higher; one of 22 is refused before the trick."""
    p = make_position(0, "B1 B2 B3 B9", round_=3)
    kept = [0, 1, 2, 8]
    past = [[c for c in hand if c not in kept][:7] for hand in p["hands"]]
    hands = [[c for c in hand if c not in gone] for hand, gone in zip(p["hands"], past, strict=True)]
    stacks = [[] for _ in range(16)]
    stacks[0] = [1] * 9 + [2] * 9 + [0] * 3
    p = {**p, "trick": 8, "past": past, "hands": hands, "stacks": stacks, "blocks": [6, 0, 0, 9]}
    env = tritarea_v0.raw_env()
    with pytest.raises(PositionError, match="so 21 here, not 22"):
        env.reset(options={"position": {**p, "stacks": [[*stacks[0], 0], *stacks[1:]], "blocks": [5, 0, 0, 9]}})
    env.reset(seed=1, options={"position": p})
    for card in kept:
        env.step(card)
    env.step(env.action_id("one block on a1"))
    if env.position()["phase"] == "extra":
        env.step(env.action_id("pass"))
    middle = env.position()
    assert (middle["phase"], middle["seat"], len(middle["stacks"][0])) == ("build", 3, 22)
    env.reset(seed=1, options={"position": middle})
    env.step(env.action_id("two blocks on a1"))
    assert len(env.position()["stacks"][0]) == 24
    assert env.observe("player_0")["observation"].max() <= 1


def build_position():
    """Rightholder 1 (seat 0) is to build in Intelligent, rightholder 2 is seat 3."""
    env = tritarea_v0.raw_env()
    env.reset(seed=1, options={"position": make_position(0, "B1 B2 B3 B9")})
    for _ in range(4):
        env.step(int(legal_actions(env)[0]) if env.agent_selection != "player_3" else 8)
    return env.position()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"adopted": 2}, "do not follow from the cards"),
        ({"rightholders": [1, 3]}, "do not follow from the cards"),
        ({"rightholders": [0, None]}, "do not follow from the cards"),
        ({"seat": 1}, "the seat to move is a rightholder, not 1"),
        ({"built": 0}, "built is null in phase 'build'"),
        ({"phase": "extra"}, "built is the square of the adopted area"),
        ({"phase": "extra", "built": 0}, "built is the square of the adopted area"),
        ({"phase": "five_default"}, "seat 0 has no default to decide about"),
        ({"phase": "five", "adopted": None, "rightholders": [None, None]}, "seat 0 has no five that it may change"),
        ({"ranks": [1, 2, 3, 8]}, r"ranks\[3\] is 9 here, not 8"),
    ],
    ids=str,
)
def test_a_decision_that_the_seat_does_not_have_is_refused(change, says):
    there = build_position()
    assert (there["phase"], there["rightholders"]) == ("build", [0, 3])
    env = tritarea_v0.raw_env()
    env.reset(seed=1, options={"position": there})
    with pytest.raises(PositionError, match=says):
        env.reset(seed=1, options={"position": {**there, **change}})


@EVERY_TABLE
def test_a_seat_that_is_none(name, options):
    env = ENTRIES[name].raw_env(**options)
    env.reset(seed=1)
    seats = len(env.position()["hands"])
    for seat in (seats, -1, "0", True):
        with pytest.raises(ValueError, match=f"a seat is 0 … {seats - 1}, not {seat!r}"):
            env.position(seat)


@EVERY_TABLE
def test_text_shows_the_hand_of_the_seat_to_move_only(name, options):
    env = ENTRIES[name].raw_env(render_mode="ansi", **options)
    for decisions in (1, 10):
        env.reset(seed=1)
        play_on(env, np.random.default_rng(1), decisions)
        text, mover, seats = env.render(), env.position()["seat"], range(len(env.position()["hands"]))
        assert f"seat {mover} to move" in text
        lines = {s: [line for line in text.splitlines() if line.startswith((f"{s} *", f"{s}  "))] for s in seats}
        assert [len(found) for found in lines.values()] == [1] * len(seats)
        assert [found[0].startswith(f"{s} *") for s, found in lines.items()] == [s == mover for s in seats]
        assert [found[0].endswith(" cards") for found in lines.values()] == [s != mover for s in seats]
