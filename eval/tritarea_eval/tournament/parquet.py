"""A Parquet file written bit by bit: it appears when it is complete, and memory does not grow with it."""

from __future__ import annotations

import errno
import queue
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import polars as pl
from polars.io.plugins import register_io_source

from tritarea_env.records import replacing

GROUP = 16_384  # rows of a row group
WAITING = 2  # frames on their way to the file
PATIENCE = 0.2  # seconds between looks at whether the file is still being written


class _Broken(Exception):
    """No more frames will come: making them failed."""


def write(frames: Iterable[pl.DataFrame], schema: Mapping[str, Any], path: Path, metadata: Mapping[str, str]) -> int:
    """Write frames of one schema; returns the number of rows. Equal frames give equal bytes.

    The frames are made in the calling thread, and written in others: polars would ask for them in threads of its own,
    to which no signal comes.

    Args:
        metadata: texts for the file's head.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing(path) as out:
        return _write(frames, schema, out.buffer, metadata)  # type: ignore[attr-defined]


def _write(frames: Iterable[pl.DataFrame], schema: Mapping[str, Any], out: IO[bytes], about: Mapping[str, str]) -> int:
    waiting: queue.Queue[pl.DataFrame | _Broken | None] = queue.Queue(WAITING)

    def arriving(*_: Any) -> Iterator[pl.DataFrame]:
        while (frame := waiting.get()) is not None:
            if isinstance(frame, _Broken):
                raise frame
            yield frame

    def sink() -> None:
        source = register_io_source(arriving, schema=dict(schema))
        source.sink_parquet(out, row_group_size=GROUP, metadata=dict(about))

    rows = 0
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(sink)
        try:
            for frame in frames:
                if not _hand_over(frame, waiting, writing):
                    break
                rows += len(frame)
        except BaseException:
            _hand_over(_Broken(), waiting, writing)
            raise
        _hand_over(None, waiting, writing)
        try:
            writing.result()
        except pl.exceptions.ComputeError as error:
            if not str(error).startswith("parquet: "):  # polars' way to tell of writing that fails, as on a full disk
                raise
            raise OSError(errno.EIO, f"the table cannot be written: {error}") from error
    return rows


def _hand_over(frame: Any, waiting: queue.Queue[Any], writing: Future[None]) -> bool:
    """Give the next frame to the file; whether it is still being written (not so after an error, as of a full disk)."""
    while not writing.done():
        try:
            waiting.put(frame, timeout=PATIENCE)
            return True
        except queue.Full:
            continue
    return False
