"""How fast the environment is on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tritarea_env.games import get as find_game

from . import bench_plays as plays
from .baseline import Measure
from .bench_plays import Options, Play

TRIES = 3
SIZES = (1, 64, 1024, 16384)  # of a Batch
SHARED = (1024, 16384)  # those that threads share
SEATS = 64  # of the vector environment
SIMS = 400  # of the search
_FIRST_STEP = """
from tritarea_env.aec import GameEnv
env = GameEnv({game!r})
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


@dataclass(frozen=True)
class Line:
    """Something to measure. ``measure(game, options, seconds)`` gives it in ``unit``; ``seconds``: for each try."""

    key: str
    what: str
    unit: str
    measure: Callable[[str, Options, float], float]


def measured(lines: Sequence[Line], game: str, options: Options, seconds: float) -> Iterator[Measure]:
    """Measure one line after the other."""
    for line in lines:
        value = line.measure(game, options, seconds)
        yield Measure.of(line.key, line.what, line.unit, value)


def selected(patterns: Sequence[str]) -> list[Line]:
    """The lines whose keys match one of the patterns (``*`` and ``?`` as in a shell); all without a pattern.

    Raises:
        ValueError: a pattern matches none; names the keys.
    """
    for pattern in patterns:
        if not any(matches(line.key, [pattern]) for line in LINES):
            raise ValueError(f"no line matches {pattern!r}; there are {', '.join(line.key for line in LINES)}")
    return [line for line in LINES if matches(line.key, patterns)]


def matches(key: str, patterns: Sequence[str]) -> bool:
    """Whether a key is asked for. A bracket stands for itself: keys have some."""
    return not patterns or any(fnmatchcase(key, pattern.replace("[", "[[]")) for pattern in patterns)


def _rate(key: str, what: str, unit: str, prepare: Callable[..., Play], **given: Any) -> Line:
    """The line that says how much a second is done of what ``prepare`` makes; the best of the tries."""

    def measure(game: str, options: Options, seconds: float) -> float:
        play = prepare(game, options, **given)
        play()  # compiles
        return max(_speed(play, seconds) for _ in range(TRIES))

    return Line(key, what, unit, measure)


def _speed(play: Play, seconds: float) -> float:
    made, begun = 0, time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds or not made:
        made += play()
    return made / spent


def _start(key: str, what: str, code: str) -> Line:
    """The line of a fresh process that runs ``code`` with the game's defaults; the best of the tries."""

    def measure(game: str, options: Options, seconds: float) -> float:
        return min(process_seconds(code.format(game=game)) for _ in range(TRIES))

    return Line(key, what, "s", measure)


def _cold_start(game: str, options: Options, seconds: float) -> float:
    """Seconds of a fresh process that compiles all it needs; one try."""
    with tempfile.TemporaryDirectory() as empty:
        return process_seconds(_FIRST_STEP.format(game=game), cache=empty)


def process_seconds(code: str, cache: str | None = None) -> float:
    """Wall time of a fresh Python that runs ``code``; ``cache``: a folder for machine code instead of the user's."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache is not None else {})}
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - begun


_DECISIONS, _GAMES = "decisions/s", "games/s"

LINES = (
    Line("memory.game", "the record of a game", "bytes", lambda game, *_: find_game(game).dtype.itemsize),
    _rate("playout.game", "random games, compiled", _DECISIONS, plays.random_games, until="game"),
    _rate("playout.round", "random rounds, compiled", _DECISIONS, plays.random_games, until="round"),
    *(_rate(f"batch.step[n={n}]", "Batch.step", _DECISIONS, plays.batch_steps, n=n) for n in SIZES),
    *(
        _rate(f"batch.step[n={n},threads=2]", "Batch.step", _DECISIONS, plays.batch_steps, n=n, threads=2)
        for n in SHARED
    ),
    *(
        _rate(f"batch.advance[n={n}]", "Batch.advance, no looking", _DECISIONS, plays.batch_advances, n=n)
        for n in SIZES
    ),
    _rate("aec.raw", "AEC loop, raw", _DECISIONS, plays.aec_game, wrapped=False),
    _rate("aec.env", "AEC loop, env()", _DECISIONS, plays.aec_game, wrapped=True),
    _rate("gym.greedy", "gymnasium, greedy others", _DECISIONS, plays.seat_episode),
    _rate(f"vector.greedy[n={SEATS}]", "vector env, greedy others", _DECISIONS, plays.vector_steps, n=SEATS),
    *(
        _rate(f"{spec}.batch", f"{spec} in every seat", _DECISIONS, plays.agent_games, spec=spec)
        for spec in ("greedy", "expert")
    ),
    *(
        _rate(
            f"search.{policy}",
            f"search, {policy} playouts",
            "simulations/s",
            plays.searches,
            spec=f"search:sims={SIMS},playout={policy},rate=1,horizon=round,value=score",
            counted=SIMS,
        )
        for policy in ("random", "greedy")
    ),
    _rate("search.decision", "search as it is by default", _DECISIONS, plays.searches, spec="search:trees=1"),
    _rate("copy", "copy of a game in Python", _GAMES, plays.copies, n=1),
    _rate(f"copy[n={plays.MANY}]", "copy of all games at once", _GAMES, plays.copies, n=plays.MANY),
    _rate("legal", "mask of a seat to move", "masks/s", plays.legal_masks),
    _rate("step", "step, actions given", _DECISIONS, plays.given_steps),
    _rate("observe", "what a seat to move sees", "observations/s", plays.observations),
    _rate("determinize", "copy, guess what is hidden", _GAMES, plays.determinizations),
    _start("start.python", "bare Python", ""),
    _start("start.import", "import tritarea_env", "import tritarea_env"),
    _start("start.warm", "start to the first step", _FIRST_STEP),
    Line("start.cold", "the start, compiling all", "s", _cold_start),
)
