"""The rules' worked examples, one test each, and the corners around them. Sections are those of docs/triatri.md."""

import json

import numpy as np
import pytest
from triatri_table import (
    bid_table,
    card,
    cards,
    deal,
    laid,
    legal,
    lies,
    name_of,
    pick,
    play,
    play_round,
    play_trick,
    position,
    settled,
    table,
    vector,
    winners,
)

from tritarea_env import RecordError, records, triatri_v0
from tritarea_env.games.triatri import settlement

pytestmark = pytest.mark.kernel

# -------------------------------------------------------------------------------------- B1, B2: deals


@pytest.mark.parametrize(
    ("players", "highest", "imitations", "unused"), [(2, 6, 2, 5), (3, 7, 1, 1), (4, 8, 3, 0)], ids=["2", "3", "4"]
)
def test_decks_and_unused_cards(players, highest, imitations, unused):
    deck = sorted([card(f"{c}{n}") for c in "RBG" for n in range(2, highest + 1)] + [card("I")] * imitations)
    env = triatri_v0.raw_env(players=players)
    left_out = set()
    for seed in range(150):
        env.reset(seed=seed)
        hands = env.position()["hands"]
        left = list(deck)
        for c in (c for hand in hands for c in hand):
            left.remove(c)
        assert [len(hand) for hand in hands] == [6] * players
        assert len(left) == unused
        left_out |= set(left)
    assert left_out == (set(deck) if unused else set())


def test_a_game_begins_with_bids_and_six_gems_of_each_colour():
    env = triatri_v0.raw_env()
    env.reset(seed=1)
    p = env.position()
    assert (p["round"], p["trick"], p["phase"], p["seat"], p["starter"]) == (1, 0, "bid", 0, None)
    assert (p["supply"], p["gems"], p["scores"]) == ([6, 6, 6], [[0, 0, 0]] * 4, [])


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


# ------------------------------------------------------------------------------------ B4: prize, follow


def test_a_prize_from_the_common_supply_is_set_aside():
    env = table(position(1, "R3 B6 G6 B5", "R"))
    assert (env.agent_selection, legal(env)) == ("player_1", ["R", "B", "G"])
    pick(env, "R")
    p = env.position()
    assert (p["phase"], p["seat"], p["prize"]) == ("play", 1, 0)
    assert (p["supply"], p["gems"]) == ([5, 6, 6], [[0, 0, 0]] * 4)


def test_a_prize_from_the_own_gems_is_removed_at_the_pick_and_won_by_another():
    env = table(position(1, "R3 B4 G6 B5", "R", gems=("RG", "B", "", "")))
    assert legal(env) == ["R", "B", "G", "own R", "own G"]
    pick(env, "own R")
    p = env.position()
    assert (p["prize"], p["supply"]) == (0, [5, 5, 5])
    assert p["gems"] == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]]
    play(env, "R3 B4 G6 B5")  # B4 8, G6 12
    p = env.position()
    assert p["gems"] == [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert (p["supply"], p["prize"], p["starter"], p["seat"], p["trick"]) == ([5, 5, 5], None, 3, 3, 2)


def test_the_winner_starts_the_next_trick():
    env = table(position(2, "R3 B6 G6 B5", "R"))
    play_trick(env, "R", "R3 B6 G6 B5")
    p = env.position()
    assert (p["phase"], p["trick"], p["starter"], p["seat"]) == ("prize", 2, 0, 0)
    assert p["gems"] == [[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert p["past"] == [cards("G6"), cards("B5"), cards("R3"), cards("B6")]
    assert (p["table"], p["played"]) == ([None] * 4, [None] * 4)


def test_past_tricks_show_the_cards_as_they_were_played():
    env = table(position(0, "R3 B6 I B5", "R"))
    play_trick(env, "R", "R3 B6")
    play(env, "I")
    assert env.position()["played"] == [*cards("R3 B6 I"), None]
    assert lies(env) == ["R3 3", "I 0", "B6 12", None]
    play(env, "B5")
    assert env.position()["past"] == [cards("R3"), cards("B6"), cards("I"), cards("B5")]


FOLLOW = {  # hand, prize, legal
    "number cards of the prize's colour only": ("R2 R4 B3 B5 G6", "R", "R2 R4"),
    "or an imitation": ("R2 R4 B3 I G6", "R", "R2 R4 I"),
    "none of the colour: any card": ("R2 R4 B3 B5 I", "G", "R2 R4 B3 B5 I"),
    "an imitation is not of the colour": ("B2 B4 B3 I I", "R", "B2 B3 B4 I"),
}


@pytest.mark.parametrize("example", FOLLOW)
@pytest.mark.parametrize("place", [0, 1])
def test_must_follow(example, place):
    hand, prize, allowed = FOLLOW[example]
    other = next(f"{prize}{n}" for n in range(2, 7) if f"{prize}{n}" not in hand)
    env = table(position(1, f"{hand}/{other}" if place == 0 else f"{other}/{hand}"))
    pick(env, prize)
    if place == 1:
        play(env, other)
    assert legal(env) == allowed.split()


def test_an_imitation_led_does_not_free_the_others_from_following():
    env = table(position(0, "I R3 B3 G3 G4/R2 R4 B6 B5 G6"))
    play_trick(env, "R", "I")
    assert legal(env) == ["R2", "R4"]


# ----------------------------------------------------------------------------------- B4: values, winner

DOUBLED = {"B after R", "G after B", "R after G"}


@pytest.mark.parametrize("before", "RBG")
@pytest.mark.parametrize("own", "RBG")
def test_a_colour_doubles_after_the_one_that_it_beats(own, before):
    value = 6 if f"{own} after {before}" in DOUBLED else 3
    assert laid(f"{before}5 {own}3")[0] == f"{before}5 5, {own}3 {value}"


TRICKS = {  # prize, cards in play order, what then lies in play order, the winner's place
    "two colours tie: green beats blue": ("R", "R3 B6 G6 B5", "R3 3, B6 12, G6 12, B5 5", 2),
    "one colour ties: the later": ("R", "R4 B2 R3 B4", "R4 4, B2 8, R3 3, B4 8", 3),
    "three colours tie: the latest": ("R", "R6 B2 G4 R2", "R6 6, B2 8, G4 8, R2 8", 3),
    "two colours tie: blue beats red, though earlier": ("R", "R3 B4 B2 R8", "R3 3, B4 8, B2 2, R8 8", 1),
    "two colours tie: red beats green": ("G", "G8 R4 G2 B2", "G8 8, R4 8, G2 2, B2 2", 1),
    "two of the three that tie are blue: the later": ("R", "R8 B4 B8 R2", "R8 8, B4 8, B8 8, R2 2", 2),
    "two of the three that tie are beaten": ("R", "R8 B4 B2 G2", "R8 8, B4 8, B2 2, G2 8", 3),
    "two greens, one blue between": ("G", "G8 G2 B8 G4", "G8 8, G2 2, B8 8, G4 8", 3),
    "a favoured 2 is 8": ("R", "R7 B2 R3 R4", "R7 7, B2 8, R3 3, R4 4", 1),
    "a 2 without favour is 2": ("R", "R3 R2 G2 B2", "R3 3, R2 2, G2 2, B2 2", 0),
    "only the previous card favours": ("R", "R3 G4 B5 R2", "R3 3, G4 4, B5 5, R2 2", 2),
    "a 2 and an 8 doubled": ("R", "R5 B8 G2 R8", "R5 5, B8 16, G2 8, R8 16", 1),
    # imitations
    "led: colourless 0": ("R", "I R2 R4 R3", "I 0, R2 2, R4 4, R3 3", 2),
    "led: no doubling after it, whatever the colour": ("B", "I B3 B2 B4", "I 0, B3 3, B2 2, B4 4", 3),
    "an imitation on an imitation": ("R", "I I R2 B2", "I 0, I 0, R2 2, B2 8", 3),
    "no doubling when an imitation lies before the previous seat": ("G", "I I G4 R3", "I 0, I 0, G4 4, R3 6", 3),
    "three imitations": ("R", "I I I R2", "I 0, I 0, I 0, R2 2", 3),
    "it takes a doubled card with its value": ("R", "R3 B6 I R7", "R3 3, I 0, B6 12, R7 7", 2),
    "and with it the favour that comes after": ("R", "R3 B6 I G7", "R3 3, I 0, B6 12, G7 14", 3),
    "a card swapped away favours nobody": ("R", "B6 R3 I B4", "I 0, R3 3, B6 6, B4 4", 2),
    "a card swapped to the previous seat counts": ("B", "B6 R3 I G4", "I 0, R3 3, B6 6, G4 8", 3),
    "no new doubling for a card swapped": ("G", "G3 B8 I G4", "G3 3, I 0, B8 8, G4 8", 3),
    "it takes the card again": ("R", "R5 I I B2", "I 0, I 0, R5 5, B2 8", 3),
    "it takes the better of two colours that tie": ("R", "R4 G8 B8 I", "R4 4, I 0, B8 8, G8 8", 3),
    "it takes the later of two that tie": ("R", "B8 R3 B4 I", "B8 8, R3 3, I 0, B4 8", 3),
    "it comes last": ("R", "R3 R5 R4 I", "R3 3, I 0, R4 4, R5 5", 3),
    # fewer players
    "two imitations, two players: the latest": ("R", "I I", "I 0, I 0", 1),
    "an imitation and a 2": ("R", "I R2", "I 0, R2 2", 1),
    "a card and an imitation": ("R", "R5 I", "I 0, R5 5", 1),
    "two players, blue beats red": ("R", "R6 B3", "R6 6, B3 6", 1),
    "two players, led blue beats red": ("B", "B6 R6", "B6 6, R6 6", 0),
    "three players, three colours tie": ("R", "R4 G4 B4", "R4 4, G4 4, B4 4", 2),
    "three players": ("R", "R6 B3 G3", "R6 6, B3 6, G3 6", 2),
}


@pytest.mark.parametrize("example", TRICKS)
def test_values_and_winner(example):
    _, trick, lying, place = TRICKS[example]
    for starter in range(len(trick.split())):
        assert laid(trick, starter) == (lying, place)


@pytest.mark.parametrize("example", TRICKS)
def test_a_trick_as_it_is_played(example):
    prize, trick, lying, place = TRICKS[example]
    names = trick.split()
    players = len(names)
    starter = place + 1
    env = table(position(starter % players, trick, prize))
    pick(env, prize)
    for i, name in enumerate(names[:-1]):
        play(env, name)
        p = env.position()
        assert (p["phase"], p["seat"]) == ("play", (starter + i + 1) % players)
        assert p["played"][(starter + i) % players] == card(name)
    if names[-1] != "I":  # which swaps
        assert lies(env) == [*lying.split(", ")[:-1], None]
    play(env, names[-1])
    p = env.position()
    assert p["starter"] == (starter + place) % players
    assert p["gems"][p["starter"]] == vector(prize)
    assert np.sum(p["gems"]) == 1


# -------------------------------------------------------------------------------------------- B6: voids


def test_a_number_card_of_another_colour_shows_a_void():
    env = table(position(0, "R3 R4 R5 R6 B3/B2 G2 G3 G4 G5"))
    play_trick(env, "R", "R3 B2")
    assert env.position()["voids"] == [[], [0]]


def test_the_starter_too_shows_a_void_and_they_are_listed_in_order():
    env = table(position(0, "R6 R5 R4 R3 R2/B2 B3 B4 B5 B6"))
    play_trick(env, "G", "R6 B2")
    assert env.position()["voids"] == [[2], [2]]
    play_trick(env, "R", "B6 R2")
    assert env.position()["voids"] == [[2], [0, 2]]


def test_following_shows_nothing():
    env = table(position(0, "R3 R4 R5 R6 B3/R2 G2 G3 G4 G5"))
    play_trick(env, "R", "R3 R2")
    assert env.position()["voids"] == [[], []]


@pytest.mark.parametrize("hand", ["I R2 G2 G3 G4", "I B2 G2 G3 G4"])
def test_an_imitation_shows_no_void(hand):
    env = table(position(0, f"R3 R4 R5 R6 B3/{hand}"))
    play_trick(env, "R", "R3 I")
    assert env.position()["voids"] == [[], []]


def test_an_imitation_led_shows_no_void():
    env = table(position(0, "I R4 R5 R6 B3/G2 G3 B4 B5 B6"))
    play_trick(env, "G", "I G2")
    assert env.position()["voids"] == [[], []]


def test_the_next_deal_clears_what_was_shown():
    env = table(position(0, "R6 R5 R4 R3 R2/B2 B3 B4 B5 B6"))
    play_trick(env, "G", "R6 B2")
    play_round(env)
    assert env.position()["round"] == 2
    assert env.position()["voids"] == [[], []]


# ------------------------------------------------------------------------------------------- B2: rounds


def test_gems_are_kept_and_all_cards_dealt_anew():
    there = position(0, "R6 R5 R4 R3 R2/B2 B3 B4 B5 G6", gems=("RB", "GG"), round=2)
    env = table(there, deals=[deal("R3 B3", 4)])
    play_trick(env, "R", "R6 G6")
    for trick in ("R5 B2", "B3 R4", "R3 B4", "B5 R2"):
        play_trick(env, "B", trick)
    p = env.position()
    assert (p["round"], p["trick"], p["phase"], p["seat"], p["starter"]) == (3, 0, "bid", 0, None)
    assert p["hands"] == deal("R3 B3", 4)
    assert (p["past"], p["bids"], p["prize"]) == ([[], []], [None, None], None)
    assert p["gems"] == [[2, 2, 0], [0, 3, 2]]
    assert p["supply"] == [4, 1, 4]


# ---------------------------------------------------------------------------------------------- B5: end


def end_of(env):
    p = env.position()
    assert p["phase"] == "end"
    assert env.is_over
    info = env.infos["player_0"]
    assert [sum(points.values()) for points in info["points"]] == p["scores"] == info["scores"]
    return p["scores"], info["winners"]


def test_a_colour_that_runs_out_ends_the_game_after_the_trick():
    env = table(position(2, "R3 B2 R4 R5", "R", gems=("RR", "B", "RRR", "GGG")))
    pick(env, "R")
    p = env.position()
    assert (p["phase"], p["seat"], p["supply"]) == ("play", 2, [0, 5, 3])
    play(env, "R3 B2 R4 R5")  # B2 8
    p = env.position()
    assert (p["round"], p["trick"], p["starter"], p["seat"], p["prize"]) == (3, 1, 2, None, None)
    assert (p["table"], p["played"]) == ([None] * 4, [None] * 4)
    assert p["gems"] == [[3, 0, 0], [0, 0, 3], [2, 0, 0], [1, 1, 0]]
    assert end_of(env) == ([0, 3 * 3, 0, -2], [1])


@pytest.mark.parametrize(("prize", "trick"), [("R", "R6 R2"), ("B", "B6 B2"), ("G", "G6 G2")])
def test_any_colour_may_run_out(prize, trick):
    env = table(position(0, trick, prize, gems=("", prize * 5)))
    play_trick(env, prize, trick)
    assert end_of(env) == ([0, 0], [1])


def test_the_last_gem_of_a_colour_may_stay_in_the_supply():
    env = table(position(0, "R3 R4 R5 B2", "R", gems=("R", "", "RRR", "R")))
    play_trick(env, "own R", "R3 R4 R5 B2")
    assert (env.position()["phase"], env.position()["trick"]) == ("prize", 2)


def test_a_colour_runs_out_in_an_earlier_round():
    env = table(position(0, "R3 R4 R5 B2", "R", gems=("R", "", "RRR", "R"), round=2))
    play_trick(env, "R", "R3 R4 R5 B2")
    assert env.position()["round"] == 2
    assert end_of(env) == ([0, 0, 0, 0], [2])  # most gems


def test_two_gems_of_each_colour_win_at_once_and_alone():
    env = table(position(1, "G8 G4 G5 B2", "G", gems=("RRBBG", "R", "BB", "GGG")))
    play_trick(env, "G", "G8 G4 G5 B2")
    assert (env.position()["round"], env.position()["trick"]) == (3, 1)
    assert end_of(env) == ([3 * 1, 100, 1 * 3, 2 * 2], [1])
    assert env.infos["player_0"]["points"][1] == {"sets": 0, "pairs": 0, "leftovers": 0, "special win": 100}


def test_more_than_two_of_a_colour_win_too():
    env = table(position(0, "B6 R2", "B", gems=("RRRBGGG", "")))
    play_trick(env, "B", "B6 R2")
    assert end_of(env) == ([100, 0], [0])


def test_two_of_two_colours_and_one_of_the_third_do_not_win():
    env = table(position(0, "G6 B2", "G", gems=("RRB", "B")))
    play_trick(env, "G", "G6 B2")
    assert env.position()["phase"] == "prize"
    env = table(position(0, "G6 B2", "G", gems=("RRBG", "B")))
    play_trick(env, "G", "G6 B2")
    assert env.position()["phase"] == "prize"


def test_the_prize_goes_to_another_and_there_is_no_special_win():
    env = table(position(0, "G3 G5", "G", gems=("RRBBG", "")))
    play_trick(env, "G", "G3 G5")
    assert (env.position()["phase"], env.position()["starter"]) == ("prize", 1)


def test_a_special_win_as_a_colour_runs_out():
    env = table(position(0, "G6 G5 B2", "G", gems=("RRBBG", "GGGG", "BB")))
    play_trick(env, "G", "G6 G5 B2")
    assert env.position()["supply"] == [4, 2, 0]
    assert end_of(env) == ([100, 0, 2 * 2], [0])


def last_trick(round_):
    """Before the fifth trick: the starter has won each of four prizes of its own back."""
    env = table(position(0, "R6 R5 R4 B6 G6/R2 R3 B2 G2 G3", gems=("RRBBG", ""), round=round_))
    for prize, trick in (("own R", "R6 R2"), ("own R", "R5 R3"), ("own R", "R4 G2"), ("own B", "B6 B2")):
        play_trick(env, prize, trick)
    p = env.position()
    assert (p["trick"], p["starter"], p["gems"]) == (5, 0, [[2, 2, 1], [0, 0, 0]])
    return env


def test_a_special_win_in_the_very_last_trick():
    env = last_trick(3)
    play_trick(env, "G", "G6 G3")
    assert end_of(env) == ([100, 0], [0])


def test_a_special_win_in_the_last_trick_of_an_earlier_round():
    env = last_trick(2)
    play_trick(env, "G", "G6 G3")
    assert env.position()["round"] == 2
    assert end_of(env) == ([100, 0], [0])


def test_after_round_3_the_game_is_scored():
    env = last_trick(3)
    play_trick(env, "R", "G6 G3")
    p = env.position()
    assert (p["round"], p["trick"], p["starter"], p["supply"]) == (3, 5, 0, [3, 4, 5])
    assert p["past"] == [cards("R6 R5 R4 B6 G6"), cards("R2 R3 G2 B2 G3")]
    assert (p["voids"], p["hands"]) == ([[0], [0]], [[], []])
    assert end_of(env) == ([1 - 2 + 3, 0], [0])


def test_scores_are_kept_for_the_end():
    env = last_trick(2)
    play_trick(env, "R", "G6 G3")
    p = env.position()
    assert (p["round"], p["phase"], p["scores"], p["gems"]) == (3, "bid", [], [[3, 2, 1], [0, 0, 0]])


SCORES = {  # own gems, the others', points for sets, pairs, leftovers
    "nothing": ("", "", 0, 0, 0),
    "a set": ("RBG", "", 1, 0, 0),
    "a set, and two of one colour": ("RBGGG", "", 1, 0, 2 * 3),
    "one colour: as many points each as the supply holds of it": ("RRR", "", 0, 0, 3 * 3),
    "one colour, others have of it too": ("BBBB", "B", 0, 0, 4 * 1),
    "five of a colour": ("GGGGG", "", 0, 0, 5),
    "a single gem": ("G", "", 0, 0, 5),
    "all six": ("RRRRRR", "", 0, 0, 0),
    "a pair": ("RG", "", 0, -2, 0),
    "two pairs": ("RRBB", "", 0, -4, 0),
    "a pair, and one left": ("RRB", "", 0, -2, 4),
    "a pair, and four left": ("BGGGGG", "", 0, -2, 4),
    "a set, a pair, and one left": ("RRRBBG", "BB", 1, -2, 3),
    "a set, two pairs, and one left": ("RBBBGGGG", "", 1, -4, 2),
    "a set, two pairs": ("RRRBBBG", "", 1, -4, 0),
    "a set, and four left of a colour run out": ("RBGGGGG", "G", 1, 0, 0),
    "many pairs": ("RRRRBBBBB", "", 0, -8, 1),
}


@pytest.mark.parametrize("example", SCORES)
def test_scoring(example):
    gems, held, *points = SCORES[example]
    for seat in (0, 1):
        state = settled(gems, held) if seat == 0 else settled(held, gems)
        assert state.points[0, seat].tolist() == [*points, 0]
        assert state.scores[0, seat] == sum(points)
    state.done[0] = 0
    now = np.zeros(2, np.int64)
    settlement.score_now(state[0], now)
    assert now.tolist() == state.scores[0, :2].tolist()


def test_score_now_of_a_special_win_at_the_end():
    state = settled("RRBBGG", "R", special=0)
    now = np.zeros(2, np.int64)
    settlement.score_now(state[0], now)
    assert now.tolist() == [100, 3]


WINNERS = {  # gems by seat, scores, winners
    "most points": (("R", "BB", "G"), [5, 8, 5], [1]),
    "points before gems": (("RRRRRR", "B"), [0, 5], [1]),
    "a loss is less than nothing": (("RG", ""), [-2, 0], [1]),
    "tied: more gems": (("RBG", "B", "RBBB"), [1, 1, 0], [0]),
    "tied: more gems, whose gems count nothing": (("", "RRRRRR"), [0, 0], [1]),
    "still tied: shared": (("R", "B", "G", ""), [5, 5, 5, 0], [0, 1, 2]),
    "all alike": (("", "", "", ""), [0, 0, 0, 0], [0, 1, 2, 3]),
    "two alike, not the first": (("BG", "R", "R"), [-2, 4, 4], [1, 2]),
    "both lose": (("RG", "RRBB"), [-2, -4], [0]),
    "more gems decide below nothing": (("RBBBB", "GR"), [-2 + 3 * 2, -2], [0]),
}


@pytest.mark.parametrize("example", WINNERS)
def test_winners(example):
    gems, scores, won = WINNERS[example]
    state = settled(*gems)
    assert state.scores[0, : len(gems)].tolist() == scores
    assert winners(state) == won


def test_a_special_win_is_alone_whatever_the_others_have():
    state = settled("RRR", "RRBBGG", "BBB", special=1)
    assert state.scores[0, :3].tolist() == [3, 100, 3]
    assert winners(state) == [1]


# ------------------------------------------------------------------------------------------ B7: rewards

RUN_OUT = {  # gems before red runs out in a trick that the starter wins; scores
    2: (("RRRRR", "B"), "R5 R2", [0, 5]),
    3: (("RRRRR", "B", ""), "R5 R3 R2", [0, 5, 0]),
    4: (("RRRRR", "B", "G", ""), "R5 R4 R3 R2", [0, 5, 5, 0]),
}
REWARDS = {
    ("outcome", 2): [-1 / 2, 1 / 2],
    ("outcome", 3): [-1 / 3, 2 / 3, -1 / 3],
    ("outcome", 4): [-1 / 4, 1 / 4, 1 / 4, -1 / 4],
    ("score", 2): [-0.5, 0.5],
    ("score", 3): [-0.25, 0.5, -0.25],
    ("score", 4): [-1 / 3, 1 / 3, 1 / 3, -1 / 3],
}


@pytest.mark.parametrize(("reward", "players"), REWARDS)
def test_rewards(reward, players):
    gems, trick, scores = RUN_OUT[players]
    env = table(position(0, trick, "R", gems=gems), reward=reward)
    pick(env, "R")
    for name in trick.split():
        assert set(env.rewards.values()) == {0.0}
        play(env, name)
    assert end_of(env)[0] == scores
    assert [env.rewards[f"player_{s}"] for s in range(players)] == pytest.approx(REWARDS[reward, players])


def test_rewards_of_a_special_win():
    for reward, expected in (("outcome", [1 / 2, -1 / 2]), ("score", [9.7, -9.7])):
        env = table(position(0, "G6 B2", "G", gems=("RRBBG", "R")), reward=reward)
        play_trick(env, "G", "G6 B2")
        assert end_of(env)[0] == [100, 3]
        assert [env.rewards[f"player_{s}"] for s in range(2)] == pytest.approx(expected)
