"""The agent ``expert`` of Tri*T*Area as a policy for playouts: one world for a card, since a search samples many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..expert.tritarea import Parameters, choose
from ..expert.tritarea_value import WORK
from ..greedy.packing import packed

__all__ = ["expert", "ready"]

expert = choose  # (g, word, parameters, work) -> action; it looks at no card that its seat cannot see


def ready() -> tuple[NDArray[Any], NDArray[Any]]:
    """Its parameters and its scratch memory, (1,) each."""
    return packed(Parameters(samples=1)), np.zeros(1, WORK)
