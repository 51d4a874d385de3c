"""The policy of sb3-contrib's MaskablePPO, made of the modules that agents play with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from tritarea_agents.net import PolicyNet, Shape, Trunk, added, foresight_of, heads_of, layers
from tritarea_env.games import Game


class Features(NamedTuple):
    """What all parts of the policy work on, each a tensor (n, …) float32.

    ``shared``: the trunk's last layer; ``scaled``: what the seat sees; ``hidden``: what only an oracle critic sees.
    """

    shared: Tensor
    scaled: Tensor
    hidden: Tensor


class Seeing(BaseFeaturesExtractor):
    """The trunk of the agent's net as a features extractor; what is hidden from the seat goes past it."""

    hidden_scale: Tensor

    def __init__(self, observation_space: Any, trunk: Trunk, width: int, hidden_scale: NDArray[np.float32]) -> None:
        super().__init__(observation_space, width)
        self.trunk = trunk
        self.register_buffer("hidden_scale", torch.tensor(hidden_scale), persistent=False)

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
        self.heads, self.foresight = heads_of(shape, game), foresight_of(shape, game)

    def forward(self, features: Features) -> tuple[Hidden, Tensor]:
        """Both of the next two."""
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features: Features) -> Hidden:
        """The policy's layers."""
        last = self.policy_net(features.shared)
        return Hidden(last, added((self.heads, self.foresight), features.scaled, last))

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

    features_extractor: Any
    mlp_extractor: Any
    action_net: Any
    value_net: Any

    def __init__(self, *args: Any, shape: Shape, game: Game, hidden: int, **kwargs: Any) -> None:
        self._shape, self._game, self._hidden = shape, game, hidden  # the base class builds
        super().__init__(*args, **kwargs)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = Layers(self._shape, self._game, self._hidden)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        heads, foresight = self.mlp_extractor.heads, self.mlp_extractor.foresight
        outputs = [] if heads is None else [head.out for head in heads.sets.values()]
        for output in [*outputs, *([] if foresight is None else foresight.weights.values())]:
            self.init_weights(output, gain=0.01)  # small, as the other outputs of the policy

    def _get_action_dist_from_latent(self, latent_pi: Any) -> Any:
        return self.action_dist.proba_distribution(action_logits=self.logits(latent_pi))

    def logits(self, latent: Hidden) -> Tensor:
        """Logits (n, A) of all actions, not masked, from the policy's layers."""
        logits: Tensor = self.action_net(latent.last)
        return logits if latent.added is None else logits + latent.added

    def net(self) -> PolicyNet:
        """The agent's net, made of these very modules: it changes with them."""
        inner, own = self.mlp_extractor, self._shape.critic == "own"
        return PolicyNet(
            self.features_extractor.trunk,
            inner.policy_net,
            self.action_net,
            inner.value_net if own else None,
            self.value_net if own else None,
            inner.heads,
            inner.foresight,
        )

    def oracle(self) -> nn.ModuleDict:
        """The part of the critic that the agent's net leaves out, to be kept with the run; empty if there is none."""
        critic = {"value": self.mlp_extractor.value_net, "value_out": self.value_net}
        return nn.ModuleDict({} if self._shape.critic == "own" else critic)
