"""Writing checkpoints whole or not at all, and the state from which a run goes on."""

from __future__ import annotations

import json
import os
import re
import reprlib
import shutil
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from tritarea_agents import checkpoint
from tritarea_agents.checkpoint import CHECKPOINTS, META, WEIGHTS, CheckpointError
from tritarea_env import games
from tritarea_env.engine.seats import LEARNER

from . import history
from .about import BEST, CONFIG, IMITATION, digest_of, versions
from .config import ConfigError, TrainConfig, flat, load
from .model import Learner
from .rewards import reward_learned

STATE = "training_state.pt"
OWN_NAME = re.compile(r"\d{10,}|\.\d{10,}\.\d+", re.ASCII)  # of a checkpoint's folder, and of a draft's
MOST_COUNTED = 1 << 53  # steps and updates, of which a state is believed no more
KEY_WORDS = 624  # of numpy's Mersenne twister, which reads beyond them if it is told to
MOMENTS = {"step", "exp_avg", "exp_avg_sq"}  # what Adam keeps of each weight
NOT_IN_POSITION = {
    "stream",
    "episode",
    "deals",
    "dealt",
    "next_deal",
    "points",
    "decision",
    "round_ended",
}  # fields that index nothing
MAY_CHANGE = {"steps", "threads", "device", "evaluation"}  # in the config of a run that goes on


def save(run: Path, config: TrainConfig, learner: Learner, progress: dict[str, int]) -> Path:
    """Write the checkpoint of this moment, between two rollouts, and remove the one before; returns its folder.

    A folder that bears its final name is whole: everything is written and synced beside it first.

    Raises:
        CheckpointError: it cannot be written; the one before is still there.
        ValueError: the weights are not finite, and nothing could be done with them.
    """
    if not learner.is_finite():
        raise ValueError("the net's weights are not finite")
    steps = int(learner.model.num_timesteps)
    imitating = progress["imitated"] < config.imitation.steps
    shelf, number = (run / IMITATION, progress["imitated"]) if imitating else (run / CHECKPOINTS, steps)
    final, draft = shelf / f"{number:010d}", shelf / f".{number:010d}.{os.getpid()}"
    if not (final / META).is_file():  # else it is of this very moment
        try:
            shelf.mkdir(parents=True, exist_ok=True)
            _write(draft, config, learner, progress)
            for log in (history.PROGRESS, history.EVALUATION):
                if (run / log).is_file():
                    history.sync(run / log)
            draft.rename(final)
            history.sync(shelf)
        except (OSError, SafetensorError, RuntimeError) as error:
            shutil.rmtree(draft, ignore_errors=True)
            raise CheckpointError(
                f"{final} cannot be written, what was saved before is whole: {_line(error)}"
            ) from error
    _clear(shelf, final)
    if not imitating:
        _clear(run / IMITATION)
    return final


def _clear(shelf: Path, but: Path | None = None) -> None:
    """Remove the checkpoints on a shelf and their drafts, and the shelf if that leaves nothing.

    What else lies there is not ours: a run's folder may come from elsewhere, and its shelf be a link to anywhere.
    """
    for entry in shelf.glob("*"):
        if entry != but and OWN_NAME.fullmatch(entry.name):
            shutil.rmtree(entry, ignore_errors=True)
    with suppress(OSError):
        shelf.rmdir()


def _write(draft: Path, config: TrainConfig, learner: Learner, progress: dict[str, int]) -> None:
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    weights = {name: tensor.detach().cpu().contiguous() for name, tensor in learner.net.state_dict().items()}
    save_file(weights, draft / WEIGHTS)
    with (draft / STATE).open("wb") as file:
        torch.save(state_of(learner, progress), file)
    (draft / CONFIG).write_text(config.to_yaml(), encoding="utf-8")
    _write_meta(draft, {**_meta(config, learner), "digest": digest_of(draft)})
    for entry in draft.iterdir():
        history.sync(entry)


def _write_meta(folder: Path, meta: dict[str, Any]) -> None:
    (folder / META).write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")


def _line(error: BaseException) -> str:
    """What is wrong, in one line: what the system says, if torch hides that behind its own words."""
    cause: BaseException | None = error
    while cause is not None and not (isinstance(cause, OSError) and cause.strerror):
        cause = cause.__context__
    return " ".join(str(cause or error).split())[:300]


def keep_best(run: Path, folder: Path, match: dict[str, Any]) -> None:
    """Make the net of the checkpoint ``folder`` the run's best, for what it did in ``match`` (see ``evaluation``).

    ``best/`` is there and can be played at every moment, since its files are replaced one by one: the forms of a run's
    nets are all the same. Only until the last of them, ``meta.json``, is replaced may that speak of the net before.
    """
    best, draft = run / BEST, run / f".{BEST}"
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    for name in (WEIGHTS, CONFIG):
        shutil.copyfile(folder / name, draft / name)
    _write_meta(draft, json.loads((folder / META).read_text(encoding="utf-8")) | {"best": match})
    for entry in draft.iterdir():
        history.sync(entry)
    if not (best / META).is_file():
        shutil.rmtree(best, ignore_errors=True)
        draft.rename(best)
        return
    for name in (WEIGHTS, CONFIG, META):
        os.replace(draft / name, best / name)
    draft.rmdir()


def best_match(run: Path) -> dict[str, Any] | None:
    """The match for which ``best/`` was kept; None if there is none, or its ``meta.json`` does not say."""
    try:
        match = json.loads((run / BEST / META).read_text(encoding="utf-8"))["best"]
        return {"against": str(match["against"]), "games": int(match["games"]), "share": float(match["share"])}
    except (OSError, ValueError, RecursionError, KeyError, TypeError):
        return None


def _meta(config: TrainConfig, learner: Learner) -> dict[str, Any]:
    game = games.get(config.game.name)
    return {
        **checkpoint.describe(game, learner.shape),
        "covers": [game.check_options(config.game.options)],
        "reward": reward_learned(config, int(learner.model.num_timesteps)),
        "seed": config.seed,
        "steps": int(learner.model.num_timesteps),
        "threads": torch.get_num_threads(),
        "versions": versions(),
    }


def state_of(learner: Learner, progress: dict[str, int]) -> dict[str, Any]:
    """All that a run needs beside its weights to go on exactly, as tensors and plain numbers."""
    model, env = learner.model, learner.env
    policy: Any = model.policy
    shuffling = np.random.get_state(legacy=False)  # noqa: NPY002  (the rollout buffer shuffles with it)
    episodes = [[episode["r"], episode["l"]] for episode in model.ep_info_buffer or ()]
    return {
        "steps": int(model.num_timesteps),
        "updates": int(model._n_updates),
        "remaining": float(model._current_progress_remaining),
        "oracle": policy.oracle().state_dict(),
        "optimizer": model.policy.optimizer.state_dict(),
        "torch_random": torch.get_rng_state(),
        "numpy_random": {
            "key": torch.from_numpy(shuffling["state"]["key"].astype(np.int64)),
            "pos": int(shuffling["state"]["pos"]),
            "has_gauss": int(shuffling["has_gauss"]),
            "gauss": float(shuffling["gauss"]),
        },
        "episodes": torch.tensor(episodes, dtype=torch.float64).reshape(-1, 2),  # of which the logs give means
        "episode_starts": torch.from_numpy(np.asarray(model._last_episode_starts).copy()),
        "games": torch.from_numpy(np.frombuffer(env.batch.games.tobytes(), np.uint8).copy()),
        "env": {name: torch.from_numpy(array.copy()) for name, array in env.memory().items()},
        "league": learner.league.state(),
        "progress": progress,
    }


def restore(folder: Path, learner: Learner) -> dict[str, int]:
    """Put a learner, freshly built of the same config, where ``save`` left it; returns the ``progress``.

    Raises:
        CheckpointError: the state is missing, damaged, or does not fit.
    """
    path = folder / STATE
    meta = checkpoint.read_meta(folder)
    checkpoint.check_game(meta, learner.env.batch.game, folder)
    if meta.net != learner.shape:
        raise CheckpointError(f"{folder} holds a net of another form: {meta.net}, not {learner.shape}")
    weights = checkpoint.read_weights(folder, meta.net, learner.env.batch.game)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        _put(state, learner)
        progress = {name: _count(state["progress"][name], name) for name in ("done", "evaluated", "imitated")}
    except Exception as error:  # whatever a damaged file makes torch raise
        raise CheckpointError(f"{path} cannot be used to go on: {_line(error)}") from error
    learner.net.load_state_dict(weights)
    return progress


def _put(state: dict[str, Any], learner: Learner) -> None:
    model, env = learner.model, learner.env
    policy: Any = model.policy
    model.num_timesteps, model._n_updates = _count(state["steps"], "steps"), _count(state["updates"], "updates")
    model._current_progress_remaining = float(state["remaining"])
    policy.oracle().load_state_dict(state["oracle"])
    _put_optimizer(state["optimizer"], model.policy.optimizer)
    env.batch.games[:] = np.frombuffer(state["games"].numpy().tobytes(), env.batch.games.dtype)
    for name, array in env.memory().items():
        array[:] = state["env"][name].numpy()
    learner.league.restore(state["league"])
    _check_games(learner)
    episodes = [{"r": total, "l": length} for total, length in state["episodes"].tolist()]
    model.ep_info_buffer, model.ep_success_buffer = (
        deque(some, maxlen=model._stats_window_size) for some in (episodes, ())
    )
    model._last_obs = env.look()
    model._last_episode_starts = np.zeros(env.num_envs, np.bool_)
    model._last_episode_starts[:] = state["episode_starts"].numpy()
    torch.set_rng_state(state["torch_random"])
    shuffling = state["numpy_random"]
    key, pos = shuffling["key"].numpy().astype(np.uint32), _count(shuffling["pos"], "pos")
    if key.shape != (KEY_WORDS,) or pos > KEY_WORDS:
        raise ValueError("numpy's random state is none")
    np.random.set_state(("MT19937", key, pos, int(shuffling["has_gauss"]), float(shuffling["gauss"])))  # noqa: NPY002


def _count(value: Any, name: str) -> int:
    if type(value) is not int or not 0 <= value <= MOST_COUNTED:
        raise ValueError(f"{name} is no number of anything: {reprlib.repr(value)}")
    return value


def _put_optimizer(state: dict[str, Any], optimizer: torch.optim.Optimizer) -> None:
    """Raises ValueError if it is not the optimiser's own, its rate aside, which is set before every update."""
    ours = optimizer.state_dict()["param_groups"]
    if [group | {"lr": 0.0} for group in state["param_groups"]] != [group | {"lr": 0.0} for group in ours]:
        raise ValueError("the optimiser has other parameters")
    optimizer.load_state_dict(state)
    for weight, kept in optimizer.state.items():
        fitting = set(kept) == MOMENTS and kept["step"].ndim == 0
        if not fitting or any(kept[name].shape != weight.shape for name in MOMENTS - {"step"}):
            raise ValueError("the optimiser's moments are of other weights")
        if not all(torch.isfinite(tensor).all() for tensor in kept.values()):
            raise ValueError("the optimiser's moments are not finite")


def _check_games(learner: Learner) -> None:
    """Raises ValueError if a game or its seats are none that play can lead to: compiled code believes them."""
    env, league = learner.env, learner.league
    batch, game = env.batch, env.batch.game
    for i, g in enumerate(batch.games):
        twin = game.new(1, batch.options)[0]
        game.from_position(twin, game.to_position(g), np.uint64(0))
        game.set_later(twin, game.later_of(g), strict=True)
        for name in set(game.dtype.names or ()) - NOT_IN_POSITION:
            if not np.array_equal(twin[name], g[name]):
                raise ValueError(f"game {i}: {name} does not follow from its position")
    rows = np.arange(len(batch))
    if not np.array_equal(env.seat, (rows + batch.games.episode) % env.players) or (env.seat != batch.games.seat).any():
        raise ValueError("a game does not wait for the learner's seat")
    filled = [place for place, agent in enumerate(league.agents) if agent is not None]
    holders = np.repeat(env.member[:, None], env.holders.shape[1], axis=1)
    holders[:, env.players :] = league.npc
    holders[rows, env.seat] = LEARNER
    if not np.isin(env.member, filled).all() or not np.array_equal(env.holders, holders):
        raise ValueError("a game's opponents are not of the league")


def check_config(folder: Path, config: TrainConfig) -> None:
    """Raises CheckpointError, naming the field, if the run in ``folder`` was begun with another config."""
    try:
        begun, now = load(folder / CONFIG, {}).model_dump(), config.model_dump()
    except ConfigError as error:
        raise CheckpointError(f"{folder} cannot be resumed: {error}") from error
    for field in begun:
        if field not in MAY_CHANGE and begun[field] != now[field]:
            a, b = flat({field: begun[field]}), flat({field: now[field]})
            name = next(name for name in {**a, **b} if a.get(name) != b.get(name))
            raise CheckpointError(f"{folder} was begun with {name} {a.get(name)}, not {b.get(name)}")
