"""What a position of Tri*T*Area is worth to a seat of the expert.

Points in hand count fully; what settlement would pay now counts for less the more tricks are to come, since others
build over it; a block in hand has a worth, since a later right needs it.
"""

from __future__ import annotations

import math

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.games.tritarea.rules import (
    ACTIONS,
    BLOCKS_A_SEAT,
    CARDS,
    CARDS_A_SEAT,
    GAME,
    ROUNDS,
    SEATS,
    TRICKS,
)
from tritarea_env.games.tritarea.settlement import pay_of_towers, sign_of_rank

from ..greedy.tritarea_board import BOARD, put, survey
from ..greedy.tritarea_value import leftover, weight

# What the kernels write to; nothing in it outlives a decision. One record, as numba counts references to arrays.
_FIELDS = np.dtype(
    [
        ("board", BOARD),  # as it is
        ("trial", BOARD),  # with blocks tried on it
        ("more", BOARD),  # and one of additional construction
        ("after", GAME),  # the game once a rightholder has built
        ("next", BOARD),  # and its board
        ("square", np.int64),  # what it builds: where,
        ("blocks", np.int64),  # how many,
        ("extra", np.int64),  # and the square of additional construction (-1: none)
        ("trick", GAME),  # the game with cards laid to fill the trick
        ("weights", np.float64, (SEATS, SEATS)),  # how a point of the second seat counts for the first
        ("press", np.float64, (SEATS,)),  # how much a seat's lead counts
        ("area", np.float64),  # how much of a point for areas counts,
        ("tower", np.float64),  # for the tallest building,
        ("promise", np.float64),  # for a declaration
        ("kept", np.float64, (max(BLOCKS_A_SEAT) + 1,)),  # worth of so many blocks in hand
        ("rights", np.float64, (4, SEATS, SEATS + 1)),  # change of value: concept, rightholders 1 and 2 (4: none)
        ("gains", np.float64, (CARDS,)),  # mean change of value by card
        ("odds", np.float64, (CARDS,)),  # how likely a card is played, beside others
        ("accept", np.int64, (CARDS,)),  # the same of 65,536, against the likeliest
        ("own", np.int64, (max(CARDS_A_SEAT),)),  # the hand's cards
        ("cards", np.int64, (CARDS,)),  # cards that the seat has not seen
        ("mask", np.int8, (ACTIONS,)),
    ],
    align=True,
)
WORK = np.dtype((np.record, _FIELDS))
FAR_BEHIND = -50.0  # where e to this power is next to nothing, and still no zero


@kernel
def tricks_after(g):
    """Tricks to come after this one."""
    return np.int64(TRICKS) - g.trick


@kernel
def worth_of_blocks(each, blocks, left, p):
    """Blocks in hand with ``left`` tricks to come: each further one is less likely to find a right."""
    used = p.use * left
    return each * used * (1.0 - math.exp(-blocks / used)) if used > 0 else 0.0


@kernel
def loss_of_blocks(g, blocks):
    """A6.4: what unplaced blocks cost in round 3."""
    return 2.0 * blocks if g.round_number == ROUNDS else 0.0


@kernel
def weigh_seats(g, p, work):
    """``work.weights``: who leads counts for more than who is behind, more so in round 3: only one wins.

    With two players it is the other team, whoever of it scores.
    """
    press = p.rival * (g.round_number - 1) / (ROUNDS - 1)
    most = 0.0
    for s in range(SEATS):
        work.press[s] = press * (work.board.scores[s] + work.board.areas[s] / 2.0)
        most = max(most, work.press[s])
    for s in range(SEATS):
        work.press[s] = math.exp(max(FAR_BEHIND, work.press[s] - most))
    for s in range(SEATS):
        total = 0.0
        for other in range(SEATS):
            total += work.press[other] if other != s else 0.0
        for other in range(SEATS):
            if g.players == 2 or other == s:
                work.weights[s, other] = weight(g, s, other)
            else:
                work.weights[s, other] = -work.press[other] / total


@kernel
def look(g, p, work):
    """Get ready to value things in ``g``: its board, how far it can be trusted, what blocks in hand are worth.

    In round 3 a block that finds a right also saves the 2 points that it would cost unplaced.
    """
    survey(g, work.board)
    left = tricks_after(g)
    work.area = math.exp(-p.area_fade * left)
    work.tower = math.exp(-p.tower_fade * left)
    work.promise = math.exp(-p.promise_fade * left)
    weigh_seats(g, p, work)
    for blocks in range(work.kept.shape[0]):
        loss = loss_of_blocks(g, blocks)
        each = p.block + loss_of_blocks(g, 1)
        work.kept[blocks] = worth_of_blocks(each, blocks, left, p) - loss


@inlined
def promised(g, board, s):
    """Round 3: what seat ``s``'s declared card brings as the areas stand; a five is changed as suits it."""
    card = np.int64(g.declared[s])
    if card < 0:
        return np.int64(0)
    sign = sign_of_rank(g, s, board.first[card // 9], board.second[card // 9])
    rank = card % 9 + 1
    if rank != 5:
        return sign * rank
    return np.int64(8) if sign > 0 else np.int64(-1) if sign < 0 else np.int64(0)


@inlined
def value(g, board, s, work):
    """What game ``g`` with ``board`` is worth to seat ``s``: its points less the others', by their weights."""
    pay = pay_of_towers(board.towers.sum())
    total = work.kept[board.blocks[s]]
    for other in range(SEATS):
        points = board.scores[other] + work.area * board.areas[other] + work.tower * (board.towers[other] * pay)
        if g.round_number == ROUNDS:
            points += work.promise * promised(g, board, other)
        total += work.weights[s, other] * points
    if g.round_number == 2:
        total += work.promise * leftover(board, s, g.hand[s])
    return total


@kernel
def value_of_blocks(g, board, s, square, blocks, work):
    """The value after seat ``s`` has placed ``blocks`` on ``square`` of ``board``, which makes ``work.trial``."""
    work.trial = board
    put(g, work.trial, s, square, blocks)
    return value(g, work.trial, s, work)


@kernel
def value_of_extra(g, s, square, work):
    """The value after one block more, on another square of ``work.trial``."""
    work.more = work.trial
    put(g, work.more, s, square, 1)
    return value(g, work.more, s, work)
