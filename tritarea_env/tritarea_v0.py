"""PettingZoo entry of Tri*T*Area: ``env()`` and ``raw_env()``. See docs/tritarea.md."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers.order_enforcing import OrderEnforcingWrapper

from . import games
from .aec import GameEnv
from .games import Field
from .views import Agent

__all__ = ["env", "observation_fields", "raw_env", "unflatten"]


def raw_env(
    *,
    render_mode: str | None = None,
    players: int = 4,
    npc: str | Agent = "greedy",
    adjacency: str = "top",
    voluntary_default: bool = False,
    board: Any = "pinwheel",
    reward: str = "outcome",
    illegal: str = "raise",
) -> GameEnv:
    """The environment without wrappers.

    Args:
        render_mode: None, ``"ansi"`` or ``"human"``.
        players: 1-4; the other seats are NPCs. With two, each plays in a team with the NPC opposite.
        npc: who decides for NPC seats: an agent or its spec.
        adjacency: what gives the right to additional construction: the seat's colour on ``"top"`` of an
            adjacent building, or ``"any"`` of its blocks in it.
        voluntary_default: whether a rightholder who has a block may decline to build.
        board: ``"pinwheel"``, or ``{"areas": 16 × 0-3, "bonus": 16 × 0-3}`` with four squares an area.
        reward: ``"outcome"`` (share of the win - 1/4), ``"score"`` or ``"score_delta"``.
        illegal: ``"raise"`` or ``"terminate"``.

    Raises:
        ValueError: an option that is none; says which values are.
    """
    return GameEnv(
        "tritarea",
        render_mode=render_mode,
        reward=reward,
        illegal=illegal,
        players=players,
        npc=npc,
        adjacency=adjacency,
        voluntary_default=voluntary_default,
        board=board,
    )


def env(
    *,
    render_mode: str | None = None,
    players: int = 4,
    npc: str | Agent = "greedy",
    adjacency: str = "top",
    voluntary_default: bool = False,
    board: Any = "pinwheel",
    reward: str = "outcome",
    illegal: str = "terminate",
) -> AECEnv[str, Any, int]:
    """``raw_env`` inside PettingZoo's OrderEnforcingWrapper and nothing else; by default ``illegal="terminate"``."""
    options: dict[str, Any] = {"players": players, "npc": npc, "adjacency": adjacency, "board": board}
    options["voluntary_default"] = voluntary_default
    return OrderEnforcingWrapper(raw_env(render_mode=render_mode, reward=reward, illegal=illegal, **options))


def observation_fields() -> tuple[Field, ...]:
    """The fields of the observation in order: name, offset, shape, maximum, meaning, group."""
    return games.get("tritarea").fields


def unflatten(observation: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The fields of an observation (…, d) by name; ``cards`` (…, 36, k) and ``board`` (…, 4, 4, k) join them."""
    return games.get("tritarea").unflatten(observation)
