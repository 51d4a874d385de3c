"""Rewards that games have in common."""

import numpy as np

from .compile import kernel


@kernel
def share(won, s):
    """Seat's share of the win: 1/k for each of the k seats in the set ``won`` (bits)."""
    k = np.int64(0)
    left = np.int64(won)
    while left:
        k += left & 1
        left >>= 1
    return (won >> s & 1) / k


@kernel
def shares_above_even(won, out):
    """``outcome`` (seats,) float64 of every seat: its share of the win, less an even one."""
    for s in range(out.shape[0]):
        out[s] = share(won, s) - 1.0 / out.shape[0]


@kernel
def margins(scores, before, unit, out):
    """Each seat's gain since ``before`` (seats,) less the mean of the others', in ``unit``, into ``out`` (seats,)."""
    n = out.shape[0]
    total = np.int64(0)
    for s in range(n):
        total += scores[s] - before[s]
    for s in range(n):
        own = np.int64(scores[s] - before[s])
        out[s] = (own - (total - own) / (n - 1.0)) / unit
