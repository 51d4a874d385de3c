"""Records: written whole or not at all, replayed strictly."""

import copy
import json
import os
import threading

import numpy as np
import pytest
from helpers import EVERY_CASE, EVERY_TABLE, legal_actions, play_on, play_out, random_action
from tritarea_table import position

from tritarea_env import RecordError, games, records
from tritarea_env.aec import GameEnv


def played(name="tritarea", options=None, seed=3):
    env = GameEnv(name, **(options or {}))
    env.reset(seed=seed)
    play_out(env, np.random.default_rng(seed))
    return env.record()


@EVERY_CASE
def test_written_read_and_replayed(name, options, tmp_path):
    env = GameEnv(name, **options)
    env.reset(seed=3)
    seen = []
    rng = np.random.default_rng(3)
    while not env.is_over:
        seen.append(env.position())
        env.step(random_action(env, rng))
    record = env.record()
    path = tmp_path / "games.jsonl"
    records.write(path, [record, record])
    back = records.read(path)
    assert back == [record, record]
    replayed = list(records.replay(back[0]))
    assert len(replayed) == len(record["actions"]) + 1
    assert [[seat, action] for _, _, seat, action in replayed[:-1]] == record["actions"]
    assert all(action in legal for _, legal, _, action in replayed[:-1])
    own = [position for position, _, seat, _ in replayed[:-1] if seat < len(env.possible_agents)]
    assert own == seen
    final, legal, seat, action = replayed[-1]
    assert (final["phase"], legal, seat, action) == ("end", [], None, None)
    assert final["scores"] == record["scores"]


@EVERY_CASE
def test_a_game_broken_off_replays_to_where_it_stands(name, options):
    env = GameEnv(name, **options)
    env.reset(seed=3)
    play_on(env, np.random.default_rng(3), 20)
    record = env.record()
    assert record["scores"] is None
    assert record["winners"] is None
    position, legal, seat, action = list(records.replay(record))[-1]
    assert position == env.position()
    assert legal == legal_actions(env).tolist()
    assert (seat, action) == (position["seat"], None)


def change(record, **how):
    return {**copy.deepcopy(record), **how}


RECORD = played()
TRIATRI = played("triatri", {"players": 3})
EITHER = pytest.mark.parametrize("record", [RECORD, TRIATRI], ids=["tritarea", "triatri"])


def faults_of_any(record):
    """(fault, what is changed, what is said of it) that a record of any game can have."""
    actions, scores, seats = record["actions"], record["scores"], len(record["scores"])
    seat, action = actions[7]
    return [
        ("no action", {"actions": [*actions[:7], [seat, 99]]}, r"action 7: 99 \(no action\) is not legal; legal: \["),
        ("a negative action", {"actions": [[actions[0][0], -1]]}, r"action 0: -1 \(no action\)"),
        (
            "another seat",
            {"actions": [*actions[:7], [(seat + 1) % seats, action]]},
            rf"action 7: seat {seat} is to move, not seat {(seat + 1) % seats}",
        ),
        ("an action too many", {"actions": [*actions, [0, 1]]}, rf"action {len(actions)}: the game is over"),
        ("an action too few", {"actions": actions[:-1]}, "the game is not over after"),
        ("no pair", {"actions": [3]}, r"action 0 is \[seat, action\], not 3"),
        ("a fraction", {"actions": [[0, 1.5]]}, "action 0 is"),
        ("actions that are none", {"actions": None}, "actions is a list"),
        ("other scores", {"scores": [77] * seats}, r"scores: replaying gives \[.*\], the record has \[77, 77, 77"),
        ("a score too many", {"scores": [*scores, 0]}, "scores: replaying gives"),
        ("a null score of a finished game", {"scores": None, "winners": None}, "scores: replaying gives"),
        ("scores that are fractions", {"scores": [float(x) for x in scores]}, "scores is a list of whole numbers"),
        ("scores that are no list", {"scores": dict(enumerate(scores))}, "scores is a list of whole numbers"),
        ("other winners", {"winners": [0, 1, 2]}, "winners: replaying gives"),
        ("a winner that is true", {"winners": [True]}, r"winners is a list of whole numbers, or null, not \[True\]"),
        ("other sources", {"sources": [{}] * seats}, "sources: replaying gives"),
        ("another format", {"format": 2}, "format 2; this version reads format 1"),
        ("a format that is true", {"format": True}, "format True; this version"),
        ("a format that is a fraction", {"format": 1.0}, "format 1.0; this version"),
        ("another game", {"game": "chess"}, "no game is named 'chess'"),
        ("an unknown option", {"options": {"wind": 1}}, r"unknown options \['wind'\]"),
        ("options that are none", {"options": 3}, "options is an object"),
    ]


def illegal(record, number, name):
    """One decision of a record replaced by an action, and what is said of it."""
    game = games.get(record["game"])
    action = game.action_id(name)
    done = [*record["actions"][:number], [record["actions"][number][0], action]]
    return f"illegal: {name}", {"actions": done}, rf"action {number}: {action} \({name}\) is not legal; legal: \["


WRONG = [
    *((RECORD, *fault) for fault in faults_of_any(RECORD)),
    (RECORD, *illegal(RECORD, 7, "sell 9")),
    (RECORD, "a wrong option", {"options": {"players": 9}}, "players is 1, 2, 3 or 4"),
    (RECORD, "a deal too few", {"deals": RECORD["deals"][:2]}, "deals is a list of 3 deals"),
    (RECORD, "a wrong deal", {"deals": [RECORD["deals"][1]] * 3}, "list of 8 cards"),
    (RECORD, "no start player", {"start_player": 7}, "start_player is a seat"),
    *((TRIATRI, *fault) for fault in faults_of_any(TRIATRI)),
    (TRIATRI, *illegal(TRIATRI, 0, "prize from own gems: green")),
    (TRIATRI, *illegal(TRIATRI, 3, "card imitation")),
    (TRIATRI, "players that are none", {"players": 5}, "players is 2, 3 or 4, not 5"),
    (TRIATRI, "fewer players", {"players": 2}, "deal 0 is a list of 2 hands"),
    (TRIATRI, "players twice", {"options": {"players": 3}}, "players is given beside options, not in them"),
    (TRIATRI, "no deal", {"deals": []}, "deals holds at least the first deal"),
    (TRIATRI, "a deal too few", {"deals": TRIATRI["deals"][:-1]}, r"deals: after action \d+ another is needed"),
    (TRIATRI, "a deal too many", {"deals": [*TRIATRI["deals"], TRIATRI["deals"][0]]}, "deals: the game is over after"),
    (TRIATRI, "a wrong deal", {"deals": [[[0] * 6] * 3]}, "dealt too often in deal 0"),
    (TRIATRI, "a deal of others", {"deals": [TRIATRI["deals"][0], [[0]]]}, "deal 1 is a list of 3 hands"),
]


@pytest.mark.parametrize(
    ("record", "fault", "how", "says"), WRONG, ids=[f"{record['game']}-{fault}" for record, fault, *_ in WRONG]
)
def test_a_wrong_record_is_refused(record, fault, how, says):
    with pytest.raises(RecordError, match=says):
        records.check(change(record, **how))


@EVERY_TABLE
def test_what_stands_at_the_head_of_a_record(name, options):
    record = played(name, options)
    assert record["options"] == {}
    if name == "tritarea":
        assert "players" not in record
        assert len(record["deals"]) == 3
    else:
        assert record["players"] == len(record["scores"]) == options.get("players", 4)
        assert "start_player" not in record
    broken_off = change(record, actions=record["actions"][:9], scores=None, winners=None)
    records.check(broken_off)  # deals to come may stand in it


@EITHER
def test_a_missing_key_is_named(record):
    own = {"tritarea": "start_player", "triatri": "players"}[record["game"]]
    for key in ("format", "game", "options", "deals", "actions", "scores", "winners", own):
        lacking = {k: value for k, value in record.items() if k != key}
        with pytest.raises(RecordError, match=f"{key} is missing" if key == own else rf"lacks \['{key}'\]"):
            records.replay(lacking)


@EITHER
def test_replay_checks_the_header_at_once_and_the_actions_as_it_goes(record):
    with pytest.raises(RecordError):
        records.replay(change(record, format=2))
    steps = records.replay(change(record, actions=[*record["actions"][:7], [0, 99]]))
    for _ in range(7):
        next(steps)
    with pytest.raises(RecordError, match="action 7"):
        next(steps)


def test_a_broken_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(RECORD) + "\n\n" + "{broken\n")
    with pytest.raises(RecordError, match=r"games\.jsonl, line 3: "):
        records.read(path)
    path.write_text("[1, 2]\n")
    with pytest.raises(RecordError, match="line 1: a record is a JSON object"):
        records.read(path)


@pytest.mark.parametrize(
    ("line", "says"),
    [(b"[" * 200_000, "too deeply nested"), ('{"game": "é"}'.encode("latin-1"), "no text in UTF-8")],
)
def test_a_file_of_something_else_is_named_with_its_line(line, says, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_bytes(json.dumps(RECORD).encode() + b"\n" + line + b"\n")
    with pytest.raises(RecordError, match=rf"games\.jsonl, line 2: .*{says}"):
        records.read(path)


@EVERY_TABLE
def test_a_record_from_a_position_needs_its_later_deals(name, options):
    env = GameEnv(name, **options)
    env.reset(seed=1)
    there = position(0, "B1 B2 B3 B4") if name == "tritarea" else env.position()
    env.reset(seed=1, options={"position": there})
    play_out(env, np.random.default_rng(1))
    record = env.record()
    records.check(record)
    header = "the record's header: .*deals"
    few = {"tritarea": header, "triatri": r"deals: after action \d+ another is needed; the record has 0"}
    many = {"tritarea": header, "triatri": f"deals: the game is over after {len(record['deals'])}, the record has"}
    for deals, says in (([], few[name]), (record["deals"] * 2, many[name])):
        with pytest.raises(RecordError, match=says):
            records.check(change(record, deals=deals))


NO_JSON = [
    ({"note": float("nan")}, "not JSON compliant"),
    ({"note": np.int64(3)}, "int64 is not JSON serializable"),
    ({"actions": [[np.int64(0), 3]]}, "int64 is not JSON serializable"),
    ({"scores": list(np.arange(4))}, "scores is a list of whole numbers"),
]


@pytest.mark.parametrize(("how", "says"), NO_JSON)
def test_what_json_cannot_hold_is_not_written(how, says, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_text("before")
    with pytest.raises(RecordError, match=f"record 1: .*{says}"):
        records.write(path, [RECORD, change(RECORD, **how)])
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_followed(there, tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "games.jsonl", tmp_path / "link"
    if there:
        target.write_text("before")
    link.symlink_to("folder/games.jsonl")
    records.write(link, [RECORD])
    assert link.is_symlink()
    assert not target.is_symlink()
    assert records.read(target) == [RECORD]


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(IsADirectoryError, match=tmp_path.name):
        records.write(tmp_path, [RECORD])
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_written_to_and_stays(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()), daemon=True)
    reader.start()
    records.write(pipe, [RECORD, RECORD])
    reader.join(timeout=60)
    assert [json.loads(line) for line in found[0].splitlines()] == [RECORD, RECORD]
    assert pipe.is_fifo()
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "games.jsonl"
    records.write(path, [RECORD])
    before = path.read_bytes()

    def breaking():
        yield RECORD
        yield {"format": 1}

    with pytest.raises(RecordError, match="record 1: the record lacks"):
        records.write(path, breaking())
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl"]


def test_the_same_game_twice_is_the_same_bytes(tmp_path):
    for name in ("one", "two"):
        records.write(tmp_path / name, [played(seed=5)])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
