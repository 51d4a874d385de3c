"""What the learner is shown of its games: what its net looks at, what is hidden for an oracle, in which frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritarea_agents.foresight import Inputs
from tritarea_env.engine.compile import bare
from tritarea_env.games import Game

from . import kernels
from .symmetry import Frames, frames_of

FRAME_BRANCH = (1 << 32) + 5  # child of a row's stream from which its games' frames are drawn
# Fields of the state that tell what other seats hold or have chosen in secret, and their axis of seats. TriATri's
# unused cards are what is nowhere else.
HIDDEN: Mapping[str, tuple[tuple[str, int], ...]] = {
    "tritarea": (("hands", 0), ("declared", 1)),
    "triatri": (("hands", 0), ("hands_imitations", 0), ("bids", 1), ("bid_imitation", 0)),
}

Index = NDArray[np.int64]


def hidden_entries(game: Game, seats: int) -> Index:
    """(seats, e): by seat, the entries of the state that ``HIDDEN`` names, of the other seats, clockwise from it."""
    places = {field.name: field for field in game.state_fields}
    rows = []
    for seat in range(seats):
        row = []
        for name, axis in HIDDEN[game.name]:
            field = places[name]
            entries = np.arange(field.offset, field.offset + field.size).reshape(field.shape)
            others = [(seat + r) % seats if r < seats else r for r in range(1, field.shape[axis])]
            row.append(entries.take(others, axis).ravel())
        rows.append(np.concatenate(row))
    return np.stack(rows)


class Sight:
    """Turns observations, masks and actions of the engine into the learner's, and actions back.

    Args:
        game: the game.
        options: its checked options.
        oracle: show what is hidden too, after what the net looks at.
        augment: show each game in a frame of its own, drawn from its row's stream.
        foresight: whether the net has it.

    Attributes:
        size: entries of what is shown.
        scale: (size,) float32, of what is shown; times that, what is hidden lies in [0, 1].
    """

    def __init__(
        self, game: Game, options: Mapping[str, Any], *, oracle: bool, augment: bool, foresight: bool = False
    ) -> None:
        self._inputs = Inputs(game, foresight)
        frames = frames_of(game, options, foresight)
        self._frames = frames if augment else Frames(*(order[:1] for order in frames))
        self._entries = hidden_entries(game, game.seats_of(options)) if oracle else None
        self._turns = len(self._frames.actions) > 1
        self._actions = game.actions
        self._state = np.zeros(game.state_size, np.uint8)
        self.scale = self._inputs.scale
        if self._entries is not None:
            self.scale = np.concatenate([self.scale, game.state_scale[self._entries[0]]])
        self.size = len(self.scale)

    def see(self, games: np.recarray, index: Index, seats: Index, observation: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """(m, size), an array of its own: what is shown to ``seats[i]`` of ``games[i]``, for i in ``index`` (m,).

        Args:
            observation: (m, d): what the seat sees.
        """
        out = np.empty((len(index), self.size), np.uint8)
        looked_at = self._inputs.shown(bare(games), index, seats[index], observation)
        frame = self.frames(games, index)
        if self._turns:
            kernels.turn(looked_at, frame, self._frames.observation, out)
        else:
            out[:, : self._inputs.size] = looked_at
        if self._entries is not None:
            kernels.show_hidden(
                bare(games), index, seats, frame, self._frames.state, self._entries,
                self._state, self._inputs.size, out,
            )  # fmt: skip
        return out

    def masks(self, games: np.recarray, masks: NDArray[np.int8]) -> NDArray[np.int8]:
        """Masks (n, A) of all games as they are shown."""
        if not self._turns:
            return masks
        out = np.empty_like(masks)
        kernels.turn(masks, self.frames(games, np.arange(len(games))), self._frames.actions, out)
        return out

    def meant(self, games: np.recarray, actions: Any) -> Any:
        """The engine's actions (n,) for the learner's in all games; what is no action stays what it is."""
        return self._look_up(games, actions, self._frames.actions)

    def shown(self, games: np.recarray, actions: Index) -> Index:
        """The inverse of ``meant``."""
        turned: Index = self._look_up(games, actions, np.argsort(self._frames.actions, axis=1))
        return turned

    def _look_up(self, games: np.recarray, actions: Any, orders: Index) -> Any:
        given = np.asarray(actions)
        if not self._turns or given.shape != (len(games),) or given.dtype.kind not in "iu":
            return actions
        frame = self.frames(games, np.arange(len(games)))
        known = (given >= 0) & (given < self._actions)
        return np.where(known, orders[frame, np.where(known, given, 0)], given)

    def frames(self, games: np.recarray, index: Index) -> Index:
        """(m,) the frame of each game ``index``, drawn from its row's stream and episode."""
        frame = np.zeros(len(index), np.int64)
        if self._turns:
            kernels.draw_frames(bare(games), index, FRAME_BRANCH, len(self._frames.actions), frame)
        return frame
