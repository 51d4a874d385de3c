"""Tournament schedules: all meet alike, in every relation of seats; a block needs nothing but its number."""

from math import comb

import numpy as np
import pytest

from tritarea_eval.tournament import tables
from tritarea_eval.tournament.config import TournamentConfig
from tritarea_eval.tournament.schedule import Schedule
from tritarea_train.config import ConfigError, make_as

TEAMS = {"name": "tritarea", "options": {"players": 2}}
WITH_NPC = {"name": "tritarea", "options": {"players": 3}}
GAMES = {
    "tritarea": {},
    "teams": TEAMS,
    "npc": WITH_NPC,
    "triatri4": {"name": "triatri"},
    "triatri3": {"name": "triatri", "options": {"players": 3}},
    "triatri2": {"name": "triatri", "options": {"players": 2}},
}


def schedule(agents, **fields):
    names = {f"a{i}": "random" for i in range(agents)}
    return Schedule.of(make_as(TournamentConfig, {"agents": names} | fields, {}, "test"))


def meetings(holders, agents):
    """(seats, seats, agents, agents): how often one agent sat in one seat and the other in another."""
    seats = holders.shape[1]
    out = np.zeros((seats, seats, agents + 1, agents + 1), int)
    for s in range(seats):
        for t in range(seats):
            np.add.at(out[s, t], (holders[:, s], holders[:, t]), 1)
    return out[:, :, :agents, :agents]


def assert_alike(holders, agents, players, among=None):
    """Every ordered pair of different agents sits equally often in every ordered pair of players' seats."""
    among = range(agents) if among is None else among
    found = meetings(holders, agents)
    counts = {
        int(found[s, t, a, b])
        for s in range(players)
        for t in range(players)
        for a in among
        for b in among
        if s != t and a != b
    }
    assert len(counts) == 1
    assert counts != {0}


@pytest.mark.parametrize("agents", range(5, 35))
def test_few_tables_are_balanced(agents):
    """Each ordered pair is equally often 1, 2 and 3 places apart; so it is beside one who is always there."""
    for size in (3, 4):
        rows = tables.balanced_tables(agents, size)
        assert_all_apart_alike(rows, agents)
        assert len(rows) <= max(3 * agents * (agents - 1), comb(agents, size) * (size - 1) * (size - 2) // 2)
    beside = tables.balanced_beside(agents)
    assert len(beside) == agents * (agents - 1)
    assert_all_apart_alike(np.insert(beside, 0, agents, axis=1), agents, with_one_more=True)


@pytest.mark.parametrize(("agents", "count"), [(5, 5), (6, 30), (7, 21), (9, 54), (13, 39), (17, 68), (20, 380)])
def test_tables_are_few_indeed(agents, count):
    assert len(tables.balanced_tables(agents, 4)) == count


def assert_all_apart_alike(rows, agents, with_one_more=False):
    assert all(len(set(row)) == len(row) for row in rows.tolist())
    numbers = agents + with_one_more
    for apart in range(1, rows.shape[1]):
        found = np.zeros((numbers, numbers), int)
        np.add.at(found, (rows, np.roll(rows, -apart, axis=1)), 1)
        different = ~np.eye(agents, dtype=bool)
        assert len(np.unique(found[:agents, :agents][different])) == 1
        assert len(np.unique(found[agents:, :agents])) <= 1


@pytest.mark.parametrize("seating", ["rotations", "permutations"])
@pytest.mark.parametrize("kind", ["balanced", "all"])
@pytest.mark.parametrize("game", GAMES)
def test_round_robin_meets_alike_after_each_cycle(game, kind, seating):
    for agents in (4, 5, 6, 9):
        plan = schedule(agents, game=GAMES[game], tables=kind, seating=seating, deals=1)
        for cycle in range(2):
            holders = plan.holders(cycle * plan.blocks, plan.blocks)
            assert_alike(holders, agents, plan.players)
            assert (holders[:, plan.players :] == agents).all()
            assert holders.shape == (plan.games, plan.seats)


@pytest.mark.parametrize("seating", ["rotations", "permutations"])
@pytest.mark.parametrize("game", GAMES)
def test_one_against_the_rest_is_every_ordered_pair(game, seating):
    plan = schedule(5, game=GAMES[game], format="one_vs_rest", seating=seating, deals=1)
    rows = plan.lineups(0, plan.blocks).tolist()
    expected = [[a, *[b] * (plan.players - 1)] for a in range(5) for b in range(5) if a != b]
    if plan.players == 2:  # each in both seats: the other pair is the same
        expected = [row for row in expected if row[0] < row[1]]
    assert rows == expected
    assert plan.seatings == plan.players
    assert_alike(plan.holders(0, plan.blocks), 5, plan.players)
    by_block = plan.holders(0, plan.blocks).reshape(plan.blocks, plan.seatings, -1)
    assert all(len({tuple(row) for row in block}) == plan.seatings for block in by_block.tolist())


@pytest.mark.parametrize("kind", ["balanced", "all"])
@pytest.mark.parametrize("seating", ["rotations", "permutations"])
@pytest.mark.parametrize("game", GAMES)
def test_a_ladder_seats_the_new_agent_at_every_table(game, kind, seating):
    for pool in (3, 4, 5, 6):
        ladder = {"new": "a2"}
        plan = schedule(
            pool + 1, game=GAMES[game], format="ladder", ladder=ladder, tables=kind, seating=seating, deals=1
        )
        holders = plan.holders(plan.blocks, plan.blocks)
        assert ((holders == 2).sum(axis=1) == 1).all()
        others = [a for a in range(pool + 1) if a != 2]
        if plan.players > 2:
            assert_alike(holders, pool + 1, plan.players, others)
        for other in others:
            counts = meetings(holders, pool + 1)[: plan.players, : plan.players, 2, other]
            assert len(np.unique(counts[~np.eye(plan.players, dtype=bool)])) == 1


def test_a_ladder_against_one_at_a_time():
    plan = schedule(3, format="ladder", ladder={"new": "a1", "against": "alone"}, deals=1)
    assert plan.lineups(0, plan.blocks).tolist() == [[1, 0, 0, 0], [1, 2, 2, 2]]


def test_self_is_one_game_a_deal():
    plan = schedule(2, format="self", deals=3)
    assert plan.holders(0, 4).tolist() == [[0] * 4, [1] * 4, [0] * 4, [1] * 4]
    assert (plan.deals, plan.games) == (4, 4)


@pytest.mark.parametrize("game", GAMES)
def test_each_table_plays_its_deal_in_all_rotations(game):
    plan = schedule(6, game=GAMES[game], deals=10)
    lineups, players = plan.lineups(0, plan.blocks), plan.players
    holders = plan.holders(0, plan.blocks).reshape(plan.blocks, plan.seatings, plan.seats)
    for turn in range(players):
        assert (holders[:, turn, :players] == np.roll(lineups, turn, axis=1)).all()


def test_permutations_seat_a_table_in_every_order():
    plan = schedule(5, seating="permutations", deals=1)
    assert plan.seatings == 24
    block = plan.holders(3, 1)
    assert len({tuple(row) for row in block.tolist()}) == 24
    assert {tuple(sorted(row)) for row in block.tolist()} == {tuple(sorted(plan.lineups(3, 1)[0].tolist()))}


@pytest.mark.parametrize("fields", [{}, {"format": "one_vs_rest"}, {"format": "ladder", "ladder": {"new": "a0"}}])
def test_a_block_needs_but_its_number(fields):
    few, many = schedule(7, deals=1, seed=5, **fields), schedule(7, deals=1000, seed=5, wave=7, **fields)
    whole = many.lineups(0, 200)
    for first, count in ((0, 1), (13, 40), (20, 1), (21, 21), (199, 1), (41, 0)):
        assert (many.lineups(first, count) == whole[first : first + count]).all()
        assert (few.lineups(first, count) == whole[first : first + count]).all()
        assert many.holders(first, count).shape == (count * many.seatings, 4)
    assert (many.lineups(10**12, 3) < 7).all()


def test_balanced_tables_are_drawn_by_the_seed_anew_in_each_cycle():
    one, other = schedule(6, seed=1), schedule(6, seed=2)
    size = len(one.cycle)
    assert (one.lineups(0, size) != other.lineups(0, size)).any()
    assert (one.lineups(0, size) != one.lineups(size, size)).any()
    assert (one.lineups(0, size) == schedule(6, seed=1, deals=7).lineups(0, size)).all()
    sets = {tuple(sorted(row)) for row in one.lineups(0, 20 * size).tolist()}
    assert len(sets) == comb(6, 4)


@pytest.mark.parametrize(
    ("fields", "expected"),  # deals, blocks, wave
    [
        ({"deals": 500}, (510, 510, 510)),
        ({"deals": 30, "wave": 1}, (30, 30, 30)),
        ({"deals": 7, "tables_per_deal": "all", "wave": 31}, (7, 210, 60)),
        ({"deals": 7, "tables_per_deal": 4, "wave": 31}, (15, 60, 60)),
        ({"deals": 7, "tables_per_deal": 10, "wave": 31}, (9, 90, 60)),
    ],
)
def test_all_ends_with_a_whole_cycle_and_a_whole_deal(fields, expected):
    plan = schedule(6, **fields)
    assert len(plan.cycle) == 30
    assert (plan.deals, plan.blocks, plan.wave) == expected
    deals = plan.deal(np.arange(plan.blocks))
    assert (np.diff(deals) >= 0).all()
    assert (np.bincount(deals) == plan.tables_per_deal).all()
    assert len(np.bincount(deals)) == plan.deals


def test_too_many_tables_are_refused():
    with pytest.raises(ConfigError, match=r"^tables: all would be 3,812,256, .* take balanced$"):
        schedule(64, tables="all")
    with pytest.raises(ConfigError, match=r"^tables_per_deal: there are but 30 tables, not 31"):
        schedule(6, tables_per_deal=31)
