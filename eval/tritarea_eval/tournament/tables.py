"""Tables at which all agents meet alike: combinatorics on numbers.

A table is a row of different numbers, clockwise. A list of tables is *balanced* if, every table being played in all
its rotations, each ordered pair of numbers sits equally often in each ordered pair of seats. For that, each ordered
pair must be equally often 1, 2, … places apart around the tables: a perfect Mendelsohn design (Handbook of
Combinatorial Designs, VI.35). The lists here are made by adding 0 … n - 1 (mod n, n odd) to each of a few base tables:
the pair x, y is then d places apart as often as the difference y - x is in the base tables. Where the numbers are
even in number the last one, ``INFINITY`` in a base table, stays itself. Why a list is balanced is said beside its base
tables, by their differences.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, combinations, permutations

import numpy as np
from numpy.typing import NDArray

INFINITY = -1
Table = tuple[int, ...]


def count_all(numbers: int, size: int, in_order: bool) -> int:
    """How many tables ``all_tables`` gives."""
    return math.comb(numbers, size) * (math.factorial(size - 1) if in_order else 1)


def all_tables(numbers: int, size: int, in_order: bool) -> NDArray[np.int8]:
    """(T, size) int8: every choice of ``size`` numbers; ``in_order``: in every order around the table."""
    chosen = combinations(range(numbers), size)
    if in_order:
        return _rows((first, *rest) for first, *others in chosen for rest in permutations(others))
    return _rows(chosen)


def balanced_tables(numbers: int, size: int) -> NDArray[np.int8]:
    """(T, size) int8: far fewer tables, balanced; ``size`` is 3 or 4 and less than ``numbers``."""
    n = numbers - 1 + numbers % 2
    return _developed(_threes(n, numbers > n) if size == 3 else _fours(n, numbers > n), n)


def count_beside(numbers: int, size: int, in_order: bool) -> int:
    """How many tables ``all_beside`` gives."""
    return math.perm(numbers, size) if in_order else math.comb(numbers, size)


def all_beside(numbers: int, size: int, in_order: bool) -> NDArray[np.int8]:
    """(T, size) int8: every choice of neighbours of one who sits at every table and has no number here.

    They sit to the left of that one, in this order; ``in_order``: in every order.
    """
    return _rows((permutations if in_order else combinations)(range(numbers), size))


def balanced_beside(numbers: int) -> NDArray[np.int8]:
    """(T, 3) int8: far fewer choices of three neighbours, balanced; of at least three numbers."""
    n = numbers - 1 + numbers % 2
    # differences one place apart: t, t; two places apart: 2t, and the way back over the one who is always there
    base: list[Table] = [(0, t, 2 * t) for t in range(1, n)]
    if numbers > n:
        base[:1] = [(INFINITY, 0, 1), (0, INFINITY, 2), (0, 1, INFINITY)]
    return _developed(base, n)


def _rows(tables: Iterable[Sequence[int]]) -> NDArray[np.int8]:
    return np.array(list(tables), np.int8)


def _developed(base: Sequence[Table], n: int) -> NDArray[np.int8]:
    tables = np.array(base)[:, None]
    moved = (tables + np.arange(n)[:, None]) % n
    return np.where(tables == INFINITY, n, moved).reshape(-1, tables.shape[2]).astype(np.int8)


def _threes(n: int, infinity: bool) -> list[Table]:
    """Differences of a table: y, y, -2y; over all y each comes three times."""
    base: list[Table] = [(0, y, (2 * y) % n) for y in range(1, n)]
    if infinity:  # the same differences as those of y = 1
        base[:1] = [(INFINITY, 0, 1), (INFINITY, 0, 1), (INFINITY, 0, n - 2)]
    return base


def _fours(n: int, infinity: bool) -> list[Table]:
    """Of each pair a, b the table a, b, -a, -b.

    Its differences are ±(a - b), ±(a + b) one place apart, and ±2a, ±2b two places apart, each of these twice; those
    of b, a are the same. Beside infinity, all tables are there twice but some pairs' two tables give way to four with
    the same differences.
    """
    pairs = _pairs(n)
    if not infinity:
        both_ways = Counter(pairs) == Counter((b, a) for a, b in pairs)
        return [(a, b, n - a, n - b) for a, b in pairs if a < b or not both_ways]
    gone = len(pairs) // (n // 2)
    kept: list[Table] = [(a, b, n - a, n - b) for a, b in pairs[gone:]]
    return 2 * kept + list(chain.from_iterable(_with_infinity(a, b, n) for a, b in pairs[:gone]))


def _with_infinity(a: int, b: int, n: int) -> list[Table]:
    p, q = b - a, -a - b  # p + q = -2a, p - q = 2b
    steps = ((p, q), (-p, -q), (p, -q), (-p, q))
    return [(INFINITY, 0, first % n, (first + second) % n) for first, second in steps]


@cache
def _pairs(n: int) -> tuple[tuple[int, int], ...]:
    """Pairs a, b among 1 … n // 2 (up to the sign): all are in equally many, and all are equally often a ± b.

    ``n`` is odd, at least 5. If 3 does not divide it, b = 2a will do, or any multiple that, one less, and one more
    are prime to n; best a square root of -1, which makes of b a again. Where 3 divides n, one pair for each a does not
    suffice (the sum of (a - b)² + (a + b)² would be 0 mod n but is not), and three are sought by simulated annealing,
    whose chance is always the same.
    """
    half = n // 2
    if n % 3:
        times = next((t for t in range(2, n) if t * t % n == n - 1), 2)
        return tuple((a, _folded(times * a, n)) for a in range(1, half + 1))
    left = [a for _ in range(3) for a in range(1, half + 1)]
    right = [(a + shift) % half + 1 for shift in (0, 1, 2) for a in range(1, half + 1)]
    return _annealed(left, right, n)


def _folded(x: int, n: int) -> int:
    return min(x % n, -x % n)


TEMPERATURE = 0.5  # n up to 45 take a second at most, the others up to 63 a few


def _annealed(left: list[int], right: list[int], n: int) -> tuple[tuple[int, int], ...]:
    """Change partners until all sums and differences come equally often."""
    chance = random.Random(0).random
    often = [0] * (n // 2 + 1)
    for a, b in zip(left, right, strict=True):
        for one in _made_of(a, b, n):
            often[one] += 1
    goal = 2 * len(left) // (n // 2)
    while any(times != goal for times in often[1:]):
        i, j = int(chance() * len(left)), int(chance() * len(left))
        if left[i] == right[j] or left[j] == right[i]:
            continue
        before = (*_made_of(left[i], right[i], n), *_made_of(left[j], right[j], n))
        after = (*_made_of(left[i], right[j], n), *_made_of(left[j], right[i], n))
        worse = _moved(often, before, after, goal)
        if worse <= 0 or chance() < math.exp(-worse / TEMPERATURE):
            right[i], right[j] = right[j], right[i]
        else:
            _moved(often, after, before, goal)
    return tuple(zip(left, right, strict=True))


def _made_of(a: int, b: int, n: int) -> tuple[int, int]:
    return _folded(a - b, n), _folded(a + b, n)


def _moved(often: list[int], before: Iterable[int], after: Iterable[int], goal: int) -> int:
    """Count ``after`` in place of ``before``; by how much the squares of the distances to the goal grew."""
    grown = 0
    for ones, sign in ((before, -1), (after, 1)):
        for one in ones:
            grown += 1 + 2 * sign * (often[one] - goal)
            often[one] += sign
    return grown
