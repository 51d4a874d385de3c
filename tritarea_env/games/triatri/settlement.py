"""The end of a game (B5): scores, winners and rewards."""

import numpy as np

from ...engine import rewards
from ...engine.compile import kernel
from .rules import LEFTOVERS, PAIRS, SETS, SPECIAL, SPECIAL_SCORE

SCORE_UNIT = 10.0  # of reward `score`


@kernel
def count_gems(g, s):
    """The points of seat ``s`` for sets, pairs and leftovers, as the supply is now."""
    gems = g.gems[s]
    sets = np.int64(min(gems[0], gems[1], gems[2]))
    total, most, colour = np.int64(0), np.int64(-1), 0
    for c in range(3):
        left = np.int64(gems[c]) - sets
        total += left
        if left > most:
            most = left
            colour = c
    pairs = total - most  # at most two colours are left: the smaller one's number
    return sets, -2 * pairs, (most - pairs) * np.int64(g.supply[colour])


@kernel
def settle(g, special):
    """Write scores and points; seat ``special`` (-1: none) has won by two gems of each colour."""
    for s in range(g.players):
        if s == special:
            g.points[s, SPECIAL] = SPECIAL_SCORE
        else:
            g.points[s, SETS], g.points[s, PAIRS], g.points[s, LEFTOVERS] = count_gems(g, s)
        for source in range(g.points.shape[1]):
            g.scores[s] += g.points[s, source]


@kernel
def score_now(g, out):
    """Scores (players,) int64 as if the game were scored now; a prize that is set aside is nobody's."""
    for s in range(g.players):
        if g.done:
            out[s] = g.scores[s]
        else:
            sets, pairs, leftovers = count_gems(g, s)
            out[s] = sets + pairs + leftovers


@kernel
def winners(g):
    """The set (bits) of seats that have won, of a game that is over: most points, then most gems."""
    best, won = np.int64(-(1 << 30)), np.int64(0)
    for s in range(g.players):
        gems = np.int64(g.gems[s, 0]) + g.gems[s, 1] + g.gems[s, 2]
        standing = np.int64(g.scores[s]) * 32 + gems  # 18 gems at most
        if standing > best:
            best = standing
            won = np.int64(0)
        if standing == best:
            won |= np.int64(1) << s
    return won


@kernel
def outcome(g, out):
    """Reward ``outcome`` of every seat (players,) float64 at the end of the game: share of the win - 1/players."""
    rewards.shares_above_even(winners(g), out)


@kernel
def score_reward(g, before, out):
    """Reward ``score`` for the change of every seat's score since ``before`` (players,): own minus others' mean."""
    rewards.margins(g.scores, before, SCORE_UNIT, out)
