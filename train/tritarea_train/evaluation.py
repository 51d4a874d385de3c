"""Matches while training: the agent in every seat of the same deals, against three of one kind."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tritarea_env.engine import loops
from tritarea_env.engine.rng import child, derive_many, key_of
from tritarea_env.games import Game
from tritarea_env.views import Agent, check_actions, find_agent, stream_views

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
    index = np.arange(deals * players)
    mine = index % players
    state = game.new(len(index), options)
    streams = np.empty(deals, np.uint64)
    derive_many(child(key_of(SEED), players), 0, streams)
    state.stream[:] = np.repeat(streams, players)
    loops.reset_games(state, index)
    agents = [agent, find_agent(against, game, options), find_agent(options.get("npc", against), game, options)]
    while len(open_games := index[state.done == 0]):
        seat = state.seat[open_games].astype(np.int64)
        who = np.where(seat == mine[open_games], 0, np.where(seat < players, 1, 2))
        for k, decider in enumerate(agents):
            part = open_games[who == k]
            if len(part):
                views = stream_views(game, state, part)
                loops.step_games(state, part, check_actions(game, views.mask, decider.act(views), f"agent {k}"))
    shares = np.empty((len(index), game.seats))
    loops.shares(state, index, shares)
    by_deal = shares[index, mine].reshape(deals, players).mean(axis=1)
    spread = float(by_deal.std(ddof=1)) if deals > 1 else float("nan")
    score = float(state.scores[index, mine].mean())
    return Result(against, len(index), float(by_deal.mean()), 1.96 * spread / deals**0.5, score)
