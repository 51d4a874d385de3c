"""Compiled loops over an array of games, for any game. ``index`` (n,) int64 names the games meant.

None of these checks anything but ``first_illegal``; callers do, before anything is stepped.
"""

import numpy as np

from .compile import inlined, kernel
from .protocol import (
    begin,
    determinize,
    draw,
    hide,
    legal,
    legal_mask,
    observe,
    outcome,
    score_reward,
    state,
    step,
    winners,
)
from .rewards import share
from .rng import below, blind, derive
from .sets import count_actions, has_action, nth_action


@kernel
def reset(g):
    """New game from the record's stream and episode."""
    draw(g)
    begin(g)


@inlined
def go_on(g):
    """The next game of the record's stream."""
    g.episode += 1
    reset(g)


@kernel
def reset_games(games, index):
    """New games from each row's stream and episode."""
    for i in index:
        reset(games[i])


@kernel
def begin_game(games, i):
    begin(games[i])


@kernel
def draw_game(games, i):
    draw(games[i])


@inlined
def is_legal(g, action):
    """Whether the seat to move may do this; ``action`` is any integer."""
    return action >= 0 and has_action(legal(g), action)


@kernel
def first_illegal(games, index, actions):
    """The place in ``index`` of the first action that is not legal, or -1."""
    for j in range(index.shape[0]):
        if not is_legal(games[index[j]], actions[j]):
            return j
    return -1


@kernel
def step_games(games, index, actions):
    """One decision in each game."""
    for j in range(index.shape[0]):
        step(games[index[j]], actions[j])


@kernel
def step_game(games, i, action, mask):
    """One decision in game ``i``, and the next mask (A,) int8."""
    step(games[i], action)
    legal_mask(games[i], mask)


@kernel
def mask_game(games, i, mask):
    """Write the mask (A,) int8 of game ``i``; returns the seat to move."""
    legal_mask(games[i], mask)
    return np.int64(games[i].seat)


@kernel
def legal_games(games, index, masks):
    """Masks (n, A) int8 of the seats to move."""
    for j in range(index.shape[0]):
        legal_mask(games[index[j]], masks[j])


@kernel
def observe_games(games, index, seats, out):
    """Observations (n, d) uint8 of the given seats (n,)."""
    for j in range(index.shape[0]):
        observe(games[index[j]], seats[j], out[j])


@kernel
def observe_scaled(games, i, seat, scale, raw, out):
    """The observation of ``seat`` times ``scale`` (d,) float32 into ``out`` (d,) float32; ``raw`` (d,) is scratch."""
    observe(games[i], seat, raw)
    for k in range(out.shape[0]):
        out[k] = raw[k] * scale[k]


@kernel
def state_game(games, i, out):
    state(games[i], out)


@inlined
def hide_game(g, key, hidden):
    """Write the game as the seat to move knows it; returns that decision's seed, from the key of its agents' chance.

    The seed is blinded: who gets it cannot compute the key, from whose parents the deals come too.
    """
    hidden[0] = g
    hide(hidden[0], g.seat)
    return blind(derive(derive(key, g.decision), g.seat))


@kernel
def hide_games(games, index, keys, hidden, seeds):
    """For each game a copy as the seat to move knows it (n,), and that decision's seed (n,) from its key (n,)."""
    for j in range(index.shape[0]):
        seeds[j] = hide_game(games[index[j]], keys[j], hidden[j : j + 1])


@kernel
def hide_streams(games, index, branch, hidden, seeds):
    """The same, with child ``branch`` of each game's stream, by episode, as the key."""
    for j in range(index.shape[0]):
        g = games[index[j]]
        seeds[j] = hide_game(g, derive(derive(g.stream, branch), g.episode), hidden[j : j + 1])


@kernel
def determinize_games(games, index, seats, seeds):
    """Fill each game in place with a guess that fits what its given seat knows."""
    for j in range(index.shape[0]):
        determinize(games[index[j]], seats[j], seeds[j])


@inlined
def random_action(g, word):
    """A legal action of the seat to move, uniform, from a random uint64."""
    actions = legal(g)
    return nth_action(actions, below(word, count_actions(actions)))


@kernel
def random_actions(games, seeds, out):
    """A random action (n,) for each game (n,), drawn from its seed (n,) uint64."""
    for j in range(games.shape[0]):
        out[j] = random_action(games[j], derive(seeds[j], 0))


@kernel
def playout(g, key, round_only):
    """Play a game with random actions to its end, or to the end of the round; returns the number of decisions."""
    decisions = 0
    while not g.done:
        step(g, random_action(g, derive(key, g.decision)))
        decisions += 1
        if round_only and g.round_ended:
            break
    return decisions


@kernel
def playout_games(games, index, key, round_only):
    """The same for each game ``index``, whose chance is child i of ``key``; returns the number of all decisions."""
    decisions = 0
    for i in index:
        decisions += playout(games[i], derive(key, i), round_only)
    return decisions


# How a game rewards its seats
OUTCOME, SCORE, SCORE_DELTA = 0, 1, 2
REWARD_KINDS = {"outcome": OUTCOME, "score": SCORE, "score_delta": SCORE_DELTA}


@inlined
def copy_scores(g, out):
    """The scores of as many seats as ``out`` (seats,) has: records may have room for more."""
    for s in range(out.shape[0]):
        out[s] = g.scores[s]


@inlined
def write_reward(g, kind, before, out):
    """The reward (seats,) float64 of the last decision; ``before`` (seats,) int64: the scores before it."""
    out[:] = 0.0
    if kind == SCORE_DELTA:
        score_reward(g, before, out)
    elif g.done and kind == SCORE:
        before[:] = 0
        score_reward(g, before, out)
    elif g.done:
        outcome(g, out)


@kernel
def step_rewarded(games, i, action, kind, mask, before, reward, total):
    """One decision in game ``i``: next mask (A,) int8, rewards added to ``total`` (seats,) float64.

    ``before`` (seats,) int64 and ``reward`` (seats,) float64 are scratch. Returns the seat to move, -1 at the end.
    """
    g = games[i]
    copy_scores(g, before)
    step(g, action)
    legal_mask(g, mask)
    if g.done or kind == SCORE_DELTA:
        write_reward(g, kind, before, reward)
        for s in range(total.shape[0]):
            total[s] += reward[s]
    return np.int64(g.seat)


@kernel
def winners_of(games, i):
    """The set (bits) of seats that have won game ``i``."""
    return winners(games[i])


@kernel
def shares(games, index, out):
    """Share of the win (n, seats) float64 of every seat: 1/k for each of k winners."""
    for j in range(index.shape[0]):
        won = winners(games[index[j]])
        for s in range(out.shape[1]):
            out[j, s] = share(won, s)
