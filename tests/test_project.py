"""The project itself: its version, its folders, what its files may not hold, what importing it costs."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tritarea_env

ROOT = Path(__file__).resolve().parents[1]
LARGEST_FILE = 2_000_000  # bytes

# Absolute paths of somebody's machine, and hosts of package registries: both belong in a user's own settings.
# (Written as patterns, these lines do not match themselves.)
FORBIDDEN = [
    re.compile(r"(?<![\w.~/-])/(?:home|root|Users|work|opt)/"),
    re.compile(r"\b[A-Za-z]:\\{1,2}Users\b"),
    re.compile(r"pypi\.org|pythonhosted\.org|pypi\.python\.org|download\.pytorch\.org|anaconda\.org|npmjs\.org"),
]


def project_files() -> list[Path]:
    """All files that are tracked or would be: those that .gitignore does not name."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == importlib.metadata.version("tritarea") == tritarea_env.__version__


@pytest.mark.parametrize("folder", ["tritarea_env", "agents", "train", "eval", "tests", "configs", "benchmarks"])
def test_top_level_folder(folder: str) -> None:
    assert (ROOT / folder).is_dir()


def test_no_machine_path_and_no_registry_host() -> None:
    found = []
    for path in project_files():
        content = path.read_bytes()
        if b"\0" in content:  # not text
            continue
        for number, line in enumerate(content.decode("utf-8").splitlines(), start=1):
            found += [f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}" for p in FORBIDDEN if p.search(line)]
    assert not found, "\n".join(found)


def test_no_large_file() -> None:
    large = [str(path.relative_to(ROOT)) for path in project_files() if path.stat().st_size > LARGEST_FILE]
    assert not large


def test_env_needs_neither_torch_nor_matplotlib() -> None:
    code = "import sys, tritarea_env; print(*sorted({'torch', 'matplotlib'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_make_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z][\w-]*):(?!=)", makefile, flags=re.MULTILINE)
    assert {"setup", "demo", "test", "lint", "bench"} <= set(targets)
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert re.findall(r"^  make (\S+)", shown.stdout, flags=re.MULTILINE) == targets
