"""What gems are worth: every seat's chance to win the game, for each seat that may win the prize.

If the game ends with the trick, the chance is the share of the win. Else every seat has a *standing*, the sum of
what a good player looks at: the score that its gems promise, how near it is to the special win, and whether it
picks the next prize. Chances are in proportion to exp(standing), as in ``greedy``; so the hunt for one's own gems,
the dumping of bad ones on whoever leads, and the end that comes when one leads are weighed in one unit. What a
set of gems scores is looked up, so that whole rounds can be played on (see ``triatri_playing``).
"""

from __future__ import annotations

import math

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.games.triatri.rules import GAME, IMITATION, MOST_SEATS, ROUNDS, TRICKS

from .parameters import options

Parameters, RANGES = options("triatri", __name__)

# A seat's gems as one number, three bits a colour; and what B5 says of them:
SETS = 8**3
STEP = np.array([64, 8, 1])  # what one more gem of a colour adds
FIXED = np.zeros(SETS, np.int64)  # points for sets and pairs
LEFTOVERS = np.zeros(SETS, np.int64)  # gems that are left over, and
LEFT_COLOUR = np.zeros(SETS, np.int64)  # their colour
MANY = np.zeros(SETS, np.int64)
LACKING = np.zeros(SETS, np.int64)  # gems that lack for the special win
for _gems in range(SETS):
    _own = [_gems // int(step) % 8 for step in STEP]
    _rest = sorted((own - min(_own), colour) for colour, own in enumerate(_own))
    FIXED[_gems] = min(_own) - 2 * _rest[1][0]
    LEFTOVERS[_gems], LEFT_COLOUR[_gems] = _rest[2][0] - _rest[1][0], _rest[2][1]
    MANY[_gems] = sum(_own)
    LACKING[_gems] = sum(max(0, 2 - own) for own in _own)
MOST_LACKING = 6
SPECIAL_WIN = np.int64(1) << 40  # better than every score

# A trick with its prize picked; a table of them remembers what positions lead to
TRICK = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("key", np.int64),  # the position before the pick; 0: none
                ("action", np.int64),  # the prize that is picked
                ("chances", np.float64, (MOST_SEATS, MOST_SEATS)),  # by seat that wins it: each seat's, to win the game
            ],
            align=True,
        ),
    )
)
# What the kernels write to; nothing in it outlives a decision. One record, as numba counts references to arrays.
_FIELDS = np.dtype(
    [
        ("picked", GAME),  # the game with a prize picked
        ("world", GAME),  # a game that is played on
        ("next", GAME),  # the same at the next trick, its prize picked
        ("slope", np.float64, (ROUNDS * TRICKS,)),  # standing for a point of the score, by tricks left after the next
        ("near", np.float64, (MOST_LACKING + 1,)),  # standing for the special win, by gems that lack
        ("gems", np.int64, (MOST_SEATS,)),  # of each seat, the prize left aside
        ("rank", np.int64, (MOST_SEATS,)),  # B5: score and number of gems as one number, the game ended now
        ("odds", np.float64, (MOST_SEATS,)),  # exp(standing) of each seat, as long as nobody has the prize
        ("now", TRICK),  # the trick of the decision
        ("trial", TRICK),  # a trick with a prize that may be picked
    ],
    align=True,
)
WORK = np.dtype((np.record, _FIELDS))
WORLD = np.dtype((np.record, GAME))


@inlined
def tricks_left(g):
    """Tricks that the game still has after this one, if it does not end early."""
    return TRICKS * (ROUNDS - np.int64(g.round_number)) + TRICKS - np.int64(g.trick)


@inlined
def gems_of(g, s):
    return np.int64(g.gems[s, 0]) * 64 + np.int64(g.gems[s, 1]) * 8 + np.int64(g.gems[s, 2])


@inlined
def colour_runs_out(g):
    """B5: the game ends with this trick, as a colour of the supply is gone."""
    return g.supply[0] == 0 or g.supply[1] == 0 or g.supply[2] == 0


@inlined
def colour_is_scarce(g):
    """The next pick may end the game."""
    return g.supply[0] == 1 or g.supply[1] == 1 or g.supply[2] == 1


# ------------------------------------------------------------------------------ ideas: what gems promise


@kernel
def fill_tables(p, work):
    """``work.slope`` and ``work.near``, which hold for a whole decision."""
    slope, near = p.points, p.special
    for left in range(work.slope.shape[0]):
        work.slope[left] = slope
        slope *= p.decay
    for lack in range(1, MOST_LACKING + 1):
        work.near[lack] = near
        near *= p.further


@inlined
def promised_score(gems, supply, left, p):
    """Endgame worth: sets and pairs as they are; leftovers pay what the supply will still have of their colour.

    Until the last trick picks drain the supply, so many leftovers of a colour are worth less than they pay now.
    """
    now = float(supply[LEFT_COLOUR[gems]])
    return FIXED[gems] + LEFTOVERS[gems] * max(0.0, now - p.drain * (left - 1))


@inlined
def odds_of(gems, supply, left, p, work):
    """exp(standing) of a seat; the score counts the more, the nearer the end is: gems come and go.

    The race to the special win (and what breaks it): each gem that lacks makes it less likely, and as many tricks
    as gems must be left.
    """
    standing = work.slope[left - 1] * promised_score(gems, supply, left, p)
    if LACKING[gems] <= left:
        standing += work.near[LACKING[gems]]
    return math.exp(standing)


@kernel
def odds_of_pick(g, left, p):
    """The pick that may end the game is worth much: to take what one needs, or to give what hurts."""
    if g.trick == TRICKS:
        return 1.0  # the next start player is decided by cards
    return math.exp(p.last) if left == 1 or colour_is_scarce(g) else 1.0


@inlined
def worth_of_keeping(g, card, p):
    """Holding back imitations for tricks that the look ahead does not reach: played last, one takes any prize."""
    if card != IMITATION or g.trick + p.ahead >= TRICKS or colour_runs_out(g):
        return 0.0
    return p.imitation


# --------------------------------------------------------------------------------------------- chances


@kernel
def fill_chances(g, p, work, trick):
    """``trick.chances`` of a game ``g`` with a prize."""
    left, step = tricks_left(g), STEP[g.prize]
    for s in range(g.players):
        work.gems[s] = gems_of(g, s)
    last = left == 0 or colour_runs_out(g)
    fill_ranks(g, work)
    total = 0.0 if last else fill_odds(g, left, p, work)
    pick = 1.0 if last else odds_of_pick(g, left, p)
    for s in range(g.players):
        gems = work.gems[s] + step
        if last or LACKING[gems] == 0:
            chances_at_end(g, s, gems, work, trick)
        else:
            own = odds_of(gems, g.supply, left, p, work) * pick
            chances_before(g, s, own, total, work, trick)


@kernel
def chance_now(g, me, p, work):
    """Seat ``me``'s chance by standings before a round's first trick."""
    for s in range(g.players):
        work.gems[s] = gems_of(g, s)
    total = fill_odds(g, tricks_left(g), p, work)
    return work.odds[me] / total


@kernel
def fill_ranks(g, work):
    for s in range(g.players):
        work.rank[s] = rank_of(work.gems[s], g.supply)


@kernel
def fill_odds(g, left, p, work):
    """``work.odds``; returns their sum."""
    total = 0.0
    for s in range(g.players):
        work.odds[s] = odds_of(work.gems[s], g.supply, left, p, work)
        total += work.odds[s]
    return total


@inlined
def rank_of(gems, supply):
    """B5: most points win; tied, more gems."""
    if LACKING[gems] == 0:
        return SPECIAL_WIN
    return (FIXED[gems] + LEFTOVERS[gems] * np.int64(supply[LEFT_COLOUR[gems]])) * 32 + MANY[gems]


@kernel
def chances_at_end(g, s, gems, work, trick):
    """B5: everyone's share of the win, as seat ``s`` has taken the prize and the game ends."""
    before = work.rank[s]
    work.rank[s] = rank_of(gems, g.supply)
    best, many = work.rank[0], 0
    for other in range(1, g.players):
        best = max(best, work.rank[other])
    for other in range(g.players):
        many += work.rank[other] == best
    for other in range(g.players):
        trick.chances[s, other] = 1.0 / many if work.rank[other] == best else 0.0
    work.rank[s] = before


@kernel
def chances_before(g, s, own, total, work, trick):
    """The same by standings, where the game goes on; ``own``: the odds of seat ``s`` with the prize."""
    scale = 1.0 / (total - work.odds[s] + own)
    for other in range(g.players):
        trick.chances[s, other] = work.odds[other] * scale
    trick.chances[s, s] = own * scale
