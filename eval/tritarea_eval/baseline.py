"""What a bench found, as a file, and the comparison of two."""

from __future__ import annotations

import datetime
import os
import platform
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

MOST_BYTES = 1_000_000
PACKAGES = ("tritarea", "numba", "numpy", "gymnasium", "pettingzoo")
_CPU_FILE = Path("/proc/cpuinfo")

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Text = Annotated[str, Field(min_length=1, max_length=200)]


class BaselineError(ValueError):
    """A file that cannot be compared with, and why."""


class Part(BaseModel):
    """A part of the file. Numbers are numbers; entries that are not known are left out."""

    model_config = ConfigDict(strict=True, frozen=True)


class Measure(Part):
    """One line: ``value`` in ``unit``, and where that is a rate, the nanoseconds that one takes."""

    key: Text
    what: Text
    value: Positive
    unit: Text
    ns: Positive | None

    @classmethod
    def of(cls, key: str, what: str, unit: str, value: float) -> Measure:
        """A measure, rounded to four digits."""
        ns = _rounded(1e9 / value) if is_rate(unit) else None
        return cls(key=key, what=what, value=_rounded(value), unit=unit, ns=ns)


class GameBench(Part):
    """What was measured of one game with these checked options."""

    game: Text
    options: dict[str, Any]
    measures: list[Measure]

    def by_key(self) -> dict[str, Measure]:
        return {measure.key: measure for measure in self.measures}


class Machine(Part):
    """Where it was measured. ``cores``: those that this process may use."""

    cpu: str
    cores: int
    system: str


class Bench(Part):
    """The whole file. ``date``: UTC, ISO 8601; ``seconds``: of each try."""

    format: Literal[1] = 1
    date: str
    seconds: Positive
    versions: dict[str, str]
    machine: Machine
    games: list[GameBench]


def is_rate(unit: str) -> bool:
    """Whether more of the unit is faster; of seconds and bytes, less is better."""
    return unit.endswith("/s")


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def bench_of(games: Iterable[GameBench], seconds: float) -> Bench:
    """What was measured here and now."""
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    versions = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    return Bench(date=now, seconds=seconds, versions=versions, machine=this_machine(), games=list(games))


def this_machine() -> Machine:
    """The machine that this runs on, as far as it can be known."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Machine(cpu=_cpu(), cores=usable, system=f"{platform.system()} {platform.machine()}")


def _cpu() -> str:
    if _CPU_FILE.is_file():
        for line in _CPU_FILE.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, model = line.partition(":")
            if name.strip() == "model name":
                return model.strip()
    return platform.processor() or "unknown"


# ------------------------------------------------------------------------------------------ reading


def read(path: Path) -> Bench:
    """What ``tritarea bench --out`` has written.

    Raises:
        OSError: the file cannot be read.
        BaselineError: it is none; says what is wrong first.
    """
    with path.open("rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise BaselineError(f"{path} is no file of tritarea bench: it has more than {MOST_BYTES:,} bytes")
    try:
        found = Bench.model_validate_json(text)
    except ValidationError as error:
        raise BaselineError(f"{path} is no file of tritarea bench: {_told(error.errors()[0])}") from error
    _check_unique(path, "a game", [bench.game for bench in found.games])
    for bench in found.games:
        _check_unique(path, f"a line of {bench.game}", [measure.key for measure in bench.measures])
    return found


def _told(one: Any) -> str:
    place = ".".join(map(str, one["loc"]))
    if one["type"] == "missing":
        return f"{place} is missing"
    reason = f"{one['msg']}, not {reprlib.repr(one['input'])}" if place else str(one["msg"])
    return f"{place}: {reason}" if place else reason


def _check_unique(path: Path, what: str, names: list[str]) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BaselineError(f"{path} is no file of tritarea bench: it holds {what} twice, {twice[0]!r}")


def part_for(bench: Bench, path: Path, game: str, options: Mapping[str, Any]) -> GameBench:
    """The part of a file that can be compared with a game's measures under these checked options.

    Raises:
        BaselineError: there is none; says which game or options were measured.
    """
    part = next((part for part in bench.games if part.game == game), None)
    if part is None:
        held = ", ".join(repr(part.game) for part in bench.games) or "no game"
        raise BaselineError(f"{path} was measured with {held}, not with {game!r}")
    names = [*options, *(name for name in part.options if name not in options)]
    told = [
        f"{name} {part.options.get(name)!r}, not {options.get(name)!r}"
        for name in names
        if part.options.get(name) != options.get(name)
    ]
    if told:
        raise BaselineError(f"{path} was measured with other options of {game}: {', '.join(told)}")
    return part


# ---------------------------------------------------------------------------------------- comparing


@dataclass(frozen=True)
class Row:
    """One line then and now. ``ratio``: how fast it is now, then being 1; None if it is in one of both only."""

    key: str
    unit: str
    old: float | None
    new: float | None
    ratio: float | None
    slower: bool


def compare(old: Iterable[Measure], new: Iterable[Measure], tolerance: float) -> list[Row]:
    """Every line that is in one or both, in the order of the new ones, those of the old alone at the end.

    A line is slower if its ratio is below 1 - ``tolerance``; of times and sizes, the ratio is then to now. A line
    whose unit has changed is another line.
    """
    before = {(measure.key, measure.unit): measure.value for measure in old}
    after = {(measure.key, measure.unit): measure.value for measure in new}
    rows = []
    for key, unit in dict.fromkeys([*after, *before]):
        then, now = before.get((key, unit)), after.get((key, unit))
        ratio = None if then is None or now is None else now / then if is_rate(unit) else then / now
        rows.append(Row(key, unit, then, now, ratio, ratio is not None and ratio < 1 - tolerance))
    return rows


def differences(old: Bench, new: Bench) -> list[str]:
    """What makes the numbers of two files hard to compare: another machine, other versions, longer tries."""
    then, now = _facts(old), _facts(new)
    return [
        f"{name} {then.get(name)}, now {now.get(name)}" for name in {**now, **then} if then.get(name) != now.get(name)
    ]


def _facts(bench: Bench) -> dict[str, str]:
    machine = {name: str(value) for name, value in bench.machine.model_dump().items()}
    return {**machine, **bench.versions, "seconds": f"{bench.seconds:g}"}
