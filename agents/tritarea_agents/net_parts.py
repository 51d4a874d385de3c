"""What is alike in a game's observations and actions, as data: sets of items for which a net's weights are shared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Field, Game
from tritarea_env.games.triatri import rules as triatri
from tritarea_env.games.tritarea import rules as tritarea

from .foresight import Inputs

Fields = tuple[Field, ...]


class Items(NamedTuple):
    """A set of like items: suits, squares.

    Attributes:
        name: of the set, and of its weights.
        fields: of what the net looks at, those that tell of each item alike: their entries, in order, fall into as
            many equal parts as there are items.
        answers: (items, m) int64: the actions that each item has; action j of an item means the same for all.
    """

    name: str
    fields: tuple[str, ...]
    answers: NDArray[np.int64]


def slice_of(fields: Fields, name: str) -> slice:
    """The entries of one field of them."""
    (field,) = (field for field in fields if field.name == name)
    return slice(field.offset, field.offset + field.size)


def of_group(fields: Fields, *groups: str) -> tuple[str, ...]:
    """Names of the fields of these groups."""
    return tuple(field.name for field in fields if field.group in groups)


def _tritarea(fields: Fields) -> tuple[Items, ...]:
    """The squares, and the suits: a concept's cards."""
    squares = np.arange(tritarea.SQUARES)
    placing = np.stack([tritarea.ONE_BLOCK + squares, tritarea.TWO_BLOCKS + squares], axis=1)
    cards = np.arange(tritarea.CARDS).reshape(len(tritarea.CONCEPTS), -1)
    return (
        Items("squares", of_group(fields, "board"), placing),
        Items("suits", (*of_group(fields, "cards", "concepts"), "adopted"), cards),
    )


def _triatri(fields: Fields) -> tuple[Items, ...]:
    """The colours: a colour's cards and gems."""
    colours = np.arange(len(triatri.COLOURS))
    cards = np.arange(triatri.NUMBER_CARDS).reshape(len(colours), -1)
    gems = np.stack([triatri.FROM_SUPPLY + colours, triatri.FROM_OWN + colours], axis=1)
    return (Items("colours", of_group(fields, "cards", "colours"), np.concatenate([cards, gems], axis=1)),)


_SETS = {"tritarea": _tritarea, "triatri": _triatri}


def sets_of(game: Game, foresight: bool = False) -> tuple[Items, ...]:
    """The sets of a game's items; with what ``foresight`` tells of them, if the net has it."""
    return _SETS[game.name](Inputs(game, foresight).fields)
