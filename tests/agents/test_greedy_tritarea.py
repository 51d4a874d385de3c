"""The agent ``greedy`` of Tri*T*Area: sensible."""

import numpy as np
import pytest
from deciding import decide
from helpers import PLAIN, positions
from playing import agreement, at_the_ends, many_views, play, win_share
from tritarea_spots import after, last_to_play
from tritarea_table import position, without_blocks

from tritarea_agents import make
from tritarea_agents.greedy.tritarea_board import BOARD, put, settled, survey
from tritarea_agents.greedy.tritarea_value import RANGES
from tritarea_env import games
from tritarea_env.games.tritarea import rules
from tritarea_env.games.tritarea.kernel import place
from tritarea_env.games.tritarea.settlement import score_now

GAME = games.get("tritarea")


def test_every_sample_is_another_world():
    """The more worlds a card is weighed in, the less does the choice hang on the chance of the views."""
    _, views = many_views(GAME, 300)
    hidden = views.hidden
    early = (hidden.phase == rules.PLAY) & ((hidden.played >= 0).sum(axis=1) <= 1)
    hidden = hidden[early][:40]
    assert len(hidden) == 40

    one, many = agreement(GAME, hidden, 1), agreement(GAME, hidden, 64)
    assert one < 0.7
    assert many > 0.8


def test_the_ends_of_the_ranges_play():
    for low_or_high in (0, 1):
        agent = make("greedy:" + at_the_ends(RANGES, low_or_high), GAME)
        assert play(GAME, [agent] * 4, 2, seed=5).done.all()


@pytest.mark.kernel
def test_its_small_board_is_settled_like_the_game():
    """Blocks on any square, tried on the small board and placed in the record: the same scores."""
    board = np.zeros(1, BOARD).view(np.recarray)
    scores = np.zeros(4, np.int64)
    for number, state in enumerate(positions("tritarea", 40 if PLAIN else 400)):
        g, s = state[0], number % 4
        square, blocks = number % 16, min(1 + number % 2, int(g.blocks[s]))
        if g.phase == rules.FIVE_SETTLE or blocks == 0:
            continue
        survey(g, board[0])
        put(g, board[0], s, square, blocks)
        found = [int(settled(g, board[0], seat)) for seat in range(4)]
        for _ in range(blocks):
            place(g, s, square)
        score_now(g, scores)
        assert found == scores.tolist()


# ------------------------------------------------------------------------------------------- strength


def test_it_beats_random_clearly():
    """Measured: a win share of 0.96 against three random players, where even is 0.25."""
    finished = play(GAME, [make("greedy", GAME), *[make("random", GAME)] * 3], 60, seed=3)
    assert win_share(finished) > 0.75


def test_it_sells_some_blocks_but_not_all():
    finished = play(GAME, [make("greedy", GAME)] * 4, 20, seed=4)
    assert finished.sold.min() >= 1
    assert finished.sold.max() <= 5


# ----------------------------------------------------------------------- positions with a plain answer


@pytest.mark.kernel
def test_it_builds_where_the_bonus_is_highest():
    p = after(position(0, "B1 Y9 G3 R3", scores=0), "card B1", "card Y9", "card G3", "card R3")
    assert p["phase"] == "build"
    assert decide("greedy", p) == {"one block on a1"}  # of the bonuses 3, 1, 2 and 0
    board = {"areas": rules.BOARDS["pinwheel"]["areas"], "bonus": [0] * 5 + [3] + [0] * 10}
    assert decide("greedy", p, board=board) == {"one block on b2"}


@pytest.mark.kernel
def test_it_takes_a_right_that_is_certain():
    """B2 is the lowest of two Intelligent cards; without it the leader's concept is adopted and nothing won."""
    assert decide("greedy", last_to_play("B3 Y4 G6", "B2 R9 R8 R7 R6 R4 R3 R2 R1")) == {"card B2"}


DEFAULT = ("B3 Y4 B6", "B9 R9 R8 R7 R6 R4 R3 R2 R1")


@pytest.mark.kernel
def test_it_avoids_a_default():
    """B9 wins the second right: welcome with blocks, and without any it costs 9."""
    with_blocks = last_to_play(*DEFAULT, scores=20)
    assert decide("greedy", with_blocks) == {"card B9"}
    assert "card B9" not in decide("greedy", without_blocks(with_blocks, 0, (5, 6, 9)))


@pytest.mark.kernel
def test_it_wins_a_right_with_a_five():
    """B5 lies between B3 and B6: worth nothing as it is; as 0 it is rightholder 1, as 10 rightholder 2."""
    p = after(last_to_play("B3 Y4 B6", "B5 R9 R8 R7 R6 R4 R3 R2 R1", scores=5), "card B5")
    assert p["phase"] == "five"
    assert decide("greedy", p) <= {"five to 0", "five to 10"}
    assert "five to 10" not in decide("greedy", without_blocks(p, 0, (5, 6, 9)))  # a default of 10


@pytest.mark.kernel
def test_it_pays_a_five_out_of_a_default():
    """The second right with a kept five and no block: 1 for a change to 0, or 5."""
    p = without_blocks(last_to_play("B3 Y4 G6", "B5 R9 R8 R7 R6 R4 R3 R2 R1", scores=6), 0, (5, 6, 9))
    p = after(p, "card B5", "keep the five")
    p = after(p, "one block on a1")  # rightholder 1, seat 1
    while p["seat"] != 0:
        p = after(p, "pass")
    assert p["phase"] == "five_default"
    assert decide("greedy", p) == {"five to 0"}


@pytest.mark.kernel
def test_it_keeps_building_with_a_right_it_could_decline():
    p = after(position(0, "B1 Y9 G3 R3", scores=0), "card B1", "card Y9", "card G3", "card R3")
    assert decide("greedy", p, voluntary_default=True) == {"one block on a1"}
