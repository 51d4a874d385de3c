"""Agents for the tests of matches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tritarea_env.views import Views


class First:
    """The first legal action: no chance at all."""

    def act(self, views: Views) -> NDArray[np.int64]:
        return views.mask.argmax(axis=1)


class Last:
    """The last legal action."""

    def act(self, views: Views) -> NDArray[np.int64]:
        return views.mask.shape[1] - 1 - views.mask[:, ::-1].argmax(axis=1)


class Crashing(First):
    """Raises an error in round 2."""

    def act(self, views: Views) -> NDArray[np.int64]:
        if (views.hidden.round_number == 2).any():
            raise RuntimeError("no idea\nwhat to do")
        return super().act(views)


class Illegal(First):
    """Chooses in the third trick what cannot be: the game's last action, where that is not legal."""

    def act(self, views: Views) -> NDArray[np.int64]:
        wrong = (views.hidden.trick == 3) & (views.mask[:, -1] == 0)
        return np.where(wrong, views.mask.shape[1] - 1, super().act(views))


class Short(First):
    """Answers one action too few."""

    def act(self, views: Views) -> NDArray[np.int64]:
        return super().act(views)[1:]


class Late(First):
    """Crashes when a game is ``after`` decisions old."""

    def __init__(self, after: int) -> None:
        self.after = after

    def act(self, views: Views) -> NDArray[np.int64]:
        if (views.hidden.decision >= self.after).any():
            raise ValueError("too late")
        return super().act(views)
