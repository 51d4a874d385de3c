"""A small tuning run and its subject: what the tests of tuning tune."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from tritarea_agents.expert.parameters import Parameter
from tritarea_eval.tuning.config import TuneConfig
from tritarea_eval.tuning.subject import Subject

TEXT = """\
# A stand-in for the expert's file.

[points]
value = 0.3  # as shipped
low = 0.0
high = 2.0
about = "a standing; its value = what a point is worth"
off = 0.0

[samples]
about = "worlds per decision"
value = 2
low = 1
high = 4

[special]
value = 0.8
low = 0.0
high = 3.0
about = "one gem less"
"""
GREEDY = Subject("greedy", {name: Parameter(**table) for name, table in tomllib.loads(TEXT).items()}, TEXT)
SMALL: dict[str, Any] = {
    "game": "triatri",
    "tables": [{"players": 2}, {"players": 3}],
    "generations": 3,
    "population": 4,
    "games": 12,
    "check": {"every": 2, "games": 12},
}


def small(**changes: Any) -> TuneConfig:
    return TuneConfig.model_validate({**SMALL, **changes})


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
