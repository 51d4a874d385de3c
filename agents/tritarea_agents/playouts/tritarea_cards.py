"""Which card the playout policy of Tri*T*Area lays: what the trick brings, and what the card is worth in hand.

Both as by the agent ``expert``, but all hands are known here, and what can be looked up is not worked out.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.engine.rng import below, derive
from tritarea_env.engine.sets import nth
from tritarea_env.games.tritarea.rules import CARDS_A_SEAT, KEEP, SEATS, STANDING, TO_TEN, TO_ZERO, TRICKS

from .tritarea_board import TRUST, chance, ranked_now, ranked_with, tricks_after, worth_of_ranks

ONE_BUILDING = int(STANDING[1]) - 5  # what any building adds to a standing, whatever its height
# A right's worth beyond the area's points: bonus, tower and more; and of another seat's right, the part that hurts
TURN, SECOND, HARM = 1.0, 1.2, 0.33
MOST = 4.0  # another gains the more in an area, the less there is left to gain for the seat itself: so much if nothing
# What a card is worth in hand, and how much likelier the concept led is followed: as by the agent ``expert``, whose
# parameters "low", "rest", "long" and "follow" these are. LOW pays more here than its 4, measured in matches.
LOW, REST, LONG, FOLLOW = 6.0, 0.5, 1.0, 20.0
COIN = 65536  # odds are numbers of so many
MOST_CARDS = max(CARDS_A_SEAT)
MOST_OUT = 3 * MOST_CARDS


def odds_of_following(trick: int, held: int, size: int) -> int:
    """Of COIN: how often a hand of ``size`` cards, of which ``held`` are of the concept led, follows by choice.

    Else any of its cards is as likely, so that in all each card of the concept is 1 + FOLLOW times as likely as
    another in a round's first trick, and less so later, when a hand is kept for what it can still win.
    """
    more = FOLLOW * ((TRICKS + 1 - trick) / TRICKS) ** 3 * held
    return int(COIN * more / (size + more)) if size > 0 else 0


def worth_of_going_low(lower: int, out: int) -> float:
    """What a card gains by being played now, ``lower`` of the ``out`` cards of others being able to undercut it.

    A low card is to be spent early, the high ones are for the end: see ``spent_low`` of the agent ``expert``.
    """
    return LOW * max(0.0, 1.0 - lower / max(1, out)) ** 3


SIZE = np.array([held.bit_count() for held in range(512)])  # of a set of ranks
# FOLLOWS[trick, cards of the concept led, cards in hand]
FOLLOWS = np.array(
    [
        [[odds_of_following(trick, held, size) for size in range(MOST_CARDS + 1)] for held in range(MOST_CARDS + 1)]
        for trick in range(TRICKS + 1)
    ]
)
# GOES_LOW[cards that undercut, cards out]
GOES_LOW = np.array([[worth_of_going_low(lower, out) for out in range(MOST_OUT + 1)] for lower in range(10)])


# ------------------------------------------------------------------------------------- what rights are worth


@inlined
def worth_of_turn(g, s, area):
    """Roughly what seat ``s`` gains by building in ``area``: it takes a building of the strongest other there."""
    strongest, most = np.int64(-1), np.int64(0)
    for other in range(SEATS):
        if other != s and g.standing[area, other] > most:
            strongest, most = np.int64(other), g.standing[area, other]
    both = ranked_with(g, area, s, ONE_BUILDING + 25, strongest, ONE_BUILDING + 5)
    return worth_of_ranks(g, s, area, both) - worth_of_ranks(g, s, area, ranked_now(g, area))


@inlined
def worths_of_turns(g, s):
    """By area what a right is worth to seat ``s``, if it has a block."""
    trust = TRUST[tricks_after(g)]
    return (
        TURN + trust * worth_of_turn(g, s, 0),
        TURN + trust * worth_of_turn(g, s, 1),
        TURN + trust * worth_of_turn(g, s, 2),
        TURN + trust * worth_of_turn(g, s, 3),
    )


@inlined
def pick(four, i):
    """Entry ``i`` of four numbers."""
    return four[0] if i == 0 else four[1] if i == 1 else four[2] if i == 2 else four[3]


# The other three cards of a trick, as one number a concept: eight bits each of the number of cards (CARDS_OF), and of
# the lowest and the highest card as 4 * rank + seat
NONE_LOW = 0x7F7F7F7F


@inlined
def add_card(others, concept, mark):
    """``others`` with one card more, given as 4 * rank + seat."""
    counts, lows, highs = others
    at = 8 * concept
    low, high = lows >> at & 255, highs >> at & 255
    lows ^= (low ^ min(low, mark)) << at
    highs ^= (high ^ max(high, mark)) << at
    return counts + (np.int64(1) << at), lows, highs


@inlined
def spread(trick, concept):
    _counts, lows, highs = trick
    return (highs >> 8 * concept + 2 & 63) - (lows >> 8 * concept + 2 & 63)


@inlined
def adopted(trick, own, leaders):
    """The adopted concept of four cards, of which one is of concept ``own``, and the leader's of ``leaders``."""
    counts = trick[0]
    mine = counts >> 8 * own & 255
    if mine >= 3:
        return own
    pair = np.int64(-1)  # another concept with two or three cards
    for concept in range(4):
        if concept != own and counts >> 8 * concept & 255 >= 2:
            pair = np.int64(concept)
    if mine == 1:
        return pair if pair >= 0 else leaders
    if pair < 0:
        return own
    wider = spread(trick, own) - spread(trick, pair)
    return own if wider > 0 else pair if wider < 0 else leaders


@inlined
def value_of_right(g, s, holder, rank, worth):
    """What the right of seat ``holder`` with a card of ``rank`` is worth to seat ``s``."""
    if g.blocks[holder] > 0:
        return worth if holder == s else -HARM * (TURN + max(0.0, MOST - worth))
    loss = min(1 if rank == 5 else rank, np.int64(g.scores[holder]))
    return -np.float64(loss) if holder == s else HARM * loss


@inlined
def value_of_trick(g, s, trick, own, leaders, worths):
    """What the rights of a full trick are worth to seat ``s``, whose card is of concept ``own``."""
    concept = adopted(trick, own, leaders)
    counts, lows, highs = trick
    low, high = lows >> 8 * concept & 255, highs >> 8 * concept & 255
    worth = pick(worths, concept)
    value = value_of_right(g, s, low & 3, low >> 2, worth)
    if counts >> 8 * concept & 255 >= 2:
        value += value_of_right(g, s, high & 3, high >> 2, SECOND * worth)
    return value


@inlined
def draw_card(g, seat, led, word):
    """A card that ``seat`` may lay where the concept ``led`` was led (-1: none yet)."""
    hand, size = np.int64(g.hand[seat]), np.int64(g.hand_size[seat])
    if led >= 0:
        same = hand >> 9 * led & 511
        n = SIZE[same]
        if np.int64(word & np.uint64(COIN - 1)) < FOLLOWS[np.int64(g.trick), n, size]:
            return 9 * led + nth(same, below(word, n))
    return nth(hand, below(word, size))


@inlined
def others_cards(g, s, led, word):
    """The cards of the other three seats in this trick, those to come drawn at random."""
    others = (np.int64(0), np.int64(NONE_LOW), np.int64(0))
    for step_ in range(1, SEATS):
        other = (s + step_) & 3
        card, rank = np.int64(g.played[other]), np.int64(g.rank[other])
        if card < 0:
            card = draw_card(g, other, led, derive(word, step_))
            rank = card % 9 + 1
        others = add_card(others, card // 9, 4 * rank + other)
    return others


# --------------------------------------------------------------------------------------------- the decisions


@inlined
def cards_out(g, s):
    """The cards in the hands of the others, as a set, and their number."""
    a, b, c = (s + 1) & 3, (s + 2) & 3, (s + 3) & 3
    size = np.int64(g.hand_size[a]) + np.int64(g.hand_size[b]) + np.int64(g.hand_size[c])
    return g.hand[a] | g.hand[b] | g.hand[c], size


@inlined
def worth_of_spending(held, out, all_out, rank):
    """What it is worth to play a card now instead of later: ``held`` and ``out`` are the ranks of its concept."""
    worth = LONG * SIZE[held] - REST * SIZE[out]
    return worth if rank == 5 else worth + GOES_LOW[SIZE[out & (1 << (rank - 1)) - 1], all_out]


@kernel
def choose_card(g, word):
    """The best against one draw of the cards that the others may still play, by concept led."""
    s = np.int64(g.seat)
    hand = np.int64(g.hand[s])
    if hand & (hand - 1) == 0:
        return nth(hand, 0)
    worths = worths_of_turns(g, s)
    out, all_out = cards_out(g, s)
    leads, later = s == g.leader, tricks_after(g) > 0
    led = np.int64(-1) if leads else np.int64(g.played[g.leader]) // 9
    others = others_cards(g, s, led, word)
    best, most = np.int64(-1), -1e9
    cards, k = hand, 0
    while cards != 0:
        card = nth(cards, 0)
        cards &= cards - 1
        concept = card // 9
        rank = card - 9 * concept + 1
        if leads and concept != led:
            led = concept
            others = others_cards(g, s, led, word)
        found = value_of_trick(g, s, add_card(others, concept, 4 * rank + s), concept, led, worths) + chance(word, k)
        if later:
            found += worth_of_spending(hand >> 9 * concept & 511, out >> 9 * concept & 511, all_out, rank)
        if found > most:
            best, most = card, found
        k += 1
    return best


@kernel
def choose_five(g):
    """Keep, 0 or 10, whichever gives the best rights; fives that others may still change count as they are."""
    s = np.int64(g.seat)
    worths = worths_of_turns(g, s)
    own, leaders = np.int64(g.played[s]) // 9, np.int64(g.played[g.leader]) // 9
    others = others_cards(g, s, leaders, np.uint64(0))
    best, most = np.int64(KEEP), value_of_trick(g, s, add_card(others, own, 20 + s), own, leaders, worths)
    found = value_of_trick(g, s, add_card(others, own, s), own, leaders, worths) - 1.0
    if found > most:
        best, most = np.int64(TO_ZERO), found
    if g.scores[s] >= 2:
        found = value_of_trick(g, s, add_card(others, own, 40 + s), own, leaders, worths) - 2.0
        if found > most:
            best, most = np.int64(TO_TEN), found
    return best
