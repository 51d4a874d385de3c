"""Compiled loops of ``Batch``, and how threads share them.

One *job* is done for the games ``index[first:last]``; which thread does which slice changes nothing, since games do
not touch each other. ``serve`` keeps a thread in compiled code from job to job: waking one up takes longer than a
step of a thousand games.
"""

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from .compile import inlined, kernel
from .loops import SCORE_DELTA, copy_scores, random_action, reset, write_reward
from .protocol import legal, legal_mask, observe, step
from .rng import derive
from .sets import has_action

# Jobs
CHECK, CHOOSE, STEP = 0, 1, 2

# Places in the posting board (int64) by which threads hear of jobs
TICKET, JOB, COUNT, LOOKING = range(4)
FIRST_DONE, APART = 16, 16  # each thread's last ticket and result, on cache lines of their own

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
    job, first, last, looking, before,
    kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
):  # fmt: skip
    """Do a job for the games ``index[first:last]``; ``actions[j]`` belongs to ``index[j]``.

    ``CHECK`` returns the place of the first illegal action, or -1; ``CHOOSE`` writes a random action for each game;
    ``STEP`` makes one decision in each, and writes what is seen then if ``looking``. ``before`` (seats,) int64 is
    scratch.
    """
    for j in range(first, last):
        i = index[j]
        g = games[i]
        if job == CHECK:
            if actions[j] < 0 or not has_action(legal(g), actions[j]):
                return j
        elif job == CHOOSE:
            actions[j] = random_action(g, derive(g.stream, CHANCE + (g.episode << 16) + g.decision))
        else:
            advance(g, i, actions[j], kind, before, reward, done, final_scores, length)
            seat[i] = g.seat
            if looking:
                show(g, i, seat, observation, mask)
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
def serve(
    board, me, threads, ticket, patience, before,
    kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
):  # fmt: skip
    """Do this thread's slice of every job posted after ``ticket``, until ``patience`` looks have found none.

    Returns the last ticket seen.
    """
    own = FIRST_DONE + APART * me
    idle = 0
    while idle < patience:
        idle += 1
        if peek(board, TICKET) == ticket:
            continue
        idle = 0
        ticket += 1
        count = board[COUNT]
        board[own + 1] = work(
            board[JOB], count * me // threads, count * (me + 1) // threads, board[LOOKING], before,
            kind, games, index, actions, seat, observation, mask, reward, done, final_scores, length,
        )  # fmt: skip
        leave(board, own, ticket)
    return ticket


@kernel
def post(board, job, count, looking):
    """Post a job for the first ``count`` games of the index; returns its ticket."""
    ticket = board[TICKET] + 1
    board[JOB] = job
    board[COUNT] = count
    board[LOOKING] = looking
    leave(board, TICKET, ticket)
    return ticket


@kernel
def wait(board, threads, ticket, patience):
    """Whether all threads but the first have done the job ``ticket``, after at most ``patience`` looks at each."""
    for me in range(1, threads):
        looks = 0
        while peek(board, FIRST_DONE + APART * me) != ticket:
            looks += 1
            if looks > patience:
                return False
    return True
