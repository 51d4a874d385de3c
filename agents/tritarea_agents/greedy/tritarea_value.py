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

from tritarea_env.engine.compile import kernel
from tritarea_env.games.tritarea.kernel import has_own_neighbour, place
from tritarea_env.games.tritarea.rules import ACTIONS, CARDS, NEIGHBOURS, PLAY, ROUNDS, SEATS, SQUARES, TRICKS
from tritarea_env.games.tritarea.settlement import rank_in_area, score_now

RANGES = {"block": (-1000, 1000), "use": (0, 100), "fade": (0, 1), "samples": (1, 100_000)}


class Parameters(NamedTuple):
    """What the rule leaves open; points are score points."""

    block: float = 8.0  # worth of a block in hand that will find its use
    use: float = 1.0  # blocks that find their use in each trick to come
    fade: float = 0.75  # part of the points of settlement that do not count at a round's start; none at its end
    samples: int = 8  # worlds of opponents' cards per decision on a card


# What the kernels write to; nothing in it outlives a decision.
WORK = np.dtype(
    [
        ("points", np.int64, (SEATS,)),  # scores as settled now
        ("rights", np.float64, (2, SEATS, 4)),  # change of value by right, seat that wins it, concept
        ("gains", np.float64, (CARDS,)),  # mean change of value by card
        ("cards", np.int64, (CARDS,)),  # cards that the seat has not seen
        ("mask", np.int8, (ACTIONS,)),
    ],
    align=True,
)
# Positions to try things on: after building, after building twice, and with cards laid to fill the trick
BUILT, BUILT_ON, TRICK = range(3)


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


@kernel
def best_rank(hand, area):
    """The most that a card of ``hand`` (a set) may pay as a declaration for ``area``: a five can become 10 for 2."""
    best = 0
    for rank in range(1, 10):
        if hand >> (9 * area + rank - 1) & 1:
            best = max(best, 8 if rank == 5 else rank)
    return best


@kernel
def leftover(g, s, hand):
    """Round 2: what the best card of ``hand`` (a set) pays if it is left over and areas are settled now."""
    best = 0
    for area in range(4):
        if rank_in_area(g, area, s) == 1:
            best = max(best, best_rank(hand, area))
    return best


@kernel
def value(g, s, p, work):
    """What position ``g`` is worth to seat ``s``."""
    score_now(g, work.points)
    return value_at(g, s, p, work)


@kernel
def value_at(g, s, p, work):
    """The same, with the scores as settled now given."""
    sure, open_ = 0.0, 0.0
    for other in range(SEATS):
        factor = weight(g, s, other)
        sure += factor * g.scores[other]
        open_ += factor * (work.points[other] - g.scores[other])
    if g.round_number == 2 and g.hand_size[s] > 1:
        open_ += leftover(g, s, g.hand[s])
    return sure + trust(g, p) * open_ + worth_of_blocks(g, g.blocks[s], tricks_left(g), p)


# ---------------------------------------------------------------------------------------- construction


@kernel
def value_of_building(g, s, square, blocks, p, work, trial):
    """The value after seat ``s`` has placed ``blocks`` on ``square`` and made the best of what that allows."""
    built = trial[BUILT]
    trial[BUILT] = g
    for _ in range(blocks):
        place(built, s, square)
    best = value(built, s, p, work)
    if built.blocks[s] > 0 and has_own_neighbour(built, s, square):
        for q in range(SQUARES):
            if NEIGHBOURS[square] >> q & 1:
                best = max(best, value_of_extra(built, s, q, p, work, trial))
    return best


@kernel
def value_of_extra(g, s, square, p, work, trial):
    trial[BUILT_ON] = g
    place(trial[BUILT_ON], s, square)
    return value(trial[BUILT_ON], s, p, work)


@kernel
def loss_of_default(g, s):
    """A5: what a default costs seat ``s`` (an unchanged five can become 0 for 1)."""
    rank = 1 if g.rank[s] == 5 else g.rank[s]
    return min(rank, g.scores[s])


# ---------------------------------------------------------------------------------------------- rights


@kernel
def own_right(g, s, right, concept, p, work, trial):
    """The value of what seat ``s`` can build as rightholder 1 (``right`` 0) or 2 of ``concept``.

    The square is the best before additional construction: near enough to weigh cards, and faster.
    """
    best, square, blocks = -1e9, np.int64(0), np.int64(1)
    for q in range(SQUARES):
        if g.area[q] == concept:
            trial[BUILT] = g
            for n in range(1, min(right + 1, g.blocks[s]) + 1):
                place(trial[BUILT], s, q)
                found = value(trial[BUILT], s, p, work)
                if found > best:
                    best, square, blocks = found, q, n
    return value_of_building(g, s, square, blocks, p, work, trial)


@kernel
def right_of_other(g, me, s, concept, p, work, trial):
    """Seat ``me``'s value after seat ``s`` has placed one block on the square of ``concept`` that suits ``s`` best.

    One block stands for what either rightholder may build: near enough, and twice as fast.
    """
    best, mine = -1e9, 0.0
    for square in range(SQUARES):
        if g.area[square] == concept:
            trial[BUILT] = g
            place(trial[BUILT], s, square)
            found = value(trial[BUILT], s, p, work)
            if found > best:
                best, mine = found, value_at(trial[BUILT], me, p, work)
    return mine


@kernel
def may_win(g, me, s, concept):
    """Whether seat ``me`` must reckon with seat ``s`` winning a right of ``concept`` in this trick."""
    if g.played[s] >= 0:
        return g.played[s] // 9 == concept
    return s != me or (g.hand[s] >> 9 * concept) & 0x1FF != 0


@kernel
def fill_rights(g, me, p, work, trial):
    """``work.rights``: the change of seat ``me``'s value by right, seat that wins it, and concept, where it may."""
    now = value(g, me, p, work)
    for s in range(SEATS):
        for concept in range(4):
            if g.blocks[s] > 0 and may_win(g, me, s, concept):
                if s == me:
                    for right in range(2):
                        work.rights[right, s, concept] = own_right(g, s, right, concept, p, work, trial) - now
                else:
                    work.rights[:, s, concept] = right_of_other(g, me, s, concept, p, work, trial) - now
