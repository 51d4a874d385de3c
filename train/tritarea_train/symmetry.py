"""Relabellings under which a game stays exactly the same game, as permutations of what a seat sees and does.

Seats need none: an observation is egocentric already, and clockwise order is part of the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_agents.foresight import Inputs
from tritarea_env.games import Field, Game
from tritarea_env.games.triatri import rules as triatri
from tritarea_env.games.tritarea import rules as tritarea

Order = NDArray[np.int64]


class Frames(NamedTuple):
    """The ways in which a game can be shown: frame 0 as it is, then each relabelling.

    In frame f, entry j of what a net looks at is entry ``observation[f, j]`` as it is, and so for ``state``; action a
    is ``actions[f, a]``.
    """

    observation: Order
    state: Order
    actions: Order


class Relabelling(NamedTuple):
    """Which old items the new ones are: ``groups`` by group of fields, ``others`` by field and axis, and actions."""

    groups: Mapping[str, Order]
    others: Mapping[str, tuple[int, Order]]
    actions: Order


def frames_of(game: Game, options: Mapping[str, Any], foresight: bool = False) -> Frames:
    """All frames of a game with checked options; ``foresight``: whether the net is shown that, too."""
    fields = Inputs(game, foresight).fields
    found = [*_RELABELLINGS[game.name](options)]
    return Frames(
        np.stack([_order(fields, one) for one in found]),
        np.stack([_order(game.state_fields, one) for one in found]),
        np.stack([one.actions for one in found]),
    )


def _order(fields: tuple[Field, ...], relabelling: Relabelling) -> Order:
    return np.concatenate([_order_of(field, relabelling) for field in fields])


def _order_of(field: Field, relabelling: Relabelling) -> Order:
    """Of one field: a group's items lie along the first axes, whatever is told of each along the rest."""
    entries = np.arange(field.offset, field.offset + field.size)
    if field.group in relabelling.groups:
        order = relabelling.groups[field.group]
        return entries.reshape(len(order), -1)[order].ravel()
    if field.name in relabelling.others:
        axis, order = relabelling.others[field.name]
        return entries.reshape(field.shape).take(order, axis).ravel()
    return entries


def _triatri(options: Mapping[str, Any]) -> list[Relabelling]:
    """Red to blue to green to red: each colour beats the one before it (B1), and nothing else tells them apart."""
    colours = np.arange(len(triatri.COLOURS))
    cards = np.arange(triatri.NUMBER_CARDS)
    found = []
    for shift in colours:
        old_colours = np.roll(colours, shift)
        old_cards = np.roll(cards, shift * (len(cards) // len(colours)))
        gems = [start + old_colours for start in (triatri.FROM_SUPPLY, triatri.FROM_OWN)]
        actions = np.concatenate([old_cards, [triatri.IMITATION], *gems])
        found.append(Relabelling({"cards": old_cards, "colours": old_colours}, {"hands": (1, old_cards)}, actions))
    return found


def turns_of_board() -> list[Order]:
    """The eight turns and mirrorings of the 4x4 board: all that leaves neighbours neighbours."""
    board = np.arange(tritarea.SQUARES).reshape(4, 4)
    return [np.rot90(one, turn).ravel() for one in (board, board.T) for turn in range(4)]


def _tritarea(options: Mapping[str, Any]) -> list[Relabelling]:
    """Turns of the board that leave every square's area and bonus what they are.

    No two concepts can change places, since no two areas pay the same (A1). So the pinwheel board has none, though a
    quarter turn takes its areas to each other; a board of one's own may have some.
    """
    board = tritarea.check_board(options["board"])
    areas, bonus = np.array(board["areas"]), np.array(board["bonus"])
    found = []
    for old in turns_of_board():
        if (areas[old] == areas).all() and (bonus[old] == bonus).all():
            actions = np.arange(tritarea.ACTIONS)
            for start in (tritarea.ONE_BLOCK, tritarea.TWO_BLOCKS):
                actions[start : start + len(old)] = start + old
            found.append(Relabelling({"board": old}, {}, actions))
    return found


_RELABELLINGS: dict[str, Callable[[Mapping[str, Any]], list[Relabelling]]] = {
    "tritarea": _tritarea,
    "triatri": _triatri,
}
