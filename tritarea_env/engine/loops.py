"""Compiled loops over an array of games, for any game. ``index`` (n,) int64 names the games meant.

None of these checks anything but ``first_illegal``; callers do, before anything is stepped.
"""

import numpy as np

from .compile import kernel
from .protocol import (
    begin,
    determinize,
    draw,
    hide,
    legal,
    observe,
    outcome,
    score_reward,
    state,
    step,
    winners,
)
from .rewards import share
from .rng import below, blind, derive


@kernel
def reset(g):
    """New game from the record's stream and episode."""
    draw(g)
    begin(g)


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


@kernel
def first_illegal(games, index, actions, mask):
    """The place in ``index`` of the first action that is not legal, or -1. ``mask`` (A,) int8 is scratch."""
    for j in range(index.shape[0]):
        if actions[j] < 0 or actions[j] >= mask.shape[0]:
            return j
        legal(games[index[j]], mask)
        if mask[actions[j]] == 0:
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
    legal(games[i], mask)


@kernel
def legal_games(games, index, masks):
    """Masks (n, A) int8 of the seats to move."""
    for j in range(index.shape[0]):
        legal(games[index[j]], masks[j])


@kernel
def observe_games(games, index, seats, out):
    """Observations (n, d) uint8 of the given seats (n,)."""
    for j in range(index.shape[0]):
        observe(games[index[j]], seats[j], out[j])


@kernel
def look_at_games(games, index, observations, masks):
    """Rows ``index`` of observations (N, d) uint8 and masks (N, A) int8, of the seats to move."""
    for i in index:
        observe(games[i], games[i].seat, observations[i])
        legal(games[i], masks[i])


@kernel
def observe_game(games, i, seat, out):
    observe(games[i], seat, out)


@kernel
def state_game(games, i, out):
    state(games[i], out)


@kernel
def hide_games(games, index, keys, hidden, seeds):
    """For each game a copy as the seat to move knows it (n,), and that decision's seed (n,) from its key (n,).

    The seed is blinded: who gets it cannot compute the key, from whose parents the deals come too.
    """
    for j in range(index.shape[0]):
        g = games[index[j]]
        seat = g.seat
        seeds[j] = blind(derive(derive(keys[j], g.decision), seat))
        hidden[j] = g
        hide(hidden[j], seat)


@kernel
def determinize_games(games, index, seats, seeds):
    """Fill each game in place with a guess that fits what its given seat knows."""
    for j in range(index.shape[0]):
        determinize(games[index[j]], seats[j], seeds[j])


@kernel
def random_actions(masks, seeds, out):
    """One legal action (n,) for each mask (n, A), uniform, drawn from its seed (n,) uint64."""
    for j in range(masks.shape[0]):
        count = 0
        for a in range(masks.shape[1]):
            count += masks[j, a]
        left = below(derive(seeds[j], 0), count)
        for a in range(masks.shape[1]):
            if masks[j, a]:
                if left == 0:
                    out[j] = a
                    break
                left -= 1


@kernel
def play_randomly(games, index, key, mask):
    """Play each game to its end with random actions; returns the number of decisions. ``mask`` is scratch."""
    decisions = 0
    for i in index:
        own = derive(key, i)
        while not games[i].done:
            legal(games[i], mask)
            count = 0
            for a in range(mask.shape[0]):
                count += mask[a]
            left = below(derive(own, games[i].decision), count)
            for a in range(mask.shape[0]):
                if mask[a]:
                    if left == 0:
                        step(games[i], a)
                        break
                    left -= 1
            decisions += 1
    return decisions


# How a game rewards its seats
OUTCOME, SCORE, SCORE_DELTA = 0, 1, 2
REWARD_KINDS = {"outcome": OUTCOME, "score": SCORE, "score_delta": SCORE_DELTA}


@kernel
def copy_scores(g, out):
    """The scores of as many seats as ``out`` (seats,) has: records may have room for more."""
    for s in range(out.shape[0]):
        out[s] = g.scores[s]


@kernel
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
def step_rewarded(games, i, action, kind, mask, before, reward):
    """One decision in game ``i``: next mask (A,) int8, reward (seats,) float64. ``before`` (seats,) int64 is scratch.

    Returns the seat to move, -1 at the end.
    """
    g = games[i]
    copy_scores(g, before)
    step(g, action)
    legal(g, mask)
    write_reward(g, kind, before, reward)
    return np.int64(g.seat)


@kernel
def advance_games(games, index, actions, kind, reward, done, final_scores, length, before):
    """One decision in each game ``index[j]``; a game that ends goes on at once with the next of its stream.

    Rows ``index[j]`` of ``reward`` (n, seats) float64, ``done`` (n,) bool and, where a game has ended,
    ``final_scores`` (n, seats) int64 and ``length`` (n,) int64 are written. ``before`` (seats,) int64 is scratch.
    """
    for j in range(index.shape[0]):
        i = index[j]
        g = games[i]
        copy_scores(g, before)
        step(g, actions[j])
        write_reward(g, kind, before, reward[i])
        done[i] = g.done == 1
        if g.done:
            copy_scores(g, final_scores[i])
            length[i] = g.decision
            g.episode += 1
            reset(g)


@kernel
def agent_keys(games, index, branch, out):
    """For each game the key (n,) uint64 of its agents' chance: child ``branch`` of the stream, by episode."""
    for j in range(index.shape[0]):
        g = games[index[j]]
        out[j] = derive(derive(g.stream, branch), g.episode)


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
