"""Many games with a learner in one seat of each and agents in the others, played on together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from .batch import Batch
from .engine import loops, seats
from .engine.compile import bare, copy_records, put_records
from .views import Agent, checked

Index = NDArray[np.int64]
TakeSeats = Callable[[np.recarray, Index, Index, Index], None]
_NONE = np.zeros(0, np.int64)


class Tables:
    """The games of a batch, each of which waits for its learner's seat.

    A step is the learner's decision in each, then all others', until each waits for the learner again. The decisions
    of one agent in all the games that wait for it are made together. A game that has ended is followed at once by the
    row's next.

    Args:
        batch: the games; their decisions are made here from now on.
        reward: one of ``engine.seats.KINDS``: what the learner's seat is paid.
        agents: who may hold a seat; None at a place that nobody holds.
        names: of the agents, for errors.
        take_seats: called with the games, those that begin (m,), ``seat`` and ``holders``, writes who sits where.

    Attributes:
        seat: (n,) int64, the learner's.
        holders: (n, seats) int64, who decides for which seat: a place in ``agents``, or ``LEARNER``.
        reward: (n,) float64, the learner's, over the decisions of the last step in the game that it began in.
        ended: (n,) bool, whether a game ended in the last step (the row shows the next one already).
        final: (n,) recarray, the game that ended last in the row, as it ended.
        final_seat: (n,) int64, the learner's seat in it.
        final_holders: (n, seats) int64, who held which seat in it.
    """

    def __init__(
        self,
        batch: Batch,
        reward: str,
        agents: Sequence[Agent | None],
        names: Sequence[str],
        take_seats: TakeSeats,
    ) -> None:
        n, here = len(batch), batch.game.seats_of(batch.options)
        self.batch, self.agents, self.names = batch, agents, names
        self._kind, self._take_seats = seats.KINDS[reward], take_seats
        self.seat, self.final_seat = np.zeros(n, np.int64), np.zeros(n, np.int64)
        self.holders = np.full((n, here), seats.LEARNER, np.int64)
        self.final_holders = self.holders.copy()
        self.reward, self.ended = np.zeros(n), np.zeros(n, np.bool_)
        self.final = batch.game.new(n, batch.options)
        self._all = np.arange(n)
        self._scratch = (np.zeros((2, here), np.int64), np.zeros(here))

    def start(self, index: Index) -> None:
        """Seat everyone in the games ``index`` (m,), which stand at their beginning, and play to the learner."""
        self._take_seats(bare(self.batch.games), index, self.seat, self.holders)
        self._play_others(index)

    def step(self, actions: NDArray[np.int64], given_up: Index = _NONE) -> None:
        """A step; what came of it is written into the attributes.

        Args:
            actions: (n,) int64, the learner's; not used, and need not be legal, in the games that are
            given_up: (m,) int64: they end as they stand, with nothing for the learner.

        Raises:
            Whatever an agent raises, and IllegalActionError if it chose what is not legal: then games are half-stepped
            unless this was called inside ``whole``.
        """
        self.reward[:] = 0.0
        self.ended[:] = False
        if len(given_up):
            seats.leave(bare(self.batch.games), given_up, self.ended, bare(self.final))
            self._seat_next(given_up)
        going = self._all[~self.ended]
        self._advance(going, actions[going])
        self._play_others(self._all)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """If something inside raises, games and seats are as they were, and the batch shows them."""
        games, seat, holders = copy_records(self.batch.games), self.seat.copy(), self.holders.copy()
        try:
            yield
        except BaseException:
            put_records(self.batch.games, games)
            self.seat[:], self.holders[:] = seat, holders
            self.batch.look(self._all)
            raise

    def _advance(self, index: Index, actions: NDArray[np.int64]) -> None:
        """One decision in each game ``index``; those that begin get their seats."""
        over = np.empty(len(index), np.bool_)
        seats.advance(
            bare(self.batch.games), index, actions, self._kind, self.seat, self.ended, self.reward, over,
            bare(self.final), self._scratch,
        )  # fmt: skip
        begun = index[over]
        if len(begun):
            self._seat_next(begun)

    def _seat_next(self, index: Index) -> None:
        self.final_seat[index] = self.seat[index]
        self.final_holders[index] = self.holders[index]
        self._take_seats(bare(self.batch.games), index, self.seat, self.holders)

    def _play_others(self, index: Index) -> None:
        """Decide in the games ``index`` until each waits for the learner, one act an agent and round of decisions."""
        games = bare(self.batch.games)
        while True:
            who = np.empty(len(index), np.int64)
            seats.who_decides(games, index, self.holders, who)
            others = who != seats.LEARNER
            index, who = index[others], who[others]
            if not len(index):
                return
            actions = np.empty(len(index), np.int64)
            for place in np.unique(who):
                mine = np.flatnonzero(who == place)
                agent = self.agents[place]
                assert agent is not None
                answer = agent.act(self.batch.views(index[mine]))
                actions[mine] = checked(self.batch.game, games, index[mine], answer, self.names[place])
            self._advance(index, actions)

    def final_observations(self, index: Index) -> NDArray[np.uint8]:
        """(m, d) uint8: what the learner saw at the end of the games that ended in the rows ``index`` (m,)."""
        out = np.empty((len(index), self.batch.game.observation_size), np.uint8)
        loops.observe_games(bare(self.final), index, self.final_seat[index], out)
        return out
