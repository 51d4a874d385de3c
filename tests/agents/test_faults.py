"""Games in which agents fail go on, and no other game and no other seat notices."""

from __future__ import annotations

import signal
import sys
from typing import Any

import numpy as np
import pytest

from tritarea_agents import Undecided
from tritarea_agents.playing import AgentError, Participant, Played, play_games
from tritarea_agents.random import RandomAgent
from tritarea_env import games, records
from tritarea_env.engine.rng import derive_many, key_of
from tritarea_env.views import Agent, Views

GAMES = 48
CASES = [("tritarea", {}), ("triatri", {"players": 3})]
in_games = pytest.mark.parametrize(("name", "options"), CASES)


class Interruption(KeyboardInterrupt):
    @classmethod
    def begin(cls) -> None:
        raise cls


class Good:
    """The first legal action."""

    def act(self, views: Views) -> Any:
        return views.mask.argmax(axis=1)


class Failing(Good):
    """Fails in one of 40 decisions."""

    def odd(self, views: Views) -> np.ndarray:
        return views.seed % 40 == 0


class Crashing(Failing):
    def act(self, views: Views) -> Any:
        if self.odd(views).any():
            views.records[:] = np.zeros((), views.game.dtype)  # its own: nobody minds
            raise RuntimeError("no idea\nwhat to do")
        return super().act(views)


class Illegal(Failing):
    def act(self, views: Views) -> Any:
        return np.where(self.odd(views), (views.mask == 0).argmax(axis=1), super().act(views))


class Outside(Failing):
    def act(self, views: Views) -> Any:
        return np.where(self.odd(views), -5, super().act(views))


class Short(Failing):
    def act(self, views: Views) -> Any:
        return super().act(views)[~self.odd(views)]


class Ragged(Failing):
    def act(self, views: Views) -> Any:
        return [[1, 2] if odd else int(a) for odd, a in zip(self.odd(views), super().act(views), strict=True)]


class Silent(Failing):
    def act(self, views: Views) -> Any:
        return None if self.odd(views).any() else super().act(views)


class Knowing(Failing):
    """Says itself which decisions failed."""

    def act(self, views: Views) -> Any:
        odd = np.flatnonzero(self.odd(views))
        chosen = super().act(views)
        if len(odd):
            chosen[odd] = -1
            raise Undecided(chosen, {int(place): TimeoutError("still thinking") for place in odd})
        return chosen


class Ending(Failing):
    """Would end the process."""

    def act(self, views: Views) -> Any:
        if self.odd(views).any():
            sys.exit(3)
        return super().act(views)


class Odd:
    """No array can be made of it, and it ends the process that tries."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise GeneratorExit


class Trapping(Failing):
    def act(self, views: Views) -> Any:
        return Odd() if self.odd(views).any() else super().act(views)


class SpeechlessError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class Speechless(Failing):
    def act(self, views: Views) -> Any:
        if self.odd(views).any():
            raise SpeechlessError
        return super().act(views)


class Unprintable(Failing):
    def act(self, views: Views) -> Any:
        if self.odd(views).any():
            raise RuntimeError("\ud800 \x1b[31mred")
        return super().act(views)


class Together(Good):
    """Fails only with many decisions at once."""

    def act(self, views: Views) -> Any:
        if len(views) > 5:
            raise MemoryError
        return super().act(views)


FAILING = [
    (Crashing(), "error", r"RuntimeError: no idea what to do \(test_faults.py, line \d+\)"),
    (Illegal(), "illegal", r"IllegalActionError: it may not play 0|it may not play \d+ \(.*\) now; legal: "),
    (Outside(), "illegal", r"it may not play -5 \(no action of this game\)"),
    (Short(), "illegal", r"it answers 1 action ids, not int64 of shape \(0,\)"),
    (Ragged(), "illegal", r"it answers 1 action ids, not int64 of shape \(1, 2\)"),
    (Silent(), "illegal", r"it answers 1 action ids, not object of shape \(\)"),
    (Knowing(), "late", "TimeoutError: still thinking"),
    (Ending(), "error", r"RuntimeError: it raised SystemExit: 3 \(test_faults.py, line \d+\)"),
    (Trapping(), "error", "RuntimeError: it raised GeneratorExit: "),
    (Speechless(), "error", r"SpeechlessError: \(it cannot say what\)"),
    (Unprintable(), "error", "RuntimeError: (\N{REPLACEMENT CHARACTER}|\ud800) .\\[31mred"),
]
each = pytest.mark.parametrize(("agent", "kind", "message"), FAILING, ids=[type(row[0]).__name__ for row in FAILING])


def play(agent: Agent, name: str, options: dict[str, Any], part: slice = slice(None), **more: Any) -> Played:
    """Games of the agent in seat 0 and another in the others; ``part`` of them."""
    game = games.get(name)
    checked = game.check_options(options)
    streams, keys = np.empty(GAMES, np.uint64), np.empty(GAMES, np.uint64)
    derive_many(key_of(1), 0, streams)
    derive_many(key_of(2), 0, keys)
    holders = np.ones((GAMES, game.seats_of(checked)), np.int8)
    holders[:, 0] = 0
    participants = [Participant("A", agent), Participant("B", RandomAgent())]
    return play_games(game, checked, participants, holders[part], streams[part], keys[part], **more)


def moves(played: Played, i: int) -> list[tuple[int, int]]:
    length = int((played.actions[i] >= 0).sum())
    return list(zip(played.seats[i, :length].tolist(), played.actions[i, :length].tolist(), strict=True))


@in_games
@each
def test_only_its_seat_in_its_game_is_touched(
    agent: Agent, kind: str, message: str, name: str, options: dict[str, Any]
) -> None:
    good, played = play(Good(), name, options), play(agent, name, options, on_failure="random")
    assert 3 < len(played.faults) < GAMES - 3
    assert played.failed.sum() == len(played.faults)
    faults = {fault.game: fault for fault in played.faults}
    for i in range(GAMES):
        if i not in faults:
            assert moves(played, i) == moves(good, i)
            continue
        fault = faults[i]
        assert (fault.seat, fault.kind) == (0, kind)
        with pytest.raises(AssertionError, match=message):
            raise AssertionError(fault.message)
        before = fault.decision
        assert moves(played, i)[:before] == moves(good, i)[:before]
        assert moves(played, i)[before][0] == 0
        if fault is played.faults[0]:
            records.check(played.record(i))


@in_games
@each
def test_results_do_not_depend_on_the_batch(
    agent: Agent, kind: str, message: str, name: str, options: dict[str, Any]
) -> None:
    whole = play(agent, name, options, on_failure="random")
    for first, last in ((0, 1), (1, 8), (8, GAMES)):
        part = play(agent, name, options, slice(first, last), on_failure="random")
        assert [moves(part, i - first) for i in range(first, last)] == [moves(whole, i) for i in range(first, last)]
        told = [(f.game + first, f.seat, f.decision, f.kind, f.message) for f in part.faults]
        assert told == [(f.game, f.seat, f.decision, f.kind, f.message) for f in whole.faults if first <= f.game < last]


@in_games
def test_the_seat_goes_on_at_random(name: str, options: dict[str, Any]) -> None:
    """As the agent ``random`` would have, from the failure on."""

    class FromTheStart(Good):
        def act(self, views: Views) -> Any:
            raise RuntimeError

    played, random = play(FromTheStart(), name, options, on_failure="random"), play(RandomAgent(), name, options)
    assert len(played.faults) == GAMES
    assert np.array_equal(played.actions, random.actions)


@each
def test_a_failure_is_raised_by_default(agent: Agent, kind: str, message: str) -> None:
    with pytest.raises(AgentError, match=message.replace("no idea what", "no idea\nwhat")) as caught:
        play(agent, *CASES[0])
    assert (caught.value.agent, caught.value.seat) == ("A", 0)
    assert caught.value.decision_seed % 40 == 0


def test_a_failure_of_many_at_once_only() -> None:
    with pytest.raises(AgentError, match="MemoryError"):
        play(Together(), *CASES[0])
    played = play(Together(), *CASES[0], on_failure="random")
    assert not played.faults
    assert np.array_equal(played.actions, play(Good(), *CASES[0]).actions)


@pytest.mark.parametrize("stop", [sys.exit, Interruption.begin])
def test_signals_are_not_the_agents(stop: Any) -> None:
    """Ctrl-C and what a signal's handler raises end all, in whatever an agent is doing."""

    class Signalled(Good):
        def act(self, views: Views) -> Any:
            signal.raise_signal(signal.SIGTERM)
            return super().act(views)

    before = signal.signal(signal.SIGTERM, lambda *_: stop())
    try:
        with pytest.raises((SystemExit, KeyboardInterrupt)):
            play(Signalled(), *CASES[0], on_failure="random")
    finally:
        signal.signal(signal.SIGTERM, before)


def test_decisions_are_counted_once() -> None:
    game = games.get("tritarea")
    options = game.check_options({})
    keys = np.arange(1, 9, dtype=np.uint64)
    for agent in (Good(), Together(), Crashing()):
        participant = Participant("A", agent)
        seats = np.zeros((8, 4), np.int8)
        played = play_games(game, options, [participant], seats, keys, keys, on_failure="random")
        alone = [Participant("A", agent) for _ in range(8)]
        for i, one in enumerate(alone):
            play_games(game, options, [one], seats[:1], keys[i : i + 1], keys[i : i + 1], on_failure="random")
        assert participant.decisions == sum(one.decisions for one in alone)
        assert (participant.decisions == (played.seats >= 0).sum()) == (not played.faults)
