"""A fast policy for playouts of TriATri: ``greedy`` looks no further than the trick, in a fraction of a microsecond.

It takes a full record, as a search samples it. Gems are weighed as by the agent ``greedy``, whose standings are
here compared as they are instead of as chances; a trick that ends the game is weighed by who wins it. Cards are
played as there in replies: the surest to win a prize that is wanted, else the lowest.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.engine.sets import nth
from tritarea_env.games.triatri.kernel import beats, card_actions, colour_of, number_of, playable, strength_of
from tritarea_env.games.triatri.rules import (
    BID,
    FROM_OWN,
    FROM_SUPPLY,
    GEMS,
    IMITATION,
    PRIZE,
    ROUNDS,
    TRICKS,
)

# Standings, as by the agent ``greedy``, whose defaults these are (FURTHEST and FURTHER: "special" and "further")
POINTS, DECAY, DRAIN, FURTHEST, FURTHER, START, LAST = 0.3, 0.8, 0.4, 0.8, 0.6, 0.1, 1.8
WIN = 5.0  # the win as a standing: a chance p grows by p (1 - p) of a standing's change, with four seats about a fifth
TIE = 0.002  # chance in a value: only what is alike is told apart at random, more costs strength
SPARED_AS = 7  # the number that an imitation counts as where cards are spared

LEFT = TRICKS * ROUNDS  # more tricks than can be left
KINDS = GEMS + 1  # numbers of gems of a colour that a seat can have
STEP = np.array([KINDS**2, KINDS, 1])  # what a gem of each colour adds to the number of a seat's gems
_GEMS = np.array([[r, b, c] for r in range(KINDS) for b in range(KINDS) for c in range(KINDS)])
_SETS = _GEMS.min(axis=1)
_OVER = _GEMS - _SETS[:, None]
_PAIRS = np.sort(_OVER, axis=1)[:, 1]
# By the number of a seat's gems (B5): points of sets and pairs, leftover gems, their colour, gems, lacking ones
SURE = _SETS - 2 * _PAIRS
LEFTOVERS = _OVER.max(axis=1) - _PAIRS
COLOUR = _OVER.argmax(axis=1)
MANY = _GEMS.sum(axis=1)
LACKING = np.maximum(0, 2 - _GEMS).sum(axis=1)
# By the set of numbers (2 … 8) of a colour in hand: its highest and its lowest, 0 if there is none
HIGHEST = np.array([held.bit_length() + 1 if held else 0 for held in range(128)])
LOWEST = np.array([(held & -held).bit_length() + 1 if held else 0 for held in range(128)])
# By tricks left: what a point of the score counts, and what the supply of a colour loses until the end
COUNTS = np.array([POINTS * DECAY ** max(0, left - 1) for left in range(LEFT + 1)])
DRAINED = np.array([DRAIN * max(0, left - 1) for left in range(LEFT + 1)])
# By tricks left and lacking gems: the standing for the special win
HOPE = np.array(
    [[FURTHEST * FURTHER ** (lack - 1) if lack <= left else 0.0 for lack in range(7)] for left in range(LEFT + 1)]
)


@kernel
def greedy(g, word):
    """A legal action of the seat to move in the full record ``g``, which stays as it is; ``word``: a random uint64."""
    if g.phase == PRIZE:
        return choose_prize(g, word)
    if g.phase == BID:
        return choose_bid(g, word)
    return choose_card(g, word)


@inlined
def chance(word, k):
    """A small number, another for each ``k`` in 0 … 15, to tell like values apart."""
    return TIE / 256.0 * np.int64((word >> np.uint64(3 * k)) & np.uint64(255))


@kernel
def choose_bid(g, word):
    """The lowest number: the start is worth less than a high card."""
    cards = card_actions(np.int64(g.hand[g.seat]))
    best, most = np.int64(-1), -1e9
    k = 0
    while cards != 0:
        card = nth(cards, 0)
        cards &= cards - 1
        found = chance(word, k) - spared(card)
        if found > most:
            best, most = card, found
        k += 1
    return best


# ------------------------------------------------------------------------------------------------ gems


@inlined
def gems_of(g, s):
    """The number of seat ``s``'s gems in the tables."""
    return STEP[0] * np.int64(g.gems[s, 0]) + STEP[1] * np.int64(g.gems[s, 1]) + np.int64(g.gems[s, 2])


@inlined
def tricks_left(g):
    """Tricks that the game still has after this one, if it does not end early."""
    return TRICKS * (ROUNDS - np.int64(g.round_number)) + TRICKS - np.int64(g.trick)


@inlined
def standing(supply, gems, left):
    """What a seat's ``gems`` promise; ``supply``: three numbers of gems that the common supply holds."""
    colour = COLOUR[gems]
    later = max(0.0, (supply[0] if colour == 0 else supply[1] if colour == 1 else supply[2]) - DRAINED[left])
    return COUNTS[left] * (SURE[gems] + LEFTOVERS[gems] * later) + HOPE[left, LACKING[gems]]


@kernel
def share_at_end(g, me, winner, colour, returned, supply):
    """Seat ``me``'s share of the win if the game ends as ``winner`` takes a gem; ``returned``: see ``worth``."""
    best, many, mine = np.int64(-1 << 30), 0, False
    for s in range(g.players):
        gems = gems_of(g, s) + (STEP[colour] if s == winner else 0) - (returned if s == g.seat else 0)
        kind = COLOUR[gems]
        score = SURE[gems] + LEFTOVERS[gems] * (supply[0] if kind == 0 else supply[1] if kind == 1 else supply[2])
        if s == winner and LACKING[gems] == 0:
            score = np.int64(100)
        found = 32 * score + MANY[gems]
        if found > best:
            best, many, mine = found, 0, False
        if found == best:
            many += 1
            mine = mine or s == me
    return 1.0 / many if mine else 0.0


@inlined
def worth(g, me, winner, colour, returned, supply):
    """What it is worth to seat ``me`` that ``winner`` takes a gem of ``colour``.

    ``returned``: what the number of gems of the seat to move loses where it puts up one of these.
    """
    left = tricks_left(g)
    if left == 0 or min(supply[0], supply[1], supply[2]) == 0:
        return WIN * (share_at_end(g, me, winner, colour, returned, supply) - 1.0 / g.players)
    gems = gems_of(g, winner) - (returned if winner == g.seat else 0)
    if LACKING[gems + STEP[colour]] == 0:
        return WIN * (1.0 - 1.0 / g.players) if winner == me else -WIN / g.players
    gain = standing(supply, gems + STEP[colour], left) - standing(supply, gems, left)
    if g.trick < TRICKS:
        gain += LAST if left == 1 or min(supply[0], supply[1], supply[2]) == 1 else START
    return gain if winner == me else -gain / (np.int64(g.players) - 1)


@inlined
def supply_of(g):
    return np.int64(g.supply[0]), np.int64(g.supply[1]), np.int64(g.supply[2])


@inlined
def worth_to_others(g, me, colour, returned, supply):
    """The mean worth to ``me`` of another's taking the gem."""
    total = 0.0
    for s in range(g.players):
        if s != me:
            total += worth(g, me, np.int64(s), colour, returned, supply)
    return total / (np.int64(g.players) - 1)


@inlined
def foreseen(g, colour, returned, supply):
    """Who wins a prize if those whom it suits play their highest card for it and the others their lowest."""
    players = np.int64(g.players)
    winner = s = np.int64(g.seat)
    highest = np.int64(-1)
    for place in range(players):
        hand = np.int64(g.hand[s])
        follow = hand >> 7 * colour & 127
        if worth(g, s, s, colour, returned, supply) > 0.0:
            strength = HIGHEST[follow]
            if follow == 0:
                strength = HIGHEST[hand >> 7 * ((colour + 1) % 3) & 127] * (2 if place > 0 else 1)
            if place > 0 and hand >> IMITATION > 0:
                strength = max(strength, highest)
        else:
            strength = LOWEST[follow]
        if strength >= highest:
            winner, highest = s, strength
        s = s + 1 if s + 1 < players else np.int64(0)
    return winner


@kernel
def choose_prize(g, word):
    """The gem with the best winner, as far as that can be foreseen."""
    me = np.int64(g.seat)
    now = supply_of(g)
    best, most = np.int64(-1), -1e9
    for k in range(6):
        colour = k % 3
        own = k >= 3
        if (np.int64(g.gems[me, colour]) if own else np.int64(g.supply[colour])) == 0:
            continue
        returned = STEP[colour] if own else np.int64(0)
        supply = now
        if not own:
            supply = (now[0] - (colour == 0), now[1] - (colour == 1), now[2] - (colour == 2))
        gems, left = gems_of(g, me), tricks_left(g)
        given = standing(now, gems - returned, left) - standing(now, gems, left) if own else 0.0
        if given < 0.0:
            continue  # a seat that puts up what it needs trusts too much in what is foreseen
        winner = foreseen(g, colour, returned, supply)
        found = given + worth(g, me, winner, colour, returned, supply) + chance(word, k)
        if found > most:
            best, most = np.int64((FROM_OWN if own else FROM_SUPPLY) + colour), found
    return best


# ----------------------------------------------------------------------------------------------- cards


@inlined
def spared(card):
    """How gladly a card is kept."""
    return np.int64(SPARED_AS) if card == IMITATION else number_of(card)


@inlined
def outdoes(strength, card, highest, best):
    """Whether a later card of ``strength`` lies better than the ``best`` so far, of ``highest``: near enough B4.3."""
    return strength > highest or (strength == highest and not beats(colour_of(best), colour_of(card)))


@inlined
def leader_of(g):
    """The seat before which the best card lies; -1 if none has played."""
    best = np.int64(-1)
    s = np.int64(g.starter)
    while s != g.seat:
        if best < 0 or outdoes(np.int64(g.strength[s]), g.lying[s], np.int64(g.strength[best]), g.lying[best]):
            best = s
        s = s + 1 if s + 1 < g.players else np.int64(0)
    return best


@kernel
def choose_card(g, word):
    """For a prize that suits better than leaving it to who leads: the surest card; else the lowest, and losing."""
    me = np.int64(g.seat)
    cards = card_actions(playable(g, me))
    if cards & (cards - 1) == 0:
        return nth(cards, 0)
    leader = leader_of(g)
    supply, prize, none = supply_of(g), np.int64(g.prize), np.int64(0)
    mine = worth(g, me, me, prize, none, supply)
    if leader >= 0:
        eager = mine > worth(g, me, leader, prize, none, supply)
    else:
        eager = mine > worth_to_others(g, me, prize, none, supply)
    last = (me + 1) % np.int64(g.players) == g.starter
    before = np.int64(g.lying[me - 1 if me > 0 else np.int64(g.players) - 1])
    highest = np.int64(g.strength[leader]) if leader >= 0 else np.int64(-1)
    best_card = np.int64(g.lying[leader]) if leader >= 0 else np.int64(-1)
    best, most = np.int64(-1), -1e9
    k = 0
    while cards != 0:
        card = nth(cards, 0)
        cards &= cards - 1
        strength, leads = highest, True
        if card != IMITATION:
            strength = strength_of(card, before)
            leads = leader < 0 or outdoes(strength, card, highest, best_card)
        elif leader < 0:
            strength = np.int64(0)
        found = chance(word, k) - spared(card)
        if leads != eager:
            found -= 100.0
        elif eager and not last:
            found = chance(word, k) + strength
        if found > most:
            best, most = card, found
        k += 1
    return best
