"""What a game came to when agents failed in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tritarea_agents.playing import Played
from tritarea_env.engine import loops

_LAST = -1000  # a score below all that a game gives


def shares_of(played: Played, rule: str) -> NDArray[np.float64]:
    """(n, seats) float64, every seat's share of the win.

    Args:
        rule: what becomes of a seat whose agent failed. ``random_as_played``: it gets what its random play came to;
            ``random_last``: it comes last, and with a player its whole side; who wins is decided among the others. If
            nobody is left, the win is shared evenly.
    """
    shares = played.shares()
    if rule == "random_as_played" or not played.faults:
        return shares
    lost = _lost(played)
    nobody = lost.all(axis=1)
    shares[nobody] = 1.0 / shares.shape[1]
    games = np.flatnonzero(lost.any(axis=1) & ~nobody)
    final = played.final[games].view(np.recarray)
    final.scores[:, : shares.shape[1]][lost[games]] = _LAST
    among = np.empty((len(games), shares.shape[1]))
    loops.shares(final, np.arange(len(games)), among)
    shares[games] = among
    return shares


def _lost(played: Played) -> NDArray[np.bool_]:
    """(n, seats) bool, the seats that come last: an NPC that failed does not take its player along."""
    failed = played.failed
    lost = failed.copy()
    for seat, side in enumerate(played.game.sides(played.options)):
        if side >= 0:
            lost[:, seat] = failed[:, side]
    return lost
