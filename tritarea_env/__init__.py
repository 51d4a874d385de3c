"""Tri*T*Area as PettingZoo and Gymnasium environments on one compiled engine.

Importing this package registers ``pettingzoo.make("aec", "tritarea/tritarea-v0")`` and
``gymnasium.make("tritarea/TriTArea-v0")``.
"""

from importlib.metadata import version

import gymnasium
import pettingzoo

from .errors import IllegalActionError, PositionError, RecordError

__version__ = version("tritarea")
__all__ = ["IllegalActionError", "PositionError", "RecordError", "__version__"]


def _register() -> None:
    if "tritarea/tritarea-v0" not in pettingzoo.aec_registry:
        pettingzoo.register("aec", "tritarea/tritarea-v0", "tritarea_env.tritarea_v0:env")
    if "tritarea/TriTArea-v0" not in gymnasium.registry:
        gymnasium.register("tritarea/TriTArea-v0", "tritarea_env.gym:SeatEnv", kwargs={"game": "tritarea"})


_register()
