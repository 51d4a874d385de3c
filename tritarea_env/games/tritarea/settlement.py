"""Settlement of a round (A6), its winners (A7) and the rewards (A11)."""

import numpy as np

from ...engine import rewards
from ...engine.compile import inlined, kernel
from .rules import (
    AREA_POINTS,
    AREAS,
    BLOCKS_LEFT,
    DECLARATION,
    FIVE_SETTLE,
    ROUNDS,
    SEATS,
    SQUARES,
    TOWER,
)

SCORE_UNIT = 50.0  # of rewards `score` and `score_delta`


def points_of_ranks(area: int, first: int, second: int) -> list[int]:
    """A6.1: every seat's points for ``area``, given the sets (bits) of seats of rank 1 and 2; shares are rounded up."""
    if second == 0:  # alone, or tied
        to_first, to_second = -(-sum(AREA_POINTS[area]) // max(1, first.bit_count())), 0
    else:
        to_first, to_second = AREA_POINTS[area, 0], -(-AREA_POINTS[area, 1] // second.bit_count())
    return [to_first if first >> s & 1 else to_second if second >> s & 1 else 0 for s in range(SEATS)]


# POINTS_OF_RANKS[area, first, second]: the same, looked up
POINTS_OF_RANKS = np.array(
    [[[points_of_ranks(area, one, two) for two in range(16)] for one in range(16)] for area in range(4)], np.int8
)


@kernel
def gain(g, s, points, source):
    g.scores[s] += points
    g.points[s, source] += points


@kernel
def lose(g, s, points, source):
    """A2: a loss larger than the score leaves 0."""
    loss = min(points, g.scores[s])
    g.scores[s] -= loss
    g.points[s, source] -= loss


@inlined
def first_and_second(standing):
    """The sets (bits) of seats of rank 1 and 2 in an area, by what they top there, ``standing`` (4,).

    A rank is 1 + the number of seats strictly better, so nobody has rank 2 if two share rank 1. A seat that tops
    nothing has no rank.
    """
    first = second = np.int64(0)
    for s in range(SEATS):
        better = np.int64(0)
        for other in range(SEATS):
            better += standing[other] > standing[s]
        ranked = standing[s] > 0
        first |= np.int64(ranked & (better == 0)) << s
        second |= np.int64(ranked & (better == 1)) << s
    return first, second


@kernel
def area_points(g, area, s):
    """Points of seat ``s`` for ``area`` (A6.1)."""
    first, second = first_and_second(g.standing[area])
    return np.int64(POINTS_OF_RANKS[area, first, second, s])


@kernel
def tower_owner(g, square):
    """The colour with most blocks; tied, the one whose lowest block lies lowest."""
    owner, most = np.int64(-1), 0
    for level in range(g.height[square]):
        colour = g.stack[square] >> 2 * np.int64(level) & 3
        if g.count[square, colour] > most:
            owner, most = colour, g.count[square, colour]
    return owner


@inlined
def tallest(g):
    """Greatest height on the board and the points that each building of that height pays (A6.2)."""
    height = np.int64(1)
    for square in range(SQUARES):
        height = max(height, np.int64(g.height[square]))
    buildings = np.int64(0)
    for square in range(SQUARES):
        buildings += g.height[square] == height
    return height, pay_of_towers(buildings)


@inlined
def pay_of_towers(buildings):
    """A6.2: the points for each of so many tallest buildings."""
    return np.int64(10) if buildings == 1 else np.int64(6) if buildings == 2 else np.int64(4)


@kernel
def settle_areas_and_towers(g):
    for area in range(4):
        first, second = first_and_second(g.standing[area])
        for s in range(SEATS):
            gain(g, s, POINTS_OF_RANKS[area, first, second, s], AREAS)
    height, pays = tallest(g)
    for square in range(SQUARES):
        if g.height[square] == height:
            gain(g, tower_owner(g, square), pays, TOWER)


@inlined
def declared_card(g, s):
    """The card of seat ``s``'s declaration: round 2's leftover, round 3's declared card; -1 if not known."""
    if g.round_number == ROUNDS:
        return np.int64(g.declared[s])
    if g.round_number == 1 or g.hand[s] == 0 or g.hand[s] & (g.hand[s] - 1) != 0:
        return np.int64(-1)
    card = np.int64(0)
    while g.hand[s] >> card & 1 == 0:
        card += 1
    return card


@kernel
def declaration_sign(g, s, card):
    """+1 if the declared card's rank is gained, -1 if it is lost, 0 if it does not matter (A6.3)."""
    if card < 0:
        return 0
    first, second = first_and_second(g.standing[card // 9])
    return sign_of_rank(g, s, first, second)


@inlined
def sign_of_rank(g, s, first, second):
    """The same, given the seats (bits) of rank 1 and 2 in the declared card's area."""
    if first >> s & 1:
        return 1
    return -1 if g.round_number == ROUNDS and not second >> s & 1 else 0


@kernel
def settle_declarations(g, first, answer):
    """Settle from place ``first`` clockwise from the start player; True if a five has to be decided first.

    ``answer`` is the rank that the first of these seats has just chosen for its five, or -1.
    """
    for place in range(first, SEATS):
        s = (g.start_player + place) % SEATS
        card = declared_card(g, s)
        sign = declaration_sign(g, s, card)
        rank = card % 9 + 1
        if answer >= 0 and place == first:
            rank = np.int64(answer)
        elif sign != 0 and rank == 5 and g.scores[s] >= 1:
            g.phase = FIVE_SETTLE
            g.seat = s
            return True
        if sign > 0:
            gain(g, s, rank, DECLARATION)
        elif sign < 0:
            lose(g, s, rank, DECLARATION)
    return False


@kernel
def settle_blocks_left(g):
    for s in range(SEATS):
        lose(g, s, 2 * g.blocks[s], BLOCKS_LEFT)


@kernel
def score_now(g, out):
    """Scores (4,) int64 as if the round were settled now; ``g.scores`` itself where a round has just ended.

    Declarations that ``g`` does not show count nothing; a five in one is used as suits its seat best.
    """
    for s in range(SEATS):
        out[s] = g.scores[s]
    if g.round_ended:
        return
    if g.phase != FIVE_SETTLE:  # there, areas and towers have been paid
        for area in range(4):
            first, second = first_and_second(g.standing[area])
            for s in range(SEATS):
                out[s] += POINTS_OF_RANKS[area, first, second, s]
        height, pays = tallest(g)
        for square in range(SQUARES):
            if g.height[square] == height:
                out[tower_owner(g, square)] += pays
    for s in range(SEATS):
        out[s] = max(0, out[s] + declaration_worth(g, s, out[s]))
        if g.round_number == ROUNDS:
            out[s] = max(0, out[s] - 2 * g.blocks[s])


@kernel
def declaration_worth(g, s, score):
    """What seat ``s``'s declaration still adds to ``score``."""
    if g.phase == FIVE_SETTLE and (s - g.start_player) % SEATS < (g.seat - g.start_player) % SEATS:
        return np.int64(0)  # already settled
    card = declared_card(g, s)
    return worth_of_rank(declaration_sign(g, s, card), card % 9 + 1, score)


@inlined
def worth_of_rank(sign, rank, score):
    """What a declared card of ``rank`` adds to ``score``; a five becomes 10 for 2, or 0 for 1, if that can be paid."""
    if sign > 0:
        return np.int64(8) if rank == 5 and score >= 2 else rank
    if sign < 0:
        return np.int64(-1) if rank == 5 and score >= 1 else -rank
    return np.int64(0)


# ------------------------------------------------------------------------------------ winners and rewards


@kernel
def winners(g):
    """The set (bits) of seats that have won, of a game that is over (A7, A9)."""
    if g.players == 2:
        gap = np.int64(g.scores[0]) + g.scores[2] - g.scores[1] - g.scores[3]
        return np.int64(0b1111) if gap == 0 else np.int64(0b0101) if gap > 0 else np.int64(0b1010)
    best = np.int64(0)
    for s in range(SEATS):
        best = max(best, np.int64(g.scores[s]))
    won = np.int64(0)
    for s in range(SEATS):
        if g.scores[s] == best:
            won |= np.int64(1) << s
    return won


@kernel
def outcome(g, out):
    """Reward ``outcome`` of every seat (4,) float64 at the end of the game."""
    won = winners(g)
    rewards.shares_above_even(won, out)
    if g.players == 2:
        for s in range(SEATS):
            out[s] = 0.0 if won == 0b1111 else 0.5 if won >> s & 1 else -0.5


@kernel
def score_reward(g, before, out):
    """Reward ``score`` for the change of every seat's score since ``before`` (4,): own minus the others'."""
    rewards.margins(g.scores, before, SCORE_UNIT, out)
    if g.players == 2:  # the teams' totals
        gain = np.int64(0)
        for s in range(SEATS):
            gain += (g.scores[s] - before[s]) * (1 - 2 * (s % 2))
        for s in range(SEATS):
            out[s] = gain * (1 - 2 * (s % 2)) / SCORE_UNIT
