"""The bench: what it measures, its file, the comparison with an older one. No test hangs on how fast anything is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import good, refused, run

from tritarea_env import games
from tritarea_env.engine import loops
from tritarea_eval import baseline, bench, bench_plays, bench_train

ROOT = Path(__file__).resolve().parents[2]
QUICK = ("--seconds", 0.01, "--game", "triatri", "--only", "copy", "--only", "memory.*")
SIZE = games.get("triatri").dtype.itemsize
KEYS = [line.key for line in bench.LINES]
RATES = [line.key for line in bench.LINES if baseline.is_rate(line.unit)]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.json"
    good("bench", *QUICK, "--out", path)
    return path


def edit(path: Path, **changes: Any) -> Path:
    """Write values over those of the first game's lines; None: no such line, a key that is not there: one more."""
    content = json.loads(path.read_text(encoding="utf-8"))
    lines = {line["key"]: line for line in content["games"][0]["measures"]}
    for key, value in changes.items():
        lines[key] = {"key": key, "what": "?", "unit": "games/s", "ns": 1.0, **lines.get(key, {}), "value": value}
    content["games"][0]["measures"] = [line for line in lines.values() if line["value"] is not None]
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def compared(path: Path, *more: object) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code of a comparison, and its rows by key."""
    result = run("bench", *QUICK, "--compare", path, "--json", *more)
    rows = json.loads(result.stdout)["comparison"]["games"]["triatri"]
    return result.exit_code, {row["key"]: row for row in rows}


# -------------------------------------------------------------------------------------- measuring


@pytest.mark.parametrize(("name", "players"), [("tritarea", 4), ("tritarea", 2), ("triatri", 2)])
def test_every_rate_is_measured(monkeypatch: pytest.MonkeyPatch, name: str, players: int) -> None:
    monkeypatch.setattr(bench_plays, "MANY", 16)
    only = [word for key in RATES for word in ("--only", key)]
    shown = json.loads(good("bench", "--game", name, "--players", players, "--seconds", 0.01, "--json", *only))
    (part,) = shown["games"]
    assert (part["game"], part["options"]["players"]) == (name, players)
    assert [line["key"] for line in part["measures"]] == RATES
    for line in part["measures"]:
        assert line["value"] > 0
        assert line["value"] * line["ns"] == pytest.approx(1e9, rel=0.01)


@pytest.mark.parametrize("name", games.names())
def test_training_is_measured(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    small = {"n_games": 16, "net": {"shared": [], "policy": [8], "value": [8]}, "ppo": {"n_steps": 8, "batch_size": 64}}
    monkeypatch.setattr(bench_train, "CONFIG", bench_train.CONFIG | small | {"threads": 1})
    shown = json.loads(good("bench", "train", "--game", name, "--updates", 1, "--json"))
    (part,) = shown["games"]
    assert [line["key"] for line in part["measures"]] == ["train.samples", "train.free", "train.bound"]
    values = {line["key"]: line["value"] for line in part["measures"]}
    assert 0 < values["train.bound"] < values["train.free"]
    assert values["train.samples"] > 0


def test_training_has_no_lines_to_choose() -> None:
    assert "--only chooses among lines of the engine" in refused("bench", "train", "--only", "train.free")


def test_keys_are_unique() -> None:
    assert len(set(KEYS)) == len(KEYS)


def test_json_says_where_and_with_what() -> None:
    shown = json.loads(good("bench", "--json", "--seconds", 0.01, "--only", "memory.game"))
    assert list(shown) == ["format", "date", "seconds", "versions", "machine", "games"]
    assert set(shown["versions"]) == {"python", "tritarea", "numba", "numpy", "gymnasium", "pettingzoo"}
    assert shown["machine"]["cores"] >= 1
    assert [part["game"] for part in shown["games"]] == list(games.names())
    assert [part["measures"][0]["value"] for part in shown["games"]] == [
        games.get(name).dtype.itemsize for name in games.names()
    ]


def test_table() -> None:
    shown = good("bench", *QUICK)
    assert "triatri: players=4" in shown
    assert f"{SIZE} bytes" in shown
    assert "copy[n=" not in shown


@pytest.mark.parametrize(
    ("pattern", "keys"),
    [
        ("batch.step[n=1024]", ["batch.step[n=1024]"]),
        ("batch.step[n=*4]", ["batch.step[n=64]", "batch.step[n=1024]", "batch.step[n=16384]"]),
        ("copy", ["copy"]),
        ("start.*", ["start.python", "start.import", "start.warm", "start.cold"]),
    ],
)
def test_only(pattern: str, keys: list[str]) -> None:
    """Brackets stand for themselves, as the keys have some."""
    assert [line.key for line in bench.selected([pattern])] == keys


def test_only_names_the_keys_if_nothing_matches() -> None:
    said = refused("bench", "--only", "copy", "--only", "speed")
    assert said == f"error: no line matches 'speed'; there are {', '.join(KEYS)}"


def test_positions_are_in_the_midst_of_games() -> None:
    game = games.get("tritarea")
    found = bench_plays.positions(game, game.check_options({}))
    masks = np.empty((len(found), game.actions), np.int8)
    loops.legal_games(found, np.arange(len(found)), masks)
    assert masks.any(axis=1).all()
    assert np.bincount(found.decision // 50)[:3].min() > len(found) / 6  # of games of 145 to 169 decisions


def test_a_process_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "TRIES", 1)
    (measure,) = json.loads(good("bench", "--game", "triatri", "--only", "start.warm", "--json"))["games"][0][
        "measures"
    ]
    assert (measure["unit"], measure["ns"]) == ("s", None)
    assert 0.1 < measure["value"] < 120


# --------------------------------------------------------------------------------------- the file


def test_out_is_what_json_prints(tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    shown = good("bench", *QUICK, "--json", "--out", path)
    assert path.read_text(encoding="utf-8") == shown
    assert baseline.read(path).model_dump() == json.loads(shown)


def test_out_appears_whole_or_not_at_all(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = old.read_bytes()

    def broken(*_: Any) -> None:
        raise OSError(28, "No space left on device", str(old))

    monkeypatch.setattr("os.fsync", broken)
    assert run("bench", *QUICK, "--out", old).exit_code != 0
    assert old.read_bytes() == before
    assert [path.name for path in old.parent.iterdir()] == ["old.json"]


def test_out_is_checked_before_anything_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "measured", None)
    assert "there is no folder" in refused("bench", "--out", tmp_path / "nowhere" / "x.json")


# ----------------------------------------------------------------------------------- the comparison


def test_equal_and_faster(old: Path) -> None:
    edit(old, copy=1e-3)
    code, rows = compared(old)
    assert code == 0
    assert rows["memory.game"] == {
        "key": "memory.game", "unit": "bytes", "old": SIZE, "new": SIZE, "ratio": 1.0, "slower": False,
    }  # fmt: skip
    assert rows["copy"]["ratio"] > 1000
    shown = good("bench", *QUICK, "--compare", old)
    assert shown.splitlines()[-1] == "Slower by more than 15%: nothing."


def test_slower(old: Path) -> None:
    edit(old, copy=1e12)
    code, rows = compared(old)
    assert code == 1
    assert [key for key, row in rows.items() if row["slower"]] == ["copy"]
    result = run("bench", *QUICK, "--compare", old)
    assert result.exit_code == 1
    assert "slower" in next(line for line in result.stdout.splitlines() if "copy" in line)
    assert result.stdout.splitlines()[-1] == "Slower by more than 15%: triatri copy."


@pytest.mark.parametrize(
    ("then", "tolerance", "code"), [(0.83, 0.15, 1), (0.83, 0.2, 0), (0.88, 0.15, 0), (0.99, 0, 1)]
)
def test_tolerance(old: Path, then: float, tolerance: float, code: int) -> None:
    """A record that was ``then`` of its size before; less of bytes and seconds is better."""
    edit(old, **{"memory.game": then * SIZE, "copy": 1e-3})
    found, rows = compared(old, "--tolerance", tolerance)
    assert found == code
    assert rows["memory.game"]["ratio"] == pytest.approx(then)
    assert ("larger" in run("bench", *QUICK, "--compare", old, "--tolerance", tolerance).stdout) == bool(code)


def test_lines_of_one_only(old: Path) -> None:
    """Of those that were asked for: the file's other lines are not missing."""
    edit(old, **{"copy": None, "memory.old": 3.0, "legal": 2.0})
    code, rows = compared(old)
    assert code == 0
    assert list(rows) == ["memory.game", "copy", "memory.old"]
    assert (rows["copy"]["old"], rows["memory.old"]["new"]) == (None, None)
    shown = good("bench", *QUICK, "--compare", old)
    assert "new only" in shown
    assert "old only" in shown


def test_what_was_not_measured_alike_is_said(old: Path) -> None:
    edit(old, copy=1e-3)
    assert "Not measured alike" not in good("bench", *QUICK, "--compare", old)
    content = json.loads(old.read_text(encoding="utf-8"))
    content["machine"]["cpu"] = "abacus"
    content["versions"]["numba"] = "0.1"
    old.write_text(json.dumps(content), encoding="utf-8")
    words = " ".join(good("bench", *QUICK, "--compare", old).split())
    assert "Not measured alike: cpu abacus, now " in words
    assert "numba 0.1, now " in words


def test_one_game_of_a_file_with_two(tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    good("bench", "--only", "memory.game", "--out", path)
    assert "tritarea" not in good("bench", "--game", "triatri", "--only", "memory.game", "--compare", path)


def test_out_may_replace_the_file_that_is_compared(old: Path) -> None:
    edit(old, copy=1e12)
    assert run("bench", *QUICK, "--compare", old, "--out", old).exit_code == 1
    assert baseline.read(old).games[0].by_key()["copy"].value < 1e12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--game", "tritarea"], "was measured with 'triatri', not with 'tritarea'"),
        ([], "was measured with 'triatri', not with 'tritarea'"),
        (["--game", "triatri", "--players", 3], "measured with other options of triatri: players 4, not 3"),
        (["--game", "triatri", "--tolerance", 1], "--tolerance"),
    ],
)
def test_what_cannot_be_compared(old: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[Any], said: str) -> None:
    monkeypatch.setattr(bench, "measured", None)  # before anything is measured
    assert said in refused("bench", *arguments, "--compare", old)


def broken(**changes: Any) -> str:
    """A file's text with one entry of its top, its game or its line replaced, or left out (None)."""
    line = {"key": "copy", "what": "?", "value": 1.0, "unit": "games/s", "ns": None}
    part: dict[str, Any] = {"game": "triatri", "options": {"players": 4}, "measures": [line]}
    whole = {
        "format": 1, "date": "2026-11-30", "seconds": 1.0, "versions": {},
        "machine": {"cpu": "", "cores": 1, "system": ""}, "games": [part],
    }  # fmt: skip
    for name, value in changes.items():
        place = next(place for place in (whole, part, line) if name in place)
        place[name] = value
        if value is None:
            del place[name]
    return json.dumps(whole)


LINE = {"key": "copy", "what": "?", "value": 1.0, "unit": "games/s", "ns": None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Invalid JSON"),
        ("\xff", "Invalid JSON"),
        ("[" * 100_000, "Invalid JSON"),
        ("[]", "object"),
        (" " * 1_000_001, "more than 1,000,000 bytes"),
        (broken(format=2), "format: Input should be 1, not 2"),
        (broken(date=None), "date is missing"),
        (broken(value="3"), "games.0.measures.0.value: Input should be a valid number, not '3'"),
        (broken(value=0), "games.0.measures.0.value: Input should be greater than 0, not 0"),
        (broken(value=float("inf")), "value: Input should be a finite number, not inf"),
        (broken(unit=None), "games.0.measures.0.unit is missing"),
        (broken(measures=[LINE, LINE]), "it holds a line of triatri twice, 'copy'"),
        (broken(games=[{"game": "triatri", "options": {}, "measures": []}] * 2), "it holds a game twice, 'triatri'"),
        (broken(games=[]), "was measured with no game, not with 'triatri'"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_what_is_no_file_of_the_bench(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(text.encode("latin-1"))
    found = refused("bench", *QUICK, "--compare", path)
    assert found.startswith(f"error: {path} ")
    assert said in found


def test_no_file(tmp_path: Path) -> None:
    assert (
        refused("bench", "--compare", tmp_path / "x.json") == f"error: {tmp_path / 'x.json'}: No such file or directory"
    )


# ------------------------------------------------------------------------------------- the baseline


def test_the_baseline_of_the_project_is_of_this_bench() -> None:
    """Both games with their defaults, every line that every machine can measure."""
    path = ROOT / "benchmarks" / "baseline.json"
    found = baseline.read(path)
    for name in games.names():
        part = baseline.part_for(found, path, name, games.get(name).check_options({}))
        assert set(KEYS) <= set(part.by_key())
