"""What a prize of TriATri is worth: for each seat that may win it, everyone's chance to win the game.

If the game ends with the trick, the chance is the share of the win. Else every seat has a *standing*: the score that
its gems promise, which counts the more the nearer the end is; how near it is to the special win; and whether it
picks the next prize. Chances are in proportion to exp(standing).

With an objective that is the win itself, the hunt for one's own gems and the dumping of bad ones on whoever
leads are weighed in one unit. The defaults were fitted to 18,000 games of an earlier ``greedy`` against itself (a
regression of the winner on standings at the start of each trick), then checked by matches.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tritarea_env.engine.compile import kernel
from tritarea_env.engine.rewards import share
from tritarea_env.games.triatri.kernel import number_of
from tritarea_env.games.triatri.rules import GAME, IMITATION, MOST_SEATS, ROUNDS, TRICKS
from tritarea_env.games.triatri.settlement import count_gems, settle, winners

RANGES = {
    "points": (0, 10),
    "decay": (0, 1),
    "drain": (0, 6),
    "special": (0, 100),
    "further": (0, 1),
    "start": (-10, 10),
    "last": (-10, 10),
    "number": (-1, 1),
    "imitation": (-1, 1),
    "burden": (-1, 1),
    "samples": (1, 100_000),
}


class Parameters(NamedTuple):
    """What the rule leaves open. Standings are natural logarithms: 0.7 more doubles the odds to win the game."""

    points: float = 0.3  # standing: a point of the score if one trick is left
    decay: float = 0.8  # what of that stays for each trick more that is left: gems come and go
    drain: float = 0.4  # gems that the supply of a colour loses in each trick to come, so leftovers lose points
    special: float = 0.8  # standing: lacking one gem for the special win
    further: float = 0.6  # what of that stays for each gem more that lacks
    start: float = 0.1  # standing: picking the next prize
    last: float = 1.8  # the same where that pick may end the game: the starter takes what it needs or gives what hurts
    number: float = 0.008  # chance to win the game: keeping a card for later tricks, for each unit of its number
    imitation: float = 0.05  # the same for an imitation
    burden: float = 0.03  # chance lost for each unit of a card kept for the game's last trick, whose prize mostly hurts
    samples: int = 6  # worlds of opponents' cards per decision


# What the kernels write to; nothing in it outlives a decision. One record, as numba counts references to arrays.
_FIELDS = np.dtype(
    [
        ("picked", GAME),  # the game with a prize picked
        ("ended", GAME),  # a game that is over
        ("odds", np.float64, (MOST_SEATS,)),  # exp(standing) of each seat, as long as nobody has the prize
        ("chances", np.float64, (MOST_SEATS, MOST_SEATS)),  # by seat that wins the prize: each seat's, to win the game
        ("gains", np.float64, (IMITATION + 1,)),  # by card: the seat's own mean chance, with the cards it keeps
    ],
    align=True,
)
WORK = np.dtype((np.record, _FIELDS))
WORLD = np.dtype((np.record, GAME))


# ------------------------------------------------------------------------------------------- standings


@kernel
def tricks_left(g):
    """Tricks that the game still has after this one, if it does not end early."""
    return TRICKS * (ROUNDS - np.int64(g.round_number)) + TRICKS - np.int64(g.trick)


@kernel
def lowest_supply(g):
    return min(g.supply[0], g.supply[1], g.supply[2])


@kernel
def lacking(g, s):
    """B5: how many gems seat ``s`` lacks for the special win."""
    lack = 0
    for colour in range(3):
        lack += max(0, 2 - np.int64(g.gems[s, colour]))
    return lack


@kernel
def expected_score(g, s, p):
    """The score that the gems of seat ``s`` promise: leftovers pay by the supply as it will be in the last trick."""
    sets, pairs, leftovers = count_gems(g, s)
    if leftovers == 0:
        return float(sets + pairs)
    colour = 0  # of the leftovers: the one that it has most of
    for other in range(1, 3):
        if g.gems[s, other] > g.gems[s, colour]:
            colour = other
    now = np.int64(g.supply[colour])
    later = max(0.0, now - p.drain * (tricks_left(g) - 1))
    return sets + pairs + leftovers * later / now


@kernel
def odds_of(g, s, p):
    """exp(standing) of seat ``s``, the next pick left aside."""
    left = tricks_left(g)
    standing = p.points * p.decay ** (left - 1) * expected_score(g, s, p)
    lack = lacking(g, s)
    if lack <= left:
        standing += p.special * p.further ** (lack - 1)
    return math.exp(standing)


@kernel
def odds_of_pick(g, p):
    """What picking the next prize multiplies the odds by."""
    if g.trick == TRICKS:
        return 1.0  # the next start player is decided by cards
    return math.exp(p.last if tricks_left(g) == 1 or lowest_supply(g) == 1 else p.start)


# --------------------------------------------------------------------------------------------- chances


@kernel
def fill_chances(g, p, work):
    """``work.chances``, of a game ``g`` with a prize."""
    last = tricks_left(g) == 0 or lowest_supply(g) == 0
    if not last:
        for s in range(g.players):
            work.odds[s] = odds_of(g, s, p)
    for s in range(g.players):
        g.gems[s, g.prize] += 1
        if last or lacking(g, s) == 0:
            chances_at_end(g, s, work)
        else:
            chances_before(g, s, p, work)
        g.gems[s, g.prize] -= 1


@kernel
def chances_at_end(g, s, work):
    """B5: everyone's share of the win, as seat ``s`` has taken the prize and the game ends."""
    work.ended = g
    ended = work.ended
    settle(ended, s if lacking(g, s) == 0 else -1)
    won = winners(ended)
    for other in range(g.players):
        work.chances[s, other] = share(won, other)


@kernel
def chances_before(g, s, p, work):
    """The same by standings, where the game goes on."""
    own = odds_of(g, s, p) * odds_of_pick(g, p)
    total = own
    for other in range(g.players):
        if other != s:
            total += work.odds[other]
    for other in range(g.players):
        work.chances[s, other] = (own if other == s else work.odds[other]) / total


# ----------------------------------------------------------------------------------------------- cards


@kernel
def worth_of_card(g, card, p):
    """What keeping ``card`` for the tricks of the round after this one adds to the seat's chance to win the game."""
    if g.trick == TRICKS:
        return 0.0
    if tricks_left(g) == 1:
        return -p.burden * number_of(card)
    return p.imitation if card == IMITATION else p.number * number_of(card)
