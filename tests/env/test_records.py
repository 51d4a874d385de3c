"""Records: written whole or not at all, replayed strictly."""

import copy
import json
import os
import threading

import numpy as np
import pytest
from helpers import EVERY_CASE, legal_actions, play_out, random_action
from tritarea_table import position

from tritarea_env import RecordError, records
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
    for _ in range(20):
        env.step(int(legal_actions(env)[0]))
    record = env.record()
    assert record["scores"] is None
    assert record["winners"] is None
    position, legal, seat, action = list(records.replay(record))[-1]
    assert position == env.position()
    assert legal == np.flatnonzero(env.last()[0]["action_mask"]).tolist()
    assert (seat, action) == (position["seat"], None)


def change(record, **how):
    return {**copy.deepcopy(record), **how}


RECORD = played()
OTHER_SEAT = [(RECORD["actions"][7][0] + 1) % 4, RECORD["actions"][7][1]]
WRONG = [
    (
        "an illegal action",
        {"actions": [*RECORD["actions"][:7], [RECORD["actions"][7][0], 81]]},
        r"action 7: 81 \(sell 9\) is not legal; legal: \[",
    ),
    ("no action", {"actions": [*RECORD["actions"][:7], [RECORD["actions"][7][0], 99]]}, r"action 7: 99 \(no action\)"),
    ("a negative action", {"actions": [[RECORD["start_player"], -1]]}, r"action 0: -1 \(no action\)"),
    ("another seat", {"actions": [*RECORD["actions"][:7], OTHER_SEAT]}, r"action 7: seat \d is to move, not seat"),
    (
        "an action too many",
        {"actions": [*RECORD["actions"], [0, 1]]},
        rf"action {len(RECORD['actions'])}: the game is over",
    ),
    ("an action too few", {"actions": RECORD["actions"][:-1]}, "the game is not over after"),
    ("no pair", {"actions": [3]}, r"action 0 is \[seat, action\], not 3"),
    ("a fraction", {"actions": [[0, 1.5]]}, "action 0 is"),
    ("other scores", {"scores": [1, 2, 3, 4]}, r"scores: replaying gives \[.*\], the record has \[1, 2, 3, 4\]"),
    ("other winners", {"winners": [0, 1, 2]}, "winners: replaying gives"),
    ("other sources", {"sources": [{}] * 4}, "sources: replaying gives"),
    ("a null score of a finished game", {"scores": None, "winners": None}, "scores: replaying gives"),
    ("another format", {"format": 2}, "format 2; this version reads format 1"),
    ("a format that is true", {"format": True}, "format True; this version"),
    ("a format that is a fraction", {"format": 1.0}, "format 1.0; this version"),
    (
        "scores that are fractions",
        {"scores": [float(x) for x in RECORD["scores"]]},
        "scores is a list of whole numbers",
    ),
    ("scores that are no list", {"scores": dict(enumerate(RECORD["scores"]))}, "scores is a list of whole numbers"),
    ("a winner that is true", {"winners": [True]}, r"winners is a list of whole numbers, or null, not \[True\]"),
    ("another game", {"game": "chess"}, "no game is named 'chess'"),
    ("an unknown option", {"options": {"wind": 1}}, r"unknown options \['wind'\]"),
    ("a wrong option", {"options": {"players": 9}}, "players is 1, 2, 3 or 4"),
    ("options that are none", {"options": 3}, "options is an object"),
    ("a deal too few", {"deals": RECORD["deals"][:2]}, "deals is a list of 3 deals"),
    ("a wrong deal", {"deals": [RECORD["deals"][1]] * 3}, "list of 8 cards"),
    ("no start player", {"start_player": 7}, "start_player is a seat"),
    ("actions that are none", {"actions": None}, "actions is a list"),
]


@pytest.mark.parametrize(("fault", "how", "says"), WRONG, ids=[w[0] for w in WRONG])
def test_a_wrong_record_is_refused(fault, how, says):
    with pytest.raises(RecordError, match=says):
        records.check(change(RECORD, **how))


TRIATRI = played("triatri", {"players": 3})
WRONG_TRIATRI = [
    ("players that are none", {"players": 5}, "players is 2, 3 or 4, not 5"),
    ("fewer players", {"players": 2}, "deal 0 is a list of 2 hands"),
    ("players among the options", {"options": {"players": 3}}, "players is given beside options, not in them"),
    ("an option", {"options": {"npc": "random"}}, r"unknown options \['npc'\]"),
    ("no deal", {"deals": []}, "deals holds at least the first deal"),
    ("a deal too few", {"deals": TRIATRI["deals"][:-1]}, r"deals: after action \d+ another is needed; the record has"),
    ("a deal too many", {"deals": [*TRIATRI["deals"], TRIATRI["deals"][0]]}, "deals: the game is over after"),
    ("a wrong deal", {"deals": [[[0] * 6] * 3]}, "dealt too often in deal 0"),
    ("an illegal action", {"actions": [[0, 27]]}, r"action 0: 27 \(prize from own gems: green\) is not legal"),
    ("another seat", {"actions": [[1, TRIATRI["actions"][0][1]]]}, "action 0: seat 0 is to move, not seat 1"),
    ("other scores", {"scores": [1, 2, 3]}, "scores: replaying gives"),
    ("more scores", {"scores": [*TRIATRI["scores"], 0]}, "scores: replaying gives"),
    ("other winners", {"winners": [0, 1, 2]}, "winners: replaying gives"),
    ("other sources", {"sources": [{}] * 3}, "sources: replaying gives"),
]


@pytest.mark.parametrize(("fault", "how", "says"), WRONG_TRIATRI, ids=[w[0] for w in WRONG_TRIATRI])
def test_a_wrong_record_of_triatri_is_refused(fault, how, says):
    with pytest.raises(RecordError, match=says):
        records.check(change(TRIATRI, **how))


def test_a_record_of_triatri_has_players_and_no_start_player():
    assert (TRIATRI["players"], TRIATRI["options"]) == (3, {})
    assert "start_player" not in TRIATRI
    record = change(TRIATRI)
    del record["players"]
    with pytest.raises(RecordError, match="players is missing"):
        records.replay(record)
    broken_off = change(TRIATRI, actions=TRIATRI["actions"][:9], scores=None, winners=None)
    records.check(broken_off)  # deals to come may stand in it


def test_a_missing_key_is_named():
    for key in ("deals", "actions", "scores", "options"):
        record = change(RECORD)
        del record[key]
        with pytest.raises(RecordError, match=f"lacks \\['{key}'\\]"):
            records.replay(record)
    record = change(RECORD)
    del record["start_player"]
    with pytest.raises(RecordError, match="start_player is missing"):
        records.replay(record)


def test_replay_checks_the_header_at_once_and_the_actions_as_it_goes():
    with pytest.raises(RecordError):
        records.replay(change(RECORD, format=2))
    steps = records.replay(change(RECORD, actions=[*RECORD["actions"][:7], [0, 99]]))
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


def test_a_record_from_a_position_needs_its_later_deals():
    env = GameEnv("tritarea")
    env.reset(seed=1, options={"position": position(0, "B1 B2 B3 B4")})  # in round 2
    play_out(env, np.random.default_rng(1))
    record = env.record()
    records.check(record)
    for deals in ([], record["deals"] * 2):
        with pytest.raises(RecordError, match=r"the record's header: .*deals"):
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
