"""Single decisions of agents: a position, the actions that lead on from it, and what is chosen there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from helpers import PLAIN

from tritarea_agents import Agent, make
from tritarea_env import games
from tritarea_env.engine import loops
from tritarea_env.engine.rng import key_of
from tritarea_env.games import Game
from tritarea_env.views import Views, views_of

SEEDS = range(2 if PLAIN else 20)


class Spot(NamedTuple):
    """A decision whose answer follows from the rules.

    Attributes:
        game: the game's definition.
        state: (1,) record.
        best: names of the actions each of which is better than every other action.
    """

    game: Game
    state: np.recarray
    best: set[str]


def state_after(game: Game, p: dict[str, Any], actions: tuple[str, ...] = (), **options: Any) -> np.recarray:
    """The record (1,) of position ``p`` after actions by name, each checked to be legal."""
    players = {"players": p["players"]} if "players" in p else {}
    state = game.new(1, game.check_options(players | options))
    game.from_position(state[0], p, key_of(1))
    mask = np.zeros(game.actions, np.int8)
    loops.mask_game(state, 0, mask)
    for name in actions:
        assert mask[game.action_id(name)], f"{name} is legal"
        loops.step_game(state, 0, game.action_id(name), mask)
    return state


def views_with_seeds(game: Game, state: np.recarray, seeds: range) -> Views:
    """The same decision with the chance of several seeds."""
    keys = np.array([key_of(seed) for seed in seeds])
    return views_of(game, state, np.zeros(len(keys), np.int64), keys)


def choices(game: Game, state: np.recarray, agent: Agent, seeds: range) -> list[str]:
    """The names of the actions that ``agent`` chooses with each of the seeds."""
    return [game.action_names[int(action)] for action in agent.act(views_with_seeds(game, state, seeds))]


def decide(spec: str, p: dict[str, Any], *actions: str, **options: Any) -> set[str]:
    """The names of the actions that the agent ``spec`` chooses in position ``p`` after ``actions``, by ``SEEDS``."""
    game = games.get(p["game"])
    return set(choices(game, state_after(game, p, actions, **options), make(spec, game), SEEDS))
