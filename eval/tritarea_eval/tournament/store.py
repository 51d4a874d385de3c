"""A tournament's file: one SQLite database with its config, its agents, and a row for each game.

Blocks are written whole, a transaction for some of them, so whatever ends the process, the file holds whole blocks.
What depends on the machine (times) stands in a table of its own. docs/tournaments.md describes all tables.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_train.config import make_as

from .config import TournamentConfig
from .games import Games
from .identity import Identity, agent_differences, config_differences
from .layout import Layout, layout_of, unpack
from .lock import Lock, take

APPLICATION = 0x54724154  # SQLite's application_id of a tournament's file
FORMAT = 1  # its user_version
PATIENCE = 10.0  # seconds to wait for another program's lock
MAGIC = b"SQLite format 3\x00"
AT_ONCE = 10_000  # rows read at once
Moves = tuple[NDArray[np.int8], NDArray[np.int16]]  # who did what in a game: seats (L,) and actions (L,)


class StoreError(ValueError):
    """A tournament's file that cannot be used, and why."""


class Failure(NamedTuple):
    """An agent's failure: in which game, in which seat, at which decision of the game, what, and its own words."""

    game: int
    seat: int
    decision: int
    agent: int
    what: str
    message: str


class Timed(NamedTuple):
    """Decisions of an agent that were timed, and the seconds that they took."""

    agent: int
    decisions: int
    seconds: float


class Ended(NamedTuple):
    """After how many blocks a tournament with a stopping rule ended, and what the rule said."""

    blocks: int
    verdict: str


class Batch(NamedTuple):
    """Whole blocks that were played: their games, each game's packed moves, failures, times."""

    games: Games
    moves: list[bytes]
    failures: list[Failure]
    times: list[Timed]


_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE agents (number INTEGER PRIMARY KEY, name TEXT, spec TEXT, version TEXT, digest TEXT);
CREATE TABLE games ({columns}, record BLOB NOT NULL);
CREATE INDEX games_by_block ON games (block);
CREATE TABLE failures (
    game INTEGER, seat INTEGER, decision INTEGER, agent INTEGER, what TEXT, message TEXT, PRIMARY KEY (game, seat)
);
CREATE TABLE times (agent INTEGER PRIMARY KEY, decisions INTEGER, seconds REAL);
"""


def is_store(path: Path) -> bool:
    """Whether a file is an SQLite database, a tournament's or not."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """SQLite's errors in this block, in the words of who owns the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {_words(error)}") from error


def _words(error: sqlite3.Error) -> str:
    words = {
        "SQLITE_NOTADB": "this is no tournament's file",
        "SQLITE_CORRUPT": f"the file is damaged: {error}",
        "SQLITE_BUSY": "the file is locked by another program",
        "SQLITE_LOCKED": "the file is locked by another program",
        "SQLITE_FULL": "the disk is full; what was stored before is whole",
        "SQLITE_READONLY": "the file cannot be written",
        "SQLITE_CANTOPEN": "the file cannot be opened",
    }
    code = str(getattr(error, "sqlite_errorname", ""))
    known = [text for name, text in words.items() if code.startswith(name)]
    if code.startswith("SQLITE_IOERR"):
        known = [f"the disk fails or is full ({error}); what was stored before is whole"]
    return known[0] if known else f"the file cannot be used: {error}"


class Store:
    """An open file of a tournament. Made by ``begin`` and ``read``; a context manager that closes it.

    Attributes:
        path: of the file.
        config: of the tournament.
        agents: in the order of their numbers; NPC seats' last.
        layout: of its games.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        with _told(path):
            _check_kind(path, connection)
            about = dict(connection.execute("SELECT key, value FROM about"))
            rows = connection.execute("SELECT number, name, spec, version, digest FROM agents ORDER BY number")
            self.agents = [Identity(*row) for row in rows]
        try:
            self.config = make_as(TournamentConfig, json.loads(about["config"]), {}, str(path))
        except (KeyError, ValueError) as error:
            raise StoreError(f"{path}: the file is damaged: its config: {error}") from error
        game = self.config.game.game
        if [agent.name for agent in self.agents[: len(self.config.names)]] != self.config.names:
            raise StoreError(f"{path}: the file is damaged: its agents are not those of its config")
        self.layout = layout_of(game, game.seats_of(self.config.game.checked))

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def add(self, batch: Batch) -> None:
        """Store whole blocks: all of them or, on any error, none."""
        columns = [*self.layout.columns, "record"]
        games = [(*row, moves) for row, moves in zip(self.layout.rows(batch.games), batch.moves, strict=True)]
        times = [(t.agent, t.decisions, t.seconds) for t in batch.times if t.decisions]
        with _told(self.path), self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(_insert("games", len(columns)), games)
            connection.executemany(_insert("failures", len(Failure._fields)), batch.failures)
            connection.executemany(
                "INSERT INTO times VALUES (?, ?, ?) ON CONFLICT (agent) DO UPDATE SET "
                "decisions = decisions + excluded.decisions, seconds = seconds + excluded.seconds",
                times,
            )

    def end(self, ended: Ended) -> None:
        """Note how a stopping rule's tournament ended."""
        with _told(self.path), self._connection as connection:
            connection.execute("INSERT INTO about VALUES ('ended', ?)", (json.dumps(ended._asdict()),))

    @property
    def ended(self) -> Ended | None:
        """How a stopping rule's tournament ended; None if it has not, or has no such rule."""
        with _told(self.path):
            row = self._connection.execute("SELECT value FROM about WHERE key = 'ended'").fetchone()
        try:
            return None if row is None else Ended(**json.loads(row[0]))
        except (TypeError, ValueError) as error:
            raise StoreError(f"{self.path}: the file is damaged: its end: {error}") from error

    def blocks(self) -> NDArray[np.int64]:
        """The blocks that are stored, sorted."""
        with _told(self.path):
            rows = self._connection.execute("SELECT DISTINCT block FROM games ORDER BY block").fetchall()
        return np.array([row[0] for row in rows], np.int64)

    def count(self) -> int:
        """How many games are stored."""
        with _told(self.path):
            return int(self._connection.execute("SELECT COUNT(*) FROM games").fetchone()[0])

    def parts(self, blocks: int | None = None) -> Iterator[Games]:
        """The games by id, some thousands at a time; with ``blocks``, those of so many first blocks."""
        where = "" if blocks is None else f" WHERE block < {int(blocks)}"
        return map(self._games, self._rows(", ".join(self.layout.columns), where, AT_ONCE))

    def recorded(self, at_once: int) -> Iterator[tuple[Games, list[Moves]]]:
        """The games by id, ``at_once`` at a time, with who did what in each.

        Raises:
            StoreError: a record is damaged.
        """
        columns = [*self.layout.columns, "record"]
        for rows in self._rows(", ".join(columns), "", at_once):
            games = self._games([row[:-1] for row in rows])
            yield games, [self._unpacked(row[0], row[-1]) for row in rows]

    def _games(self, rows: list[Any]) -> Games:
        try:
            games = self.layout.games(rows)
        except (TypeError, ValueError, OverflowError) as error:
            raise StoreError(f"{self.path}: the file is damaged: games: {error}") from error
        strange = (games.holders < 0) | (games.holders >= len(self.agents))
        if strange.any():
            game = games.id[strange.any(axis=1)][0]
            raise StoreError(f"{self.path}: the file is damaged: game {game}: it has an agent that is none")
        return games

    def _rows(self, columns: str, where: str, at_once: int) -> Iterator[list[Any]]:
        with (
            _told(self.path),
            closing(self._connection.execute(f"SELECT {columns} FROM games{where} ORDER BY id")) as found,
        ):
            while rows := found.fetchmany(at_once):
                yield rows

    def games(self, blocks: int | None = None) -> Games:
        """The same at once."""
        parts = list(self.parts(blocks)) or [self.layout.games([])]
        return Games._make(np.concatenate(columns) for columns in zip(*parts, strict=True))

    def failures(self) -> list[Failure]:
        """All failures, by game and seat."""
        query = f"SELECT {', '.join(Failure._fields)} FROM failures ORDER BY game, seat"
        with _told(self.path):
            return [Failure(*row) for row in self._connection.execute(query)]

    def speeds(self) -> dict[int, float]:
        """Decisions a second, by agent's number, of those that were timed. No result depends on it."""
        with _told(self.path):
            rows = self._connection.execute("SELECT agent, decisions, seconds FROM times WHERE seconds > 0").fetchall()
        return {agent: decisions / seconds for agent, decisions, seconds in rows}

    def moves(self, game: int) -> Moves:
        """Who did what in a game.

        Raises:
            StoreError: there is no such game, or its record is damaged.
        """
        with _told(self.path):
            row = self._connection.execute("SELECT record FROM games WHERE id = ?", (game,)).fetchone()
        if row is None:
            raise StoreError(f"{self.path}: there is no game {game}: {self._range()}")
        return self._unpacked(game, row[0])

    def _unpacked(self, game: int, record: Any) -> Moves:
        try:
            return unpack(record)
        except ValueError as error:
            raise StoreError(f"{self.path}: the file is damaged: game {game}: {error}") from error

    def _range(self) -> str:
        first, last, count = self._connection.execute("SELECT MIN(id), MAX(id), COUNT(*) FROM games").fetchone()
        return f"it holds {count:,} games, {first} … {last}" if count else "it holds none yet"


def _insert(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"


def _check_kind(path: Path, connection: sqlite3.Connection) -> None:
    application, version = (connection.execute(f"PRAGMA {n}").fetchone()[0] for n in ("application_id", "user_version"))
    if application != APPLICATION:
        raise StoreError(f"{path}: this is no tournament's file")
    if version != FORMAT:
        raise StoreError(f"{path} has format {version}; this version of tritarea reads format {FORMAT}")


def read(path: Path) -> Store:
    """Open a tournament's file to look at it; a process may be writing it meanwhile.

    Raises:
        StoreError: it is none, or cannot be read.
    """
    if not path.is_file():
        raise StoreError(f"there is no file {path}")
    with _told(path):
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?{_way_to_read(path)}", uri=True, timeout=PATIENCE, isolation_level=None
        )
        connection.execute("PRAGMA query_only = ON")
    return _opened(path, connection)


def _way_to_read(path: Path) -> str:
    """A database in WAL mode has files beside it even to be read: who opened it to write takes them away in the end."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return "mode=rw"
    return "mode=ro" if _beside(path, "-wal").exists() else "mode=ro&immutable=1"


def _opened(path: Path, connection: sqlite3.Connection) -> Store:
    try:
        return Store(path, connection)
    except BaseException:
        connection.close()
        raise


@contextmanager
def begin(path: Path, config: TournamentConfig, agents: Sequence[Identity]) -> Iterator[Store]:
    """Begin a tournament's file, or go on with it; in this block, no other process does.

    Raises:
        StoreError: it is no such file, or one of another tournament (told with the differences), or in use.
    """
    if not path.parent.is_dir():
        raise StoreError(f"there is no folder {str(path.parent)!r} to write {path.name!r} in")
    if path.is_dir():
        raise StoreError(f"{path} is a folder, no tournament's file")
    with closing(_lock(path)), closing(_connect(path)) as connection:
        with _told(path):
            if _is_blank(connection):
                _create(connection, config, agents)
        store = Store(path, connection)
        _refuse_changes(store, config, list(agents))
        _check_whole(path, connection)
        yield store


def _lock(path: Path) -> Lock:
    """Keep a file to this process."""
    try:
        lock = take(_beside(path, ".lock"))
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    if lock is None:
        raise StoreError(f"{path} is in use: another process plays this tournament")
    return lock


def _connect(path: Path) -> sqlite3.Connection:
    with _told(path):
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            if not _is_blank(connection):
                _check_kind(path, connection)  # before anything is changed in a file that is somebody else's
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
    return connection


def _is_blank(connection: sqlite3.Connection) -> bool:
    """A new file, or one whose making was interrupted."""
    tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    return not tables and connection.execute("PRAGMA application_id").fetchone()[0] in (0, APPLICATION)


def _create(connection: sqlite3.Connection, config: TournamentConfig, agents: Sequence[Identity]) -> None:
    game = config.game.game
    layout: Layout = layout_of(game, game.seats_of(config.game.checked))
    columns = [f"{name} INTEGER{' PRIMARY KEY' * (name == 'id')} NOT NULL" for name in layout.whole]
    columns += [f"{name} REAL NOT NULL" for name in layout.shares]
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        for statement in filter(str.strip, _TABLES.format(columns=", ".join(columns)).split(";")):
            connection.execute(statement)
        content = json.dumps(config.model_dump(mode="json"), ensure_ascii=False)
        connection.execute("INSERT INTO about VALUES ('config', ?)", (content,))
        connection.executemany(_insert("agents", len(Identity._fields)), agents)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")


def _refuse_changes(store: Store, config: TournamentConfig, agents: list[Identity]) -> None:
    told = config_differences(store.config.model_dump(mode="json"), config.model_dump(mode="json"))
    told = told or agent_differences(store.agents, agents)
    if told:
        raise StoreError(f"{store.path} is of another tournament: {'; '.join(told)}; give another --out for a new one")


def _check_whole(path: Path, connection: sqlite3.Connection) -> None:
    with _told(path):
        found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    if found != "ok":
        raise StoreError(f"{path}: the file is damaged: {found}")


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)
