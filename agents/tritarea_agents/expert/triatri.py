"""The agent ``expert`` for TriATri: plays some tricks on in its head, and asks who stands how then.

Each bid, prize and card is tried in imagined worlds of what the others may hold, in which all seats play on by rules
of thumb (``triatri_playing``); then everyone's gems are judged (``triatri_standing``). So doubling by seat order,
voids and cards that are gone need no rules of their own. The numbers are data: ``triatri.toml``.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import kernel, making_kernel
from tritarea_env.games import Game
from tritarea_env.games.triatri.kernel import best_seat, first_starter, pick_prize, playable, prize_actions
from tritarea_env.games.triatri.rules import ACTIONS, BID, FROM_SUPPLY, PLAY

from ..base import Agent
from ..compiled import CompiledAgent
from ..greedy.triatri import add_bids, imagine, kinds, lowest, seat_after
from .triatri_playing import chance_after, finish_trick, lay_from_hand, lead, place_of_next_trick, start_next_trick
from .triatri_standing import (
    RANGES,
    TRICK,
    WORK,
    WORLD,
    Parameters,
    chance_now,
    fill_chances,
    fill_tables,
    worth_of_keeping,
)

__all__ = ["RANGES", "Parameters", "build"]

KNOWN = 4096  # positions at a trick's start that are remembered


@making_kernel
def choose_all(hidden, seeds, parameters, chosen):
    """An action (n,) int64 for each hidden record (n,) and seed (n,); ``parameters`` (1,)."""
    works = np.zeros(1, WORK)  # a record alone would not keep its memory
    worlds = np.zeros(parameters[0].samples, WORLD)
    known = np.zeros(KNOWN, TRICK)
    fill_tables(parameters[0], works[0])
    for i in range(hidden.shape[0]):
        chosen[i] = choose(hidden[i], seeds[i], parameters[0], works[0], known, worlds)


class ExpertAgent(CompiledAgent):
    """Plays tricks on in its head, with what the seat knows. Ties go to the lowest action id."""

    choose_all = staticmethod(choose_all)


def build(game: Game, parameters: Parameters) -> Agent:
    """The agent."""
    return ExpertAgent(game, parameters)


@kernel
def choose(g, seed, p, work, known, worlds):
    if g.phase == BID:
        return choose_bid(g, seed, p, work, known, worlds[: (worlds.shape[0] + 1) // 2])
    if g.phase == PLAY:
        return choose_card(g, seed, p, work, known, worlds)
    return choose_prize(g, seed, p, work, known, worlds)


@kernel
def choose_bid(g, seed, p, work, known, worlds):
    """Whether to start, and with which cards to go on: each card is given up in turn, and the round begun."""
    imagine(g, seed, worlds)
    add_bids(g, seed, worlds)
    best, most = -1, -1e9
    cards = kinds(g.hand[g.seat])
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        found = 0.0
        for k in range(worlds.shape[0]):
            found += chance_with_bid(worlds[k], card, p, work, known)
        found = found / worlds.shape[0] - worth_of_keeping(g, card, p)
        if found > most:
            best, most = card, found
    return best


@kernel
def chance_with_bid(world, card, p, work, known):
    """The chance to win the game of the seat to move in ``world``, in which the others' bids stand."""
    me = np.int64(world.seat)
    work.world = world
    g = work.world
    g.bids[me] = card
    starter = first_starter(g)
    if starter < 0:
        return chance_now(g, me, p, work)  # all is dealt anew
    for s in range(me, g.players):
        g.hand[s] -= np.int64(1) << np.int64(g.bids[s])
    start_next_trick(g, starter)
    work.now = known[place_of_next_trick(g, p, work, known)]
    pick_prize(g, work.now.action)
    return chance_after(g, me, finish_trick(g, starter, -1, work.now), p, work, known)


@kernel
def choose_card(g, seed, p, work, known, worlds):
    cards = kinds(playable(g, g.seat))
    if cards & (cards - 1) == 0:
        return lowest(cards)
    return choose_among(cards, g, seed, p, work, known, worlds)


@kernel
def choose_prize(g, seed, p, work, known, worlds):
    return choose_among(prize_actions(g, g.seat), g, seed, p, work, known, worlds)


@kernel
def choose_among(actions, g, seed, p, work, known, worlds):
    """The best of a set of actions, each tried in the same worlds."""
    imagine(g, seed, worlds)
    best, most = -1, -1e9
    for action in range(ACTIONS):
        if not actions >> action & 1:
            continue
        if action >= FROM_SUPPLY:
            found = chance_with_prize(g, action, p, work, known, worlds)
        else:
            found = chance_with_card(g, action, p, work, known, worlds)
        if found > most:
            best, most = action, found
    return best


@kernel
def chance_with_prize(g, action, p, work, known, worlds):
    """The mean chance after a pick, which the seat tries to win with its highest card."""
    for k in range(worlds.shape[0]):
        pick_prize_in(worlds[k], action, g)
    work.picked = g
    pick_prize(work.picked, action)
    return chance_with_card(work.picked, lead(work.picked, g.seat), p, work, known, worlds)


@kernel
def pick_prize_in(world, action, g):
    """Pick a prize in an imagined world, in which another may have been picked before."""
    for colour in range(3):
        world.supply[colour] = g.supply[colour]
        world.gems[g.seat, colour] = g.gems[g.seat, colour]
    pick_prize(world, action)


@kernel
def chance_with_card(g, card, p, work, known, worlds):
    """The mean over ``worlds`` of the chance to win the game of the seat to move in ``g`` after ``card``."""
    me, leader = np.int64(g.seat), best_seat(g)
    following = seat_after(g, me)
    fill_chances(g, p, work, work.now)
    total = 0.0
    for k in range(worlds.shape[0]):
        work.world = worlds[k]
        winner = lay_from_hand(work.world, me, card, leader)
        if following != g.starter:
            winner = finish_trick(work.world, following, winner, work.now)
        total += chance_after(work.world, me, winner, p, work, known)
    return total / worlds.shape[0] - worth_of_keeping(g, card, p)
