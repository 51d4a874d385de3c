"""The tree of a search: what it remembers of the decisions that its simulations went through.

A *node* is a decision as everybody sees it: its key is made of the public history since the root and the seat that
decides. Decisions that are made in secret (declarations, bids) do not enter the key before they are revealed, so no
seat's choice hangs on what it cannot know. A node has an *edge* for each action of the game.

All memory lies in arrays that are made once; nodes are found by a hash table with open addressing.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tritarea_env.engine.compile import inlined, kernel, wrapping_kernel
from tritarea_env.engine.protocol import secret
from tritarea_env.engine.rng import below, mix
from tritarea_env.engine.sets import WORD


def _records(*fields: tuple[str, type]) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype(list(fields))))


EDGE = _records(
    ("value", np.float64),  # sum over visits of the deciding seat's value
    ("visits", np.int32),
    ("seen", np.int32),  # how often the action was legal when the node was visited
)
STEP = _records(("node", np.int32), ("action", np.int32), ("seat", np.int32))  # one decision of a simulation's path
DEEPEST = 256  # decisions; no game of ours has more to its end
ROOT = 0

MOST_SEATS = 8

# sqrt(log(seen) / visits) is WIDE[seen] * NARROW[visits]; beyond the tables it is computed
_numbers = np.maximum(np.arange(4096, dtype=np.float64), 1.0)
WIDE = np.sqrt(np.log(_numbers))
NARROW = 1.0 / np.sqrt(_numbers)


class Tree(NamedTuple):
    """The arrays of one tree with room for n nodes.

    Attributes:
        edges: (n, A) EDGE.
        keys: (n,) uint64, the key of each node.
        slots: (2**k,) int32, the hash table: a node, or 0 for none (the root is not looked up).
        used: (1,) int64, nodes so far.
        path: (DEEPEST,) STEP.
    """

    edges: NDArray[Any]
    keys: NDArray[np.uint64]
    slots: NDArray[np.int32]
    used: NDArray[np.int64]
    path: NDArray[Any]


def new_tree(nodes: int, actions: int) -> Tree:
    """A tree with room for so many nodes of a game with so many actions; memory is taken as it is used."""
    slots = 1 << max(4, (2 * nodes - 1).bit_length())
    return Tree(
        np.empty((nodes, actions), EDGE),
        np.empty(nodes, np.uint64),
        np.zeros(slots, np.int32),
        np.zeros(1, np.int64),
        np.empty(DEEPEST, STEP),
    )


def new_scratch() -> tuple[NDArray[Any], ...]:
    """Room for numbers of every seat: two arrays int64, two float64."""
    return tuple(np.zeros(MOST_SEATS, kind) for kind in (np.int64, np.int64, np.float64, np.float64))


@inlined
def add_node(tree, key):
    """A new node without visits; returns its number."""
    node = tree.used[0]
    tree.used[0] = node + 1
    tree.keys[node] = key
    for a in range(tree.edges.shape[1]):
        edge = tree.edges[node, a]
        edge.value = 0.0
        edge.visits = 0
        edge.seen = 0
    return node


@kernel
def clear(tree, key):
    """Empty the tree but for a root with this key."""
    tree.slots[:] = 0
    tree.used[0] = 0
    add_node(tree, key)


@inlined
def at_key(tree, key, make):
    """The node with this key; if there is none it is made, or -1 where ``make`` is false or no room is left."""
    last = tree.slots.shape[0] - 1
    slot = np.int64(key & np.uint64(last))
    while tree.slots[slot] != 0:
        if tree.keys[tree.slots[slot]] == key:
            return np.int64(tree.slots[slot])
        slot = (slot + 1) & last
    if not make or tree.used[0] == tree.keys.shape[0]:
        return np.int64(-1)
    tree.slots[slot] = add_node(tree, key)
    return np.int64(tree.slots[slot])


@wrapping_kernel
def key_after(key, action, seat):
    """The key of the node after ``action`` (-1: one that is secret) where ``seat`` (-1: nobody) decides next."""
    return mix(key + np.uint64(0x9E3779B97F4A7C15) * np.uint64(16 * (np.int64(action) + 1) + np.int64(seat) + 1))


@inlined
def key_of_next(key, unrevealed, closed, action, g):
    """The key of the decision that ``g`` waits for after ``action``, and what was decided in secret and is still so.

    A decision that was ``closed`` to the others enters the key when it is revealed.
    """
    if closed:
        unrevealed = key_after(unrevealed, action, -1)
        key = key_after(key, -1, g.seat)
    else:
        key = key_after(key, action, g.seat)
    if unrevealed != 0 and not secret(g):
        return key ^ unrevealed, np.uint64(0)
    return key, unrevealed


@wrapping_kernel
def next_word(word):
    """The next of a row of random words (the generator of Knuth's MMIX; its high bits are good enough here)."""
    return word * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)


@inlined
def bound(edge, c):
    """The upper confidence bound of an edge that was visited, with availability in place of the node's visits."""
    if edge.seen < WIDE.shape[0]:
        return edge.value / edge.visits + c * WIDE[edge.seen] * NARROW[edge.visits]
    return edge.value / edge.visits + c * math.sqrt(math.log(edge.seen) / edge.visits)


@inlined
def look(tree, node, actions, c, word):
    """Count the legal actions as seen, and look at their edges.

    Returns the action of the highest bound among those that were tried (-1: none); one of those that were not, each
    equally likely by the random ``word`` (-1: none); how many were tried; and how often, all together.
    """
    best, most, new = -1, -np.inf, -1
    tried = untried = visits = 0
    first = 0
    for bits in actions:
        left = bits
        a = first
        while left != 0:
            if left & 1:
                edge = tree.edges[node, a]
                edge.seen += 1
                if edge.visits > 0:
                    tried += 1
                    visits += edge.visits
                    found = bound(edge, c)
                    if found > most:
                        best, most = a, found
                else:
                    untried += 1
                    word = next_word(word)
                    if below(word, untried) == 0:
                        new = a
            left >>= 1
            a += 1
        first += WORD
    return best, new, tried, visits


@inlined
def back_up(tree, depth, values):
    """Add ``values`` (seats,), the leaf's for every seat, to the edges of the path: to each its deciding seat's."""
    for d in range(depth):
        at = tree.path[d]
        edge = tree.edges[at.node, at.action]
        edge.visits += 1
        edge.value += values[at.seat]
