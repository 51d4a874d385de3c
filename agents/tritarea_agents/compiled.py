"""What agents have in common that decide in one compiled call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .base import Views
from .greedy.packing import packed


class CompiledAgent:
    """Decides by ``choose_all(hidden, seeds, parameters, chosen)``, a kernel that a subclass gives.

    ``parameters``: a named tuple of numbers, which the kernel gets as a record array (1,).
    """

    choose_all: ClassVar[Callable[..., None]]

    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters
        self._packed = packed(parameters)

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids."""
        chosen = np.empty(len(views), np.int64)
        self.choose_all(views.records, views.seed, self._packed, chosen)
        return chosen
