"""``search`` in positions with a plain answer; what is best there, and why, stands with each of them."""

import functools

import numpy as np
import pytest
import triatri_spots
import tritarea_spots
from deciding import choices, views_with_seeds

from tritarea_agents import make
from tritarea_env import games

SPOTS = [(name, spot) for module in (tritarea_spots, triatri_spots) for name, spot in module.spots().items()]
SEEDS = range(5)
at_every_spot = pytest.mark.parametrize("spot", [spot for _, spot in SPOTS], ids=[name for name, _ in SPOTS])


@functools.cache
def searching(name, options):
    return make(f"search:threads=1,{options}", games.get(name))


def shares_of_best(spot, sims):
    """The share of visits that the best actions have, with each of the seeds."""
    agent = searching(spot.game.name, f"sims={sims}")
    agent.act(views_with_seeds(spot.game, spot.state, SEEDS))
    best = [spot.game.action_id(name) for name in spot.best]
    return [thought.visits[np.isin(thought.actions, best)].sum() / sims for thought in agent.explain()]


@at_every_spot
@pytest.mark.parametrize("options", ["sims=2000", "sims=2000,playout=random"])
def test_it_finds_the_best(spot, options):
    agent = searching(spot.game.name, options)
    chosen = choices(spot.game, spot.state, agent, SEEDS)
    assert set(chosen) <= spot.best, agent.explain()


@pytest.mark.parametrize("name", games.names())
def test_the_longer_it_searches_the_more_it_tries_the_best(name):
    """On the mean; and in single positions, where there is room for more."""
    spots = [spot for _, spot in SPOTS if spot.game.name == name]
    shares = np.array([[np.mean(shares_of_best(spot, sims)) for sims in (50, 300, 2000)] for spot in spots])
    assert (np.diff(shares.mean(axis=0)) > 0).all()
    assert np.mean(shares[:, 2] > shares[:, 0]) > 0.9


@pytest.mark.kernel
@pytest.mark.parametrize("spot", [dict(SPOTS)["bad_gem_to_dump2"], dict(SPOTS)["five_in_a_default"]])
def test_few_simulations_find_what_comes_at_once(spot):
    assert set(choices(spot.game, spot.state, searching(spot.game.name, "sims=20"), range(1))) == spot.best
