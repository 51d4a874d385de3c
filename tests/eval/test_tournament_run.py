"""Playing a tournament: nothing but its config says what comes out."""

from __future__ import annotations

import io
import json
import multiprocessing
import random
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
import tournament_kills
from commandline import good, refused, run
from rich.console import Console
from tourneys import SMALL, config_of, exported, ignore, play_to

from tritarea_eval.tournament import pool, watching
from tritarea_eval.tournament.config import load
from tritarea_eval.tournament.identity import identities
from tritarea_eval.tournament.run import complete, finish, play, rule_of
from tritarea_eval.tournament.schedule import Schedule
from tritarea_eval.tournament.store import begin, read
from tritarea_eval.tournament.work import Work

PLAIN = {"one": "random", "two": "random"}  # agents that every process finds


class Interrupted(Exception):
    """The test's own."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "whole.sqlite"
    play_to(path, config_of(), games_at_once=256)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("batch", [1, 7])
def test_batches_change_nothing(whole: Path, tmp_path: Path, batch: int, kind: str) -> None:
    play_to(tmp_path / "other.sqlite", config_of(), games_at_once=batch)
    assert exported(tmp_path / "other.sqlite", kind) == exported(whole, kind)


def test_workers_change_nothing(whole: Path, tmp_path: Path) -> None:
    config, path, finished = config_of(), tmp_path / "two.sqlite", []
    with begin(path, config, identities(config)) as store, pool.Team(config, 2) as team:
        play(store, team.play, 4, lambda games, decisions: finished.append((games, decisions)), ignore)
    assert exported(path) == exported(whole)
    with read(path) as store:
        assert sum(games for games, _ in finished) == store.count() == 60
        assert sum(decisions for _, decisions in finished) == store.games().decisions.sum()


def test_interruptions_change_nothing(whole: Path, tmp_path: Path) -> None:
    rng, config, path = random.Random(1), config_of(), tmp_path / "often.sqlite"
    interruptions = 0
    while True:
        left = rng.randrange(1, 6)

        def count_down(_: Any) -> None:
            nonlocal left
            left -= 1
            if not left:
                raise Interrupted

        try:
            play_to(path, config, games_at_once=rng.choice([1, 4, 6]), on_stored=count_down)
            break
        except Interrupted:
            interruptions += 1
    assert interruptions >= 3
    assert exported(path) == exported(whole)


def test_a_hole_is_filled(whole: Path, tmp_path: Path) -> None:
    config, path = config_of(), tmp_path / "hole.sqlite"
    work = Work(config)
    with begin(path, config, identities(config)) as store:
        for block in (3, 4, 17):
            store.add(work.play(block, 1))
        assert not complete(store, work.schedule)
        play(store, work.play_all, 16, ignore, ignore)
        assert complete(store, work.schedule)
    assert exported(path) == exported(whole)


@pytest.mark.parametrize("name", ["tritarea", "triatri"])
def test_columns_say_what_was_played(name: str) -> None:
    agents = dict.fromkeys("abcd", "random")
    work = Work(config_of(game={"name": name}, agents=agents, deals=4))
    games = work.play(0, 4).games
    assert games.id.tolist() == list(range(16))
    assert games.block.tolist() == np.arange(4).repeat(4).tolist()
    assert np.array_equal(games.points.sum(axis=2), games.score)
    assert np.allclose(games.share.sum(axis=1), 1)
    assert np.array_equal(games.holders, work.schedule.holders(0, 4))
    assert (games.decisions > 0).all()
    assert not games.failed.any()
    assert len(np.unique(games.digest)) == 16
    if name == "tritarea":  # the start player is drawn with the deal
        assert (games.start.reshape(4, 4) == games.start[::4, None]).all()
    assert set(games.start.tolist()) <= {0, 1, 2, 3}


def test_npcs_have_seats(tmp_path: Path) -> None:
    config = config_of(game={"name": "tritarea", "options": {"players": 3, "npc": "random"}}, deals=2)
    play_to(tmp_path / "npc.sqlite", config)
    with read(tmp_path / "npc.sqlite") as store:
        assert [agent.name for agent in store.agents] == ["one", "two", "first", "npc"]
        assert (store.games().holders[:, 3] == 3).all()
    assert b",npc," in exported(tmp_path / "npc.sqlite")


def test_failures_are_counted_and_end_nothing(tmp_path: Path) -> None:
    agents = {"good": "random", "bad": "eval_agents:Illegal"}
    config = config_of(agents=agents, deals=6)
    play_to(tmp_path / "bad.sqlite", config)
    play_to(tmp_path / "other.sqlite", config, games_at_once=1)
    assert exported(tmp_path / "bad.sqlite") == exported(tmp_path / "other.sqlite")
    with read(tmp_path / "bad.sqlite") as store:
        games, failures = store.games(), store.failures()
        bad = games.holders == 1
        assert failures
        assert all(failure.agent == 1 and failure.what == "illegal" for failure in failures)
        assert [(f.game, f.seat) for f in failures] == list(zip(*np.nonzero(games.failed), strict=True))
        assert not games.failed[~bad].any()
        assert (games.share[games.failed] == 0).all()
    shown = good("tournament", tmp_path / "bad.sqlite", "--table")
    assert f"bad failed in {len(failures)} games (illegal {len(failures)}); first in game" in " ".join(shown.split())


# -------------------------------------------------------------------------------------- stopping


def test_a_rule_looks_at_whole_waves_only(tmp_path: Path) -> None:
    stop = {"width": {"between": ["one", "first"], "of": "lead", "below": 0.5}}
    config = config_of(deals=300, wave=30, stop=stop)
    schedule = Schedule.of(config)
    for name, batch in (("a", 256), ("b", 5)):
        play_to(tmp_path / f"{name}.sqlite", config, games_at_once=batch)
    with read(tmp_path / "a.sqlite") as store:
        assert store.ended is not None
        blocks, verdict = store.ended
        assert 0 < blocks < schedule.blocks
        assert blocks % schedule.wave == 0
        assert store.blocks().tolist() == list(range(blocks))
        assert "wide" in verdict
        assert complete(store, schedule)
    assert exported(tmp_path / "a.sqlite") == exported(tmp_path / "b.sqlite")
    play_to(tmp_path / "a.sqlite", config)  # nothing more to do
    assert exported(tmp_path / "a.sqlite") == exported(tmp_path / "b.sqlite")
    assert f"Ended after {blocks} tables: lead: interval" in good("tournament", tmp_path / "a.sqlite", "--table")


def test_a_rule_that_has_not_decided(tmp_path: Path) -> None:
    stop = {"width": {"between": ["one", "two"], "of": "score", "below": 0.001}}
    config = config_of(deals=40, wave=20, stop=stop)
    play_to(tmp_path / "all.sqlite", config)
    with read(tmp_path / "all.sqlite") as store:
        assert store.ended is not None
        assert store.ended.blocks == Schedule.of(config).blocks
        assert store.ended.verdict.startswith("undecided, ")
        assert complete(store, Schedule.of(config))


def test_rules_are_the_configs() -> None:
    sprt: Any = rule_of(config_of(stop={"sprt": {"between": ["first", "one"], "low": 0.0, "high": 0.1}}))
    assert (sprt.first, sprt.second, sprt.quantity, sprt.low, sprt.high) == (2, 0, "lead", 0.0, 0.1)
    width: Any = rule_of(config_of(stop={"width": {"between": ["one", "two"], "of": "rating", "below": 30}}))
    assert (width.quantity, width.width) == ("rating", 30)


# ------------------------------------------------------------------------------------- processes


def test_a_worker_that_dies_is_told(tmp_path: Path) -> None:
    config = config_of(agents={"one": "random", "dying": "dying_agent:Dying"}, deals=4)
    told = r"a worker died \(SIGKILL, perhaps for lack of memory\) while it played blocks \d … \d"
    with (
        begin(tmp_path / "new.sqlite", config, identities(config)) as store,
        pool.Team(config, 1) as team,
        pytest.raises(pool.PoolError, match=told),
    ):
        play(store, team.play, 4, ignore, ignore)
    assert not multiprocessing.active_children()


def test_kills_change_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, agents=PLAIN, deals=2000)
    words = tournament_kills.command(tmp_path, "killed", "--workers", "2", "--batch", "4")
    assert tournament_kills.kill(words, lambda: games_in(tmp_path / "killed.sqlite") > 0)
    assert 0 < games_in(tmp_path / "killed.sqlite") < 4000
    for name in ("killed", "whole"):
        play_to(tmp_path / f"{name}.sqlite", load(path, {}), games_at_once=256)
    assert exported(tmp_path / "killed.sqlite") == exported(tmp_path / "whole.sqlite")


@pytest.mark.parametrize(("number", "code", "workers"), [(signal.SIGINT, 130, 2), (signal.SIGTERM, 143, 1)])
def test_signals(tmp_path: Path, number: int, code: int, workers: int) -> None:
    written(tmp_path, agents=PLAIN, deals=1_000_000)
    path = tmp_path / "long.sqlite"
    words = tournament_kills.command(tmp_path, "long", "--workers", str(workers), "--batch", "20")
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 100
        while not games_in(path):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
        helpers = tournament_kills.children(process.pid)
        process.send_signal(number)
        said = process.communicate(timeout=60)[1].strip().splitlines()[-1]
    assert process.returncode == code
    again = f"tritarea tournament {path} --workers {workers}"
    assert said == f"error: stopped: what is stored is whole; go on with: {again}"
    assert len(helpers) >= workers - 1
    assert tournament_kills.gone(helpers)


def games_in(path: Path) -> int:
    """How many are in the file; 0 if it is not made yet."""
    try:
        with read(path) as store:
            return store.count()
    except ValueError:
        return 0


# --------------------------------------------------------------------------------------- command


def written(tmp_path: Path, **changes: Any) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps({**SMALL, **changes}))
    return path


def test_the_command(whole: Path, tmp_path: Path) -> None:
    config, out = written(tmp_path), tmp_path / "out.sqlite"
    shown = good("tournament", config, "--out", out, "--workers", 1, "--export", "csv")
    assert (tmp_path / "out.csv").read_bytes() == exported(whole)
    assert "TriATri, round_robin, 60 games on 30 deals, seed 3" in shown
    numbers = json.loads(good("tournament", out, "--table", "--json"))
    assert [agent["name"] for agent in numbers["agents"]] == ["one", "two", "first"]
    assert numbers == json.loads(good("tournament", whole, "--json"))
    assert numbers["games"] == 60


def test_the_table_is_the_games(whole: Path) -> None:
    with read(whole) as store:
        games = store.games()
    csv = polars.read_csv(exported(whole))
    assert csv.equals(polars.read_parquet(exported(whole, "parquet")).cast(dict(csv.schema)), null_equal=False)
    assert csv["game"].to_list() == games.id.tolist()
    assert csv["agent_1"].to_list() == [["one", "two", "first"][agent] for agent in games.holders[:, 1]]
    assert csv["sets_0"].to_list() == games.points[:, 0, 0].tolist()
    assert csv["share_1"].to_list() == games.share[:, 1].tolist()
    assert csv["digest"][3] == f"{games.digest[3]:016x}"


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_shown_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    monkeypatch.setattr(watching, "PAUSE", 0.0)
    monkeypatch.setattr(watching, "FIRST_LINE", 0.0)
    shown = io.StringIO()
    config, console = config_of(), Console(file=shown, force_terminal=terminal, width=100, highlight=False)
    with begin(tmp_path / "new.sqlite", config, identities(config)) as store:
        store.add(Work(config).play(0, 10))
        finish(store, 1, 16, console)
        finish(store, 1, 16, console)
    lines = shown.getvalue().splitlines()
    assert lines[0] == "60 games, 20 played, 40 to play"
    assert "40 games in 0:0" in lines[-2]
    assert lines[-1] == "60 games, 60 played, 0 to play"
    if terminal:
        assert "So far" in shown.getvalue()
    else:
        assert lines[1].startswith("32 of 60 games, ")
        assert lines[1].endswith(" left")


def test_how_agents_stand() -> None:
    games, names = Work(config_of()).play(0, 30).games, ["one", "two", "first"]
    standing = watching.Standing(names)
    standing.add(games.take(np.arange(7)))
    standing.add(games.take(np.arange(7, 60)))
    table = standing.table("")
    rows = dict(zip(*([*column.cells] for column in table.columns[:3:2]), strict=True))
    assert rows == {
        name: f"{games.share[games.holders == i].mean():.3f}" for i, name in enumerate(["one", "two", "first"])
    }


def test_games_are_rounded_up_to_deals(tmp_path: Path) -> None:
    out = tmp_path / "out.sqlite"
    good("tournament", written(tmp_path), "--out", out, "--workers", 1, "--games", 7, "--seed", 9)
    with read(out) as store:
        assert store.count() == 12  # each pair once, in both seats: 6 is too few
        assert store.config.seed == 9
    assert "seed was 9, now 3; " in refused("tournament", written(tmp_path), "--out", out)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"agents": {"one": "random", "two": "nobody"}}, "agents.two: no agent is named 'nobody'"),
        ({"agents": {"one": "random", "two": "x" * 999}}, "agents.two: no agent is named 'xxx"),
        ({"deals": 0}, "deals: Input should be greater than or equal to 1, not 0"),
        ({"tables_per_deal": 77}, "tables_per_deal: "),
    ],
)
def test_bad_configs_write_nothing(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    assert told in refused("tournament", written(tmp_path, **changes), "--out", tmp_path / "out.sqlite")
    assert not (tmp_path / "out.sqlite").exists()


def test_what_goes_together(whole: Path, tmp_path: Path) -> None:
    assert "holds its own config" in refused("tournament", whole, "--seed", 3)
    assert "give --games or --deals" in refused("tournament", written(tmp_path), "--games", 3, "--deals", 3)
    assert "there is no file" in refused("tournament", written(tmp_path), "--table", "--out", tmp_path / "none.sqlite")
    assert "cannot be read" in refused("tournament", tmp_path / "none.yaml")
    assert run("tournament", tmp_path, "--table").exit_code == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no such device")
def test_a_table_that_finds_no_room(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "copied.sqlite"
    path.write_bytes(whole.read_bytes())
    for kind in ("csv", "parquet"):
        path.with_suffix(f".{kind}").symlink_to("/dev/full")
        told = refused("tournament", path, "--table", "--export", kind)
        assert re.match("error: (No space left|the table cannot be written: )", told)


def test_nothing_takes_the_place_of_the_tournaments_file(whole: Path, tmp_path: Path) -> None:
    before, odd = whole.read_bytes(), tmp_path / "odd.csv"
    own = "is the tournament's own file"
    assert own in refused("dataset", whole, whole)
    assert own in refused("report", whole, "--out", whole)
    assert "would take the place" in refused("tournament", written(tmp_path), "--out", odd, "--export", "csv")
    (tmp_path / "page.html").symlink_to(whole)
    assert own in refused("report", whole, "--out", tmp_path / "page.html")
    assert whole.read_bytes() == before
    assert not odd.exists()
