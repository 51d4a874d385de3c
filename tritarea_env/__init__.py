"""Tri*T*Area and TriATri as PettingZoo and Gymnasium environments on one compiled engine.

Importing this package registers ``pettingzoo.make("aec", "tritarea/tritarea-v0")`` and
``gymnasium.make("tritarea/TriTArea-v0")`` (``make_vec`` for many games), and the same with ``triatri`` and ``TriATri``.
"""

from importlib.metadata import version

import gymnasium
import pettingzoo

from .errors import IllegalActionError, PositionError, RecordError

__version__ = version("tritarea")
__all__ = ["IllegalActionError", "PositionError", "RecordError", "__version__"]


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
