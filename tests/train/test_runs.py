"""What a run writes down beside its checkpoints, and what can be read of a folder in any state."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tiny import lines, tiny

from tritarea_agents.checkpoint import find
from tritarea_env import games
from tritarea_env.batch import Batch
from tritarea_train import about, driver, history, train
from tritarea_train.config import load
from tritarea_train.evaluation import Result
from tritarea_train.listing import FINISHED, RUNNING, STOPPED, summaries, summary
from tritarea_train.logs import Tally
from tritarea_train.model import build

GAME = games.get("tritarea")

# ------------------------------------------------------------------------------------- run.json, config


def test_a_run_tells_how_it_was_started(run, tmp_path, monkeypatch):
    shutil.copytree(run, tmp_path / "copy")
    monkeypatch.setattr(sys, "argv", ["tritarea", "train", "tiny.yaml"])
    train(tiny(steps=2560, evaluation__every=512), tmp_path / "copy", resume=True)
    told = json.loads((tmp_path / "copy" / "run.json").read_text())
    first, second = told["starts"]
    assert (first["from_steps"], second["from_steps"]) == (0, 2048)
    assert second["command"] == ["tritarea", "train", "tiny.yaml"]
    assert first["threads"]["torch"] == second["threads"]["torch"] == 1
    assert set(second["versions"]) == {"tritarea", "torch", "stable_baselines3", "sb3_contrib", "numpy"}
    assert {"python", "platform", "time", "git", "device"} <= set(second)
    config = load(tmp_path / "copy" / "config.yaml", {})
    assert (config.steps, config.evaluation.every) == (2560, 512)


def test_the_commit_of_a_checkout(tmp_path):
    def git(*arguments):
        who = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        done = subprocess.run(
            ["git", "-C", str(tmp_path), *who, *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    assert about.commit_of(tmp_path) is None
    git("init", "-q")
    assert about.commit_of(tmp_path) is None
    (tmp_path / "file").write_text("1")
    git("add", "file")
    git("commit", "-qm", "first")
    (tmp_path / "other").write_text("not tracked")
    assert about.commit_of(tmp_path) == {"commit": git("rev-parse", "HEAD"), "dirty": False}
    (tmp_path / "file").write_text("2")
    assert about.commit_of(tmp_path)["dirty"] is True


def test_without_git_there_is_no_commit(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert about.start_of(0, 1, "cpu")["git"] == {"code": None, "folder": None}


# ------------------------------------------------------------------------------------- logs


def test_a_line_a_rollout_and_a_line_a_match(run_of):
    for name in ("tritarea", "triatri"):
        run, game = run_of(name), games.get(name)
        rows = [json.loads(line) for line in (run / history.PROGRESS).read_text().splitlines()]
        assert [(row["phase"], row["steps"]) for row in rows] == [
            *(("imitation", steps) for steps in (512, 1024)),
            *(("training", steps) for steps in (512, 1024, 1536, 2048)),
        ]
        for row in rows[2:]:
            assert (row["actions/checked"], row["actions/illegal_share"]) == (512, 0.0)
            assert {"train/loss", "train/entropy_loss", "train/approx_kl", "train/clip_fraction"} <= set(row)
            assert row["time/threads"] == 1
        scored = [row for row in rows if row.get("rollout/games")]
        assert scored
        for row in scored:
            points = [row[f"score_by_source/{source.replace(' ', '_')}"] for source in game.sources]
            assert sum(points) == pytest.approx(row["rollout/score"])
        matches = lines(run / history.EVALUATION)
        assert [match["steps"] for match in matches] == [1024, 2048]
        assert set(Result._fields) <= set(matches[0])


@pytest.mark.parametrize("name", ["tritarea", "triatri"])
def test_points_by_source_are_those_of_the_learners_seat(name):
    learner = build(tiny(name, n_games=16, opponents__current=0.0))
    env, tally = learner.env, Tally(learner.env.batch.game)
    env.reset()
    rng, points, ended = np.random.default_rng(0), 0.0, 0
    for _ in range(120):
        masks = env.batch.mask.copy()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        env.step_async(actions)
        infos = env.step_wait()[3]
        tally.count(actions, masks, env.tables)
        for info in filter(None, infos):
            points += info["scores"][info["seat"]]
            ended += 1
    assert tally.games == ended > 0
    assert tally.points.sum() == points
    assert (tally.actions, tally.illegal) == (120 * 16, 0)
    tally.count(masks.argmin(axis=1), masks, env.tables)
    assert tally.illegal == 16


def test_what_is_not_finite_is_null(tmp_path):
    from tritarea_train.logs import Lines

    path = tmp_path / "log"
    writer = Lines(path)
    values = {"a": float("nan"), "b": np.float32(1.5), "c": np.int64(2), "d": 3.0}
    writer.write(values, {"a": ("",), "b": (), "c": ("tensorboard",), "d": ("lines",)}, 7)
    writer.write({"d": 3.0}, {"d": ("lines",)}, 8)
    assert path.read_text() == '{"phase": "training", "steps": 7, "a": null, "b": 1.5, "c": 2}\n'


@pytest.mark.parametrize(
    ("text", "left", "damage"),
    [
        ('{"steps": 1}\n{"steps": 2}\n', [1, 2], ""),
        ('{"steps": 1}\n{"steps": 2', [1], ""),
        ('{"steps": 1}\n{"steps": 2}', [1], ""),
        ('{"steps": 1}\nsteps\n{"steps": 2}\n', [1], "line 2 of log is damaged"),
        ('{"steps": 1.5}\n', [], "line 1 of log is damaged"),
        ("[1]\n", [], "line 1 of log is damaged"),
        ("[" * 100_000 + "\n", [], "line 1 of log is damaged"),
        ('{"steps": 1}\n{"steps": 5}\n{"steps": 2}\n', [1], ""),
    ],
)
def test_a_log_is_cut_to_what_is_whole_and_wanted(tmp_path, text, left, damage):
    path = tmp_path / "log"
    path.write_text(text)
    assert history.read(path)[1] == damage
    assert history.cut(path, lambda row: row["steps"] < 4) == [{"steps": steps} for steps in left]
    assert path.read_text() == "".join(f'{{"steps": {steps}}}\n' for steps in left)
    assert history.cut(tmp_path / "none", lambda row: True) == []


# ------------------------------------------------------------------------------------- the best net


def scripted(shares):
    """Evaluations whose results are given: by opponent, one share after the other."""
    left = {against: list(some) for against, some in shares.items()}

    def evaluate(agent, against, game, options, games, on_progress):
        share = left[against].pop(0)
        return Result(against, games, 100, share, share - 0.1, share + 0.1, 50.0, [share] * 4, [50.0] * 4)

    return evaluate


@pytest.mark.parametrize(
    ("best", "shares", "kept"),
    [
        (None, {"random": [0.9, 0.8, 0.7], "greedy": [0.1, 0.3, 0.2]}, 1024),
        ("random", {"random": [0.9, 0.8, 0.7], "greedy": [0.1, 0.3, 0.2]}, 512),
        (None, {"random": [0.5, 0.5, 0.5], "greedy": [0.3, 0.3, 0.2]}, 1024),
    ],
    ids=["the last opponent counts", "the one that is named counts", "of equals the later"],
)
def test_the_best_net_is_kept(tmp_path, monkeypatch, best, shares, kept):
    config = tiny(
        steps=1536, evaluation__every=512, evaluation__against=["random", "greedy"], evaluation__best=best,
        imitation__steps=0,
    )  # fmt: skip
    monkeypatch.setattr(driver, "evaluate", scripted(shares))
    digests = {}
    save = driver.Driver.save

    def watched(self):
        save(self)
        digests[int(self.saved.name)] = about.digest_of(self.saved)

    monkeypatch.setattr(driver.Driver, "save", watched)
    train(config, tmp_path)
    meta = json.loads((tmp_path / "best" / "meta.json").read_text())
    assert meta["steps"] == meta["best"]["steps"] == kept
    assert meta["digest"] == about.digest_of(tmp_path / "best") == digests[kept]
    told = summary(tmp_path)
    assert told.kept == {"steps": kept, "digest": digests[kept]}
    against = best or "greedy"
    assert told.best[against]["steps"] == kept
    assert told.last[against]["share"] == shares[against][-1]


def test_the_best_by_another_yardstick_is_no_measure(run, tmp_path, monkeypatch):
    shutil.copytree(run, tmp_path / "copy")
    monkeypatch.setattr(driver, "evaluate", scripted({"greedy": [0.1, 0.0]}))
    train(tiny(steps=2560, evaluation__against=["greedy"]), tmp_path / "copy", resume=True)
    meta = json.loads((tmp_path / "copy" / "best" / "meta.json").read_text())
    assert (meta["steps"], meta["best"]["against"], meta["best"]["share"]) == (2048, "greedy", 0.1)


# ------------------------------------------------------------------------------------- listing


def test_a_finished_run_is_listed(run):
    told = summary(run)
    assert told.problems == []
    assert (told.game, told.players, told.seed) == ("tritarea", 4, 0)
    assert (told.state, told.steps, told.total, told.imitated) == (FINISHED, 2048, 2048, None)
    assert told.digest == json.loads((find(run) / "meta.json").read_text())["digest"]
    assert told.last["random"] == lines(run / history.EVALUATION)[-1]
    assert told.seconds > 0
    assert told.speed > 0
    assert summaries(run) == [told]


def test_a_run_is_running_while_a_process_holds_it(run, tmp_path):
    shutil.copytree(run, tmp_path / "copy")
    history.append(tmp_path / "copy" / history.PROGRESS, [{"phase": "training", "steps": 2560}])
    with about.held(tmp_path / "copy"):
        told = summary(tmp_path / "copy")
    assert (told.state, told.steps) == (RUNNING, 2560)
    told = summary(tmp_path / "copy")
    assert (told.state, told.steps) == (FINISHED, 2048)


def remove(*names):
    def spoil(run):
        for name in names:
            path = run / name
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return spoil


def write(name, text):
    return lambda run: (run / name).write_text(text)


def flip_a_bit_of_the_weights(run):
    path = find(run) / "policy.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


SPOILT = {
    "no config": (remove("config.yaml"), FINISHED, ""),
    "config of a stranger": (write("config.yaml", "a: 1"), STOPPED, "config.yaml: a: there is no such field"),
    "config no text": (lambda run: (run / "config.yaml").write_bytes(b"\xff\0"), STOPPED, "config.yaml: not YAML"),
    "no checkpoint yet": (remove("checkpoints"), STOPPED, ""),
    "nothing but the config": (remove("checkpoints", "log", "best", "run.json", "run.lock"), STOPPED, ""),
    "run.json damaged": (write("run.json", "{"), FINISHED, ""),
    "no logs": (remove("log"), FINISHED, ""),
    "log damaged": (write("log/progress.jsonl", "x\n"), FINISHED, "line 1 of progress.jsonl is damaged"),
    "log half written": (write("log/progress.jsonl", '{"steps": 1'), FINISHED, ""),
    "log with odd numbers": (
        write("log/progress.jsonl", '{"steps": 1, "time/trained": 1e999, "time/samples_per_second": "x"}\n'),
        FINISHED,
        "",
    ),
    "matches damaged": (write("log/evaluation.jsonl", "[]\n"), FINISHED, "line 1 of evaluation.jsonl is damaged"),
    "no matches": (write("log/evaluation.jsonl", '{"steps": 1}\n'), FINISHED, "a line of evaluation.jsonl is no match"),
    "endless share": (
        write("log/evaluation.jsonl", '{"steps": 1, "against": "x", "share": NaN}\n'),
        FINISHED,
        "a line of evaluation.jsonl is no match",
    ),
    "last evaluation not made": (
        write("log/evaluation.jsonl", '{"steps": 1024, "against": "x", "share": 0.5}\n'),
        STOPPED,
        "",
    ),
    "checkpoint half": (lambda run: (find(run) / "meta.json").write_text("{"), FINISHED, "meta.json is damaged"),
    "weights gone": (
        lambda run: (find(run) / "policy.safetensors").unlink(),
        FINISHED,
        "policy.safetensors: No such file",
    ),
    "weights damaged": (flip_a_bit_of_the_weights, FINISHED, "is damaged: its digest is not the one in meta.json"),
    "best damaged": (write("best/meta.json", "[]"), FINISHED, "meta.json is damaged"),
}


@pytest.mark.parametrize(("spoil", "state", "told"), SPOILT.values(), ids=SPOILT.keys())
def test_a_folder_in_any_state_is_listed(run, tmp_path, spoil, state, told):
    shutil.copytree(run, tmp_path / "copy")
    spoil(tmp_path / "copy")
    found = summary(tmp_path / "copy")
    assert found.state == state
    assert (told in found.problems[0]) if told else not found.problems
    assert all("\n" not in problem for problem in found.problems)
    json.dumps(vars(found), allow_nan=False)


def test_foreign_folders_are_named(run, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "file").write_text("")
    shutil.copytree(run, tmp_path / "study" / "one")
    empty, study = summaries(tmp_path)
    assert (empty.name, study.name) == ("empty", "study")
    assert empty.problems == ["no training run: neither config.yaml nor checkpoints/"]
    assert study.problems == [f"a folder of 1 run: tritarea runs {tmp_path / 'study'}"]
    assert empty.state is study.state is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everything may be read")
def test_a_folder_that_may_not_be_read(run, tmp_path):
    shutil.copytree(run, tmp_path / "copy")
    (tmp_path / "copy").chmod(0)
    try:
        assert "Permission denied" in summary(tmp_path / "copy").problems[0]
    finally:
        (tmp_path / "copy").chmod(0o700)


def test_trained_and_listed_it_plays(run):
    """Of what is listed, the newest and the best are specs of agents."""
    from tritarea_agents import make

    batch, every = Batch("tritarea", 2, seed=1), np.arange(2)
    for path in (run, run / "best"):
        assert batch.mask[every, make(str(path), GAME).act(batch.views(every))].all()
