"""Who has won a game in which agents failed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tritarea_agents.faults import Fault
from tritarea_agents.playing import Participant, Played, play_games
from tritarea_agents.random import RandomAgent
from tritarea_env import games, records
from tritarea_eval.tournament.play import shares_of

GAMES = 16
CASES = [("tritarea", {}), ("tritarea", {"players": 2}), ("tritarea", {"players": 3}), ("triatri", {"players": 3})]
in_games = pytest.mark.parametrize(("name", "options"), CASES)


def played_with(name: str, options: dict[str, Any], *failed: int) -> Played:
    """Random games, and in every one faults of these seats."""
    game = games.get(name)
    checked = game.check_options(options)
    keys = np.arange(1, GAMES + 1, dtype=np.uint64)
    holders = np.zeros((GAMES, game.seats_of(checked)), np.int8)
    played = play_games(game, checked, [Participant("A", RandomAgent())], holders, keys, keys)
    faults = tuple(Fault(i, seat, 3, "error", "no idea") for i in range(GAMES) for seat in failed)
    return replace(played, faults=faults)


@in_games
def test_without_failures_it_is_the_share_of_the_win(name: str, options: dict[str, Any]) -> None:
    played = played_with(name, options)
    for rule in ("random_last", "random_as_played"):
        assert np.array_equal(shares_of(played, rule), played.shares())
    failed = played_with(name, options, 0)
    before = failed.final.copy()
    assert np.array_equal(shares_of(failed, "random_as_played"), played.shares())
    shares_of(failed, "random_last")
    assert np.array_equal(failed.final, before)  # scores stay as they were played


@in_games
@pytest.mark.parametrize("failed", [(0,), (1,), (0, 1)])
def test_who_failed_comes_last(name: str, options: dict[str, Any], failed: tuple[int, ...]) -> None:
    played = played_with(name, options, *failed)
    sides = played.game.sides(played.options)
    left = [seat for seat, side in enumerate(sides) if (side if side >= 0 else seat) not in failed]
    shares = shares_of(played, "random_last")
    assert np.allclose(shares.sum(axis=1), 1)
    for i in range(GAMES):
        if not left:
            assert (shares[i] == 1 / len(sides)).all()
            continue
        if options.get("players") == 2:
            best = left
        else:
            best = [seat for seat in left if played.scores[i, seat] == max(played.scores[i, left])]
        assert set(np.flatnonzero(shares[i])) <= set(best)
        if name == "tritarea":  # TriATri breaks ties by gems
            assert set(np.flatnonzero(shares[i])) == set(best)


@pytest.mark.parametrize(("name", "options"), [CASES[0], CASES[3]])
def test_everybody_failed(name: str, options: dict[str, Any]) -> None:
    played = played_with(name, options, *range(4 if name == "tritarea" else 3))
    shares = shares_of(played, "random_last")
    assert (shares == 1 / shares.shape[1]).all()


def test_an_npc_does_not_take_its_player_along() -> None:
    played = played_with("tritarea", {"players": 2}, 2)
    assert np.array_equal(shares_of(played, "random_last"), played.shares())
    alone = played_with("tritarea", {"players": 3}, 3)
    assert (shares_of(alone, "random_last")[:, 3] == 0).all()


def test_a_winner_that_failed_leaves_its_win_to_the_next() -> None:
    played = played_with("triatri", {"players": 3}, 1)
    before, after = played.shares(), shares_of(played, "random_last")
    others = [i for i in range(GAMES) if records.winners_of(played.final[i]) == [1]]
    assert others
    assert (after[others][:, [0, 2]].sum(axis=1) == 1).all()
    same = before[:, 1] == 0
    assert np.array_equal(after[same], before[same])
