"""A tournament with programs that go wrong in every way: each is dealt with, and nobody else notices."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tourneys import config_of, exported, play_to

from tritarea_eval.tournament.games import Games
from tritarea_eval.tournament.store import Failure, read

BOT = Path(__file__).parents[1] / "agents" / "odd_bot.py"
KINDS = {"crash": "error", "hang": "late", "flood": "error", "illegal": "illegal", "unready": "error"}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs play on POSIX systems only")


def play(path: Path, games_at_once: int = 64, **ways: str) -> tuple[Games, list[Failure]]:
    """A tournament of ``random`` and these programs, each by the way in which it goes wrong."""
    program = f"{shlex.quote(sys.executable)} -S {shlex.quote(str(BOT))}"
    agents: dict[str, Any] = {"random": "random"}
    agents |= {name: f"exec: {program} {way} {1 if way == 'hang' else 4} '{path.parent}'" for name, way in ways.items()}
    play_to(path, config_of(agents=agents, deals=15, limits={"seconds": 1.0}), games_at_once)
    with read(path) as store:
        return store.games(), store.failures()


def left_over(mark: Path) -> list[str]:
    found = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if file.is_file()]
    return [line.decode(errors="replace") for line in found if str(mark).encode() in line.split(b"\0")]


def test_each_is_dealt_with_and_others_are_unharmed(tmp_path: Path) -> None:
    games, failures = play(tmp_path / "odd.sqlite", **{way: way for way in KINDS})
    healthy, none = play(tmp_path / "good.sqlite", **dict.fromkeys(KINDS, "good"))
    assert not none
    numbers = dict(zip(KINDS, range(1, 6), strict=True))
    for way, kind in KINDS.items():
        own = [failure for failure in failures if failure.agent == numbers[way]]
        assert own, way
        assert {failure.what for failure in own} == {kind}
        assert len(own) < 10 or way == "unready"
    assert len(failures) == games.failed.sum()
    both = games.failed.all(axis=1)
    assert (games.share[games.failed & ~both[:, None]] == 0).all()
    assert (games.share[both] == 0.5).all()
    assert np.array_equal(games.holders, healthy.holders)
    whole = ~games.failed.any(axis=1)
    assert whole.sum() >= 10
    for column in ("score", "share", "digest", "decisions"):
        assert np.array_equal(getattr(games, column)[whole], getattr(healthy, column)[whole])
    if sys.platform == "linux":
        assert not left_over(tmp_path)


def test_batches_change_nothing(tmp_path: Path) -> None:
    ways = {way: way for way in ("crash", "illegal", "unready")}
    _, failures = play(tmp_path / "many.sqlite", **ways)
    assert failures
    assert play(tmp_path / "one.sqlite", 1, **ways)[1] == failures
    assert exported(tmp_path / "many.sqlite") == exported(tmp_path / "one.sqlite")
