"""The deals of a game and the opening of its rounds (A2)."""

import numpy as np

from ...engine.compile import kernel, making_kernel
from ...engine.rng import below, derive
from .rules import BLOCKS_A_SEAT, CARDS, CARDS_A_SEAT, DECKS, DECLARE, PLAY, ROUNDS, SEATS


@making_kernel
def shuffle_deal(key, deck, size, hands):
    """Deal ``size`` cards of the set ``deck`` to each entry of ``hands`` (sets), every deal equally likely."""
    cards = np.empty(CARDS, np.int8)
    n = 0
    for card in range(CARDS):
        if deck >> card & 1:
            cards[n] = card
            n += 1
    drawn = 0
    for s in range(hands.shape[0]):
        hand = np.int64(0)
        for _ in range(size):
            i = below(derive(key, drawn), n)
            drawn += 1
            n -= 1
            hand |= np.int64(1) << np.int64(cards[i])
            cards[i] = cards[n]
        hands[s] = hand


@kernel
def seats(g):
    """How many seats sit at the table."""
    return SEATS


@kernel
def draw(g):
    """Draw the start player and the deals of the game that ``g.stream`` and ``g.episode`` name."""
    key = derive(g.stream, g.episode)
    g.start_player = below(derive(key, 0), SEATS)
    for r in range(ROUNDS):
        shuffle_deal(derive(key, 1 + r), DECKS[r], CARDS_A_SEAT[r], g.deals[r])


@kernel
def begin(g):
    """Start the game with the deals and the start player that stand in the record."""
    g.scores[:] = 0
    g.points[:] = 0
    g.decision = 0
    g.done = 0
    g.round_ended = 0
    begin_round(g, 1)


@kernel
def begin_round(g, number):
    """A2: an empty board, fresh blocks and a new deal."""
    r = number - 1
    g.round_number = number
    clear_board(g)
    g.past[:] = -1
    g.seen[:] = 0
    for s in range(SEATS):
        g.hand[s] = g.deals[r, s]
        g.hand_size[s] = CARDS_A_SEAT[r]
        g.blocks[s] = BLOCKS_A_SEAT[r]
        g.sold[s] = 0
        g.declared[s] = -1
    clear_trick(g)
    g.leader = g.start_player
    g.seat = g.start_player
    g.trick = 0 if number == ROUNDS else 1
    g.phase = DECLARE if number == ROUNDS else PLAY


@kernel
def clear_board(g):
    g.stack[:] = 0
    g.standing[:] = 0
    g.topped[:] = 0
    g.within[:] = 0
    g.height[:] = 0
    g.count[:] = 0
    g.first[:] = 0


@kernel
def clear_trick(g):
    for s in range(SEATS):
        g.played[s] = -1
        g.rank[s] = -1
    g.adopted = -1
    g.rightholders[0] = -1
    g.rightholders[1] = -1
    g.built = -1
