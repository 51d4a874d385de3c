"""Self-play training. Importing this costs nothing; torch is imported when training begins."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from .config import TrainConfig

__all__ = ["load_config", "train"]
_NEEDED = 'training needs more packages: pip install "tritarea[train]"'


def load_config(path: str | Path, overrides: Mapping[str, Any] | None = None) -> TrainConfig:
    """The config in a YAML file, with ``overrides`` by dotted name (``{"seed": 1, "ppo.gamma": 0.99}``).

    Raises:
        ConfigError: names the file and the field that is wrong.
        ImportError: says what to install.
    """
    try:
        from .config import load
    except ImportError as error:
        raise ImportError(_NEEDED) from error
    return load(path, overrides or {})


def train(config: TrainConfig, out: str | Path, *, resume: bool = False, console: Console | None = None) -> Path:
    """Train an agent as ``config`` says; returns its checkpoint's folder. See ``run.train``."""
    try:
        from .run import train as run
    except ImportError as error:
        raise ImportError(_NEEDED) from error
    return run(config, Path(out), resume=resume, console=console)
