"""Decisions as rows: what is written is what was seen and done, and it can be read back as arrays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers import EVERY_TABLE

from tritarea_agents.playing import Participant, Played, play_games
from tritarea_env import Batch, games
from tritarea_env.engine.rng import child, key_of
from tritarea_env.errors import RecordError
from tritarea_env.games import Game
from tritarea_env.views import find_agent
from tritarea_eval.tournament import dataset, parquet
from tritarea_eval.tournament.dataset import Recorded
from tritarea_eval.tournament.games import Games

NAMES = ["first", "second"]
PAGE = Path(__file__).parents[2] / "docs" / "dataset.md"
SEED = 7


def played(game: Game, options: dict[str, Any], deals: int) -> tuple[Played, np.ndarray]:
    seats = game.seats_of(options)
    holders = np.array([[(deal + seat) % 2 for seat in range(seats)] for deal in range(deals)], np.int8)
    holders[:, len(game.agents(options)) :] = 2  # where there are NPC seats
    players = [Participant(name, find_agent("random", game, options)) for name in [*NAMES, "npc"]]
    streams = np.array([child(key_of(SEED), deal) for deal in range(deals)], np.uint64)
    return play_games(game, options, players, holders, streams, streams), holders


def recorded(game: Game, options: dict[str, Any], deals: int = 3) -> Recorded:
    result, holders = played(game, options, deals)
    lengths = (result.actions >= 0).sum(axis=1)
    ids = np.arange(deals) * 5
    none = np.zeros(holders.shape, np.int64)
    rows = Games(
        id=ids,
        block=ids,
        deal=np.arange(deals),
        holders=holders,
        score=result.scores,
        share=result.shares(),
        points=np.zeros((*holders.shape, len(game.sources)), np.int64),
        start=np.zeros(deals, np.int8),
        failed=none.astype(bool),
        digest=result.digests(),
        decisions=none,
    )
    moves = [(result.seats[i, :n], result.actions[i, :n]) for i, n in enumerate(lengths)]
    return Recorded(rows, result.streams, [m[0] for m in moves], [m[1] for m in moves], none - 1)


def frame_of(game: Game, options: dict[str, Any], found: Recorded, agents: list[str] | None = None) -> pl.DataFrame:
    return pl.concat(dataset.frames(game, options, NAMES, [found], agents))


@EVERY_TABLE
def test_rows_are_what_a_batch_shows_when_the_actions_are_played_again(name: str, options: dict[str, Any]) -> None:
    game = games.get(name)
    checked = game.check_options(options)
    found = recorded(game, checked)
    frame = frame_of(game, checked, found)
    assert frame.columns == list(dataset.COLUMNS)
    assert frame.schema == pl.Schema(dataset.schema_of(game, NAMES))
    assert len(frame) == sum(map(len, found.actions))
    batch = Batch(name, 3, seed=SEED, **options)  # its rows are the deals 0, 1, 2
    rows = frame.sort("decision", "deal")
    for _, now in rows.group_by("decision", maintain_order=True):
        at = now["deal"].to_numpy()
        np.testing.assert_array_equal(batch.seat[at], now["seat"])
        np.testing.assert_array_equal(batch.observation[at], now["observation"].to_numpy())
        np.testing.assert_array_equal(batch.mask[at], now["mask"].to_numpy())
        actions = batch.mask.argmax(axis=1)  # of a row that is over: anything
        actions[at] = now["action"]
        batch.step(actions)
        for deal in np.flatnonzero(batch.done & np.isin(np.arange(3), at)):
            over = rows.filter(pl.col("deal") == deal)
            np.testing.assert_array_equal(over["return"], batch.reward[deal][over["seat"]])
            np.testing.assert_array_equal(over["score"], batch.final_scores[deal][over["seat"]])
            held = found.games.holders[deal][over["seat"]]
            assert over["agent"].to_list() == [[*NAMES, None][k] for k in held]
            np.testing.assert_array_equal(over["share"], found.games.share[deal][over["seat"]])


def simple(deals: int = 3) -> tuple[Game, dict[str, Any], Recorded]:
    game = games.get("triatri")
    options = game.check_options({"players": 2})
    return game, options, recorded(game, options, deals)


def test_decisions_of_some_agents_alone() -> None:
    game, options, found = simple()
    everyone, one = frame_of(game, options, found), frame_of(game, options, found, ["second"])
    assert one.equals(everyone.filter(pl.col("agent") == "second"))
    assert 0 < len(one) < len(everyone)


def test_decisions_that_chance_made_for_a_failed_agent_are_marked() -> None:
    game, options, found = simple(1)
    found.failed_at[0, 1] = 5
    rows = frame_of(game, options, found)
    stands = (pl.col("seat") == 1) & (pl.col("decision") >= 5)
    assert rows.filter(~pl.col("own")).equals(rows.filter(stands))


def test_a_record_that_does_not_fit_is_named() -> None:
    game, options, found = simple()
    found.games.score[2, 0] += 1
    with pytest.raises(RecordError, match=r"game 10: its record comes to \[.*\], its result is \["):
        frame_of(game, options, found)
    game, options, found = simple()
    found.actions[1][3] = -1
    with pytest.raises(RecordError, match="game 5: decision 3 of its record does not fit"):
        frame_of(game, options, found)
    game, options, found = simple()
    found.streams[:2] = found.streams[1::-1]
    with pytest.raises(RecordError, match="game 0: decision"):
        frame_of(game, options, found)


def written(path: Path, parts: list[Recorded]) -> bytes:
    game, options, _ = simple(1)
    parquet.write(
        dataset.frames(game, options, NAMES, parts), dataset.schema_of(game, NAMES), path, {"about": "a test"}
    )
    return path.read_bytes()


def test_the_same_bytes_however_the_games_arrive(tmp_path: Path) -> None:
    _, _, found = simple(4)
    parts = [
        Recorded(found.games.take(at), found.streams[at], [found.seats[i] for i in at], [found.actions[i] for i in at],
                 found.failed_at[at])
        for at in (np.arange(1), np.arange(1, 4))
    ]  # fmt: skip
    assert written(tmp_path / "a", [found]) == written(tmp_path / "b", parts)
    assert pl.read_parquet_metadata(tmp_path / "a")["about"] == "a test"


def test_a_file_that_fails_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    path.write_text("before")
    _, _, found = simple(2)
    wrong = simple(2)[2]
    wrong.games.score[1] += 1
    with pytest.raises(RecordError, match="game 5"):
        written(path, [found] * 8 + [wrong])
    assert [entry.name for entry in tmp_path.iterdir()] == ["data.parquet"]
    assert path.read_text() == "before"


def test_an_error_while_writing_is_told(tmp_path: Path) -> None:
    """More frames are ready than wait for the file: whoever makes them must not wait for ever."""
    game, options, found = simple(1)
    frame = frame_of(game, options, found)
    broken = {**dataset.schema_of(game, NAMES), "mask": pl.List(pl.String)}
    with pytest.raises(pl.exceptions.PolarsError):
        parquet.write(iter([frame] * 50), broken, tmp_path / "data.parquet", {})
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_a_full_disk_is_told() -> None:
    game, options, found = simple(1)
    frame = frame_of(game, options, found)
    with pytest.raises(OSError, match=r"No space left|cannot be written"):
        parquet.write([frame], dataset.schema_of(game, NAMES), Path("/dev/full"), {})


def test_the_columns_are_documented() -> None:
    page = PAGE.read_text()
    types = dataset.schema_of(games.get("tritarea"), NAMES)
    for column, meaning in dataset.COLUMNS.items():
        kind = str(types[column].base_type())
        assert f"| `{column}` | {kind} | {meaning} |" in page
