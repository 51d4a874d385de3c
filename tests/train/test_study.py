"""Studies: killed ones end like undisturbed ones, failures are told, changed ones refused; the table and the curves."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from commandline import good, refused
from commandline import run as call
from held import HOLD
from tiny import TINY

from tritarea_eval.study_table import over_seeds
from tritarea_train import about, curves, history, study, workers
from tritarea_train.config import GameConfig
from tritarea_train.trial import final_seed

CONFIGS = Path(__file__).parents[2] / "configs" / "studies"
HELD = "held:Held"
SMALL: dict[str, Any] = {
    "base": {**TINY, "imitation": {"steps": 0}, "evaluation": {"every": 512, "games": 8, "against": ["random", HELD]}},
    "overrides": {"steps": 1024},
    "variants": {"plain": {}, "narrow": {"net.shared": [8]}},
    "seeds": [3],
    "matches": {"against": ["random"], "games": 8},
}


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump({**SMALL, **changes}, sort_keys=False))
    return path


def until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "nothing came of it"
        time.sleep(0.02)


@contextmanager
def studying(*arguments: object, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """The command, in a process of its own."""
    here = str(Path(__file__).parent)
    process = subprocess.Popen(
        [sys.executable, "-m", "tritarea_eval.cli", "study", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([here, *sys.path]), **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def content(folder: Path, *names: str) -> dict[str, Any]:
    """All that a study came to, times aside."""
    table = json.loads((folder / "table.json").read_text())
    for row in table["rows"]:
        assert row.pop("seconds") > 0
    logs = {path.parts[-4]: path.read_text() for path in sorted(folder.glob(f"runs/*/*/{history.EVALUATION}"))}
    return {"table": table, "logs": logs, **{name: (folder / name).read_bytes() for name in ("runs.csv", "curves.svg")}}


# ------------------------------------------------------------------------------------------------------- runs


def test_a_study_that_was_killed_ends_like_one_that_was_not(tmp_path: Path) -> None:
    """Killed while both runs are in their first evaluation: none of its processes is left, and each run goes on."""
    names = [f"{variant}/seed-3" for variant in SMALL["variants"]]
    file, whole, cut, hold = write(tmp_path), tmp_path / "whole", tmp_path / "cut", tmp_path / "hold"
    for name in names:
        good("study", file, "--out", whole, "--run", name)
    good("study", file, "--out", whole, "--report")

    hold.touch()
    folders = [cut / "runs" / name for name in names]
    with studying(file, "--out", cut, "--workers", 2, **{HOLD: str(hold)}) as process:
        until(lambda: all(list(folder.glob("checkpoints/0*")) for folder in folders))
        process.kill()
        until(lambda: not any(about.is_held(folder) for folder in folders), 20)
    assert not list(cut.glob("results/*/*.json"))

    hold.unlink()
    for name in names:
        good("study", file, "--out", cut, "--run", name)
    again = call("study", file, "--out", cut)  # what is done is not done again
    assert "2 runs, 2 done, 0 to do" in again.stderr
    assert content(cut) == content(whole)
    assert again.stdout == (cut / "table.md").read_text()
    assert "| plain | 1 | 0." in again.stdout
    rows = csv.DictReader((cut / "runs.csv").read_text().splitlines())
    assert [row["variant"] for row in rows] == list(SMALL["variants"])


def test_a_run_that_breaks_off_in_its_matches_plays_them_when_it_goes_on(tmp_path: Path) -> None:
    """And is not trained or evaluated any further."""
    found = study.load(write(tmp_path, variants={"plain": {}}))
    run = found.runs[0]

    def broken(agents: list[str], game: GameConfig, games: int, seed: int) -> dict[str, Any]:
        raise RuntimeError("no match")

    def played(agents: list[str], game: GameConfig, games: int, seed: int) -> dict[str, Any]:
        numbers = {"even": 0.25, "share": {"mean": 0.5, "low": 0.4, "high": 0.6}, "score": {"mean": 9.0}}
        return {"games": games, "agents": [numbers, numbers]}

    with pytest.raises(RuntimeError, match="no match"):
        study.perform(found, run, tmp_path, broken)
    log = (run.folder(tmp_path) / history.EVALUATION).read_bytes()
    study.perform(found, run, tmp_path, played)
    assert (run.folder(tmp_path) / history.EVALUATION).read_bytes() == log
    assert study.read_result(run, tmp_path)["matches"][0]["share"]["mean"] == 0.5
    study.perform(found, run, tmp_path, broken)  # nothing is left to do


def test_a_study_that_is_interrupted_saves_and_says_how_to_go_on(tmp_path: Path) -> None:
    file = write(tmp_path, overrides={"steps": 10**8}, variants={"long": {}})
    folder = tmp_path / "out" / "runs" / "long" / "seed-3"
    with studying(file, "--out", tmp_path / "out") as process:
        until(lambda: bool(list(folder.glob("checkpoints/0*"))))
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert process.returncode == 130
    assert not about.is_held(folder)
    assert f"stopped: 0 of 1 runs are done; go on with: tritarea study {file} --out {tmp_path / 'out'}" in told
    assert "Traceback" not in told
    assert "stopped after" in (tmp_path / "out" / "results" / "long" / "seed-3.log").read_text()


def test_a_study_that_is_terminated_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def terminated(*arguments: Any) -> None:
        raise SystemExit(143)

    monkeypatch.setattr(workers, "conduct", terminated)
    done = call("study", write(tmp_path), "--out", tmp_path / "out", "--workers", 3)
    assert done.exit_code == 143
    assert "stopped: 0 of 2 runs are done; go on with: tritarea study" in done.stderr
    assert done.stderr.rstrip().endswith("--workers 3")


def conduct(folder: Path, variants: list[str], code: str, **options: Any) -> tuple[list[str], list[str]]:
    """Do a run for each variant by a few lines of Python, which know their ``name`` and ``result``."""
    runs = study.load(write(folder, variants={name: {} for name in variants})).runs
    begin = "import os, sys, time, pathlib; name = sys.argv[1]; result = pathlib.Path(sys.argv[2])\n"

    def command(one: study.Run) -> list[str]:
        return [sys.executable, "-c", begin + code, one.variant, str(one.result(folder))]

    told: list[str] = []
    return workers.conduct(runs, folder, options.pop("workers", 2), command, told.append, **options), told


def test_a_run_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    code = """
if name == "bad": raise RuntimeError("no such luck")
if name == "killed": os.kill(os.getpid(), 9)
if name == "good": result.touch()
"""
    failures, told = conduct(tmp_path, ["bad", "killed", "silent", "good"], code)
    logs = tmp_path / "results"
    assert sorted(failures) == [
        f"bad/seed-3 failed: RuntimeError: no such luck; see {logs / 'bad' / 'seed-3.log'}",
        f"killed/seed-3 failed: ended by SIGKILL; see {logs / 'killed' / 'seed-3.log'}",
        f"silent/seed-3 failed: exit code 0; see {logs / 'silent' / 'seed-3.log'}",
    ]
    assert any(line.startswith("good/seed-3: done") for line in told)
    assert "Traceback" in (logs / "bad" / "seed-3.log").read_text()


def test_a_failed_run_is_told_by_the_exit_code_and_the_rest_by_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the next call tries it again."""

    def one_fails(runs: Any, out: Path, *arguments: Any) -> list[str]:
        good("study", file, "--out", out, "--run", "plain/seed-3")
        return [f"{run.name} failed: no luck" for run in runs if run.variant == "narrow"]

    file = write(tmp_path)
    monkeypatch.setattr(workers, "conduct", one_fails)
    done = call("study", file, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "1 of 2 runs failed: narrow/seed-3 failed: no luck" in done.stderr
    assert "Not done yet: narrow/seed-3." in done.stdout
    assert "2 runs, 1 done, 1 to do" in call("study", file, "--out", tmp_path / "out").stderr


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_than_so_many_at_once_and_all_of_them_are_done(tmp_path: Path, most: int) -> None:
    seen: list[list[str]] = []
    variants = ["a", "b", "c"]
    conduct(
        tmp_path,
        variants,
        "time.sleep(0.3); result.touch()",
        workers=most,
        watch=lambda busy: seen.append([one.variant for one in busy]),
    )
    assert max(map(len, seen)) == most
    assert {name for names in seen for name in names} == set(variants)
    assert len(list(tmp_path.glob("results/*/*.json"))) == 3


def test_whatever_ends_a_study_ends_its_processes(tmp_path: Path) -> None:
    code = "(result.parent / str(os.getpid())).touch(); time.sleep(600)"

    def broken(busy: Any) -> None:
        if len(list(tmp_path.glob("results/*/[0-9]*"))) == 2:
            raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        conduct(tmp_path, ["a", "b"], code, watch=broken)
    for path in tmp_path.glob("results/*/[0-9]*"):
        with pytest.raises(ProcessLookupError):
            os.kill(int(path.name), 0)


# ------------------------------------------------------------------------------------------- what a study is


def test_the_grid(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(yaml.safe_dump({"steps": 77, "threads": 0, "ppo": {"gamma": 0.9, "clip": 0.1}}))
    variants = {"a": {}, "b": {"ppo.gamma": 0.8, "steps": 99, "threads": 2}}
    file = write(tmp_path, base="base.yaml", overrides={"steps": 88}, variants=variants, seeds=[1, 5])
    found = study.load(file)
    configs = [(one.name, one.config.seed, one.config.steps, one.config.threads) for one in found.runs]
    assert configs == [("a/seed-1", 1, 88, 1), ("a/seed-5", 5, 88, 1), ("b/seed-1", 1, 99, 2), ("b/seed-5", 5, 99, 2)]
    assert {(one.config.ppo.gamma, one.config.ppo.clip) for one in found.runs} == {(0.9, 0.1), (0.8, 0.1)}
    study.begin(found, tmp_path / "out")
    (tmp_path / "base.yaml").unlink()
    assert study.load(tmp_path / "out" / "study.yaml").runs == found.runs


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"overrides": {"steps": 4096}}, "plain/seed-3: steps 1024, not 4096: change it back"),
        (
            {"variants": {"plain": {}, "narrow": {"net.shared": [9]}}},
            r"narrow/seed-3: net.shared \[8\], not \[9\]",
        ),
        ({"variants": {"plain": {}}}, "the run narrow/seed-3, which is not there now"),
        ({"seeds": [3, 4]}, "no run plain/seed-4; no run narrow/seed-4"),
        (
            {"matches": {"against": ["greedy"], "games": 9}},
            "matches: against .'random'., .*; matches: games 8, not 9",
        ),
        ({"overrides": {"steps": 9, "n_games": 64, "ppo.clip": 0.3, "ppo.gamma": 0.9}}, "; and 1 more: change it back"),
    ],
)
def test_a_study_that_changed_is_refused(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    out = tmp_path / "out"
    study.begin(study.load(write(tmp_path)), out)
    study.begin(study.load(write(tmp_path)), out)
    before = (out / "study.yaml").read_bytes()
    assert re.search(f"was begun with .*{told}", refused("study", write(tmp_path, **changes), "--out", out, "--report"))
    assert (out / "study.yaml").read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"base": "nowhere.yaml"}, "nowhere.yaml: cannot be read"),
        ({"base": {"sed": 1}}, "variants.plain: sed: there is no such field"),
        ({"variants": {"a": {"ppo.gama": 1}}}, "variants.a: ppo.gama: there is no such field"),
        ({"variants": {"../a": {}}}, r"variants.\.\./a.*: .* pattern"),
        ({"variants": {}}, "variants: .* at least 1 item"),
        ({"seeds": []}, "seeds: .* at least 1 item"),
        ({"seeds": [1, 1]}, "seeds: a seed is given twice"),
        ({"seeds": [-1]}, "seeds.0: "),
        ({"seed": 1}, "seed: there is no such field"),
        ({"matches": {"against": ["nobody"]}}, "matches.against: no agent is named 'nobody'"),
        ({"matches": {"games": 1}}, "matches.games: "),
        ({"overrides": {"opponents.agents": {"nobody": 1}}}, "variants.plain: opponents.agents: no agent is named"),
    ],
)
def test_bad_studies_are_told_in_one_line(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    assert re.search(told, refused("study", write(tmp_path, **changes), "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_what_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path)
    assert "there is no study in" in refused("study", file, "--out", tmp_path / "out", "--report")
    assert "no run 'x'; it has plain/seed-3" in refused("study", file, "--out", tmp_path / "out", "--run", "x")
    assert not (tmp_path / "out").exists()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "matplotlib.figure", raising=False)
    assert 'pip install "tritarea[plots]"' in refused("study", file, "--out", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_report_when_nothing_is_done(tmp_path: Path) -> None:
    file = write(tmp_path)
    study.begin(study.load(file), tmp_path / "out")
    shown = good("study", file, "--out", tmp_path / "out", "--report")
    assert "Not done yet: plain/seed-3, narrow/seed-3." in shown
    assert (tmp_path / "out" / "curves.png").is_file()


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_studies_are_valid(path: Path) -> None:
    found = study.load(path)
    study.check(found)
    assert all(one.config.threads for one in found.runs)
    if path.stem == "smoke":
        assert (len(found.config.variants), len(found.config.seeds)) == (2, 2)


def test_final_matches_have_deals_of_their_own() -> None:
    assert len({final_seed(seed) for seed in range(50)} | set(range(50))) == 100


# ------------------------------------------------------------------------------------------- table and curves


def test_an_interval_over_seeds_is_students() -> None:
    assert over_seeds([0.2, 0.4]) == {"mean": 0.3, "margin": pytest.approx(12.7062 * 0.1, abs=1e-4)}
    assert over_seeds([0.1, 0.2, 0.3]) == {"mean": 0.2, "margin": pytest.approx(4.30265 * 0.1 / 3**0.5, abs=1e-4)}
    assert over_seeds([0.2]) == {"mean": 0.2, "margin": None}
    assert over_seeds([0.0, 0.0]) == {"mean": 0.0, "margin": None}


def log(folder: Path, shares: dict[int, float]) -> Path:
    (folder / history.LOG).mkdir(parents=True)
    rows = [{"steps": steps, "against": "random", "share": share} for steps, share in shares.items()]
    history.append(folder / history.EVALUATION, rows)
    return folder


def test_curves_have_the_steps_that_all_runs_have(tmp_path: Path) -> None:
    runs = [log(tmp_path / "a", {10: 0.1, 20: 0.2, 30: 0.3}), log(tmp_path / "b", {10: 0.3, 30: 0.5})]
    with (runs[0] / history.EVALUATION).open("a") as file:
        file.write('{"steps": 40, "aga')  # killed while it wrote
    found = curves.curve(runs, "random")
    assert found.steps.tolist() == [10, 30]
    assert found.shares.tolist() == [[0.1, 0.3], [0.3, 0.5]]
    assert curves.curve(runs, "greedy").shares.shape == (2, 0)
    (tmp_path / "c").mkdir()
    assert (curves.seconds(tmp_path / "c"), curves.steps_so_far(tmp_path / "c")) == (None, 0)


def test_the_same_curves_give_the_same_drawing(tmp_path: Path) -> None:
    lines = {"a": curves.Curve(np.array([10, 20]), np.array([[0.1, 0.3], [0.2, 0.5]]))}
    first, second = (curves.draw({"random": lines, "greedy": {}}, [0.25], tmp_path / name) for name in ("x", "y"))
    assert [path.name for path in first] == ["x.png", "x.svg"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert first[0].read_bytes().startswith(b"\x89PNG")
    assert b"a (2 runs)" in first[1].read_bytes()


def test_the_log_of_a_run_tells_how_far_it_is(run: Path) -> None:
    assert curves.steps_so_far(run) == 2048
    assert curves.seconds(run) > 0
    assert list(curves.evaluations(run)["random"]) == [1024, 2048]
