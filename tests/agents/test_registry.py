"""Agents by spec: names, options, modules, folders, and what the errors say."""

import sys
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from playing import many_views

from tritarea_agents import make, registry
from tritarea_agents.greedy.tritarea import Parameters
from tritarea_agents.registry import parse_options
from tritarea_env import games

GAME = games.get("tritarea")
ALL = [games.get(name) for name in games.names()]
DEFAULTS = Parameters()


class Sampling(NamedTuple):
    """As the options of a checkpoint."""

    sample: bool = False


class OneAtATime:
    """A simple agent: the lowest legal action."""

    def act(self, observation, mask):
        assert observation.dtype == np.float32
        assert (observation.shape, mask.shape) in [((game.observation_size,), (game.actions,)) for game in ALL]
        assert observation.min() >= 0
        assert observation.max() <= 1
        assert mask.dtype == np.int8
        mask[:] = mask  # its own to write to
        return int(np.flatnonzero(mask)[0])


class ManyAtOnce:
    def act(self, views):
        return views.mask.argmax(axis=1)


class WithGame:
    def __init__(self, game):
        self.game = game

    def act(self, views):
        assert self.game is views.game
        return views.mask.argmax(axis=1)


class Broken:
    def __init__(self):
        raise OSError("no weights here")


class Called:
    """Callable and with ``act``: ``act`` counts."""

    def __call__(self, observation, mask):
        raise AssertionError

    def act(self, observation, mask, temperature=1.0):
        return mask.argmax()


@pytest.fixture
def module(monkeypatch):
    made = ModuleType("my_module")
    made.OneAtATime, made.ManyAtOnce, made.WithGame = OneAtATime, ManyAtOnce, WithGame
    made.Broken = Broken
    made.ready, made.called = OneAtATime(), Called()
    made.choose = lambda observation, mask: mask.argmax()
    made.choose_all = lambda views: views.mask.argmax(axis=1)
    made.word, made.three = "word", lambda a, b, c: 0
    monkeypatch.setitem(sys.modules, "my_module", made)
    return made


NAMES = ["OneAtATime", "ManyAtOnce", "WithGame", "ready", "called", "choose", "choose_all"]


@pytest.mark.parametrize("game", ALL, ids=games.names())
@pytest.mark.parametrize("name", NAMES)
def test_anything_that_decides_becomes_an_agent(module, name, game):
    _, views = many_views(game, 10)
    chosen = make(f"my_module:{name}", game).act(views)
    assert (np.asarray(chosen) == views.mask.argmax(axis=1)).all()
    assert (views.mask.sum(axis=1) > 0).all()


@pytest.mark.parametrize("name", ["word", "three"])
def test_what_decides_nothing_is_refused(module, name):
    with pytest.raises(ValueError, match=rf"my_module:{name} is no agent: it needs act\(views\) or act\(observation"):
        make(f"my_module:{name}", GAME)


def test_an_agent_that_cannot_be_made_is_named_with_the_cause(module):
    with pytest.raises(ValueError, match="my_module:Broken cannot be made: OSError: no weights here") as caught:
        make("my_module:Broken", GAME)
    assert isinstance(caught.value.__cause__, OSError)


def test_a_simple_agent_answers_whole_numbers(module):
    module.choose = lambda observation, mask: 0.5
    with pytest.raises(TypeError, match="float"):
        make("my_module:choose", GAME).act(many_views(GAME, 1)[1])


def test_a_module_in_the_working_folder_is_found(tmp_path, monkeypatch):
    (tmp_path / "agent_of_mine.py").write_text("def choose(observation, mask):\n    return mask.argmax()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert make("agent_of_mine:choose", GAME)


def test_options_are_typed():
    assert parse_options("greedy", Parameters, "") == DEFAULTS
    read = parse_options("greedy", Parameters, "block=3, samples=24")
    assert read == DEFAULTS._replace(block=3.0, samples=24)
    assert [type(value) for value in read] == [type(value) for value in DEFAULTS]
    assert make("greedy:block=3,samples=24", GAME).parameters == read


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("greedy:blok=3", "no option 'blok'; its options .*block=.*samples="),
        ("greedy:3", "no option '3'"),
        ("greedy:samples=2.5", "'samples' is a whole number, not '2.5'"),
        ("greedy:block=many", "'block' is a finite number, not 'many'"),
        ("greedy:block", "as key=value, not 'block'"),
        ("greedy:block=1,block=2", "written once"),
        ("greedy:samples=0", "samples is 1 … 100000, not 0"),
        ("greedy:samples=100001", "samples is 1 … 100000, not 100001"),
        ("greedy:block=1001", "block is -1000 … 1000, not 1001"),
        ("greedy:block=-1e300", "block is -1000 … 1000"),
        ("greedy:use=-0.1", "use is 0 … 100, not -0.1"),
        ("greedy:use=101", "use is 0 … 100, not 101"),
        ("greedy:fade=1.1", "fade is 0 … 1, not 1.1"),
        ("greedy:fade=-0.1", "fade is 0 … 1, not -0.1"),
        ("greedy:block=nan", "finite"),
        ("random:seed=3", "its options .with defaults.: none"),
        (
            "greedyy",
            "no agent is named 'greedyy'; there is random, greedy, expert, search, a checkpoint folder, exec:program",
        ),
        ("", "no agent is named ''"),
        ("no_such_module:Agent", "no agent and no module is named 'no_such_module'"),
        ("numpy:NoSuchThing", "'numpy' has no 'NoSuchThing'"),
        ("..:x", "no agent is named '..:x'"),
        (".x:y", "no agent is named '.x:y'"),
        ("my module:x", "no agent is named 'my module:x'"),
        ("runs/none", "no folder 'runs/none'"),
    ],
)
def test_a_wrong_spec_is_told_what_is_right(spec, message):
    with pytest.raises(ValueError, match=message):
        make(spec, GAME)


def test_known_names_win_over_modules_and_folders(module, tmp_path, monkeypatch):
    (tmp_path / "greedy").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "greedy", module)
    assert make("greedy", GAME).parameters == DEFAULTS
    assert make("greedy:block=1", GAME).parameters.block == 1


def test_a_folder_is_a_checkpoint(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="holds no agent"):
        make(str(tmp_path), GAME)
    policy = ModuleType("tritarea_agents.policy")
    policy.Parameters = Sampling
    policy.load = lambda path, game, parameters, options: (path, parameters.sample, options)
    monkeypatch.setitem(sys.modules, "tritarea_agents.policy", policy)
    (tmp_path / "checkpoints").mkdir()
    assert make(str(tmp_path), GAME) == (str(tmp_path), False, None)
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "policy.safetensors").touch()
    monkeypatch.chdir(tmp_path)
    assert make("one:sample=true", GAME, {"players": 4}) == ("one", True, {"players": 4})
    with pytest.raises(ValueError, match="agent 'one' has no option 'depth'"):
        make("one:depth=3", GAME)


def test_an_agent_that_a_game_lacks_is_named(monkeypatch):
    monkeypatch.setitem(registry.NAMED, "expert", "tritarea_agents.greedy.no_expert_of_{game}")
    with pytest.raises(ValueError, match="has no agent 'expert'"):
        make("expert", GAME)


def test_the_game_may_be_given_by_name():
    assert make("greedy:samples=2", "triatri").parameters == make("greedy:samples=2", games.get("triatri")).parameters
