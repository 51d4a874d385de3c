"""A critic that sees all, in training only: the policy never does."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tiny import GAMES, tiny

from tritarea_agents import make
from tritarea_agents.checkpoint import CheckpointError, find
from tritarea_agents.policy import Parameters, PolicyAgent
from tritarea_env import games
from tritarea_train.model import build
from tritarea_train.sight import hidden_entries

KINDS = ("mlp", "cards_board")


@pytest.fixture(scope="module", params=[(name, kind) for name in GAMES for kind in KINDS], ids="-".join)
def learner(request):
    """A learner with an oracle, some way into its games."""
    name, kind = request.param
    learner = build(tiny(name, net__kind=kind, net__items=32, net__critic="oracle", n_games=32, seed=5))
    learner.env.reset()
    rng = np.random.default_rng(0)
    for _ in range(11):
        learner.env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in learner.env.action_masks()]))
    return learner


def with_other_hidden_parts(learner, rows):
    """What the env shows, the hidden part filled with chance."""
    other = rows.clone()
    d = learner.shape.inputs
    other[:, d:] = torch.randint(
        0, 256, other[:, d:].shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(1)
    )
    return other


def test_the_policy_does_not_see_what_is_hidden_and_the_critic_does(learner):
    policy, masks = learner.model.policy, learner.env.action_masks()
    rows = torch.from_numpy(learner.env.look())
    other = with_other_hidden_parts(learner, rows)
    policy.set_training_mode(True)
    with torch.no_grad():
        logits = [policy.logits(policy.mlp_extractor.forward_actor(policy.extract_features(x))) for x in (rows, other)]
        values = [policy.predict_values(x) for x in (rows, other)]
        drawn, told = [], []
        for x in (rows, other):
            torch.manual_seed(3)
            actions, _, chances = policy(x, action_masks=masks)
            drawn.append(actions)
            told.append(chances)
    assert torch.equal(*logits)
    assert torch.equal(*drawn)
    assert torch.equal(*told)
    assert (values[0] != values[1]).all()
    modes = [learner.model.predict(x.numpy(), deterministic=True, action_masks=masks)[0] for x in (rows, other)]
    assert np.array_equal(*modes)


def test_no_gradient_of_the_policy_reaches_what_is_hidden(learner):
    policy, d = learner.model.policy, learner.shape.inputs
    rows = torch.from_numpy(learner.env.look()).float().requires_grad_()
    masks = torch.from_numpy(learner.env.action_masks())
    values, chances, entropy = policy.evaluate_actions(rows, masks.argmax(dim=1), action_masks=masks)
    (of_policy,) = torch.autograd.grad(chances.sum() + entropy.sum(), rows, retain_graph=True)
    (of_value,) = torch.autograd.grad(values.sum(), rows)
    assert not of_policy[:, d:].any()
    assert of_policy[:, :d].any()
    assert (of_value[:, d:] != 0).any(dim=1).all()


def test_the_agent_is_the_trainers_policy_and_sees_the_seats_observation_alone(learner):
    env, policy = learner.env, learner.model.policy
    views = env.batch.views(np.arange(len(env.batch)))
    rows = torch.from_numpy(env.look())
    assert np.array_equal(rows[:, : learner.shape.inputs].numpy(), views.observation)
    with torch.no_grad():
        logits = policy.logits(policy.mlp_extractor.forward_actor(policy.extract_features(rows)))
    assert np.array_equal(PolicyAgent(env.batch.game, learner.net, Parameters()).logits(views), logits.numpy())
    assert not any(key.startswith("value") for key in learner.net.state_dict())


@pytest.mark.parametrize("name", GAMES)
def test_what_is_hidden_is_what_the_position_says(name):
    """The others' hands and secret choices, clockwise from the learner's seat, in random games."""
    learner = build(tiny(name, net__critic="oracle", n_games=32, seed=2))
    env, game = learner.env, learner.env.batch.game
    env.reset()
    rng, d, secrets = np.random.default_rng(0), learner.shape.inputs, 0
    cards = {"tritarea": 36, "triatri": 21}[name]
    for _ in range(40):
        hidden = env.look()[:, d:]
        for i, g in enumerate(env.batch.games):
            position, players = game.to_position(g), env.holders.shape[1]
            others = [(int(env.seat[i]) + r) % players for r in range(1, players)]
            hands = hidden[i, : 3 * cards].reshape(3, cards)
            rest = hidden[i, 3 * cards :]
            for r in range(3):
                held = position["hands"][others[r]] if r < len(others) else []
                assert np.flatnonzero(hands[r]).tolist() == [card for card in held if card < cards]
            if name == "tritarea":
                seen = rest.reshape(cards, 3)
                told = [position["declared"][s] for s in others]
                if position["phase"] != "five_settle":
                    expected = [[] if card is None else [card] for card in told]
                    assert [np.flatnonzero(seen[:, r]).tolist() for r in range(3)] == expected
                    secrets += position["phase"] == "declare" and any(told)
            else:
                imitations, bids, bid_imitation = rest[:3], rest[3 : 3 + 3 * cards].reshape(cards, 3), rest[-3:]
                for r, s in enumerate(others):
                    bid = position["bids"][s]
                    assert imitations[r] == position["hands"][s].count(21)
                    assert np.flatnonzero(bids[:, r]).tolist() == [bid] * (bid is not None and bid < 21)
                    assert bid_imitation[r] == (bid == 21)
                    secrets += position["phase"] == "bid" and bid is not None
        env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()]))
    assert secrets > 0


@pytest.mark.parametrize("name", GAMES)
def test_hidden_entries_are_scaled_into_bounds(name):
    learner = build(tiny(name, net__critic="oracle", n_games=32))
    learner.env.reset()
    scaled = learner.env.look() * learner.env.sight.scale
    assert scaled.min() >= 0
    assert scaled.max() <= 1
    game = learner.env.batch.game
    entries = hidden_entries(game, game.seats_of(learner.env.batch.options))
    assert all(len(set(row)) == len(row) for row in entries.tolist())


@pytest.mark.parametrize("name", GAMES)
def test_a_checkpoint_plays_and_says_that_it_has_no_value(run_of, name):
    run, game = run_of(name, net__critic="oracle"), games.get(name)
    folder = find(run)
    assert json.loads((folder / "meta.json").read_text())["net"]["critic"] == "oracle"
    assert not any(key.startswith("value") for key in load_file(folder / "policy.safetensors"))
    make(str(run), game)
    told = "has a policy but no value for play: it was trained with net.critic oracle"
    with pytest.raises(CheckpointError, match=told) as raised:
        make(f"search:prior={run}", game)
    assert "\n" not in str(raised.value)
