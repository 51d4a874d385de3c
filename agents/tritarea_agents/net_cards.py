"""The part of a net that knows cards, squares and colours: like items share weights, and each speaks for its actions.

Sums over what belongs together as in Deep Sets (Zaheer et al. 2017), logits as in pointer networks (Vinyals et al.
2015).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from tritarea_env.games import Game

from .net_parts import Items, sets_of, slice_of


class ItemHead(nn.Module):
    """A set of items: each item's embedding, and what it says of its actions, given the whole position.

    Weights are the items' in common; each item has offsets of its own, for what it is (the points of an area, say).

    Args:
        units: of an embedding.
        joining: units of what joins an item's own entries.
        context: units of the policy's last layer.
    """

    links: torch.Tensor

    def __init__(self, game: Game, items: Items, units: int, joining: int, context: int) -> None:
        super().__init__()
        self.number = items.number
        self.parts = [slice_of(game, name) for name in items.fields]
        entries = sum(part.stop - part.start for part in self.parts) // items.number
        self.register_buffer("links", torch.tensor(items.links), persistent=False)
        self.embed = nn.Linear(entries + joining, units)
        self.embed_offset = nn.Parameter(torch.zeros(items.number, units))
        self.own = nn.Linear((1 + len(items.links)) * units, units, bias=False)
        self.context = nn.Linear(context, units)
        self.offset = nn.Parameter(torch.zeros(items.number, units))
        self.out = nn.Linear(units, items.answers.shape[1])

    def embedding(self, scaled: torch.Tensor, joined: list[torch.Tensor]) -> torch.Tensor:
        """(n, items, units) from scaled observations (n, d), and what joins them (n, items, …)."""
        parts = [scaled[:, part].reshape(len(scaled), self.number, -1) for part in self.parts]
        embedded: torch.Tensor = torch.relu(self.embed(torch.cat(parts + joined, 2)) + self.embed_offset)
        return embedded

    def forward(self, embedded: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """(n, items, m): of each item's actions, from the embeddings and the policy's last layer (n, h)."""
        seen = torch.cat([embedded, *(torch.matmul(link, embedded) for link in self.links)], 2)
        mixed = torch.relu(self.own(seen) + self.offset + self.context(hidden)[:, None])
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
        share = {items.name: max(1, units // items.number) for items in sets}
        self.sets = nn.ModuleDict()
        self.members: dict[str, tuple[str, slice]] = {}
        for items in sets:
            joining = 0
            if items.members is not None:
                other, field = items.members
                self.members[items.name] = other, slice_of(game, field)
                joining = share[other]
            self.sets[items.name] = ItemHead(game, items, share[items.name], joining, context)
        answers = [int(action) for items in sets for action in items.answers.flat]
        where = {action: place for place, action in enumerate(answers)}
        silent = len(answers)  # the column of zeros
        place = [where.get(action, silent) for action in range(game.actions)]
        self.register_buffer("place", torch.tensor(place), persistent=False)

    def forward(self, scaled: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """(n, A): what is added to the logits, 0 for actions of no item; from scaled observations (n, d) and (n, h)."""
        n = len(scaled)
        embedded: dict[str, torch.Tensor] = {}
        said = []
        head: Any
        for name, head in self.sets.items():
            joined = []
            if name in self.members:
                other, part = self.members[name]
                belongs = scaled[:, part].reshape(n, embedded[other].shape[1], -1).transpose(1, 2)
                joined = [torch.bmm(belongs, embedded[other])]
            embedded[name] = head.embedding(scaled, joined)
            said.append(head(embedded[name], hidden).flatten(1))
        said.append(scaled.new_zeros(n, 1))
        return torch.cat(said, 1)[:, self.place]
