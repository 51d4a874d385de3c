"""Matches while training: the agent in every seat of the same deals, against others of one kind."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from tritarea_agents.playing import OnProgress, Participant, play_games
from tritarea_env.engine.rng import child, derive_many, key_of
from tritarea_env.games import Game
from tritarea_env.views import Agent, find_agent

SEED = 20_220_401  # the deals of every evaluation, whatever the training's seed: curves of two runs compare


class Result(NamedTuple):
    """How an agent fared among opponents of one kind.

    ``low`` and ``high`` bound a 95% interval of the share over all deals; None for a single deal.
    """

    against: str
    games: int
    decisions: int  # the agent's; the engine has found every one of them legal
    share: float  # mean share of the win; even: 1 / players
    low: float | None
    high: float | None
    score: float  # mean score
    share_by_seat: list[float]
    score_by_seat: list[float]


def evaluate(
    agent: Agent,
    against: str,
    game: Game,
    options: dict[str, Any],
    games: int,
    on_progress: OnProgress | None = None,
) -> Result:
    """Play ``games`` (rounded up to whole deals) with ``agent`` in each seat in turn, ``against`` in all others.

    The global random state, which training uses, is left as it is.
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
    with own_chance():  # even loading a net draws its weights before they are read
        agents = [Participant(str(place), find_agent(spec, game, options)) for place, spec in enumerate(specs)]
        played = play_games(game, options, agents, holders, np.repeat(streams, players), keys, on_progress)
    rows = np.arange(len(mine))
    shares = played.shares()[rows, mine].reshape(deals, players)
    scores = played.scores[rows, mine].reshape(deals, players)
    low, high = _interval(shares.mean(axis=1))
    return Result(
        against,
        len(mine),
        agents[0].decisions,
        float(shares.mean()),
        low,
        high,
        float(scores.mean()),
        shares.mean(axis=0).tolist(),
        scores.mean(axis=0).tolist(),
    )


def _interval(by_deal: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """A 95% interval of a mean of shares, from the spread of whole deals.

    Where they came out alike on all n deals, no more than about 3 / n of all deals do otherwise (the "rule of three").
    """
    n, mean = len(by_deal), float(by_deal.mean())
    if n < 2:
        return None, None
    spread = float(by_deal.std(ddof=1))
    margin = 1.96 * spread / n**0.5 if spread else 3 / n
    return max(0.0, mean - margin), min(1.0, mean + margin)


@contextmanager
def own_chance() -> Iterator[None]:
    """Global random states that are the same in every such block, and afterwards what they were before it."""
    python, numpy = random.getstate(), np.random.get_state()  # noqa: NPY002
    with torch.random.fork_rng():
        random.seed(SEED)
        np.random.seed(SEED)  # noqa: NPY002
        torch.manual_seed(SEED)
        try:
            yield
        finally:
            random.setstate(python)
            np.random.set_state(numpy)  # noqa: NPY002
