"""The agent made of a trained net: ``load`` reads a checkpoint folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.engine.compile import kernel
from tritarea_env.engine.rng import derive
from tritarea_env.games import Game

from . import checkpoint
from .base import Agent, Views, check_game
from .foresight import Inputs
from .net import PolicyNet, build, torch


class Parameters(NamedTuple):
    """How a trained agent plays."""

    sample: bool = False  # draw from the policy instead of taking its likeliest action


class PolicyAgent:
    """Plays a net: its likeliest legal action (of equals the lowest id), or one drawn from the policy.

    Which rows a forward pass holds may change the last bits of its logits, no more; a choice hangs on them only
    where two actions tie in all other bits.
    """

    def __init__(self, game: Game, net: PolicyNet, parameters: Parameters) -> None:
        self.game = game
        self.net = net
        self.parameters = parameters
        self._inputs = Inputs(game, net.trunk.foresight)

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids.

        Raises:
            ValueError: the views are of another game.
        """
        check_game(self.game, views)
        chosen = np.empty(len(views), np.int64)
        if self.parameters.sample:
            sample(self.logits(views), views.mask, views.seed, chosen)
        else:
            choose_best(self.logits(views), views.mask, chosen)
        return chosen

    def logits(self, views: Views) -> NDArray[np.float32]:
        """(n, A) float32, not masked."""
        with torch.no_grad():
            rows = torch.from_numpy(self._inputs.shown_of(views)).to(self.net.logits.weight.device)
            found: NDArray[np.float32] = self.net(rows).cpu().numpy()
        return found


@kernel
def choose_best(logits: Any, masks: Any, out: Any) -> None:
    """The legal action (n,) int64 with the greatest logit, for logits and masks (n, A)."""
    for i in range(logits.shape[0]):
        best = -1
        for a in range(logits.shape[1]):
            if masks[i, a] and (best < 0 or logits[i, a] > logits[i, best]):
                best = a
        out[i] = best


@kernel
def sample(logits: Any, masks: Any, seeds: Any, out: Any) -> None:
    """A legal action (n,) int64, drawn from the softmax of the legal logits by the row's seed (n,) uint64."""
    for i in range(logits.shape[0]):
        most = -np.inf
        for a in range(logits.shape[1]):
            if masks[i, a]:
                most = max(most, np.float64(logits[i, a]))
        total = 0.0
        for a in range(logits.shape[1]):
            if masks[i, a]:
                total += np.exp(logits[i, a] - most)
        left = np.float64(derive(seeds[i], 0)) / 2.0**64 * total
        for a in range(logits.shape[1]):
            if masks[i, a]:
                out[i] = a
                left -= np.exp(logits[i, a] - most)
                if left < 0.0:
                    break


def load(
    path: str | Path,
    game: Game,
    parameters: Parameters | None = None,
    options: Mapping[str, Any] | None = None,
) -> Agent:
    """The agent of a checkpoint folder, or of the newest checkpoint of a run's folder.

    Nothing in the folder is run, and no more memory is taken than its files' sizes call for.

    Args:
        options: those that it is to play with (checked); None: not looked at.

    Raises:
        CheckpointError: what is wrong with the folder, or why it does not fit ``game`` or ``options``.
    """
    net, _ = load_net(path, game, options)
    return PolicyAgent(game, net, parameters or Parameters())


def load_net(
    path: str | Path, game: Game, options: Mapping[str, Any] | None = None, *, with_value: bool = False
) -> tuple[PolicyNet, checkpoint.Meta]:
    """The net alone, ready to be asked, and what is known of it; arguments and errors as of ``load``.

    Args:
        with_value: one that has no value is refused.
    """
    folder = checkpoint.find(path)
    meta = checkpoint.read_meta(folder)
    checkpoint.check_game(meta, game, folder)
    if options is not None:
        checkpoint.check_options(meta, options, folder)
    if with_value:
        checkpoint.check_value(meta, folder)
    weights = checkpoint.read_weights(folder, meta.net, game)
    net = build(meta.net, game)
    net.load_state_dict(weights)
    return net.eval(), meta
