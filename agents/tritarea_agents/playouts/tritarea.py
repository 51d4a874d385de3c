"""A fast policy for playouts of Tri*T*Area: ``greedy`` looks one decision ahead, roughly, in a quarter microsecond.

It takes a full record, all hands known, as a search samples it. Values are in points, of the seat to move less the
mean of the others. What settlement would pay now counts for less the more tricks are left, and a block in hand has
a worth, as in the agent ``greedy``; what is left out here is all that changes little and costs much.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.engine.rng import below, derive
from tritarea_env.engine.sets import nth
from tritarea_env.games.tritarea.kernel import has_own_neighbour
from tritarea_env.games.tritarea.rules import (
    BUILD,
    DECLARE,
    EXTRA,
    FIVE,
    FIVE_DEFAULT,
    FIVE_SETTLE,
    KEEP,
    NEIGHBOURS,
    ONE_BLOCK,
    PASS,
    PLAY,
    ROUNDS,
    SEATS,
    SELL_NONE,
    STANDING,
    TO_TEN,
    TO_ZERO,
    TWO_BLOCKS,
)
from tritarea_env.games.tritarea.settlement import declaration_sign, declared_card

from .tritarea_board import KEPT, TRUST, gain_of_blocks, ranked_now, ranked_with, towers, tricks_left, worth_of_ranks

NEAR = 2.0  # a right to additional construction
TIE = 0.25  # chance in a value: like ones are told apart at random
SOLD = 4  # of round 3's nine blocks: what the worth of blocks says, and the best of 3, 4 and 5 in matches
ONE_BUILDING = int(STANDING[1]) - 5  # what any building adds to a standing, whatever its height
# A right's worth beyond the area's points: bonus, tower and more; and of another seat's right, the part that hurts
TURN, SECOND, HARM = 1.0, 1.2, 0.33
MOST = 4.0  # another gains the more in an area, the less there is left to gain for the seat itself: so much if nothing
SHED = 0.1  # for each rank that a card is off the middle: middling cards win least, so they go first
CHANCE, CHANCE_OF_A_CARD, LOST = 0.25, 0.1, 0.6  # round 3's declaration, as by the agent ``greedy``


def worth_of_declaring(held: int, rank: int) -> float:
    """What declaring the card of ``rank`` promises with the set ``held`` of ranks of its concept in hand."""
    strength = sum(abs(r - 5) / 4.0 for r in range(1, 10) if r != rank and held >> (r - 1) & 1)
    chance = min(0.9, CHANCE + CHANCE_OF_A_CARD * strength)
    gain, loss = (8, 1) if rank == 5 else (rank, rank)
    return chance * gain - LOST * (1.0 - chance) * loss


def best_declaration(held: int) -> tuple[float, int]:
    """What the best card to declare of the set ``held`` of ranks promises, and its rank; none if it is empty."""
    return max(((worth_of_declaring(held, r), r) for r in range(1, 10) if held >> (r - 1) & 1), default=(-99.0, 0))


# By the set of ranks of a concept in hand: what declaring the best of them promises, and its rank
PROMISE = np.array([best_declaration(held)[0] for held in range(512)])
DECLARED = np.array([best_declaration(held)[1] for held in range(512)])


@kernel
def greedy(g, word):
    """A legal action of the seat to move in the full record ``g``, which stays as it is; ``word``: a random uint64."""
    phase = g.phase
    if phase == PLAY:
        return choose_card(g, word)
    if phase == BUILD:
        return choose_square(g, word)
    if phase == EXTRA:
        return choose_extra(g, word)
    if phase == FIVE:
        return choose_five(g)
    if phase == FIVE_DEFAULT:
        return np.int64(TO_ZERO if g.scores[g.seat] > 1 else KEEP)
    if phase == FIVE_SETTLE:
        return choose_five_settle(g)
    if phase == DECLARE:
        return choose_declaration(g, word)
    return np.int64(SELL_NONE + min(SOLD, g.blocks[g.seat]))


@inlined
def chance(word, k):
    """A small number, another for each ``k`` in 0 … 15, to tell like values apart."""
    return TIE / 256.0 * np.int64((word >> np.uint64(3 * k)) & np.uint64(255))


# ---------------------------------------------------------------------------------------- construction


@kernel
def choose_square(g, word):
    """The square, with one or two blocks, that changes most at once."""
    s = np.int64(g.seat)
    left = tricks_left(g)
    last = np.int64(g.round_number == ROUNDS)
    held = np.int64(g.blocks[s])
    trust = TRUST[left]
    tall = towers(g, s)
    one = KEPT[last, left, held] - KEPT[last, left, held - 1]
    two = held >= 2 and s == g.rightholders[1]
    two_cost = KEPT[last, left, held] - KEPT[last, left, held - 2] if two else 0.0
    best, most = np.int64(PASS), -1e9
    squares = np.int64(g.squares[g.adopted])
    k = 0
    while squares != 0:
        square = nth(squares, 0)
        squares &= squares - 1
        near = NEAR if held > 1 and has_own_neighbour(g, s, square) else 0.0
        found = gain_of_blocks(g, s, square, 1, trust, tall) - one + near + chance(word, k)
        if found > most:
            best, most = ONE_BLOCK + square, found
        if two:
            near = near if held > 2 else 0.0
            found = gain_of_blocks(g, s, square, 2, trust, tall) - two_cost + near + chance(word, k + 8)
            if found > most:
                best, most = TWO_BLOCKS + square, found
        k += 1
    return best


@kernel
def choose_extra(g, word):
    """The neighbouring square that changes more than its block is worth, or none."""
    s = np.int64(g.seat)
    left = tricks_left(g)
    last = np.int64(g.round_number == ROUNDS)
    held = np.int64(g.blocks[s])
    tall = towers(g, s)
    best, most = np.int64(PASS), KEPT[last, left, held] - KEPT[last, left, held - 1]
    squares = NEIGHBOURS[g.built]
    k = 0
    while squares != 0:
        square = nth(squares, 0)
        squares &= squares - 1
        found = gain_of_blocks(g, s, square, 1, TRUST[left], tall) + chance(word, k)
        if found > most:
            best, most = ONE_BLOCK + square, found
        k += 1
    return best


# ----------------------------------------------------------------------------------------------- cards


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
    trust = TRUST[tricks_left(g)]
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
def others_cards(g, s, word):
    """The cards of the other three seats in this trick, those to come drawn at random; and the leader's concept."""
    others = (np.int64(0), np.int64(NONE_LOW), np.int64(0))
    leaders = np.int64(-1)
    for step_ in range(1, SEATS):
        other = (s + step_) & 3
        card, rank = np.int64(g.played[other]), np.int64(g.rank[other])
        if card < 0:
            card = nth(g.hand[other], below(derive(word, step_), np.int64(g.hand_size[other])))
            rank = card % 9 + 1
        if other == g.leader:
            leaders = card // 9
        others = add_card(others, card // 9, 4 * rank + other)
    return others, leaders


@kernel
def choose_card(g, word):
    """The best against one draw of the cards that the others may still play."""
    s = np.int64(g.seat)
    hand = g.hand[s]
    if hand & (hand - 1) == 0:
        return nth(hand, 0)
    worths = worths_of_turns(g, s)
    others, leaders = others_cards(g, s, word)
    best, most = np.int64(-1), -1e9
    k = 0
    while hand != 0:
        card = nth(hand, 0)
        hand &= hand - 1
        concept = card // 9
        rank = card - 9 * concept + 1
        trick = add_card(others, concept, 4 * rank + s)
        found = value_of_trick(g, s, trick, concept, concept if s == g.leader else leaders, worths)
        found += chance(word, k) - SHED * abs(rank - 5)
        if found > most:
            best, most = card, found
        k += 1
    return best


@kernel
def choose_five(g):
    """Keep, 0 or 10, whichever gives the best rights; fives that others may still change count as they are."""
    s = np.int64(g.seat)
    worths = worths_of_turns(g, s)
    others, leaders = others_cards(g, s, np.uint64(0))
    own = np.int64(g.played[s]) // 9
    leaders = own if s == g.leader else leaders
    best, most = np.int64(KEEP), value_of_trick(g, s, add_card(others, own, 20 + s), own, leaders, worths)
    found = value_of_trick(g, s, add_card(others, own, s), own, leaders, worths) - 1.0
    if found > most:
        best, most = np.int64(TO_ZERO), found
    if g.scores[s] >= 2:
        found = value_of_trick(g, s, add_card(others, own, 40 + s), own, leaders, worths) - 2.0
        if found > most:
            best, most = np.int64(TO_TEN), found
    return best


# ------------------------------------------------------------------------------------------ declarations


@kernel
def choose_five_settle(g):
    """As the agent ``greedy``: 10 to gain, 0 not to lose."""
    s = g.seat
    if declaration_sign(g, s, declared_card(g, s)) > 0:
        return np.int64(TO_TEN if g.scores[s] >= 2 else KEEP)
    return np.int64(TO_ZERO if g.scores[s] > 1 else KEEP)


@kernel
def choose_declaration(g, word):
    """The card that promises most, by the rest of its concept in hand."""
    hand = g.hand[g.seat]
    best, most = np.int64(-1), -1e9
    for concept in range(4):
        held = hand >> 9 * concept & 511
        found = PROMISE[held] + chance(word, concept)
        if held != 0 and found > most:
            best, most = 9 * concept + DECLARED[held] - 1, found
    return best
