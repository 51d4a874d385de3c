"""What the learner gets, transition by transition: (observation, mask, action, reward, next observation, done).

First whole games of every table, beside the AEC environment stepped decision by decision; then two ends of games whose
rewards are worked out by hand from the rules.
"""

from collections import Counter
from typing import NamedTuple

import numpy as np
import pytest
from helpers import ENTRIES, TABLES, id_of
from triatri_table import card as triatri_card
from triatri_table import position as triatri_position
from tritarea_table import card, cards
from tritarea_table import position as tritarea_position

from tritarea_env import games
from tritarea_env.engine import protocol
from tritarea_env.engine.compile import kernel
from tritarea_train.config import OpponentsConfig
from tritarea_train.league import League
from tritarea_train.vec_env import LeagueVecEnv

NPCS = [("tritarea", {"players": players, "npc": "random"}) for players in (1, 2, 3)]
CASES = [*TABLES, *NPCS]
EVERY_CASE = pytest.mark.parametrize(("name", "options"), CASES, ids=[id_of(*case) for case in CASES])
SEED, GAMES_A_ROW = 3, 3
WEIGHTS = (0.0, 0.25, 1.0, 0.5, 0.75)  # of outcome, from step to step


def pick(mask, salt):
    """A legal action, of which nothing but the mask and who decides says which."""
    legal = np.flatnonzero(mask)
    return int(legal[(7 * legal.sum() + salt) % len(legal)])


class Picks:
    """An agent that decides by ``pick``."""

    def __init__(self, salt):
        self.salt = salt

    def act(self, views):
        return np.array([pick(mask, self.salt) for mask in views.mask])


class ByHand:
    """An agent whose seats make given choices, whichever of them is legal."""

    def __init__(self, choices):
        self.choices = choices

    def act(self, views):
        return np.array([choice(mask, self.choices[s]) for s, mask in zip(views.seat, views.mask, strict=True)])


def choice(mask, actions):
    """That of the actions which is legal; in games that are not looked at any more, anything."""
    return next((action for action in actions if mask[action]), int(mask.argmax()))


LEARNER, NPC, MEMBERS = 5, 3, {"random": 0, "greedy": 1}  # by salt: the names stand for agents of ours


def make(name, options, reward, n):
    game = games.get(name)
    config = OpponentsConfig(current=0, snapshots=0, agents=dict.fromkeys(MEMBERS, 1.0), pool=1)
    league = League(game, game.check_options(options), config)
    for place, spec in enumerate(league.names):
        league.agents[place] = Picks(NPC if place == league.npc else MEMBERS.get(spec, 0))
    return LeagueVecEnv(name, n, league, seed=SEED, reward=reward, **options)


class Transition(NamedTuple):
    """One of the learner's; ``after`` is the terminal observation where the game is over."""

    observation: np.ndarray
    mask: np.ndarray
    action: int
    reward: float
    after: np.ndarray
    done: bool


def played(name, options, reward, weights=(0.0,)):
    """By row and game: the opponents' salt, the transitions, the last info; and the weights of outcome in each."""
    env = make(name, options, reward, 2 * len(games.get(name).agents(games.get(name).check_options(options))))
    found = [[] for _ in range(env.num_envs)]
    observation, current = env.reset(), [[] for _ in range(env.num_envs)]
    member, used = env.member.copy(), [[] for _ in range(env.num_envs)]
    step = 0
    while min(map(len, found)) < GAMES_A_ROW:
        masks = env.action_masks().copy()
        actions = np.array([pick(mask, LEARNER) for mask in masks])
        env.outcome_weight = weights[step % len(weights)]
        after, rewards, dones, infos = env.step(actions)
        for i in range(env.num_envs):
            last = infos[i]["terminal_observation"] if dones[i] else after[i]
            current[i].append(
                Transition(observation[i], masks[i], int(actions[i]), float(rewards[i]), last, bool(dones[i]))
            )
            used[i].append(env.outcome_weight)
            if dones[i]:
                salt = MEMBERS[env.league.names[member[i]]]
                found[i].append((salt, current[i], infos[i], used[i]))
                assert infos[i]["opponents"] == env.league.names[member[i]]
                current[i], used[i] = [], []
        observation, member, step = after, env.member.copy(), step + 1
    return [row[:GAMES_A_ROW] for row in found]


@kernel
def settled_of(games, out):
    protocol.score_now(games[0], out)


def margin(name, options, scores, seat):
    """``score`` of a seat (A11, B7)."""
    others = [score for s, score in enumerate(scores) if s != seat]
    if name == "tritarea" and options.get("players") == 2:
        return sum(score * (1 if s % 2 == seat % 2 else -1) for s, score in enumerate(scores)) / 50
    return (scores[seat] - sum(others) / len(others)) / {"tritarea": 50, "triatri": 10}[name]


class Oracle:
    """A learner's games in the AEC environment, every decision of every player's seat made here."""

    def __init__(self, name, options, reward, row):
        self.name, self.options, self.kind = name, options, reward
        paid = "score" if reward == "settled_delta" else reward
        own = {**options, "npc": Picks(NPC)} if "npc" in options else options
        self.env = ENTRIES[name].raw_env(reward=paid, **own)
        self.row, self.episode, self.cases = row, -1, Counter()

    def settled(self, seat):
        """The seat's margin as if the round were settled now."""
        games = self.env._table.playing()
        scores = np.array(games.scores[0][: self.env._table.seats], np.int64)
        if not games.done[0]:
            settled_of(games, scores)
        return margin(self.name, self.options, scores.tolist(), seat)

    def play(self, salt):
        """The next game; the learner's transitions, as lists of ``Transition``'s fields."""
        self.episode += 1
        self.env.reset(**({"seed": SEED, "options": {"game_index": self.row}} if self.episode == 0 else {}))
        env, learner = self.env, f"player_{(self.row + self.episode) % len(self.env.possible_agents)}"
        seat, found, between = int(learner[-1]), [], 0
        while not env.is_over:
            mover = env.agent_selection
            seen = env.observe(mover)
            action = pick(seen["action_mask"], LEARNER if mover == learner else salt)
            if mover == learner:
                self._close(found, seen["observation"], seat, False, between)
                found.append([seen["observation"], seen["action_mask"], action, 0.0, None, False, self.settled(seat)])
            between = 0 if mover == learner else between + 1
            env.step(action)
            if found and (env._rewarded or env.is_over):
                found[-1][3] += env.rewards[learner]
        self.cases["ended by another seat" if between else "ended by the learner"] += 1
        self._close(found, env.observe(learner)["observation"], seat, True, between)
        return learner, found

    def _close(self, found, observation, seat, done, between):
        """What follows the learner's last decision: its next one, or the end."""
        if not found:
            return
        if not done:
            self.cases["none between" if between == 0 else "some between"] += 1
        last = found[-1]
        last[4], last[5] = observation, done
        if self.kind == "settled_delta":
            last[3] = self.settled(seat) - last.pop()
        else:
            last.pop()


def rewards_of(name):
    return [*games.get(name).rewards, "settled_delta"]


@EVERY_CASE
def test_transitions_are_those_of_the_game_decision_by_decision(name, options):
    for reward in rewards_of(name):
        scale, cases = games.get(name).scale, Counter()
        for i, row in enumerate(played(name, options, reward)):
            oracle = Oracle(name, options, reward, i)
            for salt, transitions, info, _ in row:
                learner, expected = oracle.play(salt)
                assert len(transitions) == len(expected)
                for ours, (observation, mask, action, paid, after, done) in zip(transitions, expected, strict=True):
                    assert np.array_equal(ours.observation * scale, observation)
                    assert np.array_equal(ours.mask, mask)
                    assert (ours.action, ours.done) == (action, done)
                    assert ours.reward == pytest.approx(paid, abs=1e-6)
                    assert np.array_equal(ours.after * scale, after)
                truth = oracle.env.infos[learner]
                assert info["scores"] == truth["scores"]
                assert f"player_{info['seat']}" == learner
                assert info["share"] == (info["seat"] in truth["winners"]) / len(truth["winners"])
                assert info["episode"]["l"] == len(expected)
                assert info["episode"]["r"] == pytest.approx(sum(step[3] for step in expected), abs=1e-6)
            cases += oracle.cases
        assert "npc" in options or len(cases) == 4, cases  # with NPCs, the AEC environment hides decisions


@EVERY_CASE
def test_a_mixed_reward_is_the_mix_of_both(name, options):
    """The weight of a step is that which was set before it; games and choices are those of each reward alone."""
    for reward in rewards_of(name)[1:]:
        mixed = played(name, options, reward, WEIGHTS)
        dense, outcome = played(name, options, reward), played(name, options, "outcome")
        for rows in zip(mixed, dense, outcome, strict=True):
            for (_, ours, info, weights), (_, first, _, _), (_, last, _, _) in zip(*rows, strict=True):
                assert len(ours) == len(first) == len(last) == len(weights)
                expected = [(1 - w) * a.reward + w * b.reward for w, a, b in zip(weights, first, last, strict=True)]
                assert [step.reward for step in ours] == pytest.approx(expected, abs=1e-6)
                assert info["episode"]["r"] == pytest.approx(sum(expected), abs=1e-5)


# --------------------------------------------------------------------------------------------- by hand


def by_hand(name, position, choices, reward, options, weight=0.0):
    """By seat, the learner's (mask, action, reward, done) from a position to the end, and its last info."""
    env = make(name, options, reward, len(choices))
    env.reset()
    env.league.agents[:] = [ByHand(choices)] * len(env.league.agents)
    for i, g in enumerate(env.batch.games):
        kept = g.stream, g.episode
        env.batch.game.from_position(g, position, np.uint64(1))
        g.stream, g.episode = kept
        assert env.seat[i] == i
    every = np.arange(len(choices))
    env.tables.start(every)
    env.look()
    env.outcome_weight = weight
    found, left = [([], {}) for _ in choices], set(every.tolist())
    while left:
        masks = env.action_masks().copy()
        chosen = np.array([choice(mask, own) for mask, own in zip(masks, choices, strict=True)])
        _, rewards, dones, infos = env.step(chosen)
        for i in sorted(left):
            legal = np.flatnonzero(masks[i]).tolist()
            found[i][0].append((legal, int(chosen[i]), pytest.approx(rewards[i], abs=1e-6), bool(dones[i])))
            if dones[i]:
                found[i][1].update(infos[i])
                left.remove(i)
    return found


# Tri*T*Area, the last trick. Seat 0 leads R9, then R6, G2, R1: Happiness is adopted, seat 3 is rightholder 1, seat 0 is
# rightholder 2. Seat 3 builds on square 15 (bonus 3), seat 0 on 13 (bonus 2); neither has another block. Tied for
# first in the area they get 5 each, for one of two towers 6 each. Declared: R2 of seat 0 gains 2; B3, Y9, G1 of the
# others lose 3, 9, 1.
LAST_TRICK = {
    "hands": [cards("R9"), cards("R6"), cards("G2"), cards("R1")],
    "declared": cards("R2 B3 Y9 G1"),
    "blocks": [1, 0, 0, 1],
    "sold": [8, 9, 9, 8],
    "scores": [20, 30, 10, 5],
    "trick": 8,
}
SQUARES = [49, 52, 53, 54]  # one block on 10, 13, 14, 15
CHOICES = [[card("R9"), 52], [card("R6")], [card("G2")], [card("R1"), 54]]
SCORES = [35, 27, 1, 18]  # 20+2+5+6+2, 30-3, 10-9, 5+3+5+6-1
# by reward and seat; scores before are 20 30 10 5, after seat 3 built 20 30 10 8, at the end 35 27 1 18; settled they
# are 16 27 1 2 (declarations lost, 2 for a block left), then 16 27 1 27 (8+10+10-1), at the end as they are
TRITAREA = {
    "outcome": [[0, 0.75], [-0.25], [-0.25], [0, -0.25]],
    "score": [[0, (35 - 46 / 3) / 50], [(27 - 54 / 3) / 50], [(1 - 80 / 3) / 50], [0, (18 - 63 / 3) / 50]],
    "score_delta": [
        [-3 / 3 / 50, (15 - (-3 - 9 + 10) / 3) / 50],
        [(-3 - (15 - 9 + 13) / 3) / 50],
        [(-9 - (15 - 3 + 13) / 3) / 50],
        [0, (13 - (15 - 3 - 9) / 3) / 50],
    ],
    "settled_delta": [
        [-25 / 3 / 50, (19 - -9 / 3) / 50],
        [-(19 + 16) / 3 / 50],
        [-(19 + 16) / 3 / 50],
        [0, (16 - 19 / 3) / 50],
    ],
}


def last_trick():
    rest = [c for c in range(36) if [c] not in LAST_TRICK["hands"] and c not in LAST_TRICK["declared"]]
    past = [rest[7 * seat : 7 * seat + 7] for seat in range(4)]
    return {**tritarea_position(0, "R9 R6 G2 R1", 3), **LAST_TRICK, "past": past}


@pytest.mark.parametrize("reward", TRITAREA)
def test_the_last_trick_of_tritarea_by_hand(reward):
    first = [card("R9"), card("R6"), card("G2"), card("R1")]
    for seat, (steps, info) in enumerate(by_hand("tritarea", last_trick(), CHOICES, reward, {})):
        paid = TRITAREA[reward][seat]
        expected = [([first[seat]], first[seat], paid[0], len(paid) == 1)]
        if len(paid) == 2:
            expected.append((SQUARES, CHOICES[seat][1], paid[1], True))
        assert steps == expected
        assert (info["scores"], info["seat"], info["share"]) == (SCORES, seat, seat == 0)
        assert info["episode"] == {"r": pytest.approx(sum(paid)), "l": len(paid)}


def test_a_mixed_reward_by_hand():
    """Three quarters of ``settled_delta``, one of ``outcome``."""
    for seat, (steps, _) in enumerate(by_hand("tritarea", last_trick(), CHOICES, "settled_delta", {}, 0.25)):
        dense, outcome = TRITAREA["settled_delta"][seat], TRITAREA["outcome"][seat]
        expected = [0.75 * a + 0.25 * b for a, b in zip(dense, outcome, strict=True)]
        assert [paid for _, _, paid, _ in steps] == expected


# TriATri: seat 2 starts and picks the supply's last red gem, so the game ends with this trick. R3, B2 (blue beats red:
# 8), R4, R5: seat 3 wins the gem. Gems then: seat 0 RRR, 1 GGG, 2 RR, 3 RB; in the supply 0 red, 5 blue, 3 green.
# Scores: three times 0, three times 3, twice 0, a pair. Settled, they were 3 9 2 5 before the pick (one red in the
# supply), 0 9 0 5 after it.
TRIATRI_SCORES = [0, 9, 0, -2]
TRIATRI_CHOICES = [["R4"], ["R5"], ["R3"], ["B2"]]
TRIATRI = {
    "outcome": [[-0.25], [0.75], [0, -0.25], [-0.25]],
    "score": [[-7 / 3 / 10], [(9 + 2 / 3) / 10], [0, -7 / 3 / 10], [(-2 - 9 / 3) / 10]],
    "settled_delta": [[7 / 3 / 10], [7 / 3 / 10], [(-2 + 3 / 3) / 10, 7 / 3 / 10], [-7 / 10]],
}


@pytest.mark.parametrize("reward", TRIATRI)
def test_a_last_trick_of_triatri_by_hand(reward):
    position = triatri_position(2, "R3 B2 R4 R5", "R", gems=("RR", "B", "RRR", "GGG"))
    choices = [[triatri_card(names[0])] for names in TRIATRI_CHOICES]
    choices[2].append(22)  # the prize: a red gem of the supply
    for seat, (steps, info) in enumerate(by_hand("triatri", position, choices, reward, {})):
        paid = TRIATRI[reward][seat]
        wanted, dones = ([22, choices[2][0]], [False, True]) if seat == 2 else (choices[seat], [True])
        assert [step[1:] for step in steps] == list(zip(wanted, paid, dones, strict=True))
        assert (info["scores"], info["seat"], info["share"]) == (TRIATRI_SCORES, seat, seat == 1)
        assert info["episode"] == {"r": pytest.approx(sum(paid)), "l": len(paid)}
