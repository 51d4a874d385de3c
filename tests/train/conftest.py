"""One tiny trained agent for all tests of training."""

from pathlib import Path

import pytest
import torch
from tiny import tiny

from tritarea_train import train


@pytest.fixture(autouse=True)
def _threads():
    """Runs set torch's number of threads for their process; the next test gets back what it was."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def run(tmp_path_factory) -> Path:
    """The folder of a finished run."""
    out = tmp_path_factory.mktemp("run")
    train(tiny(), out)
    return out
