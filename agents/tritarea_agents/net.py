"""The net of a trained agent, as plain torch modules. Training and playing run these very modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

try:
    import torch
    from torch import nn
except ImportError as error:
    raise ImportError('trained agents need torch: pip install "tritarea[train]"') from error

__all__ = ["ACTIVATIONS", "PolicyNet", "Shape", "Trunk", "build", "torch"]

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Shape(NamedTuple):
    """The form of a net: sizes of its hidden layers. With ``shared`` empty, policy and value share nothing."""

    inputs: int
    actions: int
    shared: tuple[int, ...]
    policy: tuple[int, ...]
    value: tuple[int, ...]
    activation: Literal["relu", "tanh"]

    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every weight, as ``PolicyNet.state_dict`` has them; nothing is allocated."""
        found: dict[str, tuple[int, ...]] = {}
        trunk = self.shared[-1] if self.shared else self.inputs
        for name, first, sizes in (
            ("trunk.layers", self.inputs, self.shared),
            ("policy", trunk, self.policy),
            ("value", trunk, self.value),
        ):
            for i, (before, size) in enumerate(zip((first, *sizes), sizes, strict=False)):
                found |= {f"{name}.{2 * i}.weight": (size, before), f"{name}.{2 * i}.bias": (size,)}
        for name, size, before in (
            ("logits", self.actions, (trunk, *self.policy)[-1]),
            ("value_out", 1, (trunk, *self.value)[-1]),
        ):
            found |= {f"{name}.weight": (size, before), f"{name}.bias": (size,)}
        return found


def layers(before: int, sizes: Sequence[int], activation: str) -> nn.Sequential:
    """Linear layers of the given sizes, each followed by the activation."""
    modules: list[nn.Module] = []
    for size in sizes:
        modules += [nn.Linear(before, size), ACTIVATIONS[activation]()]
        before = size
    return nn.Sequential(*modules)


class Trunk(nn.Module):
    """Casts and scales observations, the one place that does, and applies the shared layers."""

    scale: torch.Tensor

    def __init__(self, scale: NDArray[np.float32], sizes: Sequence[int], activation: str) -> None:
        super().__init__()
        self.register_buffer("scale", torch.tensor(scale), persistent=False)
        self.layers = layers(len(scale), sizes, activation)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(n, k) float32 from observations (n, d), uint8 or their values as floats."""
        features: torch.Tensor = self.layers(observations.float() * self.scale)
        return features


class PolicyNet(nn.Module):
    """Policy and value net over a trunk.

    The parts may be another net's, in which case this one is a view of it and changes with it.
    """

    def __init__(
        self, trunk: Trunk, policy: nn.Sequential, logits: nn.Linear, value: nn.Sequential, value_out: nn.Linear
    ) -> None:
        super().__init__()
        self.trunk, self.policy, self.logits, self.value, self.value_out = trunk, policy, logits, value, value_out

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Logits (n, A) float32 of all actions, not masked."""
        logits: torch.Tensor = self.logits(self.policy(self.trunk(observations)))
        return logits

    def values(self, observations: torch.Tensor) -> torch.Tensor:
        """(n,) float32: the return that the deciding seat may expect."""
        values: torch.Tensor = self.value_out(self.value(self.trunk(observations)))
        return values[:, 0]


def build(shape: Shape, scale: NDArray[np.float32]) -> PolicyNet:
    """A new net of that form; ``scale`` (d,) as ``game.scale``."""
    trunk = Trunk(scale, shape.shared, shape.activation)
    width = shape.shared[-1] if shape.shared else shape.inputs
    policy = layers(width, shape.policy, shape.activation)
    value = layers(width, shape.value, shape.activation)
    logits = nn.Linear((width, *shape.policy)[-1], shape.actions)
    return PolicyNet(trunk, policy, logits, value, nn.Linear((width, *shape.value)[-1], 1))
