"""Which agents a tournament was played by, precisely enough to notice that one has changed."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from tritarea_agents import exec_bot, registry

from .config import NPC, TournamentConfig

DIGITS = 16  # of a digest


class Identity(NamedTuple):
    """An agent by number, as a tournament's file has it.

    ``version``: of this package, whose code plays or calls it; ``digest``: of the files that its spec names (a
    checkpoint, a module, a program), None if it names none.
    """

    number: int
    name: str
    spec: str
    version: str
    digest: str | None


def identities(config: TournamentConfig) -> list[Identity]:
    """The agents in the order of their numbers, last who plays the NPC seats, if there are some."""
    specs = [*config.agents.items()]
    options = config.game.checked
    if config.game.players < config.game.game.seats_of(options):
        specs.append((NPC, options["npc"]))
    now = version("tritarea")
    return [Identity(i, name, spec, now, digest_of(spec)) for i, (name, spec) in enumerate(specs)]


def digest_of(spec: str) -> str | None:
    """Hexadecimal digits that change with the files that a spec names; None if it names none."""
    digest, found = hashlib.sha256(), False
    for path in _files(spec):
        found = True
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:DIGITS] if found else None


def _files(spec: str) -> Iterator[Path]:
    program = exec_bot.split(spec)
    if program is not None:
        yield from (Path(word) for word in exec_bot.command_of(program[1]) if os.path.isfile(word))
        return
    name, _, rest = spec.partition(":")
    if name not in registry.NAMED:  # their names win over folders and modules
        yield from _checkpoint(spec if os.path.isdir(spec) else name)
        yield from _module(name, rest)
    for item in rest.split(","):  # an option may name a file or a net
        value = item.partition("=")[2].strip()
        yield from [Path(value)] if os.path.isfile(value) else _checkpoint(value)


def _module(name: str, attribute: str) -> Iterator[Path]:
    if attribute and all(part.isidentifier() for part in name.split(".")):
        module = importlib.util.find_spec(name)
        if module is not None and module.origin is not None and Path(module.origin).is_file():
            yield Path(module.origin)


def _checkpoint(folder: str) -> Iterator[Path]:
    if os.path.isdir(folder):
        from tritarea_agents.checkpoint import META, WEIGHTS, find  # which imports torch

        found = find(folder)
        yield from (found / part for part in (META, WEIGHTS))


def config_differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What differs between two configs as plain data, a text for each field."""
    old, new = _flat(before), _flat(now)
    told = [
        f"{field} was {old.get(field, 'not given')!r}, now {new.get(field, 'not given')!r}"
        for field in (*old, *(field for field in new if field not in old))
        if old.get(field) != new.get(field) or (field in old) != (field in new)
    ]
    if not told and list(before.get("agents", ())) != list(now.get("agents", ())):
        told.append(f"the agents' order was {', '.join(before['agents'])}, now {', '.join(now['agents'])}")
    return told


def _flat(content: Mapping[str, Any], head: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            out.update(_flat(value, f"{head}{key}."))
        else:
            out[f"{head}{key}"] = value
    return out


def agent_differences(before: list[Identity], now: list[Identity]) -> list[str]:
    """What differs between the same agents then and now, a text for each."""
    pairs = list(zip(before, now, strict=True))
    told = [
        f"agent {old.name!r} ({old.spec}) has changed: the digest of its files was {old.digest}, now {new.digest}"
        for old, new in pairs
        if old.digest != new.digest
    ]
    versions = {(old.version, new.version) for old, new in pairs if old.version != new.version}
    return told + [f"tritarea was {old}, now {new}" for old, new in sorted(versions)]
