"""Who sits where: the learner's seat, and the agents in the others, game by game of a stream."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checks import one_of
from .engine import seats
from .games import Game
from .views import Agent, find_agent, spec_of

Spec = str | Agent
Opponents = Spec | Sequence[Spec | None] | Mapping[str, float]

ILLEGAL_REWARD = -1.0


class Seating:
    """The holders of all seats, drawn for each game from its stream and episode and nothing else.

    Args:
        game: the game's definition.
        options: its checked options.
        seat: the learner's seat; None: a random one each game.
        opponents: as for ``SeatEnv``.
        npc: who plays the seats that no player holds; None: the agent that the options name.

    Attributes:
        players: how many seats are players'.
        agents: everyone who may hold a seat; who is given twice, as the same spec or object, is there once.
        names: the names of their specs.

    Raises:
        ValueError: a seat, opponent or pool that is none; says which are.
    """

    def __init__(
        self, game: Game, options: Mapping[str, Any], seat: int | None, opponents: Opponents, npc: Spec | None
    ) -> None:
        self.players = len(game.agents(options))
        fixed = one_of(seat, (None, *range(self.players)), "seat")
        _check(opponents, self.players, fixed)
        self._seat = -1 if fixed is None else fixed
        pool = opponents if isinstance(opponents, Mapping) else {}
        self._weights, self._total = np.array(list(pool.values()), np.float64), float(sum(pool.values()))
        npcs = range(self.players, game.seats_of(options))
        specs = [*_specs(opponents), *[options["npc"] if npc is None else npc for _ in npcs]]
        members = {_key(spec): spec for spec in specs}  # a pool's come first, in the order of its weights
        self.agents = [find_agent(spec, game, options) for spec in members.values()]
        self.names = [spec_of(spec, "an opponent") for spec in members.values()]
        places = {key: place for place, key in enumerate(members)}
        self._plan = np.full((self.players, game.seats_of(options)), seats.LEARNER, np.int64)
        for other in npcs:
            self._plan[:, other] = places[_key(specs[-1])]
        for own, other in itertools.permutations(range(self.players), 2):
            if pool:
                self._plan[own, other] = seats.DRAWN
            elif fixed in (None, own):
                self._plan[own, other] = places[_key(_opponent(opponents, other, own, self.players))]

    def take_seats(
        self, games: np.recarray, index: NDArray[np.int64], seat: NDArray[np.int64], holders: NDArray[np.int64]
    ) -> None:
        """Write who sits where in the games ``index`` (m,) that begin.

        Args:
            seat: (n,) int64, the learner's.
            holders: (n, seats) int64, places in ``agents``, and ``LEARNER``.
        """
        seats.take_seats(games, index, self._seat, self._plan, self._weights, self._total, seat, holders)

    def of(self, state: np.recarray) -> tuple[int, dict[int, int]]:
        """The learner's seat in a game ``state`` (1,) that begins, and by seat the places of the others' holders."""
        seat, holders = np.empty(1, np.int64), np.empty((1, self._plan.shape[1]), np.int64)
        self.take_seats(state, np.zeros(1, np.int64), seat, holders)
        return int(seat[0]), {s: place for s, place in enumerate(holders[0].tolist()) if place != seats.LEARNER}


def _key(spec: Any) -> Any:
    """What makes an agent the same as another."""
    return spec if isinstance(spec, str) else id(spec)


def _opponent(opponents: Any, seat: int, own: int, players: int) -> Any:
    """Who of opponents that are no pool holds a seat when the learner has seat ``own``."""
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        return opponents
    return opponents[seat if len(opponents) == players else (seat - own - 1) % players]


def _specs(opponents: Opponents) -> list[Any]:
    """Every agent or spec among the opponents."""
    if isinstance(opponents, str) or not isinstance(opponents, (Mapping, Sequence)):
        return [opponents]
    return [spec for spec in opponents if spec is not None]


def _check(opponents: Opponents, players: int, seat: int | None) -> None:
    """See that opponents have a form that is known.

    Raises:
        ValueError: what is no agent, a list of the wrong length or with gaps, or a pool without positive weights.
    """
    for spec in _specs(opponents):
        spec_of(spec, "an opponent")
    if isinstance(opponents, Mapping):
        weights = list(opponents.values())
        numbers = all(isinstance(w, (int, float)) and not isinstance(w, bool) for w in weights)
        if not numbers or not weights or min(weights) < 0 or not 0 < sum(weights) < float("inf"):
            raise ValueError(f"a pool of opponents maps specs to weights from 0 on, not all 0; not {dict(opponents)!r}")
    elif isinstance(opponents, Sequence) and not isinstance(opponents, str):
        if len(opponents) not in (players, players - 1):
            raise ValueError(
                f"a list of opponents has {players} entries (by seat) or {players - 1} (clockwise from the learner), "
                f"not {len(opponents)}"
            )
        own = seat if len(opponents) == players else None
        gaps = [place for place, spec in enumerate(opponents) if spec is None and place != own]
        if gaps:
            raise ValueError(f"opponents has no agent at place {gaps[0]}; only the learner's own may be None")
