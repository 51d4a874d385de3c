"""PettingZoo entry of TriATri: ``env()`` and ``raw_env()``. See docs/triatri.md."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers.order_enforcing import OrderEnforcingWrapper

from . import games
from .aec import GameEnv
from .games import Field

__all__ = ["env", "observation_fields", "raw_env", "unflatten"]


def raw_env(
    *, render_mode: str | None = None, players: int = 4, reward: str = "outcome", illegal: str = "raise"
) -> GameEnv:
    """The environment without wrappers.

    Args:
        render_mode: None, ``"ansi"`` or ``"human"``.
        players: 2, 3 or 4.
        reward: ``"outcome"`` (share of the win - 1/players) or ``"score"``.
        illegal: ``"raise"`` or ``"terminate"``.

    Raises:
        ValueError: an option that is none; says which values are.
    """
    return GameEnv("triatri", render_mode=render_mode, reward=reward, illegal=illegal, players=players)


def env(
    *, render_mode: str | None = None, players: int = 4, reward: str = "outcome", illegal: str = "terminate"
) -> AECEnv[str, Any, int]:
    """``raw_env`` inside PettingZoo's OrderEnforcingWrapper and nothing else; by default ``illegal="terminate"``."""
    return OrderEnforcingWrapper(raw_env(render_mode=render_mode, players=players, reward=reward, illegal=illegal))


def observation_fields() -> tuple[Field, ...]:
    """The fields of the observation in order: name, offset, shape, maximum, meaning, group."""
    return games.get("triatri").fields


def unflatten(observation: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """The fields of an observation (…, d) by name; ``cards`` (…, 21, k) and ``colours`` (…, 3, k) join them."""
    return games.get("triatri").unflatten(observation)
