"""``search`` against max^n by exhaustion, where all is known (see ``search_oracle``, which can do more of it)."""

import pytest
from search_oracle import EQUAL, KINDS, best_of, misses, search_for

from tritarea_agents import make
from tritarea_env import games

NUMBER = 60
in_games = pytest.mark.parametrize("name", KINDS)
# by action: the values of two seats under every breaking of ties
TIES = {
    0: {(0.5, 0.1), (0.1, 0.9)},
    1: {(0.3, 0.2)},
    2: {(0.2, 0.8)},
}


def test_a_tie_leaves_every_value_that_it_may_lead_to():
    """Seat 0 takes action 0 where that is worth 0.5, and 1 where 0 is worth 0.1; 2 is always worse than 1."""
    assert best_of(TIES, 0, EQUAL) == {0: {(0.5, 0.1)}, 1: {(0.3, 0.2)}}
    assert best_of(TIES, 1, EQUAL) == {0: {(0.1, 0.9)}, 2: {(0.2, 0.8)}}


def test_a_wider_tie_leaves_more():
    assert best_of(TIES, 0, 0.1 + EQUAL) == {0: {(0.5, 0.1)}, 1: {(0.3, 0.2)}, 2: {(0.2, 0.8)}}


@in_games
def test_random_moves_are_often_missed_ones(name):
    """Else the positions would hold nothing to find."""
    assert len(misses(name, NUMBER, make("random", games.get(name)))) > 0.2 * NUMBER


@pytest.mark.parametrize(("name", "missed", "clearly"), [("tritarea", 0.05, 0.02), ("triatri", 0, 0)])
def test_it_finds_best_moves(name, missed, clearly):
    """Measured with 500 positions of each game: 95 % are best in Tri*T*Area, 99 % nearly best; in TriATri all.

    In Tri*T*Area it may miss a point or two: a mean over simulations holds replies that were only tried, and so comes
    near the value of the best reply slowly.
    """
    found = misses(name, NUMBER, search_for(name))
    assert len(found) <= missed * NUMBER
    assert sum(not miss.near for miss in found) <= clearly * NUMBER
