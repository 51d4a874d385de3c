"""Configs: read, overridden, and refused with the field's name."""

import re
from pathlib import Path

import pytest
from tiny import tiny

from tritarea_agents import checkpoint
from tritarea_train import config as limits
from tritarea_train import load_config, train
from tritarea_train.config import ConfigError, TrainConfig, make

CONFIGS = Path(__file__).parents[2] / "configs" / "train"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_configs_are_valid(path):
    assert load_config(path).game.name in path.read_text()


def test_overrides_win_and_reach_inside(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("seed: 1\nppo: {gamma: 0.9, clip: 0.1}\n")
    config = load_config(path, {"seed": 7, "ppo.gamma": 0.99, "net.shared": [8]})
    assert (config.seed, config.ppo.gamma, config.ppo.clip, config.net.shared) == (7, 0.99, 0.1, [8])


def test_whole_and_scientific_numbers_are_numbers(tmp_path):
    (tmp_path / "a.yaml").write_text("ppo: {learning_rate: 1e-4, gamma: 1}\nopponents: {agents: {random: 1}}\n")
    config = load_config(tmp_path / "a.yaml")
    assert (config.ppo.learning_rate, config.ppo.gamma, config.opponents.agents) == (1e-4, 1.0, {"random": 1.0})


def test_limits_are_those_of_checkpoints():
    assert (limits.MOST_LAYERS, limits.MOST_UNITS) == (checkpoint.MOST_LAYERS, checkpoint.MOST_UNITS)


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        ({"evaluation__against": ["random", "nope"]}, "evaluation.against: .*'nope'"),
        ({"opponents__agents": {"nope": 1.0}}, "opponents.agents: .*'nope'"),
        ({"imitation__agent": "nope"}, "imitation.agent: .*'nope'"),
        ({"game__options": {"npc": "nope"}}, "npc: .*'nope'"),
        ({"net__shared": [30_000, 30_000]}, "net: .* at most 50,000,000 weights"),
        ({"net__kind": "cards_board", "net__items": 60_000}, "net: .* at most 50,000,000 weights"),
    ],
)
def test_agents_that_are_not_there_are_told_before_anything_is_written(tmp_path, overrides, told):
    with pytest.raises(ConfigError, match=told):
        train(tiny(**overrides), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_config_survives_its_own_yaml(tmp_path):
    config = TrainConfig(seed=5, steps=77)
    (tmp_path / "a.yaml").write_text(config.to_yaml())
    assert load_config(tmp_path / "a.yaml") == config


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"sed": 1}, "sed: there is no such field"),
        ({"ppo": {"gamma": 1.5}}, "ppo.gamma: .* 1.5"),
        ({"ppo": {"gama": 0.9}}, "ppo.gama: there is no such field"),
        ({"steps": 0}, "steps: .* 0"),
        ({"steps": "many"}, "steps: .*'many'"),
        ({"game": {"name": "chess"}}, "game: no game is named 'chess'"),
        ({"game": {"options": {"players": 9}}}, "game: players is 1, 2, 3 or 4, not 9"),
        ({"game": {"reward": "fame"}}, "game: reward is one of outcome, score, score_delta, settled_delta, not 'fame'"),
        ({"game": {"name": "triatri", "options": {"players": 1}}}, "game: players is 2, 3 or 4, not 1"),
        ({"game": {"name": "triatri", "options": {"npc": "random"}}}, "game: unknown options .'npc'."),
        ({"game": {"name": "triatri", "reward": "score_delta"}}, "game: .* outcome, score, settled_delta, not "),
        ({"net": {"shared": [0]}}, "net.shared.0: "),
        ({"net": {"shared": [8] * 6, "policy": [8] * 6, "value": [8] * 5}}, "net: .* at most 16 layers .* not 17"),
        ({"steps": True}, "steps: .* True"),
        ({"steps": "8"}, "steps: .*'8'"),
        ({"n_games": 8.0}, "n_games: .* 8.0"),
        ({"n_games": 2_000_000}, "n_games: .* 2000000"),
        ({"threads": 5000}, "threads: .* 5000"),
        ({"opponents": {"pool": 5000}}, "opponents.pool: .* 5000"),
        ({"ppo": {"gamma": True}}, "ppo.gamma: a number, not True"),
        ({"net": {"activation": "swish"}}, "net.activation: "),
        ({"opponents": {"agents": {"greedy": -1}}}, "opponents.agents.greedy: "),
        ({"opponents": {"current": 0, "snapshots": 0, "agents": {}}}, "opponents: at least one weight"),
        ({"n_games": 100, "ppo": {"batch_size": 512}}, "ppo.batch_size 512 does not divide .* n_games 100"),
        ({"opponents": {"rule": "best"}}, "opponents.rule: .* 'uniform', 'latest' or 'pfsp', not 'best'"),
        ({"opponents": {"pfsp": "soft"}}, "opponents.pfsp: .* 'soft'"),
        ({"opponents": {"pfsp_power": 0}}, "opponents.pfsp_power: .* 0"),
        ({"opponents": {"play": "best"}}, "opponents.play: .* 'best'"),
        ({"game": {"to_outcome": {"start": 0.5, "end": 0.4}}}, "game.to_outcome: end 0.4 lies before start 0.5"),
        ({"game": {"to_outcome": {"end": 1.5}}}, "game.to_outcome.end: .* 1.5"),
        ({"game": {"to_outcome": {}, "reward": "outcome"}}, "game: to_outcome is for another reward"),
        ({"seed": -1}, "seed: "),
        ({"device": "gpu"}, "device: "),
        ({"net": {"kind": "transformer"}}, "net.kind: .* 'cards_board'"),
        ({"net": {"items": 0}}, "net.items: .* 0"),
        ({"net": {"critic": "both"}}, "net.critic: .* 'oracle'"),
        ({"augment": 1}, "augment: .* 1"),
        ({"steps": 10**30}, "steps: .* 1000000"),
        ({"ppo": {"n_steps": 10**9}}, "ppo.n_steps: .* 1000000000"),
        ({"ppo": {"ent_coef": 1e308}}, r"ppo.ent_coef: .* 1e\+308"),
        ({"opponents": {"current": 1e308, "agents": {"greedy": 1e308}}}, r"opponents.current: .* 1e\+308"),
        ({"evaluation": {"games": 10**9}}, "evaluation.games: .* 1000000000"),
        ({"augment": True}, r"augment is false where .* Tri\*T\*Area on this board has none"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_errors_name_the_file_and_the_field(content, told):
    with pytest.raises(ConfigError, match=r"^here\.yaml: " + told) as raised:
        make(content, {}, "here.yaml")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("text", "told"), [("[1, 2]", "mapping"), ("a: [", "not YAML"), (None, "cannot be read")])
def test_a_file_that_is_no_config(tmp_path, text, told):
    path = tmp_path / "a.yaml"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=f"{re.escape(str(path))}: .*{told}"):
        load_config(path)


@pytest.mark.parametrize("text", ["steps: 5\nseed: 1\nsteps: 6\n", "ppo: {gamma: 1, clip: 0.1, gamma: 0.9}\n"])
def test_a_field_that_stands_twice_is_refused(tmp_path, text):
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"(steps|gamma) stands twice"):
        load_config(tmp_path / "a.yaml")


def test_yaml_runs_no_code(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("seed: !!python/object/apply:os.getpid []\n")
    with pytest.raises(ConfigError, match="not YAML"):
        load_config(path)


BOMB = "a: &a [1, 1]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BOMB, "no aliases"),
        ("[" * 50_000, "not YAML"),
        ("seed: " + "9" * 50_000, "not YAML"),
        ("# " + "x" * 100_000, "at most 100,000 bytes"),
        (f"steps: {['x'] * 10_000}", r"steps: .*\.\.\."),
        ("".join(f"x{i}: 1\n" for i in range(5000)), "there is no such field"),
        ("x" * 50_000 + ": 1", "xxx …|not YAML"),
    ],
    ids=["bomb", "deep", "huge number", "large", "long value", "many fields", "long field"],
)
def test_hostile_files_are_refused_shortly(tmp_path, text, told):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=told) as raised:
        load_config(path)
    assert len(str(raised.value)) < 3000
