"""Every seat's chance to win a game of TriATri that is broken off between two tricks, as the expert judges it."""

from __future__ import annotations

import math

import numpy as np

from tritarea_env.engine.compile import kernel
from tritarea_env.engine.rewards import share
from tritarea_env.games.triatri.rules import PRIZE, ROUNDS, TRICKS
from tritarea_env.games.triatri.settlement import winners

from ..expert.triatri_standing import LACKING, MOST_LACKING, Parameters, colour_is_scarce, gems_of, promised_score

P = Parameters()
# What ``fill_tables`` makes of them: standing for a point of the score by tricks to come, and for the special win by gems
# that lack
SLOPE = np.array([P.points * P.decay ** max(0, left - 1) for left in range(ROUNDS * TRICKS + 1)])
NEAR = np.array([P.special * P.further ** max(0, lack - 1) for lack in range(MOST_LACKING + 1)])
LAST = math.exp(P.last)


@kernel
def chances(g, now, values):
    """``values`` (players,): the share of the win; before the end chances in proportion to exp(standing)."""
    if g.done:
        won = winners(g)
        for s in range(g.players):
            values[s] = share(won, s)
        return
    left = TRICKS * (ROUNDS - np.int64(g.round_number)) + TRICKS - max(0, np.int64(g.trick) - 1)  # tricks to come
    total = 0.0
    for s in range(g.players):
        gems = gems_of(g, s)
        standing = SLOPE[left] * promised_score(gems, g.supply, left, P)
        if LACKING[gems] <= left:
            standing += NEAR[LACKING[gems]]
        values[s] = math.exp(standing)
        if g.phase == PRIZE and s == g.starter and (left == 1 or colour_is_scarce(g)):
            values[s] *= LAST
        total += values[s]
    for s in range(g.players):
        values[s] /= total
