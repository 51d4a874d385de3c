"""``tritarea play``: a person at the terminal against agents."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import (
    MOST,
    GameName,
    GameOptions,
    Players,
    UserError,
    adviser_of,
    agents_fault,
    check_out,
    game_of,
    screen,
    user_input,
)

if TYPE_CHECKING:
    from tritarea_env.games import Game
    from tritarea_env.table import Table
    from tritarea_env.views import Agent
    from tritarea_eval.explaining import Adviser

HELP = """Answer with the number in the list, the name (or a part of it that only one action has),
or the action's id with a hash, as in #7. ? shows this, b the board again, q ends the game."""


def play(
    seat: Annotated[int, typer.Option("--seat", min=0, help="Your seat.")] = 0,
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            "--opponents",
            metavar="AGENT",
            help="One for all, or repeated: one for each, clockwise from your left. [default: greedy]",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, max=MOST, help="Fixes the deal and the agents.")] = None,
    game: GameName = "tritarea",
    players: Players = None,
    option: GameOptions = None,
    explain: Annotated[
        str | None,
        typer.Option(
            "--explain",
            metavar="AGENT",
            help="Before each decision of yours, what this agent thinks of it: search:sims=800.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="File for the record, also of a game broken off.")] = None,
) -> None:
    """Play a game against agents.

    \b
    Example:
      tritarea play --seat 2 --opponents greedy --seed 7
      tritarea play --game triatri --players 3 --explain search:sims=800
    """
    from tritarea_env.table import Table

    found, options = game_of(game, option, players)
    last = len(found.agents(options)) - 1
    if seat > last:
        raise UserError(f"--seat is 0 … {last}, not {seat}")
    check_out(out)
    seed = secrets.randbits(32) if seed is None else seed
    holders, names = _holders(found, options, seat, opponents or ["greedy"])
    adviser = adviser_of(explain, found, options)
    table = Table(game, options, found.rewards[0])
    table.reset(seed, {})
    typer.echo(
        f"{found.title}, seed {seed}. You are seat {seat}; "
        + ", ".join(f"seat {s}: {names[s]}" for s in sorted(holders))
        + ". ? for help."
    )
    evening = _Evening(found, table, holders, names, seat, adviser)
    try:
        evening.play()
    finally:
        if out is not None:
            from tritarea_env import records

            records.write(out, [table.record()])
            typer.echo(f"The record is in {out}.")


def _holders(
    game: Game, options: dict[str, Any], own: int, opponents: Sequence[str]
) -> tuple[dict[int, Agent], dict[int, str]]:
    """The agents of all other seats and their names; NPC seats are the ``npc`` agent's."""
    from tritarea_env.views import find_agent

    players = len(game.agents(options))
    if len(opponents) not in (1, players - 1):
        raise UserError(f"--opponents is given once, or {players - 1} times, not {len(opponents)} times")
    names: dict[int, str] = {}
    for place in range(players - 1):
        names[(own + 1 + place) % players] = opponents[place if len(opponents) > 1 else 0]
    names.update((seat, options["npc"]) for seat in range(players, game.seats_of(options)))
    with user_input():
        made = {spec: find_agent(spec, game, options) for spec in sorted(set(names.values()))}
    return {s: made[spec] for s, spec in names.items()}, {**names, own: "you"}


class _Evening:
    """A game with a person in one seat, and perhaps an adviser."""

    def __init__(
        self,
        game: Game,
        table: Table,
        holders: dict[int, Agent],
        names: dict[int, str],
        seat: int,
        adviser: Adviser | None,
    ) -> None:
        self.game, self.table, self.holders, self.names, self.seat = game, table, holders, names, seat
        self.adviser = adviser
        self.round = 1
        self.settled = [dict.fromkeys(game.sources, 0) for _ in range(table.seats)]

    def play(self) -> None:
        """Play to the end, or until the person leaves."""
        while self.table.to_move >= 0:
            own = self.table.to_move == self.seat
            action = self._ask() if own else self._agents_choice()
            if action is None:
                typer.echo("\nYou left; the game is not finished.")
                return
            if not own:
                self._tell(action)
            self.table.apply(action)
            self._tell_settlement()
        self._tell_result()

    def _agents_choice(self) -> int:
        import numpy as np

        from tritarea_env.views import checked, stream_views

        mover = self.table.to_move
        games, only = self.table.playing(), np.zeros(1, np.int64)
        with agents_fault(self.names[mover], mover):
            answer = self.holders[mover].act(stream_views(self.game, games, only))
            return int(checked(self.game, games, only, answer, "it")[0])

    def _tell(self, action: int) -> None:
        from tritarea_eval.telling import told_action

        mover = self.table.to_move
        told = told_action(self.game, self.table.playing(), action, self.seat)
        typer.echo(f"  seat {mover} ({self.names[mover]}): {told}")

    def _ask(self) -> int | None:
        legal = [a for a in range(self.game.actions) if self.table.mask[a]]
        self._show(legal)
        advice = self._advice(legal)
        typer.echo(advice, nl=False)
        while True:
            answer = _read_answer()
            if answer is None:
                return None
            if answer == "?":
                typer.echo(HELP)
            elif answer.lower() == "b":
                self._show(legal)
                typer.echo(advice, nl=False)
            elif answer:
                try:
                    return understood(self.game, legal, answer)
                except ValueError as error:
                    typer.echo(str(error))

    def _advice(self, legal: list[int]) -> str:
        """What the adviser thinks of the person's decision, if there is one to make."""
        if self.adviser is None:
            return ""
        labels = {action: f"{number:>3} {self.game.action_names[action]}" for number, action in enumerate(legal, 1)}
        with agents_fault(self.adviser.spec, self.seat):
            told = self.adviser.explanation(self.table.playing(), labels)
        return f"\n{self.adviser.spec} thinks:\n{told}\n" if told else ""

    def _show(self, legal: list[int]) -> None:
        typer.echo("\n" + self.table.text(self.seat) + "\n")
        entries = [f"{number:>3} {self.game.action_names[action]}" for number, action in enumerate(legal, 1)]
        width = max(map(len, entries)) + 2
        columns = max(1, 100 // width)
        for first in range(0, len(entries), columns):
            typer.echo("".join(entry.ljust(width) for entry in entries[first : first + columns]).rstrip())

    def _tell_settlement(self) -> None:
        """At the end of a round: what it brought, by source, if it did and the end does not show just that."""
        over = self.table.to_move < 0
        if not over and self.table.position()["round"] == self.round:
            return
        result = self.table.result()
        points = result["points"]
        gained = [{s: row[s] - old[s] for s in old} for row, old in zip(points, self.settled, strict=True)]
        if any(any(row.values()) for row in gained) and not (over and gained == points):
            self._print_points(f"\nRound {self.round}", gained, result["scores"])
        self.round, self.settled = self.round + 1, points

    def _tell_result(self) -> None:
        result = self.table.result()
        self._print_points("\nThe end", result["points"], result["scores"])
        winners = result["winners"]
        if self.seat in winners:
            typer.echo("You win." if len(winners) == 1 else f"You share the win: seats {winners}.")
        else:
            typer.echo(f"Won by {', '.join(f'seat {w} ({self.names[w]})' for w in winners)}.")

    def _print_points(self, title: str, points: list[dict[str, int]], scores: list[int]) -> None:
        from tritarea_eval.telling import points_table

        labels = [f"{seat} {self.names.get(seat, '')}" for seat in range(self.table.seats)]
        screen().print(points_table(self.game, title, labels, points, scores))


def _read_answer() -> str | None:
    """A line of the person's; None when there is no more, or to leave."""
    try:
        answer = input("> ").strip()
    except EOFError:
        return None
    if not sys.stdin.isatty():
        typer.echo(answer)
    return None if answer.lower() in ("q", "quit") else answer


def understood(game: Game, legal: Sequence[int], answer: str) -> int:
    """The legal action that a person means: a number of the list (from 1), ``#id``, a name, or a part of one.

    Raises:
        ValueError: says why it is none.
    """
    if answer.isdecimal():
        if not 1 <= int(answer) <= len(legal):
            raise ValueError(f"The list goes from 1 to {len(legal)}.")
        return legal[int(answer) - 1]
    if answer.startswith("#") and answer[1:].isdecimal():
        if int(answer[1:]) not in legal:
            raise ValueError(f"{answer} is not legal now.")
        return int(answer[1:])
    names = {action: game.action_names[action].lower() for action in legal}
    same = [action for action, name in names.items() if name == answer.lower()]
    like = same or [action for action, name in names.items() if answer.lower() in name]
    if len(like) != 1:
        meant = ", ".join(game.action_names[a] for a in like[:6])
        raise ValueError(
            f"{answer!r} may mean {meant} …" if like else f"No legal action is named {answer!r}. ? for help."
        )
    return like[0]
