"""Reading positions, deals and options that come from outside: every entry's type and range, errors that name it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import PositionError

Read = Callable[[Any, str], Any]  # takes a value and what it is called


def is_whole(value: Any) -> bool:
    """Whether it is a whole number, of Python or numpy, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def require(condition: Any, message: str) -> None:
    """Raise PositionError with the message unless the condition holds."""
    if not condition:
        raise PositionError(f"position: {message}")


def number(low: int, high: int) -> Read:
    """Reads a whole number in low … high."""

    def read(value: Any, what: str) -> int:
        require(is_whole(value) and low <= value <= high, f"{what} is a whole number in {low} … {high}, not {value!r}")
        return int(value)

    return read


def optional(high: int) -> Read:
    """Reads a whole number in 0 … high, or null."""
    return lambda value, what: None if value is None else number(0, high)(value, what)


def list_of(item: Read, length: int | None = None) -> Read:
    """Reads a list, of that length if one is given."""

    def read(values: Any, what: str) -> list[Any]:
        good = isinstance(values, (list, tuple)) and (length is None or len(values) == length)
        require(good, f"{what} is a list{'' if length is None else f' of {length}'}, not {values!r}")
        return [item(value, f"{what}[{i}]") for i, value in enumerate(values)]

    return read


def read_position(position: Any, game: str, phases: Sequence[str], entries: Mapping[str, Read]) -> dict[str, Any]:
    """The position with every entry of the right type and range; ``entries`` are those beside game and phase.

    Raises:
        PositionError: names the entry that is wrong.
    """
    require(isinstance(position, dict), f"expected a dict, not {position!r}")
    keys = {"game", "phase", *entries}
    missing, extra = sorted(keys - set(position)), sorted(set(position) - keys, key=str)
    require(not missing and not extra, f"missing keys {missing}, unknown keys {extra}")
    for key, allowed in (("game", (game,)), ("phase", phases)):
        value = position[key]
        good = isinstance(value, str) and value in allowed
        require(good, f"{key} is {' or '.join(map(repr, allowed))}, not {value!r}")
    require(position["phase"] != "end", "a game that is over cannot be set up")
    return {"phase": position["phase"], **{key: read(position[key], key) for key, read in entries.items()}}


def or_none(value: Any) -> int | None:
    """An entry of a record as positions have it: below 0 is null."""
    return int(value) if value >= 0 else None


def or_below(value: int | None) -> int:
    """The reverse of ``or_none``."""
    return -1 if value is None else value


def check_seat(seat: Any, seats: int) -> None:
    """A viewer's seat, or None.

    Raises:
        ValueError: it is neither.
    """
    if seat is not None and not (is_whole(seat) and 0 <= seat < seats):
        raise ValueError(f"a seat is 0 … {seats - 1}, not {seat!r}")


def check_deal(deal: Any, seats: int, size: int, deck: Sequence[int], what: str, name: Callable[[int], str]) -> Any:
    """The hands of a deal given from outside, each ascending.

    Args:
        deck: the card ids there are; several of one id may be dealt as often as it stands there.
        what: the deal's name, e.g. ``the deal of round 2``.
        name: of a card.

    Raises:
        ValueError: not as many hands of that size, a card that is not in the deck, or one dealt too often.
    """
    if not isinstance(deal, (list, tuple)) or len(deal) != seats:
        raise ValueError(f"{what} is a list of {seats} hands, not {deal!r}")
    left = list(deck)
    for s, hand in enumerate(deal):
        if not isinstance(hand, (list, tuple)) or len(hand) != size:
            raise ValueError(f"in {what} seat {s} has a list of {size} cards, not {hand!r}")
        for card in hand:
            if not is_whole(card) or not 0 <= card <= max(deck):
                raise ValueError(f"a card is a number 0 … {max(deck)}, not {card!r} ({what}, seat {s})")
            if card not in deck:
                raise ValueError(f"{name(card)} ({card}) is not in the deck of {what}")
            if card not in left:
                raise ValueError(f"{name(card)} ({card}) is dealt too often in {what}")
            left.remove(card)
    return [sorted(map(int, hand)) for hand in deal]
