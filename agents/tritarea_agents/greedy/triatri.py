"""The agent ``greedy`` for TriATri: the best chance to win the game if nothing came after this trick.

A card is worth the chances that its trick leads to (see ``triatri_value``), averaged over worlds of cards that the
others may hold, less the worth of keeping it. A prize is worth what the best card to lead for it is worth. In
each world the others are taken to know that value, too: they win a prize that they like and duck one that hurts.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel, making_kernel
from tritarea_env.engine.rng import below, derive
from tritarea_env.games import Game
from tritarea_env.games.triatri.information import deal_unseen, look_for_unseen
from tritarea_env.games.triatri.kernel import (
    best_seat,
    first_starter,
    lay,
    number_of,
    pick_prize,
    playable,
    strength_of,
)
from tritarea_env.games.triatri.rules import BID, FROM_OWN, FROM_SUPPLY, IMITATION, MOST_SEATS, PLAY

from ..base import Agent
from ..compiled import CompiledAgent
from .triatri_value import RANGES, WORK, WORLD, Parameters, fill_chances, worth_of_card

__all__ = ["RANGES", "Parameters", "build"]

# LOWEST_BIT: by the number that five bits of DE_BRUIJN make when a power of two has shifted them to the top
DE_BRUIJN = 0x077CB531
LOWEST_BIT = np.zeros(32, np.int64)
for _bit in range(32):
    LOWEST_BIT[(DE_BRUIJN << _bit & 0xFFFFFFFF) >> 27] = _bit
# In a reply: how an imitation compares with numbers where cards are spared; and what never is preferred
NUMBER_OF_IMITATION, UNWANTED = 7, -100


@making_kernel
def choose_all(hidden, seeds, parameters, chosen):
    """An action (n,) int64 for each hidden record (n,) and seed (n,); ``parameters`` (1,)."""
    works = np.zeros(1, WORK)  # a record alone would not keep its memory
    worlds = np.zeros(parameters[0].samples, WORLD)
    for i in range(hidden.shape[0]):
        chosen[i] = choose(hidden[i], seeds[i], parameters[0], works[0], worlds)


class GreedyAgent(CompiledAgent):
    """Looks one trick ahead, with what the seat knows. Ties go to the lowest action id."""

    choose_all = staticmethod(choose_all)


def build(game: Game, parameters: Parameters) -> Agent:
    """The agent."""
    return GreedyAgent(game, parameters)


@kernel
def choose(g, seed, p, work, worlds):
    if g.phase == BID:
        return choose_bid(g, seed, p, worlds)
    if g.phase == PLAY:
        return choose_card(g, seed, p, work, worlds)
    return choose_prize(g, seed, p, work, worlds)


# ---------------------------------------------------------------------------------- what others may hold


@making_kernel
def imagine(g, seed, worlds):
    """Fill ``worlds`` (n,) with games that fit what the seat to move knows: each as ``determinize`` makes it."""
    cards, most = np.empty(24, np.int8), np.empty(MOST_SEATS, np.int64)
    n = look_for_unseen(g, g.seat, cards, most)
    order = np.empty(n, np.int8)
    for k in range(worlds.shape[0]):
        worlds[k] = g
        order[:] = cards[:n]
        deal_unseen(worlds[k], g.seat, derive(seed, k), order, n, most)


@inlined
def kinds(hand):
    """A hand (a sum of 1 << card) as a set of cards (bits), in which imitations are one."""
    return hand & (1 << IMITATION) - 1 | np.int64(hand >> IMITATION > 0) << IMITATION


@inlined
def lowest(cards):
    """The lowest card of a set."""
    return LOWEST_BIT[((cards & -cards) * DE_BRUIJN & 0xFFFFFFFF) >> 27]


@kernel
def any_card(g, s, key):
    """A card of seat ``s``, each equally likely."""
    hand = np.int64(g.hand[s])
    left = below(key, np.int64(g.hand_size[s]))
    for card in range(IMITATION):
        if hand >> card & 1:
            if left == 0:
                return card
            left -= 1
    return IMITATION


# ------------------------------------------------------------------------------------------ start player


@kernel
def choose_bid(g, seed, p, worlds):
    """The card with the best balance of the chance to start and the worth of keeping it."""
    imagine(g, seed, worlds)
    add_bids(g, seed, worlds)
    even = 1.0 / g.players
    worth = p.start * even * (1.0 - even)  # of starting: a standing as a chance, where all are equal
    best, most = -1, -1e9
    cards = kinds(g.hand[g.seat])
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        found = worth * chance_to_start(g, card, worlds) - worth_of_card(g, card, p)
        if found > most:
            best, most = card, found
    return best


@kernel
def add_bids(g, seed, worlds):
    """In each world the seats that bid later pick any card."""
    n = worlds.shape[0]
    for k in range(n):
        for s in range(g.seat + 1, g.players):
            worlds[k].bids[s] = any_card(worlds[k], s, derive(derive(seed, n + k), s))


@kernel
def chance_to_start(g, card, worlds):
    """How often the seat to move starts with ``card``; a repeat is an even chance."""
    found = 0.0
    for world in worlds:
        world.bids[g.seat] = card
        starter = first_starter(world)
        if starter < 0:
            found += 1.0 / g.players
        elif starter == g.seat:
            found += 1.0
    return found / worlds.shape[0]


# ------------------------------------------------------------------------------------------ others' cards


@inlined
def seat_before(g, s):
    return s - 1 if s > 0 else np.int64(g.players) - 1


@inlined
def seat_after(g, s):
    return s + 1 if s + 1 < g.players else np.int64(0)


@inlined
def takes_lead(g, s, card, leader):
    """Whether ``card`` would lie best, now that seat ``leader``'s does (-1: none); an imitation always does (B4.2)."""
    if card == IMITATION or leader < 0:
        return True
    strength = strength_of(card, g.lying[seat_before(g, s)])
    if strength != g.strength[leader]:
        return strength > g.strength[leader]
    g.lying[s] = card
    g.strength[s] = strength
    first = best_seat(g) == s
    g.lying[s] = -1
    g.strength[s] = 0
    return first


@inlined
def liking(g, s, card, leader, eager):
    """How gladly seat ``s`` plays ``card``: the surest to win if others follow, else the lowest that does its will."""
    spared = NUMBER_OF_IMITATION if card == IMITATION else number_of(card)
    if takes_lead(g, s, card, leader) != eager:
        return UNWANTED - spared
    if not eager or seat_after(g, s) == g.starter:
        return -spared
    return np.int64(g.strength[leader]) if card == IMITATION else strength_of(card, g.lying[seat_before(g, s)])


@inlined
def reply(g, s, leader, work):
    """The card that seat ``s`` plays. It wants the prize if that is better for it than leaving it to ``leader``."""
    cards = kinds(playable(g, s))
    eager = work.chances[s, s] > work.chances[leader, s]
    best, most = -1, -1000
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        found = liking(g, s, card, leader, eager)
        if found > most:
            best, most = card, found
    return best


@kernel
def winner_with(g, me, card, leader, work):
    """Who wins the trick ``g``, which ``leader`` leads (-1: nobody), if ``me`` plays ``card``. Played on in place."""
    leader = lay_and_see(g, me, card, leader)
    s = seat_after(g, me)
    while s != g.starter:
        leader = lay_and_see(g, s, reply(g, s, leader, work), leader)
        s = seat_after(g, s)
    return leader


@inlined
def lay_and_see(g, s, card, leader):
    """Lay ``card``; returns who leads then. A card that does not take the lead leaves it where it is."""
    found = s if takes_lead(g, s, card, leader) else leader
    lay(g, s, card)
    return found


# -------------------------------------------------------------------------------------- cards and prizes


@kernel
def fill_gains(g, p, work, worlds):
    """``work.gains`` of the cards that the seat to move may play for the prize of ``g``; the best of them."""
    fill_chances(g, p, work)
    me, leader = np.int64(g.seat), best_seat(g)
    cards = kinds(playable(g, me))
    best, most = -1, -1e9
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        work.gains[card] = mean_chance(g, me, card, leader, work, worlds) - worth_of_card(g, card, p)
        if work.gains[card] > most:
            best, most = card, work.gains[card]
    return best


@kernel
def mean_chance(g, me, card, leader, work, worlds):
    """The mean over ``worlds`` of seat ``me``'s chance to win the game after ``card``."""
    total = 0.0
    for k in range(worlds.shape[0]):
        take_table(worlds[k], g)
        total += work.chances[winner_with(worlds[k], me, card, leader, work), me]
    return total / worlds.shape[0]


@inlined
def take_table(world, g):
    """Bring the trick of ``world`` to where ``g`` is: worlds are imagined before the pick, and played on in place."""
    world.prize = g.prize
    world.phase = PLAY
    for s in range(g.players):
        world.lying[s] = g.lying[s]
        world.strength[s] = g.strength[s]


@kernel
def choose_card(g, seed, p, work, worlds):
    work.picked = g
    if (g.seat + 1) % g.players == g.starter:  # the last to play: every world is the same
        worlds[0] = g
        return fill_gains(work.picked, p, work, worlds[:1])
    imagine(g, seed, worlds)
    return fill_gains(work.picked, p, work, worlds)


@kernel
def choose_prize(g, seed, p, work, worlds):
    imagine(g, seed, worlds)
    best, most = -1, -1e9
    for colour in range(3):
        for action, many in ((FROM_SUPPLY + colour, g.supply[colour]), (FROM_OWN + colour, g.gems[g.seat, colour])):
            if many > 0:
                work.picked = g
                pick_prize(work.picked, action)
                found = work.gains[fill_gains(work.picked, p, work, worlds)]
                if found > most:
                    best, most = action, found
    return best
