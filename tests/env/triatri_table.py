"""Setting up TriATri tables from few words: ``B5`` is blue 5, ``I`` an imitation; everything in play order."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tritarea_env import games, triatri_v0
from tritarea_env.games.triatri import kernel, settlement, setup
from tritarea_env.games.triatri.rules import CARDS_A_SEAT, DECKS, FROM_OWN, FROM_SUPPLY, GEMS, IMITATION, LETTERS

GAME = games.get("triatri")


def card(name: str) -> int:
    return IMITATION if name == "I" else 7 * LETTERS.index(name[0]) + int(name[1]) - 2


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


def name_of(c: int) -> str:
    return "I" if c == IMITATION else f"{LETTERS[c // 7]}{c % 7 + 2}"


def number(c: int) -> int:
    return 0 if c == IMITATION else c % 7 + 2


def vector(gems: str) -> list[int]:
    """``RRG`` is [2, 0, 1]."""
    return [gems.count(letter) for letter in LETTERS]


def others(players: int, wanted: list[list[int]], seed: int) -> list[int]:
    """The deck's cards but the wanted ones, shuffled."""
    rest = Counter(DECKS[players]) - Counter(c for own in wanted for c in own)
    return np.random.default_rng(seed).permutation(sorted(rest.elements())).tolist()


def fill(starter: int, wanted: list[list[int]], prize: int | None) -> tuple[list[list[int]], list[int]]:
    """Full hands, by seat, and bids that make ``starter`` the start player.

    A seat whose first wanted card is no imitation and of another colour than the prize gets no more of that colour.
    """
    players = len(wanted)
    barred = [own[0] != IMITATION and own[0] // 7 != prize and prize is not None for own in wanted]
    for seed in range(200):
        left = sorted(others(players, wanted, seed), key=lambda c: c // 7 == prize)
        hands = [list(own) for own in wanted]
        for place in sorted(range(players), key=lambda p: not barred[p]):
            few = CARDS_A_SEAT - 1 - len(hands[place])
            cut = few if barred[place] else len(left) - few
            hands[place] += left[:cut] if barred[place] else left[cut:]
            left = left[cut:] if barred[place] else left[:cut]
        bids = sorted(left[:players], key=number, reverse=True)
        faults = any(c // 7 == prize for p in range(players) if barred[p] for c in hands[p])
        if not faults and number(bids[0]) > number(bids[1]):
            turn = [(s - starter) % players for s in range(players)]
            return [sorted(hands[t]) for t in turn], [bids[t] for t in turn]
    raise ValueError("no such deal was found")


def position(
    starter: int, hands: str, prize: str | None = None, gems: tuple[str, ...] | None = None, **changes: Any
) -> dict[str, Any]:
    """Trick 1 of a round, before its prize is picked; with ``gems`` of round 3, without of round 1.

    ``hands`` is one card a seat (``R3 B6 G6 B5``), or more with a slash between seats (``R3 R4/B6/G6 I/B5``); the
    rest is dealt so that the seats may play the first of their cards when the prize is ``prize``.
    """
    wanted = [cards(names) for names in (hands.split("/") if "/" in hands else hands.split())]
    players = len(wanted)
    full, bids = fill(starter, wanted, None if prize is None else LETTERS.index(prize))
    held = [vector(own) for own in gems or [""] * players]
    return {
        "game": "triatri", "players": players, "round": 3 if gems else 1, "trick": 1, "phase": "prize",
        "seat": starter, "starter": starter, "supply": [GEMS - sum(own[c] for own in held) for c in range(3)],
        "gems": [held[(s - starter) % players] for s in range(players)], "hands": full, "prize": None, "bids": bids,
        "table": [None] * players, "scores": [], "played": [None] * players, "past": [[] for _ in range(players)],
        "voids": [[] for _ in range(players)], **changes,
    }  # fmt: skip


def table(p: dict[str, Any], deals: list[Any] | None = None, **options: Any) -> Any:
    env = triatri_v0.raw_env(players=p["players"], **options)
    env.reset(seed=0, options={"position": p, "deals": deals or []})
    return env


def legal(env: Any) -> list[str]:
    """The legal cards, or prizes: ``R`` from the supply, ``own R`` from own gems."""
    actions = env.infos[env.agent_selection]["action_mask"].nonzero()[0].tolist()
    prizes = [*LETTERS, *(f"own {letter}" for letter in LETTERS)]
    return [name_of(a) if a <= IMITATION else prizes[a - FROM_SUPPLY] for a in actions]


def pick(env: Any, prize: str) -> None:
    env.step((FROM_OWN if prize.startswith("own ") else FROM_SUPPLY) + LETTERS.index(prize[-1]))


def play(env: Any, names: str) -> None:
    for c in cards(names):
        env.step(c)


def play_trick(env: Any, prize: str, names: str) -> None:
    pick(env, prize)
    play(env, names)


def play_round(env: Any) -> None:
    """First legal actions to the next deal, or the end."""
    started = env.position()["round"]
    while not env.is_over and env.position()["round"] == started:
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))


def lies(env: Any) -> list[str | None]:
    """What lies before the seats, in play order: ``R3 3`` with its value."""
    p = env.position()
    shown = [p["table"][(p["starter"] + place) % p["players"]] for place in range(p["players"])]
    return [entry and f"{name_of(entry[0])} {entry[1]}" for entry in shown]


def laid(names: str, starter: int = 0) -> tuple[str, int]:
    """A whole trick: what then lies in play order (``R3 3, B6 12``), and the winner's place."""
    trick = cards(names)
    state = GAME.new(1, {"players": len(trick)})
    g = state[0]
    setup.lay_trick(g, starter, [trick[(s - starter) % len(trick)] for s in range(len(trick))])
    seats = [(starter + place) % len(trick) for place in range(len(trick))]
    text = ", ".join(f"{name_of(int(g.lying[s]))} {int(g.strength[s])}" for s in seats)
    return text, seats.index(kernel.best_seat(g))


def deal(bids: str, seed: int = 0) -> list[list[int]]:
    """A deal in which every seat can make its bid."""
    wanted = [[c] for c in cards(bids)]
    left = others(len(wanted), wanted, seed)
    return [sorted([*own, *(left.pop() for _ in range(CARDS_A_SEAT - 1))]) for own in wanted]


def bid_table(*bids: str, seed: int = 0, **given: Any) -> Any:
    """A game whose deals let the seats bid so, one deal after the other; the first bids are made."""
    env = triatri_v0.raw_env(players=len(bids[0].split()))
    env.reset(seed=seed, options={"deals": [deal(one, i) for i, one in enumerate(bids)], **given})
    play(env, bids[0])
    return env


def settled(*gems: str, special: int = -1) -> np.recarray:
    """A record (1,) that is scored with these gems; the others are in the supply."""
    state = GAME.new(1, {"players": len(gems)})
    g = state[0]
    for s, own in enumerate(gems):
        g.gems[s] = vector(own)
    g.supply[:] = GEMS - g.gems.sum(axis=0)
    g.done = 1
    settlement.settle(g, special)
    return state


def winners(state: np.recarray) -> list[int]:
    won = int(settlement.winners(state[0]))
    return [s for s in range(int(state.players[0])) if won >> s & 1]
