"""Checks of what callers give, shared by the environments."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .errors import IllegalActionError


def one_of(value: Any, allowed: tuple[Any, ...], what: str) -> Any:
    """``value``, if it is allowed.

    Raises:
        ValueError: says what is allowed.
    """
    if not any(value == one and type(value) is type(one) for one in allowed):
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
