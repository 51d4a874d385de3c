"""A position as text: board, scores, hands, trick."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .rules import CONCEPTS, LETTERS, SEATS, card_name, check_board

CELL = 14


def draw_text(position: dict[str, Any], options: Mapping[str, Any]) -> str:
    """The position in about 25 lines. A building reads from its lowest block up: ``021`` is 1 on 2 on 0.

    ``options`` (checked) say which board it is.
    """
    board = check_board(options["board"])
    p = position
    lines = [_headline(p), ""]
    rule = "   +" + ("-" * CELL + "+") * 4
    lines += ["    " + " ".join(f"{column:^{CELL}}" for column in "abcd"), rule]
    for row in range(4):
        squares = range(4 * row, 4 * row + 4)
        heads = (
            f" {LETTERS[board['areas'][q]]}{'*' * board['bonus'][q]:<4}{_height(p, q):>{CELL - 7}} " for q in squares
        )
        stacks = (f" {_stack(p['stacks'][q]):<{CELL - 2}} " for q in squares)
        lines += [f" {row + 1} |" + "|".join(heads) + "|", "   |" + "|".join(stacks) + "|", rule]
    lines += ["", _table(p)]
    return "\n".join(lines)


def _headline(p: dict[str, Any]) -> str:
    if p["phase"] == "end":
        return "Tri*T*Area, the end"
    text = f"Tri*T*Area, round {p['round']}, trick {p['trick']}, phase {p['phase']}, seat {p['seat']} to move"
    if p["adopted"] is not None:
        rights = ", ".join(f"{i + 1}: seat {s}" for i, s in enumerate(p["rightholders"]) if s is not None)
        text += f"; {CONCEPTS[p['adopted']]} adopted, rightholders {rights}"
    return text


def _height(p: dict[str, Any], q: int) -> str:
    height = len(p["stacks"][q])
    mark = "<" if p["built"] == q else ""
    return f"{mark}h{height}" if height else ""


def _stack(stack: list[int]) -> str:
    owners = "".join(map(str, stack))
    return owners if len(owners) <= CELL - 2 else owners[: CELL - 5] + ".." + owners[-1]


def _card(card: int | None, rank: int | None = None) -> str:
    if card is None:
        return "-"
    changed = rank is not None and rank != card % 9 + 1
    return f"{card_name(card)}>{rank}" if changed else card_name(card)


def _hand(hand: list[int] | int) -> str:
    return f"{hand} cards" if isinstance(hand, int) else " ".join(card_name(card) for card in hand)


def _table(p: dict[str, Any]) -> str:
    rows = [f"{'seat':<8}{'score':>5}  {'blocks':>6}  {'sold':>4}  {'declared':<8}  {'trick':<6}  hand"]
    for s in range(SEATS):
        mark = ("*" if p["seat"] == s else " ") + ("L" if p["leader"] == s else " ")
        rows.append(
            f"{s} {mark:<6}{p['scores'][s]:>5}  {p['blocks'][s]:>6}  {p['sold'][s]:>4}  "
            f"{_card(p['declared'][s]):<8}  {_card(p['played'][s], p['ranks'][s]):<6}  {_hand(p['hands'][s])}"
        )
    return "\n".join(
        [*rows, "(* to move, L leads; B Intelligent, Y Modern, G Ecology, R Happiness; stars: printed bonus)"]
    )
