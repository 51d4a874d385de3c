"""Records of games as JSON lines: read, write, replay.

A record holds what a game started from and every decision; replaying it gives every position, and must give
its scores and winners. The format is described in docs/records.md.
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from . import games
from .engine import loops
from .errors import RecordError
from .games import Game
from .games.base import Position

Record = dict[str, Any]
Replayed = tuple[Position, list[int], int | None, int | None]

FORMAT = 1
_NEEDED = ("format", "game", "options", "deals", "actions", "scores", "winners")


def make(game: Game, options: Mapping[str, Any], start: dict[str, Any], actions: list[list[int]], g: Any) -> Record:
    """The record of a game that stands at ``g``.

    Args:
        options: checked options.
        start: as ``game.set_start`` returned it, or ``{"position": …, "deals": later deals}``.
        actions: ``[seat, action]`` for each decision.
    """
    record: Record = {"format": FORMAT, "game": game.name, **game.header_of(options), **start}
    record["deals"] = game.deals_of(g, start["deals"])
    record["actions"] = [list(pair) for pair in actions]
    over = bool(g.done)
    record["scores"] = scores_of(game, options, g) if over else None
    record["winners"] = winners_of(g) if over else None
    if over:
        record["sources"] = points_of(game, options, g, start)
    return record


def scores_of(game: Game, options: Mapping[str, Any], g: Any) -> list[int]:
    """Every seat's score."""
    scores: list[int] = g["scores"][: game.seats_of(options)].tolist()
    return scores


def winners_of(g: Any) -> list[int]:
    """The seats that have won a game that is over."""
    return _winners(_alone(g), 0)


def _winners(games: np.recarray, i: int) -> list[int]:
    won = int(loops.winners_of(games, i))
    return [seat for seat in range(won.bit_length()) if won >> seat & 1]


def points_of(
    game: Game, options: Mapping[str, Any], g: Any, start: Mapping[str, Any] | None = None
) -> list[dict[str, int]]:
    """Each seat's points by source; they sum to its score (``set-up``: scores that a position brought along)."""
    seats = game.seats_of(options)
    brought = (start or {}).get("position", {}).get("scores") or [0] * seats
    rows = [dict(zip(game.sources, row, strict=True)) for row in g["points"][:seats].tolist()]
    return [{**row, "set-up": brought[s]} if brought[s] else row for s, row in enumerate(rows)]


def result_of(
    game: Game, options: Mapping[str, Any], games: np.recarray, i: int, start: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Scores, winners and each seat's points by source, of the game ``games[i]``, which is over."""
    g = games[i]
    return {
        "scores": scores_of(game, options, g),
        "winners": _winners(games, i),
        "points": points_of(game, options, g, start),
    }


def _alone(g: Any) -> np.recarray:
    return np.array([g.item()], g.dtype).view(np.recarray)


# ---------------------------------------------------------------------------------------- files


def read(path: str | os.PathLike[str]) -> list[Record]:
    """The records of a JSON-lines file. They are parsed, not replayed.

    Raises:
        RecordError: names the line that is not a record.
    """
    records = []
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode("utf-8"))
                _check_shape(record)
            except UnicodeDecodeError:
                raise RecordError(f"{path}, line {number}: this is no text in UTF-8") from None
            except RecursionError:
                raise RecordError(f"{path}, line {number}: too deeply nested") from None
            except ValueError as error:
                raise RecordError(f"{path}, line {number}: {error}") from None
            records.append(record)
    return records


def write(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Write records as JSON lines, all or nothing: the file appears, or is replaced, when it is complete.

    A link is followed. A pipe or a device gets the records one after the other.

    Raises:
        IsADirectoryError: ``path`` is a folder.
        RecordError: something that is not a record; the file is left as it was.
    """
    with replacing(path) as out:
        _write_lines(out, records)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    """A text file to write that takes the place of ``path`` when the block ends without an error, else vanishes.

    A link is followed. A pipe or a device gets the text as it is written.

    Raises:
        IsADirectoryError: ``path`` is a folder.
    """
    target = target_of(path)
    if target is None:
        with open(path, "w", encoding="utf-8") as out:
            yield out
        return
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def target_of(path: str | os.PathLike[str]) -> Path | None:
    """The file that ``write`` makes or replaces, links followed; None for a pipe or a device.

    Raises:
        IsADirectoryError: it is a folder.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if os.path.exists(path) and not os.path.isfile(path):
        return None
    return Path(os.path.realpath(path))


def _write_lines(out: IO[str], records: Iterable[Record]) -> None:
    for number, record in enumerate(records):
        try:
            _check_shape(record)
            line = json.dumps(record, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise RecordError(f"record {number}: {error}") from None
        out.write(line + "\n")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# --------------------------------------------------------------------------------------- checks


def _check_shape(record: Any) -> None:
    if not isinstance(record, dict):
        raise RecordError(f"a record is a JSON object, not {str(record)[:60]}")
    missing = [key for key in _NEEDED if key not in record]
    if missing:
        raise RecordError(f"the record lacks {missing}")
    if not _is_int(record["format"]) or record["format"] != FORMAT:
        raise RecordError(f"the record has format {record['format']!r}; this version reads format {FORMAT}")
    if record["game"] not in games.names():
        raise RecordError(f"no game is named {record['game']!r}; there is {', '.join(games.names())}")
    if not isinstance(record["options"], dict):
        raise RecordError(f"options is an object, not {record['options']!r}")
    if not isinstance(record["actions"], list):
        raise RecordError("actions is a list of [seat, action]")
    for key in ("scores", "winners"):
        value = record[key]
        if value is not None and not (isinstance(value, list) and all(map(_is_int, value))):
            raise RecordError(f"{key} is a list of whole numbers, or null, not {value!r}")


def _is_int(value: Any) -> bool:
    """A whole number as JSON has it: neither a truth value nor numpy's."""
    return type(value) is int


def start(record: Record) -> tuple[Game, dict[str, Any], np.recarray]:
    """The game of a record, its options, and its state (1,) before the first decision.

    Raises:
        RecordError: the record's header is not one of its game's.
    """
    _check_shape(record)
    game = games.get(record["game"])
    try:
        options = game.options_of(record)
        state = game.new(1, options)
        if "position" in record:
            game.from_position(state[0], record["position"], np.uint64(0))
            game.set_later(state[0], record["deals"], strict=True)
        else:
            game.set_start(state[0], record, strict=True)
            loops.begin_game(state, 0)
    except ValueError as error:
        raise RecordError(f"the record's header: {error}") from None
    _feed(record, game, state)
    return game, options, state


def step(record: Record, game: Game, state: np.recarray, action: int, mask: Any) -> None:
    """One legal decision of a record's game ``state`` (1,), and the next mask (A,) int8.

    Raises:
        RecordError: the record lacks the deal that is needed then.
    """
    loops.step_game(state, 0, action, mask)
    _feed(record, game, state)


def _feed(record: Record, game: Game, state: np.recarray) -> None:
    """Hold the record's next deal ready."""
    g, deals = state[0], record["deals"]
    if game.feed is None:
        return
    if len(game.deals_of(g, deals)) > len(deals):
        raise RecordError(f"deals: after action {int(g.decision) - 1} another is needed; the record has {len(deals)}")
    game.feed(g, deals)


def _pair(pair: Any, number: int) -> tuple[int, int]:
    good = isinstance(pair, (list, tuple)) and len(pair) == 2
    if not good or not all(map(_is_int, pair)):
        raise RecordError(f"action {number} is [seat, action], not {pair!r}")
    return pair[0], pair[1]


def _check_action(game: Game, g: Any, mask: Any, seat: int, action: int, number: int) -> None:
    if g.done:
        raise RecordError(f"action {number}: the game is over after {number} actions, {[seat, action]} is too many")
    if seat != g.seat:
        raise RecordError(f"action {number}: seat {int(g.seat)} is to move, not seat {seat}")
    if not 0 <= action < game.actions or not mask[action]:
        name = game.action_names[action] if 0 <= action < game.actions else "no action"
        raise RecordError(f"action {number}: {action} ({name}) is not legal; legal: {np.flatnonzero(mask).tolist()}")


def _check_result(game: Game, options: Mapping[str, Any], record: Record, g: Any) -> None:
    """The record's deals, scores, winners and sources are those of its last position."""
    over = bool(g.done)
    dealt, deals = len(game.deals_of(g, record["deals"])), len(record["deals"])
    if over and dealt < deals:
        raise RecordError(f"deals: the game is over after {dealt}, the record has {deals}")
    right = {
        "scores": scores_of(game, options, g) if over else None,
        "winners": winners_of(g) if over else None,
    }
    if not over and record["scores"] is not None:
        raise RecordError(f"scores: the game is not over after {int(g.decision)} actions, but the record has some")
    for key, value in right.items():
        if record[key] != value:
            raise RecordError(f"{key}: replaying gives {value}, the record has {record[key]}")
    if over and "sources" in record:
        points = points_of(game, options, g, record)
        if record["sources"] != points:
            raise RecordError(f"sources: replaying gives {points}, the record has {record['sources']}")


def replay(record: Record) -> Iterator[Replayed]:
    """Yield ``(position, legal actions, seat, action)`` for each decision, last the final position.

    The last item has ``None`` for seat (if the game is over) and action.

    Raises:
        RecordError: at once, if the header is wrong; while iterating, with the number of the first action that
            does not fit, or at the end with the score that differs.
    """
    game, options, state = start(record)
    return _replay(game, options, state, record)


def _replay(game: Game, options: Mapping[str, Any], state: np.recarray, record: Record) -> Iterator[Replayed]:
    g, mask = state[0], np.zeros(game.actions, np.int8)
    only = np.zeros(1, np.int64)
    loops.legal_games(state, only, mask[None])
    for number, pair in enumerate(record["actions"]):
        seat, action = _pair(pair, number)
        _check_action(game, g, mask, seat, action, number)
        yield game.to_position(g), np.flatnonzero(mask).tolist(), seat, action
        step(record, game, state, action, mask)
    _check_result(game, options, record, g)
    yield game.to_position(g), np.flatnonzero(mask).tolist(), None if g.done else int(g.seat), None


def check(record: Record) -> None:
    """Replay a record to its end.

    Raises:
        RecordError: see ``replay``.
    """
    for _ in replay(record):
        pass
