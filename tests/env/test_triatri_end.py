"""The end of a game, scores, winners and rewards (B5, B7): worked examples, one test each."""

import numpy as np
import pytest
from triatri_table import (
    cards,
    pick,
    play,
    play_trick,
    position,
    settled,
    table,
    winners,
)

from tritarea_env.games.triatri import settlement

pytestmark = pytest.mark.kernel

# ---------------------------------------------------------------------------------------------- B5: end


def end_of(env):
    p = env.position()
    assert p["phase"] == "end"
    assert env.is_over
    info = env.infos["player_0"]
    assert [sum(points.values()) for points in info["points"]] == p["scores"] == info["scores"]
    return p["scores"], info["winners"]


def test_a_colour_that_runs_out_ends_the_game_after_the_trick():
    env = table(position(2, "R3 B2 R4 R5", "R", gems=("RR", "B", "RRR", "GGG")))
    pick(env, "R")
    p = env.position()
    assert (p["phase"], p["seat"], p["supply"]) == ("play", 2, [0, 5, 3])
    play(env, "R3 B2 R4 R5")  # B2 8
    p = env.position()
    assert (p["round"], p["trick"], p["starter"], p["seat"], p["prize"]) == (3, 1, 2, None, None)
    assert (p["table"], p["played"]) == ([None] * 4, [None] * 4)
    assert p["gems"] == [[3, 0, 0], [0, 0, 3], [2, 0, 0], [1, 1, 0]]
    assert end_of(env) == ([0, 3 * 3, 0, -2], [1])


@pytest.mark.parametrize(("prize", "trick"), [("R", "R6 R2"), ("B", "B6 B2"), ("G", "G6 G2")])
def test_any_colour_may_run_out(prize, trick):
    env = table(position(0, trick, prize, gems=("", prize * 5)))
    play_trick(env, prize, trick)
    assert end_of(env) == ([0, 0], [1])


def test_the_last_gem_of_a_colour_may_stay_in_the_supply():
    env = table(position(0, "R3 R4 R5 B2", "R", gems=("R", "", "RRR", "R")))
    play_trick(env, "own R", "R3 R4 R5 B2")
    assert (env.position()["phase"], env.position()["trick"]) == ("prize", 2)


def test_a_colour_runs_out_in_an_earlier_round():
    env = table(position(0, "R3 R4 R5 B2", "R", gems=("R", "", "RRR", "R"), round=2))
    play_trick(env, "R", "R3 R4 R5 B2")
    assert env.position()["round"] == 2
    assert end_of(env) == ([0, 0, 0, 0], [2])  # most gems


def test_two_gems_of_each_colour_win_at_once_and_alone():
    env = table(position(1, "G8 G4 G5 B2", "G", gems=("RRBBG", "R", "BB", "GGG")))
    play_trick(env, "G", "G8 G4 G5 B2")
    assert (env.position()["round"], env.position()["trick"]) == (3, 1)
    assert end_of(env) == ([3 * 1, 100, 1 * 3, 2 * 2], [1])
    assert env.infos["player_0"]["points"][1] == {"sets": 0, "pairs": 0, "leftovers": 0, "special win": 100}


def test_more_than_two_of_a_colour_win_too():
    env = table(position(0, "B6 R2", "B", gems=("RRRBGGG", "")))
    play_trick(env, "B", "B6 R2")
    assert end_of(env) == ([100, 0], [0])


def test_two_of_two_colours_and_one_of_the_third_do_not_win():
    env = table(position(0, "G6 B2", "G", gems=("RRB", "B")))
    play_trick(env, "G", "G6 B2")
    assert env.position()["phase"] == "prize"
    env = table(position(0, "G6 B2", "G", gems=("RRBG", "B")))
    play_trick(env, "G", "G6 B2")
    assert env.position()["phase"] == "prize"


def test_the_prize_goes_to_another_and_there_is_no_special_win():
    env = table(position(0, "G3 G5", "G", gems=("RRBBG", "")))
    play_trick(env, "G", "G3 G5")
    assert (env.position()["phase"], env.position()["starter"]) == ("prize", 1)


def test_a_special_win_as_a_colour_runs_out():
    env = table(position(0, "G6 G5 B2", "G", gems=("RRBBG", "GGGG", "BB")))
    play_trick(env, "G", "G6 G5 B2")
    assert env.position()["supply"] == [4, 2, 0]
    assert end_of(env) == ([100, 0, 2 * 2], [0])


def last_trick(round_):
    """Before the fifth trick: the starter has won each of four prizes of its own back."""
    env = table(position(0, "R6 R5 R4 B6 G6/R2 R3 B2 G2 G3", gems=("RRBBG", ""), round=round_))
    for prize, trick in (("own R", "R6 R2"), ("own R", "R5 R3"), ("own R", "R4 G2"), ("own B", "B6 B2")):
        play_trick(env, prize, trick)
    p = env.position()
    assert (p["trick"], p["starter"], p["gems"]) == (5, 0, [[2, 2, 1], [0, 0, 0]])
    return env


def test_a_special_win_in_the_very_last_trick():
    env = last_trick(3)
    play_trick(env, "G", "G6 G3")
    assert end_of(env) == ([100, 0], [0])


def test_a_special_win_in_the_last_trick_of_an_earlier_round():
    env = last_trick(2)
    play_trick(env, "G", "G6 G3")
    assert env.position()["round"] == 2
    assert end_of(env) == ([100, 0], [0])


def test_after_round_3_the_game_is_scored():
    env = last_trick(3)
    play_trick(env, "R", "G6 G3")
    p = env.position()
    assert (p["round"], p["trick"], p["starter"], p["supply"]) == (3, 5, 0, [3, 4, 5])
    assert p["past"] == [cards("R6 R5 R4 B6 G6"), cards("R2 R3 G2 B2 G3")]
    assert (p["voids"], p["hands"]) == ([[0], [0]], [[], []])
    assert end_of(env) == ([1 - 2 + 3, 0], [0])


def test_scores_are_kept_for_the_end():
    env = last_trick(2)
    play_trick(env, "R", "G6 G3")
    p = env.position()
    assert (p["round"], p["phase"], p["scores"], p["gems"]) == (3, "bid", [], [[3, 2, 1], [0, 0, 0]])


SCORES = {  # own gems, the others', points for sets, pairs, leftovers
    "nothing": ("", "", 0, 0, 0),
    "a set": ("RBG", "", 1, 0, 0),
    "a set, and two of one colour": ("RBGGG", "", 1, 0, 2 * 3),
    "one colour: as many points each as the supply holds of it": ("RRR", "", 0, 0, 3 * 3),
    "one colour, others have of it too": ("BBBB", "B", 0, 0, 4 * 1),
    "five of a colour": ("GGGGG", "", 0, 0, 5),
    "a single gem": ("G", "", 0, 0, 5),
    "all six": ("RRRRRR", "", 0, 0, 0),
    "a pair": ("RG", "", 0, -2, 0),
    "two pairs": ("RRBB", "", 0, -4, 0),
    "a pair, and one left": ("RRB", "", 0, -2, 4),
    "a pair, and four left": ("BGGGGG", "", 0, -2, 4),
    "a set, a pair, and one left": ("RRRBBG", "BB", 1, -2, 3),
    "a set, two pairs, and one left": ("RBBBGGGG", "", 1, -4, 2),
    "a set, two pairs": ("RRRBBBG", "", 1, -4, 0),
    "a set, and four left of a colour run out": ("RBGGGGG", "G", 1, 0, 0),
    "many pairs": ("RRRRBBBBB", "", 0, -8, 1),
}


@pytest.mark.parametrize("example", SCORES)
def test_scoring(example):
    gems, held, *points = SCORES[example]
    for seat in (0, 1):
        state = settled(gems, held) if seat == 0 else settled(held, gems)
        assert state.points[0, seat].tolist() == [*points, 0]
        assert state.scores[0, seat] == sum(points)
    state.done[0] = 0
    now = np.zeros(2, np.int64)
    settlement.score_now(state[0], now)
    assert now.tolist() == state.scores[0, :2].tolist()


def test_score_now_of_a_special_win_at_the_end():
    state = settled("RRBBGG", "R", special=0)
    now = np.zeros(2, np.int64)
    settlement.score_now(state[0], now)
    assert now.tolist() == [100, 3]


WINNERS = {  # gems by seat, scores, winners
    "most points": (("R", "BB", "G"), [5, 8, 5], [1]),
    "points before gems": (("RRRRRR", "B"), [0, 5], [1]),
    "a loss is less than nothing": (("RG", ""), [-2, 0], [1]),
    "tied: more gems": (("RBG", "B", "RBBB"), [1, 1, 0], [0]),
    "tied: more gems, whose gems count nothing": (("", "RRRRRR"), [0, 0], [1]),
    "still tied: shared": (("R", "B", "G", ""), [5, 5, 5, 0], [0, 1, 2]),
    "all alike": (("", "", "", ""), [0, 0, 0, 0], [0, 1, 2, 3]),
    "two alike, not the first": (("BG", "R", "R"), [-2, 4, 4], [1, 2]),
    "both lose": (("RG", "RRBB"), [-2, -4], [0]),
    "more gems decide below nothing": (("RBBBB", "GR"), [-2 + 3 * 2, -2], [0]),
}


@pytest.mark.parametrize("example", WINNERS)
def test_winners(example):
    gems, scores, won = WINNERS[example]
    state = settled(*gems)
    assert state.scores[0, : len(gems)].tolist() == scores
    assert winners(state) == won


def test_a_special_win_is_alone_whatever_the_others_have():
    state = settled("RRR", "RRBBGG", "BBB", special=1)
    assert state.scores[0, :3].tolist() == [3, 100, 3]
    assert winners(state) == [1]


# ------------------------------------------------------------------------------------------ B7: rewards

RUN_OUT = {  # gems before red runs out in a trick that the starter wins; scores
    2: (("RRRRR", "B"), "R5 R2", [0, 5]),
    3: (("RRRRR", "B", ""), "R5 R3 R2", [0, 5, 0]),
    4: (("RRRRR", "B", "G", ""), "R5 R4 R3 R2", [0, 5, 5, 0]),
}
REWARDS = {
    ("outcome", 2): [-1 / 2, 1 / 2],
    ("outcome", 3): [-1 / 3, 2 / 3, -1 / 3],
    ("outcome", 4): [-1 / 4, 1 / 4, 1 / 4, -1 / 4],
    ("score", 2): [-0.5, 0.5],
    ("score", 3): [-0.25, 0.5, -0.25],
    ("score", 4): [-1 / 3, 1 / 3, 1 / 3, -1 / 3],
}


@pytest.mark.parametrize(("reward", "players"), REWARDS)
def test_rewards(reward, players):
    gems, trick, scores = RUN_OUT[players]
    env = table(position(0, trick, "R", gems=gems), reward=reward)
    pick(env, "R")
    for name in trick.split():
        assert set(env.rewards.values()) == {0.0}
        play(env, name)
    assert end_of(env)[0] == scores
    assert [env.rewards[f"player_{s}"] for s in range(players)] == pytest.approx(REWARDS[reward, players])


def test_rewards_of_a_special_win():
    for reward, expected in (("outcome", [1 / 2, -1 / 2]), ("score", [9.7, -9.7])):
        env = table(position(0, "G6 B2", "G", gems=("RRBBG", "R")), reward=reward)
        play_trick(env, "G", "G6 B2")
        assert end_of(env)[0] == [100, 3]
        assert [env.rewards[f"player_{s}"] for s in range(2)] == pytest.approx(expected)
