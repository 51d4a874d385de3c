"""Which card to play: what the trick brings, by cards that the others may play, and what the card is worth in hand."""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.engine.rng import below, derive
from tritarea_env.games.tritarea.information import unseen
from tritarea_env.games.tritarea.rules import CARDS, SEATS, TRICKS

from ..greedy.tritarea import cards_of, lay
from ..greedy.tritarea_value import leftover
from .tritarea_rights import fill_rights, value_of_trick
from .tritarea_value import look, tricks_after

TRIES = 12  # to draw a card by its odds


# --------------------------------------------------------------------------------- what the trick brings


@kernel
def weigh_cards(g, led, p, work):
    """How likely the others' cards are played, one beside another, where the concept ``led`` was led.

    Early in a round nearly all follow the concept led, as a right is to be had there. Later many have no card of it
    left, and any is as likely.
    """
    early = (TRICKS + 1 - g.trick) / TRICKS
    most = 0.0
    for card in range(CARDS):
        work.odds[card] = 1.0 + p.follow * early**3 if card // 9 == led else 1.0
        most = max(most, work.odds[card])
    for card in range(CARDS):
        work.accept[card] = np.int64(work.odds[card] / most * 65536)


@inlined
def draw_card(key, n, work):
    """Draw one of the first ``n`` of ``work.cards`` by its odds and change places with the last; the next key."""
    i = np.int64(0)
    for _ in range(TRIES):
        key = derive(key, 1)
        i = below(key, n)
        if np.int64(key & np.uint64(0xFFFF)) < work.accept[work.cards[i]]:
            break
    work.cards[i], work.cards[n - 1] = work.cards[n - 1], work.cards[i]
    return key


@inlined
def value_of_five(g, me, work):
    """What the trick brings where seat ``me`` has laid a five that it may still change."""
    best = value_of_trick(g, me, work)
    for cost, rank in ((1, 0), (2, 10)):
        if g.scores[me] >= cost:
            work.trick.rank[me] = rank
            best = max(best, value_of_trick(g, me, work) - cost)
    return best


@inlined
def value_of_card(g, me, card, work):
    """What the trick brings after seat ``me`` has laid ``card``, too."""
    lay(work.trick, me, card)
    return value_of_five(g, me, work) if card % 9 == 4 else value_of_trick(g, me, work)


@kernel
def try_cards(g, seed, cards, led, p, work):
    """Add to ``work.gains`` what the trick brings with each of ``cards`` (a set), the mean over worlds."""
    s = np.int64(g.seat)
    weigh_cards(g, led, p, work)
    n = cards_of(unseen(g, s), work.cards)
    held = cards_of(cards, work.own)
    waiting = (np.int64(g.leader) - s - 1) % SEATS  # seats that play after this one
    worlds = p.samples if waiting > 0 else 1
    for world in range(worlds):
        key = derive(seed, world)
        for k in range(waiting):
            key = draw_card(key, n - k, work)
            lay(work.trick, (s + 1 + k) % SEATS, work.cards[n - k - 1])
        for k in range(held):
            work.gains[work.own[k]] += value_of_card(g, s, work.own[k], work) / worlds


@kernel
def gains_of_cards(g, seed, p, work):
    """``work.gains``: what the trick brings with each card in hand. What others play hangs on the concept led."""
    hand = g.hand[g.seat]
    work.trick = g
    work.gains[:] = 0.0
    if g.seat != g.leader:
        try_cards(g, seed, hand, g.played[g.leader] // 9, p, work)
        return
    for concept in range(4):
        cards = hand & np.int64(0x1FF) << np.int64(9 * concept)
        if cards != 0:
            try_cards(g, seed, cards, concept, p, work)


# -------------------------------------------------------------------------- what a card is worth in hand


@inlined
def many(cards):
    """The number of cards in a set."""
    n = np.int64(0)
    while cards != 0:
        cards &= cards - 1
        n += 1
    return n


@kernel
def spent_low(out, card):
    """The chance that none of three cards of the set ``out`` undercuts ``card``: so sure is it of right 1.

    A low card is to be spent early: right 1 brings one block, and rightholder 2 builds over it, which early costs
    little and leaves bonus and lead. The high cards are for the end, when what is topped stays topped. A five is no
    low card: it can be either.
    """
    if card % 9 == 4:
        return 0.0
    lower = out >> 9 * (card // 9) & (np.int64(1) << card % 9) - 1
    return (1.0 - many(lower) / max(1, many(out))) ** 3


@kernel
def shortened(hand, card):
    """How many cards of the concept the hand holds: a hand of all concepts can join in whatever is adopted."""
    return many(hand >> 9 * (card // 9) & 0x1FF)


@kernel
def still_out(out, card):
    """How many cards of the concept others may hold: the more, the sooner is it adopted again, and a card wanted."""
    return many(out >> 9 * (card // 9) & 0x1FF)


@kernel
def worth_in_hand(g, out, card, p):
    """What it costs to play ``card`` now instead of later; nothing where there is no later."""
    if tricks_after(g) == 0:
        return 0.0
    hand = g.hand[g.seat]
    return p.rest * still_out(out, card) - p.low * spent_low(out, card) - p.long * shortened(hand, card)


@kernel
def choose_card(g, seed, p, work):
    """The card with the best sum of what the trick brings, its cost in hand, and in round 2 what is left over."""
    s = np.int64(g.seat)
    look(g, p, work)
    fill_rights(g, s, p, work)
    gains_of_cards(g, seed, p, work)
    hand, out = g.hand[s], unseen(g, s)
    best, most = -1, -1e9
    for card in range(CARDS):
        if hand >> card & 1:
            found = work.gains[card] - worth_in_hand(g, out, card, p)
            if g.round_number == 2:
                rest = hand & ~(np.int64(1) << np.int64(card))
                found += p.leftover * work.promise * leftover(work.board, s, rest)
            if found > most:
                best, most = card, found
    return best
