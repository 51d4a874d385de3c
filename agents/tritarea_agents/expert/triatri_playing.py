"""How a round may go on: the rules of thumb by which every seat is taken to play in an imagined world.

They are cheap, so that a decision can play on some dozens of times, by a few tricks: what the winner of this trick
will do with the next pick, who is left with which cards, and who is hurt by the last prize show by themselves.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.engine.rng import below, mix
from tritarea_env.games.triatri.kernel import best_seat, number_of, pick_prize, playable, strength_of
from tritarea_env.games.triatri.rules import FROM_OWN, FROM_SUPPLY, IMITATION, PRIZE, TRICKS

from ..greedy.triatri import kinds, lowest, reply, seat_after, seat_before
from .triatri_standing import LACKING, SETS, colour_runs_out, fill_chances, gems_of


@inlined
def lead(g, s):
    """The first card: the highest, which may win the prize that was picked; an imitation wins nothing here."""
    cards = kinds(playable(g, s))
    best, most = -1, -1
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if number_of(card) > most:
            best, most = card, number_of(card)
    return best


@kernel
def favourite_prize(g, p, work):
    """The prize that the starting seat picks: the best for it on the mean over the seats that may win it.

    It counts itself less than others (``hope``), as who plays first wins seldom: all others can still double, swap
    or overtrump. Its own gems are among the prizes: one that hurts is put up for whoever must take it.
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
    fill_chances(g, p, work, work.trial)
    found = p.hope * work.trial.chances[s, s]
    for winner in range(g.players):
        found += work.trial.chances[winner, s]
    return found


@kernel
def finish_trick(g, s, leader, trick):
    """The seats from ``s`` on lay their cards; returns who wins the trick, which ``leader`` leads (-1: nobody)."""
    while True:
        card = lead(g, s) if leader < 0 else reply(g, s, leader, trick)
        leader = lay_from_hand(g, s, card, leader)
        s = seat_after(g, s)
        if s == g.starter:
            return leader


@inlined
def lay_from_hand(g, s, card, leader):
    """Lay a card; returns who leads then (B4). As the kernel's ``lay``, but ``leader`` is known."""
    g.hand[s] -= np.int64(1) << card
    if card == IMITATION:
        if leader >= 0:
            g.lying[s], g.strength[s] = g.lying[leader], g.strength[leader]
        exposed = leader if leader >= 0 else s
        g.lying[exposed], g.strength[exposed] = IMITATION, 0
        return s
    strength = strength_of(card, g.lying[seat_before(g, s)])
    g.lying[s] = card
    g.strength[s] = strength
    if leader < 0 or strength > g.strength[leader]:
        return s
    return best_seat(g) if strength == g.strength[leader] else leader


@kernel
def chance_after(g, me, winner, p, work, known):
    """Seat ``me``'s chance to win the game, as ``winner`` has won the trick ``work.now`` of ``g``.

    Plays on in place, for ``ahead`` tricks or to the end of the round.
    """
    trick = work.now
    for _ in range(p.ahead):
        if g.trick == TRICKS or takes_last_prize(g, winner):
            break
        start_next_trick(g, winner)
        trick = known[place_of_next_trick(g, p, work, known)]
        pick_prize(g, trick.action)
        winner = finish_trick(g, winner, -1, trick)
    return trick.chances[winner, me]


@inlined
def takes_last_prize(g, winner):
    """B5: whether the game ends as ``winner`` takes the prize, which it does."""
    g.gems[winner, g.prize] += 1
    return colour_runs_out(g) or LACKING[gems_of(g, winner)] == 0


@inlined
def start_next_trick(g, starter):
    g.trick += 1
    g.starter = starter
    g.seat = starter
    g.phase = PRIZE
    for s in range(g.players):
        g.lying[s] = -1
        g.strength[s] = 0


@kernel
def place_of_next_trick(g, p, work, known):
    """Where in ``known`` the trick stands that starts in ``g``: the same position is met again and again."""
    key = np.int64(g.players)
    for part in (g.round_number, g.trick, g.starter):
        key = key * 8 + part
    for s in range(g.players):
        key = key * SETS + gems_of(g, s)  # the supply is what the seats do not have
    place = below(mix(np.uint64(key)), known.shape[0])
    if known[place].key != key:
        action = favourite_prize(g, p, work)
        work.next = g
        pick_prize(work.next, action)
        fill_chances(work.next, p, work, known[place])
        known[place].action = action
        known[place].key = key
    return place
