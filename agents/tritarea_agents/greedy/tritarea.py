"""The agent ``greedy`` for Tri*T*Area: the best change of points if the round were settled at once.

Construction takes the square with the best value (see ``tritarea_value``). A card is worth what the rights that
it wins or leaves to others are worth, averaged over cards that the others may play.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel, making_kernel
from tritarea_env.engine.protocol import legal_mask
from tritarea_env.engine.rng import below, derive
from tritarea_env.games import Game
from tritarea_env.games.tritarea.information import unseen
from tritarea_env.games.tritarea.kernel import award_rights
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
    SEATS,
    SELL_NONE,
    SQUARES,
    TO_TEN,
    TO_ZERO,
    TRICKS,
    TWO_BLOCKS,
)
from tritarea_env.games.tritarea.settlement import declaration_sign, declared_card

from ..base import Agent
from ..compiled import CompiledAgent
from .tritarea_value import (
    RANGES,
    WORK,
    Parameters,
    fill_rights,
    leftover,
    look,
    loss_of_default,
    value,
    value_of_blocks,
    weight,
    with_extra,
    worth_of_blocks,
)

__all__ = ["RANGES", "Parameters", "build"]

# Round 3's declaration, guessed from the hand alone: the chance of rank 1 in an area with no other card of its
# concept in hand, what one more card adds (all of it for a 1 or 9, nothing for a 5), and how often the areas
# that are not won cost the card's rank.
CHANCE, CHANCE_OF_A_CARD, LOST = 0.25, 0.1, 0.6


@making_kernel
def choose_all(hidden, seeds, parameters, chosen):
    """An action (n,) int64 for each hidden record (n,) and seed (n,); ``parameters`` (1,)."""
    works = np.zeros(1, WORK)  # a record alone would not keep its memory
    for i in range(hidden.shape[0]):
        chosen[i] = choose(hidden[i], seeds[i], parameters[0], works[0])


class GreedyAgent(CompiledAgent):
    """Looks one decision ahead, with what the seat knows. Ties go to the lowest action id."""

    choose_all = staticmethod(choose_all)


def build(game: Game, parameters: Parameters) -> Agent:
    """The agent."""
    return GreedyAgent(game, parameters)


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
        return choose_declaration(g)
    return choose_sale(g, p)


# ---------------------------------------------------------------------------------------- construction


@kernel
def choose_square(g, p, work):
    look(g, p, work)
    legal_mask(g, work.mask)
    s = np.int64(g.seat)
    best, most = PASS, -1e9
    for action in range(ONE_BLOCK, PASS):
        if work.mask[action]:
            two = action >= TWO_BLOCKS
            square = action - (TWO_BLOCKS if two else ONE_BLOCK)
            blocks = 2 if two else 1
            found = with_extra(g, s, square, blocks, value_of_blocks(g, s, square, blocks, work), work)
            if found > most:
                best, most = action, found
    if work.mask[PASS] and value(g, work.board, s, work) - loss_of_default(g, s) > most:
        best = PASS
    return best


@kernel
def choose_extra(g, p, work):
    look(g, p, work)
    s = np.int64(g.seat)
    best, most = PASS, value(g, work.board, s, work)
    for q in range(SQUARES):
        if NEIGHBOURS[g.built] >> q & 1:
            found = value_of_blocks(g, s, q, 1, work)
            if found > most:
                best, most = ONE_BLOCK + q, found
    return best


# ----------------------------------------------------------------------------------------------- cards


@inlined
def value_of_trick(g, me, work):
    """The change of seat ``me``'s value by the rights of ``trick``: ``g`` with four cards laid."""
    trick = work.trick
    award_rights(trick)
    total = 0.0
    for right in range(2):
        s = trick.rightholders[right]
        if s < 0:
            continue
        if g.blocks[s] > 0:
            total += work.rights[right, s, trick.adopted]
        else:
            total -= weight(g, me, s) * loss_of_default(trick, s)
    return total


@inlined
def value_of_five(g, me, work):
    """The same where seat ``me`` has played a five that it may still change."""
    best = value_of_trick(g, me, work)
    for cost, rank in ((1, 0), (2, 10)):
        if g.scores[me] >= cost:
            work.trick.rank[me] = rank
            best = max(best, value_of_trick(g, me, work) - cost)
    return best


@inlined
def value_of_card(g, me, card, work):
    """The same after seat ``me`` has laid ``card``, too."""
    lay(work.trick, me, card)
    return value_of_five(g, me, work) if card % 9 == 4 else value_of_trick(g, me, work)


@inlined
def lay(g, s, card):
    g.played[s] = card
    g.rank[s] = card % 9 + 1


@inlined
def take_card(key, cards, n):
    """Draw one of the first ``n`` entries of ``cards`` (n,); the last takes its place."""
    i = below(key, n)
    card = cards[i]
    cards[i], cards[n - 1] = cards[n - 1], card
    return card


@inlined
def cards_of(pool, cards):
    """Write the cards of the set ``pool`` into ``cards``; returns their number."""
    n = 0
    for card in range(CARDS):
        if pool >> card & 1:
            cards[n] = card
            n += 1
    return n


@kernel
def gains_of_cards(g, seed, p, work):
    """``work.gains``: for each card in hand the mean change of value, over worlds of the cards still to be played."""
    s = np.int64(g.seat)
    look(g, p, work)
    fill_rights(g, s, work)
    work.trick = g
    work.gains[:] = 0.0
    n = cards_of(unseen(g, s), work.cards)
    held = cards_of(g.hand[s], work.own)
    waiting = (g.leader - s - 1) % SEATS  # seats that play after this one
    worlds = p.samples if waiting > 0 else 1
    for world in range(worlds):
        key = derive(seed, world)
        for k in range(waiting):
            lay(work.trick, (s + 1 + k) % SEATS, take_card(derive(key, k), work.cards, n - k))
        for k in range(held):
            card = work.own[k]
            work.gains[card] += value_of_card(g, s, card, work) / worlds


@kernel
def choose_card(g, seed, p, work):
    gains_of_cards(g, seed, p, work)
    hand = g.hand[g.seat]
    best, most = -1, -1e9
    for card in range(CARDS):
        if hand >> card & 1:
            found = work.gains[card]
            if g.round_number == 2:
                found += work.trust * leftover(work.board, g.seat, hand & ~(np.int64(1) << np.int64(card)))
            if found > most:
                best, most = card, found
    return best


@kernel
def choose_five(g, p, work):
    s = np.int64(g.seat)
    look(g, p, work)
    fill_rights(g, s, work)
    work.trick = g
    best, most = KEEP, value_of_trick(g, s, work)
    for action, cost, rank in ((TO_ZERO, 1, 0), (TO_TEN, 2, 10)):
        if g.scores[s] >= cost:
            work.trick.rank[s] = rank
            found = value_of_trick(g, s, work) - cost
            if found > most:
                best, most = action, found
    return best


# ------------------------------------------------------------------------------- declarations and sale


@kernel
def choose_five_settle(g):
    s = g.seat
    if declaration_sign(g, s, declared_card(g, s)) > 0:
        return TO_TEN if g.scores[s] >= 2 else KEEP
    return TO_ZERO if g.scores[s] > 1 else KEEP


@kernel
def choose_declaration(g):
    """The card that promises most: its rank, by how well the rest of the hand can win its area."""
    s = g.seat
    best, most = -1, -1e9
    for card in range(CARDS):
        if g.hand[s] >> card & 1:
            rank = card % 9 + 1
            strength = 0.0
            for other in range(9 * (card // 9), 9 * (card // 9) + 9):
                if other != card and g.hand[s] >> other & 1:
                    strength += abs(other % 9 - 4) / 4.0
            chance = min(0.9, CHANCE + CHANCE_OF_A_CARD * strength)
            gain, loss = (8, 1) if rank == 5 else (rank, rank)
            found = chance * gain - LOST * (1.0 - chance) * loss
            if found > most:
                best, most = card, found
    return best


@kernel
def choose_sale(g, p):
    s = g.seat
    best, most = SELL_NONE, -1e9
    for n in range(g.blocks[s] + 1):
        kept = g.blocks[s] - n
        found = 3.0 * n - 2.0 * kept + worth_of_blocks(g, kept, TRICKS, p)
        if found > most:
            best, most = SELL_NONE + n, found
    return best
