"""Every code block of the README and the docs runs, warnings as errors; generated tables are those of the code."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tritarea_agents import registry, search
from tritarea_agents.expert.parameters import read
from tritarea_env import games
from tritarea_eval import specs

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DECISIONS = "decisions.parquet"
LINK = re.compile(r"\]\(([^)#:]+)\)")


def blocks(language):
    return [
        pytest.param(code, id=f"{page.name}:{page.read_text()[: found.start()].count(chr(10)) + 2}")
        for page in PAGES
        for found in BLOCK.finditer(page.read_text())
        for kind, code in [found.groups()]
        if kind == language
    ]


@pytest.mark.parametrize("code", blocks("python"))
def test_python_blocks_run(code, tmp_path):
    if DECISIONS in code:
        write_decisions(tmp_path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr


def write_decisions(folder):
    """What the commands of its page have written before a block reads it."""
    write_small_configs(folder)
    for words in commands(ROOT / "docs" / "dataset.md"):
        tritarea(folder, words)


def tritarea(folder, words):
    """Run a command in a folder, warnings as errors."""
    done = subprocess.run(
        [Path(sys.executable).with_name("tritarea"), *words[1:]],
        cwd=folder,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=300,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert done.returncode == 0, (words, done.stderr)


def commands(page):
    return [
        line.split("#")[0].split()
        for kind, code in BLOCK.findall(page.read_text())
        for line in code.splitlines()
        if kind == "sh" and line.startswith("tritarea")
    ]


SMALL = {
    "steps": 2048,
    "n_games": 32,
    "ppo": {"n_steps": 16, "batch_size": 512},
    "imitation": {"steps": 512},
    "evaluation": {"games": 4, "every": 1024},
}
SMALL_STUDY = {
    "overrides": {"steps": 1024, "evaluation.every": 512, "opponents.snapshot_every": 512},
    "seeds": [0],
    "matches": {"games": 8},
}
SMALL_CONFIGS = {
    "train/quick": SMALL,
    "exploit/tritarea": SMALL,
    "studies/smoke": SMALL_STUDY,
    "tournament/smoke": {},
}


def write_small_configs(folder):
    """The configs of the docs' commands with fewer of everything, so that they take seconds."""
    for name, small in SMALL_CONFIGS.items():
        path = Path("configs", f"{name}.yaml")
        config = yaml.safe_load((ROOT / path).read_text())
        for field, smaller in small.items():
            config[field] = config[field] | smaller if isinstance(smaller, dict) else smaller
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(yaml.safe_dump(config))


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda page: page.name)
def test_commands_of_a_page_run(page, tmp_path):
    """In the order in which they stand, in one folder, where later ones find what earlier ones wrote."""
    write_small_configs(tmp_path)
    for words in commands(page):
        tritarea(tmp_path, words)


def test_pages_have_commands():
    assert sum(len(commands(page)) for page in PAGES) >= 25


def test_make_targets_of_the_docs_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        assert set(re.findall(r"^make ([a-z]+)", page.read_text(), re.MULTILINE)) <= targets


@pytest.mark.parametrize("name", games.names())
def test_generated_tables_are_up_to_date(name):
    text = (ROOT / "docs" / f"{name}.md").read_text()
    game = games.get(name)
    for table in (specs.fields_markdown(game), specs.actions_markdown(game)):
        assert table.strip() in text, f"docs/{name}.md: put in what `tritarea spec --game {name} --markdown` prints"
    for number in (game.observation_size, game.state_size, game.actions):
        assert f"({number},)" in text or f"({number})" in text


def shown(value):
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def default_of(module, option, value):
    """As tables show it; one outside the option's range switches it off."""
    low, high = module.RANGES.get(option, (value, value))
    return shown(value) if low <= value <= high else "off"


def allowed(module, option):
    """The range or the choices of an option."""
    ranges, choices = module.RANGES, getattr(module, "CHOICES", {})
    return " … ".join(map(str, ranges[option])) if option in ranges else ", ".join(choices[option])


@pytest.mark.parametrize("name", games.names())
def test_options_of_agents_are_up_to_date(name):
    page = (ROOT / "docs" / "agents.md").read_text()
    greedy = importlib.import_module(f"tritarea_agents.greedy.{name}")
    for option, value in greedy.Parameters()._asdict().items():
        assert f"| `{option}` | {shown(value)} | {allowed(greedy, option)} | " in page
    for option, found in read(name).items():
        off = "" if found.off is None else f"{shown(found.off)} "
        row = f"| `{option}` | {shown(found.value)} | {shown(found.low)} … {shown(found.high)} | {off}| {found.about} |"
        assert row in page


def test_options_of_search_are_up_to_date():
    page = (ROOT / "docs" / "agents.md").read_text()
    defaults = [search.parameters_of(games.get(name))() for name in ("tritarea", "triatri")]
    for option in [*search.RANGES, *search.CHOICES]:
        values = " | ".join(default_of(search, option, getattr(default, option)) for default in defaults)
        assert f"| `{option}` | {values} | {allowed(search, option)} | " in page


def test_every_named_agent_has_a_section():
    headings = re.findall(r"^## `(\w+)`$", (ROOT / "docs" / "agents.md").read_text(), re.MULTILINE)
    assert headings == list(registry.NAMED)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for link in LINK.findall(page.read_text()):
        assert (page.parent / link).exists(), link


def test_the_readme_runs_before_line_40():
    lines = (ROOT / "README.md").read_text().splitlines()
    assert "```python" in lines[:40]
    assert any("make demo" in line for line in lines[:40])
    assert any("make test" in line for line in lines[:40])
