"""What a study came to: means over seeds with intervals, as tables for people and machines, and learning curves."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special

from tritarea_env.records import replacing
from tritarea_train import curves
from tritarea_train.study import Run, Study, read_result

from .interval import LEVEL

TABLE, SHEET, PLOT = "table", "runs.csv", "curves"
NUMBERS = ("games", "share", "low", "high", "even", "score", "their_score")  # of a match
COLUMNS = ("variant", "seed", "against", *NUMBERS, "steps", "digest")


def report(study: Study, out: Path) -> str:
    """Write ``table.md``, ``table.json``, ``runs.csv`` and the plots of what is done into ``out``; returns the table.

    Raises:
        ImportError: matplotlib is missing.
    """
    done = study.finished(out)
    table = summary(study, out, done)
    text = markdown(table)
    with replacing(out / f"{TABLE}.md") as file:
        file.write(text)
    with replacing(out / f"{TABLE}.json") as file:
        file.write(json.dumps(table, indent=1, allow_nan=False) + "\n")
    _write_sheet(out, done)
    evens = sorted({column["even"] for row in table["rows"] for column in row["against"].values()})
    curves.draw(_curves(study, out, done), evens, out / PLOT)
    return text


def summary(study: Study, out: Path, done: Sequence[Run]) -> dict[str, Any]:
    """The table as data: a row for each variant that has runs that are done."""
    rows = []
    for variant in study.config.variants:
        runs = [run for run in done if run.variant == variant]
        if runs:
            rows.append(_row(variant, runs, out))
    missing = [run.name for run in study.runs if run not in done]
    return {"games": study.config.matches.games, "rows": rows, "missing": missing}


def _row(variant: str, runs: Sequence[Run], out: Path) -> dict[str, Any]:
    results = [read_result(run, out) for run in runs]
    against = {}
    for number, match in enumerate(results[0]["matches"]):
        shares = [result["matches"][number]["share"]["mean"] for result in results]
        against[match["against"]] = {"even": match["even"], **over_seeds(shares), "by_seed": shares}
    return {
        "variant": variant,
        "seeds": [run.seed for run in runs],
        "steps": results[0]["steps"],
        "seconds": _mean([curves.seconds(run.folder(out)) for run in runs]),
        "against": against,
    }


def over_seeds(values: Sequence[float]) -> dict[str, float | None]:
    """The mean, and half of its 95% interval by Student's t, as few runs call for.

    None where the spread says nothing: for one run alone, or if all came out alike.
    """
    n = len(values)
    mean = round(float(np.mean(values)), 6)
    if n < 2 or min(values) == max(values):
        return {"mean": mean, "margin": None}
    t = float(special.stdtrit(n - 1, (1 + LEVEL) / 2))
    return {"mean": mean, "margin": round(t * float(np.std(values, ddof=1)) / n**0.5, 6)}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 1) if known else None


def markdown(table: dict[str, Any]) -> str:
    """The table for people."""
    opponents = list(dict.fromkeys(spec for row in table["rows"] for spec in row["against"]))
    heads = ["variant", "seeds", *(f"among {spec}" for spec in opponents), "even", "steps", "time"]
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for row in table["rows"]:
        cells = [_share(row["against"][spec]) for spec in opponents]
        even = f"{next(iter(row['against'].values()))['even']:.3f}"
        lines.append([row["variant"], str(len(row["seeds"])), *cells, even, f"{row['steps']:,}", _time(row["seconds"])])
    text = "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines)
    remark = (
        f"Share of the wins of the last checkpoint in one seat, {table['games']:,} games a run: mean over seeds ± half "
        "the 95% interval over seeds (Student's t). Time: of training, mean over seeds."
    )
    missing = f"\n\nNot done yet: {', '.join(table['missing'])}." if table["missing"] else ""
    return f"{text}\n\n{remark}{missing}\n"


def _time(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds:,.0f} s"


def _share(column: dict[str, Any]) -> str:
    margin = "" if column["margin"] is None else f" ± {column['margin']:.3f}"
    return f"{column['mean']:.3f}{margin}"


def _write_sheet(out: Path, done: Sequence[Run]) -> None:
    with replacing(out / SHEET) as file:
        sheet = csv.writer(file, lineterminator="\n")
        sheet.writerow(COLUMNS)
        for run in done:
            result = read_result(run, out)
            for match in result["matches"]:
                share = match["share"]
                scores = [match[name]["mean"] for name in ("score", "their_score")]
                numbers = [match["games"], share["mean"], share["low"], share["high"], match["even"], *scores]
                sheet.writerow([run.variant, run.seed, match["against"], *numbers, result["steps"], result["digest"]])


def _curves(study: Study, out: Path, done: Sequence[Run]) -> dict[str, dict[str, curves.Curve]]:
    """By opponent, then by variant."""
    found: dict[str, dict[str, curves.Curve]] = {}
    for variant in study.config.variants:
        folders = [run.folder(out) for run in done if run.variant == variant]
        for against in sorted({spec for folder in folders for spec in curves.evaluations(folder)}):
            found.setdefault(against, {})[variant] = curves.curve(folders, against)
    return found
