"""How a game stands in a table: one row, with a column for every number of every seat."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Game

from .games import Games

ONCE = ("id", "block", "deal", "start", "digest")  # columns that a game has once; ``digest`` as a signed number
Row = tuple[int | float, ...]


class Layout(NamedTuple):
    """The columns for tables of ``seats`` seats whose scores come from ``sources``.

    They stand in this order: what a game has once, then for each seat agent, score, failed, decisions and the points
    from each source (whole numbers), then for each seat its share (a float).
    """

    seats: int
    sources: tuple[str, ...]

    @property
    def whole(self) -> list[str]:
        """Names of the columns with whole numbers."""
        kinds = ["agent", "score", "failed", "decisions"]
        kinds += [source.replace(" ", "_") for source in self.sources]
        return [*ONCE, *(f"{kind}_{seat}" for kind in kinds for seat in range(self.seats))]

    @property
    def shares(self) -> list[str]:
        """Names of the columns with shares."""
        return [f"share_{seat}" for seat in range(self.seats)]

    @property
    def columns(self) -> list[str]:
        """All names in order."""
        return [*self.whole, *self.shares]

    def rows(self, games: Games) -> list[Row]:
        """A row for each game."""
        once: list[NDArray[Any]] = [games.id, games.block, games.deal, games.start, games.digest.view(np.int64)]
        seats: list[NDArray[Any]] = [games.holders, games.score, games.failed, games.decisions]
        points = [games.points[:, :, c] for c in range(len(self.sources))]
        whole = np.column_stack([column.astype(np.int64) for column in (*once, *seats, *points)])
        return [(*w, *s) for w, s in zip(whole.tolist(), games.share.tolist(), strict=True)]

    def games(self, rows: Sequence[Row]) -> Games:
        """The inverse of ``rows``."""
        whole, shares = len(self.whole), self.seats
        kind = np.dtype([("whole", np.int64, (whole,)), ("share", np.float64, (shares,))])
        table = np.array([(row[:whole], row[whole:]) for row in rows], kind)
        once = table["whole"][:, : len(ONCE)]
        seats = table["whole"][:, len(ONCE) :].reshape(len(rows), 4 + len(self.sources), self.seats)
        return Games(
            id=once[:, 0].copy(),
            block=once[:, 1].copy(),
            deal=once[:, 2].copy(),
            holders=seats[:, 0].astype(np.int8),
            score=seats[:, 1].copy(),
            share=table["share"].copy(),
            points=seats[:, 4:].transpose(0, 2, 1).copy(),
            start=once[:, 3].astype(np.int8),
            failed=seats[:, 2].astype(np.bool_),
            digest=once[:, 4].copy().view(np.uint64),
            decisions=seats[:, 3].copy(),
        )


def layout_of(game: Game, seats: int) -> Layout:
    """The layout for a game."""
    return Layout(seats, game.sources)


def pack(seats: NDArray[np.int8], actions: NDArray[np.int16]) -> bytes:
    """Who did what in a game, (L,) each, as compressed bytes: all seats, then all actions, two bytes each."""
    return zlib.compress(seats.astype("<i1").tobytes() + actions.astype("<i2").tobytes(), 1)


def unpack(packed: bytes) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
    """The inverse of ``pack``. Raises ValueError if it is none's result."""
    try:
        content = zlib.decompress(packed)
    except (zlib.error, TypeError) as error:
        raise ValueError(f"the record is damaged: {error}") from error
    length, rest = divmod(len(content), 3)
    if rest:
        raise ValueError("the record has no whole number of decisions")
    return np.frombuffer(content, "<i1", length).copy(), np.frombuffer(content, "<i2", offset=length).copy()
