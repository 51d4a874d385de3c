"""The search that asks a trained net: ``search:prior=RUN``."""

import numpy as np
import pytest
import torch
from helpers import thoughts
from tiny import GAMES, tiny

from tritarea_agents import make
from tritarea_agents.search.guiding import REWARDS
from tritarea_env import games
from tritarea_env.batch import Batch
from tritarea_env.engine import loops
from tritarea_env.engine.rng import key_of
from tritarea_env.views import views_of
from tritarea_eval.match import play_match
from tritarea_train import train

every_game = pytest.mark.parametrize("name", GAMES)


def batch_of(name, n=24):
    """Random games, all at one place."""
    batch = Batch(name, n, seed=1, **GAMES[name])
    for _ in range(40):
        batch.step(batch.random_actions())
    return batch


def some_views(name, n=24):
    """Their decisions."""
    return batch_of(name, n).views(np.arange(n))


def searching(run, name, **options):
    text = ",".join(f"{key}={value}" for key, value in {"prior": run, "sims": 12, **options}.items())
    return make(f"search:{text}", games.get(name), games.get(name).check_options(GAMES[name]))


@every_game
def test_it_thinks_with_the_nets_priors(run_of, name):
    run, views = run_of(name), some_views(name)
    agent = searching(run, name)
    chosen = agent.act(views)
    logits = make(str(run), games.get(name)).logits(views)
    for i, thought in enumerate(agent.explain()):
        assert chosen[i] == thought.actions[0]
        if len(thought.actions) == 1:
            continue
        assert thought.visits.sum() == 12
        expected = torch.softmax(torch.from_numpy(logits[i, thought.actions].astype(np.float64)), 0).numpy()
        assert np.allclose(thought.priors, expected, atol=1e-4)


def test_what_ends_the_game_is_worth_what_the_game_pays(run):
    """Tri*T*Area's last decision: the final margin of the deciding seat, without a word of the net."""
    batch = Batch("tritarea", 100, seed=2, reward="score")
    agent, found = searching(run, "tritarea", sims=40), 0
    while found < 5:
        before, masks, actions = batch.copy(), batch.mask.copy(), batch.random_actions().copy()
        batch.step(actions)
        for i in np.flatnonzero(batch.done & (masks.sum(axis=1) > 1)):
            seat = before.seat[i]
            agent.act(before.views(np.array([i])))
            (thought,) = agent.explain()
            at = thought.actions.tolist().index(actions[i])
            assert thought.visits[at] > 0
            assert thought.values[at] == pytest.approx(batch.reward[i, seat], abs=1e-6)
            found += 1


@every_game
def test_it_does_not_depend_on_the_batch_but_for_last_bits(run_of, name):
    agent, views = searching(run_of(name), name), some_views(name)
    together = agent.act(views)
    alone = np.array([agent.act(views.take(np.array([i])))[0] for i in range(len(views))])
    assert (together == alone).mean() > 0.9
    assert (agent.act(views) == together).all()


@every_game
def test_hidden_cards_and_threads_change_nothing(run_of, name):
    views, n = some_views(name), 24
    states, every, keys = batch_of(name, n).games, np.arange(n), np.full(n, key_of(9))
    agent = searching(run_of(name), name, threads=1)
    chosen = agent.act(views_of(views.game, states, every, keys))
    thought = thoughts(agent)
    for world in range(2):
        other = states.copy()
        loops.determinize_games(other, every, states.seat, np.full(n, key_of(world)))
        assert (other.hand != states.hand).any()
        assert (agent.act(views_of(views.game, other, every, keys)) == chosen).all()
        assert thoughts(agent) == thought
    several = searching(run_of(name), name, threads=3)
    assert (several.act(views_of(views.game, states, every, keys)) == chosen).all()
    assert thoughts(several) == thought


@every_game
def test_it_plays(run_of, name):
    run = run_of(name)
    result = play_match(name, [f"search:prior={run},sims=3,trees=2", "random"], games=4, options=GAMES[name])
    assert result.games >= 4


@pytest.mark.parametrize("reward", ["outcome", "score", "score_delta"])
def test_every_reward_of_training_is_known(tmp_path, reward):
    train(tiny(game__reward=reward, steps=512, imitation__steps=0), tmp_path / "run")
    agent = searching(tmp_path / "run", "tritarea", sims=4)
    agent.act(some_views("tritarea", 8))
    assert all(np.isfinite(t.values[t.visits > 0]).all() for t in agent.explain())


def test_rewards_are_those_of_training():
    from tritarea_train.config import SETTLED_REWARD

    assert set(REWARDS) == {SETTLED_REWARD, *(reward for name in GAMES for reward in games.get(name).rewards)}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("playout=greedy,rate=0.5", "beside prior, playout, rate means nothing; leave it out"),
        ("horizon=game,value=score", "beside prior, horizon, value means nothing"),
        ("sims=5,ms=3", "give sims or ms, not both"),
    ],
)
def test_what_means_nothing_is_refused(run, options, says):
    with pytest.raises(ValueError, match=says):
        make(f"search:prior={run},{options}", games.get("tritarea"))


def test_a_run_that_does_not_fit_is_refused(run, tmp_path):
    with pytest.raises(ValueError, match="trained for the game 'tritarea', not for 'triatri'"):
        make(f"search:prior={run}", games.get("triatri"))
    with pytest.raises(ValueError, match="holds no checkpoint"):
        make(f"search:prior={tmp_path}", games.get("tritarea"))
    game = games.get("tritarea")
    with pytest.raises(ValueError, match="trained with other options"):
        make(f"search:prior={run}", game, game.check_options({"adjacency": "any"}))


def test_a_budget_in_time_gives_one_simulation_at_least(run):
    agent = make(f"search:prior={run},ms=0.001", games.get("tritarea"))
    agent.act(some_views("tritarea"))
    assert all(t.visits.sum() >= 1 for t in agent.explain() if len(t.actions) > 1)
