"""A position as text: supply, prize, the trick, gems and hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .rules import COLOURS, IMITATION, LETTERS, card_name


def draw_text(position: dict[str, Any], options: Mapping[str, Any]) -> str:
    """The position in about ten lines. ``R4=8``: red 4 with the value 8; ``>``: what lies there after a swap."""
    p = position
    supply = "  ".join(f"{LETTERS[c]} {'*' * n or '-'}" for c, n in enumerate(p["supply"]))
    prize = "none" if p["prize"] is None else COLOURS[p["prize"]]
    rows = [f"{'seat':<8}{'gems':<14}{'bid':<6}{'trick':<12}{'void':<6}hand"]
    for s in range(p["players"]):
        mark = ("*" if p["seat"] == s else " ") + ("S" if p["starter"] == s else " ")
        score = f"  score {p['scores'][s]}" if p["scores"] else ""
        rows.append(
            f"{s} {mark:<6}{_gems(p['gems'][s]):<14}{_card(p['bids'][s]):<6}{_trick(p, s):<12}"
            f"{''.join(LETTERS[c] for c in p['voids'][s]) or '-':<6}{_hand(p['hands'][s])}{score}"
        )
    legend = (
        "(* to move, S starts; R red, B blue, G green: B beats R, G beats B, R beats G; R4=8: value 8; im: imitation)"
    )
    return "\n".join([_headline(p), "", f"supply  {supply}   prize: {prize}", "", *rows, legend])


def _headline(p: dict[str, Any]) -> str:
    if p["phase"] == "end":
        return f"TriATri with {p['players']}, the end"
    where = f"round {p['round']}, trick {p['trick']}, phase {p['phase']}"
    return f"TriATri with {p['players']}, {where}, seat {p['seat']} to move"


def _gems(gems: list[int]) -> str:
    return " ".join(f"{LETTERS[c]}{n}" for c, n in enumerate(gems))


def _card(card: int | None) -> str:
    return "-" if card is None else "im" if card == IMITATION else card_name(card)


def _trick(p: dict[str, Any], s: int) -> str:
    if p["table"][s] is None:
        return "-"
    card, value = p["table"][s]
    swapped = f"{_card(p['played'][s])}>" if card != p["played"][s] else ""
    return f"{swapped}{_card(card)}={value}"


def _hand(hand: list[int] | int) -> str:
    return f"{hand} cards" if isinstance(hand, int) else " ".join(_card(card) for card in hand) or "-"
