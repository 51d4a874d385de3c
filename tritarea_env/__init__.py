"""Tri*T*Area and TriATri as PettingZoo and Gymnasium environments on one compiled engine.

Importing this package registers ``pettingzoo.make("aec", "tritarea/tritarea-v0")`` and
``gymnasium.make("tritarea/TriTArea-v0")`` (``make_vec`` for many games), and the same with ``triatri`` and ``TriATri``.
"""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from .errors import IllegalActionError, PositionError, RecordError

if TYPE_CHECKING:
    from .batch import Batch, playout

__version__ = version("tritarea")
__all__ = ["Batch", "IllegalActionError", "PositionError", "RecordError", "__version__", "playout"]


def __getattr__(name: str) -> Any:
    """``Batch`` and ``playout``, and the compiler with them, are loaded when they are first asked for."""
    if name in ("Batch", "playout"):
        return getattr(importlib.import_module(".batch", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _register() -> None:
    for name, gym_id in (("tritarea", "tritarea/TriTArea-v0"), ("triatri", "tritarea/TriATri-v0")):
        if f"tritarea/{name}-v0" not in pettingzoo.aec_registry:
            pettingzoo.register("aec", f"tritarea/{name}-v0", f"tritarea_env.{name}_v0:env")
        if gym_id not in gymnasium.registry:
            gymnasium.register(
                gym_id,
                "tritarea_env.gym:SeatEnv",
                vector_entry_point="tritarea_env.vector:SeatVectorEnv",
                kwargs={"game": name},
            )


_register()
