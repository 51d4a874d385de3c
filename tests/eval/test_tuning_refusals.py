"""Tuning: what is wrong in a config or in a run's files is told in one line, and nothing is lost."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from commandline import refused
from tuned import GREEDY, SMALL, TEXT, files, small

from tritarea_eval.tuning import subject
from tritarea_eval.tuning.run import CHECKS, STATE, tune
from tritarea_eval.tuning.subject import Subject
from tritarea_train.config import ConfigError


@pytest.mark.parametrize(
    ("file", "place", "value", "told"),
    [
        (STATE, "", [1], r"state.json: an object with named fields, not list"),
        (STATE, "", {"format": 1}, r"state.json: agent: is missing"),
        (STATE, "strategy", None, r"state.json: strategy: .*not None"),
        (STATE, "strategy.step", "0.2", r"state.json: strategy.step: .*valid number, not '0.2'"),
        (STATE, "strategy.step", 0, r"state.json: strategy.step: .*greater than or equal to 0.000000001, not 0"),
        (STATE, "strategy.generation", True, r"state.json: strategy.generation: .*valid integer, not True"),
        (STATE, "strategy.generation", 7, r"history: a row for each generation from 1 to strategy.generation 7, not 2"),
        (STATE, "strategy.mean", [0.5, 2, 0.5], r"state.json: strategy.mean.1: .*less than or equal to 1, not 2"),
        (STATE, "strategy.variance", [1.0, 1.0], r"state.json: strategy.variance: 3 numbers, one for each .*, not 2"),
        (STATE, "strategy.variance", [1.0, float("nan"), 1.0], r"state.json: strategy.variance.1: .*, not nan"),
        (STATE, "strategy.path_step", [1e308, 0, 0], r"strategy.path_step.0: .*less than or equal to 10*, not 1e\+308"),
        (STATE, "history", {}, r"state.json: history: .*valid list, not {}"),
        (STATE, "parameters", [5], r"state.json: parameters.0: .*valid list, not 5"),
        (STATE, "parameters", [["points"]], r"was begun with parameter points \[\], not \[0.3"),
        (STATE, "config", [], r"state.json: config: .*valid dictionary, not \[\]"),
        (CHECKS, "", [1], r"checks.json: an object with named fields, not list \(without this file, checks are played"),
        (CHECKS, "2", 3, r"checks.json: 2: an object with named fields, not int"),
        (CHECKS, "2.tables", [], r"checks.json: 2: tables: .*at least 1 item"),
        (CHECKS, "2.worth", "good", r"checks.json: 2: worth: .*valid number, not 'good'"),
    ],
)
def test_damaged_files_are_told_in_one_line_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, place: str, value: Any, told: str
) -> None:
    monkeypatch.setattr(subject, "expert", lambda game: GREEDY)
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(SMALL))
    out = tmp_path / "run"
    out.mkdir()
    for name, text in run_of_two_generations().items():
        (out / name).write_text(text, encoding="utf-8")
    content = inner = {"": json.loads((out / file).read_text())}
    *parts, last = ["", *filter(None, place.split("."))]
    for part in parts:
        inner = inner[part]
    inner[last] = value
    (out / file).write_text(json.dumps(content[""]))
    before = files(out)
    assert re.search(told, refused("tune-expert", tmp_path / "a.yaml", "--out", out, "--resume"))
    assert files(out) == before


@functools.cache
def run_of_two_generations() -> dict[str, str]:
    """The files of a run."""
    with TemporaryDirectory() as folder:
        tune(small(generations=2), GREEDY, Path(folder))
        return files(Path(folder))


@pytest.mark.parametrize("file", [STATE, CHECKS])
@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000], ids=["empty", "cut", "binary", "deep"])
def test_files_that_are_not_json_are_told(tmp_path: Path, file: str, content: bytes) -> None:
    tune(small(generations=1), GREEDY, tmp_path)
    (tmp_path / file).write_bytes(content)
    with pytest.raises(ConfigError, match=f"{file}: not JSON: "):
        tune(small(), GREEDY, tmp_path, resume=True)
    assert (tmp_path / file).read_bytes() == content


def test_a_run_needs_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="file is no folder"):
        tune(small(), GREEDY, tmp_path / "file")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"game": "chess"}, "game: no game is named 'chess'; there is triatri, tritarea"),
        ({"tables": []}, "tables: List should have at least 1 item"),
        ({"tables": [{"players": 9}]}, "tables.0: "),
        ({"tables": [{"colour": 1}]}, "tables.0: .*colour"),
        ({"game": "tritarea", "tables": [{"players": 1}]}, "tables.0: a player alone"),
        ({"opponents": {"greedy": -1}}, "opponents.greedy: .* greater than or equal to 0, not -1"),
        ({"opponents": {"greedy": 0}}, "opponents: at least one weight must be above 0"),
        ({"opponents": {}}, "opponents: at least one weight must be above 0"),
        ({"opponents": {"nobody": 1}}, "opponents: no agent is named 'nobody'; .*incumbent, start"),
        ({"objective": {"share": 0}}, "objective: share or score must be above 0"),
        ({"only": ["point"]}, "only: there is no parameter 'point'; there is points, samples, special"),
        ({"fixed": ["point"]}, "fixed: there is no parameter 'point'"),
        ({"fixed": ["points", "samples", "special"]}, "no parameter with a range is left to tune"),
        ({"spread": {"point": 1}}, "spread: there is no parameter 'point'"),
        ({"spread": {"points": 0}}, "spread.points: .* greater than 0, not 0"),
        ({"spread": {"points": 1e300}}, r"spread.points: 0.0002 … 2, the parameter's range, not 1e\+300"),
        ({"spread": {"points": 1e-300}}, "spread.points: 0.0002 … 2, the parameter's range, not 1e-300"),
        ({"step": 1e-300}, "step: .* greater than or equal to 0.0001, not 1e-300"),
        ({"objective": {"share": 1e308}}, r"objective.share: .* less than or equal to 1000000, not 1e\+308"),
        ({"opponents": {"greedy": 1e308}}, r"opponents.greedy: .* less than or equal to 1000000, not 1e\+308"),
        ({"games": 10**400}, "games: .* less than or equal to 1000000, not 1000"),
        ({"check": {"games": 10**7}}, "check.games: .* less than or equal to 1000000, not 10000000"),
        ({"population": 3}, "population: .* greater than or equal to 4"),
        ({"populations": 3}, "populations: there is no such field"),
    ],
)
def test_bad_configs_are_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], told: str
) -> None:
    monkeypatch.setattr(subject, "expert", lambda game: GREEDY)
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({**SMALL, **change}))
    assert re.search(told, refused("tune-expert", tmp_path / "a.yaml", "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_an_agent_that_has_not_these_options(tmp_path: Path) -> None:
    stranger = Subject("random", GREEDY.parameters, TEXT)
    with pytest.raises(ConfigError, match="'random' has no option 'points'"):
        tune(small(), stranger, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------------------------------------------ the command
