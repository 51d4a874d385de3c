"""The agent ``expert`` of Tri*T*Area: its numbers, its strength, and each of its ideas in a position."""

import numpy as np
import pytest
from deciding import decide
from playing import at_the_ends, play, win_share
from tritarea_spots import after, last_to_play
from tritarea_table import card, cards, later, position, without_blocks

from tritarea_agents import make
from tritarea_agents.expert.parameters import read
from tritarea_agents.expert.tritarea import RANGES, Parameters, missed_in_tricks
from tritarea_agents.expert.tritarea_cards import (
    draw_card,
    shortened,
    spent_low,
    still_out,
    weigh_cards,
)
from tritarea_agents.expert.tritarea_rights import NOBODY, fill_rights
from tritarea_agents.expert.tritarea_value import WORK, look
from tritarea_agents.greedy.packing import packed
from tritarea_env import games
from tritarea_env.engine.rng import key_of
from tritarea_env.games.tritarea.setup import from_position

GAME = games.get("tritarea")


# -------------------------------------------------------------------------------------------- numbers


def test_it_has_numbers_to_tune_and_says_what_they_mean():
    assert 10 <= len(read("tritarea")) <= 25
    assert all(parameter.about for parameter in read("tritarea").values())


@pytest.mark.parametrize("option", ["follow=-1", "samples=0", "samples=1.5", "reply=2", "rest=nan", "hope=1"])
def test_options_that_are_none_are_refused(option):
    with pytest.raises(ValueError, match="expert"):
        make(f"expert:{option}", GAME)


@pytest.mark.parametrize("end", [0, 1], ids=["low", "high"])
def test_the_ends_of_the_ranges_play(end):
    agent = make("expert:" + at_the_ends(RANGES, end), GAME)
    assert play(GAME, [agent] * 4, 2, seed=5, options={"voluntary_default": True}).done.all()


@pytest.mark.parametrize("idea", [name for name, parameter in read("tritarea").items() if parameter.off is not None])
def test_it_plays_without_any_of_its_ideas(idea):
    agent = make(f"expert:{idea}={read('tritarea')[idea].off},samples=2", GAME)
    assert play(GAME, [agent] * 4, 1, seed=6).done.all()


# ------------------------------------------------------------------------------------------- strength


def test_it_beats_greedy():
    """Measured: a win share of 0.6 against three greedy players, where even is 0.25."""
    finished = play(GAME, [make("expert", GAME), *[make("greedy", GAME)] * 3], 80, seed=3)
    assert win_share(finished) > 0.38


def test_it_sells_some_blocks_but_not_all():
    finished = play(GAME, [make("expert", GAME)] * 4, 20, seed=4)
    assert finished.sold.min() >= 1
    assert finished.sold.max() <= 6


# --------------------------------------------------------------------------------- ideas in a position


def looked_at(p):
    """A record (1,) of the position, the parameters (1,), and a work record (1,) that has looked at it."""
    state = GAME.new(1, GAME.check_options({}))
    from_position(state[0], p, key_of(1))
    numbers, work = packed(Parameters()), np.zeros(1, WORK).view(np.recarray)
    look(state[0], numbers[0], work[0])
    return state, numbers, work


@pytest.mark.kernel
def test_early_the_others_follow_and_late_they_cannot():
    p = position(0, "B1 Y9 G3 R3")
    odds = []
    for at in (p, later(p, "B1 Y9 G3 R3", 8)):
        state, numbers, work = looked_at(at)
        weigh_cards(state[0], 0, numbers[0], work[0])
        odds.append(work[0].odds[cards("B1 B4")] / work[0].odds[card("Y4")])
    assert (odds[0] > 10).all()  # the concept led
    assert (odds[1] < 2).all()


@pytest.mark.kernel
def test_cards_are_drawn_by_their_odds():
    state, numbers, work = looked_at(position(0, "B1 Y9 G3 R3"))
    weigh_cards(state[0], 0, numbers[0], work[0])
    work[0].cards[:] = range(36)
    key, drawn = key_of(1), []
    for _ in range(300):
        key = draw_card(key, 36, work[0])
        drawn.append(int(work[0].cards[35]))
    assert sorted(work[0].cards) == list(range(36))
    assert np.mean(np.array(drawn) < 9) > 0.6


@pytest.mark.kernel
def test_a_first_right_is_worth_less_with_a_second_behind_it():
    state, numbers, work = looked_at(later(position(0, "B1 Y9 G3 R3", round_=1), "B1 Y9 G3 R3", 8))
    fill_rights(state[0], 0, numbers[0], work[0])
    alone, followed = work[0].rights[0, 0, NOBODY], work[0].rights[0, 0, 1]
    assert alone > followed
    assert work[0].rights[0, 1, 0] > followed  # the last word is the better


@pytest.mark.kernel
def test_what_a_card_is_worth_in_hand():
    out = sum(1 << c for c in cards("B2 B4 B6 Y3"))
    assert spent_low(out, card("B1")) == spent_low(out, card("B2")) == 1.0
    assert spent_low(out, card("B3")) == pytest.approx((3 / 4) ** 3)
    assert spent_low(out, card("B5")) == 0.0  # a five is no low card
    assert [still_out(out, card(name)) for name in ("B9", "Y1", "R1")] == [3, 1, 0]
    assert shortened(sum(1 << c for c in cards("B1 B9 R3")), card("B9")) == 2


@pytest.mark.kernel
def test_a_card_in_the_middle_is_declared_at_less_cost_than_one_at_an_end():
    assert [missed_in_tricks(rank) for rank in (1, 4, 5, 6, 9)] == [1.0, 1 / 16, 1.0, 1 / 16, 1.0]


@pytest.mark.kernel
def test_who_leads_counts_for_more():
    for round_, more in ((1, False), (2, True)):
        _, _, work = looked_at(position(0, "B1 Y9 G3 R3", round_=round_, scores=[30, 40, 20, 20]))
        assert work[0].weights[0].sum() == pytest.approx(0)
        assert (work[0].weights[0, 1] < work[0].weights[0, 2]) == more
    _, _, work = looked_at(position(0, "B1 Y9 G3 R3", scores=[0, 9999, 0, 5000]))  # no overflow
    assert np.isfinite(work[0].weights).all()


NOTHING_TO_WIN = "B1 B9 B7"  # seats 1, 2 and 3: no card of another concept can change anything


@pytest.mark.kernel
def test_with_nothing_to_win_it_spends_a_low_card_and_keeps_the_high_ones():
    p = last_to_play(NOTHING_TO_WIN, "Y9 Y8 Y7 Y6 R1 R2 R3 R4 G6")
    assert decide("expert", p) == {"card R1"}
    assert "card R1" not in decide("expert:low=-4", p)


@pytest.mark.kernel
def test_with_nothing_to_win_it_shortens_its_long_concept():
    p = last_to_play(NOTHING_TO_WIN, "Y6 Y9 G6 G9 R4 R6 R7 R8 R9")
    assert all(name.startswith("card R") for name in decide("expert:low=0,rest=0", p))
    assert not any(name.startswith("card R") for name in decide("expert:low=0,rest=0,long=-1", p))


@pytest.mark.kernel
def test_it_builds_where_the_bonus_is_highest():
    p = after(position(0, "B1 Y9 G3 R3", scores=0), "card B1", "card Y9", "card G3", "card R3")
    assert decide("expert", p) == {"one block on a1"}  # of the bonuses 3, 1, 2 and 0


@pytest.mark.kernel
def test_it_takes_the_second_right_and_two_blocks_late():
    """Late, what is topped stays topped: B9 wins the last word in Intelligent."""
    p = last_to_play("B3 Y4 B6", "B9 R9 R8 R7 R6 R4 R3 R2 R1")
    assert decide("expert", later(p, "B9", 7)) == {"card B9"}


@pytest.mark.kernel
def test_it_avoids_a_default():
    p = last_to_play("B3 Y4 B6", "B9 R9 R8 R7 R6 R4 R3 R2 R1", scores=20)
    assert "card B9" not in decide("expert", without_blocks(p, 0, (5, 6, 9)))


@pytest.mark.kernel
def test_it_pays_for_a_five_only_where_it_wins_something():
    """B5 lies between B3 and B6: as 0 it is rightholder 1, as 10 rightholder 2; without blocks a default."""
    p = after(last_to_play("B3 Y4 B6", "B5 R9 R8 R7 R6 R4 R3 R2 R1", scores=5), "card B5")
    assert decide("expert", p) <= {"five to 0", "five to 10"}
    assert "five to 10" not in decide("expert", without_blocks(p, 0, (5, 6, 9)))
