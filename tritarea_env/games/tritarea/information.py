"""What a seat may know (A8): ``hide`` blanks the rest of a record, ``determinize`` fills it with a guess."""

import numpy as np

from ...engine.compile import kernel, making_kernel
from ...engine.rng import derive, shuffle
from .deals import shuffle_deal
from .rules import CARDS, CARDS_A_SEAT, DECKS, DECLARE, FIVE_SETTLE, ROUNDS, SEATS, TRICKS


@kernel
def leftovers_open(g):
    """From the first ``five_settle`` decision on, the cards left over in round 2 are open."""
    return g.phase == FIVE_SETTLE


@kernel
def declaration_open(g, seat, other):
    """Whether ``seat`` sees the card that ``other`` has declared."""
    return seat == other or g.phase != DECLARE


@kernel
def secret(g):
    """Whether the others do not see at once what the seat to move decides: A3.1, all declare together."""
    return g.phase == DECLARE


@kernel
def hide(g, seat):
    """Blank in place what ``seat`` does not know: hands, unrevealed declarations, every deal, the stream.

    Numbers of cards stay (``hand_size``); an unrevealed declaration becomes -1.
    """
    g.stream = np.uint64(0)
    g.episode = 0
    g.deals[:] = 0
    for s in range(SEATS):
        if s != seat and not leftovers_open(g):
            g.hand[s] = 0
        if not declaration_open(g, seat, s):
            g.declared[s] = -1


@kernel
def unseen(g, seat):
    """The set of cards of this round's deck that lie where ``seat`` cannot see them."""
    known = np.int64(0)
    for s in range(SEATS):
        if s == seat or leftovers_open(g):
            known |= g.hand[s]
        if g.declared[s] >= 0 and declaration_open(g, seat, s):
            known |= np.int64(1) << np.int64(g.declared[s])
        if g.played[s] >= 0:
            known |= np.int64(1) << np.int64(g.played[s])
        for t in range(TRICKS):
            if g.past[s, t] >= 0:
                known |= np.int64(1) << np.int64(g.past[s, t])
    return DECKS[g.round_number - 1] & ~known


@kernel
def has_declared(g, s):
    """In ``declare``: whether seat ``s`` has made its choice (clockwise from the start player)."""
    return (s - g.start_player) % SEATS < (g.seat - g.start_player) % SEATS


@making_kernel
def determinize(g, seat, seed):
    """Fill in place all that ``seat`` does not know with a random deal that fits all it knows.

    Every fitting deal of this round's cards is equally likely. Deals of rounds to come and the stream are
    drawn anew from ``seed`` (uint64); this round's entry in ``deals`` is made to fit, earlier ones are blank.
    Takes a hidden record or a full one (whose hidden cards it does not look at).
    """
    cards = np.empty(CARDS, np.int8)
    pool = unseen(g, seat)
    n = 0
    for card in range(CARDS):
        if pool >> card & 1:
            cards[n] = card
            n += 1
    key = derive(seed, 0)
    shuffle(key, cards, n)
    for s in range(SEATS):
        if s == seat or leftovers_open(g):
            continue
        hand = np.int64(0)
        for _ in range(g.hand_size[s]):
            n -= 1
            hand |= np.int64(1) << np.int64(cards[n])
        g.hand[s] = hand
        if g.phase == DECLARE and has_declared(g, s):
            n -= 1
            g.declared[s] = cards[n]
    deal_the_rest(g, derive(seed, 1))


@kernel
def deal_the_rest(g, key):
    """Rewrite ``deals``: none for past rounds, this round's from what lies where, later ones drawn from ``key``."""
    g.stream = key
    g.episode = 0
    g.deals[:] = 0
    now = g.round_number - 1
    for s in range(SEATS):
        hand = g.hand[s]
        for card in (g.declared[s], g.played[s]):
            if card >= 0:
                hand |= np.int64(1) << np.int64(card)
        for t in range(TRICKS):
            if g.past[s, t] >= 0:
                hand |= np.int64(1) << np.int64(g.past[s, t])
        g.deals[now, s] = hand
    for r in range(now + 1, ROUNDS):
        shuffle_deal(derive(key, 1 + r), DECKS[r], CARDS_A_SEAT[r], g.deals[r])
