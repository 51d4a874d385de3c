"""Ratings: the likelihood's maximum, ties, several seats, what cannot be rated."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize
from simulated import games_of, simulate

from tritarea_eval.tournament import plackett_luce, ranking
from tritarea_eval.tournament.games import Games
from tritarea_eval.tournament.ratings import SCALE, Ratings, history, openskill_ratings, rate
from tritarea_eval.tournament.resampling import Deals


def rated(games: Games, agents: int, resamples: int = 200) -> Ratings:
    return rate(games, [f"agent {number}" for number in range(agents)], Deals.of(games.deal, 0, resamples))


def means(ratings: Ratings) -> NDArray[np.float64]:
    return np.array([estimate.mean for estimate in ratings.ratings])


def mixed(seed: int, games: int = 40) -> Games:
    """Three agents at random in four seats, an NPC (3) among them, with many ties."""
    random = np.random.default_rng(seed)
    holders = random.integers(0, 4, (games, 4))
    return games_of(holders, random.integers(0, 4, (games, 4)) + holders % 2, np.arange(games))


def likelihood(logs: NDArray[np.float64], games: Games, agents: int) -> float:
    """By the definition: the mean over all orders of level seats, and the prior."""
    total = plackett_luce.PRIOR * (logs - 2 * np.logaddexp(0, logs)).sum()
    for levels, holders in zip(ranking.levels(games, agents), games.holders, strict=True):
        seats = np.flatnonzero(levels >= 0)
        orders = [o for o in permutations(seats) if (np.diff(levels[list(o)]) >= 0).all()]
        for order in orders:
            own = logs[holders[list(order)]]
            total += sum(own[i] - np.logaddexp.reduce(own[i:]) for i in range(len(own))) / len(orders)
    return float(total)


def test_ratings_are_the_likeliest() -> None:
    games = mixed(0)
    best = optimize.minimize(lambda logs: -likelihood(logs, games, 3), np.zeros(3), tol=1e-12).x
    assert means(rated(games, 3)) == pytest.approx(SCALE * (best - best.mean()), abs=0.01)


def test_order_of_the_games_changes_nothing() -> None:
    games = mixed(1, 400)
    whole = rated(games, 3)
    for seed in range(3):
        shuffled = games.take(np.random.default_rng(seed).permutation(400))
        again = rated(shuffled, 3)
        assert again.ratings == whole.ratings  # to the last bit
        assert again.resampled.tobytes() == whole.resampled.tobytes()
        assert openskill_ratings(shuffled, 3) == openskill_ratings(games, 3)


def test_a_game_counts_as_often_as_it_is_drawn() -> None:
    """A resample's ratings are those of its games."""
    games = mixed(2, 30)
    deals = Deals.of(games.deal, 0, 4)
    found = plackett_luce.stages(ranking.levels(games, 3), games.holders, 3, deals.index)
    (weights,) = deals._weights()
    drawn = games.take(np.repeat(np.arange(30), weights[2].astype(int)))
    of_drawn = plackett_luce.stages(ranking.levels(drawn, 3), drawn.holders, 3, np.zeros(30, np.int64))
    prior = np.full((2, 1, 3), 0.5)
    one, other = (
        plackett_luce.fit(s.members, counts / s.unit, wins / s.unit, prior)
        for s, counts, wins in (
            (found, deals.resampled(found.counts)[[2]], deals.resampled(found.wins)[[2]]),
            (of_drawn, of_drawn.counts.toarray(), of_drawn.wins.toarray()),
        )
    )
    assert one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("tables", [None, [(0, 0, 1, 1)], [(0, 1, 1, 1), (1, 0, 0, 0)]])
def test_strengths_are_found_at_every_kind_of_table(tables: list[tuple[int, ...]] | None) -> None:
    strength = [0.5, -0.5] if tables else [0.9, 0.1, -0.3, -0.7]
    games = simulate(strength, 2000, 3, tables=tables, taste=0.0)
    assert means(rated(games, len(strength), 0)) == pytest.approx(SCALE * np.array(strength), abs=12)


def test_equal_agents_come_out_equal() -> None:
    apart = 0
    for seed in range(20):
        games = simulate([0.0] * 5, 60, seed, tables=list(combinations(range(5), 4)))
        found = rated(games, 5)
        for a, b in combinations(range(5), 2):
            difference = found.difference(a, b)
            assert difference.low is not None
            assert difference.high is not None
            apart += not difference.low <= 0 <= difference.high
    assert apart <= 0.09 * 200


def test_all_level_is_equal_to_the_last_bit() -> None:
    holders = np.tile([[0, 1, 2, 3]], (20, 1))
    found = rated(games_of(holders, np.zeros((20, 4), int), np.arange(20)), 4)
    assert means(found) == pytest.approx(np.zeros(4), abs=1e-9)
    assert [estimate.low for estimate in found.ratings] != [None] * 4  # what a tie leaves open is not nothing


def test_one_agent_alone() -> None:
    found = rated(simulate([0.0], 20, 0, tables=[(0, 0, 0, 0)], taste=0.0), 1)
    assert (found.ratings[0].mean, found.ratings[0].low, found.notes) == (0.0, None, ())
    assert found.difference(0, 0).mean == 0


def test_an_agent_that_always_wins_is_finite_and_told() -> None:
    games = simulate([30.0, 0.2, 0.0, -0.2], 100, 0)
    found = rated(games, 4)
    assert found.measured == (1, 2, 3)
    assert 500 < found.ratings[0].mean < 5000
    low, high = found.ratings[0].low, found.ratings[0].high
    assert low is not None
    assert (max(found.ratings[a].mean for a in found.measured) < low < found.ratings[0].mean, high) == (True, None)
    assert sum(found.ratings[a].mean for a in found.measured) == pytest.approx(0, abs=1e-9)
    assert found.ratings[1].low is not None
    assert found.difference(0, 1).low is None
    assert found.difference(1, 2).low is not None
    (note,) = found.notes
    assert note.startswith("agent 0 never finished behind or level with any of agent 1, agent 2, agent 3")


def test_an_agent_that_always_loses_does_not_move_the_others() -> None:
    three = simulate([0.5, 0.0, -0.5], 200, 5)
    added = np.concatenate([three.holders, np.full((600, 1), 3)], axis=1)
    score = np.concatenate([three.score, np.full((600, 1), -10000)], axis=1)
    found, without = rated(games_of(added, score, three.deal), 4), rated(three, 3)
    assert means(found)[:3] == pytest.approx(means(without), abs=1)
    assert found.notes[0].startswith("agent 3 never finished ahead of or level with any of agent 0, agent 1, agent 2")


def test_who_always_beats_whom_is_told() -> None:
    found = rated(simulate([40.0, 20.0, 0.0], 50, 0), 3)
    assert found.measured == ()
    assert np.argsort(means(found)).tolist() == [2, 1, 0]
    assert found.notes == ("no two agents have each finished ahead of the other: ratings show the order at most",)


def test_groups_that_never_met_are_told() -> None:
    games = simulate([0.0, 0.5, 0.0, 0.5, 0.0], 100, 0, tables=[(0, 1), (2, 3)])
    found = rated(games, 6)
    assert found.measured == (0, 1)
    assert [note.split(" never met")[0] for note in found.notes] == ["agent 4, agent 5", "agent 2, agent 3"]
    assert found.difference(0, 1).low is not None
    assert found.difference(0, 2).low is None


def test_few_deals_have_no_interval() -> None:
    assert rated(simulate([0.0] * 4, 7, 0), 4).ratings[0].low is None
    assert rated(simulate([0.0] * 4, 8, 0), 4).ratings[0].low is not None


def test_failed_seats_are_last_and_npcs_are_left_out() -> None:
    games = games_of(np.array([[0, 1, 2, 3]]), np.array([[50, 40, 30, 60]]), np.zeros(1))
    assert ranking.levels(games, 3).tolist() == [[0, 1, 2, -1]]
    failed = games._replace(failed=np.array([[True, False, True, False]]))
    assert ranking.levels(failed, 3).tolist() == [[1, 0, 1, -1]]


def test_winners_come_first_whatever_their_score() -> None:
    """TriATri's second tie-break is not in the score."""
    games = games_of(np.array([[0, 1, 2]]), np.array([[5, 5, 9]]), np.zeros(1))
    games = games._replace(share=np.array([[0.0, 1.0, 0.0]]))
    assert ranking.levels(games, 3).tolist() == [[2, 0, 1]]


def test_teams_are_folded_into_their_players() -> None:
    games = games_of(np.array([[0, 1, 2, 2]]), np.array([[1, 2, 30, 4]]), np.zeros(1))
    games = games._replace(share=np.array([[0.5, 0.0, 0.5, 0.0]]))
    folded = ranking.as_sides(games, [0, 1, 0, 1])
    assert folded.share.tolist() == [[1, 0, 0, 0]]
    assert folded.score.tolist() == [[31, 6, 0, 0]]
    assert folded.points.sum(axis=2).tolist() == [[31, 6, 0, 0]]
    assert ranking.levels(folded, 2).tolist() == [[0, 1, -1, -1]]
    assert ranking.contenders(folded).tolist() == [2]
    assert ranking.as_sides(games, [0, 1, 2, -1]) is games
    assert games.score.tolist() == [[1, 2, 30, 4]]


def test_history_ends_at_the_ratings() -> None:
    games = simulate([0.6, 0.0, -0.6], 50, 0)
    ends, path = history(games, ["a", "b", "c"], 7)
    assert (ends[0], ends[-1], len(path)) == (150 // 7, 150, 7)
    assert path[-1] == pytest.approx(means(rated(games, 3)), abs=1e-6)
    assert path[2] == pytest.approx(means(rated(games.take(np.arange(ends[2])), 3)), abs=1e-6)
    assert len(history(games.take(np.arange(3)), ["a", "b", "c"], 7)[0]) == 3


def test_openskill_sees_who_is_stronger() -> None:
    found = openskill_ratings(simulate([1.0, 0.0, -1.0], 100, 0), 4)
    assert found[0][0] > found[1][0] > found[2][0]
    assert found[0][1] < found[3][1] == 25 / 3
    alone = openskill_ratings(simulate([0.0], 5, 0, tables=[(0, 0)], taste=0.0), 1)
    assert alone == [(25.0, 25 / 3)]


def test_who_always_loses_or_wins_has_a_limit_like_the_rule_of_three() -> None:
    """Equal agents 0 and 1 win in turn; 2 met agent 0 on 20 deals of three games, and won none, or all."""
    deals = 20
    at = np.arange(deals).repeat(3)
    even = [([0, 1], [1, 0]), ([0, 1], [0, 1])] * deals
    for side in (-1, 1):
        rows = [*even, *[([0, 2], [0, side])] * (3 * deals)]
        holders, scores = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
        first, second, odd = rated(games_of(holders, scores, np.concatenate([np.arange(2 * deals), at])), 3).ratings
        other = 1 - 0.05 ** (1 / deals)  # with this chance to win a game, none of 20 is won once in twenty times
        apart = SCALE * np.log(other / (1 - other))
        assert first.mean == pytest.approx(second.mean, abs=20)
        end, none = (odd.high, odd.low) if side < 0 else (odd.low, odd.high)
        assert none is None
        assert end == pytest.approx(first.mean - side * apart, abs=1e-6)
        assert (odd.mean - end) * side > 0


def test_limits_take_enough_deals() -> None:
    holders, scores = np.array([[0, 1], [0, 1], [0, 2]]), np.array([[1, 0], [0, 1], [1, 0]])
    games = [games_of(holders.repeat(n, 0), scores.repeat(n, 0), np.tile(np.arange(n), 3)) for n in (7, 8)]
    few, many = (rated(one, 3).ratings[2] for one in games)
    assert (few.low, few.high, many.low) == (None, None, None)
    assert many.high is not None
