"""One seat as a ``gymnasium.Env``; agents play the other seats."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from . import games
from .checks import action_id, one_of
from .errors import IllegalActionError
from .games.base import Position
from .seating import ILLEGAL_REWARD, Opponents, Seating
from .table import Table
from .views import Agent, spec_of


class SeatEnv(gymnasium.Env[NDArray[np.float32], np.int64]):
    """A game seen from one seat.

    Observations are float32 (d,) in [0, 1], actions ``Discrete(A)``; ``action_masks()`` says which are legal, as
    sb3-contrib's MaskablePPO asks for it. A step is the seat's decision and all others' until its next one.

    Args:
        game: name of the game.
        seat: the seat of the learner; None: a random one each game.
        opponents: who plays the other players' seats. An agent or spec: all of them; a list with an entry
            for each player: by seat (the learner's own entry is not used); a list with one entry less:
            clockwise from the learner's left; a mapping from spec to weight: a pool, from which each seat's
            opponent is drawn anew each game.
        reward: as for the AEC environment; summed over the decisions between two of the seat's own.
        illegal: ``"terminate"`` ends the episode with reward -1 and ``info["illegal_action"]``; ``"raise"``
            raises IllegalActionError and steps nothing.
        render_mode: None, ``"ansi"`` or ``"human"`` (prints after every step).
        options: the game's options; NPC seats are played by ``npc``.

    Raises:
        ValueError: an option that is none; says which values are.
    """

    metadata = {"render_modes": ["human", "ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: str,
        *,
        seat: int | None = None,
        opponents: Opponents = "greedy",
        reward: str = "outcome",
        illegal: str = "terminate",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = games.get(game)
        self.illegal = one_of(illegal, ("terminate", "raise"), "illegal")
        self.render_mode = one_of(render_mode, (None, "human", "ansi"), "render_mode")
        npc: str | Agent | None = options.get("npc")
        if npc is not None:
            options["npc"] = spec_of(npc, "npc")
        self._table = Table(game, options, one_of(reward, self.game.rewards, "reward"))
        self.options = self._table.options
        self._seating = Seating(self.game, self.options, seat, opponents, npc)
        self.players = self._seating.players
        self.observation_space = spaces.Box(0.0, 1.0, (self.game.observation_size,), np.float32)
        self.action_space = spaces.Discrete(self.game.actions)
        self.seat = 0
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a game; ``seed`` and ``options`` as for the AEC environment.

        Returns:
            The observation (d,) float32 at the seat's first decision, and ``info`` with ``action_mask`` (A,) int8,
            ``seat``, and ``opponents`` (by seat, the names of their specs).
        """
        with self._table.whole():
            self._table.reset(seed, {} if options is None else options)
            seat, holders = self._seating.of(self._table.playing())
            agents = {s: self._seating.agents[place] for s, place in holders.items()}
            self._table.play_agents(agents)
            if self._table.to_move < 0:
                raise ValueError(f"seat {seat} has no decision left in this game")
        super().reset(seed=seed)
        self.seat, self._holders = seat, agents
        self._names = {s: self._seating.names[place] for s, place in holders.items()}
        self._over = False
        self._show()
        return self._table.observation(self.seat), self._info()

    def step(self, action: int | np.integer[Any]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """The seat's decision, then all others' until it is to move again or the game is over.

        Raises:
            TypeError: not an integer.
            IllegalActionError: outside 0 … A-1, or illegal with ``illegal="raise"``. Nothing was stepped.
            RuntimeError: the episode is over, or none was started.
        """
        if self._over:
            raise RuntimeError("the episode is over or none was started; call reset()")
        number = action_id(action, self.game.actions)
        table = self._table
        if not table.mask[number]:
            if self.illegal == "raise":
                raise IllegalActionError(table.complaint(f"seat {self.seat}", number))
            self._over = True
            return table.observation(self.seat), ILLEGAL_REWARD, True, False, {**self._info(), "illegal_action": number}
        with table.whole():
            table.apply(number)
            table.play_agents(self._holders)
        reward = float(table.total[self.seat])
        table.total[:] = 0.0
        self._over = table.to_move < 0
        self._show()
        return table.observation(self.seat), reward, self._over, False, self._info()

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self.action_masks().astype(np.int8), "seat": self.seat, "opponents": dict(self._names)}
        return {**info, **self._table.result()} if self._table.to_move < 0 else info

    def action_masks(self) -> NDArray[np.bool_]:
        """(A,) bool: the legal actions; all False when the episode is over."""
        return np.zeros(self.game.actions, np.bool_) if self._over else self._table.mask.astype(np.bool_)

    def position(self) -> Position:
        """The position as the seat sees it."""
        return self._table.position(self.seat)

    def record(self) -> dict[str, Any]:
        """The record of the game so far."""
        return self._table.record()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """``ansi``: the table as the seat sees it, as text; ``human`` prints it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called, but render_mode is None: make the env with 'ansi' or 'human'")
            return None
        text = self._table.text(self.seat)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None
