"""What a seat may know (B6): ``hide`` blanks the rest of a record, ``determinize`` fills it with a guess."""

import numpy as np

from ...engine.compile import kernel, making_kernel
from ...engine.rng import below, derive
from .kernel import colour_of
from .rules import BID, DECK, DECK_SIZE, IMITATION, MOST_SEATS, TRICKS

# CHOOSE[n, k]: in how many ways k of n cards can be taken
CHOOSE = np.zeros((25, 7), np.int64)
CHOOSE[:, 0] = 1
for _n in range(1, 25):
    CHOOSE[_n, 1:] = CHOOSE[_n - 1, 1:] + CHOOSE[_n - 1, :-1]


@kernel
def bid_is_open(g, seat, other):
    """Whether ``seat`` sees the card that ``other`` has picked for the start player."""
    return seat == other or g.phase != BID


@kernel
def has_bid(g, s):
    """In ``bid``: whether seat ``s`` has made its pick (seats 0, 1, …)."""
    return s < g.seat


@kernel
def secret(g):
    """Whether the others do not see at once what the seat to move decides: B3, all bid together."""
    return g.phase == BID


@kernel
def hide(g, seat):
    """Blank in place what ``seat`` does not know: hands, unrevealed bids, the deal to come, the stream.

    Numbers of cards stay (``hand_size``); an unrevealed bid becomes -1.
    """
    g.stream = np.uint64(0)
    g.episode = 0
    g.next_deal[:] = 0
    for s in range(g.players):
        if s != seat:
            g.hand[s] = 0
        if not bid_is_open(g, seat, s):
            g.bids[s] = -1


@kernel
def unseen(g, seat, cards):
    """Write the cards that lie where ``seat`` cannot see them into ``cards`` (24,) int8; returns their number."""
    known = np.int64(g.hand[seat])  # a sum like a hand
    for s in range(g.players):
        if bid_is_open(g, seat, s) and g.bids[s] >= 0:
            known += np.int64(1) << np.int64(g.bids[s])
        if g.played[s] >= 0:
            known += np.int64(1) << np.int64(g.played[s])
        for t in range(TRICKS):
            if g.past[s, t] >= 0:
                known += np.int64(1) << np.int64(g.past[s, t])
    imitations = known >> IMITATION
    n = 0
    for i in range(DECK_SIZE[g.players]):
        card = DECK[g.players, i]
        if card == IMITATION and imitations > 0:
            imitations -= 1
        elif card == IMITATION or not known >> np.int64(card) & 1:
            cards[n] = card
            n += 1
    return n


@kernel
def may_hold(g, s, card):
    """Whether what seat ``s`` has shown allows the card in its hand; an imitation always may be there."""
    return not g.voids[s] >> colour_of(card) & 1


@kernel
def gather(g, s, cards, n):
    """Bring the first ``n`` cards into an order in which those that seat ``s`` may hold come last; their number."""
    if g.voids[s] == 0:
        return n
    held = 0
    for i in range(n - 1, -1, -1):
        if may_hold(g, s, cards[i]):
            held += 1
            cards[i], cards[n - held] = cards[n - held], cards[i]
    return held


@kernel
def needs(g, s):
    """Cards that ``seat`` cannot see with another seat ``s``: its hand, and its bid before the reveal."""
    return np.int64(g.hand_size[s]) + (g.phase == BID and has_bid(g, s))


@kernel
def try_to_deal(g, seat, key, cards, n, most):
    """Deal the first ``n`` of ``cards`` to the other seats by a draw that is uniform if it succeeds; else False.

    Seat after seat draws from the cards that it may hold. That alone would prefer deals whose earlier seats
    leave later ones little to choose from: so each draw is kept with a probability in proportion to the number
    of hands that it was drawn from (rejection sampling). ``most`` (4,): how many of all the cards a seat may hold.
    """
    drawn = 0
    for s in range(g.players):
        if s == seat:
            continue
        size = needs(g, s)
        allowed = gather(g, s, cards, n)
        ways, fitting = CHOOSE[min(n, most[s]), size], CHOOSE[allowed, size]
        drawn += 1
        if ways > fitting and below(derive(key, drawn), ways) >= fitting:
            return False
        hand = np.int64(0)
        for _ in range(size):
            drawn += 1
            i = n - 1 - below(derive(key, drawn), allowed)
            hand += np.int64(1) << np.int64(cards[i])
            cards[i], cards[n - 1] = cards[n - 1], cards[i]
            n -= 1
            allowed -= 1
        g.hand[s] = hand
    return True


@making_kernel
def determinize(g, seat, seed):
    """Fill in place all that ``seat`` does not know with a random deal that fits all it knows.

    Every fitting deal of the cards (unused ones included) is equally likely. The stream, from which the deals to come
    are drawn, is drawn anew from ``seed`` (uint64). Takes a hidden record or a full one (whose hidden cards it does not
    look at).
    """
    cards, most = np.empty(24, np.int8), np.empty(MOST_SEATS, np.int64)
    n = look_for_unseen(g, seat, cards, most)
    deal_unseen(g, seat, seed, cards, n, most)


@kernel
def look_for_unseen(g, seat, cards, most):
    """What ``determinize`` deals: the cards that ``seat`` cannot see, into ``cards`` (24,) int8; returns their number.

    ``most`` (4,) int64 is how many of them each seat may hold.
    """
    n = unseen(g, seat, cards)
    for s in range(g.players):
        most[s] = gather(g, s, cards, n)
    return n


@kernel
def deal_unseen(g, seat, seed, cards, n, most):
    """``determinize`` after ``look_for_unseen``; changes the order of ``cards``."""
    attempt = 0
    while not try_to_deal(g, seat, derive(derive(seed, 0), attempt), cards, n, most):
        attempt += 1
    if g.phase == BID:
        for s in range(g.players):
            if s != seat and has_bid(g, s):
                guess_bid(g, s, derive(derive(seed, 1), s))
    g.stream = derive(seed, 2)
    g.episode = 0
    g.next_deal[:] = 0


@kernel
def guess_bid(g, s, key):
    """Any card of the hand that seat ``s`` was dealt, here ``g.hand``, may be the one it has picked."""
    left = below(key, g.hand_size[s] + 1)
    for card in range(IMITATION + 1):
        many = np.int64(g.hand[s]) >> card if card == IMITATION else np.int64(g.hand[s]) >> card & 1
        if left < many:
            g.bids[s] = card
            g.hand[s] -= np.int64(1) << card
            return
        left -= many
