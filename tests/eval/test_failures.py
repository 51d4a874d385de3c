"""An agent that fails is named, and a record replays it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from eval_agents import Crashing, First, Illegal, Late, Short

from tritarea_agents.playing import AgentError
from tritarea_env import records
from tritarea_env.engine import loops
from tritarea_env.views import Agent, Views
from tritarea_eval.match import play_match

in_games = pytest.mark.parametrize(("name", "options"), [("tritarea", {}), ("triatri", {"players": 3})])


def failure_of(agent: Agent, name: str = "tritarea", **more: Any) -> AgentError:
    with pytest.raises(AgentError) as caught:
        play_match(name, ["random", agent], games=12, seed=4, **more)
    return caught.value


def views_after(record: records.Record, decision_seed: int) -> Views:
    """What the agent was given, made again from the record."""
    game, _, state = records.start(record)
    mask = np.zeros(game.actions, np.int8)
    for _, action in record["actions"]:
        records.step(record, game, state, action, mask)
    hidden, seeds = state.copy(), np.zeros(1, np.uint64)
    loops.hide_games(state, np.zeros(1, np.int64), seeds.copy(), hidden, seeds)
    return Views(game, hidden, np.array([decision_seed], np.uint64))


@in_games
@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Crashing(), r"'B Crashing' failed in seat \d at decision \d+.*RuntimeError: no idea"),
        (Illegal(), r"'B Illegal' failed.*may not play (81 \(sell 9\)|27 \(prize from own .*\)) now; legal: "),
        (Short(), r"'B Short' failed.*answers 1 action ids, not int64 of shape \(0,\)"),
    ],
)
def test_failure_is_named_and_replays(agent: Agent, message: str, name: str, options: dict[str, Any]) -> None:
    failure = failure_of(agent, name, options=options)
    assert failure.agent == f"B {type(agent).__name__}"
    with pytest.raises(AgentError, match=message):
        raise failure
    assert failure.record["scores"] is None
    *_, (position, legal, seat, action) = records.replay(failure.record)
    assert (seat, action) == (failure.seat, None)
    assert position["seat"] == seat
    views = views_after(failure.record, failure.decision_seed)
    assert views.game.to_position(views.hidden[0], seat)["hands"][seat] == position["hands"][seat]
    try:
        answer = agent.act(views)
    except RuntimeError:
        return
    assert answer.shape != (1,) or answer[0] not in legal


@in_games
def test_complete_games_are_kept(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    out = tmp_path / "games.jsonl"
    games = {"games": 96, "seed": 4, "options": options}
    reference = play_match(name, ["random", First()], **games, keep_records=True)
    lengths = [len(record["actions"]) for record in reference.records]
    middle = sorted(lengths)[len(lengths) // 2]
    over = [record for record, length in zip(reference.records, lengths, strict=True) if length <= middle]
    assert 0 < len(over) < 96
    with pytest.raises(AgentError) as caught:
        play_match(name, ["random", Late(middle)], **games, out=out)
    kept = records.read(out)
    assert kept == over
    assert caught.value.written == len(kept)
    assert [path.name for path in tmp_path.iterdir()] == ["games.jsonl"]


def test_a_file_is_not_replaced_by_nothing(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    play_match("tritarea", ["random", "random"], games=4, seed=4, out=out)
    before = out.read_bytes()
    assert failure_of(Illegal(), out=out).written == 0
    assert out.read_bytes() == before
