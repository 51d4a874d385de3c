"""A tournament's decisions as rows, for learning from them: what a seat saw, might do, did, and what became of it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tritarea_agents.playing import OnProgress
from tritarea_env.engine import loops, protocol
from tritarea_env.engine.rng import child, key_of
from tritarea_env.errors import RecordError
from tritarea_env.games import Game

from .games import Games
from .store import Store

AT_ONCE = 64  # games replayed side by side

COLUMNS = {  # what each column says; docs/dataset.md has the same table
    "game": "the game's number in the tournament, which `tritarea replay FILE --game` takes",
    "deal": "the number of its deal: games on one deal are not independent, so split by deal",
    "decision": "its number within the game, from 0",
    "seat": "the seat that decides",
    "agent": "the agent in that seat, by name; null: an NPC's",
    "own": "whether that agent chose the action; false once it had failed in the game and chance went on in its place",
    "observation": "what the seat sees, as in `Batch.observation`; times `game.scale` it is the env's",
    "mask": "1 for each legal action",
    "action": "the action's id",
    "return": "the seat's reward `outcome` at the end, by the rules of the game: all it gets, from here on",
    "score": "the seat's final score",
    "share": "the seat's share of the win as the tournament counts it, after its rule for failures",
}


class Recorded(NamedTuple):
    """Games with their decisions.

    Attributes:
        games: n games.
        streams: (n,) uint64, the stream whose first game each of them is.
        seats: who decided, (L,) int8 for each game.
        actions: what, (L,) int16 for each game.
        failed_at: (n, S) int64, the number of the decision at which the seat's agent failed; -1 if it did not.
    """

    games: Games
    streams: NDArray[np.uint64]
    seats: Sequence[NDArray[np.int8]]
    actions: Sequence[NDArray[np.int16]]
    failed_at: NDArray[np.int64]


def recorded(store: Store, on_progress: OnProgress) -> Generator[Recorded]:
    """The games of a tournament's file by id, some at a time; to be closed before the file is.

    Args:
        on_progress: told of games and their decisions.
    """
    key, seats = key_of(store.config.seed), range(store.layout.seats)
    failures = {(failure.game, failure.seat): failure.decision for failure in store.failures()}
    for games, moves in store.recorded(AT_ONCE):
        failed_at = [[failures.get((game, seat), -1) for seat in seats] for game in games.id.tolist()]
        streams = np.array([child(key, deal) for deal in games.deal.tolist()], np.uint64)
        actors, actions = zip(*moves, strict=True)
        yield Recorded(games, streams, actors, actions, np.array(failed_at, np.int64))
        on_progress(len(moves), sum(map(len, actions)))


def schema_of(game: Game, names: Sequence[str]) -> dict[str, Any]:
    """The columns' types, in the order of ``COLUMNS``."""
    return {
        "game": pl.Int64,
        "deal": pl.Int64,
        "decision": pl.Int32,
        "seat": pl.Int8,
        "agent": pl.Enum(names),
        "own": pl.Boolean,
        "observation": pl.Array(pl.UInt8, game.observation_size),
        "mask": pl.Array(pl.UInt8, game.actions),
        "action": pl.Int16,
        "return": pl.Float64,
        "score": pl.Int32,
        "share": pl.Float64,
    }


def frames(
    game: Game,
    options: Mapping[str, Any],
    names: Sequence[str],
    recorded: Iterable[Recorded],
    agents: Sequence[str] | None = None,
) -> Iterator[pl.DataFrame]:
    """The decisions of games in order, a frame for each part of ``recorded``.

    Args:
        options: the game's options, checked.
        names: of the agents, by number.
        agents: whose decisions are wanted, by name (None: everyone's).

    Raises:
        RecordError: names the game whose record does not fit its deal or its result.
    """
    schema = schema_of(game, names)
    wanted = np.array([agents is None or name in agents for name in names] + [agents is None])
    for part in recorded:
        columns = rows_of(game, options, part)
        kept = wanted[columns["agent"]]
        columns = {name: column[kept] for name, column in columns.items()}
        by_name = [names[k] if k < len(names) else None for k in columns["agent"].tolist()]
        yield pl.DataFrame({**columns, "agent": by_name}, schema=schema)


def rows_of(game: Game, options: Mapping[str, Any], recorded: Recorded) -> dict[str, NDArray[Any]]:
    """The columns, a row for each decision; ``agent`` by number, that of an NPC being the number of agents."""
    games = recorded.games
    lengths = np.array([len(actions) for actions in recorded.actions], np.int64)
    first = np.cumsum(lengths) - lengths
    which = np.repeat(np.arange(len(lengths)), lengths)
    seat = np.concatenate(recorded.seats)
    decision = np.arange(len(which)) - first[which]
    failed_at = recorded.failed_at[which, seat]
    observation, mask, outcome = _replayed(game, options, recorded, lengths, first)
    return {
        "game": games.id[which],
        "deal": games.deal[which],
        "decision": decision.astype(np.int32),
        "seat": seat,
        "agent": games.holders[which, seat],
        "own": (failed_at < 0) | (decision < failed_at),
        "observation": observation,
        "mask": mask.view(np.uint8),
        "action": np.concatenate(recorded.actions),
        "return": outcome[which, seat],
        "score": games.score[which, seat].astype(np.int32),
        "share": games.share[which, seat],
    }


def _replayed(
    game: Game, options: Mapping[str, Any], recorded: Recorded, lengths: NDArray[np.int64], first: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.float64]]:
    """Observations (R, d) and masks (R, A), and each game's rewards at its end (n, S)."""
    tables = game.new(len(lengths), options)
    tables.stream[:] = recorded.streams
    loops.reset_games(tables, np.arange(len(lengths)))
    seats, actions = np.concatenate(recorded.seats), np.concatenate(recorded.actions).astype(np.int64)
    observation = np.empty((len(seats), game.observation_size), np.uint8)
    mask = np.empty((len(seats), game.actions), np.int8)
    for decision in range(int(lengths.max(initial=0))):
        live = np.flatnonzero(lengths > decision)
        at = first[live] + decision
        seen, legal = (
            np.empty((len(live), observation.shape[1]), np.uint8),
            np.empty((len(live), mask.shape[1]), np.int8),
        )
        _check(tables, live, seats[at], actions[at], recorded.games.id, decision)
        loops.observe_games(tables, live, seats[at], seen)
        loops.legal_games(tables, live, legal)
        observation[at], mask[at] = seen, legal
        loops.step_games(tables, live, actions[at])
    return observation, mask, _outcomes(tables, recorded.games)


def _check(
    tables: np.recarray,
    live: NDArray[np.int64],
    seats: NDArray[np.int8],
    actions: NDArray[np.int64],
    ids: NDArray[np.int64],
    decision: int,
) -> None:
    """Every decision is of the seat to move, and legal."""
    wrong = (tables.done[live] != 0) | (tables.seat[live] != seats)
    bad = int(np.argmax(wrong)) if wrong.any() else int(loops.first_illegal(tables, live, actions))
    if bad >= 0:
        what = f"seat {seats[bad]} cannot choose {actions[bad]} then"
        raise RecordError(f"game {ids[live[bad]]}: decision {decision} of its record does not fit: {what}")


def _outcomes(tables: np.recarray, games: Games) -> NDArray[np.float64]:
    outcome = np.zeros(games.score.shape)
    for i, number in enumerate(games.id.tolist()):
        scores = tables.scores[i][: len(outcome[i])].tolist()
        if not tables.done[i] or scores != games.score[i].tolist():
            raise RecordError(f"game {number}: its record comes to {scores}, its result is {games.score[i].tolist()}")
        protocol.outcome(tables[i], outcome[i])
    return outcome
