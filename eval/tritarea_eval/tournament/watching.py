"""What is shown while a tournament is played: a bar and the table so far, or without a terminal a line now and then."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .store import Store
from .telling import numbers_of, ranking_table, title_of

FIRST_TABLE, FIRST_LINE = 5.0, 10.0  # seconds until then
LINES = 60.0  # seconds between lines
PATIENCE = 20.0  # seconds between tables, in units of what the last one took to make, and at least these seconds


class Screen:
    """Follows a tournament; a context manager.

    Args:
        most: how many games there are at most.
        done: how many of them are in the file already.
    """

    def __init__(self, store: Store, console: Console, most: int, done: int) -> None:
        self._store, self._console, self._most, self._done = store, console, most, done
        self._played = self._decisions = 0
        self._begun = time.monotonic()
        self._next = self._begun + (FIRST_TABLE if console.is_terminal else FIRST_LINE)
        columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"))
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console)
        self._task = self._progress.add_task("games", total=most, completed=done, told="")
        self._live = Live(self._progress, console=console, transient=True, refresh_per_second=4)

    def __enter__(self) -> Screen:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def played(self, finished: int, decisions: int) -> None:
        """So many games were finished and decisions made since the last call."""
        self._played += finished
        self._decisions += decisions
        self._progress.update(self._task, completed=self._done + self._played, told=self._told())

    def stored(self) -> None:
        """More games are in the file."""
        if time.monotonic() < self._next:
            return
        if not self._console.is_terminal:
            line = f"{self._done + self._played:,} of {self._most:,} games, {self._told()}"
            self._console.print(line, soft_wrap=True)
            self._next = time.monotonic() + LINES
            return
        begun = time.monotonic()
        self._live.update(Group(self._table(), self._progress))
        self._next = time.monotonic() + PATIENCE * max(1.0, time.monotonic() - begun)

    def _told(self) -> str:
        seconds = max(time.monotonic() - self._begun, 1e-3)
        speed = self._played / seconds
        if not self._played:
            return f"{self._decisions / seconds:,.0f} decisions/s"
        left = (self._most - self._done - self._played) / speed
        return f"{speed:,.1f} games/s, {duration_text(left)} left"

    def _table(self) -> RenderableType:
        found = numbers_of(self._store, resamples=0)
        return ranking_table(f"{title_of(self._store, found)}, so far", found)


def duration_text(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
