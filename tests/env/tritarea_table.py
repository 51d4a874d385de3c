"""Setting up Tri*T*Area tables by the rulebook's notation: ``B5`` is Intelligent 5."""

from __future__ import annotations

from typing import Any

import numpy as np

from tritarea_env import games, tritarea_v0
from tritarea_env.games.tritarea.deals import begin_round
from tritarea_env.games.tritarea.kernel import place
from tritarea_env.games.tritarea.rules import BLOCKS_A_SEAT, CARDS_A_SEAT, LETTERS

GAME = games.get("tritarea")


def card(name: str) -> int:
    return 9 * LETTERS.index(name[0]) + int(name[1]) - 1


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


def position(leader: int, trick: str, round_: int = 2, scores: int | list[int] = 5, **changes: Any) -> dict[str, Any]:
    """Trick 1 of a round, before its first card; the seats hold ``trick``'s cards in play order."""
    wanted = cards(trick)
    size = CARDS_A_SEAT[round_ - 1]
    rest = [c for c in range(36) if c not in wanted and (round_ > 1 or c % 9 != 4)]
    declared = [None] * 4
    if round_ == 3:
        declared = [rest.pop() for _ in range(4)]
        size -= 1
    hands = [[] for _ in range(4)]
    for place_, c in enumerate(wanted):
        hands[(leader + place_) % 4] = sorted([c, *(rest.pop() for _ in range(size - 1))])
    return {
        "game": "tritarea", "round": round_, "trick": 1, "phase": "play", "seat": leader, "start_player": leader,
        "leader": leader, "scores": [scores] * 4 if isinstance(scores, int) else scores,
        "blocks": [BLOCKS_A_SEAT[round_ - 1]] * 4, "stacks": [[] for _ in range(16)], "hands": hands,
        "played": [None] * 4, "ranks": [None] * 4, "adopted": None, "rightholders": [None, None],
        "declared": declared, "sold": [0] * 4, "built": None, "past": [[], [], [], []], **changes,
    }  # fmt: skip


def later(p: dict[str, Any], keep: str, trick: int) -> dict[str, Any]:
    """The same in a later trick: each seat has played its highest card ids but those to ``keep``."""
    kept, done = cards(keep), trick - p["trick"]
    past = [[c for c in hand if c not in kept][::-1][:done] for hand in p["hands"]]
    hands = [[c for c in hand if c not in gone] for hand, gone in zip(p["hands"], past, strict=True)]
    return {**p, "trick": trick, "past": past, "hands": hands}


def without_blocks(p: dict[str, Any], seat: int, on: tuple[int, int, int], keep: str = "") -> dict[str, Any]:
    """All of a seat's blocks placed on three squares, in trick 4; no seat has played the cards to ``keep``."""
    p = later(p, keep, 4)
    blocks = p["blocks"][seat]
    stacks = [list(stack) for stack in p["stacks"]]
    for i in range(blocks):
        stacks[on[i % 3]].append(seat)
    return {**p, "stacks": stacks, "blocks": [0 if s == seat else b for s, b in enumerate(p["blocks"])]}


def table(p: dict[str, Any], **options: Any) -> Any:
    env = tritarea_v0.raw_env(**options)
    env.reset(seed=0, options={"position": p})
    return env


def play_trick(env: Any, trick: str, fives: tuple[str, ...] = ()) -> None:
    for c in cards(trick):
        env.step(c)
    for choice in fives:
        assert env.position()["phase"] == "five"
        env.step({"keep": 36, "0": 37, "10": 38}[choice])


def board(stacks: dict[int, str], round_: int = 1, scores: int = 0) -> np.recarray:
    """A record (1,) in ``round_`` with stacks given as ``{square: "0 1 1"}``, lowest block first."""
    state = GAME.new(1, GAME.check_options({}))
    g = state[0]
    begin_round(g, round_)
    g.scores[:] = scores
    for square, owners in stacks.items():
        for owner in owners.split():
            place(g, int(owner), square)
    g.scores[:] = scores
    g.points[:] = 0
    return state
