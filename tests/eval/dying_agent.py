"""An agent that takes its process along."""

from __future__ import annotations

import os
import signal
from typing import Any

from tritarea_env.views import Views


class Dying:
    """Kills the process that it is in."""

    def act(self, views: Views) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)
