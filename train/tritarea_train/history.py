"""The logs of a run as lines of JSON, for whoever reads them without TensorBoard.

``progress.jsonl`` has one line a rollout, ``evaluation.jsonl`` one a match. Both are only ever appended to, except when
a run goes on: then what lies after its checkpoint is cut off, so that they end up as if the run had never stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from itertools import takewhile
from pathlib import Path
from typing import Any

from tritarea_env import records

LOG = "log"
PROGRESS, EVALUATION = Path(LOG, "progress.jsonl"), Path(LOG, "evaluation.jsonl")
IMITATION, TRAINING = "imitation", "training"  # the phases of a run: what ``steps`` of a line of progress counts
TRAINED, SPEED = "time/trained", "time/samples_per_second"  # seconds over all starts; of a rollout and its update
MOST_BYTES = 1 << 28  # of a file that is read

Row = dict[str, Any]


def append(path: Path, rows: Iterable[Row]) -> None:
    """Write rows at the file's end, all in one go."""
    text = "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def read(path: Path) -> tuple[list[Row], str]:
    """The rows before the first damaged line, and what is wrong with that line ("": nothing).

    No file: no rows. A last line without its end is not there yet, or was cut off by a kill; it is no damage.
    """
    rows: list[Row] = []
    if not path.is_file():
        return rows, ""
    if path.stat().st_size > MOST_BYTES:
        return rows, f"{path.name} has more than {MOST_BYTES:,} bytes"
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            row = _row(line)
            if row is None:
                return rows, f"line {number} of {path.name} is damaged" if line.endswith(b"\n") else ""
            rows.append(row)
    return rows, ""


def _row(line: bytes) -> Row | None:
    """A whole line of JSON that is an object and says at which step; else None."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    whole = line.endswith(b"\n") and isinstance(row, dict) and type(row.get("steps")) is int
    return row if whole else None


def cut(path: Path, keep: Callable[[Row], bool]) -> list[Row]:
    """Cut the file off at its first row that is damaged or not to be kept; the rows that are left."""
    kept = list(takewhile(keep, read(path)[0]))
    text = "".join(json.dumps(row) + "\n" for row in kept)
    if path.is_file() and path.read_bytes() != text.encode():
        with records.replacing(path) as file:
            file.write(text)
    return kept


def sync(path: Path) -> None:
    """Wait until a file or folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
