"""One tiny trained agent of each game for all tests of training."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny import tiny

from tritarea_train import train


@pytest.fixture(autouse=True)
def _threads():
    """One thread: more, in several workers at once, wait for each other. A run sets its own number."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def run_of(tmp_path_factory) -> Callable[..., Path]:
    """The folder of a finished run, by game and what its config has of its own."""

    @functools.cache
    def finished(name: str, **overrides: Any) -> Path:
        out = tmp_path_factory.mktemp(name)
        train(tiny(name, **overrides), out)
        return out

    return finished


@pytest.fixture
def run(run_of) -> Path:
    """The folder of a finished run of Tri*T*Area."""
    return run_of("tritarea")
