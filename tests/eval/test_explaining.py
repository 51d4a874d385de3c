"""``--explain``: what an agent thinks of a decision, in ``replay`` and ``play``, and from whose view."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import good, refused, run
from eval_agents import First
from helpers import options_of, positions
from permute import PERMUTE

from tritarea_agents.registry import NAMED, make
from tritarea_agents.search import Thought
from tritarea_env import games, records
from tritarea_env.aec import GameEnv
from tritarea_eval.explaining import EXPLAINERS, SHOWN, Explainer
from tritarea_eval.match import play_match

SEARCH = "search:sims=20"
in_games = pytest.mark.parametrize(("name", "players"), [("tritarea", 4), ("triatri", 3)])
DECISION = re.compile(r"^ *(\d+)  seat (\d): .*\n((?: {12}[> ] \S.*\n)*)", re.MULTILINE)
HEAD = re.compile(r" {14}action +visits +share +value")
ROW = re.compile(r" {12}([> ]) (\S.*?) +(\d+) +(\d+\.\d)%(?: +([+-]\d+\.\d{3}))?")


class Mute(First):
    """Has nothing to say when it is asked."""

    def explain(self) -> list[Thought]:
        raise RuntimeError("no idea")


class Rubbish(First):
    """Explains itself by what stands in the class, which is not what is asked for."""

    found: Any = None

    def explain(self) -> Any:
        return self.found


class Sure(First):
    """Knows from the start, and has a net's priors."""

    def act(self, views: Any) -> Any:
        self.legal = [np.flatnonzero(row) for row in views.mask]
        return super().act(views)

    def explain(self) -> list[Thought]:
        return [self.thought(legal) for legal in self.legal]

    def thought(self, legal: Any) -> Thought:
        first = np.arange(len(legal)) == 0
        return Thought(legal, 8 * first, np.where(first, 0.5, np.nan), np.where(first, 0.75, 0.0))


def tables(shown: str) -> dict[int, list[tuple[str, ...]]]:
    """The rows of each decision that is explained, by its number."""
    found = {}
    for number, _, table in DECISION.findall(shown):
        if table:
            head, *lines = table.splitlines()
            assert HEAD.fullmatch(head)
            rows = [ROW.fullmatch(line) for line in lines]
            found[int(number)] = [row.groups() for row in rows if row]
            assert all(rows)
    return found


def choices(record: records.Record) -> dict[int, tuple[int, int, list[int]]]:
    """(seat, action, legal actions) of the decisions that had a choice, by number."""
    return {
        number: (seat, action, legal)
        for number, (_, legal, seat, action) in enumerate(records.replay(record))
        if seat is not None and action is not None and len(legal) > 1
    }


# -------------------------------------------------------------------------------------------- replay


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tritarea", {}),
        ("tritarea", {"players": 2, "npc": "random"}),
        ("triatri", {"players": 2}),
        ("triatri", {"players": 3}),
    ],
)
def test_every_choice_of_a_record_is_explained(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    path, names = tmp_path / "games.jsonl", games.get(name).action_names
    play_match(name, ["random", "random"], games=1, seed=1, out=path, options=options)
    shown = good("replay", path, "--explain", SEARCH)
    assert f"explained by {SEARCH}" in shown.splitlines()[0]
    found, made = tables(shown), choices(records.read(path)[0])
    assert found.keys() == made.keys()
    for number, (_, action, legal) in made.items():
        rows = found[number]
        assert [row[1] for row in rows if row[0] == ">"] == [names[action]]
        assert {row[1] for row in rows} <= {names[a] for a in legal}
        assert min(SHOWN, len(legal)) <= len(rows) <= SHOWN + 1
        visits = [int(row[2]) for row in rows]
        assert visits == sorted(visits, reverse=True)
        assert len(legal) > SHOWN or sum(visits) == 20
        assert all(float(row[3]) == 5 * int(row[2]) and (row[4] is None) == (row[2] == "0") for row in rows)
    assert good("replay", path, "--explain", SEARCH) == shown
    without = re.sub(r"^ {12}[> ] \S.*\n", "", shown, flags=re.MULTILINE)
    assert without.splitlines()[1:] == good("replay", path).splitlines()[1:]


@in_games
def test_from_a_seat_only_its_own_decisions_are_explained(tmp_path: Path, name: str, players: int) -> None:
    path = tmp_path / "games.jsonl"
    play_match(name, ["random", "random"], games=1, seed=1, out=path, options={"players": players})
    whole = tables(good("replay", path, "--explain", SEARCH))
    made = choices(records.read(path)[0])
    for viewer in range(players):
        found = tables(good("replay", path, "--explain", SEARCH, "--from-seat", viewer))
        assert found == {number: rows for number, rows in whole.items() if made[number][0] == viewer}


@pytest.mark.parametrize("name", games.names())
def test_hidden_cards_change_nothing(tmp_path: Path, name: str) -> None:
    """Games begun from positions that the seat to move cannot tell from each other, with other deals to come."""
    differ = explained = 0
    for number, state in enumerate(positions(name, 40)):
        here, seat = games.get(name).to_position(state[0]), int(state.seat[0])
        worlds = [here, PERMUTE[name](here, seat, np.random.default_rng(number))]
        shown = []
        for seed, there in enumerate(worlds):
            record = begun(name, state, there, seed)
            if record["scores"] is None:  # the end shows all
                records.write(tmp_path / "game.jsonl", [record])
                shown.append(good("replay", tmp_path / "game.jsonl", "--from-seat", seat, "--explain", SEARCH))
        assert len(set(shown)) <= 1
        differ += worlds[0] != worlds[1]
        explained += len(tables("".join(shown)))
    assert differ > 20 < explained


def begun(name: str, state: np.recarray, there: dict[str, Any], seed: int) -> records.Record:
    """The record of a game from a position after its first decision."""
    options = options_of(name, state)
    env = GameEnv(name, **{**options, "players": games.get(name).seats_of(options)})
    env.reset(seed=seed, options={"position": there})
    env.step(int(env.last()[0]["action_mask"].argmax()))
    record: records.Record = env.record()
    return record


def test_priors_are_shown_and_what_was_never_tried_has_no_value(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    play_match("tritarea", ["random", "random"], games=1, seed=1, out=path)
    shown = good("replay", path, "--explain", "test_explaining:Sure")
    assert re.search(r"^ {14}action   visits   share   value  prior$", shown, re.MULTILINE)
    assert re.search(r"^ {12}. card \S\d +8  100\.0%  \+0\.500  75\.0%$", shown, re.MULTILINE)
    assert re.search(r"^ {12}> card \S\d +0    0\.0%           0\.0%$", shown, re.MULTILINE)
    assert "nan" not in shown


# ---------------------------------------------------------------------------------------------- play


@in_games
def test_play_gives_hints_at_own_choices_only(tmp_path: Path, name: str, players: int) -> None:
    arguments = ("play", "--game", name, "--players", players, "--seat", 1, "--opponents", "random", "--seed", 7)
    shown = good(*arguments, "--out", tmp_path / "a.jsonl", "--explain", SEARCH, typed="1\n" * 80)
    good(*arguments, "--out", tmp_path / "b.jsonl", typed="1\n" * 80)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    own = [legal for seat, _, legal in choices(records.read(tmp_path / "a.jsonl")[0]).values() if seat == 1]
    hints = re.findall(rf"^{SEARCH} thinks:\n  action .*\n((?:  .*\n)+)> 1$", shown, flags=re.MULTILINE)
    assert len(hints) == len(own) == shown.count("thinks:")
    for hint, legal in zip(hints, own, strict=True):
        rows = re.findall(r"^ +(\d+) (\S.*?) {2,}\d+ ", hint, flags=re.MULTILINE)
        names = [games.get(name).action_names[action] for action in legal]
        assert len(rows) == len(hint.splitlines()) == min(SHOWN, len(legal))
        assert all(names[int(number) - 1] == action for number, action in rows)


def test_the_hint_comes_again_with_the_board() -> None:
    shown = good("play", "--seed", 7, "--opponents", "random", "--explain", SEARCH, typed="b\n?\nq\n")
    first, second = re.findall(r"thinks:\n((?:  .*\n)+)", shown)
    assert first == second


# ----------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("name", games.names())
def test_which_agents_explain_themselves(name: str) -> None:
    found = set()
    for spec in NAMED:
        with suppress(ValueError):  # this game has none of that name
            found |= {spec} if isinstance(make(spec, games.get(name)), Explainer) else set()
    assert found == set(EXPLAINERS)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("greedy", "greedy does not explain itself; search does, and any agent with act(views) and explain()"),
        ("eval_agents:First", "eval_agents:First does not explain itself; search does"),
        ("nobody", "no agent is named 'nobody'"),
        ("search:sims=0", "search: sims is 1"),
        ("", "no agent is named ''"),
    ],
)
def test_what_cannot_explain_is_refused_at_once(tmp_path: Path, spec: str, says: str) -> None:
    path = tmp_path / "games.jsonl"
    play_match("tritarea", ["random", "random"], games=1, seed=1, out=path)
    for command in (["replay", path], ["play", "--out", tmp_path / "new.jsonl"]):
        assert says in refused(*command, "--explain", spec)
        assert run(*command, "--explain", spec).stdout == ""
    assert not (tmp_path / "new.jsonl").exists()


ONE = Thought(np.array([0]), np.array([1]), np.array([0.5]), None)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (None, "cannot unpack non-iterable NoneType object"),
        ([], "not enough values to unpack (expected 1, got 0)"),
        ([ONE, ONE], "too many values to unpack (expected 1"),
        (ONE, "too many values to unpack (expected 1"),
        (["win"], "'str' object has no attribute 'actions'"),
        ([ONE._replace(visits=None)], "a row of whole numbers is wanted, not None"),
        ([ONE._replace(actions=[0.5])], "a row of whole numbers is wanted, not [0.5]"),
        ([ONE._replace(values=["good"])], "a row of numbers is wanted, not ['good']"),
        ([ONE._replace(values=[[1], [2, 3]])], ""),
        ([ONE._replace(priors=[0.5, 0.5])], "these are not of one length"),
        ([ONE._replace(actions=[12345])], "actions are legal ones, each once, not [12345]"),
    ],
)
def test_what_is_no_explanation_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, found: Any, says: str) -> None:
    monkeypatch.setattr(Rubbish, "found", found)
    spec = "test_explaining:Rubbish"
    result = run("play", "--explain", spec, "--seed", 7, "--opponents", "random")
    assert result.exit_code == 1
    assert result.stderr.startswith(
        f"error: {spec} failed in seat 0: ValueError: explain() must return a list with one"
    )
    assert says in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_explainer_that_fails_is_named(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    told = "error: test_explaining:Mute failed in seat 0: RuntimeError: no idea\n"
    result = run("play", "--explain", "test_explaining:Mute", "--seed", 7, "--opponents", "random", "--out", path)
    assert (result.exit_code, result.stderr) == (1, told)
    records.check(records.read(path)[0])
    good("play", "--seed", 7, "--opponents", "random", "--out", path, typed="1\n")
    result = run("replay", path, "--from-seat", 0, "--explain", "test_explaining:Mute")
    assert (result.exit_code, result.stderr) == (1, told)
