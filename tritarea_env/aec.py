"""The PettingZoo environment: one class for every game."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from . import games, records
from .checks import action_id, one_of
from .errors import IllegalActionError
from .games.base import Position
from .table import Table
from .views import Agent, spec_of

ILLEGAL_REWARD = -1.0
Observation = dict[str, NDArray[Any]]


class GameEnv(AECEnv[str, Observation, int]):
    """A game as an AEC environment. Agents are ``player_0`` …, one for each seat that is a player.

    Args:
        game: name of the game.
        render_mode: None, ``"ansi"`` (``render`` returns text) or ``"human"`` (``render`` prints it).
        reward: ``"outcome"``, ``"score"`` or ``"score_delta"`` (as far as the game has them).
        illegal: what an illegal action does: ``"raise"`` an IllegalActionError and step nothing, or
            ``"terminate"`` the game with -1 for the offender and 0 for the others.
        options: the game's options; ``npc`` may be an agent instead of a spec.
    """

    def __init__(
        self,
        game: str,
        *,
        render_mode: str | None = None,
        reward: str = "outcome",
        illegal: str = "raise",
        **options: Any,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.game = games.get(game)
        self.metadata = {
            "name": f"{game}_v{self.game.version}",
            "render_modes": ["human", "ansi"],
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.render_mode = one_of(render_mode, (None, *self.metadata["render_modes"]), "render_mode")
        self.illegal = one_of(illegal, ("raise", "terminate"), "illegal")
        npc: str | Agent | None = options.get("npc")
        if npc is not None:
            options["npc"] = spec_of(npc, "npc")
        self._table = Table(game, options, one_of(reward, self.game.rewards, "reward"))
        self.options = self._table.options
        self.possible_agents = self.game.agents(self.options)
        self.agents: list[str] = []
        self._seat_of = {name: seat for seat, name in enumerate(self.possible_agents)}
        self._npcs = self._table.npcs(npc)
        actions, size = self.game.actions, self.game.observation_size
        self._actions = actions
        observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self._observation_spaces = dict.fromkeys(self.possible_agents, observation_space)
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(0.0, 1.0, (self.game.state_size,), np.float32)
        self._no_mask = np.zeros(actions, np.int8)
        self._no_mask.flags.writeable = False
        self._over = True

    # ---------------------------------------------------------------------------------- spaces

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        return self._observation_spaces[agent]  # type: ignore[return-value]

    def action_space(self, agent: str) -> spaces.Space[int]:
        return self._action_spaces[agent]  # type: ignore[return-value]

    # ------------------------------------------------------------------------------------ reset

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game.

        Args:
            seed: 0 … 2**64-1, fixes all games from here on; without one, the next game of the present stream
                (of a stream drawn from the system's entropy, if there is none yet).
            options: ``game_index`` i plays the stream of row i of a batch with that seed; ``deals`` and, where
                the game has one, ``start_player`` replace what would be drawn; ``position`` sets up a
                position. Unknown keys are ignored.

        Raises:
            ValueError, TypeError: a seed or an option that is none; the game under way is untouched then.
        """
        with self._table.whole():
            self._table.reset(seed, {} if options is None else options)
            self._table.play_agents(self._npcs)
        self._over = False
        self._skip_agent_selection: str | None = None  # type: ignore[assignment]
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_mask} for agent in self.agents}
        for name, reward in zip(self.possible_agents, self._table.total.tolist(), strict=False):
            self._cumulative_rewards[name] = reward
        self._rewarded = True
        self._select(None)

    # ------------------------------------------------------------------------------------- step

    def step(self, action: int | None) -> None:
        """One decision of ``agent_selection``: a legal action id, or None for an agent whose game is over.

        Raises:
            TypeError: not an integer.
            IllegalActionError: outside 0 … actions-1, or illegal with ``illegal="raise"``. Nothing was stepped.
            ValueError: an action for an agent whose game is over.
        """
        if not self.agents:
            raise ValueError("the game is over and every agent has left it; call reset() for a new one")
        agent = self.agent_selection
        if self._over:
            self._was_dead_step(action)  # type: ignore[arg-type]
            return
        table = self._table
        number = action if type(action) is int and 0 <= action < self._actions else action_id(action, self._actions)
        if not table.mask[number]:
            self._illegal(agent, number)
            return
        if self._rewarded:
            table.total[:] = 0.0
        if self._npcs:
            with table.whole():
                table.apply(number)
                table.play_agents(self._npcs)
        else:
            table.apply(number)
        self._cumulative_rewards[agent] = 0.0
        if table.rewarded or self._rewarded:
            for name, reward in zip(self.possible_agents, table.total.tolist(), strict=False):
                self.rewards[name] = reward
                self._cumulative_rewards[name] += reward
        self._rewarded = table.rewarded
        self._select(agent)

    def _select(self, previous: str | None) -> None:
        """Whose decision comes next, and the infos that change with it."""
        if self._table.to_move < 0:
            self._finish(False, self._table.result())
            return
        if previous is not None:
            self.infos[previous] = {"action_mask": self._no_mask}
        agent = self.possible_agents[self._table.to_move]
        self.agent_selection = agent
        self.infos[agent] = {"action_mask": self._table.mask.copy()}

    def _finish(self, truncated: bool, info: dict[str, Any]) -> None:
        self._over = True
        for agent in self.agents:
            self.terminations[agent] = True
            self.truncations[agent] = truncated
            self.infos[agent] = {"action_mask": self._no_mask, **info}
        self._deads_step_first()

    def _illegal(self, agent: str, action: int) -> None:
        """An action in range that is not legal now: see ``illegal``."""
        if self.illegal == "raise":
            raise IllegalActionError(self._table.complaint(agent, action))
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = ILLEGAL_REWARD
        self._cumulative_rewards[agent] = 0.0
        self._accumulate_rewards()
        # as PettingZoo's classic games end: both flags are set
        self._finish(True, {"illegal_action": action, "illegal_agent": agent})

    # ---------------------------------------------------------------------------- what is seen

    def observe(self, agent: str) -> Observation:
        """``{"observation": float32 (d,) in [0, 1], "action_mask": int8 (A,)}`` of any agent.

        The mask of an agent that is not to move is all zero.
        """
        if agent not in self._seat_of:
            raise ValueError(f"no agent is named {agent!r}; there is {', '.join(self.possible_agents)}")
        observation = self._table.observation(self._seat_of[agent])
        to_move = not self._over and agent == self.agent_selection
        mask = self._table.mask if to_move else self._no_mask
        return {"observation": observation, "action_mask": mask.copy()}

    def state(self) -> NDArray[np.float32]:
        """(m,) float32 in [0, 1]: the full information, absolute seats; see ``game.state_fields``."""
        return self._table.full_state()

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or was ended by an illegal action."""
        return self._over

    def position(self, seat: int | None = None) -> Position:
        """The position as JSON-able data; with a ``seat``, as that seat sees it."""
        return self._table.position(seat)

    def record(self) -> records.Record:
        """The record of the game so far; scores and winners are None unless it was played to its end."""
        return self._table.record()

    def action_name(self, action: int) -> str:
        """The name of an action id."""
        return self.game.action_name(action)

    def action_id(self, name: str) -> int:
        """The action id of a name."""
        return self.game.action_id(name)

    # ------------------------------------------------------------------------------------ render

    def render(self) -> str | None:
        """``ansi``: the table as text, with the hand of the seat to move; ``human`` prints it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() was called, but render_mode is None: make the env with 'ansi' or 'human'")
            return None
        text = self._table.text(self._table.to_move if self._table.to_move >= 0 else None)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is held open."""
