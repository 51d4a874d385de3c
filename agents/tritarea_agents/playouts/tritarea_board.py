"""What blocks change at once on a board of Tri*T*Area, for the playout policy: settlement's points, looked up.

Values are in points, of one seat less the mean of the others'.
"""

from __future__ import annotations

import math

import numpy as np

from tritarea_env.engine.compile import inlined
from tritarea_env.games.tritarea.kernel import top_of
from tritarea_env.games.tritarea.rules import BLOCKS_A_SEAT, ROUNDS, SEATS, SQUARES, STANDING, TRICKS
from tritarea_env.games.tritarea.settlement import POINTS_OF_RANKS

# How construction is weighed: as by the agents ``greedy`` (a block's worth) and ``expert`` (how fast points fade)
BLOCK, USE, AREA_FADE, TOWER_FADE = 8.0, 1.0, 0.35, 0.45
TIE = 0.25  # chance in a value: like ones are told apart at random


def worth_of_blocks(last: bool, left: int, blocks: int) -> float:
    """Worth of ``blocks`` in hand with ``left`` tricks to come, in the ``last`` round or before; see ``greedy``."""
    used = USE * left
    worth = (BLOCK + 2.0 * last) * used * (1.0 - math.exp(-blocks / used)) if used > 0 else 0.0
    return float(worth - 2.0 * last * blocks)


def worth_to(s: int, area: int, first: int, second: int) -> int:
    """Three times the points of seat ``s`` for an area, less those of the others."""
    points = POINTS_OF_RANKS[area, first, second].astype(int)
    return int(4 * points[s] - points.sum())


# By tricks to come: how much of a point that settlement would pay now counts, for areas and for the tallest building
TRUST = np.exp(-AREA_FADE * np.arange(TRICKS + 1))
TRUST_IN_TOWERS = np.exp(-TOWER_FADE * np.arange(TRICKS + 1))
# KEPT[last round, tricks left, blocks in hand]
KEPT = np.array(
    [
        [[worth_of_blocks(last, left, n) for n in range(max(BLOCKS_A_SEAT) + 1)] for left in range(TRICKS + 1)]
        for last in (False, True)
    ]
)
# WORTH[s, area, 16 * first + second] in thirds of a point, by the seats (bits) of rank 1 and 2
WORTH = np.array(
    [[[worth_to(s, area, both >> 4, both & 15) for both in range(256)] for area in range(4)] for s in range(SEATS)],
    np.int8,
)


@inlined
def ranked(a, b, c, d):
    """16 * the seats (bits) of rank 1 + those of rank 2, by the four seats' standings in an area."""
    worse_a = np.int64(b > a) + np.int64(c > a) + np.int64(d > a)
    worse_b = np.int64(a > b) + np.int64(c > b) + np.int64(d > b)
    worse_c = np.int64(a > c) + np.int64(b > c) + np.int64(d > c)
    worse_d = np.int64(a > d) + np.int64(b > d) + np.int64(c > d)
    first = (
        np.int64(worse_a == 0) | np.int64(worse_b == 0) << 1 | np.int64(worse_c == 0) << 2 | np.int64(worse_d == 0) << 3
    )
    second = (
        np.int64(worse_a == 1) | np.int64(worse_b == 1) << 1 | np.int64(worse_c == 1) << 2 | np.int64(worse_d == 1) << 3
    )
    some = np.int64(a > 0) | np.int64(b > 0) << 1 | np.int64(c > 0) << 2 | np.int64(d > 0) << 3
    return (first << 4 | second) & (some << 4 | some)


@inlined
def ranked_now(g, area):
    return ranked(g.standing[area, 0], g.standing[area, 1], g.standing[area, 2], g.standing[area, 3])


@inlined
def ranked_with(g, area, s, more, other, less):
    """The same with ``more`` in the standing of seat ``s`` and ``less`` in that of ``other`` (-1: nobody)."""
    a = g.standing[area, 0] + (more if s == 0 else 0) - (less if other == 0 else 0)
    b = g.standing[area, 1] + (more if s == 1 else 0) - (less if other == 1 else 0)
    c = g.standing[area, 2] + (more if s == 2 else 0) - (less if other == 2 else 0)
    d = g.standing[area, 3] + (more if s == 3 else 0) - (less if other == 3 else 0)
    return ranked(a, b, c, d)


@inlined
def worth_of_ranks(g, s, area, both):
    """Points of seat ``s``, less the mean of the others', by who is first and second in an area: with declarations."""
    worth = np.int64(WORTH[s, area, both])
    if g.round_number == ROUNDS:
        for other in range(SEATS):
            card = np.int64(g.declared[other])
            if card // 9 == area:
                rank = card - 9 * area + 1
                won, named = both >> (4 + other) & 1, (both >> other | both >> (4 + other)) & 1
                gain = (8 if rank == 5 else rank) if won == 1 else 0 if named == 1 else -(1 if rank == 5 else rank)
                worth += 3 * gain if other == s else -gain
    return worth / 3.0


@inlined
def owner(g, square, s, blocks):
    """Whether seat ``s`` owns the building on ``square`` with ``blocks`` more of its own (A6.2)."""
    mine, most = np.int64(0), np.int64(0)
    for other in range(SEATS):
        strength = np.int64(g.count[square, other]) * 8 + np.int64(g.first[square, other])
        if other == s:
            mine = strength + 8 * blocks
        elif strength > most:
            most = strength
    return mine >= most


@inlined
def towers(g, s):
    """Greatest height, how many buildings have it, and how many of these seat ``s`` owns."""
    height = np.int64(1)
    for square in range(SQUARES):
        height = max(height, np.int64(g.height[square]))
    many = own = np.int64(0)
    for square in range(SQUARES):
        if g.height[square] == height:
            many += 1
            own += owner(g, square, s, 0)
    return height, many, own


@inlined
def pay(many, own):
    """Points for ``own`` of ``many`` tallest buildings, less the mean of the others'."""
    each = 10 if many == 1 else 6 if many == 2 else 4
    return each * (4 * own - many) / 3.0


@inlined
def gain_of_blocks(g, s, square, blocks, left, tall):
    """What ``blocks`` on ``square`` change for seat ``s`` with ``left`` tricks to come, what they cost left aside."""
    height = np.int64(g.height[square])
    area = np.int64(g.area[square])
    below_, less = np.int64(-1), np.int64(0)
    sure = 0.0
    if height == 0:
        sure = np.float64(g.bonus[square])
    else:
        below_, less = top_of(g, square), STANDING[height]
    both = ranked_with(g, area, s, STANDING[height + blocks], below_, less)
    areas = worth_of_ranks(g, s, area, both) - worth_of_ranks(g, s, area, ranked_now(g, area))
    paid = 0.0
    tallest, many, own = tall
    if height + blocks >= tallest:
        mine = np.int64(owner(g, square, s, blocks))
        if height + blocks > tallest:
            paid = pay(np.int64(1), mine) - pay(many, own)
        else:
            paid = pay(many + 1, own + mine) - pay(many, own)
    return sure + TRUST[left] * areas + TRUST_IN_TOWERS[left] * paid


@inlined
def tricks_after(g):
    """Tricks to come after this one."""
    return np.int64(TRICKS) - np.int64(g.trick)


@inlined
def chance(word, k):
    """A small number, another for each ``k`` in 0 … 15, to tell like values apart."""
    return TIE / 256.0 * np.int64((word >> np.uint64(3 * k)) & np.uint64(255))
