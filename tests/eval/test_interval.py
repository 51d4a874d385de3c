"""Intervals over deals."""

from __future__ import annotations

import numpy as np
import pytest

from tritarea_eval.interval import estimates


@pytest.mark.parametrize("deals", [8, 40])
def test_intervals_cover_the_truth(deals: int) -> None:
    """Simulated: a share of each deal's four games is won, more of them on good deals."""
    random = np.random.default_rng(3)
    trials, covered = 600, 0
    for trial in range(trials):
        luck = random.beta(2.0, 2.0, deals)
        values = random.binomial(4, luck)[:, None] / 4.0
        (estimate,) = estimates(values, trial, [True])
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low <= 0.5 <= estimate.high
    assert 0.92 < covered / trials < 0.98


def test_interval_is_near_the_normal_one() -> None:
    values = np.random.default_rng(0).normal(10.0, 2.0, (2500, 1))
    (estimate,) = estimates(values, 1, [False])
    assert estimate.mean == values.mean()
    assert estimate.low == pytest.approx(values.mean() - 1.96 * 2.0 / 50, abs=0.01)
    assert estimate.high == pytest.approx(values.mean() + 1.96 * 2.0 / 50, abs=0.01)


def test_columns_are_estimated_apart_and_by_seed() -> None:
    values = np.random.default_rng(0).random((30, 2))
    assert estimates(values, 5, [True, False]) == estimates(values, 5, [True, False])
    assert estimates(values, 5, [True, False]) != estimates(values, 6, [True, False])
    assert [e.mean for e in estimates(values, 5, [True, False])] == pytest.approx(values.mean(axis=0))


def test_one_deal_has_no_interval() -> None:
    (estimate,) = estimates(np.array([[0.5]]), 0, [True])
    assert (estimate.mean, estimate.low, estimate.high) == (0.5, None, None)
    assert estimate.as_json() == {"mean": 0.5, "low": None, "high": None}


def test_shares_without_spread_have_the_width_of_the_rule_of_three() -> None:
    values = np.repeat([[0.0, 1.0, 0.25, 7.0]], 100, axis=0)
    none, all_, even, score = estimates(values, 0, [True, True, True, False])
    assert (none.low, none.high) == (0.0, pytest.approx(0.03, abs=0.001))
    assert (all_.low, all_.high) == (pytest.approx(0.97, abs=0.001), 1.0)
    assert (even.low, even.high) == (
        pytest.approx(0.25 * 0.97, abs=0.001),
        pytest.approx(0.25 + 0.75 * 0.03, abs=0.001),
    )
    assert (score.low, score.high) == (7.0, 7.0)
