"""The part of a net that knows cards, squares and colours: like items share weights, and each speaks for its actions.

Deep Sets (Zaheer et al. 2017) for what items see of each other, pointers (Vinyals et al. 2015) for their actions.
"""

from __future__ import annotations

import torch
from torch import nn

from tritarea_env.games import Game

from .net_parts import Items, sets_of


class ItemHead(nn.Module):
    """One set of items: each item's embedding, and what it says of its actions, given the whole position.

    Weights are the items' in common; each item has an offset of its own, for what it is (the points of an area, say).
    """

    links: torch.Tensor

    def __init__(self, game: Game, items: Items, units: int, joining: int, context: int) -> None:
        super().__init__()
        self.count, self.slices = items.count, items.slices(game)
        size = sum(part.stop - part.start for part in self.slices) // items.count
        self.register_buffer("links", torch.tensor(items.links), persistent=False)
        self.embed = nn.Linear(size + joining, units)
        self.embed_offset = nn.Parameter(torch.zeros(items.count, units))
        self.own = nn.Linear((1 + len(items.links)) * units, units, bias=False)
        self.context = nn.Linear(context, units)
        self.offset = nn.Parameter(torch.zeros(items.count, units))
        self.out = nn.Linear(units, items.answers.shape[1])

    def embedding(self, scaled: torch.Tensor, joined: list[torch.Tensor]) -> torch.Tensor:
        """(n, items, units) from scaled observations (n, d), and what joins them (n, items, …)."""
        parts = [scaled[:, part].reshape(len(scaled), self.count, -1) for part in self.slices]
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
        places = {field.name: field for field in game.fields}
        share = {items.name: max(1, units // items.count) for items in sets}
        self.members = {
            items.name: (
                items.members[0],
                slice(places[items.members[1]].offset, places[items.members[1]].offset + places[items.members[1]].size),
            )
            for items in sets
            if items.members
        }
        self.sets = nn.ModuleDict(
            {
                items.name: ItemHead(
                    game, items, share[items.name], share[items.members[0]] if items.members else 0, context
                )
                for items in sets
            }
        )
        answers = [int(action) for items in sets for action in items.answers.flat]
        silent = len(answers)  # the column of zeros, for actions of no item
        where = {action: place for place, action in enumerate(answers)}
        place = [where.get(action, silent) for action in range(game.actions)]
        self.register_buffer("place", torch.tensor(place), persistent=False)

    def forward(self, scaled: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """(n, A): what is added to the logits; 0 for actions of no item. ``scaled`` (n, d), ``hidden`` (n, h)."""
        embedded: dict[str, torch.Tensor] = {}
        said = []
        for name, head in self.sets.items():
            joined = []
            if name in self.members:
                other, part = self.members[name]
                members = scaled[:, part].reshape(len(scaled), embedded[other].shape[1], -1).transpose(1, 2)
                joined.append(torch.bmm(members, embedded[other]))
            embedded[name] = head.embedding(scaled, joined)
            said.append(head(embedded[name], hidden).flatten(1))
        said.append(scaled.new_zeros(len(scaled), 1))
        return torch.cat(said, 1)[:, self.place]
