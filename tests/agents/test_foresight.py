"""Foresight: its entries against the game's own settlement, and that nothing hidden is in them."""

from pathlib import Path

import numpy as np
import pytest
from helpers import PLAIN, options_of, positions
from permute import PERMUTE

from tritarea_agents.foresight import ZERO, Inputs
from tritarea_env import games
from tritarea_env.engine import protocol
from tritarea_env.games.tritarea import kernel, rules
from tritarea_env.games.tritarea.rules import NEIGHBOURS, SEATS, SQUARES

GAME = games.get("tritarea")
INPUTS = Inputs(GAME, True)
FIELDS = {field.name: field for field in INPUTS.fields[len(GAME.fields) :]}
pytestmark = pytest.mark.kernel


def entries_of(states, seats):
    """By name, the entries (n, …) of one seat of each state, with 0 for 0."""
    out = np.zeros((len(states), INPUTS.size), np.uint8)
    INPUTS.foresee(np.concatenate(states), np.arange(len(states)), np.array(seats, np.int64), out)
    rows = out.astype(int) - ZERO
    return {n: rows[:, f.offset : f.offset + f.size].reshape(-1, *f.shape) for n, f in FIELDS.items()}


def points(g):
    """Every seat's score as if the round were settled now, by the game's own settlement."""
    out = np.zeros(SEATS, np.int64)
    protocol.score_now(g, out)
    return out


def with_blocks(state, s, square, blocks):
    """The game with blocks of seat ``s`` more, placed as the game does."""
    found = state.copy()
    for _ in range(blocks):
        kernel.place(found[0], s, square)
    return found


def seen_by(state, seat):
    """What the seat knows; the round under way, even where it has just begun."""
    found = state.copy()
    protocol.hide(found[0], seat)
    found.round_ended[:] = 0
    return found


def margins(change):
    """(4,) of every seat."""
    return 4 * change - change.sum()


def placements(state):
    """Every seat's possible blocks: seat, square, blocks, the game after them, and the change of all points."""
    for s in range(SEATS):
        for square in range(SQUARES):
            for blocks in range(1, min(2, state.blocks[0, s]) + 1):
                after = with_blocks(state, s, square, blocks)
                yield s, square, blocks, after, points(after[0]) - points(state[0])


def best_extra(state, after, me, square, margin):
    g = after[0]
    if g.blocks[me] > 0 and kernel.has_own_neighbour(state[0], me, square):
        for q in range(SQUARES):
            if NEIGHBOURS[square] >> q & 1:
                more = points(with_blocks(after, me, q, 1)[0]) - points(state[0])
                margin = max(margin, margins(more)[me])
    return margin


def after_reply(state, after, me):
    """Own margin once rightholder 2 has built as suits it, of equals the first."""
    second, found = state.rightholders[0, 1], []
    for square in np.flatnonzero(state.area[0] == state.adopted[0]):
        for blocks in range(1, min(2, after.blocks[0, second]) + 1):
            change = margins(points(with_blocks(after, second, square, blocks)[0]) - points(state[0]))
            found.append((change[second], change[me]))
    return max(found, key=lambda pair: pair[0])[1]


def reckon(state, me):
    """The same entries, slowly, from the game as seat ``me`` sees it."""
    state = seen_by(state, me)
    g, found = state[0], {n: np.zeros(f.shape, int) for n, f in FIELDS.items()}
    if g.done or GAME.phases[g.phase] == "five_settle":
        return found
    turned = [(me + r) % SEATS for r in range(SEATS)]
    best = {}
    for s, square, blocks, after, change in placements(state):
        margin = margins(change)
        for most in range(blocks, 3):
            key = (int(g.area[square]), s, most)
            if key not in best or margin[s] > best[key][0]:
                best[key] = (margin[s], margin[me])
        if s != me:
            continue
        place = (square, blocks - 1)
        found["gain"][place] = change[me]
        found["gain_of_others"][place] = change[turned[1:]]
        found["with_extra"][place] = best_extra(state, after, me, square, margin[me])
        second = g.rightholders[1]
        building = GAME.phases[g.phase] in ("build", "extra") and g.seat == me == g.rightholders[0]
        fits = blocks == 1 if GAME.phases[g.phase] == "extra" else g.area[square] == g.adopted
        if building and fits and second >= 0 and g.blocks[second] > 0:
            found["after_reply"][place] = after_reply(state, after, me)
    for (concept, s, most), (own, mine) in best.items():
        r = turned.index(s)
        found["best"][concept, r, most - 1] = own
        if r:
            found["best_of_others"][concept, r - 1, most - 1] = mine
    phase = GAME.phases[g.phase]
    if phase == "play" and g.seat == me:
        for card in held(g.hand[me]):
            worth, holders = rights_of(state, best, me, {me: card})
            found["worth"][card], found["holds"][card] = worth, np.array(holders) == me
    if phase == "five" and g.seat == me:
        found["fives"][:] = [rights_of(state, best, me, {}, rank)[0] - 3 * n for n, rank in enumerate((5, 0, 10))]
    return found


def held(cards):
    return [card for card in range(rules.CARDS) if cards >> card & 1]


def rights_of(state, best, me, laid, five=None):
    """Own margin by the rights of the trick with cards laid, or the own five changed; and who holds them."""
    trick = state.copy()
    for s, card in laid.items():
        trick.played[0, s], trick.rank[0, s] = card, card % 9 + 1
    if five is not None:
        trick.rank[0, me] = five
    kernel.award_rights(trick[0])
    holders, total = trick.rightholders[0].tolist(), 0
    for n, s in enumerate(holders):
        if s >= 0 and state.blocks[0, s]:
            total += best[int(trick.adopted[0]), s, n + 1][1]
        elif s >= 0:
            rank = int(trick.rank[0, s])
            loss = min(1 if rank == 5 else rank, int(state.scores[0, s]))
            total += -3 * loss if s == me else loss
    return total, holders


@pytest.fixture(scope="module")
def spots():
    """(state, seat that looks) of every phase and option; mostly the one to move."""
    found = positions("tritarea", 16 if PLAIN else 160)
    return [(state, int(state.seat[0]) if i % 4 else i % SEATS) for i, state in enumerate(found)]


def test_entries_are_what_the_games_own_settlement_says(spots):
    found = entries_of(*zip(*spots, strict=True))
    changed = dict.fromkeys(FIELDS, 0)
    for i, (state, me) in enumerate(spots):
        for name, expected in reckon(state, me).items():
            changed[name] += bool(np.any(found[name][i]))
            if name in ("tower", "area_points", "tower_points", "other_points", "ranked_1", "ranked_2"):
                continue  # see below
            assert np.array_equal(found[name][i], np.clip(expected, -ZERO, 255 - ZERO)), (i, name)
    assert PLAIN or min(changed.values()) >= 5, changed


def test_what_settlement_would_pay_now(spots):
    """Areas, tallest buildings and the rest add up to it; a board without areas tells the tallest buildings apart."""
    found = entries_of(*zip(*spots, strict=True))
    for i, (state, me) in enumerate(spots):
        here = seen_by(state, me)
        turned = [(me + r) % SEATS for r in range(SEATS)]
        total = sum(found[name][i] for name in ("area_points", "tower_points", "other_points"))
        if state.phase[0] == rules.FIVE_SETTLE:
            assert not total.any()
            continue
        assert np.array_equal(total, (points(here[0]) - here.scores[0])[turned])
        towers = towers_alone(here)
        assert np.array_equal(found["tower_points"][i], towers[turned])
        for s, square, blocks, after, _ in placements(here):
            if s == me:
                change = towers_alone(after) - towers
                assert found["tower"][i, square, blocks - 1].tolist() == [change[me], change.sum() - change[me]]
        for area in range(4):
            assert_ranks(here.standing[0, area][turned], found["ranked_1"][i, area], found["ranked_2"][i, area])


def towers_alone(state):
    """(4,) points for tallest buildings: what is settled of a board in round 1 on which nobody tops anything."""
    bare = state.copy()
    bare.standing[:] = 0
    bare.round_number[:] = 1
    bare.scores[:] = 0
    return points(bare[0])


def assert_ranks(standing, first, second):
    ranks = [1 + sum(other > one for other in standing) if one > 0 else 0 for one in standing]
    assert [int(rank == 1) for rank in ranks] == first.tolist()
    assert [int(rank == 2) for rank in ranks] == second.tolist()


def test_nothing_hidden_is_in_them(spots):
    """Other hands, other declarations, other deals and streams: the same entries."""
    differing = 0
    for i, (state, me) in enumerate(spots):
        here = GAME.to_position(state[0])
        other = PERMUTE["tritarea"](here, me, np.random.default_rng(i))
        pair = GAME.new(2, GAME.check_options(options_of("tritarea", state)))
        for k, there in enumerate((here, other)):
            GAME.from_position(pair[k], there, np.uint64(11 + k))
            pair.stream[k], pair.episode[k] = 99 + k, k
        out = np.zeros((2, INPUTS.size), np.uint8)
        INPUTS.foresee(pair, np.arange(2), np.full(2, me), out)
        assert np.array_equal(*out)
        differing += here != other
    assert differing > len(spots) / 2


def test_a_game_that_is_over_has_nothing_to_foresee():
    state = positions("tritarea", 8)[0].copy()
    rng, mask = np.random.default_rng(0), np.zeros(GAME.actions, np.int8)
    while not state.done[0]:
        protocol.legal_mask(state[0], mask)
        protocol.step(state[0], rng.choice(np.flatnonzero(mask)))
    assert not any(field.any() for field in entries_of([state] * SEATS, range(SEATS)).values())


def test_inputs_without_foresight_are_the_observation():
    for game in (games.get(name) for name in games.names()):
        inputs = Inputs(game)
        assert (inputs.fields, inputs.size, inputs.digest) == (
            game.fields, game.observation_size, game.observation_digest,
        )  # fmt: skip
        assert np.array_equal(inputs.scale, game.scale)
        assert not inputs.offset.any()
    with pytest.raises(ValueError, match="TriATri has no foresight"):
        Inputs(games.get("triatri"), True)


def test_foresight_goes_into_a_net_around_zero():
    assert INPUTS.digest != GAME.observation_digest
    start = GAME.observation_size
    assert INPUTS.fields[: len(GAME.fields)] == GAME.fields
    assert not (ZERO * INPUTS.scale + INPUTS.offset)[start:].any()
    assert sum(field.size for field in INPUTS.fields) == INPUTS.size == len(INPUTS.scale)


def test_the_docs_list_them():
    text = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    for field in FIELDS.values():
        assert f"| `{field.name}` | {'x'.join(map(str, field.shape))} | {field.meaning} |" in text
