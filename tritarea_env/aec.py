"""The PettingZoo environment: one class for every game."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from . import games, records
from .engine import loops
from .engine.rng import child, key_of
from .errors import IllegalActionError
from .games.base import Position
from .views import Agent, check_actions, find_agent, views_of

REWARD_KINDS = {"outcome": loops.OUTCOME, "score": loops.SCORE, "score_delta": loops.SCORE_DELTA}
AGENT_STREAM = 1 << 32  # child of a row's stream from which the chance of its agents is derived
ILLEGAL_REWARD = -1.0

Observation = dict[str, NDArray[Any]]


def one_of(value: Any, allowed: tuple[Any, ...], what: str) -> Any:
    """``value``, if it is allowed.

    Raises:
        ValueError: says what is allowed.
    """
    if value not in allowed:
        raise ValueError(f"{what} is one of {', '.join(map(repr, allowed))}, not {value!r}")
    return value


def action_id(action: Any, actions: int) -> int:
    """An action id as int.

    Raises:
        TypeError: not an integer.
        IllegalActionError: outside 0 … actions-1.
    """
    try:
        if isinstance(action, (bool, np.bool_)):
            raise TypeError
        number = operator.index(action)
    except TypeError:
        raise TypeError(f"an action is an integer 0 … {actions - 1}, not {action!r}") from None
    if not 0 <= number < actions:
        raise IllegalActionError(f"an action is an integer 0 … {actions - 1}, not {number}")
    return number


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
        super().__init__()
        self.game = games.get(game)
        self.metadata = {
            "name": f"{game}_v{self.game.version}",
            "render_modes": ["human", "ansi"],
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.render_mode = one_of(render_mode, (None, *self.metadata["render_modes"]), "render_mode")
        self.reward = one_of(reward, self.game.rewards, "reward")
        self.illegal = one_of(illegal, ("raise", "terminate"), "illegal")
        self._npc: str | Agent | None = options.get("npc")
        if self._npc is not None and not isinstance(self._npc, str):
            options["npc"] = f"{type(self._npc).__module__}:{type(self._npc).__qualname__}"
        self.options = self.game.check_options(options)
        self.possible_agents = self.game.agents(self.options)
        self.agents: list[str] = []
        self._seat_of = {name: seat for seat, name in enumerate(self.possible_agents)}
        actions, size = self.game.actions, self.game.observation_size
        self._observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (size,), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self._action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._observation_spaces = {agent: self._observation_space for agent in self.possible_agents}
        self.state_space = spaces.Box(0.0, 1.0, (self.game.state_size,), np.float32)
        self._kind = REWARD_KINDS[self.reward]
        self._no_mask = np.zeros(actions, np.int8)
        self._no_mask.flags.writeable = False
        self._scratch = np.zeros(self.game.seats, np.int64)
        self._step_reward = np.zeros(self.game.seats)
        self._root: np.uint64 | None = None  # key of the seed
        self._state: np.recarray | None = None
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
            ValueError: a seed or an option that is none; the game under way is untouched then.
        """
        given = dict(options or {})
        root, stream, episode = self._next_stream(seed, given.get("game_index"))
        state = self.game.new(1, self.options)
        state.stream[0] = stream
        state.episode[0] = episode
        start = self._begin(state, given)
        self._root, self._state, self._start = root, state, start
        self._agent_key = child(stream, AGENT_STREAM, episode)
        self._log: list[list[int]] = []
        self._over = False
        self._skip_agent_selection = None
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_mask} for agent in self.agents}
        self._mask = np.zeros(self.game.actions, np.int8)
        loops.legal_games(state, np.zeros(1, np.int64), self._mask[None])
        self._total = np.zeros(self.game.seats)
        self._play_npcs()
        self._select(None)

    def _next_stream(self, seed: int | None, index: int | None) -> tuple[np.uint64, np.uint64, int]:
        if index is not None and (isinstance(index, bool) or not isinstance(index, (int, np.integer)) or index < 0):
            raise ValueError(f"game_index is a whole number from 0 on, not {index!r}")
        if seed is None and index is None and self._state is not None and self._root is not None:
            return self._root, self._state.stream[0], int(self._state.episode[0]) + 1
        if seed is not None:
            root = key_of(seed)
        else:
            root = key_of(secrets.randbits(64)) if self._root is None else self._root
        return root, child(root, index or 0), 0

    def _begin(self, state: np.recarray, given: Mapping[str, Any]) -> dict[str, Any]:
        """Draw, put in what is given, begin; returns what the record says of the start."""
        loops.draw_game(state, 0)
        if "position" not in given:
            self.game.set_start(state[0], given)
            start = self.game.start_of(state[0])
            loops.begin_game(state, 0)
            return start
        stream, episode = state.stream[0], state.episode[0]
        self.game.from_position(state[0], given["position"], child(stream, episode))
        self.game.set_later(state[0], given.get("deals", []))
        state.stream[0], state.episode[0] = stream, episode
        return {"position": self.game.to_position(state[0]), "deals": self.game.later_of(state[0])}

    # ------------------------------------------------------------------------------------- step

    def step(self, action: int | None) -> None:  # type: ignore[override]
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
        number = action_id(action, self.game.actions)
        if not self._mask[number]:
            self._illegal(agent, number)
            return
        self._cumulative_rewards[agent] = 0.0
        self._total[:] = 0.0
        self._apply(number)
        self._play_npcs()
        for name, seat in self._seat_of.items():
            reward = float(self._total[seat])
            self.rewards[name] = reward
            self._cumulative_rewards[name] += reward
        self._select(agent)

    def _apply(self, action: int) -> None:
        assert self._state is not None
        self._log.append([int(self._state.seat[0]), action])
        loops.step_rewarded(self._state, 0, action, self._kind, self._mask, self._scratch, self._step_reward)
        self._total += self._step_reward

    def _play_npcs(self) -> None:
        """Decide for the seats that no player holds, until a player is to move or the game is over."""
        assert self._state is not None
        while len(self.possible_agents) <= self._state.seat[0]:
            npc = find_agent(self._npc or self.options["npc"], self.game)
            views = views_of(self.game, self._state, np.zeros(1, np.int64), np.array([self._agent_key]))
            self._apply(int(check_actions(self.game, views.mask, npc.act(views), "the NPC")[0]))

    def _select(self, previous: str | None) -> None:
        """Whose decision comes next, and the infos that change with it."""
        assert self._state is not None
        if self._state.done[0]:
            self._finish(False, self._result())
            return
        if previous is not None:
            self.infos[previous] = {"action_mask": self._no_mask}
        agent = self.possible_agents[self._state.seat[0]]
        self.agent_selection = agent
        self.infos[agent] = {"action_mask": self._mask.copy()}

    def _result(self) -> dict[str, Any]:
        assert self._state is not None
        g = self._state[0]
        return {
            "scores": [int(score) for score in g.scores],
            "winners": records.winners_of(g),
            "points": records.points_of(self.game, g, self._start),
        }

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
            legal = ", ".join(f"{a} ({self.game.action_names[a]})" for a in np.flatnonzero(self._mask))
            raise IllegalActionError(
                f"{agent} may not play {action} ({self.game.action_names[action]}) now; legal: {legal}"
            )
        for name in self.agents:
            self.rewards[name] = 0.0
        self._cumulative_rewards[agent] = 0.0
        self.rewards[agent] = ILLEGAL_REWARD
        self._accumulate_rewards()
        # as PettingZoo's classic games end: both flags are set
        self._finish(True, {"illegal_action": action, "illegal_agent": agent})

    # ---------------------------------------------------------------------------- what is seen

    def _playing(self) -> np.recarray:
        if self._state is None:
            raise RuntimeError("there is no game yet; call reset() first")
        return self._state

    def observe(self, agent: str) -> Observation:
        """``{"observation": float32 (d,) in [0, 1], "action_mask": int8 (A,)}`` of any agent.

        The mask of an agent that is not to move is all zero.
        """
        state = self._playing()
        if agent not in self._seat_of:
            raise ValueError(f"no agent is named {agent!r}; there is {', '.join(self.possible_agents)}")
        raw = np.empty(self.game.observation_size, np.uint8)
        loops.observe_game(state, 0, self._seat_of[agent], raw)
        to_move = not self._over and agent == self.agent_selection
        mask = self._mask if to_move else self._no_mask
        return {"observation": raw * self.game.scale, "action_mask": mask.copy()}

    def state(self) -> NDArray[np.float32]:
        """(m,) float32 in [0, 1]: the full information, absolute seats; see ``game.state_fields``."""
        raw = np.empty(self.game.state_size, np.uint8)
        loops.state_game(self._playing(), 0, raw)
        return raw * self.game.state_scale

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or was ended by an illegal action."""
        return self._over

    def position(self, seat: int | None = None) -> Position:
        """The position as JSON-able data; with a ``seat``, as that seat sees it."""
        return self.game.to_position(self._playing()[0], seat)

    def record(self) -> records.Record:
        """The record of the game so far; scores and winners are None unless it was played to its end."""
        return records.make(self.game, self.options, self._start, self._log, self._playing()[0])

    def action_name(self, action: int) -> str:
        """The name of an action id."""
        return self.game.action_name(action)

    def action_id(self, name: str) -> int:
        """The action id of a name."""
        return self.game.action_id(name)

    # ------------------------------------------------------------------------------------ render

    def render(self) -> str | None:  # type: ignore[override]
        """``ansi``: the table as text, with the hand of the seat to move; ``human`` prints it."""
        if self.render_mode is None:
            gymnasium.logger.warn("You are calling render method without specifying any render mode.")
            return None
        state = self._playing()
        position = self.position(None if state.done[0] else int(state.seat[0]))
        text = self.game.draw_text(position, self.options)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is held open."""
