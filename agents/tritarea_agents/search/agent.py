"""The agent ``search``: many trees side by side, over threads."""

from __future__ import annotations

import importlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.engine.compile import bare
from tritarea_env.engine.rng import derive
from tritarea_env.games import Game

from .. import playouts
from ..base import Views, check_game
from .simulation import HORIZONS, PLAN, VALUES, simulate
from .tree import EDGE, ROOT, new_scratch, new_tree

MOST_NODES = 1 << 18  # of a tree; one that is full grows no further, but goes on counting
AT_ONCE = 16  # simulations between two looks at the clock
BLOCK = 1024  # simulations between two chances for Ctrl-C


class Thought(NamedTuple):
    """What a search thought of one decision.

    Attributes:
        actions: (k,) int64, the legal actions, the most visited first.
        visits: (k,) int64, simulations that began with each.
        values: (k,) float64, their mean value for the seat that decides (NaN: never visited).
        priors: (k,) float64, how likely the net took each to be; None without a net.
    """

    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    priors: NDArray[np.float64] | None


class Workspace:
    """What one thread searches with: a tree, a world, and room for values."""

    def __init__(self, game: Game, policy: playouts.Policy, nodes: int) -> None:
        self.policy = policy
        self.tree = new_tree(nodes, game.actions)
        self.world = bare(np.zeros(1, game.dtype))
        self.scratch = new_scratch()


class Roots(NamedTuple):
    """What the trees of n decisions know of them.

    Attributes:
        masks: (n, A) int8, the legal actions.
        edges: (n, trees, A) EDGE.
        priors: (n, trees, A) float32; NaN without a net.
    """

    masks: NDArray[np.int8]
    edges: NDArray[Any]
    priors: NDArray[np.float32]

    def thought(self, i: int) -> Thought:
        """What was thought of decision ``i``."""
        legal = np.flatnonzero(self.masks[i])
        visits = self.edges["visits"][i][:, legal].sum(axis=0, dtype=np.int64)
        sums = self.edges["value"][i][:, legal].sum(axis=0)
        values = np.divide(sums, visits, out=np.full(len(legal), np.nan), where=visits > 0)
        order = np.lexsort((legal, -np.nan_to_num(values, nan=-np.inf), -visits))
        priors = self.priors[i][:, legal].mean(axis=0)
        return Thought(legal[order], visits[order], values[order], None if np.isnan(priors).any() else priors[order])


class SearchAgent:
    """Searches each decision with a tree of its own, or several. Equal visits: the higher value, the lower id."""

    def __init__(self, game: Game, parameters: Any) -> None:
        self.game, self.parameters = game, parameters
        self.threads = parameters.threads or available_cores()
        self._policy = playouts.load(parameters.playout, game)
        self._plan = np.zeros(1, PLAN)
        self._plan["c"], self._plan["widen"], self._plan["rate"] = parameters.c, parameters.widen, parameters.rate
        self._plan["horizon"], self._plan["value"] = HORIZONS[parameters.horizon], VALUES[parameters.value]
        if not playouts.load_estimate(game) and parameters.value == "chance":
            raise ValueError(f"search: {game.title} has no estimate of chances; value is outcome or score")
        self._free: deque[Workspace] = deque()
        self._last: Roots | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are made anew: trees are large, and hold nothing that lasts."""
        return rebuilt, (self.game, self.parameters._asdict(), None)

    def act(self, views: Views) -> NDArray[np.int64]:
        """(n,) action ids.

        Raises:
            ValueError: the views are of another game.
        """
        check_game(self.game, views)
        trees = self.parameters.trees if self.parameters.ms else min(self.parameters.trees, self.parameters.sims)
        shape = (len(views), trees, self.game.actions)
        roots = Roots(views.mask.copy(), np.zeros(shape, EDGE), np.full(shape, np.nan, np.float32))
        chosen: NDArray[np.int64] = roots.masks.argmax(axis=1)
        open_ = np.flatnonzero(roots.masks.sum(axis=1) > 1)
        self._search_all(views, [(int(i), t) for i in open_ for t in range(trees)], roots)
        for i in open_:
            chosen[i] = roots.thought(int(i)).actions[0]
        self._last = roots
        return chosen

    def explain(self) -> list[Thought]:
        """What it thought of each decision of the last call of ``act``."""
        return [] if self._last is None else [self._last.thought(i) for i in range(len(self._last.masks))]

    def _search_all(self, views: Views, jobs: list[tuple[int, int]], roots: Roots) -> None:
        """Search decisions, each with the tree of that number."""
        run_all(self.threads, lambda job, stop: self._search(views, job[0], job[1], roots, stop), jobs)

    def _search(self, views: Views, i: int, t: int, roots: Roots, stop: Event) -> None:
        try:
            space = self._free.pop()
        except IndexError:
            space = Workspace(self.game, self._copy_of_policy(), self._nodes())
        seed = np.uint64(derive(views.seed[i], t))
        for first, count in self._budget(t):
            if stop.is_set():
                return
            simulate(
                views.records, i, seed, first, count, self._plan, *space.policy, space.tree, space.world, space.scratch
            )
        roots.edges[i, t] = space.tree.edges[ROOT]
        self._free.append(space)

    def _copy_of_policy(self) -> playouts.Policy:
        return playouts.Policy(self._policy.parameters, self._policy.works.copy())

    def _nodes(self) -> int:
        if self.parameters.ms:
            return MOST_NODES
        return int(min(MOST_NODES, -(-self.parameters.sims // self.parameters.trees) + 1))

    def _budget(self, t: int) -> Iterable[tuple[int, int]]:
        """First number and count of the simulations of tree ``t``, bit by bit."""
        if not self.parameters.ms:
            sims, trees = self.parameters.sims, self.parameters.trees
            count = (sims + trees - 1 - t) // trees
            for first in range(0, count, BLOCK):
                yield first, min(BLOCK, count - first)
            return
        end = time.perf_counter() + self.parameters.ms / 1000
        first = 0
        while first == 0 or time.perf_counter() < end:
            yield first, AT_ONCE
            first += AT_ONCE


def rebuilt(game: Game, given: dict[str, Any], options: Mapping[str, Any] | None) -> Any:
    """An agent like one with these parameters."""
    search: Any = importlib.import_module("tritarea_agents.search")
    return search.build(game, search.parameters_of(game)(**given), options)


def run_all(threads: int, work: Callable[[Any, Event], None], jobs: list[Any]) -> None:
    """Do all jobs with so many threads; after an exception or Ctrl-C, those under way are told to stop."""
    stop = Event()
    if min(threads, len(jobs)) < 2:
        for job in jobs:
            work(job, stop)
        return
    pool = ThreadPoolExecutor(min(threads, len(jobs)))
    try:
        deque(pool.map(lambda job: work(job, stop), jobs), maxlen=0)
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
