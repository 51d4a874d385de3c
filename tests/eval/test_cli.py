"""The command line, as a user meets it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commandline import good, refused, run

import tritarea_env
from tritarea_env import games, records
from tritarea_eval.match import play_match

COMMANDS = ("train", "match", "play", "replay", "spec", "demo", "bench", "runs")
in_games = pytest.mark.parametrize(("name", "players"), [("tritarea", 4), ("triatri", 3)])


# ---------------------------------------------------------------------------------------- in general


def test_version() -> None:
    assert good("--version") == f"tritarea {tritarea_env.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    shown = good(command, "--help")
    assert re.search(rf"Example:\n +tritarea {command}", shown)
    assert command in good("--help")


def test_start_is_light() -> None:
    code = """if True:
        import sys
        from tritarea_eval.cli import main
        sys.argv = ["tritarea", sys.argv[1]]
        try:
            main()
        except SystemExit:
            pass
        heavy = {"torch", "numba", "numpy", "gymnasium", "tritarea_env"} & set(sys.modules)
        assert not heavy, heavy
    """
    for flag in ("--version", "--help"):
        done = subprocess.run([sys.executable, "-c", code, flag], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert "tritarea" in done.stdout


@pytest.mark.parametrize("command", [c for c in COMMANDS if c not in ("replay", "spec", "bench", "runs")])
def test_commands_that_draw_have_a_seed(command: str) -> None:
    """The bench measures only time."""
    assert "--seed" in good(command, "--help")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "greedy", "nobody"], "no agent is named 'nobody'"),
        (["match", "greedy"], "between two agents or 4, not 1"),
        (["match", "random", "random", "--seed", "-1"], "--seed"),
        (["match", "random", "random", "--games", "0"], "--games"),
        (["match", "random", "random", "--game", "chess"], "no game is named 'chess'"),
        (["match", "random", "random", "--option", "players"], "NAME=VALUE, not 'players'"),
        (["match", "random", "random", "--option", "players=9"], "players is 1, 2, 3 or 4, not 9"),
        (["match", "random", "random", "--players", "9"], "players is 1, 2, 3 or 4, not 9"),
        (["match", "random", "random", "--game", "triatri", "--players", "1"], "players is 2, 3 or 4, not 1"),
        (["match", "random", "random", "--players", "2", "--option", "players=3"], "players is given twice"),
        (["match", "random", "--game", "triatri", "--players", "2"], "between two agents, not 1"),
        (["match", "random", "random", "--out", "nowhere/x.jsonl"], "there is no folder 'nowhere'"),
        (["play", "--opponents", "random", "--out", "nowhere/x.jsonl"], "there is no folder 'nowhere'"),
        (["replay", "nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["play", "--seat", "4"], "--seat is 0 … 3, not 4"),
        (["play", "--game", "triatri", "--players", "2", "--seat", "2"], "--seat is 0 … 1, not 2"),
        (["bench", "--game", "triatri", "--players", "5"], "players is 2, 3 or 4, not 5"),
        (["play", "--opponents", "nobody"], "no agent is named 'nobody'"),
        (["play", "--opponents", "random", "--opponents", "greedy"], "given once, or 3 times, not 2 times"),
        (["spec", "--game", "chess"], "no game is named 'chess'"),
        (["bench", "--game", "chess"], "no game is named 'chess'"),
        (["train", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: list[str], message: str) -> None:
    assert message in refused(*arguments)


@pytest.mark.parametrize("command", [("match", "random", "eval_agents:Illegal"), ("play", "--opponents", "random")])
def test_out_is_checked_before_a_game_is_played(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent that fails would end the match otherwise, and the play would ask for a move."""
    assert f"'{tmp_path}' cannot be written: Is a directory" in refused(*command, "--out", tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "games.jsonl")
    assert "link' cannot be written: No such file" in refused(*command, "--out", tmp_path / "link")

    def locked(**how: Any) -> None:
        raise PermissionError(13, "Permission denied", how["dir"])

    monkeypatch.setattr("tempfile.TemporaryFile", locked)  # a locked folder is open to root
    assert "games.jsonl' cannot be written: Permission denied" in refused(*command, "--out", tmp_path / "games.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


@pytest.mark.parametrize("agent", ["random", "eval_agents:Illegal"])
def test_out_may_be_a_device(agent: str, tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    result = run("match", "random", agent, "--games", 4, "--out", tmp_path / "null")
    assert result.exit_code == (0 if agent == "random" else 1)
    assert Path("/dev/null").is_char_device()
    assert [path.name for path in tmp_path.iterdir()] == ["null"]
    for kept in re.findall(r"The game so far is in (\S+\.jsonl)\.", result.stderr):
        Path(kept).unlink()


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.delitem(sys.modules, "tritarea_eval.interval", raising=False)
    monkeypatch.delitem(sys.modules, "tritarea_eval.match", raising=False)
    assert refused("match", "random", "random") == 'error: this needs scipy: pip install "tritarea[eval]"'


# ------------------------------------------------------------------------------------------- match


@in_games
def test_match_prints_its_numbers(name: str, players: int) -> None:
    games = 20 * players
    options = ("--game", name, "--players", players)
    shown = good("match", "random", "random", "--games", games, "--seed", 3, *options)
    result = play_match(name, ["random", "random"], games=games, seed=3, options={"players": players})
    share = result.agents[0].share
    assert f"{share.mean:.3f}" in shown
    assert f"({share.low:.3f}-{share.high:.3f})" in shown
    assert f"{games} games on 20 deals, seed 3" in shown


def test_match_as_json() -> None:
    shown = good("match", "random", "random", "--games", 6, "--option", "players=3", "--option", "npc=random", "--json")
    content = json.loads(shown)
    assert (content["games"], content["options"]) == (6, {"players": 3, "npc": "random"})
    assert [agent["agent"] for agent in content["agents"]] == ["A random", "B random"]
    other = good("match", "random", "random", "--games", 6, "--players", 3, "--option", "npc=random", "--json")
    assert json.loads(other) == content


@in_games
def test_same_seed_same_bytes(tmp_path: Path, name: str, players: int) -> None:
    """In two processes."""
    shown = []
    command = [sys.executable, "-m", "tritarea_eval.cli", "match", "greedy", "random", "--games", str(2 * players)]
    command += ["--game", name, "--players", str(players), "--seed", "5", "--json"]
    for file, hashing in (("a", "1"), ("b", "2")):
        done = subprocess.run(
            [*command, "--out", tmp_path / file],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": hashing},
        )
        shown.append(done.stdout)
    assert shown[0] == shown[1]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert len(records.read(tmp_path / "a")) == 2 * players


@in_games
@pytest.mark.parametrize("with_out", [True, False])
def test_failing_agent(tmp_path: Path, with_out: bool, name: str, players: int) -> None:
    out = ["--out", tmp_path / "games.jsonl"] if with_out else []
    options = ("--game", name, "--players", players)
    result = run("match", "random", "eval_agents:Illegal", "--games", 4, *options, *out)
    assert result.exit_code == 1
    (line,) = result.stderr.strip().splitlines()
    assert "'B eval_agents:Illegal' failed in seat" in line
    path = re.search(r"The game so far is in (\S+\.jsonl)\.", line)
    assert path
    assert not with_out or path[1] == str(tmp_path / "games-failed.jsonl")
    assert "The game was broken off here." in good("replay", path[1])
    Path(path[1]).unlink()


@pytest.mark.parametrize(
    ("number", "code", "says"), [(signal.SIGINT, 130, "error: stopped"), (signal.SIGTERM, 143, "")]
)
def test_stopped_by_a_signal(number: signal.Signals, code: int, says: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tritarea_eval.cli", "match", "random", "random", "--games", "100000000"]
    running = subprocess.Popen(
        [*command, "--out", str(tmp_path / "games.jsonl")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)  # until it has begun to write
    running.send_signal(number)
    stdout, stderr = running.communicate(timeout=60)
    assert (running.returncode, stdout, stderr.strip()) == (code, "", says)
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------ play, replay


PLAYED = [  # seats, and the titles of the tables of points that are shown
    ("tritarea", 4, ["Round 1", "Round 2", "Round 3", "The end"]),
    ("triatri", 2, ["The end"]),
    ("triatri", 3, ["The end"]),
    ("triatri", 4, ["The end"]),
]


@pytest.mark.parametrize(("name", "players", "titles"), PLAYED)
def test_play_to_the_end(tmp_path: Path, name: str, players: int, titles: list[str]) -> None:
    options = ("--game", name, "--players", players)
    arguments = ("play", *options, "--seat", 1, "--opponents", "random", "--seed", 7)
    shown = good(*arguments, "--out", tmp_path / "a.jsonl", typed="1\n" * 80)
    assert "You are seat 1; seat 0: random" in shown
    assert re.findall(r"^(Round \d|The end) *$", shown, flags=re.MULTILINE) == titles
    assert re.search(r"\(a hidden choice, phase (declare|bid)\)", shown)
    assert re.search(r"Won by seat|You win|You share the win", shown)
    (record,) = records.read(tmp_path / "a.jsonl")
    records.check(record)
    assert all(action == legal[0] for _, legal, seat, action in records.replay(record) if seat == 1)
    good(*arguments, "--out", tmp_path / "b.jsonl", typed="1\n" * 80)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


@in_games
def test_play_shows_no_hidden_card(name: str, players: int) -> None:
    options = ("--game", name, "--players", players)
    shown = good("play", *options, "--opponents", "random", "--seed", 7, typed="1\n" * 80)
    boards = re.findall(r"^([123]) .*  (\S.*)$", shown, flags=re.MULTILINE)
    hands = [hand for _, hand in boards if re.search(r"\b([BYGR][1-9]|im)\b", hand)]
    assert len(boards) > 30
    assert not hands


def test_play_understands_names_numbers_and_ids(tmp_path: Path) -> None:
    out = tmp_path / "game.jsonl"
    hand = tritarea_hand()
    names = [f"{'BYGR'[card // 9]}{card % 9 + 1}" for card in hand]
    typed = f"?\nfoo\n\n99\n#81\ncard\nb\n{names[2].lower()}\nq\n"
    shown = good("play", "--opponents", "random", "--seed", 7, "--out", out, typed=typed)
    for answer in ("the action's id with a hash", "No legal action is named 'foo'", "The list goes from 1 to 8",
                   "#81 is not legal now", "'card' may mean card", "the game is not finished"):  # fmt: skip
        assert answer in shown
    (record,) = records.read(out)
    assert record["scores"] is None
    assert next(action for seat, action in record["actions"] if seat == 0) == hand[2]
    for answer in (f"card {names[2]}", f"#{hand[2]}", "3"):
        good("play", "--opponents", "random", "--seed", 7, "--out", out, typed=f"{answer}\n")
        assert records.read(out)[0] == record


def tritarea_hand() -> list[int]:
    """The hand of seat 0 with seed 7."""
    from tritarea_env.aec import GameEnv

    env = GameEnv("tritarea", npc="random")
    env.reset(seed=7)
    hand: list[int] = env.position()["hands"][0]
    return hand


@in_games
def test_play_with_a_failing_agent(tmp_path: Path, name: str, players: int) -> None:
    out = tmp_path / "game.jsonl"
    options = ("--game", name, "--players", players, "--opponents", "eval_agents:Illegal", "--seed", 7)
    result = run("play", *options, "--out", out, typed="1\n" * 80)
    assert result.exit_code == 1
    last = games.get(name).actions - 1
    assert re.fullmatch(rf"error: eval_agents:Illegal failed in seat \d: .*may not play {last} .*\n", result.stderr)
    records.check(records.read(out)[0])


@in_games
def test_replay(tmp_path: Path, name: str, players: int) -> None:
    path, game = tmp_path / "games.jsonl", games.get(name)
    options = game.check_options({"players": players})
    play_match(name, ["random", "random"], games=4, seed=1, out=path, options=options)
    record = records.read(path)[2]
    brief = good("replay", path, "--game-number", 3)
    assert re.match(rf"Game 3 of \d: {re.escape(game.title)}\n", brief)
    assert len(re.findall(r"^ *\d+  seat \d: ", brief, flags=re.MULTILINE)) == len(record["actions"])
    assert "The record is right." in brief
    whole = good("replay", path, "--game-number", 3, "--positions")
    place = 0
    for position, _, _, action in records.replay(record):  # every board with every hand, in order
        place = whole.index(game.draw_text(position, options), place) + 1
        assert action is None or f"Round {position['round']}, trick {position['trick']}\n" in brief
    assert "--from-seat is" in refused("replay", path, "--from-seat", players)
    assert "there is no game 7" in refused("replay", path, "--game-number", 7)


@pytest.mark.parametrize("viewer", [0, 1, 2])
@in_games
def test_replay_from_a_seat_hides_what_it_does_not_see(tmp_path: Path, name: str, players: int, viewer: int) -> None:
    """Choices that all make before they are revealed; the last to choose reveals them."""
    path = tmp_path / "games.jsonl"
    play_match(name, ["random", "random"], games=1, seed=1, out=path, options={"players": players})
    choices = [
        [seat for position, _, seat, _ in records.replay(records.read(path)[0]) if position["phase"] == phase]
        for phase in ("declare", "bid")
    ]
    (seats,) = filter(None, choices)
    hidden = [seat for number, seat in enumerate(seats, 1) if number % players and seat != viewer]
    seen = good("replay", path, "--from-seat", viewer, "--positions")
    assert re.findall(r"seat (\d): \(a hidden choice, phase \w+\)", seen) == list(map(str, hidden))
    hands = re.findall(r"^(\d) .*  (\S.*)$", seen, flags=re.MULTILINE)
    assert {int(seat) for seat, hand in hands if re.search(r"\b([BYGR][1-9]|im)\b", hand)} == {viewer}


@in_games
def test_replay_names_the_first_action_that_does_not_fit(tmp_path: Path, name: str, players: int) -> None:
    path, game = tmp_path / "games.jsonl", games.get(name)
    play_match(name, ["random", "random"], games=4, seed=1, out=path, options={"players": players})
    kept, last = records.read(path), game.actions - 1
    kept[1]["actions"][1][1] = last
    kept[2]["scores"][0] += 1
    records.write(path, kept)
    told = f"game 2: action 1: {last} ({game.action_names[last]}) is not legal"
    assert told in refused("replay", path, "--game-number", 2)
    assert "game 3: scores: replaying gives" in refused("replay", path, "--game-number", 3)
    path.write_text("{}\n", encoding="utf-8")
    assert "line 1: the record lacks" in refused("replay", path)
    path.write_text("", encoding="utf-8")
    assert "holds no record" in refused("replay", path)
