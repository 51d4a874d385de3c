"""Compiled loops of ``Batch``, and how threads share them.

A *job* is done by each thread for a slice of the games; which thread does which changes nothing, since games do not
touch each other. ``serve`` keeps a thread in compiled code from job to job: waking one up takes longer than a
step of a thousand games.
"""

from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from .compile import inlined, kernel
from .loops import SCORE_DELTA, copy_scores, random_action, reset, write_reward
from .protocol import legal, legal_mask, observe, step
from .rng import derive
from .sets import has_action

# Jobs
CHOOSE, STEP, STEP_AND_LOOK = 0, 1, 2

# Places in the board (int64) by which threads hear of jobs and tell what came of them
TICKET, JOB, COUNT = range(3)
FIRST, APART = 16, 16  # the places of each thread lie on cache lines of their own:
CHECKED, FOUND, DONE = range(3)  # ticket whose actions it has checked, first illegal one, ticket it has done

CHANCE = 1 << 60  # children of a stream from here on are random actions, by game and decision


@inlined
def show(g, i, seat, observation, mask):
    """Write row ``i`` of seat (n,) int8, observation (n, d) uint8 and mask (n, A) int8: what the seat to move sees."""
    seat[i] = g.seat
    observe(g, g.seat, observation[i])
    legal_mask(g, mask[i])


@inlined
def advance(g, i, action, kind, before, reward, done, final_scores, length):
    """One decision; a game that ends goes on at once with the next of its stream. Writes row ``i`` of the last four."""
    if kind == SCORE_DELTA:
        copy_scores(g, before)
    step(g, action)
    write_reward(g, kind, before, reward[i])
    done[i] = g.done == 1
    if g.done:
        copy_scores(g, final_scores[i])
        length[i] = g.decision
        g.episode += 1
        reset(g)


@kernel
def work(
    board, me, threads, before,
    kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
):  # fmt: skip
    """Thread ``me``'s slice of the job on the board; ``actions[j]`` belongs to the game ``index[j]``.

    ``CHOOSE`` writes a random action for each game. ``STEP`` makes one decision in each, if all of all threads are
    legal, and ``STEP_AND_LOOK`` writes what is seen then. ``before`` (seats,) int64 is scratch.
    """
    job, count = board[JOB], board[COUNT]
    first, last = count * me // threads, count * (me + 1) // threads
    if job == CHOOSE:
        choose(first, last, games, index, actions)
    elif all_legal(board, me, threads, first, last, games, index, actions):
        for j in range(first, last):
            i = index[j]
            g = games[i]
            advance(g, i, actions[j], kind, before, reward, done, final_scores, length)
            seat[i] = g.seat
            if job == STEP_AND_LOOK:
                show(g, i, seat, observation, mask)


@kernel
def choose(first, last, games, index, actions):
    """A random action for each game, from its stream and the number of the decision."""
    for j in range(first, last):
        g = games[index[j]]
        actions[j] = random_action(g, derive(g.stream, CHANCE + (g.episode << 16) + g.decision))


@kernel
def all_legal(board, me, threads, first, last, games, index, actions):
    """Whether the actions of all threads' slices are legal; waits for the others."""
    own, ticket = FIRST + APART * me, board[TICKET]
    board[own + FOUND] = first_illegal(first, last, games, index, actions)
    leave(board, own + CHECKED, ticket)
    for other in range(threads):
        place = FIRST + APART * other
        while peek(board, place + CHECKED) != ticket:
            pass
        if board[place + FOUND] >= 0:
            return False
    return True


@kernel
def first_illegal(first, last, games, index, actions):
    """The first place in the slice whose action is not legal, or -1."""
    for j in range(first, last):
        if actions[j] < 0 or not has_action(legal(games[index[j]]), actions[j]):
            return j
    return -1


@kernel
def look(games, index, seat, observation, mask):
    """Write the rows of the games ``index``."""
    for i in index:
        show(games[i], i, seat, observation, mask)


# ------------------------------------------------------------------------------------------------ threads


def peek(board: Any, place: int) -> Any:
    """An entry of an int64 array, as another thread has left it."""
    return board[place]


def leave(board: Any, place: int, value: int) -> None:
    """Write an entry of an int64 array, after all that was written before."""
    board[place] = value


def _pointer(context, builder, signature, arguments):
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, [arguments[1]])


@intrinsic
def _load(typing_context, board, place):
    def generate(context, builder, signature, arguments):
        return builder.load_atomic(_pointer(context, builder, signature, arguments), "acquire", 8)

    return types.int64(board, types.int64), generate


@intrinsic
def _store(typing_context, board, place, value):
    def generate(context, builder, signature, arguments):
        pointer = _pointer(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, "release", 8)
        return context.get_dummy_value()

    return types.void(board, types.int64, types.int64), generate


@overload(peek)
def _peek(board, place):
    return lambda board, place: _load(board, place)


@overload(leave)
def _leave(board, place, value):
    return lambda board, place, value: _store(board, place, value)


@kernel
def post(board, job, count):
    """Post a job for the first ``count`` games of the index."""
    board[JOB] = job
    board[COUNT] = count
    leave(board, TICKET, board[TICKET] + 1)


@kernel
def serve(
    board, me, threads, ticket, patience, before,
    kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
):  # fmt: skip
    """Do this thread's slice of every job posted after ``ticket``, until ``patience`` looks have found none.

    Returns the last ticket seen.
    """
    idle = 0
    while idle < patience:
        idle += 1
        if peek(board, TICKET) != ticket:
            idle = 0
            ticket += 1
            work(
                board, me, threads, before,
                kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
            )  # fmt: skip
            leave(board, FIRST + APART * me + DONE, ticket)
    return ticket


@kernel
def wait(board, threads, patience):
    """Whether all threads but the first have done the job, after at most ``patience`` looks at each."""
    for me in range(1, threads):
        looks = 0
        while peek(board, FIRST + APART * me + DONE) != board[TICKET]:
            looks += 1
            if looks > patience:
                return False
    return True


@kernel
def found(board, threads):
    """The first illegal action of the last job, or -1."""
    for me in range(threads):
        if board[FIRST + APART * me + FOUND] >= 0:
            return board[FIRST + APART * me + FOUND]
    return np.int64(-1)
