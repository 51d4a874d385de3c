"""The observation: everything a seat may know (B6), egocentric (the seat itself is 0, then clockwise).

One layout for 2, 3 and 4 players: seats that nobody holds stay 0. Written as small integers (uint8) in the order
of ``FIELDS``; divided by each field's maximum they are the float observation. ``STATE_FIELDS`` adds the hidden
hands, for central critics.
"""

import numpy as np

from ...engine.compile import inlined, kernel
from ...engine.sets import GROUPS_A_WORD, turned, write_flags
from ..base import lay_out
from .information import bid_is_open
from .rules import GEMS, IMITATION, IMITATIONS, MOST_SEATS, NUMBER_CARDS, ROUNDS, TRICKS

_MOST_IMITATIONS = max(IMITATIONS)
_MOST_VALUE = 16
_EACH = (NUMBER_CARDS, MOST_SEATS)

_ROWS = [
    ("hand", (NUMBER_CARDS,), 1, "number cards of the seat's own hand", "cards"),
    ("seen", _EACH, 1, "number cards played this round, this trick's included, by who played them", "cards"),
    ("when", (NUMBER_CARDS,), TRICKS, "the trick in which the card was played; 0: not played", "cards"),
    ("lying", _EACH, 1, "number cards of this trick, by the seat before which they lie now, swaps counted", "cards"),
    ("bids", _EACH, 1, "number cards picked for the start player, as far as known, by seat", "cards"),
    ("voids", (3, MOST_SEATS), 1, "colours that a seat has shown not to hold", "colours"),
    ("gems", (3, MOST_SEATS), GEMS, "gems by seat", "colours"),
    ("supply", (3,), GEMS, "gems of the common supply", "colours"),
    ("prize", (3,), 1, "the prize of this trick", "colours"),
    ("hand_imitations", (1,), _MOST_IMITATIONS, "imitations of the seat's own hand", ""),
    ("imitations", (TRICKS, MOST_SEATS), 1, "imitations played this round, by trick and seat", ""),
    ("bid_imitation", (MOST_SEATS,), 1, "seats that picked an imitation for the start player, as far as known", ""),
    ("value", (MOST_SEATS,), _MOST_VALUE, "value now of the card before each seat, swaps counted", ""),
    ("has_played", (MOST_SEATS,), 1, "seats that have played in this trick", ""),
    ("starter", (MOST_SEATS,), 1, "the seat that starts this trick (not in bid)", ""),
    ("to_move", (MOST_SEATS,), 1, "the seat that acts", ""),
    ("bids_first", (MOST_SEATS,), 1, "seat 0, which picks first for the start player, then clockwise", ""),
    ("round", (ROUNDS,), 1, "the round: 1, 2, 3", ""),
    ("trick", (TRICKS + 1,), 1, "the trick: 0 (before the first) … 5", ""),
    ("phase", (4,), 1, "bid, prize, play, end", ""),
    ("players", (3,), 1, "the number of players: 2, 3, 4", ""),
]
FIELDS = lay_out(_ROWS)
_HIDDEN = [
    ("hands", (MOST_SEATS, NUMBER_CARDS), 1, "number cards in the hand of each seat", ""),
    ("hands_imitations", (MOST_SEATS,), _MOST_IMITATIONS, "imitations in the hand of each seat", ""),
]
STATE_FIELDS = lay_out([*_ROWS, *_HIDDEN])
GROUPS = {"cards": (NUMBER_CARDS,), "colours": (3,)}

(
    _HAND, _SEEN, _WHEN, _LYING, _BIDS, _VOIDS, _GEMS, _SUPPLY, _PRIZE, _HAND_IMITATIONS, _IMITATIONS, _BID_IMITATION,
    _VALUE, _HAS_PLAYED, _STARTER, _TO_MOVE, _BIDS_FIRST, _ROUND, _TRICK, _PHASE, _PLAYERS,
) = (field.offset for field in FIELDS)  # fmt: skip
_SEEN_LATER = _SEEN + MOST_SEATS * GROUPS_A_WORD
_HANDS, _HANDS_IMITATIONS = (field.offset for field in STATE_FIELDS[-2:])


# A row of a field has an entry for each seat, the observer's first. ``r``: where seat ``s`` stands in it. All seats are
# gone through, those too that nobody holds and where nothing is.


@inlined
def write_past(g, seat, out):
    """What was played this round: who, when, and the imitations."""
    write_flags(turned(g.seen[0], seat, g.players), MOST_SEATS * GROUPS_A_WORD, out, _SEEN)
    write_flags(turned(g.seen[1], seat, g.players), MOST_SEATS * (NUMBER_CARDS - GROUPS_A_WORD), out, _SEEN_LATER)
    write_flags(turned(g.imitated, seat, g.players), MOST_SEATS * TRICKS, out, _IMITATIONS)
    for card in range(NUMBER_CARDS):
        out[_WHEN + card] = g.when[card]


@inlined
def write_trick(g, s, r, out):
    """The card that lies before seat ``s``."""
    lies = np.int64(g.lying[s])
    number = 0 <= lies < IMITATION
    out[_LYING + MOST_SEATS * (lies if number else 0) + r] |= number
    out[_HAS_PLAYED + r] = lies >= 0
    out[_VALUE + r] = g.strength[s]


@inlined
def write_bid(g, s, r, is_open, out):
    bid = np.int64(g.bids[s])
    number = is_open and 0 <= bid < IMITATION
    out[_BIDS + MOST_SEATS * (bid if number else 0) + r] |= number
    out[_BID_IMITATION + r] = is_open and bid == IMITATION


@inlined
def write_seat(g, s, r, out):
    for colour in range(3):
        out[_VOIDS + MOST_SEATS * colour + r] = g.voids[s] >> colour & 1
        out[_GEMS + MOST_SEATS * colour + r] = g.gems[s, colour]
    out[_STARTER + r] = g.starter == s
    out[_TO_MOVE + r] = g.seat == s
    out[_BIDS_FIRST + r] = s == 0


@inlined
def write_table(g, out):
    for colour in range(3):
        out[_SUPPLY + colour] = g.supply[colour]
    if g.prize >= 0:
        out[_PRIZE + np.int64(g.prize)] = 1
    out[_ROUND - 1 + np.int64(g.round_number)] = 1
    out[_TRICK + np.int64(g.trick)] = 1
    out[_PHASE + np.int64(g.phase)] = 1
    out[_PLAYERS - 2 + np.int64(g.players)] = 1


@inlined
def write_hand(g, s, numbers, imitations, out):
    """The hand of seat ``s`` to the offsets ``numbers`` (21 entries) and ``imitations``."""
    hand = np.int64(g.hand[s])
    write_flags(hand, NUMBER_CARDS, out, numbers)
    out[imitations] = hand >> IMITATION


@inlined
def write(g, seat, open_all, out):
    """What ``seat`` sees into ``out``; with ``open_all``, unrevealed bids too."""
    seat, players = np.int64(seat) & 3, np.int64(g.players)
    out[:] = 0
    write_hand(g, seat, _HAND, _HAND_IMITATIONS, out)
    write_past(g, seat, out)
    for s in range(MOST_SEATS):
        r = s - seat + (players if s < seat else 0) if s < players else s
        write_trick(g, s, r, out)
        write_seat(g, s, r, out)
        write_bid(g, s, r, open_all or bid_is_open(g, seat, s), out)
    write_table(g, out)


@kernel
def observe(g, seat, out):
    """Write the observation (d,) uint8 of any ``seat``."""
    write(g, seat, False, out)


@kernel
def state(g, out):
    """Write the state (m,) uint8: all that is on the table and in the hands, absolute seats."""
    write(g, 0, True, out)
    for s in range(MOST_SEATS):
        write_hand(g, s, _HANDS + NUMBER_CARDS * s, _HANDS_IMITATIONS + s, out)
