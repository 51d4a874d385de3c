"""How a round may go on: the rules of thumb by which every seat is taken to play in an imagined world.

They are cheap, so that a decision can play some dozens of rounds to their end: what the winner of this trick will do
with the next pick, who is left with which cards, and who is hurt by the last prize show by themselves.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.games.triatri.kernel import number_of, pick_prize, playable
from tritarea_env.games.triatri.rules import FROM_OWN, FROM_SUPPLY, IMITATION, TRICKS

from ..greedy.triatri import NUMBER_OF_IMITATION, kinds, lay_and_see, lowest, reply, seat_after
from .triatri_standing import LACKING, colour_runs_out, fill_chances, gems_of


@inlined
def lead(g, s, eager):
    """The first card: the highest to win the prize, the lowest to leave it; imitations, which win nothing here, late."""
    cards = kinds(playable(g, s))
    best, most = -1, -100
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if eager:
            found = number_of(card)
        else:
            found = -NUMBER_OF_IMITATION if card == IMITATION else -number_of(card)
        if found > most:
            best, most = card, found
    return best


@kernel
def favourite_prize(g, p, work):
    """The prize that the starting seat picks: the best for it if any seat may win it, itself a little rather.

    The own gems are among them: a gem that hurts is put up for whoever takes it.
    """
    s = np.int64(g.starter)
    best, most = -1, -1.0
    for colour in range(3):
        if g.supply[colour] > 0:
            g.supply[colour] -= 1
            found = worth_of_prize(g, s, colour, p, work)
            g.supply[colour] += 1
            if found > most:
                best, most = FROM_SUPPLY + colour, found
        if g.gems[s, colour] > 0:
            g.gems[s, colour] -= 1
            found = worth_of_prize(g, s, colour, p, work)
            g.gems[s, colour] += 1
            if found > most:
                best, most = FROM_OWN + colour, found
    return best


@kernel
def worth_of_prize(g, s, colour, p, work):
    g.prize = colour
    fill_chances(g, p, work)
    found = p.hope * work.chances[s, s]
    for winner in range(g.players):
        found += work.chances[winner, s]
    return found


@kernel
def finish_trick(g, s, leader, work):
    """The seats from ``s`` on lay their cards; returns who wins the trick, which ``leader`` leads (-1: nobody)."""
    while True:
        card = lead(g, s, True) if leader < 0 else reply(g, s, leader, work)
        leader = lay_from_hand(g, s, card, leader)
        s = seat_after(g, s)
        if s == g.starter:
            return leader


@inlined
def lay_from_hand(g, s, card, leader):
    """Lay a card; returns who leads then."""
    leader = lay_and_see(g, s, card, leader)
    g.hand[s] -= np.int64(1) << card
    return leader


@kernel
def play_on(g, me, winner, p, work):
    """Seat ``me``'s chance to win the game, as ``winner`` has won the trick of ``g`` and ``ahead`` more are looked at.

    Plays on in place; ``work.chances`` are those of the prize that is won.
    """
    ahead = p.ahead
    while ahead > 0 and g.trick < TRICKS and not colour_runs_out(g):
        ahead -= 1
        g.gems[winner, g.prize] += 1
        if LACKING[gems_of(g, winner)] == 0:
            break
        start_next_trick(g, winner, p, work)
        winner = finish_trick(g, winner, -1, work)
    return work.chances[winner, me]


@kernel
def start_next_trick(g, starter, p, work):
    """The winner picks the next prize."""
    g.trick += 1
    g.starter = starter
    g.seat = starter
    for s in range(g.players):
        g.lying[s] = -1
        g.strength[s] = 0
    pick_prize(g, favourite_prize(g, p, work))
    fill_chances(g, p, work)
