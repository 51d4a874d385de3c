"""The agent ``search``: its budget, its options, what changes nothing, and whose points it counts."""

import copy
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from subprocess import PIPE

import numpy as np
import pytest
import triatri_spots
from deciding import choices, state_after, thoughts, views_with_seeds
from helpers import EVERY_GAME
from playing import many_views
from search_oracle import best_moves, margin_of_round
from tritarea_spots import GAME, building_to_top

from tritarea_agents import Views, make, playouts
from tritarea_env import games

every_number = pytest.mark.parametrize("players", [2, 3, 4])


def views_of_choices(name, number):
    """Views of ``number`` decisions between two actions or more."""
    _, views = many_views(games.get(name), 4 * number)
    open_ = np.flatnonzero(views.mask.sum(axis=1) > 1)[:number]
    assert len(open_) == number
    return views.take(open_)


def visits(agent):
    """By decision, how many simulations there were."""
    return [int(thought.visits.sum()) for thought in agent.explain()]


# -------------------------------------------------------------------------------- what changes nothing


@EVERY_GAME
@pytest.mark.parametrize("trees", [1, 3])
def test_threads_change_nothing(name, trees):
    views = views_of_choices(name, 10)
    found = []
    for threads in (1, 2, 3):
        agent = make(f"search:sims=50,trees={trees},threads={threads}", games.get(name))
        found.append((agent.act(views).tolist(), thoughts(agent)))
    assert found[0] == found[1] == found[2]


@EVERY_GAME
def test_the_batch_and_earlier_searches_change_nothing(name):
    views = views_of_choices(name, 10)
    agent = make("search:sims=50,threads=2", games.get(name))
    together = agent.act(views).tolist()
    thought = thoughts(agent)
    assert agent.act(views).tolist() == together
    assert thoughts(agent) == thought
    for i in range(10):
        assert agent.act(views.take(np.array([i]))).tolist() == together[i : i + 1]
        assert thoughts(agent) == thought[i : i + 1]


@EVERY_GAME
def test_other_seeds_are_other_searches(name):
    views = views_of_choices(name, 10)
    agent = make("search:sims=50,threads=1", games.get(name))
    agent.act(views)
    thought = thoughts(agent)
    agent.act(Views(views.game, views.hidden, views.seed + np.uint64(1)))
    assert thoughts(agent) != thought


# -------------------------------------------------------------------------------------------- budgets


@EVERY_GAME
@pytest.mark.parametrize("budget", ["sims=1", "sims=37", "sims=37,trees=3", "sims=5,trees=7"])
def test_visits_add_up_to_the_simulations(name, budget):
    agent = make(f"search:{budget},threads=1", games.get(name))
    agent.act(views_of_choices(name, 10))
    sims = int(budget.split(",")[0].removeprefix("sims="))
    assert visits(agent) == [sims] * 10


@EVERY_GAME
def test_time_is_kept(name):
    views = views_of_choices(name, 5)
    agent = make("search:ms=60,threads=1", games.get(name))
    agent.act(views)
    begun = time.perf_counter()
    chosen = agent.act(views)
    seconds = time.perf_counter() - begun
    assert 5 * 0.06 <= seconds < 5 * 0.06 + 3
    assert (views.mask[np.arange(5), chosen] == 1).all()
    assert min(visits(agent)) > 0


@EVERY_GAME
def test_a_single_legal_action_is_not_searched(name):
    """Ten million simulations for each would take half an hour."""
    _, views = many_views(games.get(name), 60)
    forced = views.take(np.flatnonzero(views.mask.sum(axis=1) == 1))
    assert len(forced) > 0
    agent = make("search:sims=10000000", games.get(name))
    assert (agent.act(forced) == forced.mask.argmax(axis=1)).all()
    assert visits(agent) == [0] * len(forced)


INTERRUPTED = """
from playing import many_views
from tritarea_agents import make
from tritarea_env import games

game = games.get("triatri")
_, views = many_views(game, 1000)
make("search:sims=1", game).act(views)
print("begun", flush=True)
make("search:sims=20000,threads={threads}", game).act(views)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_long_search(threads):
    """A search of minutes."""
    code = INTERRUPTED.format(threads=threads)
    path = os.pathsep.join(sys.path)  # with the folders of the tests' helpers
    with subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, stdout=PIPE, stderr=PIPE, text=True
    ) as search:
        assert search.stdout.readline() == "begun\n"
        time.sleep(0.5)
        begun = time.perf_counter()
        search.send_signal(signal.SIGINT)
        try:
            _, said = search.communicate(timeout=30)
        finally:
            search.kill()
    assert said.rstrip().endswith("KeyboardInterrupt")
    assert time.perf_counter() - begun < 20


# -------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("sims=0", "search: sims is 1 … 10000000, not 0"),
        ("sims=10000001", "search: sims is 1 … 10000000, not 10000001"),
        ("sims=1.5", "agent 'search': option 'sims' is a whole number, not '1.5'"),
        ("ms=-1", "search: ms is 0.001 … 3600000, not -1.0"),
        ("ms=0", "search: ms is 0.001 … 3600000, not 0.0"),
        ("ms=nan", "agent 'search': option 'ms' is a finite number, not 'nan'"),
        ("ms=soon", "agent 'search': option 'ms' is a finite number, not 'soon'"),
        ("sims=100,ms=10", "search: give sims or ms, not both"),
        ("trees=0", "search: trees is 1 … 1024, not 0"),
        ("trees=1025", "search: trees is 1 … 1024, not 1025"),
        ("c=-0.1", "search: c is 0 … 1000, not -0.1"),
        ("c=inf", "agent 'search': option 'c' is a finite number, not 'inf'"),
        ("threads=-1", "search: threads is 0 … 1024, not -1"),
        ("playout=good", "search: playout is random, greedy, expert, not 'good'"),
        ("horizon=move", "search: horizon is round, game, not 'move'"),
        ("value=money", "search: value is outcome, score, chance, not 'money'"),
        ("rate=1.1", "search: rate is 0 … 1, not 1.1"),
        ("depth=3", "agent 'search' has no option 'depth'; its options (with defaults): sims="),
        ("sims=3,sims=4", "agent 'search': options are written once, as key=value, not 'sims=4'"),
    ],
)
@EVERY_GAME
def test_a_bad_option_is_refused_in_a_line(name, options, says):
    with pytest.raises(ValueError, match=f"^{re.escape(says)}") as caught:
        make(f"search:{options}", games.get(name))
    assert "\n" not in str(caught.value)


# --------------------------------------------------------------------------------- what it says of itself


@EVERY_GAME
def test_before_it_has_searched_it_has_nothing_to_say(name):
    assert make("search", games.get(name)).explain() == []


@EVERY_GAME
def test_it_says_what_it_chose_and_why(name):
    views = views_of_choices(name, 10)
    agent = make("search:sims=50,threads=1", games.get(name))
    chosen = agent.act(views)
    for i, thought in enumerate(agent.explain()):
        assert thought.actions[0] == chosen[i]
        assert sorted(thought.actions) == np.flatnonzero(views.mask[i]).tolist()
        assert (np.diff(thought.visits) <= 0).all()
        assert (np.isnan(thought.values) == (thought.visits == 0)).all()
        assert thought.priors is None


# ------------------------------------------------------------------------------------- signs and seats


@pytest.mark.kernel
@every_number
def test_a_win_in_one_move_is_found_at_once(players):
    """G6 is the special win of seat 0, G4 that of seat 1; each counts as what is paid for it among so many."""
    p, actions = triatri_spots.last_to_play([[2, 2, 1], [2, 2, 1], *[[0, 0, 0]] * (players - 2)], "G4 G6 R2 R3 B2")
    game = triatri_spots.GAME
    agent = make("search:sims=10,threads=1,horizon=game,value=outcome", game)
    agent.act(views_with_seeds(game, state_after(game, p, actions), range(3)))
    for thought in agent.explain():
        assert [game.action_names[action] for action in thought.actions] == ["card G6", "card G4"]
        assert thought.values == pytest.approx([1 - 1 / players, -1 / players])


@pytest.mark.kernel
def test_a_partner_s_points_are_its_own():
    """Seat 0 can take all points of Intelligent from seat 2: with four players the best, with two it gains nothing."""
    p, actions, alone = building_to_top()
    state = state_after(GAME, p, actions, players=2, npc="random")
    best = {GAME.action_names[action] for action in best_moves(state, margin_of_round(state))}
    assert not best & alone
    agent = make("search:sims=100,threads=1,horizon=round,value=score", GAME)
    assert set(choices(GAME, state, agent, range(3))) <= best


@pytest.mark.parametrize("spec", ["expert", "search:sims=4,threads=1", "search:ms=1,threads=1"])
def test_copies_and_pickles_decide_alike(spec):
    """A search's copy begins without trees: they are large, and hold nothing that lasts."""
    game = games.get("tritarea")
    agent = make(spec, game)
    _, views = many_views(game, 8)
    agent.act(views)
    copied = pickle.dumps(agent)
    assert len(copied) < 10_000
    for other in (pickle.loads(copied), copy.deepcopy(agent)):
        assert "ms" in spec or (other.act(views) == agent.act(views)).all()


def test_one_agent_in_two_threads():
    game = games.get("triatri")
    agent = make("search:sims=20,threads=1", game)
    _, views = many_views(game, 40)
    parts = [views.take(np.arange(first, 40, 4)) for first in range(4)]
    alone = [agent.act(part).tolist() for part in parts]
    with ThreadPoolExecutor(4) as pool:
        assert [found.tolist() for found in pool.map(agent.act, parts)] == alone


def test_chances_add_up_to_one_for_players_and_for_teams():
    game = games.get("tritarea")
    assert playouts.load_estimate(game)
    for players, total in ((4, 1.0), (2, 2.0)):
        states, _ = many_views(game, 20, {"players": players})
        for i in range(20):
            values = np.zeros(4)
            playouts.chances(states[i], np.zeros(4, np.int64), values)
            assert values.sum() == pytest.approx(total)
