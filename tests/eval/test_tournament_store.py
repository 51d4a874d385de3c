"""A tournament's file: what goes in comes out; what is no such file, or another's, is refused in one line."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import good, refused
from tourneys import SMALL, config_of, exported, ignore, play_to

from tritarea_env import records
from tritarea_eval.tournament import identity, layout, store
from tritarea_eval.tournament.games import Games
from tritarea_eval.tournament.record import record_of
from tritarea_eval.tournament.run import play
from tritarea_eval.tournament.store import Batch, Ended, Failure, StoreError, Timed, begin, read
from tritarea_eval.tournament.work import Work


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "small.sqlite"
    play_to(path, config_of())
    return path


@pytest.fixture
def copied(played: Path, tmp_path: Path) -> Path:
    path = tmp_path / "copied.sqlite"
    path.write_bytes(played.read_bytes())
    return path


def some_games(n: int, seats: int, sources: int) -> Games:
    rng = np.random.default_rng(1)
    return Games(
        id=np.arange(n),
        block=np.arange(n) // 2,
        deal=np.arange(n) // 4,
        holders=rng.integers(0, 3, (n, seats)).astype(np.int8),
        score=rng.integers(-50, 99, (n, seats)),
        share=rng.random((n, seats)),
        points=rng.integers(-9, 99, (n, seats, sources)),
        start=rng.integers(-1, seats, n).astype(np.int8),
        failed=rng.random((n, seats)) < 0.2,
        digest=rng.integers(0, 2**64, n, np.uint64),
        decisions=rng.integers(0, 99, (n, seats)),
    )


@pytest.mark.parametrize("n", [0, 1, 7])
def test_rows_are_the_games(n: int) -> None:
    plan, games = layout.Layout(3, ("area", "blocks left")), some_games(n, 3, 2)
    rows = plan.rows(games)
    assert all(len(row) == len(plan.columns) for row in rows)
    for name, back, there in zip(Games._fields, plan.games(rows), games, strict=True):
        assert back.dtype == there.dtype, name
        assert np.array_equal(back, there), name


def test_moves_are_packed() -> None:
    seats, actions = np.array([0, 3, 2], np.int8), np.array([1, 400, 0], np.int16)
    back = layout.unpack(layout.pack(seats, actions))
    assert np.array_equal(back[0], seats)
    assert np.array_equal(back[1], actions)
    with pytest.raises(ValueError, match="damaged"):
        layout.unpack(b"no record")


def test_what_is_stored_is_found(tmp_path: Path) -> None:
    config = config_of()
    path = tmp_path / "new.sqlite"
    with begin(path, config, identity.identities(config)) as new:
        games = some_games(8, 2, len(new.layout.sources))
        moves = [layout.pack(np.zeros(i, np.int8), np.arange(i, dtype=np.int16)) for i in range(8)]
        failures = [Failure(5, 1, 7, 2, "late", "after 5 s"), Failure(3, 0, 2, 1, "error", "it's “broken”")]
        new.add(Batch(games, moves, failures, [Timed(0, 10, 0.5), Timed(1, 0, 0.0)]))
        new.add(Batch(new.layout.games([]), [], [], [Timed(0, 20, 0.5)]))
        new.end(Ended(4, "enough"))
    with read(path) as found:
        assert found.config == config
        assert [agent.name for agent in found.agents] == ["one", "two", "first"]
        assert all(map(np.array_equal, found.games(), games))
        assert found.games(2).id.tolist() == [0, 1, 2, 3]
        assert found.blocks().tolist() == [0, 1, 2, 3]
        assert found.failures() == failures[::-1]
        assert found.speeds() == {0: 30.0}
        assert found.ended == (4, "enough")
        assert found.moves(6)[1].tolist() == [0, 1, 2, 3, 4, 5]
        assert [len(moves) for _, moves in found.recorded(3)] == [3, 3, 2]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["new.sqlite"]  # no lock, no journal is left


def test_a_batch_is_stored_whole_or_not(tmp_path: Path) -> None:
    config = config_of()
    with begin(tmp_path / "new.sqlite", config, identity.identities(config)) as new:
        games = some_games(4, 2, len(new.layout.sources))
        twice = games.take(np.array([0, 1, 1]))
        with pytest.raises(StoreError, match="UNIQUE"):
            new.add(Batch(twice, [b""] * 3, [], [Timed(0, 1, 1.0)]))
        assert new.count() == 0
        assert new.speeds() == {}
        new.add(Batch(games, [b""] * 4, [], []))
        assert new.count() == 4


def test_records_replay(played: Path) -> None:
    with read(played) as found:
        games = found.games()
        for game in (0, 41, len(games.id) - 1):
            record = record_of(found, game)
            records.check(record)
            assert record["scores"] == games.score[game].tolist()
        with pytest.raises(StoreError, match=r"no game 999: it holds 60 games, 0 … 59"):
            record_of(found, 999)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 4, "deals": 31}, "seed was 3, now 4; deals was 30, now 31"),
        ({"game": {"name": "triatri", "options": {"players": 2}}, "failure": "random_as_played"}, "failure was"),
        ({"agents": {"one": "random", "two": "greedy", "first": "eval_agents:First"}}, "agents.two was 'random', now"),
        (
            {"agents": {"two": "random", "one": "random", "first": "eval_agents:First"}},
            "order was one, two, first, now",
        ),
    ],
)
def test_another_config_is_refused(copied: Path, change: dict[str, Any], told: str) -> None:
    before = copied.read_bytes()
    with pytest.raises(StoreError, match=told):
        play_to(copied, config_of(**change))
    assert copied.read_bytes() == before


def test_a_changed_agent_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    code = "def act(observation, mask):\n    return mask.argmax()\n"
    (tmp_path / "changing_agent.py").write_text(code)
    config = config_of(agents={"one": "random", "mine": "changing_agent:act"}, deals=2)
    play_to(tmp_path / "new.sqlite", config)
    play_to(tmp_path / "new.sqlite", config)
    (tmp_path / "changing_agent.py").write_text(code + "# better\n")
    with pytest.raises(
        StoreError, match=r"agent 'mine' \(changing_agent:act\) has changed: the digest of its files was"
    ):
        play_to(tmp_path / "new.sqlite", config)


def test_digests_are_of_what_a_spec_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "bot.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert identity.digest_of("random") is None
    assert identity.digest_of("greedy:block=2.5") is None
    first = identity.digest_of("exec:./bot.sh --fast")
    assert first is not None
    assert identity.digest_of("exec:seconds=2 ./bot.sh") == first
    program.write_text("#!/bin/sh\n\n")
    assert identity.digest_of("exec:./bot.sh --fast") != first
    (tmp_path / "greedy").mkdir()  # the names of agents win over folders
    assert identity.digest_of("greedy") is None
    (tmp_path / "bot.toml").write_text("x = 1\n")
    assert identity.digest_of("expert:file=bot.toml") is not None
    assert identity.digest_of("eval_agents:First") is not None


def test_digests_are_of_a_nets_newest_checkpoint(tmp_path: Path) -> None:
    def write(steps: int, weights: bytes) -> None:
        folder = tmp_path / "checkpoints" / str(steps)
        folder.mkdir(parents=True)
        (folder / "meta.json").write_text("{}")
        (folder / "policy.safetensors").write_bytes(weights)

    write(100, b"weights")
    first = identity.digest_of(str(tmp_path))
    assert first is not None
    assert identity.digest_of(f"{tmp_path}:sample=true") == first
    assert identity.digest_of(f"search:net={tmp_path},sims=10") == first
    write(200, b"others")
    assert identity.digest_of(str(tmp_path)) != first


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()


def _newer(path: Path) -> None:
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def _cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _scribbled(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 8192)


def changed(path: Path, statement: str) -> None:
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda path: path.write_bytes(b"SQLite format 3\x00" + b"nonsense" * 99), "no tournament's file"),
        (lambda path: (path.unlink(), _foreign(path)), "this is no tournament's file"),
        (_newer, "has format 99; this version of tritarea reads format 1"),
        (_cut, "the file is damaged"),
        (_scribbled, "the file is damaged"),
        (lambda path: changed(path, "UPDATE about SET value = '{'"), "the file is damaged: its config"),
        (lambda path: changed(path, "DELETE FROM agents"), "the file is damaged: its agents"),
    ],
    ids=["nonsense", "foreign", "newer", "cut", "scribbled", "config", "agents"],
)
def test_files_that_cannot_be_used(copied: Path, harm: Any, told: str) -> None:
    harm(copied)
    before = copied.read_bytes()
    assert told in refused("tournament", copied, "--table")
    with pytest.raises(StoreError, match=told):
        play_to(copied, config_of())
    assert copied.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE games SET agent_0 = 99 WHERE id = 3", "game 3: it has an agent that is none"),
        ("UPDATE games SET share_0 = 'much' WHERE id = 3", "games: could not convert"),
        ("UPDATE games SET score_0 = 1e300 WHERE id = 3", "games: Python int too large"),
        ("INSERT INTO about VALUES ('ended', '{}')", "its end: "),
    ],
)
def test_contents_that_cannot_be(copied: Path, statement: str, told: str) -> None:
    changed(copied, statement)
    assert f"the file is damaged: {told}" in refused("tournament", copied, "--table")


def test_a_text_is_no_file_of_a_tournament(tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("hello, this is long enough to be looked at as a database\n" * 20)
    with pytest.raises(StoreError, match="this is no tournament's file"):
        read(tmp_path / "text.sqlite")
    with pytest.raises(StoreError, match="there is no file"):
        read(tmp_path / "missing.sqlite")
    with pytest.raises(StoreError, match="there is no folder"):
        play_to(tmp_path / "missing" / "new.sqlite", config_of())
    with pytest.raises(StoreError, match="is a folder"):
        play_to(tmp_path, config_of())


def test_one_process_at_a_time(copied: Path) -> None:
    code = "import sys, tourneys, pathlib; tourneys.play_to(pathlib.Path(sys.argv[1]), tourneys.config_of())"
    config = config_of()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with begin(copied, config, identity.identities(config)):
        done = subprocess.run([sys.executable, "-c", code, copied], env=environment, capture_output=True, text=True)
        assert "is in use: another process plays this tournament" in done.stderr
        with read(copied) as found:  # but it may be looked at
            assert found.count() == 60
    play_to(copied, config)


def test_locked_by_another_program(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.1)
    other = sqlite3.connect(copied, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreError, match="locked by another program"):
        play_to(copied, config_of())
    other.close()


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    config, path = config_of(deals=200), tmp_path / "new.sqlite"
    with begin(path, config, identity.identities(config)) as new:
        new._connection.execute("PRAGMA max_page_count = 14")
        with pytest.raises(StoreError, match="the disk is full; what was stored before is whole"):
            play(new, Work(config).play_all, 10, ignore, ignore)
        assert 0 < new.count() < 400
    whole = tmp_path / "whole.sqlite"
    play_to(path, config)
    play_to(whole, config)
    assert exported(path) == exported(whole)


def test_readable_without_the_right_to_write(copied: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    copied.chmod(0o444)
    copied.parent.chmod(0o555)
    try:
        with read(copied) as found:
            assert found.count() == 60
    finally:
        copied.parent.chmod(0o755)


def test_the_table_is_shown_from_the_file_alone(played: Path) -> None:
    shown = good("tournament", played, "--table")
    assert "TriATri, round_robin, 60 games on 30 deals, seed 3" in shown
    assert SMALL["agents"].keys() <= set(shown.replace("│", " ").split())
