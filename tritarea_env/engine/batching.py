"""Compiled loops of ``Batch``, and how threads share them.

A *job* is done in chunks of games. Each thread first takes those of its own slice, whose games are in its core's cache,
then what is left of the others': one that sleeps or has no core holds nobody up. Who does which changes nothing, since
games do not touch each other. ``serve`` keeps a thread in compiled code from job to job: waking one up takes longer
than a step of some hundred games.
"""

import threading
from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from .compile import inlined, kernel
from .loops import SCORE_DELTA, copy_scores, go_on, is_legal, random_action, write_reward
from .protocol import legal_mask, observe, step
from .rng import derive

# Jobs
CHECK, CHOOSE, STEP, STEP_AND_LOOK = range(4)

# The board (int64) by which threads share a job: what to do, how much of it is done, and of each thread's slice the
# next chunk that nobody has taken. What is written often lies on cache lines of its own.
JOB, COUNT, DONE, FOUND, NEXT, APART = 0, 1, 16, 32, 48, 16
CHUNK = 64  # games
NOTHING = 1 << 62  # no illegal action was found

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
        go_on(g)


@inlined
def end_of_slice(count, t, threads):
    """The chunk behind the last of thread ``t``'s slice."""
    return (count + CHUNK - 1) // CHUNK * (t + 1) // threads


@inlined
def is_left(board, t, threads):
    """Whether chunks of thread ``t``'s slice are left."""
    return peek(board, NEXT + APART * t) < end_of_slice(peek(board, COUNT), t, threads)


@kernel
def take(
    board, me, threads, before,
    kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
):  # fmt: skip
    """Do chunks of the job on the board until all are taken; ``actions[j]`` belongs to the game ``index[j]``.

    ``CHECK`` finds the first illegal action; ``CHOOSE`` writes a random one for each game; ``STEP`` makes one decision
    in each, and ``STEP_AND_LOOK`` writes what is seen then. ``before`` (seats,) int64 is scratch.
    """
    for k in range(threads):
        t = (me + k) % threads
        while is_left(board, t, threads):
            chunk = add(board, NEXT + APART * t, 1)
            job, count = board[JOB], board[COUNT]
            if chunk >= end_of_slice(count, t, threads):
                break
            first, last = CHUNK * chunk, min(CHUNK * chunk + CHUNK, count)
            if job == CHECK:
                check(board, first, last, games, index, actions)
            elif job == CHOOSE:
                choose(first, last, games, index, actions)
            else:
                for j in range(first, last):
                    i = index[j]
                    g = games[i]
                    advance(g, i, actions[j], kind, before, reward, done, final_scores, length)
                    seat[i] = g.seat
                    if job == STEP_AND_LOOK:
                        show(g, i, seat, observation, mask)
            add(board, DONE, 1)


@kernel
def choose(first, last, games, index, actions):
    """A random action for each game, from its stream and the number of the decision."""
    for j in range(first, last):
        g = games[index[j]]
        actions[j] = random_action(g, derive(g.stream, CHANCE + (g.episode << 16) + g.decision))


@kernel
def check(board, first, last, games, index, actions):
    """Find the first place whose action is not legal."""
    for j in range(first, last):
        if not is_legal(games[index[j]], actions[j]):
            lower(board, FOUND, j)
            return


@kernel
def look(games, index, seat, observation, mask):
    """Write the rows of the games ``index``."""
    for i in index:
        show(games[i], i, seat, observation, mask)


# -------------------------------------------------------------------------------------------- shared memory


def peek(board: Any, place: int) -> Any:
    """An entry of an int64 array, as another thread has left it."""
    return board[place]


def leave(board: Any, place: int, value: int) -> None:
    """Write an entry of an int64 array, after all that was written before."""
    board[place] = value


def add(board: Any, place: int, value: int) -> Any:
    """Add to an entry in one go, whoever else does; returns what it was."""
    with _PLAIN:
        was = board[place]
        board[place] += value
    return was


def lower(board: Any, place: int, value: int) -> Any:
    """Lower an entry to a value if it is higher, in one go; returns what it was."""
    with _PLAIN:
        was = board[place]
        board[place] = min(was, value)
    return was


_PLAIN = threading.Lock()  # where nothing is compiled


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
        builder.store_atomic(arguments[2], _pointer(context, builder, signature, arguments), "release", 8)
        return context.get_dummy_value()

    return types.void(board, types.int64, types.int64), generate


@intrinsic
def _add(typing_context, board, place, value):
    def generate(context, builder, signature, arguments):
        return builder.atomic_rmw("add", _pointer(context, builder, signature, arguments), arguments[2], "acq_rel")

    return types.int64(board, types.int64, types.int64), generate


@intrinsic
def _min(typing_context, board, place, value):
    def generate(context, builder, signature, arguments):
        return builder.atomic_rmw("min", _pointer(context, builder, signature, arguments), arguments[2], "acq_rel")

    return types.int64(board, types.int64, types.int64), generate


@overload(peek)
def _peek(board, place):
    return lambda board, place: _load(board, place)


@overload(leave)
def _leave(board, place, value):
    return lambda board, place, value: _store(board, place, value)


@overload(add)
def _add_to(board, place, value):
    return lambda board, place, value: _add(board, place, value)


@overload(lower)
def _lower(board, place, value):
    return lambda board, place, value: _min(board, place, value)


# ------------------------------------------------------------------------------------------------ threads


@kernel
def lead(
    board, threads, job, count, before,
    kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
):  # fmt: skip
    """Do a job for the first ``count`` games of the index, with the threads that serve; in one piece, for signals too.

    Before games are stepped, all actions are checked: returns the place of the first illegal one, or -1.
    """
    if job in (STEP, STEP_AND_LOOK):
        share(
            board, threads, CHECK, count, before,
            kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
        )  # fmt: skip
        if board[FOUND] != NOTHING:
            return board[FOUND]
    share(
        board, threads, job, count, before,
        kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
    )  # fmt: skip
    return np.int64(-1)


@kernel
def share(
    board, threads, job, count, before,
    kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
):  # fmt: skip
    """Post a job and do it with the threads that serve; returns when all is done."""
    leave(board, COUNT, 0)  # nobody takes anything while the board is written
    board[JOB] = job
    board[FOUND] = NOTHING
    leave(board, DONE, 0)
    for t in range(threads):
        leave(board, NEXT + APART * t, end_of_slice(count, t - 1, threads))
    leave(board, COUNT, count)
    take(
        board, 0, threads, before,
        kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
    )  # fmt: skip
    while peek(board, DONE) < end_of_slice(count, 0, 1):
        pass


@kernel
def serve(
    board, me, threads, patience, before,
    kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
):  # fmt: skip
    """Help with every job that is posted, until ``patience`` looks have found none."""
    idle = 0
    while idle < patience:
        idle += 1
        if is_left(board, me, threads):
            idle = 0
            take(
                board, me, threads, before,
                kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
            )  # fmt: skip
