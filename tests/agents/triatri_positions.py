"""Hand-made positions of TriATri, and what an agent does in them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from helpers import PLAIN

from tritarea_agents import make
from tritarea_env import games
from tritarea_env.engine import loops
from tritarea_env.engine.rng import key_of
from tritarea_env.games.triatri import rules
from tritarea_env.views import views_of

GAME = games.get("triatri")
ONLY = np.zeros(1, np.int64)
GREEN = "prize from the supply: green"
# The seats before seat 0, the last to play, follow with green cards, of which seat 1's 5 is the best.
THEIRS = {1: "G5", 2: "G2", 3: "G3"}


def card_of(name: str) -> int:
    """``R2`` … ``G8``, ``im``."""
    return rules.IMITATION if name == "im" else 7 * rules.LETTERS.index(name[0]) + int(name[1]) - 2


def cards(names: str) -> list[int]:
    return [card_of(name) for name in names.split()]


def deck_without(players: int, taken: list[int]) -> list[int]:
    """The cards that are left, imitations first, then by number."""
    left = Counter(rules.DECKS[players]) - Counter(taken)
    return sorted(left.elements(), key=lambda card: 0 if card == rules.IMITATION else card % 7 + 2)


def position(gems: list[list[int]], hands: dict[int, str], round_: int = 3) -> dict[str, Any]:
    """The first prize of a round, picked by the seat that is given as the first of ``hands``.

    Args:
        gems: of every seat, seat 0 first.
        hands: by seat, beginnings of hands, filled up to five cards; the first one starts the trick.
        round_: which of the three rounds it is.
    """
    players = len(gems)
    starter = next(iter(hands))
    given = {s: cards(hands.get(s, "")) for s in range(players)}
    rest = deck_without(players, [card for hand in given.values() for card in hand])
    bids: list[Any] = [rest.pop() if s == starter else None for s in range(players)]
    bids = [rest.pop(0) if bid is None else bid for bid in bids]
    for hand in given.values():
        while len(hand) < 5:
            hand.append(rest.pop(0))
    nothing = [None] * players
    return {
        "game": "triatri", "players": players, "round": round_, "trick": 1, "phase": "prize", "seat": starter,
        "starter": starter, "supply": [6 - sum(own[c] for own in gems) for c in range(3)], "gems": gems,
        "hands": [sorted(given[s]) for s in range(players)], "prize": None, "bids": bids, "table": nothing,
        "scores": [], "played": nothing, "past": [[] for _ in gems], "voids": [[] for _ in gems],
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


def state_after(p: dict[str, Any], actions: tuple[str, ...]) -> np.recarray:
    state = GAME.new(1, {"players": p["players"]})
    GAME.from_position(state[0], p, key_of(1))
    mask = np.zeros(GAME.actions, np.int8)
    loops.legal_games(state, ONLY, mask[None])
    for name in actions:
        assert mask[GAME.action_id(name)], f"{name} is legal"
        loops.step_game(state, 0, GAME.action_id(name), mask)
    return state


def decide(spec: str, p: dict[str, Any], *actions: str) -> set[str]:
    """The names of the actions that an agent chooses in ``p`` after ``actions``, with several seeds."""
    state = state_after(p, actions)
    agent = make(spec, GAME)
    keys = [np.array([key_of(seed)]) for seed in range(2 if PLAIN else 20)]
    return {GAME.action_names[int(agent.act(views_of(GAME, state, ONLY, key))[0])] for key in keys}


def last_to_play(spec: str, gems: list[list[int]], hand: str, round_: int = 3) -> set[str]:
    """What seat 0 plays last for a green prize, which the 5 of seat 1 wins otherwise."""
    others = range(1, len(gems))
    p = position(gems, {**{s: THEIRS[s] for s in others}, 0: hand}, round_)
    return decide(spec, p, GREEN, *(f"card {THEIRS[s]}" for s in others))


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
