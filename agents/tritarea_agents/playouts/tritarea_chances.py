"""Every seat's chance to win a game of Tri*T*Area, from the scores as if the round were settled now."""

from __future__ import annotations

import math

import numpy as np

from tritarea_env.engine.compile import kernel
from tritarea_env.games.tritarea.rules import ROUNDS, SEATS
from tritarea_env.games.tritarea.settlement import score_now

# By rounds still to be played: the difference of scores that multiplies the odds to win by e. Fitted to 4,000 games of
# ``greedy`` against itself (a regression of the winner on the scores at the end of rounds 1 and 2).
SCALE = np.array([8.0, 10.6, 14.7])


@kernel
def chances(g, now, values):
    """``values`` (4,): chances in proportion to exp(score / scale); ``now`` (4,) int64 is scratch."""
    score_now(g, now)
    to_come = np.int64(ROUNDS) - np.int64(g.round_number) + (1 if g.round_ended and not g.done else 0)
    if g.players == 2:  # A9: the teams' totals
        now[0] = now[2] = now[0] + now[2]
        now[1] = now[3] = now[1] + now[3]
    highest = max(max(now[0], now[1]), max(now[2], now[3]))
    total = 0.0
    for s in range(SEATS):
        values[s] = math.exp((now[s] - highest) / SCALE[to_come])
        total += values[s]
    if g.players == 2:
        total /= 2.0  # each team has been counted twice
    for s in range(SEATS):
        values[s] /= total
