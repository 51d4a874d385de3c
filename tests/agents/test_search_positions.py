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

SPOTS = {"tritarea": tritarea_spots.MAKERS, "triatri": triatri_spots.MAKERS}
MAKERS = SPOTS["tritarea"] | SPOTS["triatri"]
SEEDS = range(5)
TOO_DEEP_FOR_RANDOM = {"five_for_a_plan"}  # only one of the seat's forty ways to go on is good


@pytest.mark.parametrize("name", [make_spot.__name__ for make_spot in tritarea_spots.OPEN])
def test_the_oracle_finds_the_same_to_be_best(name):
    spot = MAKERS[name]()
    found = best_moves(spot.state, margin_of_round(spot.state))
    assert {spot.game.action_names[action] for action in found} == spot.best


@functools.cache
def searching(name, options):
    return make(f"search:threads=1,{options}", games.get(name))


def misses(spot, options, seeds=SEEDS):
    """What it chooses with some seed that is not best, and what it thought."""
    agent = searching(spot.game.name, options)
    wrong = set(choices(spot.game, spot.state, agent, seeds)) - spot.best
    return (wrong, agent.explain()) if wrong else ()


@pytest.mark.parametrize("name", MAKERS)
def test_it_finds_the_best(name):
    assert not misses(MAKERS[name](), "sims=2000")


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in TOO_DEEP_FOR_RANDOM])
def test_random_playouts_find_the_best_too(name):
    assert not misses(MAKERS[name](), "sims=2000,playout=random")


def shares_of_best(spot, sims):
    """The share of visits that the best actions have, with each of the seeds."""
    agent = searching(spot.game.name, f"sims={sims}")
    agent.act(views_with_seeds(spot.game, spot.state, SEEDS))
    best = [spot.game.action_id(name) for name in spot.best]
    return [thought.visits[np.isin(thought.actions, best)].sum() / sims for thought in agent.explain()]


@pytest.mark.parametrize("game", SPOTS)
def test_the_longer_it_searches_the_more_it_tries_the_best(game):
    """On the mean; and in single positions, where there is room for more."""
    spots = [make_spot() for make_spot in SPOTS[game].values()]
    shares = np.array([[np.mean(shares_of_best(spot, sims)) for sims in (50, 300, 2000)] for spot in spots])
    assert (np.diff(shares.mean(axis=0)) > 0).all()
    assert np.mean(shares[:, 2] > shares[:, 0]) > 0.9


@pytest.mark.kernel
@pytest.mark.parametrize("name", ["five_in_a_default", "bad_gem_to_dump2"])
def test_few_simulations_find_what_comes_at_once(name):
    assert not misses(MAKERS[name](), "sims=20", range(1))
