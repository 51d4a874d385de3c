"""Games told in words: who did what, as far as a seat may know it, and points by source."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.table import Table

from tritarea_env.engine import loops
from tritarea_env.games import Game

_ONLY = np.zeros(1, np.int64)


def told_action(game: Game, state: np.recarray, action: int, viewer: int | None) -> str:
    """The action of the seat to move in ``state`` (1,), as ``viewer`` sees it (None: all is seen)."""
    if viewer is None or viewer == int(state.seat[0]) or _is_seen(game, state, action, viewer):
        return game.action_names[action]
    return f"(a hidden choice, phase {game.to_position(state[0])['phase']})"


def _is_seen(game: Game, state: np.recarray, action: int, viewer: int) -> bool:
    """Whether the viewer's position tells the action from every other that leads elsewhere."""
    mask = np.zeros((1, game.actions), np.int8)
    loops.legal_games(state, _ONLY, mask)
    true, seen = _after(game, state, action, viewer)
    for other in np.flatnonzero(mask[0]).tolist():
        other_true, other_seen = _after(game, state, other, viewer)
        if other_seen == seen and other_true != true:
            return False
    return True


def _after(game: Game, state: np.recarray, action: int, viewer: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """The position after an action: all of it, and what the viewer sees."""
    copy = state.copy()
    loops.step_games(copy, _ONLY, np.array([action]))
    return game.to_position(copy[0]), game.to_position(copy[0], viewer)


def points_table(game: Game, title: str, names: list[str], points: list[dict[str, int]], scores: list[int]) -> Table:
    """Points by source, a column for each seat, and the scores; sources that gave nothing to anybody are left out."""
    table = Table(title=title, title_justify="left", show_footer=True)
    table.add_column("points", footer="score")
    for name, score in zip(names, scores, strict=True):
        table.add_column(f"seat {name}", footer=str(score), justify="right")
    for source in (*game.sources, "set-up"):
        gained = [row.get(source, 0) for row in points]
        if any(gained):
            table.add_row(source, *(f"{gain:+d}" if gain else "" for gain in gained))
    return table
