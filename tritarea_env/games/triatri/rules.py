"""TriATri as data: parts, actions, options, and the record that is one game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...engine.compile import records

MOST_SEATS = 4
COLOURS = ("red", "blue", "green")
LETTERS = "RBG"
NUMBER_CARDS = 21
IMITATION = 21  # the id of every imitation card; it has no colour
COLOURLESS = IMITATION // 7
GEMS = 6  # of each colour
ROUNDS = 3
TRICKS = 5
CARDS_A_SEAT = TRICKS + 1  # one decides the start player

# B1, by number of players
HIGHEST = (0, 0, 6, 7, 8)
IMITATIONS = (0, 0, 2, 1, 3)
DECKS = tuple(  # card ids, ascending; rows of one length, filled up with -1
    tuple(card for card in range(NUMBER_CARDS) if card % 7 + 2 <= highest) + (IMITATION,) * imitations
    for highest, imitations in zip(HIGHEST, IMITATIONS, strict=True)
)
DECK = np.array([deck + (-1,) * (24 - len(deck)) for deck in DECKS], dtype=np.int8)
DECK_SIZE = np.array([len(deck) for deck in DECKS], dtype=np.int64)

# B7
PHASES = ("bid", "prize", "play", "end")
BID, PRIZE, PLAY, END = range(4)
ACTIONS = 28
FROM_SUPPLY = 22
FROM_OWN = 25

# where a seat's points come from; they sum to its score
SOURCES = ("sets", "pairs", "leftovers", "special win")
SETS, PAIRS, LEFTOVERS, SPECIAL = range(4)
SPECIAL_SCORE = 100

# One game. A hand is the sum of 1 << card over its cards: number cards are bits, and the bits from
# IMITATION on count the imitations (three at most). -1 stands for "none". Rows beyond the players stay blank.
GAME = records(
    [
        ("stream", np.uint64),  # key of this row's random stream
        ("episode", np.int64),  # which game of the stream this is
        ("hand", np.int64, (MOST_SEATS,)),
        ("next_deal", np.int64, (MOST_SEATS,)),  # the hands of the deal to come
        ("seen", np.int64, (2,)),  # who has played which number card this round: twelve cards each, see ``turned``
        ("imitated", np.int64),  # who has played an imitation in which trick of the round
        ("scores", np.int16, (MOST_SEATS,)),  # 0 until the end
        ("points", np.int16, (MOST_SEATS, len(SOURCES))),
        ("decision", np.int16),  # decisions made so far in this game
        ("dealt", np.int16),  # deals so far in this game
        ("gems", np.int8, (MOST_SEATS, 3)),
        ("supply", np.int8, (3,)),
        ("hand_size", np.int8, (MOST_SEATS,)),
        ("bids", np.int8, (MOST_SEATS,)),
        ("played", np.int8, (MOST_SEATS,)),  # card of this trick as it was played
        ("lying", np.int8, (MOST_SEATS,)),  # card of this trick that lies before the seat now, swaps counted
        ("strength", np.int8, (MOST_SEATS,)),  # and its value
        ("past", np.int8, (MOST_SEATS, TRICKS)),  # card played in each finished trick of the round
        ("when", np.int8, (NUMBER_CARDS,)),  # the trick in which a card was played this round; 0: not played
        ("voids", np.int8, (MOST_SEATS,)),  # colours (bits) that the seat has shown not to hold since the deal
        ("prize", np.int8),
        ("starter", np.int8),  # the seat that starts this trick
        ("round_number", np.int8),
        ("trick", np.int8),
        ("phase", np.int8),
        ("seat", np.int8),  # the seat to move; -1 at the end
        ("players", np.int8),
        ("round_ended", np.int8),  # 1 if the last decision ended a round
        ("done", np.int8),
        ("spare", np.int8, (3,)),  # fills the record up: unnamed padding would not be copied, nor compare equal
    ]
)

DEFAULTS_OF_OPTIONS: dict[str, Any] = {"players": 4}


def card_name(card: int) -> str:
    """``R2`` … ``G8``: the colour and the number; ``imitation``."""
    return "imitation" if card == IMITATION else f"{LETTERS[card // 7]}{card % 7 + 2}"


ACTION_NAMES: tuple[str, ...] = (
    *(f"card {card_name(c)}" for c in range(IMITATION + 1)),
    *(f"prize from the supply: {colour}" for colour in COLOURS),
    *(f"prize from own gems: {colour}" for colour in COLOURS),
)


def check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a game, defaults filled in.

    Raises:
        ValueError: an unknown option, or a number of players that there is no game for.
    """
    unknown = set(options) - set(DEFAULTS_OF_OPTIONS)
    if unknown:
        raise ValueError(f"unknown options {sorted(unknown)}; there are {sorted(DEFAULTS_OF_OPTIONS)}")
    players = {**DEFAULTS_OF_OPTIONS, **options}["players"]
    if isinstance(players, bool) or not isinstance(players, (int, np.integer)) or not 2 <= players <= MOST_SEATS:
        raise ValueError(f"players is 2, 3 or 4, not {players!r}")
    return {"players": int(players)}


def sides(options: Mapping[str, Any]) -> list[int]:
    """For each seat the player for whom its score counts."""
    return list(range(options["players"]))


def configure(games: np.recarray, options: Mapping[str, Any]) -> None:
    """Write checked options into every record of ``games``."""
    games.players[:] = options["players"]
