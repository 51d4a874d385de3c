"""A tournament's config: what the shipped ones say, and one clear line for everything that is wrong."""

import json
import re
from pathlib import Path

import pytest

from tritarea_eval.tournament.config import MOST_AGENTS, LimitsConfig, TournamentConfig, check, load
from tritarea_eval.tournament.schedule import Schedule
from tritarea_train.config import ConfigError, make_as

CONFIGS = sorted((Path(__file__).parents[2] / "configs" / "tournament").glob("*.yaml"))
FOUR = ["random", "greedy", "expert", "search"]


def make(**fields):
    return make_as(TournamentConfig, {"agents": FOUR} | fields, {}, "here.yaml")


def refused(**fields):
    with pytest.raises(ConfigError) as caught:
        make(**fields)
    return str(caught.value)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_configs_are_good(path):
    config = load(path, {})
    here = {name: spec for name, spec in config.agents.items() if not spec.startswith("runs/")}  # the rest is to train
    check(config.model_copy(update={"agents": here}))
    assert Schedule.of(config).games >= 48


def test_a_config_survives_yaml_and_json(tmp_path):
    config = make(
        format="ladder",
        ladder={"new": "expert", "against": "alone"},
        stop={"sprt": {"between": ["expert", "greedy"], "low": -0.1}},
        tables_per_deal="all",
    )
    path = tmp_path / "written.yaml"
    path.write_text(config.to_yaml(), encoding="utf-8")
    assert load(path, {}) == config
    assert make_as(TournamentConfig, json.loads(json.dumps(config.model_dump(mode="json"))), {}, "json") == config


def test_overrides_win(tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text("agents: [random, greedy]\nformat: self\n")
    config = load(path, {"deals": 3, "game.name": "triatri", "game.options.players": 2})
    assert (config.deals, config.game.name, config.game.players) == (3, "triatri", 2)


def test_a_list_of_specs_names_agents_by_them():
    assert make(agents=FOUR).agents == {spec: spec for spec in FOUR}
    assert make(agents={"a": "random", "b": "random", "c": "random", "d": "random"}).names == list("abcd")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"agents": ["random", "random"]}, "agents: 'random' is given twice"),
        ({"agents": ["random", 3]}, "agents: {name: spec, …} or a list of specs, and 3 is none"),
        ({"agents": {"a": 3}}, "agents.a: "),
        ({"agents": []}, "agents: "),
        ({"agents": {str(i): "random" for i in range(MOST_AGENTS + 1)}}, "agents: "),
        ({"agents": {"npc": "random"}}, "agents: an agent's name"),
        ({"agents": {"a\nb": "random"}}, "agents: an agent's name"),
        ({"agents": {" a": "random"}}, "agents: an agent's name"),
        ({"agents": FOUR[:3]}, "agents: round_robin at tables of 4 takes at least 4, not 3"),
        ({"agents": FOUR[:1], "format": "one_vs_rest"}, "agents: one_vs_rest at tables of 4 takes at least 2, not 1"),
        ({"agents": FOUR[:3], "format": "ladder", "ladder": {"new": "greedy"}}, "agents: ladder at tables of 4 takes"),
        ({"format": "swiss"}, "format: "),
        ({"format": "ladder"}, "ladder: goes with format ladder"),
        ({"ladder": {"new": "greedy"}}, "ladder: goes with format ladder"),
        ({"format": "ladder", "ladder": {"new": "gredy"}}, "ladder.new: no agent is named 'gredy'"),
        ({"format": "ladder", "ladder": {"new": "greedy", "against": "all"}}, "ladder.against: "),
        ({"game": {"name": "go"}}, "game: no game is named 'go'"),
        ({"game": {"options": {"players": 1}}}, "game: options.players is at least 2"),
        ({"game": {"options": {"players": 5}}}, "game: players is 1, 2, 3 or 4, not 5"),
        ({"seed": -1}, "seed: "),
        ({"seed": 1 << 64}, "seed: "),
        ({"deals": 0}, "deals: "),
        ({"deals": True}, "deals: "),
        ({"deals": 2.5}, "deals: "),
        ({"tables": "some"}, "tables: "),
        ({"tables_per_deal": 0}, "tables_per_deal: all, or a whole number in 1 … 100,000,000, not 0"),
        ({"tables_per_deal": "most"}, "tables_per_deal: all, or a whole number in 1 … 100,000,000, not 'most'"),
        ({"tables_per_deal": True}, "tables_per_deal: "),
        ({"seating": "none"}, "seating: "),
        ({"failure": "ignore"}, "failure: "),
        ({"limits": {"seconds": 0}}, "limits.seconds: "),
        ({"limits": {"start_seconds": float("nan")}}, "limits.start_seconds: "),
        ({"limits": {"memory_mb": 1.5}}, "limits.memory_mb: "),
        ({"bootstrap": 99}, "bootstrap: "),
        ({"wave": 0}, "wave: "),
        ({"stop": {}}, "stop: give one of width and sprt"),
        ({"stop": {"width": {"between": ["random", "greedy"]}}}, "stop.width.below: "),
        ({"stop": {"width": {"between": ["random", "random"], "below": 1}}}, "stop.width.between: two agents, not"),
        ({"stop": {"width": {"between": ["random"], "below": 1}}}, "stop.width.between: "),
        ({"stop": {"sprt": {"between": ["random", "x"]}}}, "stop.sprt.between: no agent is named 'x'"),
        ({"stop": {"sprt": {"between": ["random", "greedy"], "low": 0.1}}}, "stop.sprt: low 0.1 is not below high"),
        ({"stop": {"sprt": {"between": ["random", "greedy"], "alpha": 0.5}}}, "stop.sprt.alpha: "),
        ({"workers": 2}, "workers: there is no such field"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(value)[:40],
)
def test_what_is_wrong_is_told_in_one_line_by_its_field(fields, told):
    message = refused(**fields)
    assert message.startswith(f"here.yaml: {told}")
    assert "\n" not in message
    assert message.count("here.yaml") == 1


def test_agents_are_looked_up_by_check():
    with pytest.raises(ConfigError, match=r"^agents.b: no agent is named 'gredy'"):
        check(make(agents={"a": "greedy", "b": "gredy"}, format="one_vs_rest"))
    with pytest.raises(ConfigError, match=r"^game.options.npc: no agent is named 'nobody'"):
        check(make(game={"options": {"players": 3, "npc": "nobody"}}))


def test_the_docs_configs_are_good_and_their_table_has_every_field(tmp_path):
    text = (CONFIGS[0].parents[2] / "docs" / "tournaments.md").read_text()
    blocks = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    for number, block in enumerate(blocks):
        path = tmp_path / f"{number}.yaml"
        path.write_text(block)
        Schedule.of(load(path, {}))
    first_cells = re.findall(r"^\| (`[a-z_.]+`(?:, `[a-z_.]+`)*) \|", text, re.MULTILINE)
    told = {name for cell in first_cells for name in re.findall(r"`([a-z_.]+)`", cell)}
    assert {field.split(".")[0] for field in told} >= set(TournamentConfig.model_fields)
    assert told >= {f"limits.{name}" for name in LimitsConfig.model_fields}
