"""Foresight in Tri*T*Area: what each placement changes, what a right is worth to each seat, what a card wins so far.

All of it follows from what the seat knows: the record is hidden first. *Points* are scores as if the round were settled
now (``settled``); a *margin* is three times a change of a seat's points less the changes of the other three, and so its
gain on their mean, in thirds of a point. Only in games under way where the round's areas and towers are not yet paid.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.games.base import lay_out
from tritarea_env.games.tritarea.information import hide
from tritarea_env.games.tritarea.kernel import award_rights, has_own_neighbour
from tritarea_env.games.tritarea.kernel import put as lay_block
from tritarea_env.games.tritarea.rules import (
    BUILD,
    CARDS,
    EXTRA,
    FIVE,
    FIVE_SETTLE,
    GAME,
    KEEP,
    NEIGHBOURS,
    ONE_BLOCK,
    PLAY,
    SEATS,
    SQUARES,
    TWO_BLOCKS,
)
from tritarea_env.games.tritarea.settlement import pay_of_towers

from .greedy.tritarea_board import BOARD, put, settled, survey
from .greedy.tritarea_value import loss_of_default

ZERO = 128  # the entry that stands for 0
POINTS, MARGIN = 8, 24  # what goes into a net as 1: eight points

# By square: with one block, with two. Seats are counted clockwise from the seat itself.
_ROWS = [
    ("gain", (SQUARES, 2), POINTS, "change of the seat's points by its blocks on the square", "board"),
    ("gain_of_others", (SQUARES, 2, 3), POINTS, "change of the other seats' points by that", "board"),
    ("tower", (SQUARES, 2, 2), POINTS, "tallest building's part of both: own, others' together", "board"),
    ("with_extra", (SQUARES, 2), MARGIN, "margin with the best additional construction, or none", "board"),
    ("after_reply", (SQUARES, 2), MARGIN, "rightholder 1 builds: margin once rightholder 2 has, as suits it", "board"),
    ("best", (4, SEATS, 2), MARGIN, "by concept, seat, most blocks: margin of the seat's best placement", ""),
    ("best_of_others", (4, 3, 2), MARGIN, "by concept, other seat, most blocks: own margin by that placement", ""),
    ("area_points", (SEATS,), POINTS, "points for areas now", ""),
    ("tower_points", (SEATS,), POINTS, "points for tallest buildings now", ""),
    ("other_points", (SEATS,), POINTS, "what else settlement would bring now, as far as known", ""),
    ("ranked_1", (4, SEATS), 1, "seats of rank 1 in each area", ""),
    ("ranked_2", (4, SEATS), 1, "seats of rank 2 in each area", ""),
    ("holds", (CARDS, 2), 1, "rights that the seat had if the trick ended with this card of its hand", ""),
    ("worth", (CARDS,), MARGIN, "margin by all rights that there were then", ""),
    ("fives", (3,), MARGIN, "of the seat's five kept, 0, 10: margin by all rights, others' fives kept", ""),
]
FIELDS = lay_out(_ROWS)
_AT = [field.offset for field in FIELDS]
_GAIN, _OTHERS, _TOWER, _EXTRA, _REPLY, _BEST, _MINE = _AT[:7]
_AREAS, _TOWERS, _REST, _FIRST, _SECOND, _HOLDS, _WORTH, _FIVES = _AT[7:]
# Fields that tell of single actions, and which they are
TOLD: dict[str, tuple[tuple[str, ...], Any]] = {
    "placements": (
        ("gain", "gain_of_others", "tower", "with_extra", "after_reply"),
        (np.arange(SQUARES)[:, None] + [ONE_BLOCK, TWO_BLOCKS]).ravel(),
    ),
    "cards": (("holds", "worth"), np.arange(CARDS)),
    "fives": (("fives",), KEEP + np.arange(3)),
}
SIZE = sum(field.size for field in FIELDS)
NEVER = -(10**6)

# What the kernels write to; nothing in it outlives a decision.
WORK = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("seen", GAME),  # the game as the seat knows it
                ("board", BOARD),  # as it is
                ("trial", BOARD),  # with blocks tried on it
                ("more", BOARD),  # and with more on top
                ("after", GAME),  # the game with the seat's blocks
                ("trick", GAME),  # the game with a card of the seat's
                ("before", np.int64, (SEATS,)),  # points as they are
                ("change", np.int64, (SEATS,)),  # of points, by what was tried last
                ("best", np.int64, (4, SEATS, 2)),  # by concept, seat, most blocks: its margin,
                ("mine", np.int64, (4, SEATS, 2)),  # and that of the seat which looks
                ("entries", np.int64, (SIZE,)),
            ],
            align=True,
        ),
    )
)


@kernel
def weigh(g, board, work):
    """``work.change``: of all seats' points, from the board as it is to ``board``."""
    for s in range(SEATS):
        work.change[s] = settled(g, board, s) - work.before[s]


@inlined
def margin(work, s):
    """Of the last change, for seat ``s``."""
    change = work.change
    return 4 * change[s] - change[0] - change[1] - change[2] - change[3]


@inlined
def from_towers(board, s):
    return board.towers[s] * pay_of_towers(board.towers.sum())


@kernel
def write_standing(me, work):
    """What settlement would pay now."""
    board, entries = work.board, work.entries
    for r in range(SEATS):
        s = (me + r) & 3
        areas, towers = np.int64(board.areas[s]), from_towers(board, s)
        entries[_AREAS + r] = areas
        entries[_TOWERS + r] = towers
        entries[_REST + r] = work.before[s] - board.scores[s] - areas - towers
        for area in range(4):
            entries[_FIRST + SEATS * area + r] = board.first[area] >> s & 1
            entries[_SECOND + SEATS * area + r] = board.second[area] >> s & 1


@kernel
def write_gain(me, place, work):
    """Of the seat's blocks that were tried last; ``place``: 2 * square + blocks - 1."""
    board, trial, entries = work.board, work.trial, work.entries
    own = from_towers(trial, me) - from_towers(board, me)
    entries[_GAIN + place] = work.change[me]
    entries[_TOWER + 2 * place] = own
    for r in range(1, SEATS):
        s = (me + r) & 3
        entries[_OTHERS + 3 * place + r - 1] = work.change[s]
        entries[_TOWER + 2 * place + 1] += from_towers(trial, s) - from_towers(board, s)


@kernel
def write_extra(g, me, square, blocks, work):
    """Additional construction next to what was tried last, if it brings more."""
    best = margin(work, me)
    if g.blocks[me] > blocks and has_own_neighbour(g, me, square):
        for q in range(SQUARES):
            if NEIGHBOURS[square] >> q & 1:
                work.more = work.trial
                put(g, work.more, me, q, 1)
                weigh(g, work.more, work)
                best = max(best, margin(work, me))
    work.entries[_EXTRA + 2 * square + blocks - 1] = best


@kernel
def write_reply(g, me, square, blocks, work):
    """What is left of what was tried last once rightholder 2 has built in the adopted concept."""
    other, mine, best = np.int64(g.rightholders[1]), np.int64(0), np.int64(NEVER)
    work.after = g
    for _ in range(blocks):
        lay_block(work.after, me, square)
    for q in range(SQUARES):
        if g.area[q] == g.adopted:
            for more in range(1, min(2, np.int64(g.blocks[other])) + 1):
                work.more = work.trial
                put(work.after, work.more, other, q, more)
                weigh(g, work.more, work)
                if margin(work, other) > best:
                    best, mine = margin(work, other), margin(work, me)
    work.entries[_REPLY + 2 * square + blocks - 1] = mine


@inlined
def awaits_reply(g, me):
    """Whether seat ``me`` builds as rightholder 1, and rightholder 2 can build after it."""
    second = np.int64(g.rightholders[1])
    turn = (g.phase == BUILD or g.phase == EXTRA) and g.seat == me and g.rightholders[0] == me
    return turn and second >= 0 and g.blocks[second] > 0


@kernel
def try_blocks(g, me, s, square, blocks, work):
    """Blocks of seat ``s`` on one square."""
    work.trial = work.board
    put(g, work.trial, s, square, blocks)
    weigh(g, work.trial, work)
    area, found = np.int64(g.area[square]), margin(work, s)
    for most in range(blocks - 1, 2):
        if found > work.best[area, s, most]:
            work.best[area, s, most] = found
            work.mine[area, s, most] = margin(work, me)
    if s == me:
        write_gain(me, 2 * square + blocks - 1, work)
        write_extra(g, me, square, blocks, work)
        if awaits_reply(g, me) and (blocks == 1 if g.phase == EXTRA else area == g.adopted):
            write_reply(g, me, square, blocks, work)


@kernel
def write_placements(g, me, work):
    """Blocks of every seat on every square."""
    work.best[:] = NEVER
    work.mine[:] = 0
    for square in range(SQUARES):
        for s in range(SEATS):
            for blocks in range(1, min(2, np.int64(g.blocks[s])) + 1):
                try_blocks(g, me, s, square, blocks, work)
    for concept in range(4):
        for s in range(SEATS):
            r = (s - me) & 3
            for most in range(2):
                if g.blocks[s] == 0:
                    work.best[concept, s, most] = 0
                work.entries[_BEST + 2 * (SEATS * concept + r) + most] = work.best[concept, s, most]
                if r > 0:
                    work.entries[_MINE + 2 * (3 * concept + r - 1) + most] = work.mine[concept, s, most]


@kernel
def worth_of_rights(g, me, work):
    """Margin by the rights of ``work.trick`` as its cards lie: each holder's best placement, or its default (A5)."""
    trick, total = work.trick, np.int64(0)
    award_rights(trick)
    for n in range(2):
        s = np.int64(trick.rightholders[n])
        if s >= 0 and g.blocks[s] > 0:
            total += work.mine[np.int64(trick.adopted), s, n]
        elif s >= 0:
            total -= loss_of_default(trick, s) * (3 if s == me else -1)
    return total


@kernel
def write_cards(g, me, work):
    """What each card of the hand would win if it were the trick's last."""
    work.trick = g
    trick, entries = work.trick, work.entries
    for card in range(CARDS):
        if g.hand[me] >> card & 1:
            trick.played[me] = card
            trick.rank[me] = card % 9 + 1
            entries[_WORTH + card] = worth_of_rights(g, me, work)
            entries[_HOLDS + 2 * card] = trick.rightholders[0] == me
            entries[_HOLDS + 2 * card + 1] = trick.rightholders[1] == me


@kernel
def write_fives(g, me, work):
    """What each choice on the seat's five would win if the others kept theirs."""
    work.trick = g
    for choice in range(3):
        work.trick.rank[me] = (5, 0, 10)[choice]
        work.entries[_FIVES + choice] = worth_of_rights(g, me, work) - 3 * choice


@kernel
def foresee(game, me, work):
    """``work.entries``, of seat ``me``."""
    work.entries[:] = 0
    work.seen = game
    g = work.seen
    hide(g, me)
    g.round_ended = 0  # where a round has just begun, all is yet to be settled
    if g.done or g.phase == FIVE_SETTLE:
        return
    survey(g, work.board)
    for s in range(SEATS):
        work.before[s] = settled(g, work.board, s)
    write_standing(me, work)
    write_placements(g, me, work)
    if g.phase == PLAY and g.seat == me:
        write_cards(g, me, work)
    if g.phase == FIVE and g.seat == me:
        write_fives(g, me, work)


@kernel
def foresee_games(games, index, seats, works, start, out):
    """The entries of ``seats[j]`` in ``games[index[j]]`` into ``out[j, start:]`` uint8; ``works``: (1,) WORK."""
    work = works[0]
    for j in range(index.shape[0]):
        foresee(games[index[j]], seats[j], work)
        for k in range(SIZE):
            out[j, start + k] = min(255, max(0, ZERO + work.entries[k]))
