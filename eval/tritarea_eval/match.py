"""A match: agents against each other, every deal played with the agents in every seat."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritarea_agents.playing import AgentError, OnProgress, Participant, Played, play_games
from tritarea_env import records
from tritarea_env.engine.rng import child, derive_many, key_of
from tritarea_env.games import Game
from tritarea_env.games import get as find_game
from tritarea_env.records import Record
from tritarea_env.views import AGENT_STREAM, Agent, find_agent

from .interval import Estimate, estimates

CHUNK = 1024  # games played at once


@dataclass(frozen=True)
class AgentResult:
    """How one agent did.

    Attributes:
        label: its spec, with a letter.
        seats: how many seats it held in each game.
        even: the win share that it would have among equals.
        share: its win share, all its seats together.
        score: its mean score, of a seat (with two players: of a team).
        by_seat: for each seat of a player its games there, win share, and mean score (NaN if it had none).
        decisions: how many it made.
        speed: decisions a second, the first batch left out (None: that was all). The seed does not fix it.
    """

    label: str
    seats: int
    even: float
    share: Estimate
    score: Estimate
    by_seat: tuple[tuple[int, float, float], ...]
    decisions: int
    speed: float | None


@dataclass(frozen=True)
class MatchResult:
    """A whole match. ``distinct`` counts games that differ in at least one action."""

    game: str
    options: dict[str, Any]
    seed: int
    games: int
    deals: int
    distinct: int
    agents: tuple[AgentResult, ...]
    npc_share: float | None
    records: list[Record] = field(default_factory=list, repr=False)

    def as_json(self) -> dict[str, Any]:
        """Everything but the times and the records: equal for equal seeds."""
        rows = [
            {
                "agent": a.label,
                "seats": a.seats,
                "even": round(a.even, 6),
                "share": a.share.as_json(),
                "score": a.score.as_json(),
                "by_seat": [
                    {"seat": seat, "games": n, "share": round(share, 6), "score": round(score, 6)}
                    for seat, (n, share, score) in enumerate(a.by_seat)
                    if n
                ],
                "decisions": a.decisions,
            }
            for a in self.agents
        ]
        head = {key: getattr(self, key) for key in ("game", "options", "seed", "games", "deals", "distinct")}
        return {**head, "agents": rows, "npc_share": None if self.npc_share is None else round(self.npc_share, 6)}


def play_match(
    game: str,
    agents: Sequence[str | Agent],
    *,
    games: int,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    chunk: int = CHUNK,
    out: str | os.PathLike[str] | None = None,
    keep_records: bool = False,
    on_progress: OnProgress | None = None,
) -> MatchResult:
    """Set up a match and play it; see ``Match`` and ``Match.play`` for arguments and errors."""
    match = Match(game, agents, games=games, seed=seed, options=options)
    return match.play(chunk=chunk, out=out, keep_records=keep_records, on_progress=on_progress)


class Match:
    """A match that can be played.

    Two agents: the first in one seat, the second in all others; as many agents as seats: these against each
    other. Deal d is that of ``reset(seed=seed, options={"game_index": d})`` of the single environment; it is
    played once for each seat that the first agent can have, the others following clockwise.

    Args:
        game: name of the game.
        agents: specs or agents.
        games: rounded up to whole deals.
        seed: 0 … 2**64-1; fixes deals, agents' chance and the intervals.
        options: the game's options. Seats that no player holds are the ``npc`` agent's.

    Raises:
        ValueError: an agent, option, seed or number that is none.
    """

    def __init__(
        self,
        game: str,
        agents: Sequence[str | Agent],
        *,
        games: int,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self.game = find_game(game)
        self.options = self.game.check_options(options or {})
        self.players = len(self.game.agents(self.options))
        self.seed = seed
        self.key = key_of(seed)
        if isinstance(games, bool) or not isinstance(games, int) or games < 1:
            raise ValueError(f"games is a whole number from 1 on, not {games!r}")
        self.holders = _rotations(len(agents), self.players, self.game.seats_of(self.options))
        self.deals = -(-games // len(self.holders))
        self.agents = len(agents)
        self.participants = _participants(self.game, agents, self.options, self.players)
        self.side = np.array(self.game.sides(self.options))

    @property
    def games(self) -> int:
        """The number of games, whole deals."""
        return self.deals * len(self.holders)

    def play(
        self,
        *,
        chunk: int = CHUNK,
        out: str | os.PathLike[str] | None = None,
        keep_records: bool = False,
        on_progress: OnProgress | None = None,
    ) -> MatchResult:
        """Play all games.

        Args:
            chunk: games played at once, which bounds memory; the result does not depend on it.
            out: file for the records, written when all are complete, or those that are when an agent fails.
            keep_records: whether the result holds the records.
            on_progress: gets the games finished and the decisions made since its last call.

        Raises:
            AgentError: an agent failed; it carries the record.
            ValueError: ``chunk`` is none.
        """
        if isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1:
            raise ValueError(f"chunk is a whole number from 1 on, not {chunk!r}")
        for participant in self.participants:
            participant.start()
        tally = _Tally(self)
        kept: list[Record] = []

        def all_records() -> Iterator[Record]:
            for played in self._chunks(chunk, on_progress):
                tally.add(played)
                if out is not None or keep_records:
                    for i in range(len(played)):
                        record = played.record(i)
                        if keep_records:
                            kept.append(record)
                        yield record

        if out is None:
            deque(all_records(), maxlen=0)
        else:
            _write(out, all_records())
        return tally.result(kept)

    def _chunks(self, chunk: int, on_progress: OnProgress | None) -> Iterator[Played]:
        rotations = len(self.holders)
        step = max(1, chunk // rotations)
        for first in range(0, self.deals, step):
            count = min(step, self.deals - first)
            streams = np.empty(count, np.uint64)
            derive_many(self.key, first, streams)
            keys = np.empty(count * rotations, np.uint64)
            derive_many(child(self.key, AGENT_STREAM), first * rotations, keys)
            holders = np.tile(self.holders, (count, 1))
            yield play_games(
                self.game, self.options, self.participants, holders, streams.repeat(rotations), keys, on_progress
            )


def _write(path: str | os.PathLike[str], rows: Iterator[Record]) -> None:
    """Write records; those that are complete are written before an agent's failure is passed on."""
    failures: list[AgentError] = []
    written = 0

    def complete() -> Iterator[Record]:
        nonlocal written
        try:
            for row in rows:
                yield row
                written += 1
        except AgentError as failure:
            failures.append(failure)
            yield from failure.finished
            written += len(failure.finished)

    found = complete()
    first = next(found, None)
    if first is not None:  # with nothing to write, a file that is there stays
        records.write(path, chain([first], found))
    if failures:
        failures[0].written = written
        raise failures[0]


class _Tally:
    """What the games of a match have shown so far."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.sides = np.stack([match.side == p for p in range(match.players)], axis=1).astype(np.float64)
        self.shares: list[NDArray[np.float64]] = []
        self.scores: list[NDArray[np.float64]] = []
        self.digests: list[NDArray[np.uint64]] = []

    def add(self, played: Played) -> None:
        """Count games in."""
        self.shares.append(played.shares() @ self.sides)
        self.scores.append(played.scores @ self.sides)
        self.digests.append(played.digests())

    def result(self, kept: list[Record]) -> MatchResult:
        """The numbers, when all is played."""
        share, score = np.concatenate(self.shares), np.concatenate(self.scores)  # (games, players)
        match = self.match
        held = np.tile(match.holders[:, : match.players], (match.deals, 1))
        columns = []
        for number in range(match.agents):
            own = held == number
            columns += [(share * own).sum(axis=1), (score * own).sum(axis=1) / own.sum(axis=1)]
        by_deal = np.stack(columns, axis=1).reshape(match.deals, -1, len(columns)).mean(axis=1)
        found = estimates(by_deal, match.seed, [True, False] * match.agents)
        rows = tuple(
            self._agent_result(number, found[2 * number], found[2 * number + 1], share, score, held == number)
            for number in range(match.agents)
        )
        npcs = _npcs_of_their_own(match)
        return MatchResult(
            game=match.game.name,
            options=match.game.changed_options(match.options),
            seed=int(match.seed),
            games=len(share),
            deals=match.deals,
            distinct=len(np.unique(np.concatenate(self.digests))),
            agents=rows,
            npc_share=float(1.0 - share.sum(axis=1).mean()) if npcs else None,
            records=kept,
        )

    def _agent_result(
        self,
        number: int,
        share: Estimate,
        score: Estimate,
        shares: NDArray[np.float64],
        scores: NDArray[np.float64],
        own: NDArray[np.bool_],
    ) -> AgentResult:
        by_seat = tuple(
            (int(there.sum()), _mean(shares[there, seat]), _mean(scores[there, seat]))
            for seat, there in enumerate(own.T)
        )
        seats = int(own[0].sum())
        participant = self.match.participants[number]
        return AgentResult(
            label=participant.label,
            seats=seats,
            even=seats / (self.match.players + _npcs_of_their_own(self.match)),
            share=share,
            score=score,
            by_seat=by_seat,
            decisions=participant.decisions,
            speed=participant.speed,
        )


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _rotations(agents: int, players: int, seats: int) -> NDArray[np.int8]:
    """(rotations, seats) int8: which agent holds each seat; NPC seats are held by participant ``agents``.

    Raises:
        ValueError: neither two agents nor one for each seat.
    """
    if agents not in (2, players) or (agents == 2 and players == 1):
        many = "one agent" if players == 1 else f"two agents or {players}" if players != 2 else "two agents"
        raise ValueError(f"a match of {players} player{'s' * (players != 1)} is between {many}, not {agents}")
    first = np.arange(players) if agents == players else np.minimum(np.arange(players), 1)
    holders = np.full((players, seats), agents, np.int8)
    for turn in range(players):
        holders[turn, :players] = np.roll(first, turn)
    return holders


def _participants(
    game: Game, agents: Sequence[str | Agent], options: Mapping[str, Any], players: int
) -> list[Participant]:
    """The agents in order, then the NPC if it has seats."""
    made: dict[str, Agent] = {}

    def agent_of(spec: str | Agent) -> Agent:
        if not isinstance(spec, str):
            return spec
        if spec not in made:
            made[spec] = find_agent(spec, game, options)
        return made[spec]

    names = [spec if isinstance(spec, str) else type(spec).__qualname__ for spec in agents]
    labels = [f"{chr(ord('A') + i)} {name}" for i, name in enumerate(names)]
    participants = [Participant(label, agent_of(spec)) for label, spec in zip(labels, agents, strict=True)]
    if players < game.seats_of(options):
        participants.append(Participant(f"npc {options['npc']}", agent_of(options["npc"])))
    return participants


def _npcs_of_their_own(match: Match) -> int:
    """How many NPC seats can win for themselves."""
    return int((match.side < 0).sum())
