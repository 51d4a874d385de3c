"""Deals, tricks and voids: worked examples, one test each. Sections are those of docs/triatri.md."""

import numpy as np
import pytest
from triatri_table import (
    card,
    cards,
    deal,
    laid,
    legal,
    lies,
    pick,
    play,
    play_round,
    play_trick,
    position,
    table,
    vector,
)

from tritarea_env import triatri_v0

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
