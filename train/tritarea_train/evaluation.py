"""Matches while training: the agent in every seat of the same deals, against others of one kind."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tritarea_agents.playing import Participant, play_games
from tritarea_env.engine.rng import child, derive_many, key_of
from tritarea_env.games import Game
from tritarea_env.views import Agent, find_agent

SEED = 20_220_401  # the deals of every evaluation, whatever the training's seed: curves of two runs compare


class Result(NamedTuple):
    """How an agent fared among opponents of one kind."""

    against: str
    games: int
    share: float  # mean share of the win; even: 1 / players
    margin: float  # half the 95% interval, from the spread of whole deals
    score: float  # mean score


def evaluate(agent: Agent, against: str, game: Game, options: dict[str, Any], games: int) -> Result:
    """Play ``games`` (rounded up to whole deals) with ``agent`` in each seat in turn, ``against`` in all others.

    Uses no random state but the games' own streams.
    """
    players = len(game.agents(options))
    deals = -(-games // players)
    mine = np.arange(deals * players) % players
    streams, keys = np.empty(deals, np.uint64), np.empty(len(mine), np.uint64)
    derive_many(child(key_of(SEED), 0), 0, streams)
    derive_many(child(key_of(SEED), 1), 0, keys)
    holders = np.ones((len(mine), game.seats_of(options)), np.int8)
    holders[:, players:] = 2
    holders[np.arange(len(mine)), mine] = 0
    specs: list[str | Agent] = [agent, against, options.get("npc", against)]
    agents = [Participant(str(place), find_agent(spec, game, options)) for place, spec in enumerate(specs)]
    played = play_games(game, options, agents, holders, np.repeat(streams, players), keys)
    rows = np.arange(len(mine))
    by_deal = played.shares()[rows, mine].reshape(deals, players).mean(axis=1)
    spread = float(by_deal.std(ddof=1)) if deals > 1 else float("nan")
    score = float(played.scores[rows, mine].mean())
    return Result(against, len(mine), float(by_deal.mean()), 1.96 * spread / deals**0.5, score)
