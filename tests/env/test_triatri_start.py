"""The start player and the repeats of a deal (B3), worked examples, one test each."""

import json

import pytest
from helpers import walk
from triatri_table import (
    GAME,
    bid_table,
    card,
    cards,
    deal,
    legal,
    name_of,
    play,
    play_round,
    table,
)

from tritarea_env import RecordError, records

pytestmark = pytest.mark.kernel

# --------------------------------------------------------------------------------- B3: the start player

STARTERS = {
    "the single highest": ("R7 B7 G7 R8", 3),
    "the single highest, first": ("R5 B4 G4 R4", 0),
    "an imitation counts 0": ("I B2 I I", 1),
    "blue beats red": ("R8 B8 G3 G2", 1),
    "blue beats red, the other way round": ("B8 G3 R8 G2", 0),
    "green beats blue": ("R3 B8 R2 G8", 3),
    "green beats blue, the other way round": ("R3 G8 B8 R2", 1),
    "red beats green": ("G8 B3 B2 R8", 3),
    "red beats green, the other way round": ("B3 R8 B2 G8", 1),
    "two imitations tie below": ("I R2 B2 I", 2),
    "three tied: seat 0 is the fourth": ("R2 R8 B8 G8", 0),
    "three tied: seat 1 is the fourth": ("R8 I B8 G8", 1),
    "three tied: seat 2 is the fourth": ("R8 B8 G3 G8", 2),
    "three tied: seat 3 is the fourth": ("R8 B8 G8 B7", 3),
    "two players, the higher": ("R6 B5", 0),
    "two players, blue beats red": ("R6 B6", 1),
    "two players, red beats green": ("R6 G6", 0),
    "two players, an imitation": ("I G2", 1),
    "three players, two tied": ("R7 G7 B2", 0),
    "three players, two tied above an imitation": ("I B2 G2", 2),
}


@pytest.mark.parametrize("example", STARTERS)
def test_start_player(example):
    bids, starter = STARTERS[example]
    p = bid_table(bids).position()
    assert (p["phase"], p["trick"], p["seat"], p["starter"]) == ("prize", 1, starter, starter)
    assert p["bids"] == cards(bids)
    assert all(len(hand) == 5 for hand in p["hands"])


def test_bids_are_made_clockwise_from_seat_0_and_hidden_until_all_are():
    env = bid_table("R8 B7 G6 I")
    env.reset(seed=0, options={"deals": [deal("R8 B7 G6 I")]})
    for s, c in enumerate(cards("R8 B7 G6")):
        assert env.agent_selection == f"player_{s}"
        assert set(legal(env)) == {name_of(c) for c in env.position()["hands"][s]}
        env.step(c)
    assert env.position()["bids"] == [*cards("R8 B7 G6"), None]
    assert env.position(1)["bids"] == [None, card("B7"), None, None]
    assert env.position(3)["bids"] == [None] * 4
    env.step(card("I"))
    assert all(env.position(s)["bids"] == cards("R8 B7 G6 I") for s in range(4))


REPEATS = {"two imitations, two players": ("I I", "R6 B3"), "three tied, three players": ("R7 B7 G7", "I B2 G3")}


@pytest.mark.parametrize("example", REPEATS)
def test_a_repeat_deals_anew(example):
    tied, then = REPEATS[example]
    env = bid_table(tied, then)
    p = env.position()
    assert (p["round"], p["trick"], p["phase"], p["seat"], p["starter"]) == (1, 0, "bid", 0, None)
    assert p["bids"] == [None] * p["players"]
    assert p["hands"] == deal(then, 1)
    assert env.record()["deals"] == [deal(tied, 0), deal(then, 1)]
    play(env, then)
    assert env.position()["phase"] == "prize"


@pytest.mark.parametrize("tied", ["I I", "R7 B7 G7"])
def test_repeats_may_follow_each_other(tied):
    env = bid_table(tied, tied, tied, tied)
    for number in range(1, 4):
        assert env.position()["hands"] == deal(tied, number)
        play(env, tied)
    assert env.position()["phase"] == "bid"
    assert len(env.record()["deals"]) == 5
    records.check(env.record())


def test_a_repeat_in_a_later_round_keeps_round_and_gems():
    deals = [deal("R3 B2"), deal("I I", 1), deal("G5 B3", 2)]
    env = bid_table("R3 B2", deals=deals)
    play_round(env)
    before = env.position()
    play(env, "I I")
    p = env.position()
    assert (p["round"], p["phase"], p["hands"]) == (2, "bid", deals[2])
    assert (p["gems"], p["supply"]) == (before["gems"], before["supply"])
    assert env.record()["deals"] == deals


def test_deals_that_are_not_given_come_from_the_seed():
    def drawn(seed):
        deals = bid_table("I I", seed=seed).record()["deals"]
        assert deals[0] == deal("I I")
        return deals[1]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_deal_to_come_is_known_before_it_is_drawn(players):
    """It stands in no record until its cards are dealt, and yet depends on nothing that happens before."""
    dealt, to_come = 1, []
    for state, _ in walk("triatri", {"players": players}, 9):
        g = state[0]
        if g.dealt > dealt:
            assert [GAME.to_position(g)["hands"]] == to_come
        assert not g.next_deal.any()
        dealt, to_come = int(g.dealt), GAME.later_of(g)
    assert dealt > 1


def test_a_deal_drawn_for_a_repeat_is_another_one():
    env = bid_table("I I", "I I", "I I")
    play(env, "I I")
    play(env, "I I")
    given, drawn = env.record()["deals"][:3], env.record()["deals"][3:]
    assert len(drawn) == 1
    assert drawn[0] not in given


def test_a_repeat_from_a_position_takes_the_next_deal():
    deals = [deal("I I", 5), deal("I I", 6), deal("R6 B3", 7)]
    env = table(bid_table("I I", "I I").position(), deals=deals)
    play(env, "I I")
    assert env.position()["hands"] == deals[0]
    play(env, "I I")
    assert env.position()["hands"] == deals[1]
    assert env.record()["deals"] == deals[:2]
    play(env, "I I")
    play_round(env)
    assert env.position()["round"] == 2
    records.check(env.record())


def finished(*bids):
    """The record of a whole game; after the given bids, first legal actions."""
    env = bid_table(*bids)
    for one in bids[1:]:
        play(env, one)
    while not env.is_over:
        play_round(env)
    return env.record()


@pytest.mark.parametrize("bids", [("R6 B3",), ("I I", "R6 B3"), ("R7 B7 G7", "R6 B6 G6", "R3 B2 G2")], ids=str)
def test_a_record_has_one_more_deal_for_each_repeat_and_replays(bids):
    record = finished(*bids)
    positions = [p for p, *_ in records.replay(json.loads(json.dumps(record)))]
    assert len(record["deals"]) == positions[-1]["round"] + len(bids) - 1
    assert sum(p["phase"] == "bid" and p["seat"] == 0 for p in positions) == len(record["deals"])


def test_a_record_that_lacks_a_deal_is_refused():
    record = finished("I I", "R6 B3")
    for few in range(1, len(record["deals"])):
        with pytest.raises(RecordError, match=rf"another is needed; the record has {few}"):
            records.check({**record, "deals": record["deals"][:few]})
    with pytest.raises(RecordError, match="at least the first deal"):
        records.check({**record, "deals": []})


def test_a_finished_record_with_a_deal_too_many_is_refused():
    record = finished("I I", "R6 B3")
    with pytest.raises(RecordError, match="deals: the game is over after"):
        records.check({**record, "deals": [*record["deals"], deal("I I")]})


def test_a_record_whose_repeat_was_dealt_otherwise_is_refused():
    record = finished("I I", "R6 B3")
    with pytest.raises(RecordError, match=r"action 2: .* is not legal"):
        records.check({**record, "deals": [record["deals"][0], deal("G2 B3", 1), *record["deals"][2:]]})
