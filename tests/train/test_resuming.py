"""A run that is stopped, killed or fails at any moment goes on to the result that it would have had."""

import errno
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from tiny import GAMES, assert_same, content, lines, tiny

from tritarea_agents import make as make_agent
from tritarea_agents.checkpoint import CheckpointError, find
from tritarea_env import games, records
from tritarea_train import about, checkpoints, driver, history, imitation, train
from tritarea_train import run as run_module

in_games = pytest.mark.parametrize("name", GAMES)
SHORT = {"steps": 1024, "evaluation__every": 512, "evaluation__games": 4, "opponents__snapshot_every": 512}


class Killed(BaseException):
    """Nothing that runs catches it."""


def assert_same_runs(ours: Path, theirs: Path) -> None:
    """To the bit, but for times and how often they were started."""
    mine, yours = ({str(path.relative_to(run)) for path in run.rglob("*")} for run in (ours, theirs))
    assert {name for name in mine ^ yours if "events.out" not in name} == set()
    assert_same(content(find(ours)), content(find(theirs)))
    for log in (history.PROGRESS, history.EVALUATION):
        assert lines(ours / log) == lines(theirs / log)
    same = ["config.yaml", *(f"best/{name}" for name in ("config.yaml", "meta.json", "policy.safetensors"))]
    for name in (*same, str(find(ours).relative_to(ours) / "meta.json")):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


def go_on(config, out):
    """As a new process would, whose random state is its own."""
    torch.manual_seed(123)
    np.random.seed(123)  # noqa: NPY002
    return train(config, out, resume=True)


# ------------------------------------------------------------------------------------- killed


@in_games
def test_killed_half_way_and_resumed_it_ends_like_one_that_was_not(run_of, name, tmp_path, monkeypatch):
    save = driver.Driver.save

    def save_and_die(self):
        save(self)
        if self.saved.name == "0000001024":
            raise Killed

    monkeypatch.setattr(driver.Driver, "save", save_and_die)
    with pytest.raises(Killed):
        train(tiny(name), tmp_path)
    monkeypatch.undo()
    assert find(tmp_path).name == "0000001024"
    go_on(tiny(name), tmp_path)
    assert_same_runs(run_of(name), tmp_path)


def test_killed_by_the_system_and_in_another_process(run, tmp_path):
    """kill -9 in the middle of a rollout; and another process gives the same digest."""
    code = """if True:
        import os, signal, sys
        sys.path.insert(0, sys.argv[2])
        from tiny import tiny
        from tritarea_train import driver, train

        def step_and_die(self):
            if self.num_timesteps == 1600:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(self)

        train(tiny(), sys.argv[1] + "/whole")
        step, driver.Driver._on_step = driver.Driver._on_step, step_and_die
        train(tiny(), sys.argv[1] + "/killed")
    """
    command = [sys.executable, "-c", code, str(tmp_path), str(Path(__file__).parent)]
    assert subprocess.run(command, timeout=240).returncode == -signal.SIGKILL
    assert_same_runs(run, tmp_path / "whole")
    assert digest(tmp_path / "whole") == digest(run)
    assert find(tmp_path / "killed").name == "0000001024"
    assert lines(tmp_path / "killed" / history.PROGRESS)[-1]["steps"] == 1536
    assert not about.is_held(tmp_path / "killed")
    go_on(tiny(), tmp_path / "killed")
    assert_same_runs(run, tmp_path / "killed")


def digest(run):
    told = json.loads((find(run) / "meta.json").read_text())["digest"]
    assert told == about.digest_of(find(run))
    return told


FILES = [  # everything that writes to a run's folder
    (checkpoints, "save_file"),
    (torch, "save"),
    (Path, "rename"),
    (Path, "write_text"),
    (os, "replace"),
    (shutil, "rmtree"),
    (shutil, "copyfile"),
    (history, "append"),
    (records, "replacing"),
]


@contextmanager
def killed_at(monkeypatch, moment):
    """Raise Killed instead of the ``moment``-th write; yields the list of writes so far."""
    made = []

    def watched(function, name):
        def write(*args, **kwargs):
            if len(made) == moment:
                raise Killed
            made.append(name)
            return function(*args, **kwargs)

        return write

    with monkeypatch.context() as patch:
        for owner, name in FILES:
            patch.setattr(owner, name, watched(getattr(owner, name), name))
        yield made


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """A finished run of two rollouts, and the names of its writes, in order."""
    out = tmp_path_factory.mktemp("short") / "run"
    with killed_at(pytest.MonkeyPatch(), -1) as made:
        train(tiny(**SHORT), out)
    return out, made


@pytest.mark.parametrize("name", [name for _, name in FILES])
def test_killed_at_a_write_nothing_is_lost(short, tmp_path, monkeypatch, name):
    """At the first and the last of every kind."""
    whole, writes = short
    moments = [moment for moment, made in enumerate(writes) if made == name]
    for moment in {moments[0], moments[-1]}:
        out = tmp_path / str(moment)
        with pytest.raises(Killed), killed_at(monkeypatch, moment):
            train(tiny(**SHORT), out)
        begun = about.begun(out)
        for path in (out, out / "best"):
            if list(path.glob("checkpoints/0*")) or (path / "meta.json").exists():
                make_agent(str(path), games.get("tritarea"))
        if begun:
            go_on(tiny(**SHORT), out)
        else:
            train(tiny(**SHORT), out)
        assert_same_runs(whole, out)


# ------------------------------------------------------------------------------------- stopped


@contextmanager
def stopping(monkeypatch, owner, name, calls):
    """Ask the run to stop, as a signal does, when a function is called for the ``calls``-th time."""
    stop, counted = threading.Event(), itertools.count(1)
    function = getattr(owner, name)

    def watched(*args, **kwargs):
        if next(counted) == calls:
            stop.set()
        return function(*args, **kwargs)

    @contextmanager
    def asked_to_stop():
        yield stop

    with monkeypatch.context() as patch:
        patch.setattr(owner, name, watched)
        patch.setattr(run_module, "asked_to_stop", asked_to_stop)
        yield


@in_games
def test_stopped_while_imitating_it_goes_on(run_of, name, tmp_path, monkeypatch):
    console = Console(file=io.StringIO(), width=400)
    with stopping(monkeypatch, imitation, "_fit", 1):
        saved = train(tiny(name), tmp_path, console=console)
    assert saved == tmp_path / "imitation" / "0000000512"
    assert f"The checkpoint is {saved}; resume the run" in console.file.getvalue()
    assert not (tmp_path / "checkpoints").exists()
    make_agent(str(saved), games.get(name))
    assert [row["steps"] for row in lines(tmp_path / history.PROGRESS)] == [512]
    go_on(tiny(name), tmp_path)
    assert_same_runs(run_of(name), tmp_path)


def test_stopped_at_the_end_of_imitation(run, tmp_path, monkeypatch):
    with stopping(monkeypatch, imitation, "_fit", 4):
        assert train(tiny(), tmp_path) == tmp_path / "checkpoints" / "0000000000"
    assert not (tmp_path / "imitation").exists()
    go_on(tiny(), tmp_path)
    assert_same_runs(run, tmp_path)


def test_long_imitation_is_saved_on_the_way(tmp_path, monkeypatch):
    config = tiny(**SHORT, imitation__steps=2560)
    train(config, tmp_path / "whole")
    fit, fits = imitation._fit, itertools.count(1)

    def fit_and_die(learner):
        fit(learner)
        if next(fits) == 7:
            raise Killed

    monkeypatch.setattr(imitation, "_fit", fit_and_die)
    with pytest.raises(Killed):
        train(config, tmp_path / "killed")
    monkeypatch.undo()
    assert [path.name for path in (tmp_path / "killed" / "imitation").iterdir()] == ["0000001536"]
    go_on(config, tmp_path / "killed")
    assert_same_runs(tmp_path / "whole", tmp_path / "killed")


def test_an_evaluation_is_broken_off_and_made_up_for(run, tmp_path, monkeypatch):
    with stopping(monkeypatch, driver.Driver, "_go_on", 20):
        assert train(tiny(), tmp_path).name == "0000001024"
    assert not (tmp_path / history.EVALUATION).exists()
    go_on(tiny(), tmp_path)
    assert_same_runs(run, tmp_path)


def test_the_last_evaluation_is_made_up_for(run, tmp_path, monkeypatch):
    with stopping(monkeypatch, driver.Driver, "_go_on", 220):
        assert train(tiny(), tmp_path).name == "0000002048"
    assert [row["steps"] for row in lines(tmp_path / history.EVALUATION)] == [1024]
    go_on(tiny(), tmp_path)
    assert_same_runs(run, tmp_path)


def test_a_finished_run_can_be_prolonged(tmp_path):
    """With a constant rate and n steps before, as if it had been meant to be that long."""
    train(tiny(ppo__schedule="constant"), tmp_path / "whole")
    train(tiny(ppo__schedule="constant", steps=1024), tmp_path / "parts")
    go_on(tiny(ppo__schedule="constant"), tmp_path / "parts")
    assert_same_runs(tmp_path / "whole", tmp_path / "parts")


# ------------------------------------------------------------------------------------- a full disk


@pytest.mark.parametrize(
    ("owner", "name", "error"),
    [
        (torch, "save", OSError(errno.ENOSPC, "No space left on device")),
        (checkpoints, "save_file", checkpoints.SafetensorError("No space left on device")),
        (torch, "save", RuntimeError("PytorchStreamWriter failed: No space left on device")),
        (history, "append", OSError(errno.ENOSPC, "No space left on device")),
        (shutil, "copyfile", OSError(errno.ENOSPC, "No space left on device")),
        (records, "replacing", OSError(errno.EROFS, "No space left on device")),
    ],
    ids=["state", "weights", "torch", "log", "best", "config"],
)
def test_a_full_disk_loses_nothing(short, tmp_path, monkeypatch, owner, name, error):
    whole, _ = short
    config = tiny(**SHORT)
    with stopping(monkeypatch, driver.Driver, "_go_on", 1):
        train(config, tmp_path)
    assert find(tmp_path).name == "0000000512"

    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(owner, name, fail)
    with pytest.raises(CheckpointError, match="No space") as raised:
        go_on(config, tmp_path)
    assert "what was saved before is whole" in str(raised.value)
    assert "\n" not in str(raised.value)
    monkeypatch.undo()
    assert not list(tmp_path.glob("checkpoints/.*"))
    make_agent(str(tmp_path), games.get("tritarea"))
    go_on(config, tmp_path)
    assert_same_runs(whole, tmp_path)


def test_other_errors_are_not_taken_for_a_full_disk(tmp_path, monkeypatch):
    def fail(*args):
        raise FileNotFoundError(errno.ENOENT, "no such file", "agent.toml")

    monkeypatch.setattr(driver, "evaluate", fail)
    with pytest.raises(FileNotFoundError):
        train(tiny(**SHORT), tmp_path)


# ------------------------------------------------------------------------------------- two at once


def test_two_processes_do_not_train_in_one_folder(run, tmp_path, monkeypatch):
    shutil.copytree(run, tmp_path / "copy")
    monkeypatch.setattr(about, "PATIENCE", 0.0)
    with about.held(tmp_path / "copy"):
        assert about.is_held(tmp_path / "copy")
        with pytest.raises(CheckpointError, match="is in use: another process trains there"):
            train(tiny(), tmp_path / "copy", resume=True)
    assert not about.is_held(tmp_path / "copy")
    assert not about.is_held(tmp_path)
