"""``search`` in positions with a plain answer; what is best there, and why, stands with each of them."""

import functools

import numpy as np
import pytest
import triatri_spots
import tritarea_spots
from deciding import choices, views_with_seeds
from search_oracle import best_moves, margin_of_round

from tritarea_agents import make
from tritarea_env import games

SPOTS = [(name, spot) for module in (tritarea_spots, triatri_spots) for name, spot in module.spots().items()]
SEEDS = range(5)
TOO_DEEP_FOR_RANDOM = {"five_for_a_plan"}  # only one of the seat's forty ways to go on is good
at_every_spot = pytest.mark.parametrize("spot", [spot for _, spot in SPOTS], ids=[name for name, _ in SPOTS])


def is_open(spot):
    """Whether all cards lie, so that the oracle knows what there is to know."""
    return spot.game.name == "tritarea" and not spot.state.hand.any() and spot.state.trick[0] > 0


@pytest.mark.parametrize(("name", "spot"), [(name, spot) for name, spot in SPOTS if is_open(spot)])
def test_what_is_said_to_be_best_is_so(name, spot):
    found = best_moves(spot.state, margin_of_round(spot.state))
    assert {spot.game.action_names[action] for action in found} == spot.best


@functools.cache
def searching(name, options):
    return make(f"search:threads=1,{options}", games.get(name))


def shares_of_best(spot, sims):
    """The share of visits that the best actions have, with each of the seeds."""
    agent = searching(spot.game.name, f"sims={sims}")
    agent.act(views_with_seeds(spot.game, spot.state, SEEDS))
    best = [spot.game.action_id(name) for name in spot.best]
    return [thought.visits[np.isin(thought.actions, best)].sum() / sims for thought in agent.explain()]


def misses(spot, options):
    """What it chooses with some seed that is not best, and what it thought."""
    agent = searching(spot.game.name, options)
    wrong = set(choices(spot.game, spot.state, agent, SEEDS)) - spot.best
    return (wrong, agent.explain()) if wrong else ()


@at_every_spot
def test_it_finds_the_best(spot):
    assert not misses(spot, "sims=2000")


@pytest.mark.parametrize(("name", "spot"), [(name, spot) for name, spot in SPOTS if name not in TOO_DEEP_FOR_RANDOM])
def test_random_playouts_find_the_best_too(name, spot):
    assert not misses(spot, "sims=2000,playout=random")


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
