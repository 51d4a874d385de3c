"""Games played by agents, many at once, for the tests of agents."""

from __future__ import annotations

from typing import Any

import numpy as np

from tritarea_agents import Agent, Views, make
from tritarea_env.engine import loops
from tritarea_env.engine.compile import bare
from tritarea_env.engine.protocol import winners
from tritarea_env.engine.rng import derive_many, key_of
from tritarea_env.games import Game
from tritarea_env.views import checked, views_of


def new_games(game: Game, n: int, seed: int, options: dict[str, Any]) -> tuple[np.recarray, np.ndarray]:
    """``n`` games at their start, and the keys (n,) of their agents' chance."""
    games = game.new(n, game.check_options(options))
    keys = np.empty(2 * n, np.uint64)
    derive_many(key_of(seed), 0, keys)
    games.stream[:] = keys[:n]
    loops.reset_games(games, np.arange(n))
    return games, keys[n:]


def play(game: Game, agents: list[Agent], n: int, seed: int = 0, options: dict[str, Any] | None = None) -> np.recarray:
    """``n`` games to their end; in game i agent k has seat (i + k) % seats. Every action is checked."""
    games, keys = new_games(game, n, seed, options or {})
    seats = game.seats_of(game.check_options(options or {}))
    assert len(agents) == seats
    while not games.done.all():
        live = np.flatnonzero(games.done == 0)
        who = (games.seat[live] - live) % seats
        for k, agent in enumerate(agents):
            index = live[who == k]
            if len(index):
                views = views_of(game, games, index, keys[index])
                loops.step_games(games, index, checked(game, games, index, agent.act(views), f"agent {k}"))
    return games


def win_share(games: np.recarray, seats: int = 4) -> float:
    """The mean share of agent 0."""
    shares = []
    for i, g in enumerate(games):
        won = int(winners(g))
        shares.append((won >> (i % seats) & 1) / won.bit_count())
    return float(np.mean(shares))


def many_views(game: Game, n: int, options: dict[str, Any] | None = None) -> tuple[np.recarray, Views]:
    """``n`` states of random games at random places, and the views of the seats to move."""
    games, keys = new_games(game, n, 5, options or {})
    every = index = np.arange(n)
    left = np.random.default_rng(0).integers(0, 160, n)
    while len(index := index[left[index] > 0]):
        views = views_of(game, games, index, keys[index])
        chosen = np.empty(len(index), np.int64)
        loops.random_actions(bare(views.hidden), views.seed, chosen)
        loops.step_games(games, index, chosen)
        ended = index[games.done[index] == 1]
        games.episode[ended] += 1  # the row's next game
        loops.reset_games(games, ended)
        left[index] -= 1
    return games, views_of(game, games, every, keys)


def at_the_ends(ranges: dict[str, tuple[float, float]], end: int) -> str:
    """The options of ``greedy`` at the low (0) or high (1) ends of their ranges, but few samples."""
    values = {key: ends[end] for key, ends in ranges.items()} | {"samples": 1 + end}
    return ",".join(f"{key}={value}" for key, value in values.items())


def agreement(game: Game, hidden: np.recarray, samples: int) -> float:
    """How many of greedy's choices with 12 seeds are the most frequent one, on the mean over hidden records (n,)."""
    chosen = []
    for seed in range(12):
        seeds = np.empty(len(hidden), np.uint64)
        derive_many(key_of(seed), 0, seeds)
        chosen.append(make(f"greedy:samples={samples}", game).act(Views(game, hidden, seeds)))
    return float(np.mean([np.bincount(column).max() for column in np.array(chosen).T])) / 12
