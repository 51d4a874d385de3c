"""Positions as JSON: a record to a position, whole or as a seat sees it, and deals given from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..reading import check_deal, check_seat, is_whole, or_none
from .information import declaration_open, leftovers_open
from .rules import CARDS, CARDS_A_SEAT, DECKS, PHASES, ROUNDS, SEATS, SQUARES, card_name

Position = dict[str, Any]


def cards_of(bits: Any) -> list[int]:
    """The card ids of a set, ascending."""
    cards = int(bits)
    return [card for card in range(CARDS) if cards >> card & 1]


def set_of(cards: list[int]) -> int:
    """The set (bits) of card ids."""
    return sum(1 << card for card in cards)


def to_position(g: Any, seat: int | None = None) -> Position:
    """The position of record ``g``; with a ``seat``, as that seat sees it (others' hands as numbers of cards)."""
    check_seat(seat, SEATS)

    def hand(s: int) -> list[int] | int:
        hidden = seat is not None and s != seat and not leftovers_open(g)
        return int(g.hand_size[s]) if hidden else cards_of(g.hand[s])

    def declared(s: int) -> int | None:
        return or_none(g.declared[s]) if seat is None or declaration_open(g, seat, s) else None

    return {
        "game": "tritarea",
        "round": int(g.round_number),
        "trick": int(g.trick),
        "phase": PHASES[g.phase],
        "seat": or_none(g.seat),
        "start_player": int(g.start_player),
        "leader": int(g.leader),
        "scores": [int(x) for x in g.scores],
        "blocks": [int(x) for x in g.blocks],
        "stacks": [[int(g.stack[q]) >> 2 * level & 3 for level in range(int(g.height[q]))] for q in range(SQUARES)],
        "hands": [hand(s) for s in range(SEATS)],
        "played": [or_none(card) for card in g.played],
        "ranks": [or_none(rank) for rank in g.rank],
        "adopted": or_none(g.adopted),
        "rightholders": [or_none(s) for s in g.rightholders],
        "declared": [declared(s) for s in range(SEATS)],
        "sold": [int(x) for x in g.sold],
        "built": or_none(g.built),
        "past": [[int(card) for card in row if card >= 0] for row in g.past],
    }


def deals_of(g: Any) -> list[list[list[int]]]:
    """The deals of the record's game, by round: four ascending hands each."""
    return [[cards_of(hand) for hand in deal] for deal in g.deals]


def check_deals(deals: Any, first_round: int, strict: bool) -> list[list[int]]:
    """Deals (sets of cards) given for the rounds from ``first_round`` on; ``strict``: for each of them.

    Raises:
        ValueError: more deals than rounds, fewer where all are needed, or a deal that is none.
    """
    most = ROUNDS - first_round + 1
    if not isinstance(deals, (list, tuple)) or len(deals) > most or (strict and len(deals) < most):
        raise ValueError(
            f"deals is a list of {'' if strict else 'at most '}{most} deals, from round {first_round} on, not {deals!r}"
        )
    checked = []
    for number, deal in enumerate(deals, first_round):
        deck = cards_of(DECKS[number - 1])
        hands = check_deal(deal, SEATS, CARDS_A_SEAT[number - 1], deck, f"the deal of round {number}", card_name)
        checked.append([set_of(hand) for hand in hands])
    return checked


def set_later(g: Any, deals: Any, strict: bool = False) -> list[list[list[int]]]:
    """Write given deals for the rounds after the present one; returns all of these rounds'. See ``check_deals``."""
    now = int(g.round_number)
    for i, hands in enumerate(check_deals(deals, now + 1, strict)):
        g.deals[now + i] = hands
    return later_of(g)


def later_of(g: Any) -> list[list[list[int]]]:
    """The deals after the present round."""
    return deals_of(g)[int(g.round_number) :]


def set_start(g: Any, given: Mapping[str, Any], strict: bool = False) -> dict[str, Any]:
    """Write what is given of ``start_player`` and ``deals`` over what was drawn; other keys are ignored.

    Returns:
        What the game starts from: start player and deals.

    Raises:
        ValueError: a value that is none, or with ``strict`` one that is missing; nothing is written then.
    """
    seat = given.get("start_player", g.start_player)
    if strict and "start_player" not in given:
        raise ValueError("start_player is missing")
    if not is_whole(seat) or not 0 <= seat < SEATS:
        raise ValueError(f"start_player is a seat 0 … {SEATS - 1}, not {seat!r}")
    deals = check_deals(given.get("deals", []), 1, strict)
    g["start_player"] = seat
    for i, hands in enumerate(deals):
        g.deals[i] = hands
    return {"start_player": int(g.start_player), "deals": deals_of(g)}
