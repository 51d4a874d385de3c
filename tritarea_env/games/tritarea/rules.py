"""Tri*T*Area as data: parts, boards, actions, options, and the record that is one game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...engine.compile import records
from ...engine.sets import GROUPS_A_WORD

SEATS = 4
CONCEPTS = ("Intelligent", "Modern", "Ecology", "Happiness")
LETTERS = "BYGR"  # the concepts' colours: blue, yellow, green, red
CARDS = 36
SQUARES = 16
ROUNDS = 3
TRICKS = 8

AREA_POINTS = np.array([[8, 2], [7, 3], [5, 5], [4, 6]], dtype=np.int64)  # A1: first, second
CARDS_A_SEAT = (8, 9, 9)
BLOCKS_A_SEAT = (7, 8, 9)
MOST_ON_A_SQUARE = 3 * TRICKS  # a trick puts at most one block of rightholder 1 and two of 2 on one square

BOARDS: dict[str, dict[str, tuple[int, ...]]] = {
    "pinwheel": {
        "areas": (0, 0, 0, 1, 2, 0, 1, 1, 2, 2, 3, 1, 2, 3, 3, 3),
        "bonus": (3, 1, 2, 3, 2, 0, 0, 1, 1, 0, 0, 2, 3, 2, 1, 3),
    }
}
# NEIGHBOURS[q]: the set (bits) of squares orthogonally adjacent to square q
NEIGHBOURS = np.array(
    [sum(1 << p for p in range(16) if abs(p // 4 - q // 4) + abs(p % 4 - q % 4) == 1) for q in range(SQUARES)],
    dtype=np.int64,
)

# A10
PHASES = ("declare", "sell", "play", "five", "build", "extra", "five_default", "five_settle", "end")
DECLARE, SELL, PLAY, FIVE, BUILD, EXTRA, FIVE_DEFAULT, FIVE_SETTLE, END = range(9)
ACTIONS = 82
KEEP, TO_ZERO, TO_TEN = 36, 37, 38
ONE_BLOCK = 39
TWO_BLOCKS = 55
PASS = 71
SELL_NONE = 72

# where a seat's points come from; they sum to its score
SOURCES = ("bonus", "areas", "tower", "declaration", "sale", "fives", "defaults", "blocks left")
BONUS, AREAS, TOWER, DECLARATION, SALE, FIVES, DEFAULTS, BLOCKS_LEFT = range(8)

FIVE_CARDS = sum(1 << (9 * concept + 4) for concept in range(4))
DECKS = np.array(  # by round: the set of cards in play (A2)
    [(1 << CARDS) - 1 - FIVE_CARDS, (1 << CARDS) - 1, (1 << CARDS) - 1], dtype=np.int64
)
# A6.1, comparing what two seats top in an area: more buildings first, then the tallest, the second tallest …
# A sum of STANDING[height] over the buildings orders seats just so: at most four buildings, so base 5 has no carry.
STANDING = np.array([0] + [5 ** (MOST_ON_A_SQUARE + 1) + 5**h for h in range(1, MOST_ON_A_SQUARE + 1)], dtype=np.int64)

# One game. Sets of cards or squares are bits; -1 stands for "none". What every decision touches comes first, so that
# it shares few cache lines.
GAME = records(
    [
        ("stream", np.uint64),  # key of this row's random stream
        ("episode", np.int64),  # which game of the stream this is
        ("hand", np.int64, (SEATS,)),
        ("squares", np.int32, (4,)),  # the squares of each area
        ("decision", np.int16),  # decisions made so far in this game
        ("scores", np.int16, (SEATS,)),
        ("phase", np.int8),
        ("seat", np.int8),  # the seat to move; -1 at the end
        ("leader", np.int8),
        ("trick", np.int8),
        ("round_number", np.int8),
        ("adopted", np.int8),
        ("built", np.int8),
        ("rightholders", np.int8, (2,)),
        ("voluntary_default", np.int8),
        ("hand_size", np.int8, (SEATS,)),
        ("blocks", np.int8, (SEATS,)),
        ("sold", np.int8, (SEATS,)),
        ("declared", np.int8, (SEATS,)),
        ("played", np.int8, (SEATS,)),
        ("rank", np.int8, (SEATS,)),  # of the played card, changes of fives counted; -1 before it is played
        ("start_player", np.int8),
        ("players", np.int8),
        ("adjacency_any", np.int8),
        ("round_ended", np.int8),  # 1 if the last decision ended a round: `scores` are settled
        ("done", np.int8),
        ("spare", np.int8, (7,)),  # fills the record up: unnamed padding would not be copied, nor compare equal
        ("topped", np.int32, (SEATS,)),  # the squares whose building a seat tops
        ("within", np.int32, (SEATS,)),  # the squares in whose building a seat has a block
        ("height", np.int8, (SQUARES,)),
        ("count", np.int8, (SQUARES, SEATS)),  # blocks of each colour in a building
        ("first", np.int8, (SQUARES, SEATS)),  # which colour came first: 4 for the lowest, 3 for the next …; 0: none
        ("area", np.int8, (SQUARES,)),
        ("bonus", np.int8, (SQUARES,)),
        (
            "seen",
            np.int64,
            (CARDS // GROUPS_A_WORD,),
        ),  # who has played which card this round: see ``turned``
        ("past", np.int8, (SEATS, TRICKS)),  # card played in each finished trick of the round
        ("stack", np.int64, (SQUARES,)),  # owner of each block, two bits each, lowest block in the lowest bits
        ("standing", np.int64, (4, SEATS)),  # by area: sum of STANDING over the buildings a seat tops
        ("points", np.int16, (SEATS, len(SOURCES))),
        ("deals", np.int64, (ROUNDS, SEATS)),  # the hands dealt in each round
    ],
)

DEFAULTS_OF_OPTIONS: dict[str, Any] = {
    "players": 4,
    "npc": "greedy",
    "adjacency": "top",
    "voluntary_default": False,
    "board": "pinwheel",
}


def card_name(card: int) -> str:
    """``B1`` … ``R9``: the concept's colour and the rank."""
    return f"{LETTERS[card // 9]}{card % 9 + 1}"


def square_name(square: int) -> str:
    """``a1`` … ``d4``: column letter and row number, both from the top left corner."""
    return f"{'abcd'[square % 4]}{square // 4 + 1}"


ACTION_NAMES: tuple[str, ...] = (
    *(f"card {card_name(c)}" for c in range(CARDS)),
    "keep the five",
    "five to 0",
    "five to 10",
    *(f"one block on {square_name(q)}" for q in range(SQUARES)),
    *(f"two blocks on {square_name(q)}" for q in range(SQUARES)),
    "pass",
    *(f"sell {n}" for n in range(10)),
)


def check_board(board: Any) -> dict[str, tuple[int, ...]]:
    """The areas and printed bonuses of a board given by name or as ``{"areas": […], "bonus": […]}``.

    Raises:
        ValueError: says what is wrong with the board and what would be right.
    """
    if isinstance(board, str):
        if board not in BOARDS:
            raise ValueError(f"no board is named {board!r}; there is {', '.join(map(repr, BOARDS))}")
        return BOARDS[board]
    if not isinstance(board, Mapping) or set(board) != {"areas", "bonus"}:
        raise ValueError(f"a board is a name or {{'areas': 16 numbers, 'bonus': 16 numbers}}, not {board!r}")
    checked = {}
    for key, low, high in (("areas", 0, 3), ("bonus", 0, 3)):
        values = board[key]
        if not isinstance(values, (list, tuple, np.ndarray)) or len(values) != SQUARES:
            raise ValueError(f"board {key!r} is a list of {SQUARES} numbers, not {values!r}")
        for square, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
                raise ValueError(f"board {key!r}[{square}] is a whole number in {low} … {high}, not {value!r}")
        checked[key] = tuple(int(v) for v in values)
    sizes = [checked["areas"].count(area) for area in range(4)]
    if sizes != [4, 4, 4, 4]:
        raise ValueError(f"each area of a board has four squares; these have {sizes}")
    return checked


def check_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a game, defaults filled in, the board spelled out unless it is named.

    Raises:
        ValueError: an unknown option, or a value that is not one of the option's.
    """
    unknown = set(options) - set(DEFAULTS_OF_OPTIONS)
    if unknown:
        raise ValueError(f"unknown options {sorted(unknown)}; there are {sorted(DEFAULTS_OF_OPTIONS)}")
    full = {**DEFAULTS_OF_OPTIONS, **options}
    players = full["players"]
    if isinstance(players, bool) or not isinstance(players, (int, np.integer)) or not 1 <= players <= SEATS:
        raise ValueError(f"players is 1, 2, 3 or 4, not {players!r}")
    if full["adjacency"] not in ("top", "any"):
        raise ValueError(f"adjacency is 'top' or 'any', not {full['adjacency']!r}")
    if not isinstance(full["voluntary_default"], (bool, np.bool_)):
        raise ValueError(f"voluntary_default is True or False, not {full['voluntary_default']!r}")
    if not isinstance(full["npc"], str):
        raise ValueError(f"npc is the spec of an agent, not {full['npc']!r}")
    board = check_board(full["board"])
    full["players"] = int(players)
    full["voluntary_default"] = bool(full["voluntary_default"])
    if not isinstance(full["board"], str):
        names = [name for name, known in BOARDS.items() if known == board]
        full["board"] = names[0] if names else {key: list(values) for key, values in board.items()}
    return full


def sides(options: Mapping[str, Any]) -> list[int]:
    """For each seat the player for whom its score counts; with two players the NPC opposite is the partner (A9)."""
    players = options["players"]
    return [0, 1, 0, 1] if players == 2 else [s if s < players else -1 for s in range(SEATS)]


def configure(games: np.recarray, options: Mapping[str, Any]) -> None:
    """Write checked options into every record of ``games``."""
    board = check_board(options["board"])
    games.area[:] = board["areas"]
    games.bonus[:] = board["bonus"]
    games.squares[:] = [sum(1 << q for q in range(SQUARES) if board["areas"][q] == area) for area in range(4)]
    games.players[:] = options["players"]
    games.adjacency_any[:] = options["adjacency"] == "any"
    games.voluntary_default[:] = options["voluntary_default"]
