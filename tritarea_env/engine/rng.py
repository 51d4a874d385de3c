"""Random streams as data: counter-based, mixed in compiled code, no global state.

A *key* is a uint64. ``derive(key, i)`` gives the i-th child key; children of distinct indices are
unrelated for all practical purposes, so (seed, game, episode, deal) make a tree in which every leaf can be
reached without walking the others. The mixer is the finaliser of SplitMix64 (Steele, Lea, Flood 2014, with
David Stafford's constants "Mix13").
"""

import numpy as np

from .compile import kernel, wrapping_kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_ONE = np.uint64(1)


@wrapping_kernel
def mix(x):
    """uint64 -> uint64, a bijection that scatters every bit."""
    x = (x ^ (x >> _S30)) * _M1
    x = (x ^ (x >> _S27)) * _M2
    return x ^ (x >> _S31)


@wrapping_kernel
def derive(key, index):
    """Child ``index`` (any integer >= 0) of ``key``; both mixed, so that children of neighbours differ."""
    return mix(mix(key + _GOLDEN) + _GOLDEN * (np.uint64(index) + _ONE))


@wrapping_kernel
def blind(key):
    """A key from which ``key`` cannot be computed back, for hands that must not learn it.

    ``mix`` and so ``derive`` are bijections that anyone can invert; the sum of two different ones is not.
    """
    return mix(key) + mix(key ^ _M1)


@kernel
def below(word, n):
    """A number in 0..n-1 (int64) from a random uint64; the bias is below n / 2**32."""
    return np.int64(((word >> _S32) * np.uint64(n)) >> _S32)


@kernel
def shuffle(key, items, n):
    """Bring the first ``n`` of ``items`` into a random order, every order equally likely (Fisher-Yates)."""
    for i in range(n - 1, 0, -1):
        j = below(derive(key, i), i + 1)
        items[i], items[j] = items[j], items[i]


@kernel
def derive_many(key, start, out):
    """Fill ``out`` (n,) uint64 with children ``start``, ``start`` + 1, … of ``key``."""
    for i in range(out.shape[0]):
        out[i] = derive(key, start + i)


def key_of(seed: int) -> np.uint64:
    """The root key of an integer seed.

    Raises:
        TypeError: ``seed`` is not an integer.
        ValueError: ``seed`` is outside 0 … 2**64 - 1.
    """
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"a seed is an integer in 0 … 2**64-1, not {seed!r}")
    if not 0 <= int(seed) < 2**64:
        raise ValueError(f"a seed is an integer in 0 … 2**64-1, not {seed}")
    return np.uint64(mix(np.uint64(int(seed)) ^ _M2))


def child(key: np.uint64, *path: int) -> np.uint64:
    """The key reached from ``key`` by child indices, for callers in Python (compiled code calls ``derive``)."""
    for index in path:
        key = np.uint64(derive(np.uint64(key), index))
    return key
