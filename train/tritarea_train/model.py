"""MaskablePPO of sb3-contrib over the league's vector env, with the net that agents play.

PPO: Schulman et al. 2017, arXiv 1707.06347. Masking: Huang and Ontañón 2020, arXiv 2006.14171.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import ConstantSchedule, LinearSchedule

from tritarea_agents.foresight import Inputs
from tritarea_agents.net import PolicyNet, Shape, Trunk
from tritarea_env import games
from tritarea_env.engine.rng import key_of

from .config import TrainConfig
from .league import League
from .policy import NetPolicy, Seeing
from .sight import Sight
from .vec_env import LeagueVecEnv


class Learner(NamedTuple):
    """What trains: the algorithm, and what feeds it. ``net`` is a view of the algorithm's own policy."""

    model: MaskablePPO
    env: LeagueVecEnv
    league: League
    net: PolicyNet
    shape: Shape

    def is_finite(self) -> bool:
        """Whether all weights are; once one is not, nothing can be learned any more."""
        return all(bool(torch.isfinite(weight).all()) for weight in self.model.policy.parameters())


def shape_of(config: TrainConfig) -> Shape:
    """The form of the net that a config asks for."""
    game, net = games.get(config.game.name), config.net
    return Shape(
        Inputs(game, net.foresight).size,
        game.actions,
        tuple(net.shared),
        tuple(net.policy),
        tuple(net.value),
        net.activation,
        net.kind,
        net.items if net.kind == "cards_board" else 0,
        net.critic,
        net.foresight,
    )


def build(config: TrainConfig) -> Learner:
    """A learner at its beginning. Seeds the global random state of torch and numpy, which the algorithm uses."""
    game = games.get(config.game.name)
    options = game.check_options(config.game.options)
    league = League(game, options, config.opponents)
    shape, ppo = shape_of(config), config.ppo
    inputs = Inputs(game, shape.foresight)
    sight = Sight(game, options, oracle=shape.critic == "oracle", augment=config.augment, foresight=shape.foresight)
    env = LeagueVecEnv(
        game.name, config.n_games, league, seed=config.seed, reward=config.game.reward, sight=sight, **options
    )
    linear = ppo.schedule == "linear"
    rate = LinearSchedule(ppo.learning_rate, 0.0, 1.0) if linear else ConstantSchedule(ppo.learning_rate)
    model = MaskablePPO(
        NetPolicy,
        env,
        learning_rate=rate,
        n_steps=ppo.n_steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.n_epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip,
        ent_coef=ppo.ent_coef,
        vf_coef=ppo.vf_coef,
        max_grad_norm=ppo.max_grad_norm,
        seed=int(key_of(config.seed)) >> 32,  # numpy's seeds have 32 bits
        device=config.device,
        policy_kwargs={
            "shape": shape,
            "game": game,
            "hidden": sight.size - inputs.size,
            "features_extractor_class": Seeing,
            "features_extractor_kwargs": {
                "trunk": Trunk(inputs, shape.shared, shape.activation),
                "width": shape.width,
                "hidden_scale": sight.scale[inputs.size :],
            },
        },
    )
    policy: Any = model.policy
    net: PolicyNet = policy.net()
    league.lead(net)
    return Learner(model, env, league, net, shape)
