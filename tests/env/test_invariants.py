"""What always holds, however oddly the seats play."""

import numpy as np
import pytest
from helpers import CHOOSERS, OPTIONS, PLAIN, walk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tritarea_env import games
from tritarea_env.games.tritarea.rules import BLOCKS_A_SEAT, DECKS, PHASES, STANDING

pytestmark = pytest.mark.kernel
GAME = games.get("tritarea")

# A2 - A6: which phases may follow a phase (a round's end leads to the next one's opening, or to the end)
ROUND_END = {"play", "declare", "end", "five_settle"}
FOLLOWS = {
    "declare": {"declare", "sell"},
    "sell": {"sell", "play"},
    "play": {"play", "five", "build", "five_default"} | ROUND_END,
    "five": {"five", "build", "five_default"} | ROUND_END,
    "build": {"build", "extra", "five_default"} | ROUND_END,
    "extra": {"build", "five_default"} | ROUND_END,
    "five_default": {"build", "five_default"} | ROUND_END,
    "five_settle": ROUND_END,
}


def check_cards(g):
    """Every card of the deck lies in one place."""
    places = [int(hand) for hand in g.hand] + [1 << int(c) for c in (*g.past.ravel(), *g.played, *g.declared) if c >= 0]
    assert sum(places) == DECKS[g.round_number - 1]
    assert [bin(int(hand)).count("1") for hand in g.hand] == g.hand_size.tolist()


def check_blocks(g):
    """Blocks add up, and what is kept beside the stacks agrees with them."""
    stacks = GAME.to_position(g)["stacks"]
    placed = [sum(stack.count(s) for stack in stacks) for s in range(4)]
    total = BLOCKS_A_SEAT[g.round_number - 1]
    assert [int(g.blocks[s] + g.sold[s]) + placed[s] for s in range(4)] == [total] * 4
    standing = np.zeros((4, 4), np.int64)
    for q, stack in enumerate(stacks):
        assert g.count[q].tolist() == [stack.count(s) for s in range(4)]
        if stack:
            standing[g.area[q], stack[-1]] += STANDING[len(stack)]
    assert np.array_equal(g.standing, standing)


@settings(max_examples=8 if PLAIN else 60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10**6),
    options=st.sampled_from([o for o in OPTIONS["tritarea"] if "npc" not in o]),
    choose=st.sampled_from(CHOOSERS),
)
def test_whatever_is_played(seed, options, choose):
    before = None
    for state, legal in walk("tritarea", options, seed, choose):
        g = state[0]
        phase = PHASES[g.phase]
        assert g.scores.min() >= 0
        assert np.array_equal(g.points.sum(axis=1), g.scores)
        check_cards(g)
        check_blocks(g)
        assert (len(legal) == 0) == bool(g.done) == (phase == "end") == (g.seat == -1)
        assert before is None or phase in FOLLOWS[before[0]], (before, phase)
        if before is not None and g.round_number == before[1]:
            assert g.trick - before[2] in (0, 1)
        before = (phase, int(g.round_number), int(g.trick))
    assert before[1] == 3


@pytest.mark.parametrize("height", range(1, 25))
def test_standing_orders_buildings_like_the_rules(height):
    """More buildings first, then the tallest, then the second tallest: sums of STANDING compare like the lists."""
    rng = np.random.default_rng(height)

    def draw():
        return sorted(rng.integers(1, height + 1, rng.integers(1, 5)).tolist(), reverse=True)

    for _ in range(200):
        one, two = draw(), draw()
        by_rule = (len(one), one) > (len(two), two)
        assert (sum(STANDING[h] for h in one) > sum(STANDING[h] for h in two)) == by_rule
