"""A tournament's games as a table for other programs: equal results make equal bytes. No times are in it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
from numpy.typing import NDArray

from tritarea_env import records

from .games import Games
from .store import Store

Kind = Literal["csv", "parquet"]


def export(store: Store, kind: Kind, path: Path) -> None:
    """Write all games, sorted by id, to a file that appears, or is replaced, when it is complete.

    Raises:
        OSError: it cannot be written.
        ImportError: polars is not installed (parquet only).
    """
    if kind == "csv":
        with records.replacing(path) as out:
            _write_csv(store, out)
    else:
        _write_parquet(store, path)


def columns(store: Store, games: Games) -> dict[str, NDArray[Any] | list[str]]:
    """The table's columns by name: game, block, deal, start (-1: no trick was led), digest of the actions, then by seat
    the agent's name, score, share of the win, whether it failed, its decisions, and points by source."""
    names = np.array([agent.name for agent in store.agents])
    table: dict[str, NDArray[Any] | list[str]] = {
        "game": games.id,
        "block": games.block,
        "deal": games.deal,
        "start": games.start,
        "digest": [f"{digest:016x}" for digest in games.digest.tolist()],
    }
    for seat in range(store.layout.seats):
        table[f"agent_{seat}"] = names[games.holders[:, seat]].tolist()
        table[f"score_{seat}"] = games.score[:, seat].astype(np.int32)
        table[f"share_{seat}"] = games.share[:, seat]
        table[f"failed_{seat}"] = games.failed[:, seat]
        table[f"decisions_{seat}"] = games.decisions[:, seat].astype(np.int32)
        for c, source in enumerate(store.layout.sources):
            table[f"{source.replace(' ', '_')}_{seat}"] = games.points[:, seat, c].astype(np.int32)
    return table


def _write_csv(store: Store, out: IO[str]) -> None:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns(store, store.layout.games([])))
    for part in store.parts():
        values = [column if isinstance(column, list) else _plain(column) for column in columns(store, part).values()]
        writer.writerows(zip(*values, strict=True))


def _plain(column: NDArray[Any]) -> list[Any]:
    """Truth values as 0 and 1, all else as it is."""
    plain: list[Any] = (column.astype(np.int8) if column.dtype == np.bool_ else column).tolist()
    return plain


def _write_parquet(store: Store, path: Path) -> None:
    import polars

    from . import parquet

    texts = dict.fromkeys(("digest", *(f"agent_{seat}" for seat in range(store.layout.seats))), polars.String)

    def frame(games: Games) -> polars.DataFrame:
        return polars.DataFrame(columns(store, games), schema_overrides=texts)

    parquet.write(map(frame, store.parts()), frame(store.layout.games([])).schema, path, {})
