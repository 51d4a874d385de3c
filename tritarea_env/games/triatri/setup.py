"""Setting up a game from a position: everything is checked first, then the record is written."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np

from ...engine.rng import child
from ..reading import list_of, number, optional, or_below, read_position, require
from .deals import clear_past, clear_trick, draw_deal
from .kernel import best_seat, first_starter, lay, show_card
from .position import hand_of
from .rules import (
    CARDS_A_SEAT,
    DECKS,
    GEMS,
    IMITATION,
    PHASES,
    ROUNDS,
    TRICKS,
    card_name,
)


def entries(players: int) -> dict[str, Any]:
    """How to read the entries of a position of so many players."""
    card, gems = number(0, IMITATION), list_of(number(0, GEMS), 3)
    pair = list_of(number(0, IMITATION), 2)
    return {
        "players": number(2, 4),
        "round": number(1, ROUNDS),
        "trick": number(0, TRICKS),
        "seat": optional(players - 1),
        "starter": optional(players - 1),
        "supply": gems,
        "gems": list_of(gems, players),
        "hands": list_of(list_of(card), players),
        "prize": optional(2),
        "bids": list_of(optional(IMITATION), players),
        "table": list_of(lambda value, what: None if value is None else pair(value, what), players),
        "scores": list_of(number(0, 0), 0),
        "played": list_of(optional(IMITATION), players),
        "past": list_of(list_of(card), players),
        "voids": list_of(list_of(number(0, 2)), players),
    }


def check_stage(p: dict[str, Any]) -> None:
    """Trick, phase, seat, starter and prize fit together."""
    phase, bidding = p["phase"], p["phase"] == "bid"
    require(p["seat"] is not None, "seat is the seat to move")
    require(
        (p["trick"] == 0) == bidding, f"in phase {phase!r} trick is {'0' if bidding else '1 … 5'}, not {p['trick']}"
    )
    require((p["starter"] is None) == bidding, f"in phase {phase!r} starter is {'null' if bidding else 'a seat'}")
    wanted = phase == "play"
    require((p["prize"] is not None) == wanted, f"in phase {phase!r} prize is {'a colour' if wanted else 'null'}")
    if phase == "prize":
        require(p["seat"] == p["starter"], f"the starter {p['starter']} picks the prize, not seat {p['seat']}")


def check_gems(p: dict[str, Any]) -> None:
    """Six gems of each colour, and a game that is not over (B5)."""
    for colour in range(3):
        total = p["supply"][colour] + sum(gems[colour] for gems in p["gems"]) + (p["prize"] == colour)
        require(total == GEMS, f"there are {GEMS} gems of colour {colour} in supply, gems and prize, not {total}")
        out = p["supply"][colour] == 0
        require(not out or p["prize"] == colour, f"supply[{colour}] is 0, which ends the game with its trick")
    for s, gems in enumerate(p["gems"]):
        require(min(gems) < 2, f"seat {s} has two gems of each colour and so has won: {gems}")


def check_cards(p: dict[str, Any], players: int) -> None:
    """No card lies in two places, and every seat has as many as the stage says."""
    shown = [card for key in ("played", "bids") for card in p[key] if card is not None]
    cards = Counter([*shown, *(card for key in ("hands", "past") for hand in p[key] for card in hand)])
    amiss = sorted((cards - Counter(DECKS[players])).keys())
    require(not amiss, f"more cards than {players} players have: {[card_name(card) for card in amiss]}")
    done = max(0, p["trick"] - 1)
    for s in range(players):
        require(len(p["past"][s]) == done, f"past[{s}] holds a card for each of {done} finished tricks")
        has_played = p["phase"] == "play" and (s - p["starter"]) % players < (p["seat"] - p["starter"]) % players
        require((p["played"][s] is not None) == has_played, f"played[{s}] is {'a card' if has_played else 'null'} here")
        has_bid = p["phase"] != "bid" or s < p["seat"]
        require((p["bids"][s] is not None) == has_bid, f"bids[{s}] is {'a card' if has_bid else 'null'} here")
        held = CARDS_A_SEAT - done - has_played - has_bid
        require(len(p["hands"][s]) == held, f"hands[{s}] holds {held} cards here, not {len(p['hands'][s])}")


def lay_trick(g: Any, starter: int, cards: list[int | None]) -> None:
    """Lay a trick's cards (by seat; null: not played yet) before an empty table."""
    clear_trick(g)
    g["starter"] = starter
    players = len(cards)
    for place in range(players):
        s = (starter + place) % players
        card = cards[s]
        if card is not None:
            lay(g, s, card)


def check_tricks(g: Any, p: dict[str, Any]) -> None:
    """Bids and past tricks lead to the starter, this trick's cards to the table. ``g`` is scratch."""
    if p["phase"] == "bid":
        return
    g["bids"][: len(p["bids"])] = p["bids"]
    starter = int(first_starter(g))
    require(starter >= 0, f"bids {p['bids']} decide no start player: the deal is repeated")
    for t in range(p["trick"] - 1):
        lay_trick(g, starter, [cards[t] for cards in p["past"]])
        starter = int(best_seat(g))
    require(p["starter"] == starter, f"bids and past tricks make seat {starter} the starter, not {p['starter']}")
    lay_trick(g, starter, p["played"])


def check_table(g: Any, p: dict[str, Any]) -> None:
    """What lies before each seat, swaps counted, follows from the cards played."""
    for s, given in enumerate(p["table"]):
        right = [int(g["lying"][s]), int(g["strength"][s])] if g["lying"][s] >= 0 else None
        require(given == right, f"table[{s}] is {right} here, not {given}")


def check_voids(p: dict[str, Any], players: int) -> None:
    """There are prizes of the past tricks with which everyone has followed, and shown just these voids."""
    for s in range(players):
        good = p["voids"][s] == sorted(set(p["voids"][s]))
        require(good, f"voids[{s}] lists colours once, ascending, not {p['voids'][s]}")
    known = [] if p["prize"] is None else [p["prize"]]
    tricks = [*([cards[t] for cards in p["past"]] for t in range(max(0, p["trick"] - 1))), p["played"]]
    possible = ([*prizes, *known] for prizes in itertools.product(range(3), repeat=len(tricks) - 1))
    fits = any(all(_followed(p, s, tricks, prizes) for s in range(players)) for prizes in possible)
    require(fits, f"voids {p['voids']} do not follow from the cards played and held")


def _followed(p: dict[str, Any], s: int, tricks: list[list[int | None]], prizes: list[int]) -> bool:
    """Whether seat ``s`` shows its voids in tricks with these prizes, and holds and plays no such card later."""
    shown: set[int] = set()
    later = [cards[s] for cards in tricks] + p["hands"][s]
    for t, prize in enumerate(prizes):
        card = later[t]
        if card is None or card == IMITATION:
            continue
        if card // 7 != prize:
            shown.add(prize)
        if card // 7 in shown:
            return False
    return shown == set(p["voids"][s]) and not any(card // 7 in shown for card in p["hands"][s])


def write(g: Any, p: dict[str, Any]) -> None:
    """The parsed position into the record (its deals and stream excepted), the table as ``check_tricks`` left it."""
    players = len(p["hands"])
    for key in ("trick", "seat", "starter", "prize"):
        g[key] = or_below(p[key])
    g["round_number"] = p["round"]
    g["phase"] = PHASES.index(p["phase"])
    g["supply"][:] = p["supply"]
    clear_past(g)
    for key in ("bids", "played"):
        g[key][:] = -1
    for key in ("gems", "hand", "hand_size", "voids", "scores", "points"):
        g[key][:] = 0
    for s in range(players):
        g["gems"][s] = p["gems"][s]
        g["bids"][s] = or_below(p["bids"][s])
        g["played"][s] = or_below(p["played"][s])
        g["hand"][s] = hand_of(p["hands"][s])
        g["hand_size"][s] = len(p["hands"][s])
        g["past"][s, : len(p["past"][s])] = p["past"][s]
        g["voids"][s] = sum(1 << colour for colour in p["voids"][s])
        for trick, card in enumerate((*p["past"][s], p["played"][s]), 1):
            if card is not None:
                show_card(g, s, card, trick)
    g["decision"] = g["dealt"] = g["done"] = g["round_ended"] = 0


def from_position(g: Any, position: Any, key: np.uint64) -> None:
    """Set record ``g`` (options written) to ``position``; the deals to come are those of the game with that ``key``.

    Raises:
        PositionError: says what does not add up; ``g`` is untouched then.
    """
    players = int(g["players"])
    p = read_position(position, "triatri", PHASES, entries(players))
    require(p["players"] == players, f"this game has {players} players, the position {p['players']}")
    check_stage(p)
    check_gems(p)
    check_cards(p, players)
    trial = g.copy()
    clear_trick(trial)
    check_tricks(trial, p)
    check_table(trial, p)
    check_voids(p, players)
    write(g, p)
    for name in ("lying", "strength"):
        g[name][:] = trial[name]
    draw_deal(g, child(key, 0))  # as ``draw_next`` does for the game of that key
