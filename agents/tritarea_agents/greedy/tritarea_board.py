"""The board of Tri*T*Area as settlement sees it, small enough to try blocks on: what each square changes, and no more.

``survey`` makes a board of a game, ``put`` changes it by blocks on one square, ``settled`` gives the scores. Of the
game itself only what no block changes is read, and the square that is built on: so no square is built on twice.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import inlined, kernel
from tritarea_env.games.tritarea.kernel import top_of
from tritarea_env.games.tritarea.rules import ROUNDS, SEATS, SQUARES, STANDING
from tritarea_env.games.tritarea.settlement import (
    POINTS_OF_RANKS,
    declared_card,
    first_and_second,
    pay_of_towers,
    sign_of_rank,
    tallest,
    tower_owner,
    worth_of_rank,
)

BOARD = np.dtype(
    [
        ("standing", np.int64, (4, SEATS)),  # by area: what a seat tops, as in the game's record
        ("first", np.int32, (4,)),  # the seats (bits) of rank 1 in each area
        ("second", np.int32, (4,)),  # and those of rank 2
        ("areas", np.int32, (SEATS,)),  # points for areas
        ("towers", np.int32, (SEATS,)),  # how many of the tallest buildings a seat owns
        ("tallest", np.int32),  # their height; 1 on an empty board
        ("scores", np.int32, (SEATS,)),  # points that are won for good
        ("blocks", np.int32, (SEATS,)),
    ],
    align=True,
)


@kernel
def survey(g, board):
    """The board of game ``g``."""
    board.areas[:] = 0
    board.first[:] = 0
    board.second[:] = 0
    board.towers[:] = 0
    for area in range(4):
        for s in range(SEATS):
            board.standing[area, s] = g.standing[area, s]
        rank(board, area)
    board.tallest, _ = tallest(g)
    for square in range(SQUARES):
        if g.height[square] == board.tallest:
            board.towers[tower_owner(g, square)] += 1
    for s in range(SEATS):
        board.scores[s] = g.scores[s]
        board.blocks[s] = g.blocks[s]


@inlined
def rank(board, area):
    """Who is first and second in ``area``, and the points for it in place of what they were before."""
    old_first, old_second = board.first[area], board.second[area]
    first, second = first_and_second(board.standing[area])
    board.first[area] = first
    board.second[area] = second
    for s in range(SEATS):
        now, before = POINTS_OF_RANKS[area, first, second, s], POINTS_OF_RANKS[area, old_first, old_second, s]
        board.areas[s] += np.int32(now) - np.int32(before)


@inlined
def put(g, board, s, square, blocks):
    """``blocks`` of seat ``s`` on ``square``: the bonus, the ranks in its area, the towers."""
    height, area = np.int64(g.height[square]), g.area[square]
    if height == 0:
        board.scores[s] += g.bonus[square]
    else:
        board.standing[area, top_of(g, square)] -= STANDING[height]
    board.standing[area, s] += STANDING[height + blocks]
    rank(board, area)
    board.blocks[s] -= blocks
    raise_tower(g, board, s, square, blocks)


@inlined
def raise_tower(g, board, s, square, blocks):
    height = np.int64(g.height[square]) + blocks
    if height > board.tallest:
        board.tallest = height
        board.towers[:] = 0
    if height == board.tallest:
        board.towers[owner_with(g, s, square, blocks)] += 1


@inlined
def owner_with(g, s, square, blocks):
    """A6.2: who owns the building on ``square`` with ``blocks`` of seat ``s`` more on it."""
    owner, most = np.int64(s), np.int64(0)
    for level in range(g.height[square]):
        colour = g.stack[square] >> 2 * np.int64(level) & 3
        many = g.count[square, colour] + (blocks if colour == s else 0)
        if many > most:
            owner, most = colour, many
    return owner if most >= blocks else np.int64(s)


@inlined
def settled(g, board, s):
    """Seat ``s``'s score as ``score_now`` of the settlement gives it, where ``g`` waits for a decision."""
    score = np.int64(board.scores[s])
    if g.round_ended:
        return score
    score += board.areas[s] + board.towers[s] * pay_of_towers(board.towers.sum())
    if g.round_number == 1:
        return score
    card = declared_card(g, s)
    if card >= 0:
        sign = sign_of_rank(g, s, board.first[card // 9], board.second[card // 9])
        score = max(0, score + worth_of_rank(sign, card % 9 + 1, score))
    return max(0, score - 2 * board.blocks[s]) if g.round_number == ROUNDS else score
