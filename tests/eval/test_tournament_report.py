"""A tournament's page and plots: whole, safe, the same for the same games; and its games, looked at again."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from commandline import good, refused, run
from simulated import games_of
from tourneys import config_of, play_to

from tritarea_eval.interval import Estimate
from tritarea_eval.tournament import dataset, parquet
from tritarea_eval.tournament.report import content, drawing, markup, page
from tritarea_eval.tournament.report.content import Report
from tritarea_eval.tournament.report.examples import examples
from tritarea_eval.tournament.store import Failure, read

NASTY = '</script><b onclick="x">& $x$ \'; エ'
EMPTY = {"meta", "circle", "path", "rect", "use", "line"}  # elements that hold nothing


class Reader(HTMLParser):
    """Checks that elements are closed in order, and gathers what there is."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.handle_starttag(tag, attrs)
        if tag != "meta":
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data.strip())


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "a tournament.sqlite"
    agents = {NASTY: "random", "runs/" + "long/" * 18: "random", "first": "eval_agents:First", "other": "random"}
    play_to(path, config_of(agents=agents, deals=10))
    return path


@pytest.fixture(scope="module")
def report(played: Path) -> Report:
    with read(played) as store:
        return content.read(store)


@pytest.fixture(scope="module")
def text(report: Report) -> str:
    return page.written(report)


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without plots, which take long."""
    monkeypatch.setattr(page, "drawn", lambda _: {})


def test_the_page_needs_nothing_and_runs_nothing(text: str) -> None:
    found = Reader(text)
    assert not found.tags & {"script", "link", "img", "iframe", "object", "b"}
    links = [value for name, value in found.attributes if name in ("href", "src", "xlink:href")]
    assert len(links) > 8
    assert {link[0] for link in links} == {"#"}
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert "://" not in text
    assert "default-src 'none'" in dict(found.attributes)["content"] or "default-src &#x27;none&#x27;" in text


def test_what_a_drawing_refers_to_is_in_the_page_once(text: str) -> None:
    names = [value for name, value in Reader(text).attributes if name == "id"]
    assert len(names) == len(set(names))
    wanted = re.findall(r'url\(#([^)"]+)\)', text) + re.findall(r'href="#([^"]+)"', text)
    assert wanted
    assert set(wanted) <= set(names)


def test_drawings_take_the_colours_of_the_page(text: str) -> None:
    body = text.partition("</style>")[2]
    assert "currentColor" in body
    assert "var(--faint)" in body
    for colour in (drawing.INK, drawing.FAINT, drawing.PAPER):
        assert colour not in body


def test_names_are_told_as_they_are_and_shortened_in_plots(text: str) -> None:
    words = Reader(text).words
    assert words.count(NASTY) > 4
    assert sum(drawing.short(NASTY) in word for word in words) > 3


@pytest.mark.usefixtures("undrawn")
def test_messages_are_told_as_they_are(report: Report) -> None:
    message = 'ValueError: <img src="//x" onerror=y> \x1b[31m'
    words = Reader(page.written(report._replace(failures=[Failure(3, 1, 7, 0, "error", message)]))).words
    assert message.replace("\x1b", "\ufffd") in words
    assert words.count(NASTY) > 4


def test_the_same_games_give_the_same_bytes(played: Path, report: Report, text: str, tmp_path: Path) -> None:
    out, plots = tmp_path / "page.html", tmp_path / "plots"
    assert "24 games" in good("report", played, "--out", out, "--plots", plots)
    assert out.read_text(encoding="utf-8") == text
    found = content.drawn(report)
    assert set(found) == {"ranking", "growth", "pairs-share", "pairs-score", "seats", "sources", "luck"}
    assert {path.name for path in plots.iterdir()} == {f"{name}.{kind}" for name in found for kind in ("png", "svg")}
    for name in ("growth", "sources"):
        for path in drawing.save(found[name].draw, found[name].size, tmp_path / name):
            assert path.read_bytes() == (plots / path.name).read_bytes()


@pytest.mark.parametrize(
    ("changes", "absent"),
    [
        ({"agents": {f"agent {i}": "random" for i in range(12)}, "deals": 1}, set()),
        ({"agents": {"a": "random", "b": "random"}, "format": "one_vs_rest", "deals": 1}, set()),
        ({"agents": {"alone": "random"}, "format": "self", "deals": 2}, {"ranking", "pairs-share", "growth"}),
    ],
    ids=["many agents", "one deal", "one agent"],
)
def test_few_and_many(tmp_path: Path, changes: dict[str, Any], absent: set[str]) -> None:
    path = tmp_path / "few.sqlite"
    play_to(path, config_of(**changes))
    with read(path) as store:
        found = content.read(store)
    assert Reader(page.written(found)).words
    assert not absent & set(content.drawn(found))


@pytest.mark.usefixtures("undrawn")
def test_a_tournament_under_way_says_so(report: Report) -> None:
    assert "Not complete: " in page.written(report._replace(planned=10**6))
    assert "Not complete: " not in page.written(report)
    ended = page.written(report._replace(ended="it was clear", planned=10**6))
    assert "Not complete: " not in ended
    assert "with: it was clear." in ended


def test_without_matplotlib_one_line(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert 'plots need matplotlib: pip install "tritarea[plots]"' in refused("report", played)


def test_what_is_no_tournament_is_refused(tmp_path: Path, played: Path) -> None:
    path = tmp_path / "none.sqlite"
    assert "there is no file" in refused("report", path)
    path.write_text("{}\n")
    assert "no tournament's file" in refused("report", path)
    assert "no folder" in refused("report", played, "--out", tmp_path / "nowhere" / "page.html")


def test_games_worth_a_look() -> None:
    holders = np.array([[0, 1, 2]] * 4)
    scores = np.array([[30, 20, 10], [9, 50, 1], [12, 11, 10], [1, 2, 9]])
    games = games_of(holders, scores, np.arange(4))
    games.decisions[0] += 1
    found = {example.why.partition(":")[0]: example.game for example in examples(games, np.array([100.0, 0, -100]))}
    assert found == {
        "the closest": 2, "the clearest": 1, "the highest score": 1, "the longest": 0, "the greatest upset": 3
    }  # fmt: skip
    games.failed[:, 0] = True
    assert [example.game for example in examples(games, np.zeros(3))] == [0]


def test_labels_keep_apart_and_in_order() -> None:
    assert drawing.spread([5.0, 1.0, 9.0], 2.0) == [5.0, 1.0, 9.0]
    places = np.random.default_rng(0).normal(size=20).tolist()
    moved = drawing.spread(places, 0.5)
    assert np.argsort(moved).tolist() == np.argsort(places).tolist()
    assert np.diff(np.sort(moved)).min() > 0.5 - 1e-9
    assert drawing.spread([1.0, 1.0], 2.0) == [0.0, 2.0]


def test_numbers_in_words() -> None:
    assert markup.number(-0.04, 1) == "0.0"
    assert markup.number(-1234.5, 1) == "−1,234.5"
    assert markup.shown(Estimate(0.5, 0.25, 0.75), 2) == "0.50 (0.25 … 0.75)"
    assert markup.shown(Estimate(2, None, None), 0, sign=True) == "+2"
    assert drawing.short("a" * 50 + "end") == "aaaaaaa…aaaaaaaaaaaaaend"
    assert drawing.short("short") == "short"


def test_any_game_is_replayed(played: Path, tmp_path: Path) -> None:
    told = good("replay", played, "--game", 5)
    assert "The record is right." in told
    assert re.search(r"^Seat 0: .*\nSeat 1: ", told)
    assert "say which game by --game ID" in refused("replay", played)
    assert "say which game by --game ID" in refused("replay", played, "--game-number", 1)
    assert "there is no game 100000" in refused("replay", played, "--game", 100_000)
    records = tmp_path / "games.jsonl"
    records.write_text("{}\n")
    assert "by --game-number" in refused("replay", records, "--game", 1)


def test_decisions_of_a_file(played: Path, tmp_path: Path) -> None:
    out = tmp_path / "decisions.parquet"
    with read(played) as store:
        games = store.games()
    assert f"{games.decisions.sum():,} decisions" in good("dataset", played, out)
    rows = pl.read_parquet(out)
    counted = rows.group_by("game", maintain_order=True).len()
    assert counted["game"].to_list() == games.id.tolist()
    assert counted["len"].to_list() == games.decisions.sum(axis=1).tolist()
    assert pl.read_parquet_metadata(out)["game"] == "triatri"
    good("dataset", played, out, "--agent", NASTY)
    assert pl.read_parquet(out).equals(rows.filter(pl.col("agent") == NASTY))
    assert "no agent is named 'me'" in refused("dataset", played, out, "--agent", "me")


def test_decisions_that_are_interrupted_leave_nothing(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does anything read a file that is closed by then."""
    handed, hand_over = [0], parquet._hand_over

    def interrupted(*arguments: Any) -> bool:
        handed[0] += 1
        if handed[0] == 2:
            raise KeyboardInterrupt
        return hand_over(*arguments)

    monkeypatch.setattr(parquet, "_hand_over", interrupted)
    monkeypatch.setattr(dataset, "AT_ONCE", 4)
    result = run("dataset", played, tmp_path / "decisions.parquet")
    assert (result.exit_code, result.stderr.strip()) == (130, "error: stopped")
    assert not list(tmp_path.iterdir())
