"""What a net looks at: what its seat sees and, with *foresight*, what follows from that by reckoning.

A net is slow to learn how areas are settled, and so what blocks change. Foresight tells it: its entries follow those
of the observation, are small integers as they are, and hold nothing that the seat does not know.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Field, Game
from tritarea_env.views import Views

from . import foresight_tritarea

ZERO = foresight_tritarea.ZERO


class Told(NamedTuple):
    """Of what foresight tells: fields whose entries, in order, fall into as many equal parts as there are actions."""

    fields: tuple[str, ...]
    actions: NDArray[np.int64]


Foresee = Callable[[Any, NDArray[np.int64], NDArray[np.int64], Any, int, NDArray[np.uint8]], None]


class Foresight(NamedTuple):
    """A game's: its fields, their offsets counted from 0, and the kernel that writes them.

    ``told``: what tells of single actions, in sets that are alike. An entry x of a field stands for
    (x - ``ZERO``) / maximum. ``foresee(games, index, seats, work, start, out)`` writes those of ``seats[j]`` in
    ``games[index[j]]`` to ``out[j, start:]``.
    """

    fields: tuple[Field, ...]
    told: Mapping[str, Told]
    foresee: Foresee
    work: np.dtype[Any]


_FORESIGHT = {
    "tritarea": Foresight(
        foresight_tritarea.FIELDS,
        {name: Told(*told) for name, told in foresight_tritarea.TOLD.items()},
        foresight_tritarea.foresee_games,
        foresight_tritarea.WORK,
    )
}


class Inputs:
    """What a net for ``game`` looks at.

    Attributes:
        fields: the observation's, then those of foresight.
        size: number of entries.
        scale, offset: (size,) float32: an entry x goes into the net as x * scale + offset.
        told: what foresight tells of single actions, by the name of the set.
        digest: 16 hex digits that change with any field; without foresight those of the game's observation.

    Raises:
        ValueError: the game has no foresight.
    """

    def __init__(self, game: Game, foresight: bool = False) -> None:
        if foresight and game.name not in _FORESIGHT:
            raise ValueError(f"{game.title} has no foresight")
        self.game, self.foresight = game, foresight
        self._own = _FORESIGHT[game.name] if foresight else None
        start = game.observation_size
        more = () if self._own is None else self._own.fields
        self.told = {} if self._own is None else self._own.told
        placed = [Field(f.name, start + f.offset, f.shape, f.maximum, f.meaning, f.group) for f in more]
        self.fields = (*game.fields, *placed)
        self.size = start + sum(field.size for field in more)
        units = [np.full(field.size, 1.0 / field.maximum, np.float32) for field in more]
        self.scale = np.concatenate([game.scale, *units])
        self.offset = np.where(np.arange(self.size) < start, 0.0, -ZERO * self.scale).astype(np.float32)

    @cached_property
    def digest(self) -> str:
        if not self.foresight:
            return self.game.observation_digest
        layout = repr([(f.name, f.offset, f.shape, f.maximum) for f in self.fields])
        return hashlib.sha256(f"{self.game.name} {layout}".encode()).hexdigest()[:16]

    def shown(
        self, games: Any, index: NDArray[np.int64], seats: NDArray[np.int64], observation: NDArray[np.uint8]
    ) -> NDArray[np.uint8]:
        """(m, size) uint8, for ``seats[j]`` in ``games[index[j]]`` (m,), which sees ``observation`` (m, d)."""
        if self._own is None:
            return observation
        out = np.empty((len(index), self.size), np.uint8)
        out[:, : observation.shape[1]] = observation
        self.foresee(games, index, seats, out)
        return out

    def foresee(self, games: Any, index: NDArray[np.int64], seats: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
        """Write the entries of foresight alone into ``out`` (m, size)."""
        if self._own is not None:
            work = np.zeros(1, self._own.work)
            self._own.foresee(games, index, seats, work, self.game.observation_size, out)

    def shown_of(self, views: Views) -> NDArray[np.uint8]:
        """(n, size) uint8, for the seats that decide."""
        return self.shown(views.records, np.arange(len(views)), views.seat.astype(np.int64), views.observation)
