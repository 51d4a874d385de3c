"""Agents by name. A *spec* is one of

- ``random``, ``greedy``, ``expert``, ``search``: an agent of this package; options: ``greedy:block=2.5,samples=24``;
- ``runs/my-run``: a checkpoint folder, also with options: ``runs/my-run:sample=true``;
- ``exec:./bot --fast``: a program of any language (see ``exec_bot``);
- ``my_module:MyAgent``: anything that Python can import: a class, an object or a function.

A named agent is a module with ``Parameters``, a NamedTuple that gives each option its type and default, or instead
``parameters_of(game)``, which returns such a class; with ``build(game, parameters) -> Agent``, which gets the game's
``options``, too, if it takes them; and where there is need with ``RANGES``, each option's lowest and highest value
(a default outside of it means that the option is off), ``CHOICES``, the words that it may be, ``EXCLUSIVE``, options
of which one may be given, and ``IDLE``, by option those that mean nothing beside it. ``NAMED`` says where it lies; a
game adds its own by adding that file.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import math
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from tritarea_env import games
from tritarea_env.games import Game

from .base import Agent, OneByOne

NAMED = {
    "random": "tritarea_agents.random",
    "greedy": "tritarea_agents.greedy.{game}",
    "expert": "tritarea_agents.expert.{game}",
    "search": "tritarea_agents.search",
}
_BOOLEANS = {"true": True, "false": False}


def make(spec: str, game: str | Game, options: Mapping[str, Any] | None = None) -> Agent:
    """The agent that ``spec`` names, for ``game`` (or its name) with ``options`` (checked; None: not known yet).

    The names of this package win over folders and modules of the same name.

    Raises:
        ValueError: there is no such agent, an option is not one of its options, or a checkpoint does not fit.
    """
    if isinstance(game, str):
        game = games.get(game)
    name, colon, rest = spec.partition(":")
    if name in NAMED:
        return _named(name, rest, game, options)
    if name == "exec" and colon:
        return _program(spec, game, options)
    if os.path.isdir(spec):
        return _checkpoint(spec, "", game, options)
    if os.path.isdir(name) and _holds_checkpoint(name):
        return _checkpoint(name, rest, game, options)
    if "/" in spec or os.sep in spec:
        raise ValueError(f"there is no folder {spec!r} to load an agent from")
    if colon and rest and all(part.isidentifier() for part in name.split(".")):
        return _imported(name, rest, game)
    others = "a checkpoint folder, exec:program, or module:attribute"
    raise ValueError(f"no agent is named {spec!r}; there is {', '.join(NAMED)}, {others}")


def _named(name: str, text: str, game: Game, options: Mapping[str, Any] | None) -> Agent:
    module = _module_of(name, game)
    defaults = module.parameters_of(game) if hasattr(module, "parameters_of") else module.Parameters
    chosen = given_options(name, defaults, text)
    exclusive = getattr(module, "EXCLUSIVE", ())
    if exclusive and set(exclusive) <= set(chosen):
        raise ValueError(f"{name}: give {' or '.join(exclusive)}, not both")
    for key, others in getattr(module, "IDLE", {}).items():
        idle = ", ".join(other for other in others if other in chosen)
        if chosen.get(key) and idle:
            raise ValueError(f"{name}: beside {key}, {idle} means nothing; leave it out")
    parameters = defaults(**chosen)
    check_ranges(name, chosen, getattr(module, "RANGES", {}))
    _check_choices(name, chosen, getattr(module, "CHOICES", {}))
    more = {"options": options} if "options" in inspect.signature(module.build).parameters else {}
    agent: Agent = module.build(game, parameters, **more)
    return agent


def check_ranges(name: str, given: Mapping[str, Any], ranges: Mapping[str, tuple[float, float]]) -> None:
    """See that each option that is given lies in its range.

    Raises:
        ValueError: one does not.
    """
    for key in given.keys() & ranges.keys():
        value, (low, high) = given[key], ranges[key]
        if not low <= value <= high:
            raise ValueError(f"{name}: {key} is {low} … {high}, not {value}")


def _check_choices(name: str, given: Mapping[str, Any], choices: Mapping[str, tuple[str, ...]]) -> None:
    for key in given.keys() & choices.keys():
        if given[key] not in choices[key]:
            raise ValueError(f"{name}: {key} is {', '.join(choices[key])}, not {given[key]!r}")


def _module_of(name: str, game: Game) -> ModuleType:
    path = NAMED[name].format(game=game.name)
    if importlib.util.find_spec(path) is None:
        raise ValueError(f"{game.title} has no agent {name!r}")
    return importlib.import_module(path)


def parse_options(name: str, parameters: Any, text: str) -> Any:
    """``key=value,…`` as an instance of ``parameters`` (a NamedTuple class), each value of its default's type.

    Raises:
        ValueError: an unknown option, or a value of the wrong type.
    """
    return parameters(**given_options(name, parameters, text))


def given_options(name: str, parameters: Any, text: str) -> dict[str, Any]:
    """The same as a mapping of those that are given."""
    defaults: dict[str, Any] = parameters._field_defaults
    given: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if key not in defaults:
            known = ", ".join(f"{k}={v}" for k, v in defaults.items()) or "none"
            raise ValueError(f"agent {name!r} has no option {key!r}; its options (with defaults): {known}")
        if not equals or key in given:
            raise ValueError(f"agent {name!r}: options are written once, as key=value, not {item!r}")
        given[key] = _read(value, type(defaults[key]), f"agent {name!r}: option {key!r}")
    return given


def _read(value: str, kind: type, what: str) -> Any:
    try:
        read = _BOOLEANS[value.lower()] if kind is bool else kind(value)
        if kind is float and not math.isfinite(read):
            raise ValueError
    except (KeyError, ValueError):
        words = {bool: "true or false", int: "a whole number", float: "a finite number"}
        raise ValueError(f"{what} is {words.get(kind, kind.__name__)}, not {value!r}") from None
    return read


def _holds_checkpoint(folder: str) -> bool:
    return any((Path(folder) / part).exists() for part in ("policy.safetensors", "checkpoints"))


def _checkpoint(folder: str, text: str, game: Game, options: Mapping[str, Any] | None) -> Agent:
    if not _holds_checkpoint(folder):
        raise ValueError(f"folder {folder!r} holds no agent: neither policy.safetensors nor checkpoints/")
    policy: Any = importlib.import_module("tritarea_agents.policy")
    agent: Agent = policy.load(folder, game, parse_options(folder, policy.Parameters, text), options)
    return agent


def _program(spec: str, game: Game, options: Mapping[str, Any] | None) -> Agent:
    programs: Any = importlib.import_module("tritarea_agents.exec_bot")
    agent: Agent = programs.build(spec, game, options)
    return agent


def _imported(module_name: str, attribute: str, game: Game) -> Agent:
    spec = f"{module_name}:{attribute}"
    found: Any = _import(module_name)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ValueError(f"module {module_name!r} has no {attribute!r}")
        found = getattr(found, part)
    if inspect.isclass(found):
        build: Any = found
        try:
            found = build(game=game) if "game" in _parameters_of(build) else build()
        except Exception as error:
            raise ValueError(f"{spec} cannot be made: {type(error).__name__}: {error}") from error
    return adapt(found, spec)


def _import(name: str) -> ModuleType:
    """Import a module; one in the working folder is found, too."""
    here = os.getcwd()
    if not {"", here} & set(sys.path):
        sys.path.append(here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise ValueError(f"no agent and no module is named {name!r}; agents: {', '.join(NAMED)}") from error
        raise


def adapt(found: Any, what: str) -> Agent:
    """``found`` as an ``Agent``: as it is if its ``act`` takes views, adapted if it takes observation and mask.

    Raises:
        ValueError: it is neither.
    """
    act: Callable[..., Any] | None = getattr(found, "act", found if callable(found) else None)
    needed = -1 if act is None else len(_parameters_of(act))
    if needed == 1:
        agent: Agent = found if hasattr(found, "act") else SimpleNamespace(act=found)
        return agent
    if needed == 2:
        return OneByOne(found)
    raise ValueError(f"{what} is no agent: it needs act(views) or act(observation, mask), or to be such a function")


def _parameters_of(function: Callable[..., Any]) -> list[str]:
    """Names of the parameters that a caller gives by place, without those that have defaults (``game`` excepted)."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    placed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in placed and (p.default is p.empty or p.name == "game")]
