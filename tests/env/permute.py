"""The tests' own reading of A8 and B6: exchange the cards that a seat cannot know, on positions (JSON)."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import numpy as np

Position = dict[str, Any]
Place = tuple[str, int]


def as_seen(position: Position, seat: int) -> Position:
    """The position as ``seat`` sees it: hands of others as numbers of cards, no choice of theirs before the reveal."""
    seen = copy.deepcopy(position)
    for s in range(len(seen["hands"])):
        if s == seat:
            continue
        if position["phase"] != "five_settle":
            seen["hands"][s] = len(position["hands"][s])
        if position["phase"] in ("declare", "bid"):
            seen["declared" if position["game"] == "tritarea" else "bids"][s] = None
    return seen


def hidden_cards(position: Position, seat: int) -> list[tuple[Place, int]]:
    """Where the cards lie that ``seat`` cannot see: (place, card)."""
    if position["phase"] == "five_settle":
        return []
    places = [(("hands", s), card) for s in range(4) if s != seat for card in position["hands"][s]]
    if position["phase"] == "declare":
        places += [
            (("declared", s), card) for s, card in enumerate(position["declared"]) if s != seat and card is not None
        ]
    return places


def permute_tritarea(position: Position, seat: int, rng: np.random.Generator) -> Position:
    """Another world that ``seat`` cannot tell from ``position``: its hidden cards dealt anew."""
    places = hidden_cards(position, seat)
    cards = rng.permutation([card for _, card in places]).tolist()
    other = copy.deepcopy(position)
    for s in range(4):
        if s != seat and position["phase"] != "five_settle":
            other["hands"][s] = []
    for ((kind, s), _), card in zip(places, cards, strict=True):
        if kind == "hands":
            other["hands"][s] = sorted([*other["hands"][s], card])
        else:
            other["declared"][s] = card
    return other


def deck_of_triatri(players: int) -> list[int]:
    """B1: card ids, ascending, imitations (21) as often as they are there."""
    highest, imitations = {2: (6, 2), 3: (7, 1), 4: (8, 3)}[players]
    return [card for card in range(21) if card % 7 + 2 <= highest] + [21] * imitations


def unused_cards(position: Position) -> list[int]:
    """TriATri: the cards of the deck that were not dealt."""
    lying = [card for key in ("hands", "past") for cards in position[key] for card in cards]
    lying += [card for key in ("bids", "played") for card in position[key] if card is not None]
    return list((Counter(deck_of_triatri(position["players"])) - Counter(lying)).elements())


def permute_triatri(position: Position, seat: int, rng: np.random.Generator) -> Position:
    """The same for TriATri: hands, hidden bids and unused cards, until nobody holds a colour that it cannot hold."""
    others = [s for s in range(position["players"]) if s != seat]
    bidders = [s for s in others if position["phase"] == "bid" and position["bids"][s] is not None]
    pool = [*unused_cards(position), *(position["bids"][s] for s in bidders)]
    pool += [card for s in others for card in position["hands"][s]]
    while True:
        left = rng.permutation(pool).tolist()
        other = copy.deepcopy(position)
        for s in bidders:
            other["bids"][s] = left.pop()
        for s in others:
            other["hands"][s] = sorted(left.pop() for _ in position["hands"][s])
        if all(card // 7 not in position["voids"][s] for s in others for card in other["hands"][s]):
            return other


PERMUTE = {"tritarea": permute_tritarea, "triatri": permute_triatri}
