"""How often intervals hold the truth, and tests err, in simulated tournaments.

Run as `python tests/eval/tournament_truth.py 1000`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
from simulated import POINTS, simulate

from tritarea_eval.interval import Estimate
from tritarea_eval.tournament.pairs import pair_sums, pairs
from tritarea_eval.tournament.ratings import SCALE, rate
from tritarea_eval.tournament.resampling import RESAMPLES, Deals
from tritarea_eval.tournament.stopping import SequentialTest

MOST_DEALS = 2500  # of a sequential test
DESIGNS: dict[str, dict[str, Any]] = {
    "4 agents at one table, 100 deals": {"strength": [-0.6, -0.1, 0.2, 0.5], "deals": 100},
    "6 agents, 15 tables, 150 deals, a table a deal": {
        "strength": [-0.8, -0.3, 0.0, 0.0, 0.4, 0.7],
        "deals": 150,
        "tables": list(combinations(range(6), 4)),
        "every": False,
    },
    "4 equal agents two by two, 40 deals, all tables a deal": {
        "strength": [0.0] * 4,
        "deals": 40,
        "tables": list(combinations(range(4), 2)),
    },
}


def coverage(design: str, tournaments: int, resamples: int = RESAMPLES) -> dict[str, float]:
    """The part of the intervals that hold the truth, by quantity, over all agents and pairs."""
    held: dict[str, list[bool]] = defaultdict(list)
    arguments = DESIGNS[design]
    strength = np.array(arguments["strength"])
    truth = SCALE * (strength - strength.mean())
    for seed in range(tournaments):
        games = simulate(**arguments, seed=seed)
        deals = Deals.of(games.deal, seed, resamples)
        rated = rate(games, [str(agent) for agent in range(len(strength))], deals)
        for agent, estimate in enumerate(rated.ratings):
            held["rating"].append(_holds(estimate, truth[agent]))
        for pair in pairs(games, len(strength), deals):
            a, b = pair.first, pair.second
            chance = 1 / (1 + np.exp(strength[b] - strength[a]))
            held["rating difference"].append(_holds(rated.difference(a, b), truth[a] - truth[b]))
            held["pair's share"].append(_holds(pair.share, chance))
            held["pair's ahead"].append(_holds(pair.ahead, chance))
            held["pair's lead"].append(_holds(pair.lead, _lead(arguments, a, b)))
            held["pair's score"].append(_holds(pair.score, POINTS * (strength[a] - strength[b])))
    return {quantity: float(np.mean(found)) for quantity, found in held.items()}


def _lead(arguments: dict[str, Any], first: int, second: int) -> float:
    """By how much the first agent wins more often than the second at a table of both."""
    p = np.exp(arguments["strength"])
    tables = [list(table) for table in arguments.get("tables", [range(len(p))]) if {first, second} <= set(table)]
    return float(np.mean([(p[first] - p[second]) / p[table].sum() for table in tables]))


def _holds(estimate: Estimate | None, truth: float) -> bool:
    assert estimate is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return bool(estimate.low <= truth <= estimate.high)


def decisions(lead: float, tournaments: int, wave: int = 50) -> tuple[float, float, float]:
    """What a sequential test of 0 against 0.1 decides when this is the truth about the lead, at 5% and 5%.

    Returns:
        The part of the tests that decide for 0.1, the part that decide for 0, and the mean number of deals.
    """
    test = SequentialTest(0, 1, "lead", 0.0, 0.1)
    strength = [float(np.log((1 + lead) / (1 - lead))), 0.0]
    high = low = used = 0
    for seed in range(tournaments):
        games = simulate(strength, MOST_DEALS, seed)
        sums = pair_sums(games, 0, 1, Deals.of(games.deal))["lead"]
        above, below = sums.above.toarray()[:, 0], sums.below.toarray()[:, 0]
        for deals in range(wave, MOST_DEALS + 1, wave):
            verdict = test.verdict(above[:deals], below[:deals])
            if verdict.stop:
                break
        high += verdict.stop and "above" in verdict.text
        low += verdict.stop and "below" in verdict.text
        used += deals
    return high / tournaments, low / tournaments, used / tournaments


def main() -> None:
    """Print the coverage in all designs, and what the sequential test decides."""
    tournaments = int(sys.argv[1])
    for design in DESIGNS:
        print(f"{design}, {tournaments} tournaments:")
        for quantity, part in coverage(design, tournaments).items():
            print(f"  {quantity:18} {part:6.1%}")
    print(f"sequential test of a lead of 0 against 0.1, error rates of 5%, {tournaments} tests each:")
    for lead in (0.0, 0.05, 0.1):
        high, low, deals = decisions(lead, tournaments)
        print(f"  truth {lead:4}: for 0.1 {high:6.1%}, for 0 {low:6.1%}, after {deals:.0f} deals")


if __name__ == "__main__":
    main()
