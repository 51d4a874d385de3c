"""Matches: the same deals with the agents in every seat, and what is counted."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from eval_agents import First, Last
from numpy.typing import NDArray

from tritarea_env import records
from tritarea_env.aec import GameEnv
from tritarea_env.engine.rng import derive_many, key_of
from tritarea_eval.match import MatchResult, play_match
from tritarea_eval.report import match_report, remarks

TABLES = [("tritarea", 4), ("triatri", 2), ("triatri", 3), ("triatri", 4)]
at_tables = pytest.mark.parametrize(("name", "players"), TABLES)


def play(agents: list[Any], games: int, name: str = "tritarea", players: int = 4, **more: Any) -> MatchResult:
    more["options"] = {"players": players, **more.get("options", {})}
    return play_match(name, agents, games=games, **{"seed": 1, **more})


def text_of(result: MatchResult) -> str:
    from rich.console import Console

    console = Console(width=100)
    with console.capture() as captured:
        console.print(*match_report(result))
    return captured.get()


@at_tables
def test_identical_agents_win_equally(name: str, players: int) -> None:
    """A win share of one seat's part, within the interval."""
    games = 1000 * players
    result = play(["random", "random"], games, name, players)
    a, b = result.agents
    assert a.share.mean + b.share.mean == pytest.approx(1.0)
    for agent in result.agents:
        assert agent.share.low < agent.even < agent.share.high
    assert (a.even, b.even) == (1 / players, (players - 1) / players)
    assert (a.seats, b.seats) == (1, players - 1)
    assert [n for n, _, _ in a.by_seat] == [1000] * players
    assert [n for n, _, _ in b.by_seat] == [1000 * (players - 1)] * players
    assert result.distinct == games
    assert f"{games} of {games} games are distinct." in text_of(result)


def alike_on_a_deal(
    game: Any, options: Any, agents: Any, holders: NDArray[np.int8], streams: NDArray[np.uint64], *_: Any
) -> SimpleNamespace:
    """Stands for ``play_games``: the deal alone decides how the first agent does, wherever it sits."""
    luck = (streams / 2.0**64)[:, None]
    own = holders == 0
    win = np.where(own, luck < 0.4, (luck >= 0.4) / 3)
    score = np.where(own, 100 * luck, 50.0)
    return SimpleNamespace(shares=lambda: win, scores=score, digests=lambda: streams)


def test_whole_deals_are_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four games that come out alike are no more than one: the intervals are those of 400 deals, not 1600 games."""
    monkeypatch.setattr("tritarea_eval.match.play_games", alike_on_a_deal)
    result = play(["random", "random"], 1600, chunk=100)
    streams = np.empty(400, np.uint64)
    derive_many(key_of(1), 0, streams)
    luck = streams / 2.0**64
    own = result.agents[0]
    for estimate, values in ((own.share, luck < 0.4), (own.score, 100 * luck)):
        assert estimate.mean == pytest.approx(values.mean())
        assert estimate.high - estimate.low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(400), rel=0.1)


def test_greedy_beats_random() -> None:
    result = play(["greedy", "random"], 80)
    assert result.agents[0].share.low > 0.8
    assert result.agents[0].decisions + result.agents[1].decisions > 80 * 100


@at_tables
def test_every_deal_is_played_in_every_seat(name: str, players: int) -> None:
    """Two agents: the first goes round; the deal is that of the environment's game_index."""
    result = play([Last(), First()], 2 * players, name, players, keep_records=True)
    env = GameEnv(name, players=players)
    for number, record in enumerate(result.records):
        deal, turn = divmod(number, players)
        env.reset(seed=1, options={"game_index": deal})
        start = env.record()
        assert record["deals"][: len(start["deals"])] == start["deals"]
        assert record.get("start_player") == start.get("start_player")
        for one, other in zip(record["deals"], result.records[deal * players]["deals"], strict=False):
            assert one == other  # TriATri's later deals too, which a game takes as it needs them
        for _, legal, seat, action in records.replay(record):
            if action is not None:
                assert action == (legal[-1] if seat == turn else legal[0])


@at_tables
def test_as_many_agents_as_seats_rotate(name: str, players: int) -> None:
    first, last = First(), Last()
    result = play([last, *[first] * (players - 1)], players, name, players, keep_records=True)
    pair = play([last, first], players, name, players, keep_records=True)
    assert result.records == pair.records
    assert "".join(agent.label[0] for agent in result.agents) == "ABCD"[:players]
    assert sum(agent.share.mean for agent in result.agents) == pytest.approx(1.0)
    assert all([n for n, _, _ in agent.by_seat] == [1] * players for agent in result.agents)


@pytest.mark.parametrize(("name", "players"), [("tritarea", 4), ("triatri", 3)])
@pytest.mark.parametrize("chunk", [1, 12, 50])
def test_result_does_not_depend_on_the_chunk(chunk: int, name: str, players: int) -> None:
    whole = play(["greedy", "random"], 40, name, players, keep_records=True)
    parts = play(["greedy", "random"], 40, name, players, keep_records=True, chunk=chunk)
    assert parts.as_json() == whole.as_json()
    assert parts.records == whole.records


def test_more_games_begin_with_the_same_games() -> None:
    few, many = (play(["random", "random"], n, keep_records=True) for n in (8, 16))
    assert many.records[:8] == few.records
    other = play(["random", "random"], 8, keep_records=True, seed=2)
    assert not any(record in few.records for record in other.records)


@pytest.mark.parametrize(("name", "more"), [("tritarea", {"npc": "random"}), ("triatri", {})])
@pytest.mark.parametrize(("games", "players", "whole"), [(1, 4, 4), (4, 4, 4), (5, 4, 8), (4, 3, 6), (3, 2, 4)])
def test_games_are_rounded_up_to_whole_deals(
    games: int, players: int, whole: int, name: str, more: dict[str, Any]
) -> None:
    result = play(["random", "random"], games, name, players, options=more)
    assert (result.games, result.deals) == (whole, whole // players)


@at_tables
def test_repeated_games_are_counted_once(name: str, players: int) -> None:
    """Agents without chance play the same game in all turns of a deal."""
    games = 5 * players
    result = play([First(), First()], games, name, players)
    assert (result.games, result.distinct) == (games, 5)
    assert f"5 of {games} games are distinct. The rest repeat" in text_of(result)
    assert result.agents[0].share.mean == pytest.approx(1 / players)


@at_tables
def test_shares_and_scores_are_those_of_the_records(tmp_path: Path, name: str, players: int) -> None:
    out = tmp_path / "games.jsonl"
    result = play(["greedy", "random"], 5 * players, name, players, out=out)
    kept = records.read(out)
    assert len(kept) == 5 * players
    for record in kept:
        records.check(record)
    share = [(i % players in r["winners"]) / len(r["winners"]) for i, r in enumerate(kept)]
    score = [r["scores"][i % players] for i, r in enumerate(kept)]
    assert result.agents[0].share.mean == pytest.approx(np.mean(share))
    assert result.agents[0].score.mean == pytest.approx(np.mean(score))
    assert [s for _, s, _ in result.agents[0].by_seat] == pytest.approx(np.reshape(share, (5, players)).mean(axis=0))


def test_two_players_are_teams() -> None:
    """A9: the partner's score and victory count."""
    result = play([Last(), First()], 20, players=2, options={"npc": "random"}, keep_records=True)
    a, b = result.agents
    assert (a.even, b.even) == (0.5, 0.5)
    assert a.share.mean + b.share.mean == pytest.approx(1.0)
    totals = [r["scores"][i % 2] + r["scores"][i % 2 + 2] for i, r in enumerate(result.records)]
    assert a.score.mean == pytest.approx(np.mean(totals))
    assert result.npc_share is None


@pytest.mark.parametrize("players", [1, 3])
def test_npcs_win_for_themselves(players: int) -> None:
    agents = ["random"] if players == 1 else ["random", "random"]
    result = play(agents, 60, players=players, options={"npc": "random"})
    assert sum(agent.share.mean for agent in result.agents) + result.npc_share == pytest.approx(1.0)
    assert sum(agent.even for agent in result.agents) == players / 4
    assert "NPC seats won" in remarks(result)
    assert f"players={players}" in remarks(result)


@pytest.mark.parametrize(
    ("agents", "more", "message"),
    [
        (["random"], {}, "between two agents or 4, not 1"),
        (["random"] * 3, {}, "between two agents or 4, not 3"),
        (["random", "nobody"], {}, "nobody"),
        (["random", "random"], {"players": 1}, "between one agent, not 2"),
        (["random", "random"], {"options": {"size": 1}}, "size"),
        (["random"] * 4, {"name": "triatri", "players": 3}, "between two agents or 3, not 4"),
        (["random"] * 3, {"name": "triatri", "players": 2}, "between two agents, not 3"),
        (["random"], {"name": "triatri", "players": 1}, "players is 2, 3 or 4, not 1"),
        (["random", "random"], {"games": 0}, "from 1 on, not 0"),
        (["random", "random"], {"seed": -1}, "seed"),
        (["random", "random"], {"chunk": 0}, "chunk is a whole number from 1 on, not 0"),
        (["random", "random"], {"chunk": -3}, "chunk is a whole number from 1 on, not -3"),
        (["random", "random"], {"chunk": 2.0}, "chunk is a whole number"),
    ],
)
def test_wrong_matches_are_refused(agents: list[str], more: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play(agents, **{"games": 4, **more})


def test_progress_counts_all_games_and_decisions() -> None:
    calls: list[tuple[int, int]] = []
    result = play(["random", "random"], 12, chunk=4, on_progress=lambda *call: calls.append(call))
    assert sum(games for games, _ in calls) == 12
    assert sum(made for _, made in calls) == sum(agent.decisions for agent in result.agents)
