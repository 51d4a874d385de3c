"""Small kernels that are made part of the kernels that call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def inlined(function: F) -> F:
    """Like ``kernel``, for what inner loops call: its code is copied into each caller's, which is what is cached.

    numba puts every function on a memory page of its own. A loop over half a dozen of them runs at half the speed
    of the same loop in one piece, since their first lines fight for the same place in the processor's code cache.
    """
    return cast(F, numba.njit(nogil=True, forceinline=True)(function))
