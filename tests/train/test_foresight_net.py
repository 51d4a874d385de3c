"""Nets with foresight: what they are shown, in training as in play, and that they are kept, go on and search."""

import json
import shutil

import numpy as np
import pytest
import torch
from tiny import content, tiny

from tritarea_agents import make
from tritarea_agents.checkpoint import CheckpointError, find
from tritarea_agents.foresight import ZERO, Inputs
from tritarea_agents.net import build as build_net
from tritarea_agents.policy import Parameters, PolicyAgent, load_net
from tritarea_env import games
from tritarea_env.batch import Batch
from tritarea_env.games.tritarea.rules import KEEP, ONE_BLOCK, TWO_BLOCKS
from tritarea_train import train
from tritarea_train.config import ConfigError, OpponentsConfig
from tritarea_train.league import League
from tritarea_train.model import build
from tritarea_train.sight import Sight
from tritarea_train.symmetry import frames_of
from tritarea_train.vec_env import LeagueVecEnv

GAME = games.get("tritarea")
INPUTS = Inputs(GAME, True)
WITH = {"net__foresight": True}
KINDS = {"mlp": WITH, "cards_board": {**WITH, "net__kind": "cards_board", "net__items": 32}}
MIRRORED = {
    "areas": [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    "bonus": [3, 0, 0, 3, 1, 2, 2, 1, 0, 1, 1, 0, 2, 0, 0, 2],
}


def random_steps(env, number, rng):
    for _ in range(number):
        env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("critic", ["own", "oracle"])
def test_the_learner_is_shown_what_the_agent_looks_at(kind, critic):
    """Observation, foresight, then what is hidden; the agent's logits are the trainer's."""
    same = {"net__critic": critic, "n_games": 32, "seed": 5, "opponents__current": 0.0, "opponents__snapshots": 0.0}
    learner, plain = build(tiny(**KINDS[kind], **same)), build(tiny(**same))
    env, policy = learner.env, learner.model.policy
    for one in (env, plain.env):
        one.reset()
        random_steps(one, 11, np.random.default_rng(0))
    shown, without = env.look(), plain.env.look()
    views = env.batch.views(np.arange(32))
    assert shown.dtype == np.uint8
    assert shown.shape[1] == env.sight.size == len(env.sight.scale) == env.observation_space.shape[0]
    assert np.array_equal(shown[:, : INPUTS.size], INPUTS.shown_of(views))
    d = GAME.observation_size
    assert np.array_equal(np.delete(shown, np.arange(d, INPUTS.size), axis=1), without)
    assert (shown[:, d : INPUTS.size] != ZERO).any(axis=1).all()
    rows = torch.from_numpy(shown)
    with torch.no_grad():
        logits = policy.logits(policy.mlp_extractor.forward_actor(policy.extract_features(rows)))
    assert np.array_equal(PolicyAgent(GAME, learner.net, Parameters()).logits(views), logits.numpy())


def test_a_last_observation_has_nothing_to_foresee():
    env = build(tiny(**WITH, n_games=32)).env
    env.reset()
    rng, ended = np.random.default_rng(0), 0
    while ended < 5:
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in env.action_masks()])
        _, _, dones, infos = env.step(actions)
        for i in np.flatnonzero(dones):
            last = infos[i]["terminal_observation"]
            assert last.shape == (INPUTS.size,)
            assert (last[GAME.observation_size :] == ZERO).all()
            ended += 1


def test_what_is_told_of_an_action_speaks_for_it():
    """The head alone: each placement and card gets its own entries, by the weights of its set."""
    shape = build(tiny(**WITH)).shape
    head = build_net(shape, GAME).foresight
    batch = Batch("tritarea", 64, seed=3)
    for _ in range(10):
        batch.step(batch.random_actions())
    rows = INPUTS.shown_of(batch.views(np.arange(64)))
    scaled = torch.from_numpy(rows * INPUTS.scale + INPUTS.offset)
    fields = {f.name: rows[:, f.offset : f.offset + f.size].reshape(-1, *f.shape) for f in INPUTS.fields}
    for name, weights in head.weights.items():
        torch.nn.init.zeros_(weights.weight)
        torch.nn.init.zeros_(weights.bias)
        weights.bias.data[0] = {"placements": 8.0, "cards": 10.0, "fives": 24.0}[name]
    said = head(scaled, torch.zeros(64, shape.policy[-1])).detach().numpy()
    gain, holds, fives = (fields[name].astype(int) - ZERO for name in ("gain", "holds", "fives"))
    expected = np.zeros((64, GAME.actions))
    expected[:, ONE_BLOCK : ONE_BLOCK + 16] = gain[:, :, 0]
    expected[:, TWO_BLOCKS : TWO_BLOCKS + 16] = gain[:, :, 1]
    expected[:, :36] = 10 * holds[:, :, 0]
    expected[:, KEEP : KEEP + 3] = fives
    assert np.allclose(said, expected, atol=1e-5)
    assert gain.any()
    assert holds.any()


def test_a_turned_board_turns_what_is_foreseen():
    """A board with a mirror image: the same game shown in both frames."""
    options = GAME.check_options({"board": MIRRORED})
    frames = frames_of(GAME, options, True)
    league = League(GAME, options, OpponentsConfig(current=0, snapshots=0, agents={"random": 1.0}))
    sights = [Sight(GAME, options, oracle=True, augment=augment, foresight=True) for augment in (True, False)]
    shown, plain = (
        LeagueVecEnv("tritarea", 60, league, seed=3, reward="outcome", sight=sight, **options) for sight in sights
    )
    every, rng = np.arange(60), np.random.default_rng(1)
    shown.reset(), plain.reset()
    for _ in range(12):
        meant = np.array([rng.choice(np.flatnonzero(mask)) for mask in plain.action_masks()])
        shown.step(shown.sight.shown(shown.batch.games, meant)), plain.step(meant)
    frame = shown.sight.frames(shown.batch.games, every)
    seen, raw = shown.look()[:, : INPUTS.size], plain.look()[:, : INPUTS.size]
    assert np.array_equal(seen, np.take_along_axis(raw, frames.observation[frame], 1))
    gain = next(field for field in INPUTS.fields if field.name == "gain")
    turned, own = (rows[:, gain.offset : gain.offset + gain.size].reshape(-1, 4, 4, 2) for rows in (seen, raw))
    assert np.array_equal(turned[frame == 1], own[frame == 1][:, :, ::-1])
    assert not np.array_equal(turned, own)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_plays_is_kept_and_searches(run_of, kind):
    run = run_of("tritarea", **KINDS[kind])
    meta = json.loads((find(run) / "meta.json").read_text())
    assert meta["net"]["foresight"] is True
    assert meta["net"]["inputs"] == INPUTS.size
    net, _ = load_net(run, GAME, with_value=True)
    batch = Batch("tritarea", 8, seed=5)
    for _ in range(40):
        batch.step(batch.random_actions())
    views, agent = batch.views(np.arange(8)), make(str(run), GAME)
    logits = agent.logits(views)
    with torch.no_grad():
        assert np.array_equal(net(torch.from_numpy(INPUTS.shown_of(views))).numpy(), logits)
    search = make(f"search:prior={run},sims=12", GAME)
    search.act(views)
    for i, thought in enumerate(search.explain()):
        if len(thought.actions) > 1:
            priors = torch.softmax(torch.from_numpy(logits[i, thought.actions].astype(np.float64)), 0).numpy()
            assert np.allclose(thought.priors, priors, atol=1e-4)
            assert thought.visits.sum() == 12


@pytest.mark.parametrize("kind", KINDS)
def test_every_part_learns(run_of, kind):
    before = build(tiny(**KINDS[kind])).net.state_dict()
    after = content(find(run_of("tritarea", **KINDS[kind])))["weights"]
    assert before.keys() == after.keys()
    assert [key for key in after if torch.equal(before[key], after[key])] == []


def test_runs_with_and_without_it_meet(run_of, tmp_path):
    """Each in the other's league: every net is shown what it looks at."""
    plain, foreseeing = run_of("tritarea"), run_of("tritarea", **WITH)
    for name, overrides, opponent in (("a", WITH, plain), ("b", {}, foreseeing)):
        agents = {str(opponent): 0.5}
        folder = train(tiny(**overrides, steps=1024, imitation__steps=0, opponents__agents=agents), tmp_path / name)
        assert make(str(folder), GAME)


def test_checkpoints_say_whether_they_have_it(run_of, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(find(run_of("tritarea")), folder)
    path, whole = folder / "meta.json", json.loads((folder / "meta.json").read_text())
    del whole["net"]["foresight"]
    path.write_text(json.dumps(whole))
    assert not load_net(folder, GAME)[1].net.foresight  # as those are that are older than foresight
    for value, told in ((True, "was trained on other observations"), (1, "foresight is true or false, not 1")):
        path.write_text(json.dumps({**whole, "net": {**whole["net"], "foresight": value}}))
        with pytest.raises(CheckpointError, match=told) as raised:
            load_net(folder, GAME)
        assert "\n" not in str(raised.value)
    folder = tmp_path / "other"
    shutil.copytree(find(run_of("triatri")), folder)
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({**meta, "net": {**meta["net"], "foresight": True}}))
    with pytest.raises(CheckpointError, match="TriATri has no foresight"):
        load_net(folder, games.get("triatri"))


def test_it_is_refused_where_there_is_none():
    with pytest.raises(ConfigError, match=r"tiny: net\.foresight is false: TriATri has no foresight") as raised:
        tiny("triatri", **WITH)
    assert "\n" not in str(raised.value)
