"""The state machine of TriATri: bids, prizes, tricks. Sections (B1 …) are those of docs/triatri.md.

Every function works on one record ``g`` of dtype ``GAME``. ``step`` trusts its action: who calls it has
checked it against ``legal``.
"""

import numpy as np

from ...engine.compile import inlined, kernel
from ...engine.sets import GROUPS_A_WORD, group_bit, write_flags
from .deals import clear_trick, deal
from .rules import (
    ACTIONS,
    BID,
    COLOURLESS,
    END,
    FROM_OWN,
    FROM_SUPPLY,
    IMITATION,
    PLAY,
    PRIZE,
    ROUNDS,
    TRICKS,
)
from .settlement import settle

# ------------------------------------------------------------------------------------------------ cards


@inlined
def colour_of(card):
    """0 red, 1 blue, 2 green; ``COLOURLESS`` for an imitation."""
    return np.int64(card) // 7


@inlined
def number_of(card):
    """2 … 8; 0 for an imitation."""
    return np.int64(0) if card == IMITATION else np.int64(card) % 7 + 2


@inlined
def beats(colour, other):
    """B1: water beats fire, wood beats water, fire beats wood; without colour nothing beats or is beaten."""
    return colour != COLOURLESS and other != COLOURLESS and (colour + 2) % 3 == other


@inlined
def cards_of_colour(colour):
    """The set of number cards of a colour."""
    return np.int64(0b1111111) << 7 * np.int64(colour)


@kernel
def take_from_hand(g, s, card):
    g.hand[s] -= np.int64(1) << np.int64(card)
    g.hand_size[s] -= 1


# ------------------------------------------------------------------------------------- B3: start player


@kernel
def first_starter(g):
    """The seat that starts the first trick, by the bids; -1 if the deal is to be repeated."""
    highest = np.int64(-1)
    for s in range(g.players):
        highest = max(highest, number_of(g.bids[s]))
    first, last, other, tied = -1, -1, -1, 0
    for s in range(g.players):
        if number_of(g.bids[s]) == highest:
            first = s if tied == 0 else first
            last = s
            tied += 1
        else:
            other = s
    if tied == 1:
        return first
    if highest == 0:
        return -1
    if tied == 2:
        return first if beats(colour_of(g.bids[first]), colour_of(g.bids[last])) else last
    return other  # three tied: the fourth seat; with three players there is none


@kernel
def bid(g, card):
    s = g.seat
    take_from_hand(g, s, card)
    g.bids[s] = card
    if s + 1 < g.players:
        g.seat = s + 1
        return
    starter = first_starter(g)
    if starter < 0:
        deal(g)
        return
    start_trick(g, starter)


@kernel
def start_trick(g, starter):
    g.trick += 1
    g.starter = starter
    g.seat = starter
    g.phase = PRIZE


# ------------------------------------------------------------------------------------------ B4: a trick


@kernel
def pick_prize(g, action):
    """B4.1: from the common supply or the seat's own gems."""
    if action < FROM_OWN:
        g.prize = action - FROM_SUPPLY
        g.supply[g.prize] -= 1
    else:
        g.prize = action - FROM_OWN
        g.gems[g.seat, g.prize] -= 1
    g.phase = PLAY


@kernel
def best_seat(g):
    """B4.3: the seat before which the best card lies, of those that have played; -1 if none has."""
    highest = np.int64(-1)
    for s in range(g.players):
        if g.lying[s] >= 0:
            highest = max(highest, np.int64(g.strength[s]))
    tied = np.int64(0)  # colours of the cards that tie
    for s in range(g.players):
        if g.lying[s] >= 0 and g.strength[s] == highest:
            tied |= np.int64(1) << colour_of(g.lying[s])
    best = -1
    for place in range(g.players):  # in play order: the latest that ties wins
        s = (g.starter + place) % g.players
        if g.lying[s] >= 0 and g.strength[s] == highest:
            colour = colour_of(g.lying[s])
            beaten = np.int64(1) << (colour + 1) % 3
            if colour == COLOURLESS or tied != (np.int64(1) << colour | beaten):
                best = s
    return best


@kernel
def strength_of(card, before):
    """B4.2: the value of a number card played after the card ``before`` (-1: the first card of the trick)."""
    number = number_of(card)
    if before < 0 or not beats(colour_of(card), colour_of(before)):
        return number
    return np.int64(8) if number == 2 else 2 * number


@kernel
def lay(g, s, card):
    """Lay a card before seat ``s``; an imitation swaps with the best card that lies (B4.2)."""
    g.played[s] = card
    if card != IMITATION:
        g.strength[s] = strength_of(card, g.lying[(s + g.players - 1) % g.players])
        g.lying[s] = card
        return
    best = best_seat(g)
    g.lying[s] = IMITATION
    g.strength[s] = 0
    if best >= 0:
        g.lying[s], g.lying[best] = g.lying[best], g.lying[s]
        g.strength[s], g.strength[best] = g.strength[best], g.strength[s]


@kernel
def show_card(g, s, card, trick):
    """Note that seat ``s`` has played a card in a trick."""
    if card == IMITATION:
        g.imitated |= group_bit(trick - 1, s)
    else:
        g.seen[card // GROUPS_A_WORD] |= group_bit(card % GROUPS_A_WORD, s)
        g.when[card] = trick


@kernel
def play(g, card):
    s = g.seat
    take_from_hand(g, s, card)
    show_card(g, s, card, g.trick)
    if card != IMITATION and colour_of(card) != g.prize:
        g.voids[s] |= 1 << g.prize
    lay(g, s, card)
    g.seat = (s + 1) % g.players
    if g.seat == g.starter:
        end_trick(g)


@kernel
def end_trick(g):
    """B4.4: the winner takes the prize and starts the next trick, unless the round or the game ends (B5)."""
    winner = best_seat(g)
    g.gems[winner, g.prize] += 1
    for s in range(g.players):
        g.past[s, g.trick - 1] = g.played[s]
    clear_trick(g)
    special = min(g.gems[winner, 0], g.gems[winner, 1], g.gems[winner, 2]) >= 2
    ran_out = min(g.supply[0], g.supply[1], g.supply[2]) == 0
    g.round_ended = special or ran_out or g.trick == TRICKS
    if not g.round_ended:
        start_trick(g, winner)
    elif special or ran_out or g.round_number == ROUNDS:
        g.phase = END
        g.seat = -1
        g.done = 1
        settle(g, winner if special else -1)
    else:
        g.round_number += 1
        deal(g)


# ------------------------------------------------------------------------------------ the game protocol


@kernel
def step(g, action):
    """One decision of ``g.seat``; ``action`` is a legal action id."""
    g.decision += 1
    g.round_ended = 0
    phase = g.phase
    if phase == PLAY:
        play(g, action)
    elif phase == PRIZE:
        pick_prize(g, action)
    elif phase == BID:
        bid(g, action)


@inlined
def playable(g, s):
    """The cards (as a hand) that seat ``s`` may choose from now; every imitation counts."""
    hand = np.int64(g.hand[s])
    imitations = hand >> IMITATION << IMITATION
    follow = hand & cards_of_colour(g.prize) if g.phase == PLAY else np.int64(0)
    return follow | imitations if follow != 0 else hand


@inlined
def card_actions(cards):
    """A hand as a set of actions: its imitations are one action, however many there are."""
    imitation = np.int64(1) << IMITATION
    return cards & (imitation - 1) | (imitation if cards >= imitation else 0)


@inlined
def prize_actions(g, s):
    """B4.1: any colour that is left in the supply or among the seat's own gems."""
    actions = np.int64(0)
    for colour in range(3):
        actions |= np.int64(g.supply[colour] > 0) << (FROM_SUPPLY + colour)
        actions |= np.int64(g.gems[s, colour] > 0) << (FROM_OWN + colour)
    return actions


@inlined
def legal(g):
    """The legal actions of the seat to move, as a set of actions in one word; empty at the end."""
    if g.done:
        return (np.int64(0),)
    if g.phase == PRIZE:
        return (prize_actions(g, g.seat),)
    return (card_actions(playable(g, g.seat)),)


@kernel
def legal_mask(g, mask):
    """Write the legal actions into ``mask`` (28,) int8."""
    write_flags(legal(g)[0], ACTIONS, mask, 0)
