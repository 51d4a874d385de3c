"""The part of a net that takes foresight at its word: what is told of single actions speaks for them at once.

An action's logit gets the sum of its entries, weighed as the position has it: the weights are what the policy's last
layer makes of it, the same for all actions of a set. So it need not learn for each square what a gain is good for.
"""

from __future__ import annotations

import torch
from torch import nn

from .foresight import Inputs
from .net_parts import slice_of


class ForesightHead(nn.Module):
    """What foresight says of the actions that it tells of.

    Args:
        inputs: what the net looks at, foresight among it.
        context: units of the policy's last layer.
    """

    place: torch.Tensor

    def __init__(self, inputs: Inputs, context: int) -> None:
        super().__init__()
        self.parts = {name: [slice_of(inputs, field) for field in told.fields] for name, told in inputs.told.items()}
        self.numbers = {name: len(told.actions) for name, told in inputs.told.items()}
        widths = {
            name: sum(part.stop - part.start for part in parts) // self.numbers[name]
            for name, parts in self.parts.items()
        }
        self.weights = nn.ModuleDict({name: nn.Linear(context, width) for name, width in widths.items()})
        self.register_buffer("place", torch.tensor(_places(inputs)), persistent=False)

    def forward(self, scaled: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """(n, A): what is added to the logits, 0 for all other actions; from scaled rows (n, d) and (n, h)."""
        said = []
        for name, weights in self.weights.items():
            parts = [scaled[:, part].reshape(len(scaled), self.numbers[name], -1) for part in self.parts[name]]
            said.append(torch.bmm(torch.cat(parts, 2), weights(hidden)[:, :, None])[:, :, 0])
        said.append(scaled.new_zeros(len(scaled), 1))
        return torch.cat(said, 1)[:, self.place]


def _places(inputs: Inputs) -> list[int]:
    """By action its column of what is said, the last one for those of which nothing is."""
    told = [int(action) for one in inputs.told.values() for action in one.actions]
    where = {action: column for column, action in enumerate(told)}
    return [where.get(action, len(told)) for action in range(inputs.game.actions)]
