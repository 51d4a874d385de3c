"""The trained net: one forward path, masks that always hold."""

import re

import numpy as np
import pytest
import torch
from tiny import GAMES, tiny

from tritarea_agents.policy import Parameters, PolicyAgent
from tritarea_env import games
from tritarea_env.batch import Batch
from tritarea_train.model import build

KINDS = ("mlp", "cards_board")


@pytest.fixture(scope="module", params=[(name, kind) for name in GAMES for kind in KINDS], ids="-".join)
def learner(request):
    name, kind = request.param
    return build(tiny(name, net__kind=kind, net__items=32, n_games=8, ppo__n_steps=32, seed=5))


def outputs(policy):
    """The weights from which logits come."""
    heads = policy.mlp_extractor.heads
    return [policy.action_net.weight, *([] if heads is None else (head.out.weight for head in heads.sets.values()))]


def random_masks(n, actions, rng):
    """Masks with 1 … A legal actions, every tenth with just one."""
    counts = np.where(np.arange(n) % 10 == 0, 1, rng.integers(1, actions + 1, n))
    order = rng.random((n, actions)).argsort(axis=1).argsort(axis=1)
    return order < counts[:, None]


@pytest.mark.parametrize("spread", [0.01, 1.0, 30.0])
def test_masked_distributions_hold_in_training_mode(learner, spread):
    """10,000 masks; ``spread`` widens the logits, as long training does."""
    rng = np.random.default_rng(2)
    game = learner.env.batch.game
    maxima = np.concatenate([np.full(field.size, field.maximum) for field in game.fields])
    policy = learner.model.policy
    policy.set_training_mode(True)
    masks = random_masks(10_000, game.actions, rng)
    observations = torch.from_numpy(rng.integers(0, maxima + 1, (10_000, len(maxima))).astype(np.uint8))
    before = [weight.detach().clone() for weight in outputs(policy)]
    with torch.no_grad():
        for weight in outputs(policy):
            weight.normal_(0.0, spread)
    actions, values, log_prob = policy(observations, action_masks=masks)
    again, log_prob_again, entropy = policy.evaluate_actions(
        observations, actions, action_masks=torch.from_numpy(masks)
    )
    (again.sum() + log_prob_again.sum() + entropy.sum()).backward()
    assert masks[np.arange(10_000), actions.numpy()].all()
    for tensor in (values, log_prob, log_prob_again, entropy, *(p.grad for p in policy.parameters())):
        assert torch.isfinite(tensor).all()
    assert torch.equal(log_prob, log_prob_again)
    assert (log_prob[::10].detach().abs() < 1e-6).all()
    policy.optimizer.zero_grad()
    with torch.no_grad():
        for weight, was in zip(outputs(policy), before, strict=True):
            weight.copy_(was)


def some_views(learner):
    own = learner.env.batch
    batch = Batch(own.game.name, 64, seed=1, **own.options)
    rng = np.random.default_rng(0)
    for _ in range(40):
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.mask]))
    return batch.views(np.arange(64))


def test_agent_and_trainer_compute_the_same(learner):
    views, policy = some_views(learner), learner.model.policy
    policy.set_training_mode(False)
    agent = PolicyAgent(learner.env.batch.game, learner.net, Parameters())
    observations = torch.from_numpy(views.observation)
    with torch.no_grad():
        latent = policy.mlp_extractor.forward_actor(policy.extract_features(observations))
        assert np.array_equal(policy.logits(latent).numpy(), agent.logits(views))
        assert torch.equal(policy.predict_values(observations)[:, 0], learner.net.values(observations))
    mode, _ = policy.predict(views.observation, deterministic=True, action_masks=views.mask)
    assert np.array_equal(mode, agent.act(views))


def test_views_of_another_game_are_refused(learner):
    game = learner.env.batch.game
    other = next(name for name in games.names() if name != game.name)
    views = Batch(other, 1, seed=1).views([0])
    with pytest.raises(ValueError, match=f"made for {re.escape(game.title)}, .* in {re.escape(views.game.title)}"):
        PolicyAgent(game, learner.net, Parameters()).act(views)


def test_scaling_gives_the_float_observation(learner):
    raw = torch.from_numpy(some_views(learner).observation)
    scaled = learner.net.trunk.scaled(raw).numpy()
    assert np.array_equal(scaled, raw.numpy() * learner.env.batch.game.scale)
    assert np.isfinite(scaled).all()
    assert scaled.min() >= 0
    assert scaled.max() <= 1


def test_sampling_follows_the_policy_and_its_seed(learner):
    views = some_views(learner)
    agent = PolicyAgent(learner.env.batch.game, learner.net, Parameters(sample=True))
    with torch.no_grad():
        for weight in outputs(learner.model.policy):
            weight.mul_(100.0)
    assert np.array_equal(agent.act(views), agent.act(views))
    halves = [agent.act(views.take(part)) for part in np.split(np.arange(64), 2)]
    assert np.array_equal(np.concatenate(halves), agent.act(views))
    one = int(np.argmax(views.mask.sum(axis=1)))
    many = views.take(np.full(20_000, one))
    many.seed[:] = np.random.default_rng(0).integers(0, 2**64, 20_000, dtype=np.uint64)
    logits = np.where(views.mask[one] == 1, agent.logits(views)[one].astype(float), -np.inf)
    chances = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    assert chances.max() < 0.95
    drawn = np.bincount(agent.act(many), minlength=len(logits)) / 20_000
    assert np.abs(drawn - chances).max() < 0.015
    with torch.no_grad():
        for weight in outputs(learner.model.policy):
            weight.div_(100.0)
