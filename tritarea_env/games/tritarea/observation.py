"""The observation: everything a seat may know (A8), egocentric (the seat itself is 0, then clockwise).

Written as small integers (uint8) in the order of ``FIELDS``; divided by each field's maximum they are the
float observation. ``STATE_FIELDS`` adds the hidden hands, for central critics.
"""

import numpy as np

from ...engine.compile import inlined, kernel
from ...engine.sets import GROUPS_A_WORD, turned, write_flags
from ..base import lay_out
from .information import declaration_open, leftovers_open
from .rules import CARDS, MOST_ON_A_SQUARE, ROUNDS, SEATS, SQUARES, TRICKS
from .settlement import declared_card

ENDS = 3  # the lowest three and the top three blocks of a building are given one by one

_ROWS = [
    ("hand", (CARDS,), 1, "the seat's own hand", "cards"),
    ("seen", (CARDS, SEATS), 1, "cards played this round, this trick's included, by who played them", "cards"),
    ("trick", (CARDS,), 1, "cards of this trick", "cards"),
    ("declared", (CARDS, SEATS), 1, "declared cards as far as known, by seat (round 2: leftovers once open)", "cards"),
    ("area", (4, 4, 4), 1, "the square's area (concept)", "board"),
    ("bonus", (4, 4), 3, "the square's printed bonus", "board"),
    ("height", (4, 4), MOST_ON_A_SQUARE, "blocks on the square", "board"),
    ("lowest", (4, 4, ENDS, SEATS), 1, "owner of the lowest, second and third lowest block", "board"),
    ("top", (4, 4, ENDS, SEATS), 1, "owner of the top, second and third block from above", "board"),
    ("count", (4, 4, SEATS), MOST_ON_A_SQUARE, "blocks of each colour in the building", "board"),
    (
        "first",
        (4, 4, SEATS),
        4,
        "order of first appearance from below: 4 for the lowest colour, 3 for the next …",
        "board",
    ),
    ("built", (4, 4), 1, "the square just built on (phase extra)", "board"),
    ("scores", (SEATS,), 255, "scores by seat", ""),
    ("blocks", (SEATS,), 9, "blocks in hand by seat", ""),
    ("sold", (SEATS,), 9, "blocks sold by seat", ""),
    ("rank", (SEATS,), 10, "rank now of each seat's card in this trick, changed fives counted", ""),
    ("leader", (SEATS,), 1, "the seat that leads this trick", ""),
    ("start_player", (SEATS,), 1, "this round's start player", ""),
    ("to_move", (SEATS,), 1, "the seat that acts", ""),
    ("rightholder_1", (SEATS,), 1, "rightholder 1 (construction only)", ""),
    ("rightholder_2", (SEATS,), 1, "rightholder 2 (construction only)", ""),
    ("adopted", (4,), 1, "adopted concept (construction only)", ""),
    ("round", (ROUNDS,), 1, "the round: 1, 2, 3", ""),
    ("trick_number", (TRICKS + 1,), 1, "the trick: 0 (before the first) … 8", ""),
    ("phase", (9,), 1, "declare, sell, play, five, build, extra, five_default, five_settle, end", ""),
    ("npc", (SEATS,), 1, "seats that no player holds", ""),
    ("team", (SEATS,), 1, "with two players: the seat and its partner", ""),
    ("adjacency_any", (1,), 1, "option adjacency='any'", ""),
    ("voluntary_default", (1,), 1, "option voluntary_default", ""),
]
FIELDS = lay_out(_ROWS)
STATE_FIELDS = lay_out([*_ROWS, ("hands", (SEATS, CARDS), 1, "the hand of each seat", "")])
GROUPS = {"cards": (CARDS,), "board": (4, 4)}

_AT = {field.name: field.offset for field in FIELDS}
(_HAND, _SEEN, _TRICK, _DECLARED, _AREA, _BONUS, _HEIGHT, _LOWEST, _TOP, _COUNT, _FIRST, _BUILT) = (
    field.offset for field in FIELDS[:12]
)
_SCORES, _BLOCKS, _SOLD, _RANK = _AT["scores"], _AT["blocks"], _AT["sold"], _AT["rank"]
_LEADER, _START, _TO_MOVE, _RIGHT_1, _RIGHT_2 = (
    _AT[name] for name in ("leader", "start_player", "to_move", "rightholder_1", "rightholder_2")
)
_ADOPTED, _ROUND, _TRICK_NUMBER, _PHASE = _AT["adopted"], _AT["round"], _AT["trick_number"], _AT["phase"]
_NPC, _TEAM, _ANY, _VOLUNTARY = _AT["npc"], _AT["team"], _AT["adjacency_any"], _AT["voluntary_default"]
_HANDS = STATE_FIELDS[-1].offset


# What belongs to the four seats is handled as a *word*: an int64 whose four lowest bytes are the seats 0 … 3. There
# are hardly any branches: those that depend on the position cost more than what they save.


@inlined
def word_of(values, at):
    """The word of four small numbers, none negative: ``values[at:at + 4]``."""
    return byte(values[at]) | byte(values[at + 1]) << 8 | byte(values[at + 2]) << 16 | byte(values[at + 3]) << 24


@inlined
def byte(value):
    return np.int64(value) & 255


@inlined
def word_of_seat(s):
    """The word with 1 for one seat and 0 for the others; all 0 for no seat (-1)."""
    return np.int64(s >= 0) << (8 * (np.int64(s) & 3))


@inlined
def write_word(word, out, at):
    """Write a word to ``out[at:at + 4]``."""
    for r in range(SEATS):
        out[at + r] = word >> 8 * r & 255


@inlined
def put(word, seat, out, at):
    """Write a word to ``out[at:at + 4]``, turned so that ``seat`` comes first."""
    write_word(word >> 8 * seat | word << 32 - 8 * seat, out, at)


@inlined
def write_cards(g, seat, open_all, out):
    write_flags(g.hand[seat], CARDS, out, _HAND)
    for i in range(CARDS // GROUPS_A_WORD):
        write_flags(turned(g.seen[i], seat, SEATS), SEATS * GROUPS_A_WORD, out, _SEEN + SEATS * GROUPS_A_WORD * i)
    trick = np.int64(0)
    for s in range(SEATS):
        trick |= np.int64(g.played[s] >= 0) << (np.int64(g.played[s]) & 63)
    write_flags(trick, CARDS, out, _TRICK)
    if g.round_number == ROUNDS or leftovers_open(g):
        write_declared(g, seat, open_all, out)


@inlined
def write_declared(g, seat, open_all, out):
    for s in range(SEATS):
        card = declared_card(g, s)
        if card >= 0 and (open_all or g.round_number < ROUNDS or declaration_open(g, seat, s)):
            out[_DECLARED + SEATS * card + (s - seat & 3)] = 1


@inlined
def write_ends(g, seat, out):
    """The owners of the lowest and of the top blocks of each building."""
    for q in range(SQUARES):
        h, stack = np.int64(g.height[q]), g.stack[q]
        for i in range(ENDS):
            there, at = np.int64(h > i), SEATS * (ENDS * q + i)
            lowest, top = stack >> 2 * i, stack >> (2 * (h - 1 - i) & 63)
            write_word(there << 8 * (lowest - seat & 3), out, _LOWEST + at)
            write_word(there << 8 * (top - seat & 3), out, _TOP + at)


@inlined
def write_board(g, seat, out):
    for q in range(0, SQUARES, 4):
        write_word(word_of(g.bonus, q), out, _BONUS + q)
        write_word(word_of(g.height, q), out, _HEIGHT + q)
    for q in range(SQUARES):
        write_word(word_of_seat(g.area[q]), out, _AREA + 4 * q)
    for q in range(SQUARES):
        put(word_of(g.count[q], 0), seat, out, _COUNT + SEATS * q)
    for q in range(SQUARES):
        put(word_of(g.first[q], 0), seat, out, _FIRST + SEATS * q)
    write_ends(g, seat, out)
    if g.built >= 0:
        out[_BUILT + np.int64(g.built)] = 1


@inlined
def write_seats(g, seat, out):
    for r in range(SEATS):
        s = (seat + r) % SEATS
        out[_SCORES + r] = min(np.int64(g.scores[s]), 255)
        out[_RANK + r] = max(np.int64(g.rank[s]), 0)
        out[_NPC + r] = s >= g.players
        out[_TEAM + r] = g.players == 2 and r % 2 == 0
    put(word_of(g.blocks, 0), seat, out, _BLOCKS)
    put(word_of(g.sold, 0), seat, out, _SOLD)
    put(word_of_seat(g.leader), seat, out, _LEADER)
    put(word_of_seat(g.start_player), seat, out, _START)
    put(word_of_seat(g.seat), seat, out, _TO_MOVE)
    put(word_of_seat(g.rightholders[0]), seat, out, _RIGHT_1)
    put(word_of_seat(g.rightholders[1]), seat, out, _RIGHT_2)


@inlined
def write(g, seat, open_all, out):
    """What ``seat`` sees into ``out``; with ``open_all``, unrevealed declarations too."""
    seat = np.int64(seat) & 3
    out[_DECLARED:_AREA] = 0
    out[_BUILT:] = 0
    write_cards(g, seat, open_all, out)
    write_board(g, seat, out)
    write_seats(g, seat, out)
    if g.adopted >= 0:
        out[_ADOPTED + np.int64(g.adopted)] = 1
    out[_ROUND - 1 + np.int64(g.round_number)] = 1
    out[_TRICK_NUMBER + np.int64(g.trick)] = 1
    out[_PHASE + np.int64(g.phase)] = 1
    out[_ANY] = g.adjacency_any
    out[_VOLUNTARY] = g.voluntary_default


@kernel
def observe(g, seat, out):
    """Write the observation (d,) uint8 of any ``seat``."""
    write(g, seat, False, out)


@kernel
def state(g, out):
    """Write the state (m,) uint8: all that is on the table and in the hands, absolute seats."""
    write(g, 0, True, out)
    for s in range(SEATS):
        write_flags(g.hand[s], CARDS, out, _HANDS + CARDS * s)
