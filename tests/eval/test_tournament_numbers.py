"""The numbers of a tournament beside ratings: pairs, seats, luck and skill, what wins; simulated truth."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from simulated import POINTS, games_of, simulate
from tournament_truth import DESIGNS, coverage

from tritarea_eval.interval import Estimate
from tritarea_eval.tournament.games import Games
from tritarea_eval.tournament.luck import spread
from tritarea_eval.tournament.numbers import Numbers, numbers
from tritarea_eval.tournament.pairs import pairs
from tritarea_eval.tournament.resampling import Deals


def numbers_of(games: Games, agents: int, **more: Any) -> Numbers:
    names = [f"agent {number}" for number in range(agents)]
    more = {"sides": range(games.holders.shape[1]), "sources": ("first", "rest"), "resamples": 100} | more
    return numbers(games, names, **more)


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_hold_the_truth(design: str) -> None:
    """In 40 tournaments; `python tests/eval/tournament_truth.py 1000` is the whole proof, within 93 and 97%."""
    for quantity, part in coverage(design, 40, resamples=400).items():
        assert 0.87 < part < 0.995, quantity


def test_pairs_are_counted_by_hand() -> None:
    """Two games of one table: agents 0, 1, 0 and an NPC (2) sit there."""
    games = games_of(np.array([[0, 1, 0, 2]] * 2), np.array([[9, 5, 5, 0], [1, 4, 4, 4]]), np.arange(2))
    (pair,) = pairs(games, 2, Deals.of(games.deal))
    assert (pair.first, pair.second, pair.games) == (0, 1, 2)
    assert pair.ahead == Estimate((1 + 0.5 + 0 + 0.5) / 4, None, None)
    assert pair.share is not None
    assert pair.share.mean == pytest.approx((1 + 0 + 0 + 1 / 3) / (1 + 0 + 1 / 3 + 2 / 3))
    assert pair.lead is not None
    assert pair.lead.mean == pytest.approx((1 + 0 - 1 / 3 + 0) / 4)
    assert pair.score == Estimate((4 + 0 - 3 + 0) / 4, None, None)
    assert pair.turned().score == Estimate(-0.25, None, None)
    assert pair.turned().turned() == pair


def test_a_pair_is_turned_with_its_interval() -> None:
    found = numbers_of(simulate([0.3, 0.0], 50, 0), 2)
    pair, turned = found.pair(0, 1), found.pair(1, 0)
    assert pair is not None
    assert turned is not None
    assert pair.ahead is not None
    assert turned.ahead is not None
    assert turned.ahead.low == 1 - pair.ahead.high
    assert pair.ahead.low < pair.ahead.mean < pair.ahead.high
    assert found.pair(0, 0) is None


def test_scores_of_failed_seats_are_left_out() -> None:
    games = games_of(np.array([[0, 1]] * 2), np.array([[9, 5], [1, 4]]), np.arange(2))
    games = games._replace(failed=np.array([[False, False], [True, False]]), share=np.array([[1.0, 0], [0, 1]]))
    found = numbers_of(games, 2)
    pair = found.pair(0, 1)
    assert pair is not None
    assert pair.score is not None
    assert pair.ahead is not None
    assert (pair.score.mean, pair.ahead.mean) == (4, 0.5)
    whole = found.agents[0].whole
    assert whole is not None
    assert whole.score is not None
    assert (whole.score.mean, whole.share.mean, found.agents[0].failures, found.failed) == (9, 0.5, 1, 1)
    assert found.agents[0].sources == (3, 6)


def test_a_pair_that_one_always_wins_has_the_interval_of_the_rule_of_three() -> None:
    pair = numbers_of(simulate([30.0, 0.0], 100, 0), 2).pair(0, 1)
    assert pair is not None
    for estimate, low in ((pair.share, 0.97), (pair.ahead, 0.97), (pair.lead, 0.94)):
        assert estimate is not None
        assert (estimate.mean, estimate.high) == (1, 1)
        assert estimate.low == pytest.approx(low, abs=0.002)


def test_equal_agents_share_by_seat_within_their_intervals() -> None:
    """A self-match: no seat is better here, and none comes out better than its interval allows."""
    outside = 0
    for seed in range(25):
        found = numbers_of(simulate([0.0], 60, seed, tables=[(0, 0, 0, 0)], taste=0.0), 1)
        assert found.pairs == ()
        assert found.agents[0].whole is not None
        assert found.agents[0].whole.share == Estimate(0.25, None, None)
        for place in found.seats + found.starts:
            assert place is not None
            assert place.share.low is not None
            assert place.share.high is not None
            outside += not place.share.low <= place.even <= place.share.high
    assert outside <= 0.1 * 200


def test_a_better_seat_is_seen() -> None:
    games = simulate([0.0] * 4, 200, 0)
    score = games.score + 150 * (np.arange(4) == (games.start[:, None] + 1) % 4)
    found = numbers_of(games_of(games.holders, score, games.deal), 4)
    lows = [place.share.low for place in found.starts if place is not None]
    assert [low is not None and low > 0.25 for low in lows] == [False, True, False, False]
    assert all(place is not None and place.games == 800 and place.even == 0.25 for place in found.seats)
    assert [place.games for place in found.agents[0].by_seat if place] == [200] * 4


@pytest.mark.parametrize(("cards", "taste"), [(0.6, 0.0), (0.0, 0.0), (0.3, 0.3)])
def test_luck_and_skill_are_found(cards: float, taste: float) -> None:
    """On the scale of scores the parts are known but for the Gumbel shape of luck, which is drawn from."""
    strength = np.array([0.9, 0.3, -0.3, -0.9])
    games = simulate(strength.tolist(), 3000, 0, cards=cards, taste=taste)
    found = spread(games, 4, Deals.of(games.deal, 0, 200), games.score.astype(float))
    assert found is not None
    variance = POINTS**2 * (np.pi**2 / 6 + strength.var())
    assert found.variance == pytest.approx(variance, rel=0.05)
    assert found.luck is not None
    assert found.skill is not None
    assert found.skill.mean == pytest.approx(POINTS**2 * strength.var() / variance, abs=0.02)
    # a correlation of normal numbers is a little smaller when they are made Gumbel's
    assert found.luck.mean == pytest.approx(cards * POINTS**2 * np.pi**2 / 6 / variance, abs=0.04)
    assert found.rest == pytest.approx(1 - found.luck.mean - found.skill.mean)
    assert found.luck.low is not None
    assert found.luck.high is not None
    assert found.luck.low < found.luck.mean < found.luck.high


def test_skill_is_nothing_among_equals() -> None:
    parts = []
    for seed in range(20):
        games = simulate([0.0] * 4, 20, seed)
        found = spread(games, 4, Deals.of(games.deal, 0, 0), games.share)
        assert found is not None
        assert found.skill is not None
        parts.append(found.skill.mean)
    assert abs(np.mean(parts)) < 0.005
    assert min(parts) < 0 < max(parts)


def test_luck_needs_two_agents_in_a_seat_of_a_deal() -> None:
    games = simulate([0.0], 20, 0, tables=[(0, 0)], taste=0.0)
    found = spread(games, 1, Deals.of(games.deal, 0, 50), games.share)
    assert found is not None
    assert (found.luck, found.skill, found.rest) == (None, None, 1)
    alike = games_of(np.array([[0, 1]] * 2), np.zeros((2, 2), int), np.arange(2))
    assert spread(alike, 2, Deals.of(alike.deal), alike.share) is None


def test_sources_that_win_are_told_from_those_that_do_not() -> None:
    games = simulate([0.2, 0.1, 0.0, 0.0], 100, 0)
    noise = np.random.default_rng(0).normal(0, 100, games.score.shape).round().astype(int)
    games = games._replace(points=np.stack([games.score, noise, np.full_like(noise, 3)], axis=2))
    score, other, same = numbers_of(games, 4, sources=("score", "noise", "constant")).sources
    won = games.share > 0
    gaps = [
        g.score[0][w].mean() - g.score[0][~w].mean()
        for g, w in ((games.take(np.array([i])), won[i]) for i in range(400))
    ]
    assert score.gap is not None
    assert other.gap is not None
    assert other.gap.low is not None
    assert other.gap.high is not None
    assert score.gap.mean == pytest.approx(np.mean(gaps))
    assert other.gap.low < 0 < other.gap.high
    assert (score.effect > 1, score.correlation > 0.5, abs(other.effect) < 0.2, abs(other.correlation) < 0.1) == (
        True,
    ) * 4
    assert score.part + other.part + same.part == pytest.approx(1)
    assert (same.mean, same.effect, same.correlation, same.part) == (3, 0, 0, 0)


def test_npc_seats_are_told_apart() -> None:
    games = simulate([0.0] * 4, 20, 0)
    found = numbers_of(games, 3)
    assert found.npc_share is not None
    total = sum(a.whole.share.mean * a.whole.games for a in found.agents if a.whole) / found.games
    assert total + found.npc_share == pytest.approx(1)
    assert [pair[:2] for pair in found.pairs] == list(combinations(range(3), 2))
    assert numbers_of(games, 4).npc_share is None


def test_all_is_told_and_does_not_hang_on_the_order() -> None:
    games = simulate([0.3, 0.2, 0.0, -0.5], 30, 0)
    found = numbers_of(games, 5, speeds=[1.0, 2.0, None, 3.0, None])
    shuffled = numbers_of(games.take(np.random.default_rng(0).permutation(120)), 5, speeds=[1.0, 2.0, None, 3.0, None])
    assert found == shuffled
    assert (found.games, found.deals, found.distinct, found.failed) == (120, 30, 120, 0)
    assert found.ranking[0] == 0
    assert found.agents[4].whole is None
    assert found.agents[4].by_seat == (None,) * 4
    assert [a.decisions for a in found.agents] == [1200] * 4 + [0]
    told = json.dumps(found.as_json())
    assert "speed" not in told
    assert json.loads(told)["agents"][0]["name"] == "agent 0"


def test_repeated_games_and_few_deals_are_told() -> None:
    games = simulate([0.0, 0.0], 5, 0)
    notes = numbers_of(games._replace(digest=games.digest // np.uint64(2)), 2).notes
    assert notes == (
        "5 of 10 games repeat another action for action: they add nothing new",
        "intervals take at least 8 deals, and there are 5",
    )


def test_no_game_has_no_numbers() -> None:
    games = simulate([0.0, 0.0], 5, 0)
    with pytest.raises(ValueError, match="before the first game"):
        numbers_of(games.take(np.arange(0)), 2)
