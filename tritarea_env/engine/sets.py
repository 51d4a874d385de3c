"""Sets of small numbers as bits, and how they become flags and choices.

A set of up to 62 numbers is one int64: bit ``i`` stands for number ``i``. The set of legal actions, which may be
larger, is a tuple of such words with ``WORD`` actions each: action ``a`` is bit ``a % WORD`` of word ``a // WORD``.
"""

import numpy as np

from .compile import inlined

WORD = 56  # seven whole bytes, so that each word's flags are written by table
ALL = (1 << WORD) - 1
FLAGS = np.array([[byte >> i & 1 for i in range(8)] for byte in range(256)], np.int8)  # the bits of each byte


@inlined
def size(bits):
    """How many numbers a set holds."""
    n = 0
    while bits != 0:
        bits &= bits - 1
        n += 1
    return n


@inlined
def nth(bits, n):
    """The number that has ``n`` smaller ones in the set."""
    for _ in range(n):
        bits &= bits - 1
    return size((bits & -bits) - 1)


@inlined
def write_flags(bits, n, out, at):
    """Write which of 0 … n-1 are in the set to ``out[at:at + n]``, as 0 or 1, eight at a time.

    Fast where ``n`` and ``at`` are constants.
    """
    for i in range(n // 8):
        byte = bits >> 8 * i & 255
        for k in range(8):
            out[at + 8 * i + k] = FLAGS[byte, k]
    for k in range(n // 8 * 8, n):
        out[at + k] = bits >> k & 1


# Who has done what, of up to four seats: groups of four bits, one a seat, twelve groups in an int64
SEATS, GROUPS_A_WORD = 4, 12
STARTS = np.array([sum(((1 << n) - 1) << SEATS * i for i in range(GROUPS_A_WORD)) for n in range(SEATS + 1)], np.int64)


@inlined
def turned(bits, seat, seats):
    """The groups of a word, each turned among its first ``seats`` bits so that ``seat``'s comes first."""
    return (bits >> seat & STARTS[seats - seat]) | (bits & STARTS[seat]) << seats - seat


@inlined
def group_bit(i, s):
    """The bit of seat ``s`` in group ``i``, which is counted from the word's first."""
    return np.int64(1) << (SEATS * np.int64(i) + s)


@inlined
def shifted(bits, by):
    """The set of actions, in two words, of each number of the set ``bits`` plus ``by``."""
    if by < WORD:
        return bits << by & ALL, bits >> (WORD - by)
    return np.int64(0), bits << (by - WORD)


@inlined
def union(actions, others):
    """The actions in either of two sets of actions in two words."""
    return actions[0] | others[0], actions[1] | others[1]


@inlined
def has_action(actions, a):
    """Whether action ``a`` (any integer from 0 on) is in a set of actions."""
    for word in actions:
        if a < WORD:
            return word >> a & 1 == 1
        a -= WORD
    return False


@inlined
def count_actions(actions):
    """How many actions a set of actions holds."""
    n = 0
    for word in actions:
        n += size(word)
    return n


@inlined
def nth_action(actions, n):
    """The action that has ``n`` smaller ones in a set of actions, which holds more than ``n``."""
    first = 0
    for word in actions:
        here = size(word)
        if n < here:
            return first + nth(word, n)
        n -= here
        first += WORD
    return -1
