"""What rights are worth: not one by one, since rightholder 2 builds last, and in the same area.

What rightholder 1 has topped, rightholder 2 can top again in the same trick, with two blocks at that. So a pair of
rightholders is valued together: 1 builds, then 2 replies.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import kernel
from tritarea_env.games.tritarea.kernel import award_rights, has_own_neighbour
from tritarea_env.games.tritarea.kernel import put as lay_block
from tritarea_env.games.tritarea.rules import NEIGHBOURS, SEATS, SQUARES

from ..greedy.tritarea_board import put
from ..greedy.tritarea_value import loss_of_default, may_win
from .tritarea_value import value, value_of_blocks, value_of_extra

NOBODY = SEATS  # in place of a rightholder 2


@kernel
def find_building(g, board, s, concept, second, work):
    """What suits seat ``s`` best as a rightholder of ``concept`` (``second``: with two blocks, if it likes).

    Writes ``work.square`` and ``work.blocks``; no additional construction. Returns the value to ``s``.
    """
    best = -1e9
    most = 2 if second and board.blocks[s] >= 2 else 1
    for q in range(SQUARES):
        if g.area[q] == concept:
            for blocks in range(1, most + 1):
                found = value_of_blocks(g, board, s, q, blocks, work)
                if found > best:
                    best = found
                    work.square, work.blocks = q, blocks
    work.extra = -1
    return best


@kernel
def find_extra(g, board, s, best, work):
    """Additional construction next to what ``find_building`` found; the value, ``best`` if it brings no more."""
    if board.blocks[s] > work.blocks and has_own_neighbour(g, s, work.square):
        value_of_blocks(g, board, s, work.square, work.blocks, work)
        for q in range(SQUARES):
            if NEIGHBOURS[work.square] >> q & 1:
                found = value_of_extra(g, s, q, work)
                if found > best:
                    best = found
                    work.extra = q
    return best


@kernel
def reply(g, board, s, concept, second, me, work):
    """Seat ``me``'s value after seat ``s`` has built as suits it best.

    For another seat without additional construction: near enough, and faster.
    """
    best = find_building(g, board, s, concept, second, work)
    if s == me:
        return find_extra(g, board, s, best, work)
    work.trial = board
    put(g, work.trial, s, work.square, work.blocks)
    return value(g, work.trial, me, work)


@kernel
def stand_still(g, board, work):
    """``work.after`` and ``work.next`` where nothing is built."""
    work.after = g
    work.next = board


@kernel
def carry_out(g, board, s, work):
    """``work.after`` and ``work.next``: the game and the board after seat ``s`` has built what was found."""
    stand_still(g, board, work)
    for _ in range(work.blocks):
        lay_block(work.after, s, work.square)
    put(g, work.next, s, work.square, work.blocks)
    if work.extra >= 0:
        lay_block(work.after, s, work.extra)
        put(g, work.next, s, work.extra, 1)


@kernel
def in_order(g, s, other):
    """Whether seat ``s`` may hold right 1 and ``other`` right 2, by the cards that they have laid, if they have."""
    if other == s:
        return False
    low, high = np.int64(g.played[s]), np.int64(g.played[other])
    return low < 0 or high < 0 or low < high or low % 9 == 4 or high % 9 == 4


@kernel
def fill_rights(g, me, p, work):
    """``work.rights``: the change of seat ``me``'s value by adopted concept and rightholders that there may be."""
    now = value(g, work.board, me, work)
    for concept in range(4):
        for s in range(SEATS):
            if not may_win(g, me, s, concept):
                continue
            stand_still(g, work.board, work)
            alone = 0.0
            if g.blocks[s] > 0:
                alone = reply(g, work.board, s, concept, False, me, work) - now
                if p.reply:
                    carry_out(g, work.board, s, work)
            work.rights[concept, s, NOBODY] = alone
            for other in range(SEATS):
                if in_order(g, s, other) and may_win(g, me, other, concept):
                    both = alone
                    if g.blocks[other] > 0:
                        both = reply(work.after, work.next, other, concept, True, me, work) - now
                        both += 0.0 if p.reply else alone
                    work.rights[concept, s, other] = both


@kernel
def value_of_trick(g, me, work):
    """The change of seat ``me``'s value by the rights of ``work.trick``: ``g`` with four cards laid."""
    trick = work.trick
    award_rights(trick)
    first, second = np.int64(trick.rightholders[0]), np.int64(trick.rightholders[1])
    total = work.rights[trick.adopted, first, second if second >= 0 else NOBODY]
    for s in (first, second):
        if s >= 0 and g.blocks[s] == 0:
            total -= work.weights[me, s] * loss_of_default(trick, s)
    return total
