"""What several tests share: the games with their options, odd ways to play, positions of every phase."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from tritarea_env import games, triatri_v0, tritarea_v0
from tritarea_env.engine import loops

PLAIN = bool(numba.config.DISABLE_JIT)  # kernels run as Python, a hundred times slower: tests take smaller samples
GOLDEN = Path(__file__).parent / "golden"
ENTRIES = {"tritarea": tritarea_v0, "triatri": triatri_v0}
OWN_BOARD = {
    "areas": [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3],
    "bonus": [1, 0, 0, 2, 0, 3, 0, 0, 0, 0, 1, 0, 2, 0, 0, 3],
}
# each option once off its default
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "tritarea": [
        {},
        {"adjacency": "any"},
        {"voluntary_default": True},
        {"board": OWN_BOARD},
        {"players": 1, "npc": "random"},
        {"players": 2, "npc": "random"},
        {"players": 3, "npc": "random"},
    ],
    "triatri": [{}, {"players": 2}, {"players": 3}],
}
CASES = [(name, options) for name in games.names() for options in OPTIONS[name]]


def id_of(name: str, options: dict[str, Any]) -> str:
    """What tests call a case: its game, the names of its options, its number of players if it has one."""
    return f"{name}-{'-'.join(options) or 'default'}{options.get('players', '')}"


IDS = [id_of(name, options) for name, options in CASES]


def every_number_of_seats() -> list[tuple[str, dict[str, Any]]]:
    """Of each number of seats that a game has, the first case: what does not hang on the other options."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for name, options in CASES:
        game = games.get(name)
        found.setdefault((name, game.seats_of(game.check_options(options))), options)
    return [(name, options) for (name, _), options in found.items()]


TABLES = every_number_of_seats()
EVERY_GAME = pytest.mark.parametrize("name", games.names())
EVERY_CASE = pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
EVERY_TABLE = pytest.mark.parametrize(("name", "options"), TABLES, ids=[id_of(*case) for case in TABLES])

Choose = Callable[[Any, np.ndarray, np.random.Generator], int]


def choose_random(g: Any, legal: np.ndarray, rng: np.random.Generator) -> int:
    return int(legal[rng.integers(len(legal))])


def choose_first(g: Any, legal: np.ndarray, rng: np.random.Generator) -> int:
    """Tri*T*Area: a hoarder of low cards who keeps fives, stacks on one square and sells nothing.

    TriATri: low cards, and prizes of one colour until it has run out.
    """
    return int(legal[0])


def choose_last(g: Any, legal: np.ndarray, rng: np.random.Generator) -> int:
    """Tri*T*Area: pays for every five, places two blocks if it may, passes if it may, sells everything.

    TriATri: imitations (picked for the start player, they repeat deals), and prizes from own gems.
    """
    return int(legal[-1])


def choose_mixed(g: Any, legal: np.ndarray, rng: np.random.Generator) -> int:
    return (choose_first, choose_last, choose_random)[rng.integers(3)](g, legal, rng)


CHOOSERS: list[Choose] = [choose_random, choose_first, choose_last, choose_mixed]


def walk(
    name: str, options: dict[str, Any], seed: int, choose: Choose = choose_random
) -> Iterator[tuple[np.recarray, np.ndarray]]:
    """Play one game; yields the state (1,) and the legal actions before every decision, last the end."""
    game = games.get(name)
    rng = np.random.default_rng(seed)
    state = game.new(1, game.check_options(options))
    state.stream[0] = np.uint64(seed * 7919 + 1)
    loops.reset_games(state, np.zeros(1, np.int64))
    mask = np.zeros(game.actions, np.int8)
    loops.legal_games(state, np.zeros(1, np.int64), mask[None])
    while not state.done[0]:
        legal = np.flatnonzero(mask)
        yield state, legal
        loops.step_game(state, 0, choose(state[0], legal, rng), mask)
    yield state, np.flatnonzero(mask)


def positions(name: str, number: int, options: dict[str, Any] | None = None) -> list[np.recarray]:
    """``number`` states with a decision to make, of many games and ways to play, every phase equally often."""
    game = games.get(name)
    phases = [phase for phase in game.phases if phase != "end"]
    quota = -(-number // len(phases))
    found: dict[str, list[np.recarray]] = {phase: [] for phase in phases}
    for seed in itertools.count():
        variants = OPTIONS[name] if options is None else [options]
        chooser = CHOOSERS[seed % len(CHOOSERS)]
        rng = np.random.default_rng(seed)
        for state, _ in walk(name, variants[seed % len(variants)], seed, chooser):
            phase = game.phases[state.phase[0]]
            rare = phase in ("five_default", "five_settle")
            if not state.done[0] and len(found[phase]) < quota and (rare or rng.random() < 0.1):
                found[phase].append(state.copy())
        if all(len(states) >= quota for states in found.values()):
            return [state for states in found.values() for state in states][:number]
    raise AssertionError("unreachable")


def options_of(name: str, state: np.recarray) -> dict[str, Any]:
    """The options that a sampled state was played with (rules bearing on the position)."""
    g = state[0]
    if name == "triatri":
        return {"players": int(g.players)}
    return {
        "players": int(g.players),
        "npc": "random",
        "adjacency": "any" if g.adjacency_any else "top",
        "voluntary_default": bool(g.voluntary_default),
        "board": {"areas": [int(x) for x in g.area], "bonus": [int(x) for x in g.bonus]},
    }


def expected_reward(name: str, reward: str, options: dict[str, Any], final: dict[str, Any], seat: int) -> float:
    """A seat's reward over a whole game (A11, B7), from the final scores and winners."""
    scores, winners = final["scores"], final["winners"]
    n = len(scores)
    if name == "tritarea" and options.get("players") == 2:
        if reward == "outcome":
            return 0.0 if len(winners) == 4 else 0.5 if seat in winners else -0.5
        return (scores[seat] + scores[(seat + 2) % 4] - scores[(seat + 1) % 4] - scores[(seat + 3) % 4]) / 50
    if reward == "outcome":
        return (seat in winners) / len(winners) - 1 / n
    unit = {"tritarea": 50, "triatri": 10}[name]
    return (scores[seat] - (sum(scores) - scores[seat]) / (n - 1)) / unit


def legal_actions(env: Any) -> np.ndarray:
    """The legal actions of the agent that an AEC env waits for."""
    return np.flatnonzero(env.last()[0]["action_mask"])


def random_action(env: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(legal_actions(env)))


def illegal_action(env: Any) -> int:
    """The lowest action in range that is not legal."""
    return int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0])


def play_on(env: Any, rng: np.random.Generator, decisions: int | None = None) -> list[tuple[str, int]]:
    """Play an AEC env with random legal actions, to the game's end or so many; returns who did what."""
    done: list[tuple[str, int]] = []
    while not env.unwrapped.is_over and len(done) != decisions:
        done.append((env.agent_selection, random_action(env, rng)))
        env.step(done[-1][1])
    return done


def play_out(env: Any, rng: np.random.Generator) -> list[tuple[str, int]]:
    """The same to the very end, when every agent has left."""
    done = play_on(env, rng)
    while env.agents:
        env.step(None)
    return done


def thoughts(agent: Any) -> list[list[bytes | None]]:
    """What an agent says of each of its last choices, to the last bit; nothing if it does not explain itself."""
    found = agent.explain() if hasattr(agent, "explain") else []
    return [[None if part is None else part.tobytes() for part in thought] for thought in found]
