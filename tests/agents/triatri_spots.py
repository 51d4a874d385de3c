"""Positions of TriATri with a plain answer: ``R2`` … ``G8`` are cards, ``im`` an imitation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from deciding import Spot, decide, state_after

from tritarea_env import games
from tritarea_env.games.triatri import rules

GAME = games.get("triatri")
RED, BLUE, GREEN = (f"prize from the supply: {colour}" for colour in rules.COLOURS)
OWN_RED, OWN_BLUE, OWN_GREEN = (f"prize from own gems: {colour}" for colour in rules.COLOURS)


def card_of(name: str) -> int:
    return rules.IMITATION if name == "im" else 7 * rules.LETTERS.index(name[0]) + int(name[1]) - 2


def cards(names: str) -> list[int]:
    return [card_of(name) for name in names.split()]


def action_of(name: str) -> str:
    """What playing a card is called."""
    return "card imitation" if name == "im" else f"card {name}"


def deck_without(players: int, taken: list[int]) -> list[int]:
    """The cards that are left, imitations first, then by number."""
    left = Counter(rules.DECKS[players]) - Counter(taken)
    return sorted(left.elements(), key=lambda card: 0 if card == rules.IMITATION else card % 7 + 2)


def position(gems: Sequence[Sequence[int]], hands: dict[int, str], round_: int = 3) -> dict[str, Any]:
    """The first prize of a round, picked by the seat that is given as the first of ``hands``.

    Args:
        gems: of every seat, seat 0 first.
        hands: by seat, beginnings of hands, filled up to five cards; the first one starts the trick.
    """
    players = len(gems)
    starter = next(iter(hands))
    given = {s: cards(hands.get(s, "")) for s in range(players)}
    rest = deck_without(players, [card for hand in given.values() for card in hand])
    highest = rest.pop()
    bids = [highest if s == starter else rest.pop(0) for s in range(players)]
    for hand in given.values():
        while len(hand) < 5:
            hand.append(rest.pop(0))
    nothing = [None] * players
    return {
        "game": "triatri", "players": players, "round": round_, "trick": 1, "phase": "prize", "seat": starter,
        "starter": starter, "supply": [6 - sum(own[c] for own in gems) for c in range(3)],
        "gems": [list(own) for own in gems], "hands": [sorted(given[s]) for s in range(players)], "prize": None,
        "bids": bids, "table": nothing, "scores": [], "played": nothing, "past": [[] for _ in gems],
        "voids": [[] for _ in gems],
    }  # fmt: skip


def bidding(hand: str, players: int) -> dict[str, Any]:
    """The start of the game, seat 0 with this hand."""
    own = cards(hand)
    rest = deck_without(players, own)
    return position([[0, 0, 0]] * players, {0: "R2"}, round_=1) | {
        "trick": 0,
        "phase": "bid",
        "starter": None,
        "hands": [own, *(rest[6 * s : 6 * s + 6] for s in range(players - 1))],
        "bids": [None] * players,
    }


def last_trick_of_two(gems: Sequence[Sequence[int]], own: str, other: str) -> dict[str, Any]:
    """Seat 0 picks the last prize of the game; it has won every trick with a higher card of the same colour."""
    past = [cards("R3 R5 B3 B5"), cards("R2 R4 B2 B4")]
    return position(gems, {0: own, 1: other}) | {
        "trick": 5,
        "bids": cards("B6 R6"),  # blue beats red
        "past": past,
        "hands": [cards(own), cards(other)],
    }


# The seats before seat 0, the last to play, follow with green cards, of which seat 1's 5 is the best.
GREENS = {1: "G5", 2: "G2", 3: "G3"}
# The same in red; the seat before seat 0 plays a red card with any number of players.
REDS = {1: "R6", 2: "R2", 3: "R3"}


def last_to_play(
    gems: Sequence[Sequence[int]], hand: str, round_: int = 3, prize: str = GREEN, theirs: dict[int, str] = GREENS
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Seat 0 is the last to play for a prize, a green one that the 5 of seat 1 wins otherwise.

    Returns a position, and the actions from there on.
    """
    others = range(1, len(gems))
    p = position(gems, {**{s: theirs[s] for s in others}, 0: hand}, round_)
    return p, (prize, *(action_of(theirs[s]) for s in others))


def decide_last(spec: str, gems: Sequence[Sequence[int]], hand: str, round_: int = 3) -> set[str]:
    """What the agent ``spec`` plays as the last to play for a green prize."""
    p, actions = last_to_play(gems, hand, round_)
    return decide(spec, p, *actions)


def seats_of(first: list[int], others: list[int], players: int) -> list[list[int]]:
    """The gems of seat 0, and of all others alike."""
    return [first, *[others] * (players - 1)]


def bad_green(players: int) -> list[list[int]]:
    """One green gem is left, which ends the game.

    Seat 0 has two pairs and a red leftover, -4 + 3: the most. With a third pair, -6, it has the least; what the
    others have is -2 with the gem and without it, as green leftovers are worth nothing.
    """
    return [[3, 0, 2], [0, 1, 5 - players], *[[0, 1, 1]] * (players - 2)]


def last_green(ahead: int, players: int) -> list[list[int]]:
    """One green gem is left. Seat ``ahead`` has three red ones, 9 points; the others have a pair and get no more."""
    gems = [[0, 1, 7 - players], *[[0, 1, 1]] * (players - 2)]
    gems.insert(ahead, [3, 0, 0])
    return gems


# ---------------------------------------------------------------------------- spots, by number of players


def special_win(players):
    """G6 beats the 5, and the second green gem wins at once."""
    return *last_to_play(seats_of([2, 2, 1], [1, 0, 0], players), "G4 G6 R2 R3 B2"), {"card G6"}


def special_win_of_another(players):
    """Seat 1 wins at once by its 5, unless the 6 takes it the gem."""
    gems = [[0, 0, 0], [2, 2, 1], *[[1, 0, 0]] * (players - 2)]
    return *last_to_play(gems, "G4 G6 R2 R3 B2"), {"card G6"}


def imitation_that_wins(players):
    """Of the two cards that are legal, the imitation swaps with the 5 and so wins the special win; G4 does not."""
    return *last_to_play(seats_of([2, 2, 1], [1, 0, 0], players), "G4 im R2 R3 B2"), {"card imitation"}


def imitation_to_hold_back(players):
    """The imitation would win the bad gem that ends the game; with G4 seat 0 has most points."""
    return *last_to_play(bad_green(players), "G4 im R2 R3 B2"), {"card G4"}


def gem_to_duck(players):
    """The same with G6."""
    return *last_to_play(bad_green(players), "G4 G6 R2 R3 B2"), {"card G4"}


def doubled_card(players):
    """Without red cards any may be played: B4 after a red card counts 8 and beats R6; G6 ties, and red beats green."""
    gems = seats_of([1, 2, 2], [0, 0, 0], players)
    return *last_to_play(gems, "B4 G3 G4 G5 G6", prize=RED, theirs=REDS), {"card B4"}


def favoured_two(players):
    """The same with B2, which counts 8."""
    gems = seats_of([1, 2, 2], [0, 0, 0], players)
    return *last_to_play(gems, "B2 G3 G4 G5 G6", prize=RED, theirs=REDS), {"card B2"}


def last_gem_to_take(players):
    """Whoever wins the last green gem, seat 0 has most points as the game ends."""
    return position(last_green(0, players), {0: "R3 B3 B4 G2 G4"}), (), {GREEN}


def last_gem_to_leave(players):
    """As the game ends seat 1 has most points, whoever wins the gem; five tricks are left to change that."""
    return position(last_green(1, players), {0: "R3 B3 B4 G2 G4"}), (), {RED, BLUE, OWN_BLUE, OWN_GREEN}


def gift_to_refuse(players):
    """A green gem is the special win of seat 1, which has the better cards to take it."""
    gems = [[1, 0, 1], [2, 2, 1], *[[0, 0, 0]] * (players - 2)]
    return position(gems, {0: "R2 R3 B2 B3 G2"}), (), {RED, BLUE, OWN_RED}


def bad_gem_to_dump(players):
    """The led imitation loses, so the prize goes to seat 1, which has 9 points for green, and 4 with another colour.

    Without its blue gem seat 0 has 2 * 4 points, with it 2 or less.
    """
    assert players == 2
    return last_trick_of_two([[2, 1, 0], [0, 0, 3]], "im", "G4"), (), {OWN_BLUE}


def trick_to_win_and_end():
    """Who wins the trick picks next: seat 0 then ends the game by the last blue gem, and has most points.

    It has four red gems, 4 * 2 points, or 4 with the blue one; seat 1 has blue ones, of which the supply holds none.
    Without the trick, three rounds are left in which seat 1 may catch up.
    """
    p = position([[3, 0, 0], [0, 5, 0]], {1: "R4", 0: "R6 R2 G3 G4 G5"}, round_=1)
    return p, (RED, "card R4")


def first_of_two_moves(players):
    """To win the trick, and then to end the game."""
    assert players == 2
    return *trick_to_win_and_end(), {"card R6"}


def second_of_two_moves(players):
    """The trick is won: to end the game."""
    p, actions = trick_to_win_and_end()
    return p, (*actions, "card R6"), {BLUE}


EVERY = (2, 3, 4)
SPOTS = {
    special_win: EVERY,
    special_win_of_another: EVERY,
    imitation_that_wins: EVERY,
    imitation_to_hold_back: EVERY,
    gem_to_duck: EVERY,
    doubled_card: EVERY,
    favoured_two: EVERY,
    last_gem_to_take: EVERY,
    last_gem_to_leave: EVERY,
    gift_to_refuse: EVERY,
    bad_gem_to_dump: (2,),
    first_of_two_moves: (2,),
    second_of_two_moves: (2,),
}


def spot(make: Callable[[int], Any], players: int) -> Spot:
    p, actions, best = make(players)
    return Spot(GAME, state_after(GAME, p, actions), best)


MAKERS = {f"{make.__name__}{players}": partial(spot, make, players) for make in SPOTS for players in SPOTS[make]}
