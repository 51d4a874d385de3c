"""What a position of Tri*T*Area is worth to a seat, and what construction makes of it: the measure of ``greedy``.

A seat's *value* of a position is its score less the mean of the others', as settled now, with two corrections.
Points that settlement would pay count for less the more tricks are left, since others can still undo them.
And a block in hand has a worth: it will score in a later trick, and without one a right costs points. Without
the second correction every placed block looks wasted and every block is sold.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.games.tritarea.kernel import has_own_neighbour
from tritarea_env.games.tritarea.rules import (
    ACTIONS,
    BLOCKS_A_SEAT,
    CARDS,
    CARDS_A_SEAT,
    GAME,
    NEIGHBOURS,
    PLAY,
    ROUNDS,
    SEATS,
    SQUARES,
    TRICKS,
)

from .tritarea_board import BOARD, put, settled, survey

RANGES = {"block": (-1000, 1000), "use": (0, 100), "fade": (0, 1), "samples": (1, 100_000)}


class Parameters(NamedTuple):
    """What the rule leaves open; points are score points."""

    block: float = 8.0  # worth of a block in hand that will find its use
    use: float = 1.0  # blocks that find their use in each trick to come
    fade: float = 0.75  # part of the points of settlement that do not count at a round's start; none at its end
    samples: int = 8  # worlds of opponents' cards per decision on a card


# What the kernels write to; nothing in it outlives a decision. One record, as numba counts references to arrays.
_FIELDS = np.dtype(
    [
        ("board", BOARD),  # as it is
        ("built", BOARD),  # after building
        ("built_on", BOARD),  # after additional construction
        ("trick", GAME),  # the game with cards laid to fill the trick
        ("weights", np.float64, (SEATS, SEATS)),  # how a point of the second seat counts for the first
        ("trust", np.float64),  # how much of a point that settlement would pay now counts
        ("kept", np.float64, (max(BLOCKS_A_SEAT) + 1,)),  # worth of so many blocks in hand
        ("rights", np.float64, (2, SEATS, 4)),  # change of value by right, seat that wins it, concept
        ("gains", np.float64, (CARDS,)),  # mean change of value by card
        ("own", np.int64, (max(CARDS_A_SEAT),)),  # the hand's cards
        ("cards", np.int64, (CARDS,)),  # cards that the seat has not seen
        ("mask", np.int8, (ACTIONS,)),
    ],
    align=True,
)
WORK = np.dtype((np.record, _FIELDS))
# BEST_RANK[the hand's cards of a concept]: the most that one may pay as a declaration: a five can become 10 for 2
BEST_RANK = np.array(
    [max((8 if r == 5 else r for r in range(1, 10) if held >> (r - 1) & 1), default=0) for held in range(1 << 9)]
)


# ------------------------------------------------------------------------------------------- the value


@kernel
def weight(g, s, other):
    """How a point of seat ``other`` counts for seat ``s``: the mean of the others, or the teams with two players."""
    if g.players == 2:
        return 1.0 if (other - s) % 2 == 0 else -1.0
    return 1.0 if other == s else -1.0 / 3.0


@kernel
def tricks_left(g):
    return TRICKS - g.trick + (g.phase == PLAY)


@kernel
def trust(g, p):
    """How much of a point that settlement would pay now counts."""
    return 1.0 - p.fade * tricks_left(g) / TRICKS


@kernel
def worth_of_blocks(g, blocks, left, p):
    """Worth of ``blocks`` in hand with ``left`` tricks to come: each further one is less likely to be used."""
    used = p.use * left
    if used <= 0:
        return 0.0
    each = p.block + (2.0 if g.round_number == ROUNDS else 0.0)  # A6.4: unused it costs 2, which the value counts
    return each * used * (1.0 - math.exp(-blocks / used))


@inlined
def leftover(board, s, hand):
    """Round 2: what the best card of ``hand`` (a set) pays if it is left over and areas are settled now."""
    best = np.int64(0)
    for area in range(4):
        if board.first[area] >> s & 1:
            best = max(best, BEST_RANK[hand >> 9 * area & 0x1FF])
    return best


@kernel
def look(g, p, work):
    """Get ready to value things in ``g``: its board, and what blocks in hand are worth."""
    survey(g, work.board)
    left = tricks_left(g)
    work.trust = trust(g, p)
    for s in range(SEATS):
        for other in range(SEATS):
            work.weights[s, other] = weight(g, s, other)
    for blocks in range(work.kept.shape[0]):
        work.kept[blocks] = worth_of_blocks(g, blocks, left, p)


@inlined
def value(g, board, s, work):
    """What game ``g`` with ``board`` is worth to seat ``s``."""
    sure, open_ = 0.0, 0.0
    for other in range(SEATS):
        factor = work.weights[s, other]
        sure += factor * board.scores[other]
        open_ += factor * (settled(g, board, other) - board.scores[other])
    if g.round_number == 2 and g.hand_size[s] > 1:
        open_ += leftover(board, s, g.hand[s])
    return sure + work.trust * open_ + work.kept[board.blocks[s]]


# ---------------------------------------------------------------------------------------- construction


@kernel
def value_of_blocks(g, s, square, blocks, work):
    """The value after seat ``s`` has placed ``blocks`` on ``square``, which makes ``work.built``."""
    work.built = work.board
    put(g, work.built, s, square, blocks)
    return value(g, work.built, s, work)


@kernel
def value_of_extra(g, s, square, work):
    """The value after one block more, on another square."""
    work.built_on = work.built
    put(g, work.built_on, s, square, 1)
    return value(g, work.built_on, s, work)


@kernel
def with_extra(g, s, square, blocks, found, work):
    """The value after seat ``s`` has placed ``blocks`` on ``square``: ``found``, or more by additional construction."""
    if g.blocks[s] > blocks and has_own_neighbour(g, s, square):
        work.built = work.board
        put(g, work.built, s, square, blocks)
        for q in range(SQUARES):
            if NEIGHBOURS[square] >> q & 1:
                found = max(found, value_of_extra(g, s, q, work))
    return found


@kernel
def loss_of_default(g, s):
    """A5: what a default costs seat ``s`` (an unchanged five can become 0 for 1)."""
    rank = 1 if g.rank[s] == 5 else g.rank[s]
    return min(rank, g.scores[s])


# ---------------------------------------------------------------------------------------------- rights


@inlined
def may_win(g, me, s, concept):
    """Whether seat ``me`` must reckon with seat ``s`` winning a right of ``concept`` in this trick."""
    if g.played[s] >= 0:
        return g.played[s] // 9 == concept
    return s != me or (g.hand[s] >> 9 * concept) & 0x1FF != 0


@kernel
def own_rights(g, s, concept, work):
    """The values of what seat ``s`` can build as rightholder 1 and 2 of ``concept``.

    The square is the best before additional construction: near enough to weigh cards, and faster.
    """
    best, square = -1e9, np.int64(0)  # with one block
    best_of_2, square_of_2, blocks_of_2 = -1e9, np.int64(0), np.int64(1)  # with one or two
    for q in range(SQUARES):
        if g.area[q] != concept:
            continue
        found = value_of_blocks(g, s, q, 1, work)
        if found > best:
            best, square = found, q
        if found > best_of_2:
            best_of_2, square_of_2, blocks_of_2 = found, q, 1
        if g.blocks[s] >= 2:
            found = value_of_blocks(g, s, q, 2, work)
            if found > best_of_2:
                best_of_2, square_of_2, blocks_of_2 = found, q, 2
    first = with_extra(g, s, square, 1, best, work)
    if square_of_2 == square and blocks_of_2 == 1:
        return first, first
    return first, with_extra(g, s, square_of_2, blocks_of_2, best_of_2, work)


@kernel
def right_of_other(g, me, s, concept, work):
    """Seat ``me``'s value after seat ``s`` has placed one block on the square of ``concept`` that suits ``s`` best.

    One block stands for what either rightholder may build: near enough, and twice as fast.
    """
    best, mine = -1e9, 0.0
    for square in range(SQUARES):
        if g.area[square] == concept:
            found = value_of_blocks(g, s, square, 1, work)
            if found > best:
                best, mine = found, value(g, work.built, me, work)
    return mine


@kernel
def fill_rights(g, me, work):
    """``work.rights``: the change of seat ``me``'s value by right, seat that wins it, and concept, where it may."""
    now = value(g, work.board, me, work)
    for s in range(SEATS):
        for concept in range(4):
            if g.blocks[s] > 0 and may_win(g, me, s, concept):
                if s == me:
                    first, second = own_rights(g, s, concept, work)
                    work.rights[0, s, concept] = first - now
                    work.rights[1, s, concept] = second - now
                else:
                    work.rights[:, s, concept] = right_of_other(g, me, s, concept, work) - now
