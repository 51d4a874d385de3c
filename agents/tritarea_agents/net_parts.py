"""What is alike in a game's observations and actions, as data: sets of items for which a net's weights are shared."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Field, Game
from tritarea_env.games.triatri import rules as triatri
from tritarea_env.games.tritarea import rules as tritarea


class Items(NamedTuple):
    """A set of like items: suits, squares.

    Attributes:
        name: of the set, and of its weights.
        fields: the observation's fields that tell of each item alike: their entries, in order, fall into as many
            equal parts as there are items.
        answers: (items, m) int64: the actions that each item has; action j of an item means the same for all.
    """

    name: str
    fields: tuple[str, ...]
    answers: NDArray[np.int64]


class Layout(Protocol):
    """What has fields: a game, or what a net for it looks at."""

    @property
    def fields(self) -> tuple[Field, ...]: ...


def slice_of(layout: Layout, name: str) -> slice:
    """The entries of one field of an observation."""
    (field,) = (field for field in layout.fields if field.name == name)
    return slice(field.offset, field.offset + field.size)


def of_group(game: Game, *groups: str) -> tuple[str, ...]:
    """Names of the fields of these groups."""
    return tuple(field.name for field in game.fields if field.group in groups)


def _tritarea(game: Game) -> tuple[Items, ...]:
    """The squares, and the suits: a concept's cards."""
    squares = np.arange(tritarea.SQUARES)
    placing = np.stack([tritarea.ONE_BLOCK + squares, tritarea.TWO_BLOCKS + squares], axis=1)
    cards = np.arange(tritarea.CARDS).reshape(len(tritarea.CONCEPTS), -1)
    return (
        Items("squares", of_group(game, "board"), placing),
        Items("suits", (*of_group(game, "cards"), "adopted"), cards),
    )


def _triatri(game: Game) -> tuple[Items, ...]:
    """The colours: a colour's cards and gems."""
    colours = np.arange(len(triatri.COLOURS))
    cards = np.arange(triatri.NUMBER_CARDS).reshape(len(colours), -1)
    gems = np.stack([triatri.FROM_SUPPLY + colours, triatri.FROM_OWN + colours], axis=1)
    return (Items("colours", of_group(game, "cards", "colours"), np.concatenate([cards, gems], axis=1)),)


_SETS = {"tritarea": _tritarea, "triatri": _triatri}


def sets_of(game: Game) -> tuple[Items, ...]:
    """The sets of a game's items."""
    return _SETS[game.name](game)
