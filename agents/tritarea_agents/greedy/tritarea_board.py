"""The board of Tri*T*Area as settlement sees it, small enough to try blocks on: what each square changes, and no more.

``survey`` makes a board of a game, ``put`` changes it by blocks on one square, ``settle`` gives the scores. Of the
game itself only what no block changes is read, and the square that is built on: so no square is built on twice.
"""

from __future__ import annotations

import numpy as np

from tritarea_env.engine.compile import kernel
from tritarea_env.games.tritarea.kernel import top_of
from tritarea_env.games.tritarea.rules import ROUNDS, SEATS, SQUARES, STANDING
from tritarea_env.games.tritarea.settlement import (
    add_area_points,
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
        ("first", np.int64, (4,)),  # the seats (bits) of rank 1 in each area
        ("second", np.int64, (4,)),  # and those of rank 2
        ("areas", np.int64, (SEATS,)),  # points for areas
        ("towers", np.int64, (SEATS,)),  # how many of the tallest buildings a seat owns
        ("tallest", np.int64),  # their height; 1 on an empty board
        ("scores", np.int64, (SEATS,)),  # points that are won for good
        ("blocks", np.int64, (SEATS,)),
        ("points", np.int64, (SEATS,)),  # scores as settled now
    ],
    align=True,
)


@kernel
def survey(g, board):
    """The board of game ``g``, not settled yet."""
    board.areas[:] = 0
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


@kernel
def rank(board, area):
    """Who is first and second in ``area``, and the points for it."""
    first, second = first_and_second(board.standing[area])
    board.first[area] = first
    board.second[area] = second
    add_area_points(area, first, second, 1, board.areas)


@kernel
def put(g, board, s, square, blocks):
    """``blocks`` of seat ``s`` on ``square``: the bonus, the ranks in its area, the towers."""
    height, area = np.int64(g.height[square]), g.area[square]
    add_area_points(area, board.first[area], board.second[area], -1, board.areas)
    if height == 0:
        board.scores[s] += g.bonus[square]
    else:
        board.standing[area, top_of(g, square)] -= STANDING[height]
    board.standing[area, s] += STANDING[height + blocks]
    rank(board, area)
    board.blocks[s] -= blocks
    raise_tower(g, board, s, square, blocks)


@kernel
def raise_tower(g, board, s, square, blocks):
    height = np.int64(g.height[square]) + blocks
    if height > board.tallest:
        board.tallest = height
        board.towers[:] = 0
    if height == board.tallest:
        board.towers[owner_with(g, s, square, blocks)] += 1


@kernel
def owner_with(g, s, square, blocks):
    """A6.2: who owns the building on ``square`` with ``blocks`` of seat ``s`` more on it."""
    owner, most = np.int64(s), np.int64(0)
    for level in range(g.height[square]):
        colour = g.stack[square] >> 2 * np.int64(level) & 3
        many = g.count[square, colour] + (blocks if colour == s else 0)
        if many > most:
            owner, most = colour, many
    return owner if most >= blocks else np.int64(s)


@kernel
def settle(g, board):
    """``board.points``: what ``score_now`` of the settlement gives for this board, where ``g`` waits for a decision."""
    for s in range(SEATS):
        board.points[s] = board.scores[s]
    if g.round_ended:
        return
    pays = pay_of_towers(board.towers.sum())
    for s in range(SEATS):
        board.points[s] += board.areas[s] + pays * board.towers[s]
        if g.round_number > 1:
            settle_declaration(g, board, s)
        if g.round_number == ROUNDS:
            board.points[s] = max(0, board.points[s] - 2 * board.blocks[s])


@kernel
def settle_declaration(g, board, s):
    card = declared_card(g, s)
    if card >= 0:
        sign = sign_of_rank(g, s, board.first[card // 9], board.second[card // 9])
        board.points[s] = max(0, board.points[s] + worth_of_rank(sign, card % 9 + 1, board.points[s]))
