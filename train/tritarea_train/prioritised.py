"""Prioritised fictitious self-play: whom the learner does not beat yet, it meets more often.

Vinyals et al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning", Nature 575, 2019, Methods:
the chance of a member is in proportion to f(p), p being the learner's chance to win against it, with

- ``hard``: f(p) = (1 - p) ** power: who wins most is met most;
- ``even``: f(p) = p * (1 - p): who is as strong as the learner is met most.

There two play. Here ``seats`` do, one member in all seats but the learner's, and an even share of the win is
1 / seats; p is therefore the chance against one of them that makes the learner's share s of the win, by Luce's choice
axiom (1959): s = p / (p + (seats - 1) * (1 - p)), so p = (seats - 1) * s / (1 + (seats - 2) * s). An even share
is 1/2, no win 0, every win 1, and with two seats p is s.

Shares are of games that fade (``league.MEMORY``), and ``UNMET`` even games are added to them: a member that was not met
yet counts as even, and so again does, in time, one that is hardly met any more because it lost: what the learner
forgets is found out.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Weighting = Literal["hard", "even"]
UNMET = 10.0  # games


def strength(won: Array, games: Array, seats: int) -> Array:
    """The learner's p (k,) against each member, from its shares of the win (k,) in so many games (k,)."""
    share = (won + UNMET / seats) / (games + UNMET)
    chance: Array = (seats - 1) * share / (1.0 + (seats - 2) * share)
    return chance


def prioritised(base: Array, p: Array, weighting: Weighting, power: float) -> Array:
    """The mass of ``base`` (k,), shared out anew in proportion to base * f(p); as it was, if all of that is 0."""
    found: Array = base * ((1.0 - p) ** power if weighting == "hard" else p * (1.0 - p))
    total = found.sum()
    return found * (base.sum() / total) if total > 0.0 else base
