"""The deals of a game and the opening of its rounds (B2).

The deal to come, ``next_deal``, stands in the record only where it is given, or is the first one: else it is blank
(all 0) and drawn when its cards are dealt.
"""

import numpy as np

from ...engine.compile import kernel, making_kernel
from ...engine.rng import derive, shuffle
from .rules import BID, CARDS_A_SEAT, DECK, DECK_SIZE, GEMS, MOST_SEATS


@making_kernel
def draw_deal(g, key):
    """Draw the deal to come from a key."""
    cards = DECK[g.players].copy()
    shuffle(key, cards, DECK_SIZE[g.players])
    for s in range(g.players):
        hand = np.int64(0)
        for i in range(CARDS_A_SEAT):
            hand += np.int64(1) << np.int64(cards[CARDS_A_SEAT * s + i])
        g.next_deal[s] = hand


@kernel
def draw_next(g):
    """Draw the deal to come: a function of the game (stream and episode) and of its number."""
    draw_deal(g, derive(derive(g.stream, g.episode), g.dealt))


@kernel
def has_next(g):
    """Whether the deal to come stands in the record."""
    return g.next_deal[0] != 0


@kernel
def seats(g):
    """How many seats sit at the table."""
    return np.int64(g.players)


@kernel
def draw(g):
    """Draw the first deal of the game that ``g.stream`` and ``g.episode`` name."""
    g.dealt = 0
    draw_next(g)


@kernel
def begin(g):
    """Start the game with the first deal that stands in the record."""
    g.scores[:] = 0
    g.points[:] = 0
    g.gems[:] = 0
    g.supply[:] = GEMS
    g.decision = 0
    g.done = 0
    g.round_ended = 0
    g.round_number = 1
    deal(g)


@kernel
def deal(g):
    """Deal the cards of a round, or of a repeat (B3)."""
    if not has_next(g):
        draw_next(g)
    for s in range(MOST_SEATS):
        g.hand[s] = g.next_deal[s]
        g.next_deal[s] = 0
        g.hand_size[s] = CARDS_A_SEAT if s < g.players else 0
        g.bids[s] = -1
        g.voids[s] = 0
    clear_past(g)
    clear_trick(g)
    g.trick = 0
    g.starter = -1
    g.seat = 0
    g.phase = BID
    g.dealt += 1


@kernel
def clear_past(g):
    g.past[:] = -1
    g.seen[:] = 0
    g.imitated = 0
    g.when[:] = 0


@kernel
def clear_trick(g):
    for s in range(MOST_SEATS):
        g.played[s] = -1
        g.lying[s] = -1
        g.strength[s] = 0
    g.prize = -1
