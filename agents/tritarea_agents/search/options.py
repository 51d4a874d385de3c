"""The options of ``search``, and what each game's default is."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from tritarea_env.games import Game

from .simulation import HORIZONS, VALUES

# What a game gets of which nothing better is known
DEFAULTS: dict[str, Any] = {
    "sims": 800,  # simulations a decision, all trees together
    "ms": 0.0,  # more than 0: instead, milliseconds a decision for each tree; the result hangs on the machine
    "trees": 1,  # searched apart from each other, their visits summed up
    "playout": "random",
    "rate": 1.0,  # share of the playout's decisions that its policy makes; the others are random
    "horizon": "game",
    "value": "outcome",
    "c": 0.4,  # weight of exploration; outcomes and chances lie in a range of 1
    "widen": 0.0,  # below the root: more than 0: the policy says what is tried first (see ``simulation.select``)
    "prior": "",  # a checkpoint's folder: its net's priors and values, without playouts
    "threads": 0,  # 0: one for each core
}
# Measured: docs/RESULTS.md
DEFAULTS_OF_GAMES: Mapping[str, dict[str, Any]] = {
    "tritarea": {
        "sims": 2500,
        "playout": "greedy",
        "rate": 0.9,
        "widen": 0.3,
        "horizon": "round",
        "value": "chance",
    },
    "triatri": {"sims": 3600, "playout": "greedy"},
}
CHOICES: Mapping[str, tuple[str, ...]] = {
    "playout": ("random", "greedy", "expert"),
    "horizon": tuple(HORIZONS),
    "value": tuple(VALUES),
}
RANGES = {
    "sims": (1, 10_000_000),
    "ms": (0.001, 3_600_000),
    "trees": (1, 1024),
    "rate": (0, 1),
    "c": (0, 1000),
    "widen": (0, 1000),
    "threads": (0, 1024),
}
EXCLUSIVE = ("sims", "ms")  # one budget
WITHOUT_NET = ("playout", "rate", "horizon", "value", "widen")  # what means nothing where a net takes playouts' place


def parameters_of(game: Game) -> Any:
    """The named tuple class of the options, with this game's defaults."""
    found = DEFAULTS | DEFAULTS_OF_GAMES.get(game.name, {})
    return namedtuple("Parameters", found, defaults=found.values())
