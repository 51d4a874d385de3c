"""What is shown while a tournament is played: a bar and the table so far, or without a terminal a line now and then."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

import numpy as np
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from .games import Games
from .store import Store

FIRST_LINE, LINES = 10.0, 60.0  # seconds until the first line without a terminal, and between lines
PAUSE, REFRESH = 1.0, 0.2  # seconds between tables, and between movements of the bar


class Standing:
    """How the agents stand after some games, without intervals: sums over the seats of each."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._sums = np.zeros((4, len(names) + 1))  # seats, share, score, failed; the last column is NPCs'

    def add(self, games: Games) -> None:
        """Count games in."""
        holders, many = games.holders.ravel(), self._sums.shape[1]
        for row, values in zip(self._sums, (None, games.share, games.score, games.failed), strict=True):
            row += np.bincount(holders, None if values is None else values.ravel(), many)

    def table(self, title: str) -> Table:
        """The agents by their win share."""
        table = Table(title=title, title_justify="left")
        table.add_column("agent", overflow="fold")
        for column in ("seats", "win share", "mean score", "failed"):
            table.add_column(column, justify="right")
        seats, share, score, failed = self._sums
        means = np.stack([share, score]) / np.maximum(seats, 1)
        for i in sorted(range(len(self._names)), key=lambda i: -float(means[0, i])):
            row = (f"{seats[i]:,.0f}", f"{means[0, i]:.3f}", f"{means[1, i]:.1f}", f"{failed[i]:,.0f}")
            table.add_row(self._names[i], *row)
        return table


class Screen:
    """Follows a tournament; a context manager.

    Args:
        most: how many games there are at most.
        done: how many of them are in the file already.
    """

    def __init__(self, store: Store, console: Console, most: int, done: int) -> None:
        self._console, self._most, self._done = console, most, done
        self._standing = Standing(store.config.names)
        for games in store.parts():
            self._standing.add(games)
        self._played = self._decisions = 0
        self._begun = self._shown = time.monotonic()
        self._next = self._begun + (PAUSE if console.is_terminal else FIRST_LINE)
        columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[told]}"))
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console)
        self._task = self._progress.add_task("games", total=most, completed=done, told="")
        self._live = Live(self._progress, console=console, transient=True, refresh_per_second=1 / REFRESH)

    def __enter__(self) -> Screen:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()
        seconds = time.monotonic() - self._begun
        speed = self._played / max(seconds, 1e-3)
        told = f"{self._played:,} games in {duration_text(seconds)}, {speed:,.1f} games/s with the start"
        self._console.print(told, soft_wrap=True)

    def played(self, finished: int, decisions: int) -> None:
        """So many games were finished and decisions made since the last call."""
        self._played += finished
        self._decisions += decisions
        if time.monotonic() - self._shown > REFRESH:
            self._shown = time.monotonic()
            self._progress.update(self._task, completed=self._done + self._played, told=self._told())

    def stored(self, games: Games) -> None:
        """More games are in the file."""
        self._standing.add(games)
        now = time.monotonic()
        if now < self._next:
            return
        if self._console.is_terminal:
            self._live.update(Group(self._standing.table("So far"), self._progress))
            self._next = now + PAUSE
        else:
            line = f"{self._done + self._played:,} of {self._most:,} games, {self._told()}"
            self._console.print(line, soft_wrap=True)
            self._next = now + LINES

    def _told(self) -> str:
        seconds = max(time.monotonic() - self._begun, 1e-3)
        speed = self._played / seconds
        if not self._played:
            return f"{self._decisions / seconds:,.0f} decisions/s"
        left = (self._most - self._done - self._played) / speed
        return f"{speed:,.1f} games/s, {duration_text(left)} left"


def duration_text(seconds: float) -> str:
    """Hours, minutes and seconds."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
