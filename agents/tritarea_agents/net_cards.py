"""The part of a net that knows cards, squares and colours: like items share weights, and each speaks for its actions.

An item's logits come from its own entries and the whole position's hidden layer, by weights that all items of its set
have in common (as in pointer networks, Vinyals et al. 2015). What items mean to each other is left to the hidden layer:
sums over neighbouring squares or over a suit's area cost more time than they taught.
"""

from __future__ import annotations

import torch
from torch import nn

from tritarea_env.games import Game

from .net_parts import Items, sets_of, slice_of


class ItemHead(nn.Module):
    """What each item of a set says of its actions.

    Each item has offsets of its own, for what it is (the points of an area, say); all other weights are shared.

    Args:
        units: of each item.
        context: units of the policy's last layer.
    """

    def __init__(self, game: Game, items: Items, units: int, context: int) -> None:
        super().__init__()
        self.number, each = items.answers.shape
        self.parts = [slice_of(game, name) for name in items.fields]
        entries = sum(part.stop - part.start for part in self.parts) // self.number
        self.embed = nn.Linear(entries, units)
        self.embed_offset = nn.Parameter(torch.zeros(self.number, units))
        self.own = nn.Linear(units, units, bias=False)
        self.context = nn.Linear(context, units)
        self.offset = nn.Parameter(torch.zeros(self.number, units))
        self.out = nn.Linear(units, each)

    def forward(self, scaled: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """(n, items, m): of each item's actions, from scaled observations (n, d) and the policy's last layer (n, h)."""
        parts = [scaled[:, part].reshape(len(scaled), self.number, -1) for part in self.parts]
        embedded = torch.relu(self.embed(torch.cat(parts, 2)) + self.embed_offset)
        mixed = torch.relu(self.own(embedded) + self.offset + self.context(hidden)[:, None])
        said: torch.Tensor = self.out(mixed)
        return said


class ItemHeads(nn.Module):
    """What all sets of a game's items say of their actions.

    Args:
        units: of all items of a set together; each gets an equal share.
        context: units of the policy's last layer.
    """

    place: torch.Tensor

    def __init__(self, game: Game, units: int, context: int) -> None:
        super().__init__()
        sets = sets_of(game)
        heads = {items.name: ItemHead(game, items, max(1, units // len(items.answers)), context) for items in sets}
        self.sets = nn.ModuleDict(heads)
        answers = [int(action) for items in sets for action in items.answers.flat]
        where = {action: place for place, action in enumerate(answers)}
        silent = len(answers)  # the column of zeros
        place = [where.get(action, silent) for action in range(game.actions)]
        self.register_buffer("place", torch.tensor(place), persistent=False)

    def forward(self, scaled: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """(n, A): what is added to the logits, 0 for actions of no item; from scaled observations (n, d) and (n, h)."""
        said = [head(scaled, hidden).flatten(1) for head in self.sets.values()]
        said.append(scaled.new_zeros(len(scaled), 1))
        return torch.cat(said, 1)[:, self.place]
