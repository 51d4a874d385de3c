"""Checkpoints that do not fit, are damaged or hostile: refused in one clear sentence."""

import json
import pickle
import shutil
import struct

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny import GAMES

from tritarea_agents import make
from tritarea_agents.checkpoint import CheckpointError, find
from tritarea_agents.policy import load
from tritarea_env import games

GAME = games.get("tritarea")


KINDS = {"mlp": {}, "cards_board": {"net__kind": "cards_board", "net__items": 32}}


def copied(run, tmp_path):
    """A copy of a good checkpoint, to spoil."""
    shutil.copytree(find(run), tmp_path / "copy")
    return tmp_path / "copy"


@pytest.fixture
def folder(run, tmp_path):
    return copied(run, tmp_path)


@pytest.fixture(params=KINDS)
def any_folder(run_of, tmp_path, request):
    """One with a net of each kind."""
    return copied(run_of("tritarea", **KINDS[request.param]), tmp_path)


def edit(folder, change):
    path = folder / "meta.json"
    meta = json.loads(path.read_text())
    change(meta)
    path.write_text(json.dumps(meta))


def weights(folder, change):
    path = folder / "policy.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


def field_of_another_size(meta):
    meta["observation"]["digest"] = "0" * 16
    meta["observation"]["fields"][14]["maximum"] = 7


def missing_field(meta):
    meta["observation"]["digest"] = "0" * 16
    del meta["observation"]["fields"][3]


def huge_header(folder):
    path = folder / "policy.safetensors"
    path.write_bytes(struct.pack("<Q", 1 << 62) + path.read_bytes()[8:])


def pickled(folder):
    with (folder / "policy.safetensors").open("wb") as file:
        pickle.dump([0.0] * 100_000, file)


def truncated(name, size):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


SPOILT = {
    "no meta": (lambda f: (f / "meta.json").unlink(), "holds no checkpoint"),
    "no weights": (lambda f: (f / "policy.safetensors").unlink(), r"policy\.safetensors cannot be read"),
    "half a meta": (truncated("meta.json", 100), r"meta\.json is damaged"),
    "meta is a list": (lambda f: (f / "meta.json").write_text("[1]"), r"meta\.json is damaged"),
    "deep meta": (lambda f: (f / "meta.json").write_text("[" * 200_000), r"meta\.json is damaged"),
    "large meta": (lambda f: (f / "meta.json").write_text("1" * 2_000_000), r"meta\.json is damaged"),
    "later format": (lambda f: edit(f, lambda m: m.update(format=2)), "has the format 2; this version reads format 1"),
    "another game": (lambda f: edit(f, lambda m: m.update(game="chess")), "for the game 'chess', not for 'tritarea'"),
    "another maximum": (lambda f: edit(f, field_of_another_size), "field 'sold' has maximum 7, now 9"),
    "a field less": (lambda f: edit(f, missing_field), "field 'area' stands where there is now 'declared'"),
    "format true": (lambda f: edit(f, lambda m: m.update(format=True)), "has the format True"),
    "covers nothing": (lambda f: edit(f, lambda m: m.update(covers=[])), "covers is empty"),
    "no net": (lambda f: edit(f, lambda m: m.pop("net")), r"meta\.json is damaged: .*net"),
    "huge net": (lambda f: edit(f, lambda m: m["net"].update(shared=[1 << 40])), "a net's sizes are"),
    "large net": (lambda f: edit(f, lambda m: m["net"].update(shared=[60_000] * 2)), "at most 50,000,000 weights"),
    "larger net": (lambda f: edit(f, lambda m: m["net"].update(shared=[4_000] * 2)), "too short"),
    "deep net": (lambda f: edit(f, lambda m: m["net"].update(shared=[16] * 1000)), "at most 16 hidden layers"),
    "negative net": (lambda f: edit(f, lambda m: m["net"].update(policy=[-4])), "a net's sizes are"),
    "other actions": (lambda f: edit(f, lambda m: m["net"].update(actions=5)), "has a net from 1055 inputs to 5"),
    "other activation": (lambda f: edit(f, lambda m: m["net"].update(activation="os.system")), "one of relu, tanh"),
    "half the weights": (truncated("policy.safetensors", 50_000), r"policy\.safetensors is damaged"),
    "huge header": (huge_header, r"policy\.safetensors is damaged"),
    "pickle for weights": (pickled, r"policy\.safetensors is damaged"),
    "missing tensor": (lambda f: weights(f, lambda t: t.pop("logits.bias")), "is damaged|is not the net"),
    "foreign tensor": (lambda f: weights(f, lambda t: t.update(x=torch.zeros(3))), "is not the net"),
    "wrong shape": (
        lambda f: weights(f, lambda t: t.update({"policy.0.weight": torch.zeros(8, 32)})),
        r"policy\.0\.weight is F32 \[8, 32\], not F32 \[16, 16\]",
    ),
    "wrong type": (
        lambda f: weights(f, lambda t: t.update({"policy.0.weight": torch.zeros(16, 16, dtype=torch.float64)})),
        r"policy\.0\.weight is F64",
    ),
    "another kind": (lambda f: edit(f, lambda m: m["net"].update(kind="transformer")), "one of mlp, cards_board, not"),
    "kind a list": (lambda f: edit(f, lambda m: m["net"].update(kind=["mlp"])), "a net's kind is one of mlp"),
    "another critic": (lambda f: edit(f, lambda m: m["net"].update(critic=1)), "a net's critic is one of own, oracle"),
    "foreign entry": (lambda f: edit(f, lambda m: m["net"].update(heads=9)), "net has the entries"),
    "huge items": (
        lambda f: edit(f, lambda m: m["net"].update(kind="cards_board", items=1 << 40)),
        "a net's sizes are",
    ),
    "large items": (
        lambda f: edit(f, lambda m: m["net"].update(kind="cards_board", items=1 << 16)),
        "at most 50,000,000 weights",
    ),
    "items of another kind": (lambda f: edit(f, lambda m: m["net"].update(items="32")), "a net's sizes|has 0 items"),
    "no items": (lambda f: edit(f, lambda m: m["net"].update(kind="cards_board", items=0)), "a net's sizes are"),
    "items true": (lambda f: edit(f, lambda m: m["net"].update(kind="cards_board", items=True)), "a net's sizes are"),
    "an mlp with items": (lambda f: edit(f, lambda m: m["net"].update(kind="mlp", items=7)), "kind mlp has 0 items"),
    "no layers": (lambda f: edit(f, lambda m: m["net"].update(shared=3)), r"meta\.json is damaged"),
    "an oracle's": (lambda f: edit(f, lambda m: m["net"].update(critic="oracle")), "is not the net that"),
    "not finite": (lambda f: weights(f, lambda t: t["policy.0.bias"].fill_(float("nan"))), "not finite"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "told"), SPOILT.values(), ids=SPOILT.keys())
def test_refused(any_folder, spoil, told):
    refused(any_folder, spoil, told)


def refused(folder, spoil, told):
    load(folder, GAME)
    spoil(folder)
    with pytest.raises(CheckpointError, match=told) as raised:
        load(folder, GAME)
    assert str(folder) in str(raised.value)
    assert "\n" not in str(raised.value)


OUT = "heads.sets.squares.out.weight"
SPOILT_HEADS = {
    "other units": (lambda f: edit(f, lambda m: m["net"].update(items=64)), "is damaged: too short|not F32"),
    "fewer units": (lambda f: edit(f, lambda m: m["net"].update(items=16)), r"heads\.sets\..* is F32 .*, not F32"),
    "named an mlp": (lambda f: edit(f, lambda m: m["net"].update(kind="mlp", items=0)), "is not the net that"),
    "no heads": (lambda f: weights(f, lambda t: t.pop(OUT)), "is damaged|is not the net"),
    "heads of another set": (
        lambda f: weights(f, lambda t: t.update({"heads.sets.gems.out.weight": t.pop(OUT)})),
        "is not the net that",
    ),
    "wrong shape of heads": (lambda f: weights(f, lambda t: t.update({OUT: torch.zeros(3, 2)})), r"\[3, 2\], not F32"),
    "whole numbers": (lambda f: weights(f, lambda t: t.update({OUT: torch.zeros(2, 2, dtype=torch.int64)})), "is I64"),
    "links of its own": (
        lambda f: weights(f, lambda t: t.update({"heads.sets.squares.links": torch.zeros(1, 16, 16)})),
        "is not the net that",
    ),
    "not finite": (lambda f: weights(f, lambda t: t[OUT].fill_(float("inf"))), "not finite"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "told"), SPOILT_HEADS.values(), ids=SPOILT_HEADS.keys())
def test_heads_are_refused(run_of, tmp_path, spoil, told):
    refused(copied(run_of("tritarea", **KINDS["cards_board"]), tmp_path), spoil, told)


def test_a_description_calls_for_no_memory_before_it_is_checked(folder):
    """The largest that sizes allow, and a file as long as that: nothing of that size is allocated."""
    resource = pytest.importorskip("resource")
    edit(folder, lambda m: m["net"].update(kind="cards_board", items=4096, shared=[4096], policy=[4096], value=[]))
    with (folder / "policy.safetensors").open("r+b") as file:
        file.truncate(1 << 30)  # a hole: it takes no space
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(CheckpointError, match=r"policy\.safetensors"):
        load(folder, GAME)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kilobytes (bytes elsewhere)


def test_one_of_before_there_were_kinds_is_an_mlp(folder):
    edit(folder, lambda m: [m["net"].pop(entry) for entry in ("kind", "items", "critic")])
    load(folder, GAME)


@pytest.mark.parametrize("name", GAMES)
def test_no_weight_is_saved_twice_and_nothing_is_pickled(run_of, name):
    folder, game = find(run_of(name)), games.get(name)
    tensors = load_file(folder / "policy.safetensors")
    meta = json.loads((folder / "meta.json").read_text())
    assert len({tensor.data_ptr() for tensor in tensors.values()}) == len(tensors) == 10
    assert meta["covers"] == [game.check_options(GAMES[name])]
    assert [field["name"] for field in meta["observation"]["fields"]] == [field.name for field in game.fields]
    torch.load(folder / "training_state.pt", weights_only=True)


def test_another_npc_is_no_other_game(folder):
    make(str(folder), GAME, GAME.check_options({"npc": "random"}))


def test_the_newest_checkpoint_of_a_run_is_taken(folder, tmp_path):
    shelf = tmp_path / "run" / "checkpoints"
    for name in ("0000000009", "0000000100"):
        shutil.copytree(folder, shelf / name)
    (shelf / ".0000000200.77").mkdir()  # a draft that was never finished
    assert find(tmp_path / "run") == shelf / "0000000100"
    make(str(tmp_path / "run"), GAME)


@pytest.mark.parametrize(
    ("trained", "name", "options", "told"),
    [
        ("tritarea", "tritarea", {"adjacency": "any"}, "trained with other options: adjacency 'top', not 'any'"),
        ("tritarea", "tritarea", {"players": 2}, "trained with other options: players 4, not 2"),
        ("triatri", "triatri", {"players": 2}, "trained with other options: players 3, not 2"),
        ("triatri", "triatri", {}, "trained with other options: players 3, not 4"),
        ("triatri", "tritarea", {}, "trained for the game 'triatri', not for 'tritarea'"),
        ("tritarea", "triatri", {}, "trained for the game 'tritarea', not for 'triatri'"),
    ],
)
def test_a_checkpoint_of_another_game_or_other_options_is_refused(run_of, trained, name, options, told):
    folder, game, own = str(run_of(trained)), games.get(name), games.get(trained)
    make(folder, own, own.check_options(GAMES[trained]))
    with pytest.raises(CheckpointError, match=told) as raised:
        make(folder, game, game.check_options(options))
    assert "\n" not in str(raised.value)
