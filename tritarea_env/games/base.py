"""What a game is to the rest of the house: its record, its numbers, and its functions for people and programs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Position = dict[str, Any]


@dataclass(frozen=True)
class Field:
    """One field of an observation: entries ``offset`` … ``offset + size - 1`` of the flat vector.

    ``maximum`` is the largest integer an entry holds (larger values are capped); the float observation is the
    integer divided by it. ``group`` names the joint array of ``unflatten`` to which the field adds channels.
    """

    name: str
    offset: int
    shape: tuple[int, ...]
    maximum: int
    meaning: str
    group: str = ""

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))


def lay_out(rows: list[tuple[str, tuple[int, ...], int, str, str]]) -> tuple[Field, ...]:
    """Fields one after the other, from rows (name, shape, maximum, meaning, group)."""
    fields: list[Field] = []
    offset = 0
    for name, shape, maximum, meaning, group in rows:
        fields.append(Field(name, offset, shape, maximum, meaning, group))
        offset += fields[-1].size
    return tuple(fields)


@dataclass(frozen=True)
class Game:
    """A game, as the shared rooms see it. Compiled functions are reached through ``engine.protocol``.

    ``groups`` gives the leading shape of each joint array of ``unflatten``, e.g. ``{"cards": (36,)}``.
    ``sides(options)`` gives for each seat the player for whom its score counts, -1 for none. ``in_header`` names the
    options that stand at the head of a record itself, whatever they are.

    Of the functions on one record ``g``: ``set_start(g, given, strict)`` writes what is given of a game's start over
    what was drawn (``strict``: nothing may be missing) and returns all of it, as a record has it; ``set_later(g, deals,
    strict)`` does the same for deals after the present one, ``later_of(g)`` gives those as they will be.
    ``deals_of(g, first)`` lists the deals of a game that began with ``first``, those that were dealt since included.
    A game whose deals have no bound holds the next one only: before each decision ``feed(g, deals)`` puts the right
    one of ``deals`` there, if they go so far.
    """

    name: str
    title: str
    version: int
    dtype: np.dtype[Any]
    action_names: tuple[str, ...]
    phases: tuple[str, ...]
    fields: tuple[Field, ...]
    state_fields: tuple[Field, ...]
    groups: Mapping[str, tuple[int, ...]]
    sources: tuple[str, ...]
    rewards: tuple[str, ...]
    default_options: Mapping[str, Any]
    check_options: Callable[[Mapping[str, Any]], dict[str, Any]]
    sides: Callable[[Mapping[str, Any]], list[int]]
    in_header: tuple[str, ...]
    configure: Callable[[np.recarray, Mapping[str, Any]], None]
    set_start: Callable[..., dict[str, Any]]
    set_later: Callable[..., list[Any]]
    later_of: Callable[[Any], list[Any]]
    deals_of: Callable[[Any, list[Any]], list[Any]]
    feed: Callable[[Any, list[Any]], None] | None
    to_position: Callable[..., Position]
    from_position: Callable[[Any, Any, np.uint64], None]
    draw_text: Callable[..., str]

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        """Copies and pickles are the game itself, found by name."""
        from . import get

        return get, (self.name,)

    @cached_property
    def actions(self) -> int:
        return len(self.action_names)

    @cached_property
    def observation_size(self) -> int:
        return sum(field.size for field in self.fields)

    @cached_property
    def state_size(self) -> int:
        return sum(field.size for field in self.state_fields)

    @cached_property
    def scale(self) -> NDArray[np.float32]:
        """(d,) float32: ``observation * scale`` is the float observation in [0, 1]."""
        return _scale_of(self.fields)

    @cached_property
    def state_scale(self) -> NDArray[np.float32]:
        """(m,) float32: the same for the state."""
        return _scale_of(self.state_fields)

    @cached_property
    def observation_digest(self) -> str:
        """16 hex digits that change with any field's name, place, shape or maximum."""
        layout = repr([(f.name, f.offset, f.shape, f.maximum) for f in self.fields])
        return hashlib.sha256(f"{self.name} {layout}".encode()).hexdigest()[:16]

    def __post_init__(self) -> None:
        assert self.dtype.names is not None
        if sum(self.dtype[name].itemsize for name in self.dtype.names) != self.dtype.itemsize:
            raise TypeError(f"the record of {self.name} has unnamed padding, whose bytes are not copied: name it")

    def new(self, n: int, options: Mapping[str, Any]) -> np.recarray:
        """``n`` blank records (n,) of this game with checked ``options`` written into them."""
        games = np.zeros(n, self.dtype).view(np.recarray)
        self.configure(games, options)
        return games

    def agents(self, options: Mapping[str, Any]) -> list[str]:
        """Names of the seats that are players: ``player_0`` …"""
        return [f"player_{seat}" for seat in range(options["players"])]

    def seats_of(self, options: Mapping[str, Any]) -> int:
        """How many seats sit at the table; records may have room for more."""
        return len(self.sides(options))

    def changed_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Of checked options, those that differ from the defaults."""
        return {key: value for key, value in options.items() if value != self.default_options[key]}

    def header_of(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """What a record says of checked options."""
        changed = self.changed_options(options)
        head = {name: options[name] for name in self.in_header}
        return {**head, "options": {key: value for key, value in changed.items() if key not in head}}

    def options_of(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The checked options that a record was played with.

        Raises:
            ValueError: they are none.
        """
        missing = [name for name in self.in_header if name not in record]
        twice = [name for name in self.in_header if name in record["options"]]
        if twice or missing:
            place = "is given beside options, not in them" if twice else "is missing"
            raise ValueError(f"{', '.join(twice or missing)} {place}")
        return self.check_options({**record["options"], **{name: record[name] for name in self.in_header}})

    def action_name(self, action: int) -> str:
        """The name of an action id."""
        if isinstance(action, bool) or not isinstance(action, (int, np.integer)) or not 0 <= action < self.actions:
            raise ValueError(f"{self.title} has the actions 0 … {self.actions - 1}, not {action!r}")
        return self.action_names[action]

    def action_id(self, name: str) -> int:
        """The id of an action name, the inverse of ``action_name``."""
        if name not in self.action_names:
            raise ValueError(f"no action of {self.title} is named {name!r}; one name is {self.action_names[0]!r}")
        return self.action_names.index(name)

    def unflatten(self, observation: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The fields of an observation (…, d) by name, and the joint arrays of each group.

        Leading axes are kept. A joint array stacks its fields' channels on the last axis in field order.
        """
        observation = np.asarray(observation)
        if observation.ndim == 0 or observation.shape[-1] != self.observation_size:
            raise ValueError(f"an observation has {self.observation_size} entries, not the shape {observation.shape}")
        lead = observation.shape[:-1]
        named: dict[str, NDArray[Any]] = {}
        parts: dict[str, list[NDArray[Any]]] = {group: [] for group in self.groups}
        for field in self.fields:
            part = observation[..., field.offset : field.offset + field.size].reshape(lead + field.shape)
            named[field.name] = part
            if field.group:
                parts[field.group].append(part.reshape((*lead, *self.groups[field.group], -1)))
        for group, members in parts.items():
            named[group] = np.concatenate(members, axis=-1)
        return named


def _scale_of(fields: tuple[Field, ...]) -> NDArray[np.float32]:
    scale = np.concatenate([np.full(f.size, np.float32(1) / np.float32(f.maximum), np.float32) for f in fields])
    scale.flags.writeable = False  # shared by everyone
    return scale
