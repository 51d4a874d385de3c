"""The agent ``random``: legal, uniform, from the views' chance alone."""

import numpy as np
import pytest
from playing import many_views

from tritarea_agents import make
from tritarea_env import games
from tritarea_env.engine.rng import derive_many, key_of
from tritarea_env.views import Views

in_games = pytest.mark.parametrize("game", [games.get(name) for name in games.names()], ids=games.names())


@in_games
def test_every_legal_action_is_equally_likely(game):
    _, views = many_views(game, 4)
    row = int(np.argmax(views.mask.sum(axis=1)))
    n = 4000
    seeds = np.empty(n, np.uint64)
    derive_many(key_of(3), 0, seeds)
    same = Views(game, views.hidden[np.full(n, row)], seeds)
    count = np.bincount(make("random", game).act(same), minlength=game.actions)
    legal = views.mask[row] == 1
    assert count[~legal].sum() == 0
    expected = n / legal.sum()
    assert abs(count[legal] - expected).max() < 5 * np.sqrt(expected)


@in_games
def test_the_same_seed_gives_the_same_choice(game):
    _, views = many_views(game, 20)
    agent = make("random", game)
    first = agent.act(views)
    np.random.seed(1)  # noqa: NPY002  global random state must not matter
    assert (agent.act(views) == first).all()
    assert (make("random", game).act(views) == first).all()
