"""Which actions are legal (A10).

A set of actions has two words (see ``engine.sets``).
"""

import numpy as np

from ...engine.compile import inlined, kernel
from ...engine.sets import WORD, shifted, union, write_flags
from .rules import (
    ACTIONS,
    BUILD,
    DECLARE,
    END,
    EXTRA,
    FIVE_DEFAULT,
    KEEP,
    NEIGHBOURS,
    ONE_BLOCK,
    PASS,
    PLAY,
    SELL,
    SELL_NONE,
    TWO_BLOCKS,
)


@inlined
def build_actions(g, s):
    """One block on a square of the adopted area; for rightholder 2 also two; with an option, a default."""
    squares = np.int64(g.squares[g.adopted])
    actions = shifted(squares, ONE_BLOCK)
    if s == g.rightholders[1] and g.blocks[s] >= 2:
        actions = union(actions, shifted(squares, TWO_BLOCKS))
    return union(actions, shifted(np.int64(g.voluntary_default), PASS))


@inlined
def extra_actions(g):
    """One block next to the square just built on, or none."""
    return union(shifted(NEIGHBOURS[g.built], ONE_BLOCK), shifted(np.int64(1), PASS))


@inlined
def five_actions(g, s):
    """Keep the five, make it 0 or, where that can be paid and helps, 10 (A3)."""
    to_ten = g.phase != FIVE_DEFAULT and g.scores[s] >= 2
    return shifted(np.int64(0b111 if to_ten else 0b011), KEEP)


@inlined
def legal(g):
    """The legal actions of the seat to move, as a set of actions in two words; empty at the end."""
    phase, s = g.phase, g.seat
    if phase in (PLAY, DECLARE):
        return shifted(g.hand[s], 0)
    if phase == BUILD:
        return build_actions(g, s)
    if phase == EXTRA:
        return extra_actions(g)
    if phase == SELL:
        return shifted((np.int64(2) << np.int64(g.blocks[s])) - 1, SELL_NONE)
    if phase == END:
        return shifted(np.int64(0), 0)
    return five_actions(g, s)


@kernel
def legal_mask(g, mask):
    """Write the legal actions into ``mask`` (82,) int8."""
    low, high = legal(g)
    write_flags(low, WORD, mask, 0)
    write_flags(high, ACTIONS - WORD, mask, WORD)
