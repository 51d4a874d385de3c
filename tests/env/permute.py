"""The tests' own reading of A8: exchange the cards that a seat cannot know, on positions (JSON)."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

Position = dict[str, Any]
Place = tuple[str, int]


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


PERMUTE = {"tritarea": permute_tritarea}
