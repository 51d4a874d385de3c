"""Learning curves: what a run's log says about evaluations, and drawings of several runs with bands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import history

TAIL = 1 << 14  # bytes at a log's end that hold its last lines
SUFFIXES = (".png", ".svg")
WIDTH, HEIGHT = 5.0, 3.8  # of a panel, inches


class Curve(NamedTuple):
    """Win shares (runs, k) at the steps (k,) that all the runs were evaluated at."""

    steps: NDArray[np.int64]
    shares: NDArray[np.float64]


def evaluations(run: Path) -> dict[str, dict[int, history.Row]]:
    """The evaluations in a run's log: by opponent, then by steps."""
    found: dict[str, dict[int, history.Row]] = {}
    for row in history.read(run / history.EVALUATION)[0]:
        found.setdefault(row["against"], {})[row["steps"]] = row
    return found


def seconds(run: Path) -> float | None:
    """How long a run has trained, over all starts; None if its log does not say."""
    rows, _ = history.read(run / history.PROGRESS)
    took = rows[-1].get(history.TRAINED) if rows else None
    return float(took) if isinstance(took, int | float) else None


def steps_so_far(run: Path) -> int:
    """How many steps a run's log tells of by now."""
    path = run / history.PROGRESS
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL))
        return max(map(_steps, file), default=0)


def _steps(line: bytes) -> int:
    """Of a line of the log; 0 for one of imitation, or one that is not whole."""
    try:
        row = json.loads(line)
        return int(row["steps"]) if row["phase"] == history.TRAINING else 0
    except (ValueError, KeyError, TypeError):
        return 0


def curve(runs: Sequence[Path], against: str) -> Curve:
    """The runs' evaluations against one opponent, at the steps that all have."""
    logs = [evaluations(run).get(against, {}) for run in runs]
    steps = sorted(set.intersection(*(set(log) for log in logs))) if logs else []
    shares = [[log[at]["share"] for at in steps] for log in logs]
    return Curve(np.array(steps, np.int64), np.array(shares, np.float64).reshape(len(logs), len(steps)))


def require_matplotlib() -> None:
    """Raises ImportError, saying what to install, if nothing can be drawn here."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "tritarea[plots]"') from error


def draw(curves: Mapping[str, Mapping[str, Curve]], evens: Iterable[float], path: Path) -> list[Path]:
    """Draw curves by opponent (a panel each) and name (a line each): the mean over runs, in a band from the least
    to the most; returns the files, ``path`` with each of ``SUFFIXES``. The same curves give the same files.

    Args:
        evens: win shares of equals, drawn as dotted lines.

    Raises:
        ImportError: matplotlib is missing; says what to install.
    """
    require_matplotlib()
    import matplotlib
    from matplotlib.figure import Figure

    width = WIDTH * max(1, len(curves))
    figure = Figure(figsize=(width, HEIGHT), layout="constrained")
    panels = figure.subplots(1, max(1, len(curves)), sharey=True, squeeze=False)[0]
    for panel, (against, lines) in zip(panels, curves.items(), strict=False):
        _draw_panel(panel, against, lines, evens)
    panels[0].set_ylabel("share of the wins in one seat")
    written = []
    with matplotlib.rc_context({"svg.hashsalt": "tritarea"}):  # else every drawing names its parts anew
        for suffix in SUFFIXES:
            target = path.with_suffix(suffix)
            draft = target.with_name(f".{target.name}")
            figure.savefig(draft, format=suffix[1:], metadata={"Date": None} if suffix == ".svg" else None)
            written.append(draft.replace(target))
    return written


def _draw_panel(panel: Any, against: str, lines: Mapping[str, Curve], evens: Iterable[float]) -> None:
    for even in evens:
        panel.axhline(even, color="grey", linestyle=":", linewidth=1)
    for name, (steps, shares) in lines.items():
        runs = f"{len(shares)} run{'s' * (len(shares) != 1)}"
        (line,) = panel.plot(steps, shares.mean(axis=0), marker=".", label=f"{name} ({runs})")
        panel.fill_between(steps, shares.min(axis=0), shares.max(axis=0), color=line.get_color(), alpha=0.2, lw=0)
    panel.set_title(f"among {against}", fontsize="medium", wrap=True)
    panel.set_xlabel("steps")
    if lines:
        panel.legend(fontsize="small")
