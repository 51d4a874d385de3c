"""Both kinds of net: what they are made of, what they see, that they learn, are kept and go on."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tiny import GAMES, assert_same, content, tiny

from tritarea_agents import net_cards
from tritarea_agents.checkpoint import find
from tritarea_agents.net import Shape, build, tensors
from tritarea_agents.net_parts import sets_of, slice_of
from tritarea_agents.policy import load, load_net
from tritarea_env import games
from tritarea_env.batch import Batch
from tritarea_train import driver, train
from tritarea_train.model import build as build_learner

in_games = pytest.mark.parametrize("name", GAMES)
CARDS_BOARD = {"net__kind": "cards_board", "net__items": 32}


def shape_of(game, kind="cards_board", critic="own", **sizes):
    parts = {"shared": (16,), "policy": (16,), "value": (16,), "activation": "relu", **sizes}
    return Shape(game.observation_size, game.actions, **parts, kind=kind, items=32 * (kind != "mlp"), critic=critic)


@in_games
@pytest.mark.parametrize("critic", ["own", "oracle"])
@pytest.mark.parametrize("kind", ["mlp", "cards_board"])
@pytest.mark.parametrize("sizes", [{}, {"shared": (), "policy": (), "value": ()}, {"shared": (8, 8), "policy": ()}])
def test_the_description_is_the_net(name, kind, critic, sizes):
    game = games.get(name)
    shape = shape_of(game, kind, critic, **sizes)
    net = build(shape, game)
    assert tensors(shape, game) == {key: tuple(weight.shape) for key, weight in net.state_dict().items()}
    assert net(torch.zeros(3, game.observation_size, dtype=torch.uint8)).shape == (3, game.actions)
    if critic == "oracle":
        with pytest.raises(TypeError, match="has no value"):
            net.values(torch.zeros(3, game.observation_size))


def test_the_description_of_a_huge_net_takes_no_memory():
    game = games.get("tritarea")
    found = tensors(shape_of(game, shared=(1 << 16,) * 4)._replace(items=1 << 16), game)
    assert sum(int(np.prod(size)) for size in found.values()) > 10**10


@in_games
def test_items_are_those_of_the_game(name):
    """Every card, square and colour speaks for the actions that name it, each in the set's one order."""
    game = games.get(name)
    answered = [int(action) for items in sets_of(game) for action in items.answers.flat]
    assert len(set(answered)) == len(answered)
    of_items = [a for a, text in enumerate(game.action_names) if text.startswith(("card", "one", "two", "prize"))]
    silent = {"card imitation"}
    assert sorted(answered) == [a for a in of_items if game.action_names[a] not in silent]
    for items in sets_of(game):
        sizes = [slice_of(game, field) for field in items.fields]
        assert all((part.stop - part.start) % len(items.answers) == 0 for part in sizes)
        for meaning in items.answers.T:  # a name without what tells its item from others: alike for all
            texts = [game.action_names[a] for a in meaning]
            assert len({text.split(":")[0].rsplit(" ", 1)[0] for text in texts}) == 1


def test_suits_share_weights():
    """Without offsets: two suits' hands exchanged, suits' logits exchanged."""
    game = games.get("tritarea")
    torch.manual_seed(0)
    heads = net_cards.ItemHeads(game, 64, 16)
    scaled, hidden = torch.zeros(2, game.observation_size), torch.rand(1, 16).expand(2, -1)
    hand = slice_of(game, "hand").start
    scaled[0, hand + 9 * 0 + 3] = scaled[0, hand + 9 * 1 + 5] = 1.0
    scaled[1, hand + 9 * 1 + 3] = scaled[1, hand + 9 * 0 + 5] = 1.0
    said = heads(scaled, hidden)[:, :36].reshape(2, 4, 9)
    assert torch.allclose(said[0, [1, 0, 2, 3]], said[1], atol=1e-6)
    assert not torch.allclose(said[0], said[1], atol=1e-4)


def test_colours_are_alike_when_each_becomes_the_next():
    """TriATri without offsets: what the heads say of a relabelled position is relabelled too (B1)."""
    from tritarea_train.symmetry import frames_of

    game = games.get("triatri")
    frames = frames_of(game, game.check_options({}))
    torch.manual_seed(0)
    heads = net_cards.ItemHeads(game, 96, 16)
    batch = Batch("triatri", 8, seed=4)
    for _ in range(9):
        batch.step(batch.random_actions())
    seen = batch.views(np.arange(8)).observation
    hidden = torch.rand(8, 16)
    for frame in range(3):
        own, turned = (torch.from_numpy(rows * game.scale) for rows in (seen, seen[:, frames.observation[frame]]))
        said = heads(own, hidden)[:, frames.actions[frame]]
        assert torch.allclose(heads(turned, hidden), said, atol=1e-5)


@in_games
def test_a_run_with_it_plays_and_is_kept(run_of, name):
    folder, game = find(run_of(name, **CARDS_BOARD)), games.get(name)
    meta = json.loads((folder / "meta.json").read_text())
    assert (meta["net"]["kind"], meta["net"]["items"]) == ("cards_board", 32)
    stored = load_file(folder / "policy.safetensors")
    assert {key.split(".")[2] for key in stored if key.startswith("heads")} == {items.name for items in sets_of(game)}
    net, _ = load_net(folder, game, with_value=True)
    batch = Batch(name, 16, seed=5, **GAMES[name])
    agent = load(folder, game)
    for _ in range(30):
        views = batch.views(np.arange(16))
        assert np.isfinite(agent.logits(views)).all()
        assert torch.isfinite(net.values(torch.from_numpy(views.observation))).all()
        batch.step(agent.act(views))


def test_every_part_learns(run_of):
    """No weight of the net is where a run of the same config, not trained, has it."""
    config = tiny(**CARDS_BOARD)
    before = build_learner(config).net.state_dict()
    after = load_file(find(run_of("tritarea", **CARDS_BOARD)) / "policy.safetensors")
    assert before.keys() == after.keys()
    same = [key for key in after if torch.equal(before[key], after[key])]
    assert same == []


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("tritarea", {**CARDS_BOARD, "net__critic": "oracle"}),
        ("tritarea", {**CARDS_BOARD, "net__critic": "oracle", "net__foresight": True}),
        ("triatri", {**CARDS_BOARD, "net__critic": "oracle", "augment": True}),
    ],
)
def test_a_run_goes_on_as_if_it_had_not_stopped(run_of, tmp_path, monkeypatch, name, overrides):
    save = driver.Driver.save

    def save_and_die(self):
        save(self)
        raise SystemExit("killed")

    monkeypatch.setattr(driver.Driver, "save", save_and_die)
    with pytest.raises(SystemExit):
        train(tiny(name, **overrides), tmp_path)
    monkeypatch.undo()
    torch.manual_seed(123)
    resumed = train(tiny(name, **overrides), tmp_path, resume=True)
    whole = find(run_of(name, **overrides))
    assert_same(content(whole), content(resumed))
    assert content(resumed)["state"]["oracle"]
