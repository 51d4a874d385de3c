"""The agent ``search:prior=RUN``: a trained net looks at the leaves of many trees at once."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tritarea_env.engine.compile import bare
from tritarea_env.engine.rng import derive
from tritarea_env.games import Game

from ..base import Views
from ..foresight import Inputs
from ..policy import load_net
from .agent import Roots, SearchAgent, rebuilt
from .guiding import LEAF, REWARDS, begin, expand
from .tree import ROOT, new_scratch, new_tree

AT_ONCE = 256  # trees
FIRST = np.zeros(1, np.int64)  # index of a lane's world
MOST_EDGES = 20_000_000  # of all trees that are searched at once; bounds memory


class Lane:
    """One of the trees that are searched side by side."""

    def __init__(self, game: Game, nodes: int) -> None:
        self.tree = new_tree(nodes, game.actions)
        self.weights = np.empty((nodes, game.actions), np.float32)
        self.world = bare(np.zeros(1, game.dtype))
        self.leaf = np.zeros(1, LEAF)
        self.scratch = new_scratch()


class GuidedAgent(SearchAgent):
    """Searches with a net's priors and values. All trees go on by one simulation, then the net sees all their leaves.

    Which rows a forward pass holds may change the last bits of what the net says, and so, rarely, a visit.

    Raises:
        CheckpointError: the net is missing, damaged, or not for this game or these options.
    """

    def __init__(self, game: Game, parameters: Any, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(game, parameters)
        self.net, meta = load_net(parameters.prior, game, options, with_value=True)
        if meta.reward not in REWARDS:
            raise ValueError(f"search: {parameters.prior} was trained on a reward {meta.reward!r} that is not known")
        self._rewards = REWARDS[meta.reward]
        self._inputs = Inputs(game, meta.net.foresight)
        self._options = options
        self._lanes: list[Lane] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuilt, (self.game, self.parameters._asdict(), self._options)

    def _search_all(self, views: Views, jobs: list[tuple[int, int]], roots: Roots) -> None:
        nodes = self._nodes()
        width = int(max(1, min(AT_ONCE, MOST_EDGES // (nodes * self.game.actions))))
        for first in range(0, len(jobs), width):
            some = jobs[first : first + width]
            kept, self._lanes = self._lanes, []  # nobody else takes them meanwhile
            kept += [Lane(self.game, nodes) for _ in range(len(some) - len(kept))]
            self._search_side_by_side(views, some, kept, roots)
            self._lanes = kept

    def _search_side_by_side(self, views: Views, jobs: list[tuple[int, int]], lanes: list[Lane], roots: Roots) -> None:
        """One simulation in each tree after the other, until all have had theirs; the root's look and one at least."""
        seeds = [np.uint64(derive(views.seed[i], t)) for i, t in jobs]
        observations = np.zeros((len(jobs), self._inputs.size), np.uint8)
        shares = [self._share(t) for _, t in jobs]
        end = time.perf_counter() + self.parameters.ms / 1000
        number = 0
        while number < 2 or (time.perf_counter() < end if self.parameters.ms else number < max(shares)):
            live = [b for b in range(len(jobs)) if self.parameters.ms or number < shares[b]]
            for b in live:
                lane, i = lanes[b], jobs[b][0]
                begin(
                    views.records, i, seeds[b], number, self.parameters.c,
                    lane.tree, lane.weights, lane.world, lane.leaf, observations[b],
                )  # fmt: skip
                self._inputs.foresee(lane.world, FIRST, lane.world["seat"], observations[b : b + 1])
            logits, values = self._ask(observations[live])
            for k, b in enumerate(live):
                lane = lanes[b]
                expand(
                    lane.tree, lane.weights, lane.world, lane.leaf, self._rewards,
                    logits[k], values[k], lane.scratch,
                )  # fmt: skip
            number += 1
        for b, (i, t) in enumerate(jobs):
            lane = lanes[b]
            roots.edges[i, t] = lane.tree.edges[ROOT]
            weights = lane.weights[ROOT] * roots.masks[i]
            roots.priors[i, t] = weights / weights.sum()

    def _share(self, t: int) -> int:
        """Simulations of tree ``t``; the net's look at the root comes before them."""
        sims, trees = self.parameters.sims, self.parameters.trees
        return 1 + int((sims + trees - 1 - t) // trees)

    def _ask(self, observations: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Logits (m, A) and values (m,) of what the net is shown of the seats to move (m, d)."""
        import torch

        with torch.inference_mode():
            rows = torch.from_numpy(observations).to(self.net.logits.weight.device)
            return self.net(rows).cpu().numpy(), self.net.values(rows).cpu().numpy().astype(np.float64)
