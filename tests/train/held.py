"""Agents for the tests of studies, by the spec ``held:Name``."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tritarea_env.views import Views

HOLD = "TRITAREA_TEST_HOLD"  # of the environment: a file


class Held:
    """The first legal action, but only when the file that ``HOLD`` names is not there."""

    def act(self, views: Views) -> NDArray[np.int64]:
        while os.environ.get(HOLD) and Path(os.environ[HOLD]).exists():
            time.sleep(0.01)
        return views.mask.argmax(axis=1)
