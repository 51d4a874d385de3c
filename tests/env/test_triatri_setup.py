"""TriATri set up from positions: what adds up is taken, what does not is refused and says why."""

import copy

import numpy as np
import pytest
from permute import unused_cards
from triatri_table import card, cards, deal, play, play_trick, position, table

from tritarea_env import PositionError, records, triatri_v0

pytestmark = pytest.mark.kernel


def before_the_prize():
    return position(0, "R3 B6 G6 B5", "R", gems=("RB", "G", "", ""))


def in_a_trick():
    """Seats 0, 1 and 2 have played, the last an imitation that took B6 12; seat 3 is to move."""
    env = table(position(0, "R3 B6 I B5", "R", gems=("RB", "G", "", "")))
    play_trick(env, "R", "R3 B6 I")
    return env.position()


def in_trick_3():
    """Two players; seat 1 has shown that it holds no red, seat 0 that it holds no green."""
    env = table(position(0, "R6 R5 B5 B6 R2/B2 B3 B4 G5 G6"))
    play_trick(env, "R", "R6 B2")
    play_trick(env, "G", "G5 B6")
    return env.position()


def after_two_leads():
    """Two players; seat 1 won both tricks, and seat 0 could not follow its blue lead."""
    env = table(position(0, "R6 R4 R3 R2 G2/B2 B3 B4 G5 G6"))
    play_trick(env, "R", "R6 B2")
    play_trick(env, "B", "B3 R3")
    return env.position()


def in_the_bids():
    """Seats 0 and 1 have picked."""
    env = triatri_v0.raw_env()
    env.reset(seed=0, options={"deals": [deal("R3 B6 G2 I")]})
    play(env, "R3 B6")
    return env.position()


def with_the_last_red():
    """The trick is played to its end although red has run out."""
    env = table(position(0, "R3 B6 G6 B5", "R", gems=("RRR", "RR", "", "")))
    play_trick(env, "R", "R3 B6")
    return env.position()


GOOD = [before_the_prize, in_a_trick, in_trick_3, after_two_leads, in_the_bids, with_the_last_red]


@pytest.mark.parametrize("where", GOOD)
def test_a_position_of_play_is_taken_and_plays_on(where):
    there = where()
    env = table(there)
    assert env.position() == there
    rng = np.random.default_rng(0)
    while not env.is_over:
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    records.check(env.record())


@pytest.mark.parametrize("voids", [[[], [0]], [[1], []], [[2], [2]]])
def test_past_prizes_are_not_in_a_position_any_that_explain_the_voids_will_do(voids):
    """Seat 0 led R6 and seat 1 played B2: a prize of any colour, as far as the hands go."""
    env = table(position(0, "R6 R5 R4 R3 R2/B2 B3 B4 B5 B6"))
    play_trick(env, "R", "R6 B2")
    there = {**env.position(), "voids": voids}
    assert table(there).position() == there


def test_a_deal_that_follows_a_position_comes_from_the_seed():
    def second(seed):
        env = triatri_v0.raw_env(players=2)
        env.reset(seed=0, options={"deals": [deal("I I")]})
        env.reset(seed=seed, options={"position": env.position()})
        play(env, "I I")
        return env.position()["hands"]

    assert second(1) == second(1)
    assert second(1) != second(2)


# ------------------------------------------------------------------------------------------- faults


def put(*way):
    """A change that writes the last of ``way`` at the place that the others name."""

    def change(p):
        *path, key, value = way
        for step in path:
            p = p[step]
        p[key] = value

    return change


def both(one, other):
    return lambda p: (one(p), other(p))


def move(key, seat):
    """Seat's card there, back in its hand; where there is none, one of its hand."""

    def change(p):
        given = p[key][seat]
        p[key][seat] = p["hands"][seat].pop() if given is None else None
        p["hands"][seat] += [] if given is None else [given]

    return change


def exchange(p, one, other):
    """Exchange two cards, wherever they lie in hands and past tricks."""
    for own in (*p["hands"], *p["past"]):
        own[:] = [other if c == one else one if c == other else c for c in own]


def red_nowhere(p):
    return next(c for c in unused_cards(p) if c < 7)


NOT_FOLLOWING = r"voids \[.*\] do not follow from the cards played and held"
RUN_OUT = both(put("supply", 2, 0), put("gems", 3, [0, 0, 5]))

FAULTS = [  # what, where, the change, what is said
    ("no entries", before_the_prize, dict.clear, "missing keys"),
    ("a key too many", before_the_prize, put("extra", 1), r"unknown keys \['extra'\]"),
    ("another game", before_the_prize, put("game", "tritarea"), "game is 'triatri', not 'tritarea'"),
    ("another number of players", before_the_prize, put("players", 3), "this game has 4 players, the position 3"),
    ("a phase that is none", before_the_prize, put("phase", "declare"), "phase is 'bid' or 'prize'"),
    ("an end", before_the_prize, put("phase", "end"), "a game that is over cannot be set up"),
    ("a round that is none", before_the_prize, put("round", 4), "round is a whole number in 1 … 3, not 4"),
    ("round 0", before_the_prize, put("round", 0), "round is a whole number in 1 … 3, not 0"),
    ("a trick that is none", before_the_prize, put("trick", 6), "trick is a whole number in 0 … 5, not 6"),
    ("a seat that is none", before_the_prize, put("seat", 4), "seat is a whole number in 0 … 3, not 4"),
    ("a truth value", before_the_prize, put("starter", False), "starter is a whole number in 0 … 3, not False"),
    ("a fraction", before_the_prize, put("supply", 0, 5.0), r"supply\[0\] is a whole number in 0 … 6, not 5.0"),
    ("a seat without gems", before_the_prize, put("gems", [[0, 0, 0]] * 3), "gems is a list of 4"),
    ("a card that is none", before_the_prize, put("hands", 0, 0, 22), r"hands\[0\]\[0\] is a whole number in 0 … 21"),
    ("scores", before_the_prize, put("scores", [0, 0, 0, 0]), "scores is a list of 0"),
    ("a colour that is none", in_a_trick, put("prize", 3), "prize is a whole number in 0 … 2, not 3"),
    ("a table of three", in_a_trick, put("table", [None] * 3), "table is a list of 4"),
    ("a table of cards", in_a_trick, put("table", 0, 1), r"table\[0\] is a list of 2, not 1"),
    # the stage
    ("nobody to move", before_the_prize, put("seat", None), "seat is the seat to move"),
    ("trick 0", before_the_prize, put("trick", 0), "in phase 'prize' trick is 1 … 5, not 0"),
    ("no starter", before_the_prize, put("starter", None), "in phase 'prize' starter is a seat"),
    ("a prize before it is picked", before_the_prize, put("prize", 0), "in phase 'prize' prize is null"),
    ("another seat picks", before_the_prize, put("seat", 1), "the starter 0 picks the prize, not seat 1"),
    ("no prize", in_a_trick, put("prize", None), "in phase 'play' prize is a colour"),
    ("a trick in the bids", in_the_bids, put("trick", 1), "in phase 'bid' trick is 0, not 1"),
    ("a starter in the bids", in_the_bids, put("starter", 0), "in phase 'bid' starter is null"),
    ("a prize in the bids", in_the_bids, put("prize", 0), "in phase 'bid' prize is null"),
    # gems
    ("a gem too many", before_the_prize, put("gems", 3, 1, 1), "6 gems of colour 1 in supply, gems and prize, not 7"),
    ("a gem too few", before_the_prize, put("supply", 2, 4), "6 gems of colour 2 in supply, gems and prize, not 5"),
    ("a prize still in the supply", in_a_trick, put("supply", 0, 5), "6 gems of colour 0 in supply, .* not 7"),
    ("a colour has run out", before_the_prize, RUN_OUT, r"supply\[2\] is 0, which ends the game with its trick"),
    ("another than the prize's has", in_a_trick, RUN_OUT, r"supply\[2\] is 0, which ends the game with its trick"),
    (
        "a seat that has won",
        before_the_prize,
        both(put("supply", [3, 3, 3]), put("gems", 2, [2, 2, 2])),
        r"seat 2 has two gems of each colour and so has won: \[2, 2, 2\]",
    ),
    # cards
    ("a card twice", before_the_prize, lambda p: put("hands", 0, 0, p["hands"][1][0])(p), "more cards than 4 players"),
    ("a fourth imitation", before_the_prize, lambda p: p["hands"][0].extend([21] * 4), r"have: \['imitation'\]"),
    ("a card of no deck", in_trick_3, put("hands", 0, 0, card("R7")), r"more cards than 2 players have: \['R7'\]"),
    ("a hand too small", before_the_prize, lambda p: p["hands"][2].pop(), r"hands\[2\] holds 5 cards here, not 4"),
    ("a hand too large", in_trick_3, lambda p: p["hands"][1].append(red_nowhere(p)), r"hands\[1\] holds 3 .* not 4"),
    ("a card before the prize", before_the_prize, move("played", 1), r"played\[1\] is null here"),
    ("a card out of turn", in_a_trick, move("played", 3), r"played\[3\] is null here"),
    ("a seat left out", in_a_trick, move("played", 1), r"played\[1\] is a card here"),
    ("no bid", before_the_prize, move("bids", 1), r"bids\[1\] is a card here"),
    ("a bid out of turn", in_the_bids, move("bids", 2), r"bids\[2\] is null here"),
    ("a bid left out", in_the_bids, move("bids", 1), r"bids\[1\] is a card here"),
    (
        "a past too long",
        before_the_prize,
        lambda p: p["past"][1].append(p["hands"][1].pop()),
        r"past\[1\] .* each of 0",
    ),
    ("a past too short", in_trick_3, lambda p: p["hands"][1].append(p["past"][1].pop()), r"past\[1\] .* each of 2"),
    # what follows from the cards
    ("bids for another", before_the_prize, lambda p: p["bids"].reverse(), "make seat 3 the starter, not 0"),
    ("another starter", in_trick_3, lambda p: p.update(starter=1, seat=1), "make seat 0 the starter, not 1"),
    ("another winner", in_trick_3, lambda p: exchange(p, card("B6"), card("B5")), "make seat 1 the starter, not 0"),
    ("a deal to be repeated", in_trick_3, put("bids", cards("I I")), "no start player: the deal is repeated"),
    ("a value without favour", in_a_trick, put("table", 2, 1, 6), r"table\[2\] is \[11, 12\] here, not \[11, 6\]"),
    ("a card not swapped", in_a_trick, put("table", 1, [11, 12]), r"table\[1\] is \[21, 0\] here, not \[11, 12\]"),
    ("a card taken away", in_a_trick, put("table", 0, None), r"table\[0\] is \[1, 3\] here, not None"),
    ("a card not played", in_a_trick, put("table", 3, [2, 4]), r"table\[3\] is None here, not \[2, 4\]"),
    ("a table before the prize", before_the_prize, put("table", 0, [1, 3]), r"table\[0\] is None here"),
    ("a table in the bids", in_the_bids, put("table", 0, [1, 3]), r"table\[0\] is None here"),
    # voids
    ("a void twice", in_trick_3, put("voids", 1, [0, 0]), r"voids\[1\] lists colours once, ascending, not \[0, 0\]"),
    ("voids descending", in_trick_3, put("voids", 1, [2, 0]), r"voids\[1\] lists colours once, ascending"),
    ("a void of no colour", in_trick_3, put("voids", 1, [3]), r"voids\[1\]\[0\] is a whole number in 0 … 2"),
    ("a void not shown", in_trick_3, put("voids", 1, [0, 1]), NOT_FOLLOWING),
    ("a void left out", in_trick_3, put("voids", 1, []), NOT_FOLLOWING),
    ("no voids", in_trick_3, put("voids", [[], []]), NOT_FOLLOWING),
    ("a void in the bids", in_the_bids, put("voids", 0, [1]), NOT_FOLLOWING),
    ("a void before the first trick", before_the_prize, put("voids", 3, [0]), NOT_FOLLOWING),
    ("this prize not followed", in_a_trick, put("voids", 1, []), NOT_FOLLOWING),
    ("another prize", in_a_trick, both(put("prize", 2), put("supply", [5, 5, 4])), NOT_FOLLOWING),
    ("a void shown by an imitation", in_a_trick, put("voids", 2, [0]), NOT_FOLLOWING),
    ("a void of the seat to move", in_a_trick, put("voids", 3, [0]), NOT_FOLLOWING),
    (
        "a void's card in hand",
        in_a_trick,
        lambda p: exchange(p, p["hands"][0][0], p["hands"][1][0]),
        NOT_FOLLOWING,
    ),
    (
        "a void's card played later",  # as if the second prize had been red too, and followed
        after_two_leads,
        both(lambda p: put("past", 1, 1, red_nowhere(p))(p), put("voids", [[], [0]])),
        NOT_FOLLOWING,
    ),
]


@pytest.mark.parametrize(("fault", "where", "change", "says"), FAULTS, ids=[f[0] for f in FAULTS])
def test_a_position_that_does_not_add_up_is_refused(fault, where, change, says):
    good = where()
    env = table(good)
    bad = copy.deepcopy(good)
    change(bad)
    with pytest.raises(PositionError, match=says):
        env.reset(seed=1, options={"position": bad})
    assert env.position() == good, "the game under way is untouched"


def test_a_card_of_a_void_is_what_is_amiss():
    """The faults above would pass but for the card: seat 0's is red, seat 1's another colour."""
    p = in_a_trick()
    assert p["hands"][0][0] // 7 == 0 != p["hands"][1][0] // 7
    assert p["voids"] == [[], [0], [], []]
    assert in_trick_3()["voids"] == [[2], [0]]
    assert (after_two_leads()["starter"], after_two_leads()["voids"]) == (1, [[1], [0]])


def test_no_list_and_no_dict():
    env = triatri_v0.raw_env()
    for nothing in (None, [], "position"):
        with pytest.raises(PositionError, match="expected a dict"):
            env.reset(seed=1, options={"position": nothing})


def test_the_position_that_a_seat_sees_cannot_be_set_up():
    env = table(before_the_prize())
    with pytest.raises(PositionError, match=r"hands\[1\] is a list, not 5"):
        env.reset(seed=1, options={"position": env.position(0)})


def test_deals_that_follow_a_position_are_checked():
    env = table(in_trick_3())
    for deals, says in [
        ([deal("R3 B3 G3")], "deal 0 is a list of 2 hands"),
        ([deal("R3 B3"), [cards("R2 R3 R4 R5 R6")] * 2], "in deal 1 seat 0 has a list of 6 cards"),
        ([[cards("R2 R3 R4 R5 R6 R7"), cards("B2 B3 B4 B5 B6 G2")]], r"R7 \(5\) is not in the deck of deal 0"),
        ([[cards("R2 R3 R4 R5 R6 G2"), cards("B2 B3 B4 B5 B6 G2")]], r"G2 \(14\) is dealt too often in deal 0"),
        ([[cards("R2 R3 R4 R5 I I"), cards("B2 B3 B4 B5 B6 I")]], "imitation .21. is dealt too often in deal 0"),
        (3, "deals is a list of deals, not 3"),
    ]:
        with pytest.raises(ValueError, match=says):
            env.reset(seed=1, options={"position": in_trick_3(), "deals": deals})
