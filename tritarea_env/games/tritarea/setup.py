"""Setting up a game from a position: everything is checked first, then the record is written."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ..reading import Read, list_of, number, optional, or_below, read_position, require
from .deals import clear_board
from .information import deal_the_rest
from .kernel import adopted_concept, award_rights, has_own_neighbour, put, show_card, top_of
from .position import set_of
from .rules import (
    BLOCKS_A_SEAT,
    CARDS,
    CARDS_A_SEAT,
    DECKS,
    PHASES,
    SEATS,
    SQUARES,
    TRICKS,
    card_name,
)
from .settlement import declaration_sign, declared_card

CONSTRUCTION = ("build", "extra", "five_default")
BEFORE_TRICKS = ("declare", "sell")


ENTRIES: dict[str, Read] = {
    "round": number(1, 3),
    "trick": number(0, TRICKS),
    "seat": optional(3),
    "start_player": number(0, 3),
    "leader": number(0, 3),
    "scores": list_of(number(0, 9999), SEATS),
    "blocks": list_of(number(0, 9), SEATS),
    "stacks": list_of(list_of(number(0, 3)), SQUARES),
    "hands": list_of(list_of(number(0, CARDS - 1)), SEATS),
    "played": list_of(optional(CARDS - 1), SEATS),
    "ranks": list_of(optional(10), SEATS),
    "adopted": optional(3),
    "rightholders": list_of(optional(3), 2),
    "declared": list_of(optional(CARDS - 1), SEATS),
    "sold": list_of(number(0, 9), SEATS),
    "built": optional(SQUARES - 1),
    "past": list_of(list_of(number(0, CARDS - 1)), SEATS),
}


def check_stage(p: dict[str, Any]) -> None:
    """Round, trick, phase, seat, start player and leader fit together."""
    phase, trick = p["phase"], p["trick"]
    require(p["seat"] is not None, "seat is the seat to move")
    if phase in BEFORE_TRICKS:
        require(p["round"] == 3, f"phase {phase!r} belongs to round 3, not {p['round']}")
    if phase.startswith("five"):
        require(p["round"] > 1, f"phase {phase!r} belongs to rounds 2 and 3: round 1 has no fives")
    expected = "0" if phase in BEFORE_TRICKS else str(TRICKS) if phase == "five_settle" else f"1 … {TRICKS}"
    good = str(trick) == expected if "…" not in expected else trick >= 1
    require(good, f"in phase {phase!r} trick is {expected}, not {trick}")
    if trick <= 1:
        require(p["leader"] == p["start_player"], "the start player leads the round's first trick")


def check_cards(p: dict[str, Any]) -> None:
    """Every card of the round's deck lies in one place, and every seat has as many as the stage says."""
    phase, trick, leader, seat = p["phase"], p["trick"], p["leader"], p["seat"]
    places = [
        *(card for key in ("hands", "past") for cards in p[key] for card in cards),
        *(card for key in ("played", "declared") for card in p[key] if card is not None),
    ]
    twice = [card_name(card) for card, n in Counter(places).items() if n > 1]
    require(not twice, f"cards in two places: {twice}")
    deck = {card for card in range(CARDS) if DECKS[p["round"] - 1] >> card & 1}
    wrong = [card_name(card) for card in sorted(set(places) ^ deck)]
    require(not wrong, f"hands, past, played and declared hold each card of round {p['round']}'s deck; amiss: {wrong}")
    done = TRICKS if phase == "five_settle" else max(0, trick - 1)
    for s in range(SEATS):
        require(
            len(p["past"][s]) == done, f"past[{s}] holds a card for each of {done} finished tricks, not {p['past'][s]}"
        )
        has_played = trick > 0 and phase != "five_settle"
        if phase == "play":
            has_played = (s - leader) % SEATS < (seat - leader) % SEATS
        require((p["played"][s] is not None) == has_played, f"played[{s}] is {'a card' if has_played else 'null'} here")
        has_declared = p["round"] == 3
        if phase == "declare":
            has_declared = (s - p["start_player"]) % SEATS < (seat - p["start_player"]) % SEATS
        require(
            (p["declared"][s] is not None) == has_declared,
            f"declared[{s}] is {'a card' if has_declared else 'null'} here",
        )
        held = CARDS_A_SEAT[p["round"] - 1] - done - has_played - has_declared
        require(len(p["hands"][s]) == held, f"hands[{s}] holds {held} cards here, not {len(p['hands'][s])}")


def check_ranks(p: dict[str, Any]) -> None:
    """Ranks are those of the cards; a five may be 0 or 10 once it could be changed."""
    decided = p["phase"] in ("five", *CONSTRUCTION)
    for s in range(SEATS):
        card, rank = p["played"][s], p["ranks"][s]
        right = {None} if card is None else {card % 9 + 1}
        if card is not None and card % 9 == 4 and decided:
            place = (s - p["leader"]) % SEATS
            asked = p["phase"] != "five" or place < (p["seat"] - p["leader"]) % SEATS
            right = {0, 5, 10} if asked else {5}
        require(rank in right, f"ranks[{s}] is {' or '.join(map(str, right))} here, not {rank}")


def most_on_a_square(p: dict[str, Any], square: int) -> int:
    """Rightholder 1 puts at most one block of a trick on a square, rightholder 2 at most two."""
    if p["phase"] == "five_settle":
        return 3 * TRICKS
    most: int = 3 * max(0, p["trick"] - 1)
    if p["phase"] in CONSTRUCTION:
        second = p["seat"] == p["rightholders"][1]
        most += second  # of rightholder 1
        if p["phase"] == "extra" and square == p["built"]:
            most += 2 if second else 1
    return most


def check_blocks(p: dict[str, Any]) -> None:
    """Blocks in hand, placed and sold add up, and no building is higher than tricks can make it."""
    all_blocks = BLOCKS_A_SEAT[p["round"] - 1]
    placed = Counter(owner for stack in p["stacks"] for owner in stack)
    for q, stack in enumerate(p["stacks"]):
        most = most_on_a_square(p, q)
        require(len(stack) <= most, f"stacks[{q}] holds at most three blocks a trick, so {most} here, not {len(stack)}")
    for s in range(SEATS):
        sold = p["sold"][s]
        turn = (p["start_player"] - 1 - s) % SEATS < (p["start_player"] - 1 - p["seat"]) % SEATS
        may = p["round"] == 3 and (p["phase"] not in BEFORE_TRICKS or (p["phase"] == "sell" and turn))
        require(sold == 0 or may, f"sold[{s}] is 0 here, not {sold}")
        total = p["blocks"][s] + placed[s] + sold
        require(total == all_blocks, f"seat {s} has {all_blocks} blocks in hand, placed or sold, not {total}")


def write(g: Any, p: dict[str, Any]) -> None:
    """The parsed position into the record (its deals and stream excepted)."""
    for key in ("trick", "seat", "start_player", "leader", "adopted", "built"):
        g[key] = or_below(p[key])
    g["round_number"] = p["round"]
    g["phase"] = PHASES.index(p["phase"])
    for key in ("scores", "blocks", "sold"):
        g[key][:] = p[key]
    for key, values in (
        ("declared", p["declared"]),
        ("played", p["played"]),
        ("rank", p["ranks"]),
        ("rightholders", p["rightholders"]),
    ):
        g[key][:] = [or_below(value) for value in values]
    g["past"][:] = -1
    g["seen"][:] = 0
    for s in range(SEATS):
        g["hand"][s] = set_of(p["hands"][s])
        g["hand_size"][s] = len(p["hands"][s])
        g["past"][s, : len(p["past"][s])] = p["past"][s]
        for card in (*p["past"][s], *([] if p["played"][s] is None else [p["played"][s]])):
            show_card(g, s, card)
    clear_board(g)
    for q, stack in enumerate(p["stacks"]):
        for owner in stack:
            put(g, owner, q)
    g["points"][:] = 0
    g["decision"] = g["done"] = g["round_ended"] = 0


def check_rights(g: Any, p: dict[str, Any]) -> None:
    """During construction: the concept and the rightholders follow from the cards; elsewhere there are none."""
    given = (p["adopted"], *p["rightholders"])
    if p["phase"] not in CONSTRUCTION:
        require(
            given == (None, None, None) and (p["built"] is None),
            f"adopted, rightholders and built are null in phase {p['phase']!r}",
        )
        return
    trial = g.copy()
    possible = []
    for s in (None, *range(SEATS)):
        if s is not None:  # a default may have changed rightholder 1's five since
            if p["played"][s] % 9 != 4 or p["ranks"][s] != 0 or p["seat"] == s:
                continue
            trial = g.copy()
            trial["rank"][s] = 5
        award_rights(trial)
        first, second = (int(x) for x in trial["rightholders"])
        if s is None or (s == first and p["blocks"][s] == 0) or (s == first and g["voluntary_default"]):
            possible.append((int(adopted_concept(trial)), first, second if second >= 0 else None))
    require(
        given in possible, f"adopted and rightholders {given} do not follow from the cards, which give {possible[0]}"
    )
    require(
        p["seat"] in p["rightholders"], f"in phase {p['phase']!r} the seat to move is a rightholder, not {p['seat']}"
    )


def check_decision(g: Any, p: dict[str, Any]) -> None:
    """The seat to move has the decision that the phase names."""
    phase, s = p["phase"], p["seat"]
    five = p["played"][s] is not None and p["played"][s] % 9 == 4 and p["ranks"][s] == 5
    if phase == "build":
        require(p["blocks"][s] > 0, f"seat {s} has no block to build with")
    if phase != "extra":
        require(p["built"] is None, f"built is null in phase {phase!r}")
    else:
        b = p["built"]
        require(
            b is not None and g["area"][b] == p["adopted"] and top_of(g, b) == s,
            "built is the square of the adopted area that the seat has just topped",
        )
        require(
            p["blocks"][s] > 0 and has_own_neighbour(g, s, b),
            f"seat {s} has no right to additional construction next to {b}",
        )
    if phase == "five":
        require(five and p["scores"][s] >= 1, f"seat {s} has no five that it may change")
    if phase == "five_default":
        may = five and p["scores"][s] >= 1 and (p["blocks"][s] == 0 or g["voluntary_default"])
        require(may, f"seat {s} has no default to decide about")
    if phase == "five_settle":
        card = declared_card(g, s)
        matters = card >= 0 and card % 9 == 4 and declaration_sign(g, s, card) != 0
        require(matters and p["scores"][s] >= 1, f"seat {s} has no five to decide about in settlement")


def from_position(g: Any, position: Any, key: np.uint64) -> None:
    """Set record ``g`` (options written) to ``position``; the rounds to come are dealt from ``key``.

    Raises:
        PositionError: says what does not add up; ``g`` is untouched then.
    """
    p = read_position(position, "tritarea", PHASES, ENTRIES)
    for check in (check_stage, check_cards, check_ranks, check_blocks):
        check(p)
    trial = g.copy()
    write(trial, p)
    check_rights(trial, p)
    check_decision(trial, p)
    write(g, p)
    deal_the_rest(g, key)
