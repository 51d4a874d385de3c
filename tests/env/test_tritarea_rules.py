"""The rulebook's worked examples, one test each, and the corners around them."""

import pytest
from tritarea_table import board, card, later, play_trick, position, table, without_blocks

from tritarea_env.games.tritarea import kernel, rules, settlement

pytestmark = pytest.mark.kernel

RIGHTS = {  # leader, cards in play order, choices on fives, adopted, rightholders, scores that change
    "D1.1 three to one": (0, "R9 R6 G2 R1", (), 3, [3, 0], {}),
    "D1.2 two to two, wider spread": (0, "Y3 Y9 G1 G8", (), 2, [2, 3], {}),
    "D1.3 all different": (0, "B4 Y9 G3 R8", (), 0, [0, None], {}),
    "D1.4 a five paid to 10": (0, "Y9 Y3 Y5 R2", ("10",), 1, [1, 2], {2: 3}),
    "D1.4b the same five kept": (0, "Y9 Y3 Y5 R2", ("keep",), 1, [1, 0], {}),
    "D1.5 two to two, equal spread": (2, "B1 R2 R8 B7", (), 0, [2, 1], {}),
    "D1.6 a five decides the vote": (1, "B5 R1 B9 R9", ("0",), 0, [1, 3], {1: 4}),
    "D1.7 two fives, 2-1-1": (3, "G4 R5 B5 R9", ("0", "keep"), 3, [0, 2], {0: 4}),
}


@pytest.mark.parametrize("example", RIGHTS)
def test_rights(example):
    leader, trick, fives, adopted, rightholders, scores = RIGHTS[example]
    env = table(position(leader, trick))
    play_trick(env, trick, fives)
    after = env.position()
    assert (after["phase"], after["seat"]) == ("build", rightholders[0])
    assert (after["adopted"], after["rightholders"]) == (adopted, rightholders)
    assert after["scores"] == [scores.get(seat, 5) for seat in range(4)]


def test_a_later_five_sees_an_earlier_choice():
    env = table(position(3, "G4 R5 B5 R9"))
    play_trick(env, "G4 R5 B5 R9", ("0",))
    seen = env.position(1)
    assert (seen["phase"], seen["seat"], seen["ranks"]) == ("five", 1, [0, 5, 9, 4])


def test_a_five_without_a_point_is_no_decision():
    env = table(position(0, "Y9 Y3 Y5 R2", scores=[5, 5, 0, 5]))
    play_trick(env, "Y9 Y3 Y5 R2")
    assert (env.position()["phase"], env.position()["seat"]) == ("build", 1)


def test_a_five_with_one_point_cannot_become_ten():
    env = table(position(0, "Y9 Y3 Y5 R2", scores=[5, 5, 1, 5]))
    play_trick(env, "Y9 Y3 Y5 R2")
    assert env.infos[env.agent_selection]["action_mask"].nonzero()[0].tolist() == [36, 37]


AREAS = {
    "D2.1 height decides second": (0, {0: "0", 1: "0", 2: "1 1 1", 5: "2"}, [8, 2, 0, 0]),
    "D2.2 tied first": (1, {3: "0", 6: "1"}, [5, 5, 0, 0]),
    "D2.3 tied second": (2, {4: "0", 8: "0", 9: "1", 12: "2"}, [5, 3, 3, 0]),
    "D2.4 height decides first": (3, {10: "1 0", 13: "1"}, [4, 6, 0, 0]),
    "D2.5 alone": (1, {3: "1 2"}, [0, 0, 10, 0]),
    "D2.6 three tied first": (0, {0: "0", 1: "1", 2: "2"}, [4, 4, 4, 0]),
    "D2.7 second tallest decides": (0, {0: "0 0 0", 1: "1 0", 2: "1 1 1", 5: "1"}, [8, 2, 0, 0]),
    "D2.8 only the top counts": (0, {0: "1 1 1 0", 1: "2 2"}, [8, 0, 2, 0]),
    "D2.9 second pays more": (3, {10: "3", 13: "3", 14: "0", 15: "1"}, [3, 3, 0, 4]),
}


@pytest.mark.parametrize("example", AREAS)
def test_area_exclusivity(example):
    area, stacks, points = AREAS[example]
    state = board(stacks)
    settlement.settle_areas_and_towers(state[0])
    assert state.points[0, :, rules.AREAS].tolist() == points
    assert [settlement.area_points(state[0], area, s) for s in range(4)] == points


def test_nobody_in_an_area_no_points():
    state = board({})
    settlement.settle_areas_and_towers(state[0])
    assert state.scores[0].tolist() == [0, 0, 0, 0]


TOWERS = {
    "D3.1 one": ({0: "1 0 0", 3: "2 2"}, [10, 0, 0, 0]),
    "D3.2 two, a tie within by the lowest block": ({0: "0 1", 3: "2 2", 9: "3"}, [6, 0, 6, 0]),
    "D3.3 two of one owner": ({0: "0 1 0", 3: "1 0 0", 9: "3 3"}, [12, 0, 0, 0]),
    "D3.4 four": ({0: "0", 3: "1", 9: "1", 10: "2"}, [4, 8, 4, 0]),
    "D3.5 three tied within": ({0: "2 0 1 0 2 1"}, [0, 0, 10, 0]),
}


@pytest.mark.parametrize("example", TOWERS)
def test_tallest_building(example):
    stacks, points = TOWERS[example]
    state = board(stacks)
    settlement.settle_areas_and_towers(state[0])
    assert state.points[0, :, rules.TOWER].tolist() == points


# ------------------------------------------------------------------------------------ declarations


def settle_round_3(stacks, declared, scores, choice=None):
    """Points for declarations after the board is settled; ``declared``: {seat: card}."""
    state = board(stacks, 3, scores)
    g = state[0]
    others = [c for c in range(36) if c not in declared.values()]
    for s in range(4):
        g.hand[s] = 0
        g.declared[s] = declared.get(s, others[s])
        g.blocks[s] = 0
    g.start_player = 0
    g.trick = 8
    kernel.finish_round(g, 0, -1)
    if choice is not None:
        assert rules.PHASES[g.phase] == "five_settle"
        kernel.step(g, choice)
    return g


@pytest.mark.parametrize(
    ("case", "stacks", "points"),
    [
        ("alone", {10: "0"}, 7),
        ("tied first", {10: "0", 13: "1"}, 7),
        ("rank 2", {10: "0", 13: "1 1"}, 0),
        ("rank 3", {10: "0", 13: "1 1", 14: "2 2 2"}, -7),
        ("rank 3 behind two tied first", {10: "0", 13: "1 1", 14: "2 2"}, -7),
        ("tops nothing there", {10: "0 1"}, -7),
    ],
)
def test_lead_area_declaration(case, stacks, points):
    g = settle_round_3(stacks, {0: card("R7"), 1: card("B1"), 2: card("B2"), 3: card("B3")}, 20)
    assert g.points[0, rules.DECLARATION] == points
    assert g.scores[0] == 20 + points


def test_a_lost_declaration_stops_at_zero():
    g = settle_round_3({}, {0: card("R7"), 1: card("B1"), 2: card("B2"), 3: card("B3")}, 4)
    assert g.scores[0] == 0
    assert g.points[0, rules.DECLARATION] == -4


@pytest.mark.parametrize(("choice", "score"), [(rules.TO_ZERO, 3), (rules.KEEP, 0), (rules.TO_TEN, 0)])
def test_a_declared_five_that_loses(choice, score):
    stacks = {4: "0", 8: "1 1", 9: "2 2 2"}
    g = settle_round_3(stacks, {0: card("G5"), 1: card("B1"), 2: card("B2"), 3: card("B3")}, 4, choice)
    assert g.scores[0] == score
    assert g.done


def test_a_declared_five_that_wins_becomes_ten():
    g = settle_round_3({4: "0"}, {0: card("G5"), 1: card("B1"), 2: card("B2"), 3: card("B3")}, 4, rules.TO_TEN)
    assert g.scores[0] == 4 - 2 + 10
    assert g.points[0, rules.FIVES] == -2


@pytest.mark.parametrize(("stacks", "points"), [({0: "0"}, 8), ({0: "0", 1: "1"}, 8), ({0: "0", 1: "1 1"}, 0), ({}, 0)])
def test_declaration_of_intent_in_round_2(stacks, points):
    state = board(stacks, 2)
    g = state[0]
    for s, name in enumerate(("B8", "Y1", "Y2", "Y3")):
        g.hand[s] = 1 << card(name)
    assert settlement.settle_declarations(g, 0, -1) is False
    assert g.points[0, rules.DECLARATION] == points


def test_leftover_cards_are_open_from_the_first_five_decision_on():
    p = position(0, "B1 B2 B3 B4", round_=2, scores=5)
    p["past"] = [hand[:8] for hand in p["hands"]]
    left = [hand[8] for hand in p["hands"]]
    five = next(c for hand in p["past"] for c in hand if c == card("B5"))
    owner = next(s for s in range(4) if five in p["past"][s])
    p["past"][owner] = [left[owner] if c == five else c for c in p["past"][owner]]
    left[owner] = five
    stacks = [[] for _ in range(16)]
    stacks[0] = [owner]
    blocks = [8 - (s == owner) for s in range(4)]
    p.update(trick=8, phase="five_settle", seat=owner, hands=[[c] for c in left], stacks=stacks, blocks=blocks)
    env = table(p)
    for seat in range(4):
        assert env.position(seat)["hands"] == [[c] for c in left]
    env.step(rules.TO_TEN)
    assert env.position()["round"] == 3
    assert env.position()["scores"][owner] == 5 - 2 + 10
    assert env.position()["scores"][(owner + 1) % 4] == 5


# ----------------------------------------------------------------------------------------- default


def default_table(trick, seat, score, fives=(), **options):
    """``seat`` has no block; the trick is played."""
    env = table(without_blocks(position(0, trick, scores=score), seat, (3, 6, 7), trick), **options)
    play_trick(env, trick, fives)
    return env


def test_default_loses_the_rank():
    env = default_table("G1 G8 B2 R2", 1, 20)
    env.step(env.action_id("one block on a2"))
    assert env.position()["scores"][1] == 20 - 8
    assert env.position()["trick"] == 5


@pytest.mark.parametrize(("score", "choice", "left"), [(1, "keep", 0), (1, "0", 0), (9, "keep", 4), (9, "0", 8)])
def test_default_with_a_five(score, choice, left):
    env = default_table("Y9 B9 R2 Y5", 3, score, fives=("keep",))
    assert (env.position()["phase"], env.position()["seat"]) == ("five_default", 3)
    assert env.infos["player_3"]["action_mask"].nonzero()[0].tolist() == [36, 37]
    env.step({"keep": 36, "0": 37}[choice])
    after = env.position()
    assert after["scores"][3] == left
    assert after["rightholders"] == [3, 0]  # the change does not touch who holds the rights …
    assert after["ranks"][3] == (0 if choice == "0" else 5)  # … and shows while the trick lasts


def test_default_with_a_five_and_no_point_is_no_decision():
    env = default_table("Y9 B9 R2 Y5", 3, 0)
    assert (env.position()["phase"], env.position()["seat"]) == ("build", 0)


@pytest.mark.parametrize(("choice", "trick", "left"), [("10", "Y3 B9 R2 Y5", 8), ("0", "Y9 B9 R2 Y5", 19)])
def test_default_counts_a_changed_rank(choice, trick, left):
    env = default_table(trick, 3, 20, fives=(choice,))
    if choice == "10":
        env.step(env.action_id("one block on d1"))
    assert env.position()["scores"][3] == left


def test_a_voluntary_default_declines_basic_construction():
    env = table(position(0, "G1 G8 B2 R2", scores=20), voluntary_default=True)
    play_trick(env, "G1 G8 B2 R2")
    env.step(rules.PASS)
    assert env.position()["scores"][0] == 19
    env.step(rules.PASS)
    assert env.position()["scores"] == [19, 12, 20, 20]
    assert env.position()["trick"] == 2


def test_without_the_option_construction_is_mandatory():
    env = table(position(0, "G1 G8 B2 R2", scores=20))
    play_trick(env, "G1 G8 B2 R2")
    assert not env.infos["player_0"]["action_mask"][rules.PASS]


# ------------------------------------------------------------------------------------- construction


def test_the_first_block_scores_the_printed_bonus():
    env = table(position(0, "B1 B9 Y2 R2", scores=0))
    play_trick(env, "B1 B9 Y2 R2")
    env.step(env.action_id("one block on a1"))
    assert env.position()["scores"] == [3, 0, 0, 0]
    env.step(env.action_id("two blocks on a1"))
    assert env.position()["scores"] == [3, 0, 0, 0]
    assert env.position()["stacks"][0] == [0, 1, 1]


def test_two_blocks_need_two_in_hand():
    p = without_blocks(position(0, "B1 B9 Y2 R2"), 1, (3, 6, 7), "B1 B9 Y2 R2")
    p["stacks"][3].pop()
    p["blocks"][1] = 1
    env = table(p)
    play_trick(env, "B1 B9 Y2 R2")
    env.step(env.action_id("one block on a1"))
    mask = env.infos["player_1"]["action_mask"]
    assert mask[rules.ONE_BLOCK]
    assert not mask[rules.TWO_BLOCKS]


@pytest.mark.parametrize(
    ("adjacency", "stack", "right"),
    [("top", [1, 0], True), ("top", [0, 1], False), ("any", [0, 1], True), ("any", [1], False)],
)
def test_additional_construction_next_to_ones_own_colour(adjacency, stack, right):
    p = later(position(0, "B1 B9 Y2 R2"), "B1 B9 Y2 R2", 2)
    p["stacks"][4] = stack  # a2, below a1
    p["blocks"] = [8 - stack.count(s) for s in range(4)]
    env = table(p, adjacency=adjacency)
    play_trick(env, "B1 B9 Y2 R2")
    env.step(env.action_id("one block on a1"))
    after = env.position()
    if not right:
        assert (after["phase"], after["seat"]) == ("build", 1)
        return
    assert (after["phase"], after["seat"], after["built"]) == ("extra", 0, 0)
    mask = env.infos["player_0"]["action_mask"].nonzero()[0].tolist()
    assert mask == [rules.ONE_BLOCK + 1, rules.ONE_BLOCK + 4, rules.PASS]
    env.step(env.action_id("one block on b1"))
    assert env.position()["stacks"][1] == [0]
    assert (env.position()["phase"], env.position()["seat"]) == ("build", 1)  # at most one a turn


# -------------------------------------------------------------------- round 3's opening, start players


def test_declarations_are_hidden_until_all_are_made_and_sales_are_open_and_in_order():
    p = position(2, "B1 B2 B3 B4", round_=3, scores=5)
    hands = [sorted([*p["hands"][s], p["declared"][s]]) for s in range(4)]
    env = table({**p, "trick": 0, "phase": "declare", "hands": hands, "declared": [None] * 4})
    order = []
    for _ in range(4):
        seat = env.position()["seat"]
        order.append(seat)
        for other in range(4):
            seen = env.position(other)["declared"]
            assert [card is not None for card in seen] == [s == other and s in order[:-1] for s in range(4)]
        env.step(hands[seat][0])
    assert order == [2, 3, 0, 1]
    assert env.position(0)["declared"] == [hand[0] for hand in hands]
    sellers = []
    for n in (9, 0, 4, 1):
        sellers.append(env.position()["seat"])
        env.step(rules.SELL_NONE + n)
    after = env.position()
    assert sellers == [1, 0, 3, 2]
    assert after["sold"] == [0, 9, 1, 4]
    assert after["blocks"] == [9, 0, 8, 5]
    assert after["scores"] == [5, 32, 8, 17]
    assert (after["phase"], after["trick"], after["seat"]) == ("play", 1, 2)


@pytest.mark.parametrize(
    ("start", "scores", "after"),
    [(0, [1, 2, 9, 3], 2), (1, [9, 3, 9, 3], 2), (3, [9, 3, 9, 3], 0), (2, [9, 3, 9, 3], 2), (1, [4, 4, 4, 4], 1)],
)
@pytest.mark.parametrize("finished", [1, 2])
def test_start_player_of_the_next_round(start, scores, after, finished):
    """The highest score; tied, the first met clockwise from the previous start player, itself included."""
    state = board({}, finished)
    state.start_player[0] = start
    state.scores[0] = scores
    kernel.finish_round(state[0], 0, -1)
    assert state.round_number[0] == finished + 1
    assert state.start_player[0] == state.leader[0] == state.seat[0] == after


def test_blocks_left_cost_two_points_each_and_sold_ones_nothing():
    g = settle_round_3({}, {s: card(name) for s, name in enumerate(("R1", "B1", "Y1", "G1"))}, 20)
    assert g.points[:, rules.BLOCKS_LEFT].tolist() == [0, 0, 0, 0]
    state = board({}, 3, 20)
    state.blocks[0] = [0, 1, 5, 9]
    settlement.settle_blocks_left(state[0])
    assert state.scores[0].tolist() == [20, 18, 10, 2]


def test_a_loss_larger_than_the_score_leaves_zero():
    state = board({}, 3, 3)
    state.blocks[0] = [0, 1, 5, 9]
    settlement.settle_blocks_left(state[0])
    assert state.scores[0].tolist() == [3, 1, 0, 0]
    assert state.points[0, :, rules.BLOCKS_LEFT].tolist() == [0, -2, -3, -3]


def test_tied_seats_share_the_victory():
    state = board({}, 3)
    state.scores[0] = [7, 9, 9, 1]
    assert settlement.winners(state[0]) == 0b0110


@pytest.mark.parametrize(("scores", "won"), [([9, 5, 1, 4], 0b0101), ([9, 5, 1, 6], 0b1010), ([9, 5, 1, 5], 0b1111)])
def test_with_two_players_the_team_totals_decide(scores, won):
    state = board({}, 3)
    state.players[0] = 2
    state.scores[0] = scores
    assert settlement.winners(state[0]) == won
