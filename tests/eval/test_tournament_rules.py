"""Rules that end a tournament: when they stop, and how often they err."""

from __future__ import annotations

import numpy as np
import pytest
from simulated import simulate
from tournament_truth import decisions

from tritarea_eval.tournament.pairs import pair_sums
from tritarea_eval.tournament.ratings import rate
from tritarea_eval.tournament.resampling import Deals, ratios
from tritarea_eval.tournament.stopping import FEWEST, SequentialTest, Width


@pytest.mark.parametrize(("lead", "side"), [(0.0, 0), (0.1, 1)])
def test_a_sequential_test_errs_as_seldom_as_it_says(lead: float, side: int) -> None:
    """5% are allowed; of 100 tests, 11 or more err by chance once in a hundred times."""
    assert decisions(lead, 100)[side] < 0.11


def test_a_test_decides_soon_when_all_is_clear() -> None:
    test = SequentialTest(0, 1, "ahead", 0.5, 0.55)
    games = simulate([30.0, 0.0], 300, 0)
    early = test.look(games.take(games.deal < FEWEST - 1), 2, 0)
    assert (early.stop, early.text) == (False, "test: 29 deals of at least 30")
    late = test.look(games, 2, 0)
    assert late.stop
    assert late.text.startswith("test: ahead is above 0.5 (log-likelihood ratio ")
    turned = SequentialTest(1, 0, "share", 0.5, 0.55).look(simulate([-30.0, 0.0, 0.0, 0.0], 300, 0), 4, 0)
    assert turned.text.startswith("test: share is above 0.5")
    lost = SequentialTest(1, 0, "lead", 0.0, 0.1).look(games, 2, 0)
    assert lost.text.startswith("test: lead is below 0.1")


def test_a_test_goes_on_while_nothing_is_decided() -> None:
    verdict = SequentialTest(0, 1, "lead", 0.0, 0.02).look(simulate([0.02, 0.0], 40, 1), 2, 0)
    assert not verdict.stop
    assert verdict.text.startswith("test: log-likelihood ratio ")


@pytest.mark.parametrize("quantity", ["rating", "share", "ahead", "lead", "score"])
def test_width_is_that_of_the_interval(quantity: str) -> None:
    games = simulate([0.4, 0.1, 0.0, 0.0], 60, 0)
    deals = Deals.of(games.deal, 7)
    if quantity == "rating":
        found = rate(games, ["a", "b", "c", "d"], deals).difference(1, 3)
    else:
        (other,) = ratios(deals, {"it": pair_sums(games, 1, 3, deals)[quantity]})["it"]
        assert other is not None
        found = other
    assert found.low is not None
    assert found.high is not None
    width = found.high - found.low
    assert Width(1, 3, quantity, width * 1.001).look(games, 4, 7).stop
    assert not Width(1, 3, quantity, width * 0.999).look(games, 4, 7).stop


def test_width_waits_for_an_interval() -> None:
    few = simulate([0.0, 0.0], 5, 0)
    assert Width(0, 1, "lead", 9.0).look(few, 2, 0) == (False, "lead: no interval yet")
    never = simulate([0.0] * 4, 20, 0, tables=[(0, 1), (2, 3)])
    assert not Width(0, 2, "rating", 1e9).look(never, 4, 0).stop
    assert not Width(0, 2, "share", 1e9).look(never, 4, 0).stop


def test_the_interval_holds_the_truth_where_its_width_stopped_the_play() -> None:
    rule, held = Width(0, 1, "lead", 0.3), 0
    chance = 1 / (1 + np.exp(-0.4))
    for seed in range(40):
        games = simulate([0.4, 0.0], 300, seed)
        for last in range(50, 301, 50):
            part = games.take(games.deal < last)
            if rule.look(part, 2, seed).stop:
                break
        deals = Deals.of(part.deal, seed)
        (found,) = ratios(deals, {"lead": pair_sums(part, 0, 1, deals)["lead"]})["lead"]
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 2 * chance - 1 <= found.high
    assert held >= 34
