"""The cache of machine code: warm in a new process, and never older than any source behind it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import tritarea_env

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="there is no machine code without the compiler")

SCRIPT = """
from tritarea_env import games
from tritarea_env.games.tritarea import deals
game = games.get("tritarea")
state = game.new(1, game.check_options({}))
deals.begin(state[0])
hits = sum(deals.begin.stats.cache_hits.values())
print(state.blocks[0].tolist(), hits)
"""


def run(folder, cache, **environment):
    env = {**os.environ, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(cache), **environment}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env=env, cwd=folder, check=True
    )
    told = "compiling for this machine" in done.stderr
    assert told == done.stdout.strip().endswith(" 0"), "who has to wait is told why"
    return done.stdout.strip()


def test_cache_follows_every_source(tmp_path):
    """A second process starts warm; a change in another file's constant or helper is seen by the next."""
    shutil.copytree(
        Path(tritarea_env.__file__).parent,
        tmp_path / "src" / "tritarea_env",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    source, cache = tmp_path / "src", tmp_path / "cache"
    assert run(source, cache) == "[7, 7, 7, 7] 0"
    assert run(source, cache) == "[7, 7, 7, 7] 1"
    rules = source / "tritarea_env" / "games" / "tritarea" / "rules.py"
    rules.write_text(rules.read_text().replace("BLOCKS_A_SEAT = (7, 8, 9)", "BLOCKS_A_SEAT = (6, 8, 9)"))
    assert run(source, cache) == "[6, 6, 6, 6] 0"
    assert run(source, cache) == "[6, 6, 6, 6] 1"
    assert run(source, cache, NUMBA_BOUNDSCHECK="1") == "[6, 6, 6, 6] 0", "checked code has a folder of its own"
    assert len(list(cache.iterdir())) == 3
    old = next(cache.iterdir())
    os.utime(old, (0, 0))
    run(source, cache, NUMBA_OPT="1")
    assert not old.exists(), "a folder that no one has used for long is removed"
    assert len(list(cache.iterdir())) == 3


def test_where_nothing_can_be_written_kernels_still_run(tmp_path):
    """Neither the folder asked for nor the user's own can be made: code is kept for this process only."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    folder = Path(tritarea_env.__file__).parents[1]
    result = run(folder, blocked / "cache", XDG_CACHE_HOME=str(blocked), LOCALAPPDATA=str(blocked))
    assert result == "[7, 7, 7, 7] 0"


def test_importing_the_package_loads_no_compiler():
    code = "import sys, tritarea_env; print({'numba', 'torch', 'tritarea_env.vector'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_an_install_that_cannot_be_written_to_starts_warm(tmp_path):
    """The sources are read-only, as in a system's site-packages: code is kept in the user's cache."""
    source = tmp_path / "src"
    shutil.copytree(
        Path(tritarea_env.__file__).parent, source / "tritarea_env", ignore=shutil.ignore_patterns("__pycache__")
    )
    for path in (source, *source.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    cache = {"XDG_CACHE_HOME": str(tmp_path / "home"), "LOCALAPPDATA": str(tmp_path / "home"), "NUMBA_CACHE_DIR": ""}
    first, second = (run(source, "", **cache) for _ in range(2))
    assert (first, second) == ("[7, 7, 7, 7] 0", "[7, 7, 7, 7] 1")
    assert not list(source.rglob("*.nbi"))
