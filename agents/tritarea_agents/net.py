"""The net of a trained agent, as plain torch modules. Training and playing run these very modules."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Literal, NamedTuple

from tritarea_env.games import Game

try:
    import torch
    from torch import nn
except ImportError as error:
    raise ImportError('trained agents need torch: pip install "tritarea[train]"') from error

from .foresight import Inputs
from .net_cards import ItemHeads
from .net_foresight import ForesightHead

__all__ = [
    "ACTIVATIONS",
    "CRITICS",
    "KINDS",
    "PolicyNet",
    "Shape",
    "Trunk",
    "added",
    "build",
    "foresight_of",
    "heads_of",
    "layers",
    "tensors",
    "torch",
]

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
KINDS = ("mlp", "cards_board")
CRITICS = ("own", "oracle")


class Shape(NamedTuple):
    """The form of a net: sizes of its hidden layers. With ``shared`` empty, policy and value share nothing.

    ``kind`` "cards_board" adds to an "mlp" the heads of ``net_cards``, with ``items`` units for each set of items (an
    "mlp" has 0). The net of an agent whose ``critic`` was an "oracle" has no value: in training, that saw what no seat
    may see. With ``foresight`` the net also looks at what the module of that name reckons from the observation.
    """

    inputs: int
    actions: int
    shared: tuple[int, ...]
    policy: tuple[int, ...]
    value: tuple[int, ...]
    activation: Literal["relu", "tanh"]
    kind: Literal["mlp", "cards_board"] = "mlp"
    items: int = 0
    critic: Literal["own", "oracle"] = "own"
    foresight: bool = False

    @property
    def width(self) -> int:
        """Units of the last shared layer, or inputs without one."""
        return (self.inputs, *self.shared)[-1]


def layers(before: int, sizes: Sequence[int], activation: str) -> nn.Sequential:
    """Linear layers of the given sizes, each followed by the activation."""
    modules: list[nn.Module] = []
    for size in sizes:
        modules += [nn.Linear(before, size), ACTIVATIONS[activation]()]
        before = size
    return nn.Sequential(*modules)


class Trunk(nn.Module):
    """Casts and scales what it is shown, the one place that does, and holds the shared layers.

    Of rows that are wider than ``inputs``, only the first entries are looked at.
    """

    scale: torch.Tensor
    offset: torch.Tensor

    def __init__(self, inputs: Inputs, sizes: Sequence[int], activation: str) -> None:
        super().__init__()
        self.foresight = inputs.foresight
        self.register_buffer("scale", torch.tensor(inputs.scale), persistent=False)
        self.register_buffer("offset", torch.tensor(inputs.offset), persistent=False)
        self.layers = layers(inputs.size, sizes, activation)

    def scaled(self, observations: torch.Tensor) -> torch.Tensor:
        """(n, d) float32 from rows (n, d or more), uint8 or their values as floats."""
        rows = observations[:, : len(self.scale)].float()
        return torch.addcmul(self.offset, rows, self.scale) if self.foresight else rows * self.scale

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """(n, k) float32 from observations."""
        features: torch.Tensor = self.layers(self.scaled(observations))
        return features


class PolicyNet(nn.Module):
    """Policy and, unless they are None, value net over a trunk; ``heads`` and ``foresight`` add to the logits.

    The parts may be another net's, in which case this one is a view of it and changes with it.
    """

    def __init__(
        self,
        trunk: Trunk,
        policy: nn.Sequential,
        logits: nn.Linear,
        value: nn.Sequential | None,
        value_out: nn.Linear | None,
        heads: ItemHeads | None,
        foresight: ForesightHead | None,
    ) -> None:
        super().__init__()
        self.trunk, self.policy, self.logits, self.value, self.value_out = trunk, policy, logits, value, value_out
        self.heads, self.foresight = heads, foresight

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Logits (n, A) float32 of all actions, not masked."""
        scaled = self.trunk.scaled(observations)
        hidden = self.policy(self.trunk.layers(scaled))
        logits: torch.Tensor = self.logits(hidden)
        more = added((self.heads, self.foresight), scaled, hidden)
        return logits if more is None else logits + more

    def values(self, observations: torch.Tensor) -> torch.Tensor:
        """(n,) float32: the return that the deciding seat may expect."""
        if self.value is None or self.value_out is None:
            raise TypeError("this net has no value: its critic was an oracle")
        values: torch.Tensor = self.value_out(self.value(self.trunk(observations)))
        return values[:, 0]


def heads_of(shape: Shape, game: Game) -> ItemHeads | None:
    """New heads, if the net is of a kind that has them."""
    if shape.kind == "mlp":
        return None
    return ItemHeads(game, shape.items, (shape.width, *shape.policy)[-1])


def foresight_of(shape: Shape, game: Game) -> ForesightHead | None:
    """A new head for what foresight tells, if the net has that."""
    return ForesightHead(Inputs(game, True), (shape.width, *shape.policy)[-1]) if shape.foresight else None


def added(heads: Sequence[nn.Module | None], scaled: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor | None:
    """(n, A): what all heads that there are add to the logits, from scaled rows (n, d) and the policy's last layer."""
    said: list[torch.Tensor] = [head(scaled, hidden) for head in heads if head is not None]
    return functools.reduce(torch.add, said) if said else None


def build(shape: Shape, game: Game) -> PolicyNet:
    """A new net of that form for ``game``."""
    trunk = Trunk(Inputs(game, shape.foresight), shape.shared, shape.activation)
    policy = layers(shape.width, shape.policy, shape.activation)
    own = shape.critic == "own"
    value = layers(shape.width, shape.value, shape.activation) if own else None
    logits = nn.Linear((shape.width, *shape.policy)[-1], shape.actions)
    value_out = nn.Linear((shape.width, *shape.value)[-1], 1) if own else None
    return PolicyNet(trunk, policy, logits, value, value_out, heads_of(shape, game), foresight_of(shape, game))


def tensors(shape: Shape, game: Game) -> dict[str, tuple[int, ...]]:
    """Name and shape of every weight, as the net's ``state_dict`` has them; no weight is allocated."""
    with torch.device("meta"):
        net = build(shape, game)
    return {name: tuple(tensor.shape) for name, tensor in net.state_dict().items()}
