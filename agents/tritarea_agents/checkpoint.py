"""Checkpoint folders: what a trained agent is on disk.

``meta.json`` says for which game and net, ``policy.safetensors`` holds the weights, each once; ``config.yaml`` is
the training's config. Reading runs nothing from the folder and believes nothing it says before checking it.
A run's folder holds checkpoints in ``checkpoints/``, named by the number of steps.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tritarea_env.games import Game

from .foresight import Inputs
from .net import ACTIVATIONS, CRITICS, KINDS, Shape, tensors, torch

if TYPE_CHECKING:
    from tritarea_env.games import Field

FORMAT = 1
META, WEIGHTS, CHECKPOINTS = "meta.json", "policy.safetensors", "checkpoints"
MOST_META_BYTES = 1_000_000
MOST_LAYERS, MOST_UNITS, MOST_WEIGHTS = 16, 1 << 16, 50_000_000
CHOICES: Mapping[str, tuple[str, ...]] = {"activation": tuple(ACTIVATIONS), "kind": KINDS, "critic": CRITICS}


class CheckpointError(ValueError):
    """A checkpoint that cannot be used, and why."""


class Meta(NamedTuple):
    """What ``meta.json`` says, as far as playing needs it.

    ``covers``: the sets of options it was trained on; ``reward``: what its values are expectations of.
    """

    game: str
    covers: list[dict[str, Any]]
    fields: list[dict[str, Any]]
    digest: str
    net: Shape
    reward: str


def find(path: str | Path) -> Path:
    """The checkpoint folder that ``path`` is, or the newest one of the run that it is.

    Raises:
        CheckpointError: it is neither.
    """
    folder = Path(path)
    if (folder / META).is_file():
        return folder
    found = [entry for entry in folder.glob(f"{CHECKPOINTS}/*") if entry.name.isdecimal() and (entry / META).is_file()]
    if not found:
        raise CheckpointError(f"{folder} holds no checkpoint: neither {META} nor {CHECKPOINTS}/*/{META}")
    return max(found, key=lambda entry: int(entry.name))


def describe(game: Game, net: Shape) -> dict[str, Any]:
    """The part of ``meta.json`` that says what the weights are for."""
    inputs = Inputs(game, net.foresight)
    return {
        "format": FORMAT,
        "game": game.name,
        "game_version": game.version,
        "observation": {"digest": inputs.digest, "fields": [_field(field) for field in inputs.fields]},
        "net": net._asdict(),
    }


def _field(field: Field) -> dict[str, Any]:
    return {"name": field.name, "offset": field.offset, "shape": list(field.shape), "maximum": field.maximum}


def read_meta(folder: Path) -> Meta:
    """Read and check ``meta.json``.

    Raises:
        CheckpointError: missing, damaged, or of a format that this version does not know.
    """
    path = folder / META
    try:
        if path.stat().st_size > MOST_META_BYTES:
            raise CheckpointError(f"{path} is damaged: larger than {MOST_META_BYTES} bytes")
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(f"{path} is damaged: no JSON text") from error
    if not isinstance(content, dict) or "format" not in content:
        raise CheckpointError(f"{path} is damaged: it names no format")
    if type(content["format"]) is not int or content["format"] != FORMAT:
        raise CheckpointError(f"{path} has the format {content['format']!r}; this version reads format {FORMAT}")
    try:
        observation = content["observation"]
        fields = [dict(field) for field in observation["fields"]]
        covers = [dict(options) for options in content["covers"]]
        if not covers:
            raise ValueError("covers is empty: it names no options that the net was trained on")
        net, reward = _shape(content["net"]), str(content["reward"])
        return Meta(str(content["game"]), covers, fields, str(observation["digest"]), net, reward)
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path} is damaged: {error!r}") from error


def _shape(given: Mapping[str, Any]) -> Shape:
    needed = set(Shape._fields) - set(Shape._field_defaults)  # a net without the others is older than they are
    if not needed <= set(given) <= set(Shape._fields):
        raise ValueError(f"net has the entries {sorted(given)}, not {sorted(Shape._fields)}")
    for entry, known in CHOICES.items():
        if given.get(entry, known[0]) not in known:
            raise ValueError(f"a net's {entry} is one of {', '.join(known)}, not {given[entry]!r}")
    hidden = {part: tuple(given[part]) for part in ("shared", "policy", "value")}
    shape = Shape(**{**given, **hidden})
    if type(shape.foresight) is not bool:
        raise ValueError(f"a net's foresight is true or false, not {shape.foresight!r}")
    sizes = [shape.inputs, shape.actions, *shape.shared, *shape.policy, *shape.value]
    if shape.kind != "mlp":
        sizes.append(shape.items)
    elif type(shape.items) is not int or shape.items:
        raise ValueError(f"a net of kind mlp has 0 items, not {shape.items!r}")
    for size in sizes:
        if type(size) is not int or not 1 <= size <= MOST_UNITS:
            raise ValueError(f"a net's sizes are 1 … {MOST_UNITS}, not {size!r}")
    if sum(map(len, hidden.values())) > MOST_LAYERS:
        raise ValueError(f"a net has at most {MOST_LAYERS} hidden layers")
    return shape


def check_size(shape: Shape, game: Game) -> None:
    """Raises ValueError if a net has more weights than this version reads."""
    weights = sum(map(math.prod, tensors(shape, game).values()))
    if weights > MOST_WEIGHTS:
        raise ValueError(f"a net has at most {MOST_WEIGHTS:,} weights, not {weights:,}")


def check_game(meta: Meta, game: Game, folder: Path) -> None:
    """Raises CheckpointError, naming the first difference, if the net was not made for ``game`` as it is now."""
    if meta.game != game.name:
        raise CheckpointError(f"{folder} was trained for the game {meta.game!r}, not for {game.name!r}")
    try:
        inputs = Inputs(game, meta.net.foresight)
    except ValueError as error:
        raise CheckpointError(f"{folder} cannot be read: {error}") from error
    if meta.digest != inputs.digest:
        raise CheckpointError(f"{folder} was trained on other observations: {_difference(meta.fields, inputs.fields)}")
    if (meta.net.inputs, meta.net.actions) != (inputs.size, game.actions):
        raise CheckpointError(
            f"{folder} has a net from {meta.net.inputs} inputs to {meta.net.actions} actions; "
            f"{game.title} has {inputs.size} and {game.actions}"
        )
    try:
        check_size(meta.net, game)
    except ValueError as error:
        raise CheckpointError(f"{folder} cannot be read: {error}") from error


def check_value(meta: Meta, folder: Path) -> None:
    """Raises CheckpointError if the net has no value."""
    if meta.net.critic != "own":
        raise CheckpointError(
            f"{folder} has a policy but no value for play: it was trained with net.critic {meta.net.critic}, "
            "which sees what no seat may see"
        )


def check_options(meta: Meta, options: Mapping[str, Any], folder: Path) -> None:
    """Raises CheckpointError if the net was trained on none like ``options``; who plays NPC seats is left open."""
    differing = [
        {key: (covered.get(key), value) for key, value in options.items() if key != "npc" and covered.get(key) != value}
        for covered in meta.covers
    ]
    if all(differing):
        told = "; or ".join(
            ", ".join(f"{key} {trained!r}, not {now!r}" for key, (trained, now) in one.items()) for one in differing
        )
        raise CheckpointError(f"{folder} was trained with other options: {told}")


def _difference(fields: list[dict[str, Any]], expected: tuple[Field, ...]) -> str:
    now = [_field(field) for field in expected]
    for theirs, ours in zip(fields, now, strict=False):
        if theirs.get("name") != ours["name"]:
            return f"its field {theirs.get('name')!r} stands where there is now {ours['name']!r}"
        for key, value in ours.items():
            if theirs.get(key) != value:
                return f"field {ours['name']!r} has {key} {theirs.get(key)!r}, now {value!r}"
    if len(fields) != len(now):
        longer = max(fields, now, key=len)
        return f"field {longer[min(len(fields), len(now))].get('name')!r} is in one of them only"
    return "the fields agree, but their digest does not"


def read_weights(folder: Path, shape: Shape, game: Game) -> dict[str, torch.Tensor]:
    """The tensors of ``policy.safetensors``, after a check of their names, types and shapes against the net's.

    Raises:
        CheckpointError: missing, damaged, or not this net's.
    """
    from safetensors import SafetensorError, safe_open

    path = folder / WEIGHTS
    expected = tensors(shape, game)
    try:
        if path.stat().st_size < 4 * sum(map(math.prod, expected.values())):
            raise CheckpointError(f"{path} is damaged: too short for the net that {META} describes")
        with safe_open(str(path), framework="pt") as file:
            names = set(file.keys())
            if names != set(expected):
                other = sorted(names ^ set(expected))[:3]
                raise CheckpointError(f"{path} is not the net that {META} describes: see {other}")
            for name, size in expected.items():
                part = file.get_slice(name)
                if tuple(part.get_shape()) != size or part.get_dtype() != "F32":
                    found = f"{part.get_dtype()} {part.get_shape()}"
                    raise CheckpointError(f"{path}: {name} is {found}, not F32 {list(size)}")
            weights = {name: file.get_tensor(name) for name in expected}
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror or error}") from error
    except (SafetensorError, RuntimeError, MemoryError) as error:
        raise CheckpointError(f"{path} is damaged: {error}") from error
    for name, tensor in weights.items():
        if not torch.isfinite(tensor).all():
            raise CheckpointError(f"{path}: {name} has numbers that are not finite")
    return weights
