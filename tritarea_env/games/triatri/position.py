"""Positions as JSON: a record to a position, whole or as a seat sees it, and deals given from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..reading import check_deal, check_seat, or_none
from .deals import draw_next, has_next
from .information import bid_is_open
from .rules import CARDS_A_SEAT, DECKS, IMITATION, NUMBER_CARDS, PHASES, card_name

Position = dict[str, Any]
Deal = list[list[int]]


def cards_of(hand: Any) -> list[int]:
    """The card ids of a hand (a sum of 1 << card), ascending; of one from a damaged file no more than tell it wrong."""
    cards = int(hand)
    imitations = min(cards >> IMITATION, CARDS_A_SEAT + 1)
    return [card for card in range(NUMBER_CARDS) if cards >> card & 1] + [IMITATION] * imitations


def hand_of(cards: list[int]) -> int:
    """The hand (a sum of 1 << card) of card ids."""
    return sum(1 << card for card in cards)


def to_position(g: Any, seat: int | None = None) -> Position:
    """The position of record ``g``; with a ``seat``, as that seat sees it (others' hands as numbers of cards)."""
    players = int(g.players)
    check_seat(seat, players)
    seats = range(players)

    def hand(s: int) -> list[int] | int:
        return cards_of(g.hand[s]) if seat is None or s == seat else int(g.hand_size[s])

    def bid(s: int) -> int | None:
        return or_none(g.bids[s]) if seat is None or bid_is_open(g, seat, s) else None

    def lying(s: int) -> list[int] | None:
        return [int(g.lying[s]), int(g.strength[s])] if g.lying[s] >= 0 else None

    return {
        "game": "triatri",
        "players": players,
        "round": int(g.round_number),
        "trick": int(g.trick),
        "phase": PHASES[g.phase],
        "seat": or_none(g.seat),
        "starter": or_none(g.starter),
        "supply": [int(x) for x in g.supply],
        "gems": [[int(x) for x in g.gems[s]] for s in seats],
        "hands": [hand(s) for s in seats],
        "prize": or_none(g.prize),
        "bids": [bid(s) for s in seats],
        "table": [lying(s) for s in seats],
        "scores": [int(g.scores[s]) for s in seats] if g.done else [],
        "played": [or_none(g.played[s]) for s in seats],
        "past": [[int(card) for card in g.past[s] if card >= 0] for s in seats],
        "voids": [[colour for colour in range(3) if int(g.voids[s]) >> colour & 1] for s in seats],
    }


def check_deals(g: Any, deals: Any) -> list[Deal]:
    """Deals given for this game, however many.

    Raises:
        ValueError: not a list, or a deal that is none.
    """
    if not isinstance(deals, (list, tuple)):
        raise ValueError(f"deals is a list of deals, not {deals!r}")
    players = int(g.players)
    deck = DECKS[players]
    return [check_deal(deal, players, CARDS_A_SEAT, deck, f"deal {i}", card_name) for i, deal in enumerate(deals)]


def feed(g: Any, deals: list[Deal]) -> None:
    """Hold the next of the game's ``deals`` ready, if they go so far; if not, the kernel draws one when it needs it."""
    if g.decision == 0 or (g.trick == 0 and g.seat == 0):  # a deal has just been used
        _put(g, deals)


def _put(g: Any, deals: list[Deal]) -> None:
    number = int(g.dealt)
    if number < len(deals):
        g.next_deal[: len(deals[number])] = [hand_of(hand) for hand in deals[number]]


def later_of(g: Any) -> list[Deal]:
    """The deal to come: the one that stands in the record, or the one that is drawn when it is needed."""
    if not has_next(g):
        g = g.copy()
        draw_next(g)
    return [[cards_of(g.next_deal[s]) for s in range(int(g.players))]]


def set_later(g: Any, deals: Any, strict: bool = False) -> list[Deal]:
    """Take given deals for those to come; returns them. How many a game needs is seen while it is played."""
    checked = check_deals(g, deals)
    _put(g, checked)
    return checked


def deals_of(g: Any, first: list[Deal]) -> list[Deal]:
    """The deals of the game so far: the ``first`` of them, and those that were drawn since."""
    dealt = int(g.dealt)
    found = first[:dealt]
    drawn = g.copy()
    for number in range(len(found), dealt):
        drawn["dealt"] = number
        draw_next(drawn)
        found = [*found, *later_of(drawn)]
    return found


def set_start(g: Any, given: Mapping[str, Any], strict: bool = False) -> dict[str, Any]:
    """Write what is given of ``deals`` over what was drawn; other keys are ignored.

    Returns:
        What the game starts from: deals, at least the first.

    Raises:
        ValueError: a value that is none, or with ``strict`` one that is missing; nothing is written then.
    """
    deals = check_deals(g, given.get("deals", []))
    if strict and not deals:
        raise ValueError("deals holds at least the first deal")
    _put(g, deals)
    return {"deals": deals or later_of(g)}
