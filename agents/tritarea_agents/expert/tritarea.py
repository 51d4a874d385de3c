"""The agent ``expert`` for Tri*T*Area: rules of thumb of a good player, one function an idea.

A card is chosen by what the trick brings (``tritarea_cards``), where the two rights are valued together
(``tritarea_rights``), and by what it is worth in hand. What points and blocks count for stands in ``tritarea_value``,
the numbers in ``tritarea.toml``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tritarea_env.engine.compile import kernel, making_kernel
from tritarea_env.engine.protocol import legal_mask
from tritarea_env.games import Game
from tritarea_env.games.tritarea.kernel import has_own_neighbour
from tritarea_env.games.tritarea.rules import (
    BUILD,
    CARDS,
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
    SELL_NONE,
    SQUARES,
    TO_TEN,
    TO_ZERO,
    TRICKS,
    TWO_BLOCKS,
)

from ..base import Agent
from ..compiled import CompiledAgent
from ..greedy.tritarea import choose_five_settle
from ..greedy.tritarea_value import loss_of_default
from .parameters import options
from .tritarea_cards import choose_card
from .tritarea_rights import carry_out, fill_rights, reply, stand_still, value_of_trick
from .tritarea_value import WORK, look, loss_of_blocks, value, worth_of_blocks

__all__ = ["RANGES", "Parameters", "build"]

Parameters, RANGES = options("tritarea", __name__)


@making_kernel
def choose_all(hidden, seeds, parameters, chosen):
    """An action (n,) int64 for each hidden record (n,) and seed (n,); ``parameters`` (1,)."""
    works = np.zeros(1, WORK)  # a record alone would not keep its memory
    for i in range(hidden.shape[0]):
        chosen[i] = choose(hidden[i], seeds[i], parameters[0], works[0])


class ExpertAgent(CompiledAgent):
    """Plays by rules of thumb, with what the seat knows. Ties go to the lowest action id."""

    choose_all = staticmethod(choose_all)


def build(game: Game, parameters: Any) -> Agent:
    """The agent."""
    return ExpertAgent(game, parameters)


@kernel
def choose(g, seed, p, work):
    phase = g.phase
    if phase == PLAY:
        return choose_card(g, seed, p, work)
    if phase == BUILD:
        return choose_square(g, p, work)
    if phase == EXTRA:
        return choose_extra(g, p, work)
    if phase == FIVE:
        return choose_five(g, p, work)
    if phase == FIVE_DEFAULT:
        return TO_ZERO if g.scores[g.seat] > 1 else KEEP
    if phase == FIVE_SETTLE:
        return choose_five_settle(g)
    if phase == DECLARE:
        return choose_declaration(g, p)
    return choose_sale(g, p)


# ---------------------------------------------------------------------------------------- construction


@kernel
def after_reply(g, me, p, work):
    """Seat ``me``'s value of what stands in ``work.after`` and ``work.next``, once rightholder 2 has built, too.

    Who builds first builds where it will not be topped again at once, or where that costs another more.
    """
    other = np.int64(g.rightholders[1])
    if p.reply and other >= 0 and other != me and g.blocks[other] > 0:
        return reply(work.after, work.next, other, np.int64(g.adopted), True, me, work)
    return value(g, work.next, me, work)


@kernel
def value_of_turn(g, s, square, blocks, extra, p, work):
    """The value after seat ``s`` has built, and rightholder 2 after it."""
    work.square, work.blocks, work.extra = square, blocks, extra
    carry_out(g, work.board, s, work)
    return after_reply(g, s, p, work)


@kernel
def choose_square(g, p, work):
    """The square, and one block or two; additional construction that it opens counts."""
    look(g, p, work)
    legal_mask(g, work.mask)
    s = np.int64(g.seat)
    best, most = PASS, -1e9
    if work.mask[PASS]:
        stand_still(g, work.board, work)
        most = after_reply(g, s, p, work) - loss_of_default(g, s)
    for action in range(ONE_BLOCK, PASS):
        if work.mask[action]:
            two = action >= TWO_BLOCKS
            square = action - (TWO_BLOCKS if two else ONE_BLOCK)
            blocks = 2 if two else 1
            found = value_of_turn(g, s, square, blocks, -1, p, work)
            if g.blocks[s] > blocks and has_own_neighbour(g, s, square):
                for q in range(SQUARES):
                    if NEIGHBOURS[square] >> q & 1:
                        found = max(found, value_of_turn(g, s, square, blocks, q, p, work))
            if found > most:
                best, most = action, found
    return best


@kernel
def choose_extra(g, p, work):
    """Additional construction, if it is worth the block."""
    look(g, p, work)
    s = np.int64(g.seat)
    stand_still(g, work.board, work)
    best, most = PASS, after_reply(g, s, p, work)
    for q in range(SQUARES):
        if NEIGHBOURS[g.built] >> q & 1:
            found = value_of_turn(g, s, q, 1, -1, p, work)
            if found > most:
                best, most = ONE_BLOCK + q, found
    return best


# ------------------------------------------------------------------------- fives, declaration and sale


@kernel
def choose_five(g, p, work):
    """Whether 0 or 10 turns a right, or a 2-2 vote, that is worth the price."""
    s = np.int64(g.seat)
    look(g, p, work)
    fill_rights(g, s, p, work)
    work.trick = g
    best, most = KEEP, value_of_trick(g, s, work)
    for action, cost, rank in ((TO_ZERO, 1, 0), (TO_TEN, 2, 10)):
        if g.scores[s] >= cost:
            work.trick.rank[s] = rank
            found = value_of_trick(g, s, work) - cost
            if found > most:
                best, most = action, found
    return best


@kernel
def missed_in_tricks(rank):
    """How near to an end a rank lies, and so how sure to win a right: 1 for 1, 9 and the five, which can be either."""
    return 1.0 if rank == 5 else (rank - 5) ** 2 / 16.0


@kernel
def choose_declaration(g, p):
    """The card that promises most: its rank, by how well the rest of the hand can win its area.

    It is out of play: better one in the middle, or one will miss it in the tricks.
    """
    hand = g.hand[g.seat]
    best, most = -1, -1e9
    for card in range(CARDS):
        if hand >> card & 1:
            rank = card % 9 + 1
            strength = 0.0
            for other in range(9 * (card // 9), 9 * (card // 9) + 9):
                if other != card and hand >> other & 1:
                    strength += abs(other % 9 - 4) / 4.0
            chance = min(0.9, p.chance + p.support * strength)
            gain, loss = (8, 1) if rank == 5 else (rank, rank)
            found = chance * gain - p.missed * (1.0 - chance) * loss - p.spare * missed_in_tricks(rank)
            if found > most:
                best, most = card, found
    return best


@kernel
def choose_sale(g, p):
    """3 points for a block at once, against what it will bring: the last ones of nine find no right."""
    s = g.seat
    best, most = SELL_NONE, -1e9
    for n in range(g.blocks[s] + 1):
        kept = g.blocks[s] - n
        worth = worth_of_blocks(p.sale + loss_of_blocks(g, 1), kept, TRICKS, p)
        found = 3.0 * n - loss_of_blocks(g, kept) + worth
        if found > most:
            best, most = SELL_NONE + n, found
    return best
