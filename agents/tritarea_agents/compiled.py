"""What agents have in common that decide in one compiled call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Game

from .base import Views, check_game
from .greedy.packing import packed


class CompiledAgent:
    """Decides by ``choose_all(hidden, seeds, parameters, chosen)``, a kernel that a subclass gives.

    ``parameters``: a named tuple of numbers, which the kernel gets as a record array (1,).
    """

    choose_all: ClassVar[Callable[..., None]]

    def __init__(self, game: Game, parameters: Any) -> None:
        self.game, self.parameters = game, parameters
        self._packed = packed(parameters)

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids.

        Raises:
            ValueError: the views are of another game.
        """
        check_game(self.game, views)
        chosen = np.empty(len(views), np.int64)
        self.choose_all(views.records, views.seed, self._packed, chosen)
        return chosen
