"""What is alike in a game's observations and actions, as data: sets of items for which a net's weights are shared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.games import Game
from tritarea_env.games.triatri import rules as triatri
from tritarea_env.games.tritarea import rules as tritarea


class Items(NamedTuple):
    """A set of like items: suits, squares.

    Attributes:
        name: of the set, and of its weights.
        number: of items in it.
        fields: the observation's fields that tell of each item alike: their entries, in order, fall into ``number``
            equal parts.
        answers: (number, m) int64: the actions that each item has; action j of an item means the same for all.
        links: (l, number, number) float32: ``links[k, i]`` weighs the items that item i sees in its k-th way.
        members: a set before this one, and the field that says which of its items belong to which of these.
    """

    name: str
    number: int
    fields: tuple[str, ...]
    answers: NDArray[np.int64]
    links: NDArray[np.float32]
    members: tuple[str, str] | None = None


def slice_of(game: Game, name: str) -> slice:
    """The entries of one field of an observation."""
    (field,) = (field for field in game.fields if field.name == name)
    return slice(field.offset, field.offset + field.size)


def of_group(game: Game, *groups: str) -> tuple[str, ...]:
    """Names of the fields of these groups."""
    return tuple(field.name for field in game.fields if field.group in groups)


def _tritarea(game: Game) -> tuple[Items, ...]:
    """Squares see what is beside them; a suit is a concept's cards, and sees its area's squares."""
    squares = np.arange(tritarea.SQUARES)
    beside = tritarea.NEIGHBOURS[:, None] >> squares & 1
    placing = np.stack([tritarea.ONE_BLOCK + squares, tritarea.TWO_BLOCKS + squares], axis=1)
    suits = len(tritarea.CONCEPTS)
    cards = np.arange(tritarea.CARDS).reshape(suits, -1)
    alone = np.zeros((0, suits, suits), np.float32)
    return (
        Items("squares", len(squares), of_group(game, "board"), placing, beside[None].astype(np.float32)),
        Items("suits", suits, (*of_group(game, "cards"), "adopted"), cards, alone, ("squares", "area")),
    )


def _triatri(game: Game) -> tuple[Items, ...]:
    """A colour is its cards and gems; it sees the colour that it beats and the one that beats it (B1)."""
    colours = np.arange(len(triatri.COLOURS))
    cards = np.arange(triatri.NUMBER_CARDS).reshape(len(colours), -1)
    gems = np.stack([triatri.FROM_SUPPLY + colours, triatri.FROM_OWN + colours], axis=1)
    same = np.eye(len(colours), dtype=np.float32)
    links = np.stack([np.roll(same, 1, axis=0), np.roll(same, -1, axis=0)])
    answers = np.concatenate([cards, gems], axis=1)
    return (Items("colours", len(colours), of_group(game, "cards", "colours"), answers, links),)


_SETS = {"tritarea": _tritarea, "triatri": _triatri}


def sets_of(game: Game) -> tuple[Items, ...]:
    """The sets of a game's items."""
    return _SETS[game.name](game)
