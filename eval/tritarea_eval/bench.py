"""How fast the environment is on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from tritarea_agents.playing import Participant, play_games
from tritarea_env.aec import GameEnv
from tritarea_env.batch import Batch
from tritarea_env.engine import loops
from tritarea_env.engine.rng import derive_many, key_of
from tritarea_env.games import get as find_game
from tritarea_env.gym import SeatEnv
from tritarea_env.views import find_agent

Options = dict[str, Any]  # of the game

BATCH = 1024
TRIES = 3
_START = """
from tritarea_env.aec import GameEnv
env = GameEnv({game!r})
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""


@dataclass(frozen=True)
class Measure:
    """One line of the bench: the best of several tries."""

    what: str
    value: float
    unit: str


def measures(game: str, options: Options, seconds: float) -> Iterator[Measure]:
    """Measure everything, one after the other, each try for about ``seconds``; start times with the defaults."""
    yield Measure("memory of a game", find_game(game).dtype.itemsize, "bytes")
    for what, prepare in SPEEDS.items():
        yield Measure(what, _best_speed(prepare(game, options), seconds), "decisions/s")
    yield Measure("warm start: import, reset, first step", min(start_seconds(game, None) for _ in range(TRIES)), "s")
    with tempfile.TemporaryDirectory() as empty:
        yield Measure("cold start: the same with everything to compile", start_seconds(game, empty), "s")


def _best_speed(play: Callable[[], int], seconds: float) -> float:
    """Decisions a second of ``play``, which returns how many it made; the best of the tries."""
    play()  # compiles
    best = 0.0
    for _ in range(TRIES):
        made, begun = 0, time.perf_counter()
        while (spent := time.perf_counter() - begun) < seconds or not made:
            made += play()
        best = max(best, made / spent)
    return best


def start_seconds(game: str, cache: str | None) -> float:
    """Wall time of a fresh process that imports the environment and makes one step; ``cache``: an empty folder."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache is not None else {})}
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", _START.format(game=game)], check=True, env=environment)
    return time.perf_counter() - begun


def random_play(name: str, options: Options) -> Callable[[], int]:
    """Whole games played at random in one compiled loop."""
    game = find_game(name)
    games = game.new(BATCH, game.check_options(options))
    derive_many(key_of(0), 0, games.stream)
    every = np.arange(BATCH)

    def play() -> int:
        loops.reset_games(games, every)
        return int(loops.playout_games(games, every, key_of(1), False))

    return play


def batch_steps(name: str, options: Options) -> Callable[[], int]:
    """``Batch.step`` with observation and mask, actions drawn in compiled code."""
    batch = Batch(name, BATCH, **options)

    def play() -> int:
        batch.step(batch.random_actions())
        return BATCH

    return play


def aec_game(name: str, options: Options, wrapped: bool) -> Callable[[], int]:
    """One game of the AEC environment: ``last()``, a random legal action, ``step``."""
    raw = GameEnv(name, illegal="terminate", **options)
    env = OrderEnforcingWrapper(raw) if wrapped else raw
    random = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        env.reset()
        made = 0
        while True:
            observation, _, over, _, _ = env.last()
            if over:
                return made
            legal = observation["action_mask"].nonzero()[0]  # type: ignore[index]
            env.step(int(legal[int(random.random() * len(legal))]))
            made += 1

    return play


def seat_episode(name: str, options: Options) -> Callable[[], int]:
    """One episode of the gymnasium environment against greedy; counts the learner's decisions."""
    env = SeatEnv(name, opponents="greedy", **options)
    random = np.random.default_rng(0)
    env.reset(seed=0)

    def play() -> int:
        env.reset()
        made, over = 0, False
        while not over:
            legal = env.action_masks().nonzero()[0]
            over = env.step(int(legal[int(random.random() * len(legal))]))[2]
            made += 1
        return made

    return play


def greedy_games(name: str, options: Options) -> Callable[[], int]:
    """Greedy in all seats of many games."""
    game = find_game(name)
    options = game.check_options(options)
    greedy = Participant("greedy", find_agent("greedy", game, options))
    holders = np.zeros((BATCH, game.seats_of(options)), np.int8)
    streams, keys = np.empty(BATCH, np.uint64), np.empty(BATCH, np.uint64)
    derive_many(key_of(0), 0, streams)
    derive_many(key_of(1), 0, keys)

    def play() -> int:
        played = play_games(game, options, [greedy], holders, streams, keys)
        return int((played.actions >= 0).sum())

    return play


SPEEDS: dict[str, Callable[[str, Options], Callable[[], int]]] = {
    "random play, compiled": random_play,
    f"Batch.step, n = {BATCH}, observation and mask": batch_steps,
    "AEC loop, raw": lambda name, options: aec_game(name, options, False),
    "AEC loop, env()": lambda name, options: aec_game(name, options, True),
    "gymnasium env, learner's steps against greedy": seat_episode,
    f"greedy against itself, {BATCH} games at once": greedy_games,
}
