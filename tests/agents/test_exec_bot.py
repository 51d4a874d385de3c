"""Programs that play: good ones, ones that go wrong in every way, and what is left of them."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import good as run_well
from commandline import refused

from tritarea_agents import Undecided, make
from tritarea_agents.exec_bot import ExecAgent, split, with_limits
from tritarea_agents.playing import AgentError, Participant, Played, play_games
from tritarea_agents.random import RandomAgent
from tritarea_env import games
from tritarea_env.engine.rng import derive_many, key_of
from tritarea_env.views import views_of

BOT = Path(__file__).with_name("odd_bot.py")
DOCS = Path(__file__).parents[2] / "docs" / "bots.md"
GAMES = 12
LINUX = sys.platform == "linux"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="programs play on POSIX systems only")
on_linux = pytest.mark.skipif(not LINUX, reason="looks at /proc")


def spec_of(way: str, at_once: int = 1, mark: object = "", **limits: object) -> str:
    own = ",".join(f"{key}={value}" for key, value in limits.items())
    return f"exec:{own} {shlex.quote(sys.executable)} -S {shlex.quote(str(BOT))} {way} {at_once} '{mark}'"


def bot(way: str, at_once: int = 1, mark: object = "", **limits: object) -> ExecAgent:
    made = make(spec_of(way, at_once, mark, **limits), "triatri", games.get("triatri").check_options({}))
    assert isinstance(made, ExecAgent)
    return made


def play(agent: Any, part: slice = slice(None), **more: Any) -> Played:
    """Games of the agent in seat 0 against random ones; ``part`` of them."""
    game = games.get("triatri")
    options = game.check_options({})
    streams, keys = np.empty(GAMES, np.uint64), np.empty(GAMES, np.uint64)
    derive_many(key_of(1), 0, streams)
    derive_many(key_of(2), 0, keys)
    holders = np.ones((GAMES, 4), np.int8)
    holders[:, 0] = 0
    participants = [Participant("A", agent), Participant("B", RandomAgent())]
    return play_games(game, options, participants, holders[part], streams[part], keys[part], **more)


def some_views(many: int = 1) -> Any:
    game = games.get("triatri")
    played = play(RandomAgent(), slice(0, many))
    return views_of(game, played.begun(), np.arange(many), np.arange(many, dtype=np.uint64))


def processes(mark: object) -> list[int]:
    """Processes with these words among their arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(mark).encode() in words:
            found.append(int(folder.name))
    return found


def becomes(true: Callable[[], bool], seconds: float = 10.0) -> bool:
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.02)
    return true()


@pytest.fixture(scope="module")
def reference() -> Played:
    return play(bot("good"))


def test_a_good_program_plays(reference: Played) -> None:
    class First:
        def act(self, views: Any) -> Any:
            return views.mask.argmax(axis=1)

    assert np.array_equal(reference.actions, play(First()).actions)


@pytest.mark.parametrize("at_once", [2, 100])
def test_several_questions_at_once(reference: Played, at_once: int) -> None:
    assert np.array_equal(play(bot("good", at_once)).actions, reference.actions)
    assert np.array_equal(play(bot("noisy", at_once)).actions, reference.actions)


ERRORS = {
    "crash": ("error", "ProgramError: it ended with exit code 1; it said: no idea"),
    "flood": ("error", "a line of more than 65536 bytes"),
    "memory": ("error", "it ended with exit code 1; it said: MemoryError"),
    "illegal": ("illegal", "it may not play"),
    "word": ("illegal", "it answered action 'card', which is no action id"),
    "huge": ("illegal", "it answered action 1000000000000000000000000000000, which is no action id"),
    "garbage": ("error", r"it answered 'what\?', which is no JSON object"),
    "array": ("error", r"it answered '\[\[.*…', which is no JSON object"),
    "bytes": ("error", "which is no JSON object"),
    "other": ("error", r"it answered id \d+, which is not open"),
    "nameless": ("error", "which names no id"),
    "twice": ("error", "it answered more than it was asked|which is not open"),
    "many": ("error", "it answered more than it was asked|which is not open"),
}
CASES = [(way, at_once) for way in ERRORS for at_once in (1, 8)]


@pytest.mark.parametrize(("way", "at_once"), CASES)
def test_a_program_goes_wrong(reference: Played, tmp_path: Path, way: str, at_once: int) -> None:
    agent = bot(way, at_once, tmp_path, memory_mb=60)
    played = play(agent, on_failure="random")
    check_faults(reference, played, *ERRORS[way])
    if LINUX:
        assert len(processes(tmp_path)) <= 2  # the guard, and the program
        del agent, played
        assert becomes(lambda: not processes(tmp_path))


@pytest.mark.parametrize(
    ("way", "at_once", "kind", "message"),
    [
        ("hang", 1, "late", "LateError: it did not answer within 1 s"),
        ("hang", 8, "late", "LateError: it did not answer within 1 s"),
        ("close", 1, "error", "ProgramError: it closed its standard output"),
    ],
)
def test_a_program_hangs(reference: Played, way: str, at_once: int, kind: str, message: str) -> None:
    check_faults(reference, play(bot(way, at_once, seconds=1), slice(0, 6), on_failure="random"), kind, message)


def check_faults(reference: Played, played: Played, kind: str, message: str) -> None:
    """Some games have failed, as told; the others are those of a good program."""
    failed = {fault.game: fault for fault in played.faults}
    assert 0 < len(failed) < len(played)
    for i in range(len(played)):
        same = min(played.actions.shape[1], reference.actions.shape[1])
        if i in failed:
            assert (failed[i].seat, failed[i].kind) == (0, kind)
            assert re.search(message, failed[i].message), failed[i].message
            same = failed[i].decision
        assert np.array_equal(played.actions[i, :same], reference.actions[i, :same])


@pytest.mark.parametrize("at_once", [1, 8])
def test_failures_do_not_depend_on_the_batch(at_once: int) -> None:
    whole, agent = play(bot("crash", at_once), on_failure="random"), bot("crash", at_once)
    for first, last in ((0, 1), (1, GAMES)):
        part = play(agent, slice(first, last), on_failure="random")
        same = part.actions.shape[1]
        assert np.array_equal(part.actions, whole.actions[first:last, :same])
        assert [fault.game + first for fault in part.faults] == [f.game for f in whole.faults if first <= f.game < last]


@pytest.mark.parametrize(
    ("way", "limits", "message"),
    [
        ("unready", {}, "it does not start: it ended with exit code 1; it said: no weights here"),
        ("silent", {"start_seconds": 0.3}, "it does not start: it did not answer within 0.3 s"),
    ],
)
def test_a_program_does_not_start(way: str, limits: dict[str, float], message: str) -> None:
    agent = bot(way, **limits)
    played = play(agent, on_failure="random")
    assert [fault.message for fault in played.faults] == [f"ProgramError: {message}"] * GAMES
    assert np.array_equal(played.actions, play(RandomAgent()).actions)
    begun = time.monotonic()
    play(agent, on_failure="random")
    assert time.monotonic() - begun < 0.9  # not tried again


def test_a_program_vanishes(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_text("no script\n", encoding="utf-8")
    program.chmod(0o755)
    agent = make(f"exec:{program}", "triatri")
    with pytest.raises(AgentError, match=r"it does not start: .*127; it said: .*bot: Exec format error"):
        play(agent)
    agent = make(f"exec:{program}", "triatri")
    program.unlink()
    with pytest.raises(AgentError, match="bot: No such file or directory"):
        play(agent)


def test_restarts_are_bounded() -> None:
    agent = bot("crash", restarts=1)
    played = play(agent, on_failure="random")
    messages = [fault.message for fault in played.faults]
    assert len(messages) == GAMES
    assert ["no idea" in message for message in messages].count(True) == 2
    assert ["it failed 2 times, and is not started again" in message for message in messages].count(True) == GAMES - 2


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("exec:", "exec: give the program to run"),
        ("exec:seconds=1", "exec: give the program to run"),
        ("exec:./no-such-bot", "exec: there is no program './no-such-bot'"),
        ("exec:./bot 'x", "is no command: No closing quotation"),
        ("exec:seconds=0 ./bot", "seconds is 0.001 … 86400.0, not 0.0"),
        ("exec:seconds=soon ./bot", "option 'seconds' is a finite number, not 'soon'"),
        ("exec:memory_mb=1 ./bot", "memory_mb is 16 …"),
        ("exec:second=1 ./bot", "has no option 'second'; its options .with defaults.: seconds=5.0"),
        (f"exec:{BOT.parent}", "exec: there is no program"),
    ],
)
def test_refused(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(spec, "triatri")


def test_a_file_that_may_not_be_executed(tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    assert "bot may not be executed (chmod +x " in refused("match", f"exec:{program}", "random", "--games", 4)


def test_limits_of_a_caller() -> None:
    limits = {"seconds": 2.0, "memory_mb": 64}
    assert with_limits("exec:./bot a=1", limits) == "exec:seconds=2.0,memory_mb=64 ./bot a=1"
    assert with_limits("exec:seconds=9 ./bot", limits) == "exec:seconds=9,memory_mb=64 ./bot"
    assert with_limits("greedy:samples=3", limits) == "greedy:samples=3"
    assert split("exec:./a=b c") == ("", "./a=b c")
    assert split("executor:thing") is None


def test_a_copy_has_a_program_of_its_own() -> None:
    agent = bot("good", seconds=7)
    before = agent.act(some_views())
    for other in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert (other.command, other.folder, other.limits) == (agent.command, agent.folder, agent.limits)
        assert np.array_equal(other.act(some_views()), before)
    assert np.array_equal(agent.act(some_views()), before)


def test_an_interrupt_leaves_no_answers_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, views = bot("good", 4), some_views(8)
    wanted = agent.act(views)
    with monkeypatch.context() as patch:
        patch.setattr("tritarea_agents.exec_talk.read_answer", lambda line: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            agent.act(views)
    assert np.array_equal(agent.act(views), wanted)


@on_linux
def test_opening_many_leaks_nothing(tmp_path: Path) -> None:
    views = some_views()
    bot("good", 1, tmp_path).act(views)
    before = len(os.listdir("/proc/self/fd"))
    for number in range(16):
        with contextlib.suppress(Undecided):
            bot(("good", "good", "good", "unready")[number % 4], 1, tmp_path, start_seconds=20).act(views)
        time.sleep(0.02)
    assert len(os.listdir("/proc/self/fd")) == before
    assert becomes(lambda: not processes(tmp_path))


@on_linux
def test_descendants_end_with_the_program(tmp_path: Path) -> None:
    agent = bot("family", 1, tmp_path)
    agent.act(some_views())
    assert len(processes(tmp_path)) == 4
    begun = time.monotonic()
    del agent
    assert time.monotonic() - begun < 5
    assert becomes(lambda: not processes(tmp_path))


KILLED = """
import sys, time
from tritarea_agents.exec_program import Program
programs = [Program([sys.executable, "-S", *sys.argv[1:]], ".", 500) for _ in range(2)]
for program in programs:
    program.send(b'{"protocol": 1}\\n')
    program.receive(60)
print("ready", flush=True)
time.sleep(1000)
"""


@on_linux
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_who_plays(tmp_path: Path, number: int) -> None:
    words = [sys.executable, "-c", KILLED, str(BOT), "family", "1", str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as player:
        assert player.stdout is not None
        assert player.stdout.readline() == b"ready\n"
        assert len(processes(tmp_path)) == 9
        player.send_signal(number)
    assert becomes(lambda: not processes(tmp_path))


@on_linux
def test_a_program_ends_with_its_guard(tmp_path: Path) -> None:
    agent, views = bot("good", 1, tmp_path), some_views()
    agent.act(views)
    guard, program = sorted(processes(tmp_path))
    os.kill(guard, signal.SIGKILL)
    assert becomes(lambda: program not in processes(tmp_path))
    with pytest.raises(Exception, match="it ended with"):
        agent.act(views)
    agent.act(views)


def example(language: str, folder: Path) -> Path:
    """A program of the documentation."""
    (code,) = re.findall(rf"^```{language}\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    program = folder / f"bot.{language}"
    program.write_text(code, encoding="utf-8")
    program.chmod(0o755)
    assert len(code.splitlines()) <= 30
    return program


@pytest.mark.parametrize("language", ["py", "bash"])
@pytest.mark.parametrize("name", games.names())
def test_examples_of_the_documentation_play(tmp_path: Path, language: str, name: str) -> None:
    program = example(language, tmp_path)
    assert "4 games on 1 deal" in run_well("match", f"exec:{program}", "random", "--games", 4, "--game", name)
