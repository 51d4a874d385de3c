"""The league: everyone that the learner plays against, and how it fares against each."""

from __future__ import annotations

import copy
import hashlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from tritarea_agents.net import PolicyNet
from tritarea_agents.policy import Parameters, PolicyAgent
from tritarea_env.games import Game
from tritarea_env.views import Agent, find_agent

from .config import OpponentsConfig
from .prioritised import prioritised, strength

MEMORY = 0.9  # what a rollout leaves of the counts of games before it: a mean over about ten rollouts


class League:
    """The current net, a pool of its older selves, and agents by spec. A *member* is a place in ``agents``.

    Place 0 holds the current net itself, so it is never behind; then come the pool's snapshots, then the agents. A
    game draws one member for all its opponents: then its result says how the learner fares against that member.
    By the config's ``play``, current net and snapshots draw from their policy (the mode of one net is one opponent,
    its policy is many) or take its likeliest action; agents, nets of other runs among them, play as their specs say.
    When the pool is full, a new snapshot takes the place of that one without which the ages of the rest lie
    closest together; the oldest and the newest stay, so the pool spans the whole run. Games under way go on
    against the new one.

    Attributes:
        agents: (k,) who decides; None for a place of the pool that is empty.
        names: (k,) for people.
        npc: the member that decides for seats which no player holds, or -1.
        games: (k, seats) float64, games that ended of late by member and the learner's seat, faded by ``MEMORY``.
        won: (k, seats) float64, the learner's share of the win in them.
    """

    def __init__(self, game: Game, options: dict[str, Any], config: OpponentsConfig) -> None:
        self.game, self.config = game, config
        self.born = np.full(config.pool, -1, np.int64)  # steps at which each snapshot was taken; -1: none
        self.agents: list[Agent | None] = [None] * (1 + config.pool)
        self.names = ["current", *(f"snapshot_{i}" for i in range(config.pool))]
        for spec in config.agents:
            self._join(spec, game, options)
        self.npc = -1
        seats = game.seats_of(options)
        if len(game.agents(options)) < seats:
            self.npc = self._join(options["npc"], game, options)
        self.games = np.zeros((len(self.agents), seats))
        self.won = np.zeros((len(self.agents), seats))

    def _join(self, spec: str, game: Game, options: dict[str, Any]) -> int:
        self.agents.append(find_agent(spec, game, options))
        self.names.append(spec)
        return len(self.agents) - 1

    def lead(self, net: PolicyNet) -> None:
        """Make ``net`` the current net; it is played as it is at every moment."""
        self.current = net
        self.agents[0] = self._player(net)

    def _player(self, net: PolicyNet) -> PolicyAgent:
        return PolicyAgent(self.game, net, Parameters(sample=self.config.play == "sample"))

    def weights(self) -> NDArray[np.float64]:
        """(k,) cumulative, ending in 1: with which chance a new game draws each member; made of the counts alone."""
        total = np.cumsum(self.masses())
        chances: NDArray[np.float64] = total / total[-1]
        return chances

    def masses(self) -> NDArray[np.float64]:
        """(k,) in proportion to those chances."""
        config, found = self.config, np.zeros(len(self.agents))
        filled = np.flatnonzero(self.born >= 0)
        found[0] = config.current
        if not len(filled):
            found[0] += config.snapshots
        elif config.rule == "latest":
            found[1 + int(np.argmax(self.born))] = config.snapshots
        else:
            found[1 + filled] = config.snapshots / len(filled)
        first = 1 + config.pool
        found[first : first + len(config.agents)] = list(config.agents.values())
        if config.rule == "pfsp":
            p = strength(self.won.sum(axis=1), self.games.sum(axis=1), self.games.shape[1])
            found[1:] = prioritised(found[1:], p[1:], config.pfsp, config.pfsp_power)
        return found

    def take_snapshot(self, steps: int) -> None:
        """A copy of the current net as it is joins the pool."""
        place = self.place_for_new()
        self.put(place, copy.deepcopy(self.current), steps)

    def place_for_new(self) -> int:
        """The pool's place that the next snapshot takes."""
        empty = np.flatnonzero(self.born < 0)
        if len(empty):
            return int(empty[0])
        order = np.argsort(self.born)
        if len(order) < 3:
            return int(order[-1])
        gaps = self.born[order[2:]] - self.born[order[:-2]]
        return int(order[1 + int(np.argmin(gaps))])

    def put(self, place: int, net: PolicyNet, born: int) -> None:
        """Give a place of the pool to a net; its count of games begins anew."""
        for weight in net.parameters():
            weight.requires_grad_(False)
        self.agents[1 + place] = self._player(net)
        self.born[place] = born
        self.games[1 + place] = self.won[1 + place] = 0.0

    def count(self, member: NDArray[np.int64], seat: NDArray[np.int64], share: NDArray[np.float64]) -> None:
        """Games that have ended (m,): the opponents' member, the learner's seat, and its share of the win."""
        np.add.at(self.games, (member, seat), 1.0)
        np.add.at(self.won, (member, seat), share)

    def forget(self) -> None:
        """Forget the games counted so far."""
        self.games[:] = self.won[:] = 0.0

    def fade(self) -> None:
        """At each rollout's end."""
        self.games *= MEMORY
        self.won *= MEMORY

    def scalars(self) -> dict[str, float]:
        """What the logs tell: by member and by seat the learner's share of the win and the games (faded) that it is of,
        with which chance a member is drawn, and the steps at which each snapshot was taken.
        """
        chances = np.diff(self.weights(), prepend=0.0)
        there = [k for k, agent in enumerate(self.agents) if agent is not None and k != self.npc]
        found = {f"chance_by_opponent/{self.names[k]}": chances[k] for k in there}
        found |= {f"born/snapshot_{i}": born for i, born in enumerate(self.born) if born >= 0}
        seats = [f"seat_{seat}" for seat in range(self.games.shape[1])]
        for kind, names, axis in (("opponent", self.names, 1), ("seat", seats, 0)):
            for name, games, won in zip(names, self.games.sum(axis=axis), self.won.sum(axis=axis), strict=True):
                if games > 0:
                    found |= {f"share_by_{kind}/{name}": won / games, f"games_by_{kind}/{name}": games}
        if self.games.sum() > 0:
            found["rollout/share"] = self.won.sum() / self.games.sum()
        return {name: float(value) for name, value in found.items()}

    def state(self) -> dict[str, Any]:
        """Tensors and numbers, from which ``restore`` makes the same pool."""
        nets = {
            str(place): agent.net.state_dict()
            for place, agent in enumerate(self.agents[1 : 1 + self.config.pool])
            if isinstance(agent, PolicyAgent)
        }
        return {
            "born": torch.from_numpy(self.born.copy()),
            "games": torch.from_numpy(self.games.copy()),
            "won": torch.from_numpy(self.won.copy()),
            "nets": nets,
            "foreign": self._foreign(),
        }

    def _foreign(self) -> dict[str, str]:
        """Digests of the nets among the agents, by spec: a run's folder may hold another net tomorrow."""
        first = 1 + self.config.pool
        nets = [(name, getattr(agent, "net", None)) for name, agent in zip(self.names, self.agents, strict=True)]
        return {name: digest(net) for name, net in nets[first:] if isinstance(net, torch.nn.Module)}

    def restore(self, state: dict[str, Any]) -> None:
        """Take over the pool and counts of ``state``.

        Raises:
            ValueError: counts or snapshots are damaged, or a net among the agents is not the one that played then.
        """
        for name, now in self._foreign().items():
            if state["foreign"].get(name) != now:
                raise ValueError(f"the net of the opponent {name} is another one than when this was saved")
        games, won = state["games"].numpy(), state["won"].numpy()
        if not (np.isfinite(games).all() and (won >= 0.0).all() and (won <= games).all()):
            raise ValueError("the league's counts of games are damaged")
        born = state["born"].numpy()
        if set(state["nets"]) != {str(place) for place in np.flatnonzero(born >= 0)}:
            raise ValueError("the league's snapshots are not those whose ages it tells")
        for place, weights in state["nets"].items():
            net = copy.deepcopy(self.current)
            net.load_state_dict(weights)
            self.put(int(place), net, 0)
        self.born[:] = born
        self.games[:], self.won[:] = games, won


def digest(net: torch.nn.Module) -> str:
    """SHA-256 of a net's weights, in hexadecimal."""
    found = hashlib.sha256()
    for name, tensor in net.state_dict().items():
        found.update(name.encode())
        found.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    return found.hexdigest()
