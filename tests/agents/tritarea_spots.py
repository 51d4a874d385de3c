"""Positions of Tri*T*Area with a plain answer, most of them in the last trick, where little is left to happen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from deciding import Spot, state_after
from tritarea_table import GAME, cards, position

from tritarea_env.games.tritarea.rules import BLOCKS_A_SEAT, CARDS, CARDS_A_SEAT, DECKS, SQUARES, square_name

SQUARE = {square_name(q): q for q in range(SQUARES)}


def last_tricks(
    table: str,
    hand: str,
    stacks: dict[str, str],
    round_: int = 3,
    blocks: tuple[int, int, int, int] = (0, 0, 0, 0),
    declared: str = "G1 Y1 R1 B1",
    others: str = "",
) -> dict[str, Any]:
    """Seats 1, 2 and 3 have played ``table``, and seat 0 plays next, in the trick that its hand fits.

    Args:
        hand: of seat 0: for trick 8 one card, in round 2 two.
        stacks: by the square's name, lowest block first.
        blocks: in round 3 those in hand, the others are sold; in rounds 1 and 2 all that do not stand on the board.
        declared: in round 3, by seat.
        others: cards that the other seats hold; filled up with any.
    """
    standing = [[int(seat) for seat in stacks.get(square, "").split()] for square in SQUARE]
    free = [BLOCKS_A_SEAT[round_ - 1] - sum(stack.count(s) for stack in standing) for s in range(4)]
    on_table, own, shown, held = cards(table), cards(hand), cards(declared) if round_ == 3 else [], cards(others)
    done = CARDS_A_SEAT[round_ - 1] - len(own) - (round_ == 3)
    rest = [c for c in range(CARDS) if DECKS[round_ - 1] >> c & 1 and c not in [*on_table, *own, *shown, *held]]
    while len(held) < 3 * (len(own) - 1):
        held.append(rest.pop())
    return {
        "game": "tritarea", "round": round_, "trick": done + 1, "phase": "play", "seat": 0, "start_player": 1,
        "leader": 1, "scores": [30] * 4, "blocks": list(blocks) if round_ == 3 else free, "stacks": standing,
        "hands": [sorted(own), *(sorted(held[s::3]) for s in range(3))], "played": [None, *on_table],
        "ranks": [None, *(c % 9 + 1 for c in on_table)], "adopted": None, "rightholders": [None, None],
        "declared": shown or [None] * 4, "built": None, "past": [rest[done * s : done * (s + 1)] for s in range(4)],
        "sold": [f - b for f, b in zip(free, blocks, strict=True)] if round_ == 3 else [0] * 4,
    }  # fmt: skip


def last_to_play(trick: str, hand: str, **changes: Any) -> dict[str, Any]:
    """Seats 1, 2 and 3 have played ``trick``; seat 0 holds ``hand`` (nine cards), round 2, trick 1."""
    p = position(1, trick + " " + hand.split()[0], **changes)
    on_table, own = cards(trick), cards(hand)
    rest = [c for c in range(CARDS) if c not in own + on_table]
    hands = [own, rest[:8], rest[8:16], rest[16:24]]
    return {**p, "seat": 0, "hands": [sorted(h) for h in hands], "past": [[]] * 4,
            "played": [None, *on_table], "ranks": [None, *(c % 9 + 1 for c in on_table)]}  # fmt: skip


def after(p: dict[str, Any], *actions: str) -> dict[str, Any]:
    """The position after actions by name."""
    return GAME.to_position(state_after(GAME, p, actions)[0])


def before_the_sale(hand: str, declared: str, sold: tuple[int, int, int]) -> dict[str, Any]:
    """Round 3: the start player, seat 0, sells after the others."""
    own, shown = cards(hand), cards(declared)
    rest = [c for c in range(CARDS) if c not in [*own, *shown]]
    nothing = [None] * 4
    return {
        "game": "tritarea", "round": 3, "trick": 0, "phase": "sell", "seat": 0, "start_player": 0, "leader": 0,
        "scores": [30] * 4, "blocks": [9, *(9 - n for n in sold)], "stacks": [[] for _ in SQUARE],
        "hands": [own, *(rest[s::3] for s in range(3))], "played": nothing, "ranks": nothing, "adopted": None,
        "rightholders": [None, None], "declared": shown, "sold": [0, *sold], "built": None, "past": [[]] * 4,
    }  # fmt: skip


def before_the_declaration(hand: str) -> dict[str, Any]:
    """Round 3: the start player, seat 0, declares first."""
    own = cards(hand)
    rest = [c for c in range(CARDS) if c not in own]
    return before_the_sale("B1", "B1", (0, 0, 0)) | {
        "phase": "declare", "hands": [own, *(rest[s::3] for s in range(3))], "declared": [None] * 4, "blocks": [9] * 4,
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------ cards


def right_to_lose():
    """Without a block: B9 would be rightholder 2, a default of 9. Neither card left over gains anything."""
    stacks = {"d1": "0 0 0 0", "a4": "0 0 0 0"}
    return last_tricks("B3 Y4 B6", "B9 R9", stacks, round_=2), (), {"card R9"}


def right_to_put_off():
    """Trick 7, without a block: B9 would be a default of 9 now. In trick 8 nobody else has a B, and seat 1 leads."""
    stacks = {"d1": "0 0 0 0 0", "a4": "0 0 0 0"}
    return last_tricks("B3 Y4 B6", "B9 G2", stacks, others="R8 R3 Y2"), (), {"card G2"}


def right_to_win():
    """B2 is rightholder 1: a bonus of 3, and all points of Intelligent. With R9, only seat 1 has a right."""
    stacks = {"d1": "1 1 1 1", "d3": "1 1 1 1"}
    return last_tricks("B3 Y4 G6", "B2 R9", stacks, round_=2), (), {"card B2"}


def card_to_leave_over():
    """Neither card wins a right; seat 0 is first in Intelligent and gains 9 for B9 left over, nothing for R2."""
    return last_tricks("Y1 Y8 G3", "B9 R2", {"a1": "0 0 0", "d4": "3 3"}, round_=2), (), {"card R2"}


# ------------------------------------------------------------------------------------------------ fives

TOWERS = {"a1": "0 0", "d1": "1 1 1"}


def five_to_10():
    """As 10 it is rightholder 2 with two blocks: the tallest tower alone, 10 for 2 points.

    As 0 it is rightholder 1 with one block: two towers of three, 6 each, and a block left over.
    """
    return last_tricks("B3 Y4 B6", "B5", TOWERS, blocks=(2, 0, 0, 0)), ("card B5",), {"five to 10"}


def five_that_turns_the_vote():
    """Two against two: R9 R2 differ by 7; B8 and a 0 by 8, and the 0 then builds where seat 3 has all points."""
    p = last_tricks("R9 R2 B8", "B5", {"b1": "3 3"}, blocks=(1, 1, 1, 0))
    return p, ("card B5",), {"five to 0"}


def five_to_keep():
    """Without a block, between B3 and B6, it has no right: the best. As 0 it costs 1 and takes seat 1 a default away.

    As 10 it costs 2, and a default of 10.
    """
    stacks = {"d1": "0 0 0 0 0", "a4": "0 0 0 0"}
    return last_tricks("B3 Y4 B6", "B5", stacks), ("card B5",), {"keep the five"}


def five_in_a_default():
    """1 point, or 5: rightholder 2 without a block, by a five that was kept."""
    return last_tricks("B3 Y4 G6", "B5", TOWERS), ("card B5", "keep the five"), {"five to 0"}


def five_declared_and_first():
    """First in Intelligent: 10 for 2 points are 8, a kept five 5. (No other seat has a block or a right.)"""
    p = last_tricks("Y1 Y9 G3", "R9", {"a1": "0 0"}, declared="B5 G1 R1 B1")
    return p, ("card R9",), {"five to 10"}


def five_declared_and_nowhere():
    """Nothing topped in Modern: a loss of 5, or 1."""
    p = last_tricks("G3 G9 R3", "R9", {"a1": "0 0"}, declared="Y5 G1 R1 B1")
    return p, ("card R9",), {"five to 0"}


def five_for_a_plan():
    """As 10 it builds second: two blocks on c3 beside its own c2, and its last one on b3, whose tower it then owns.

    That pays whatever seat 1 builds first. As 5 or as 0 it builds first, and one block is left over.
    """
    stacks = {"d1": "3", "a2": "3", "b2": "1", "c2": "0", "d2": "2 2 2 3 3", "a3": "2 2", "b3": "1 0 3 3", "d3": "2 3"}
    p = last_tricks("R9 Y1 G1", "R5", stacks, blocks=(3, 6, 0, 0), declared="B4 B2 G9 B3")
    return p, ("card R5",), {"five to 10"}


# --------------------------------------------------------------------------------------------- building


def building_to_top():
    """On top of seat 2's only building: all 10 points of Intelligent. Elsewhere: 2, and a bonus of 3 at most."""
    p = last_tricks("B3 Y4 G6", "B2", {"b1": "2 2 2"}, blocks=(1, 0, 0, 0))
    return p, ("card B2",), {"one block on b1"}


def two_blocks():
    """Two make the tallest tower alone, 10 points; one makes two of the same height, 6 each."""
    return last_tricks("B3 Y4 B6", "B9", TOWERS, blocks=(2, 0, 0, 0)), ("card B9",), {"two blocks on a1"}


def second_place():
    """Happiness pays 4 and 6. With three blocks on b4 seat 0 is second; with five on c3 first, and seat 2 second."""
    stacks = {"c3": "1 1 1 1", "b4": "2 2", "d4": "3"}
    return last_tricks("R3 Y4 G6", "R2", stacks, blocks=(1, 0, 0, 0)), ("card R2",), {"one block on b4"}


def extra_that_takes_an_area():
    """Beside its own a3; b2 is seat 1's only building: 10 points. On a1: a bonus of 3, and 2 as second."""
    p = last_tricks("G3 Y4 B6", "G2", {"a3": "0", "b2": "1 1"}, blocks=(2, 0, 0, 0))
    return p, ("card G2", "one block on a2"), {"one block on b2"}


def block_for_the_sake_of_the_next():
    """Only on b3, without a bonus, does it lie beside its own c3, and may go on to take Intelligent by b2 (10 points).

    On a4 it has a bonus of 3, and that is all.
    """
    p = last_tricks("G3 Y4 B6", "G2", {"c3": "0", "b2": "1 1"}, blocks=(2, 0, 0, 0))
    return p, ("card G2",), {"one block on b3"}


def extra_to_decline():
    """With b4 and c4 second in Happiness, 6 points; one more block there makes it first, 4, or tied, 5."""
    stacks = {"b4": "0", "c3": "1 1", "d4": "1", "d1": "2 2 2 2 2 2 2 2"}
    p = last_tricks("Y4 R3 G6", "R2 B7", stacks, round_=2, others="B1 B2 B3")
    return p, ("card R2", "one block on c4"), {"pass"}


# -------------------------------------------------------------------- before the tricks: what many choices share


def few_blocks_to_sell():
    """Ones and nines win rights in most tricks, and a nine without a block costs 9.

    Measured, all seats then played by ``greedy``: a margin of 9 to 14 with 0 to 4 sold, 6 with 5, -25 with 9.
    """
    return before_the_sale("B1 B9 Y1 Y9 G1 G9 R1 R9", "B8 Y2 G2 R2", (3, 3, 3)), (), sales(range(5))


def many_blocks_to_sell():
    """Fours and sixes win few rights, and blocks left over cost 2. Measured as before: -15 with 0, 3 with 6 or 7."""
    return before_the_sale("B4 B6 Y4 Y6 G4 G6 R4 R6", "B5 Y5 G5 R5", (3, 3, 3)), (), sales(range(3, 9))


def sales(numbers: range) -> set[str]:
    return {f"sell {n}" for n in numbers}


def concept_to_declare():
    """Six reds of nine are the seat's, who will build there; it may well top nothing anywhere else.

    Measured as before: a margin of -12 to -9 with a red card, -19 to -17 with another.
    """
    p = before_the_declaration("R1 R2 R3 R7 R8 R9 Y6 G6 B6")
    return p, (), {f"card R{rank}" for rank in (1, 2, 3, 7, 8, 9)}


HIDDEN = [
    right_to_lose,
    right_to_put_off,
    right_to_win,
    card_to_leave_over,
    extra_to_decline,
    few_blocks_to_sell,
    many_blocks_to_sell,
    concept_to_declare,
]
OPEN = [  # all cards lie
    five_to_10,
    five_that_turns_the_vote,
    five_to_keep,
    five_in_a_default,
    five_declared_and_first,
    five_declared_and_nowhere,
    five_for_a_plan,
    building_to_top,
    two_blocks,
    second_place,
    extra_that_takes_an_area,
    block_for_the_sake_of_the_next,
]


def spot(make: Callable[[], Any]) -> Spot:
    p, actions, best = make()
    return Spot(GAME, state_after(GAME, p, actions), best)


MAKERS = {make.__name__: partial(spot, make) for make in [*HIDDEN, *OPEN]}
