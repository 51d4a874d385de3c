"""MaskablePPO of sb3-contrib over the league's vector env, with the net that agents play.

PPO: Schulman et al. 2017, arXiv 1707.06347. Masking: Huang and Ontañón 2020, arXiv 2006.14171.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.utils import ConstantSchedule, LinearSchedule
from torch import Tensor, nn

from tritarea_agents.net import PolicyNet, Shape, Trunk, heads_of, layers
from tritarea_env import games
from tritarea_env.engine.rng import key_of
from tritarea_env.games import Game

from .config import TrainConfig
from .league import League
from .sight import Sight
from .vec_env import LeagueVecEnv


class Features(NamedTuple):
    """What all parts of the policy work on, each a tensor (n, …) float32.

    ``shared``: the trunk's last layer; ``scaled``: what the seat sees; ``hidden``: what only an oracle critic sees.
    """

    shared: Tensor
    scaled: Tensor
    hidden: Tensor


class Seeing(BaseFeaturesExtractor):
    """The trunk of the agent's net as a features extractor; what is hidden from the seat goes past it."""

    def __init__(self, observation_space: Any, shape: Shape, scale: NDArray[np.float32]) -> None:
        super().__init__(observation_space, shape.width)
        self.trunk = Trunk(scale[: shape.inputs], shape.shared, shape.activation)
        self.register_buffer("hidden_scale", torch.tensor(scale[shape.inputs :]), persistent=False)

    def forward(self, observations: Tensor) -> Features:
        """From observations (n, d + e) as the env shows them."""
        scaled = self.trunk.scaled(observations)
        hidden = observations[:, scaled.shape[1] :].float() * self.hidden_scale
        return Features(self.trunk.layers(scaled), scaled, hidden)


class Hidden(NamedTuple):
    """Of the policy: its last layer (n, h), and what its heads add to the logits (n, A), if it has any."""

    last: Tensor
    added: Tensor | None


class Layers(nn.Module):
    """The layers between features and outputs, in the place of SB3's ``mlp_extractor``: the critic alone sees all."""

    def __init__(self, shape: Shape, game: Game, hidden: int) -> None:
        super().__init__()
        self.latent_dim_pi = (shape.width, *shape.policy)[-1]
        self.latent_dim_vf = (shape.width + hidden, *shape.value)[-1]
        self.policy_net = layers(shape.width, shape.policy, shape.activation)
        self.value_net = layers(shape.width + hidden, shape.value, shape.activation)
        self.heads = heads_of(shape, game)

    def forward(self, features: Features) -> tuple[Hidden, Tensor]:
        """Both of the next two."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Features) -> Hidden:
        """The policy's layers."""
        last = self.policy_net(features.shared)
        return Hidden(last, None if self.heads is None else self.heads(features.scaled, last))

    def forward_critic(self, features: Features) -> Tensor:
        """The critic's last layer (n, v)."""
        seen = torch.cat([features.shared, features.hidden], 1) if features.hidden.shape[1] else features.shared
        last: Tensor = self.value_net(seen)
        return last


class NetPolicy(MaskableActorCriticPolicy):
    """The algorithm's policy, made of the modules of an agent's net.

    Args:
        shape: of the net.
        game: that it plays.
        hidden: how many entries only the critic sees.
    """

    def __init__(self, *args: Any, shape: Shape, game: Game, hidden: int, **kwargs: Any) -> None:
        self._layers_of = (shape, game, hidden)  # the base class builds
        super().__init__(*args, **kwargs)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = Layers(*self._layers_of)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        heads = self.mlp_extractor.heads
        for head in () if heads is None else heads.sets.values():
            self.init_weights(head.out, gain=0.01)  # small, as the other outputs of the policy

    def _get_action_dist_from_latent(self, latent_pi: Hidden) -> Any:
        return self.action_dist.proba_distribution(action_logits=self.logits(latent_pi))

    def logits(self, latent_pi: Hidden) -> Tensor:
        """Logits (n, A) of all actions, not masked."""
        logits: Tensor = self.action_net(latent_pi.last)
        return logits if latent_pi.added is None else logits + latent_pi.added

    def oracle(self) -> nn.ModuleDict:
        """The part of the critic that the agent's net leaves out, to be kept with the run; empty if there is none."""
        mine = {"value": self.mlp_extractor.value_net, "value_out": self.value_net}
        return nn.ModuleDict(mine if self._layers_of[0].critic == "oracle" else {})


class Learner(NamedTuple):
    """What trains: the algorithm, and what feeds it. ``net`` is a view of the algorithm's own policy."""

    model: MaskablePPO
    env: LeagueVecEnv
    league: League
    net: PolicyNet
    shape: Shape


def shape_of(config: TrainConfig) -> Shape:
    """The form of the net that a config asks for."""
    game, net = games.get(config.game.name), config.net
    return Shape(
        game.observation_size,
        game.actions,
        tuple(net.shared),
        tuple(net.policy),
        tuple(net.value),
        net.activation,
        net.kind,
        net.items if net.kind == "cards_board" else 0,
        net.critic,
    )


def build(config: TrainConfig) -> Learner:
    """A learner at its beginning. Seeds the global random state of torch and numpy, which the algorithm uses."""
    game = games.get(config.game.name)
    options = game.check_options(config.game.options)
    league = League(game, options, config.opponents)
    shape, ppo = shape_of(config), config.ppo
    sight = Sight(game, options, oracle=shape.critic == "oracle", augment=config.augment)
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
            "hidden": sight.size - game.observation_size,
            "features_extractor_class": Seeing,
            "features_extractor_kwargs": {"shape": shape, "scale": sight.scale},
        },
    )
    net = net_of(model.policy)
    league.lead(net)
    return Learner(model, env, league, net, shape)


def net_of(policy: NetPolicy) -> PolicyNet:
    """The agent's net made of an SB3 policy's own modules: it changes with the policy."""
    inner = policy.mlp_extractor
    own = not policy.oracle()
    return PolicyNet(
        policy.features_extractor.trunk,
        inner.policy_net,
        policy.action_net,
        inner.value_net if own else None,
        policy.value_net if own else None,
        inner.heads,
    )
