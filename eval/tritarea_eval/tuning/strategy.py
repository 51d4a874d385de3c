"""The search: an evolution strategy in the unit cube, without a model of the objective and robust to its noise.

It is the separable CMA-ES (Ros & Hansen, A Simple Modification in CMA-ES Achieving Linear Time and Space Complexity,
PPSN 2008), with the constants of Hansen, The CMA Evolution Strategy: A Tutorial (2016): candidates are drawn from a
normal distribution with a spread for each coordinate, and the better half, weighted by rank, moves its mean, its
spreads and its overall step size. Points outside the cube are put on its surface before they are used, so that the
mean stays inside.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

SMALLEST = 1e-9  # of step size and variances: where nothing makes a difference, chance alone moves them


@dataclass(frozen=True)
class Strategy:
    """The state between two generations.

    Attributes:
        generation: how many there were.
        mean: (n,) the centre of the search, in [0, 1].
        step: the overall step size.
        variance: (n,) each coordinate's, to be scaled by the step size.
        path_step: (n,) the mean's way of late in units of the spread; long if steps keep their direction.
        path_variance: (n,) the same, not yet divided by the spreads.
    """

    generation: int
    mean: Vector
    step: float
    variance: Vector
    path_step: Vector
    path_variance: Vector

    def as_json(self) -> dict[str, Any]:
        """Plain numbers, exact."""
        fields = asdict(self)
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in fields.items()}


def from_json(fields: dict[str, Any]) -> Strategy:
    """What ``as_json`` gave."""
    plain: dict[str, Any] = {k: np.array(v, np.float64) if isinstance(v, list) else v for k, v in fields.items()}
    return Strategy(**plain)


def begin(mean: Vector, step: float, spread: Vector) -> Strategy:
    """A search that begins at ``mean``; each coordinate is spread by ``step * spread``."""
    zeros = np.zeros(len(mean))
    return Strategy(0, mean, step, spread**2, zeros, zeros)


def sample(strategy: Strategy, population: int, random: np.random.Generator) -> NDArray[np.float64]:
    """(population, n): a generation's candidates."""
    normal = random.standard_normal((population, len(strategy.mean)))
    return np.clip(strategy.mean + strategy.step * np.sqrt(strategy.variance) * normal, 0.0, 1.0)


def update(strategy: Strategy, points: NDArray[np.float64], worth: Vector) -> Strategy:
    """The state after a generation of ``points`` (population, n), which are worth ``worth`` (the more the better)."""
    n, population = len(strategy.mean), len(points)
    weights = _weights(population)
    mass = 1.0 / float((weights**2).sum())  # how many candidates the weighted mean is worth
    best = points[np.argsort(-worth, kind="stable")[: len(weights)]]
    steps = (best - strategy.mean) / strategy.step
    move = weights @ steps

    keep = (mass + 2) / (n + mass + 5)
    damping = 1 + 2 * max(0.0, float(np.sqrt((mass - 1) / (n + 1))) - 1) + keep
    path_step = (1 - keep) * strategy.path_step + np.sqrt(keep * (2 - keep) * mass) * move / np.sqrt(strategy.variance)
    length, usual = float(np.linalg.norm(path_step)), np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n**2))
    generation = strategy.generation + 1
    steady = length / np.sqrt(1 - (1 - keep) ** (2 * generation)) < (1.4 + 2 / (n + 1)) * usual

    slow = (4 + mass / n) / (n + 4 + 2 * mass / n)
    path_variance = (1 - slow) * strategy.path_variance + steady * np.sqrt(slow * (2 - slow) * mass) * move
    by_path, by_rank = _rates(n, mass)
    lost = by_path * (not steady) * slow * (2 - slow)  # what the path did not get is not forgotten
    variance = (1 - by_path - by_rank + lost) * strategy.variance
    variance = variance + by_path * path_variance**2 + by_rank * (weights @ steps**2)
    step = float(strategy.step * np.exp(min(1.0, keep / damping * (length / usual - 1))))
    return Strategy(
        generation=generation,
        mean=np.clip(strategy.mean + strategy.step * move, 0.0, 1.0),
        step=min(max(step, SMALLEST), 1.0),
        variance=np.maximum(variance, SMALLEST),
        path_step=path_step,
        path_variance=path_variance,
    )


def _weights(population: int) -> Vector:
    """Of the better half, by rank; they sum to 1."""
    half = population // 2
    weights = np.log((population + 1) / 2) - np.log(np.arange(1, half + 1))
    return np.asarray(weights / weights.sum(), np.float64)


def _rates(n: int, mass: float) -> tuple[float, float]:
    """How fast variances follow the path, and the best steps; (n + 2) / 3 times as fast as whole covariances."""
    faster = (n + 2) / 3
    by_path = min(1.0, faster * 2 / ((n + 1.3) ** 2 + mass))
    by_rank = min(1.0 - by_path, faster * 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
    return by_path, by_rank
