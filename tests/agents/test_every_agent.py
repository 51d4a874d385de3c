"""What holds of every named agent, in every game: legal everywhere, and blind to what is hidden."""

import re

import numpy as np
import pytest
from deciding import thoughts
from helpers import CASES, IDS
from playing import many_views, play

from tritarea_agents import make, registry
from tritarea_env import games
from tritarea_env.engine import loops
from tritarea_env.engine.rng import key_of
from tritarea_env.views import views_of

# the greatest choice in Tri*T*Area; TriATri at every number of players
WIDE = [
    ("tritarea", {"adjacency": "any", "voluntary_default": True}),
    *((name, options) for name, options in CASES if name == "triatri"),
]
WIDE_IDS = [f"{name}{options.get('players', '')}" for name, options in WIDE]
in_games = pytest.mark.parametrize(("name", "options"), WIDE, ids=WIDE_IDS)
# Every named agent, those that search with few simulations
SPECS = [
    "random",
    "greedy",
    "expert",
    "search:sims=8,threads=1",
    "search:sims=6,trees=2",
    "search:sims=8,threads=1,playout=random",
    "search:sims=8,threads=1,playout=greedy",
    "search:sims=4,threads=1,playout=expert",
]
by_agents = pytest.mark.parametrize("spec", SPECS)


def test_no_named_agent_is_left_out():
    assert {spec.partition(":")[0] for spec in SPECS} == set(registry.NAMED)


@pytest.mark.parametrize("name", games.names())
@by_agents
def test_every_game_has_every_named_agent(spec, name):
    assert hasattr(make(spec, games.get(name)), "act")


@pytest.mark.parametrize("spec", [spec for spec in SPECS if spec != "random"])
@pytest.mark.parametrize("name", games.names())
def test_views_of_another_game_are_refused(spec, name):
    """All but ``random``, which needs to know nothing of a game."""
    game = games.get(name)
    other = games.get(next(other for other in games.names() if other != name))
    _, views = many_views(other, 2)
    with pytest.raises(ValueError, match=f"made for {re.escape(game.title)}, .* in {re.escape(other.title)}$"):
        make(spec, game).act(views)


@pytest.mark.parametrize(("name", "options"), CASES, ids=IDS)
@by_agents
def test_every_agent_plays_every_option(spec, name, options):
    game = games.get(name)
    seats = game.seats_of(game.check_options(options))
    assert play(game, [make(spec, game)] * seats, 20, seed=1, options=options).done.all()


def among_random(spec, name, options):
    """One agent, and random ones in all other seats."""
    game = games.get(name)
    seats = game.seats_of(game.check_options(options))
    return game, [make(spec, game), *[make("random", game)] * (seats - 1)]


@in_games
def test_greedy_plays_on_against_odd_players(name, options):
    """Random players bring it where it would not go by itself: without blocks, stacked up, sold out."""
    assert play(*among_random("greedy", name, options), 40, seed=2, options=options).done.all()


@pytest.mark.kernel
@in_games
def test_greedy_plays_a_game_in_every_way_kernels_run(name, options):
    assert play(*among_random("greedy", name, options), 1, seed=3, options=options).done.all()


@in_games
@by_agents
def test_a_choice_does_not_depend_on_the_batch(spec, name, options):
    game = games.get(name)
    _, views = many_views(game, 60, options)
    agent = make(spec, game)
    together = agent.act(views)
    thought = thoughts(agent)
    order = np.random.default_rng(1).permutation(len(views))
    assert (agent.act(views.take(order)) == together[order]).all()
    assert not thought or thoughts(agent) == [thought[i] for i in order]
    alone = [int(make(spec, game).act(views.take(np.array([i])))[0]) for i in range(len(views))]
    assert alone == together.tolist()


@in_games
@by_agents
def test_a_decision_leaves_the_views_alone(spec, name, options):
    game = games.get(name)
    _, views = many_views(game, 60, options)
    before = views.hidden.tobytes()
    make(spec, game).act(views)
    assert views.hidden.tobytes() == before


@in_games
@by_agents
def test_hidden_cards_change_nothing(spec, name, options):
    game = games.get(name)
    states, _ = many_views(game, 60, options)
    n = len(states)
    agent, every, keys = make(spec, game), np.arange(n), np.full(n, key_of(9))
    chosen = agent.act(views_of(game, states, every, keys))
    thought = thoughts(agent)
    assert len(thought) in (0, n)
    for world in range(2):
        other = states.copy()
        loops.determinize_games(other, every, states.seat, np.full(n, key_of(world)))
        assert (other.hand != states.hand).any()
        found = views_of(game, other, every, keys)
        assert found.hidden.tobytes() == views_of(game, states, every, keys).hidden.tobytes()
        assert (agent.act(found) == chosen).all()
        assert thoughts(agent) == thought
