"""A fast policy for playouts of Tri*T*Area: ``greedy`` looks one decision ahead, roughly, in a quarter microsecond.

It takes a full record, all hands known, as a search samples it. Values are in points, of the seat to move less the
mean of the others. What settlement would pay now counts for less the more tricks are left, as in the agent ``expert``,
and a block in hand has a worth; what is left out here is all that changes little and costs much. How cards are chosen
stands in ``tritarea_cards``.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import kernel
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
    SELL_NONE,
    TO_TEN,
    TO_ZERO,
    TWO_BLOCKS,
)
from tritarea_env.games.tritarea.settlement import declaration_sign, declared_card

from .tritarea_board import KEPT, chance, gain_of_blocks, towers, tricks_after
from .tritarea_cards import choose_card, choose_five

NEAR = 2.0  # a right to additional construction
SOLD = 4  # of round 3's nine blocks: what the worth of blocks says, and the best of 3, 4 and 5 in matches
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


# ---------------------------------------------------------------------------------------- construction


@kernel
def choose_square(g, word):
    """The square, with one or two blocks, that changes most at once."""
    s = np.int64(g.seat)
    left = tricks_after(g)
    last = np.int64(g.round_number == ROUNDS)
    held = np.int64(g.blocks[s])
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
        found = gain_of_blocks(g, s, square, 1, left, tall) - one + near + chance(word, k)
        if found > most:
            best, most = ONE_BLOCK + square, found
        if two:
            near = near if held > 2 else 0.0
            found = gain_of_blocks(g, s, square, 2, left, tall) - two_cost + near + chance(word, k + 8)
            if found > most:
                best, most = TWO_BLOCKS + square, found
        k += 1
    return best


@kernel
def choose_extra(g, word):
    """The neighbouring square that changes more than its block is worth, or none."""
    s = np.int64(g.seat)
    left = tricks_after(g)
    last = np.int64(g.round_number == ROUNDS)
    held = np.int64(g.blocks[s])
    tall = towers(g, s)
    best, most = np.int64(PASS), KEPT[last, left, held] - KEPT[last, left, held - 1]
    squares = NEIGHBOURS[g.built]
    k = 0
    while squares != 0:
        square = nth(squares, 0)
        squares &= squares - 1
        found = gain_of_blocks(g, s, square, 1, left, tall) + chance(word, k)
        if found > most:
            best, most = ONE_BLOCK + square, found
        k += 1
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
