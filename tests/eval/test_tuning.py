"""Tuning: the strategy finds an optimum, runs go on exactly, best.toml is a parameter file."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from commandline import good, refused, run
from tuned import GREEDY, SMALL, TEXT, files, small

from tritarea_agents.expert.parameters import Parameter
from tritarea_eval.tuning import strategy, subject
from tritarea_eval.tuning.config import load
from tritarea_eval.tuning.contest import seed_of
from tritarea_eval.tuning.run import BEST, CHECKS, STATE, tune
from tritarea_eval.tuning.subject import Subject, rewritten, space
from tritarea_train.config import ConfigError

CONFIGS = Path(__file__).parents[2] / "configs" / "tune"
# ------------------------------------------------------------------------------------------------- strategy


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_the_strategy_finds_an_optimum(noise: float) -> None:
    """Of a valley fifty times as steep in some coordinates as in others, one of which is best at the border."""
    target, steepness = np.array([0.9, 0.2, 0.5, 0.7, 1.0]), np.array([5.0, 0.1, 1.0, 2.0, 1.0])
    found, random = strategy.begin(np.full(5, 0.3), 0.15, np.ones(5)), np.random.default_rng(7)

    def worth(points: np.ndarray) -> np.ndarray:
        exact = -(steepness * (points - target) ** 2).sum(axis=-1)
        return exact + noise * random.standard_normal(exact.shape)

    before = float((steepness * (found.mean - target) ** 2).sum())
    for generation in range(40):
        points = strategy.sample(found, 16, np.random.default_rng([1, generation]))
        assert ((points >= 0) & (points <= 1)).all()
        found = strategy.update(found, points, worth(points))
    after = float((steepness * (found.mean - target) ** 2).sum())
    assert after < before / (1000 if noise == 0 else 50)


def test_the_strategy_looks_at_ranks_alone_and_survives_json() -> None:
    begun = strategy.begin(np.full(3, 0.5), 0.2, np.ones(3))
    points = strategy.sample(begun, 6, np.random.default_rng(0))
    worth = points.sum(axis=1)
    one, other = (strategy.update(begun, points, w) for w in (worth, np.exp(9 * worth)))
    assert one.as_json() == other.as_json()
    again = strategy.from_json(json.loads(json.dumps(one.as_json())))
    assert again.as_json() == one.as_json()
    assert strategy.sample(again, 4, np.random.default_rng(1)).shape == (4, 3)


@pytest.mark.parametrize(("n", "population", "mean"), [(1, 400, 0.0), (3, 4, 0.5)])
def test_the_strategy_stays_finite_where_nothing_makes_a_difference(n: int, population: int, mean: float) -> None:
    found = strategy.begin(np.full(n, mean), 0.2, np.ones(n))
    for generation in range(300):
        points = strategy.sample(found, population, np.random.default_rng(generation))
        found = strategy.update(found, points, np.zeros(population))
    assert 0 < found.step <= 1
    assert ((found.mean >= 0) & (found.mean <= 1)).all()
    json.dumps(found.as_json(), allow_nan=False)


# ---------------------------------------------------------------------------------------- parameters and files


def test_points_and_values() -> None:
    found = space(GREEDY, small())
    assert found.names == ("points", "samples", "special")
    assert found.values(found.point()) == GREEDY.start
    values = found.values(np.array([0.123456789, 0.6, 1.0]))
    assert values == {"points": 0.2469, "samples": 3, "special": 3.0}
    assert GREEDY.spec(values) == "greedy:points=0.2469,samples=3,special=3.0"
    for config in (small(only=["special"]), small(fixed=["points", "samples"])):
        assert space(GREEDY, config).values(np.array([0.5])) == {**GREEDY.start, "special": 1.5}


def test_the_first_spread_can_be_told_in_a_parameters_own_unit() -> None:
    config = small(spread={"special": 0.3}, step=0.2, population=2000)
    found = space(GREEDY, config)
    begun = strategy.begin(np.full(3, 0.5), config.step, found.spread(config.step, config.spread))
    drawn = strategy.sample(begun, 2000, np.random.default_rng(0)) * [2.0, 3.0, 3.0]
    assert drawn.std(axis=0) == pytest.approx([0.4, 0.6, 0.3], rel=0.1)


def test_a_rewritten_file_differs_in_its_values_alone() -> None:
    changed = rewritten(TEXT, {"points": 1.25, "samples": 4, "special": 0.8})
    assert changed == TEXT.replace("value = 0.3 ", "value = 1.25 ").replace("value = 2\n", "value = 4\n")
    assert rewritten(TEXT, GREEDY.start) == TEXT
    with pytest.raises(ValueError, match="line of its own"):
        rewritten("a = {value = 1, low = 0, high = 2}", {"a": 2})


# ------------------------------------------------------------------------------------------------------- runs


def test_a_run_and_what_it_leaves(tmp_path: Path) -> None:
    told: list[str] = []
    found = tune(small(), GREEDY, tmp_path, tell=told.append)
    state = json.loads((tmp_path / STATE).read_text())
    assert [row["generation"] for row in state["history"]] == [1, 2, 3]
    assert all(row["best"] >= row["mean"] for row in state["history"])
    assert state["history"][-1]["values"] == found["values"]
    checks = json.loads((tmp_path / CHECKS).read_text())
    assert list(checks) == ["2", "3"]
    assert [row["options"] for row in checks["3"]["tables"]] == SMALL["tables"]
    assert checks["3"] == found
    best = tomllib.loads((tmp_path / BEST).read_text())
    wanted = found["values"] if found["worth"] > 0 else GREEDY.start
    assert {name: Parameter(**table).value for name, table in best.items()} == wanted
    assert (tmp_path / BEST).read_text() == rewritten(TEXT, wanted)
    assert "generation 1 of 3: best" in told[0]
    checked = [line for line in told if line.startswith("check after")]
    assert len(checked) == 4
    assert all(
        re.search(r", even 0\.\d{4}: (better|worse|no difference that can be told from luck); ", c) for c in checked
    )


def test_the_seed_decides_and_the_number_of_workers_does_not(tmp_path: Path) -> None:
    for name, config in {"1": small(workers=1), "3": small(workers=3), "other": small(seed=1)}.items():
        tune(config, GREEDY, tmp_path / name)
    assert files(tmp_path / "1") == files(tmp_path / "3")
    assert files(tmp_path / "1")[STATE] != files(tmp_path / "other")[STATE]


def test_a_resumed_run_ends_like_one_without_a_stop(tmp_path: Path) -> None:
    """Stopped after a generation, within one (before its state is written), and within a check."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    tune(small(), GREEDY, whole)

    def stop_at(start: str) -> Any:
        def tell(line: str) -> None:
            if line.startswith(start):
                raise KeyboardInterrupt

        return tell

    tune(small(generations=1, workers=1), GREEDY, parts)
    for start in ("generation 2", "check after 2", "generation 3"):
        with pytest.raises(KeyboardInterrupt):
            tune(small(), GREEDY, parts, resume=True, tell=stop_at(start))
    tune(small(), GREEDY, parts, resume=True)
    assert files(parts)[STATE] == files(whole)[STATE]
    assert files(parts)[BEST] == files(whole)[BEST]
    assert json.loads(files(parts)[CHECKS])["3"] == json.loads(files(whole)[CHECKS])["3"]
    tune(small(), GREEDY, parts, resume=True)  # nothing is left to do
    assert files(parts)[STATE] == files(whole)[STATE]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "Ctrl-C"])
def test_a_killed_run_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    tune(small(), GREEDY, tmp_path / "whole")
    code = (
        "import sys; from pathlib import Path; import test_tuning as t\n"
        "t.tune(t.small(), t.GREEDY, Path(sys.argv[1]), tell=lambda line: print(line, flush=True))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "cut"],
        cwd=Path(__file__).parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    with process.stdout:
        assert "generation 1" in process.stdout.readline()
        process.send_signal(number)
        process.wait(60)
    tune(small(), GREEDY, tmp_path / "cut", resume=True)
    assert {name: files(tmp_path / "cut")[name] for name in (STATE, CHECKS, BEST)} == files(tmp_path / "whole")


def test_an_interrupt_breaks_matches_off(tmp_path: Path) -> None:
    """It does not wait for their end: each would go on for dozens of reports."""
    reports: list[int] = []

    def on_progress(games: int, decisions: int) -> None:
        if not reports:
            os.kill(os.getpid(), signal.SIGINT)
        reports.append(games)

    with pytest.raises(KeyboardInterrupt):
        tune(small(games=600), GREEDY, tmp_path, progress=lambda what, games: nullcontext(on_progress))
    assert sum(reports) == 0
    assert json.loads((tmp_path / STATE).read_text())["history"] == []


# ------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"seed": 5}, "was begun with seed 0, not 5"),
        ({"games": 13}, "was begun with games 12, not 13"),
        ({"check": {"every": 3, "games": 12}}, "was begun with check .*'every': 2.*, not .*'every': 3"),
        ({"only": ["points"]}, r"was begun with only \[\], not \['points'\]"),
    ],
)
def test_another_config_is_not_resumed(tmp_path: Path, change: dict[str, Any], told: str) -> None:
    tune(small(generations=1), GREEDY, tmp_path)
    with pytest.raises(ConfigError, match=told):
        tune(small(**change), GREEDY, tmp_path, resume=True)


def test_other_parameters_are_not_resumed_and_a_run_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds no run to resume: there is no state\.json"):
        tune(small(), GREEDY, tmp_path, resume=True)
    tune(small(generations=1), GREEDY, tmp_path)
    before = files(tmp_path)
    with pytest.raises(ConfigError, match="holds a run already"):
        tune(small(), GREEDY, tmp_path)
    shipped = {**GREEDY.parameters, "points": Parameter(0.4, 0.0, 2.0, "")}
    other = Subject("greedy", shipped, TEXT.replace("value = 0.3 ", "value = 0.4 "))
    with pytest.raises(ConfigError, match=r"was begun with parameter points \[0.3, .*\], not \[0.4"):
        tune(small(), other, tmp_path, resume=True)
    assert files(tmp_path) == before


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "expert", lambda game: GREEDY)
    config, out = tmp_path / "a.yaml", tmp_path / "run"
    config.write_text(yaml.safe_dump(SMALL))
    shown = good("tune-expert", config, "--out", out, "--generations", 1, "--seed", 3)
    ahead = json.loads((out / CHECKS).read_text())["1"]["worth"] > 0
    assert f"{out / BEST} has {'them' if ahead else 'the starting ones'}" in shown or f"cp {out / BEST} " in shown
    assert "expert/triatri.toml" in shown
    assert "was begun with seed 3, not 0" in refused("tune-expert", config, "--out", out, "--resume")
    again = run("tune-expert", config, "--out", out, "--seed", 3, "--resume", "--generations", 2)
    assert "generation 2 of 2: best" in again.stderr
    assert "generation 1 of" not in again.stderr


def row(low: float | None, high: float | None, even: float = 0.25) -> dict[str, Any]:
    return {"share": {"mean": 0.3, "low": low, "high": high}, "even": even}


@pytest.mark.parametrize(
    ("rows", "worth", "told"),
    [
        ([row(0.26, 0.34)], 0.2, r": better\. They are in .*best.toml. To ship them: cp .*best.toml .*triatri.toml"),
        ([row(0.25, 0.35)], 0.2, r": no difference that can be told from luck\. .*best.toml has them, but .* can stay"),
        ([row(None, None)], 0.2, r": no difference that can be told from luck\. "),
        ([row(0.26, 0.34)], 0.0, r": better\. They did not come out ahead, so .*best.toml has the starting ones"),
        ([row(0.1, 0.2)], -0.2, r": worse\. They did not come out ahead, so .* has the starting ones; .* can stay"),
        (
            [row(0.26, 0.3), row(0.2, 0.3), row(0.3, 0.4)],
            0.1,
            "better at 2 of 3 tables; no .* at 1 of 3 tables.*To ship",
        ),
        ([row(0.26, 0.3), row(0.1, 0.2)], 0.1, r"better at 1 of 2 tables; worse at 1 of 2 tables.* can stay"),
    ],
)
def test_only_what_cannot_be_luck_is_called_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, Any]], worth: float, told: str
) -> None:
    monkeypatch.setattr(subject, "expert", lambda game: GREEDY)
    monkeypatch.setattr("tritarea_eval.tuning.run.tune", lambda *_, **__: {"worth": worth, "tables": rows})
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(SMALL))
    assert re.search(told, good("tune-expert", tmp_path / "a.yaml", "--out", tmp_path / "out"))


def test_the_command_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subject, "expert", lambda game: GREEDY)
    monkeypatch.setattr("tritarea_eval.tuning.run.tune", interrupted)
    config = tmp_path / "a.yaml"
    config.write_text(yaml.safe_dump(SMALL))
    assert "stopped" in run("tune-expert", config, "--out", tmp_path / "x").stderr
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / STATE).touch()
    stopped = run("tune-expert", config, "--out", tmp_path / "x", "--seed", 3)
    assert stopped.exit_code == 130
    assert f"tritarea tune-expert {config} --seed 3 --resume --out {tmp_path / 'x'}" in stopped.stderr


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_configs_are_valid(path: Path) -> None:
    assert load(path, {}).game == path.stem


def test_matches_have_deals_of_their_own() -> None:
    seeds = [seed_of(seed, 0, generation, table) for seed in range(3) for generation in range(9) for table in range(3)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 1 << 64 for seed in seeds)
