"""How kernels are compiled, and where the machine code is kept.

numba's own cache looks only at the file of the cached function: a change in a helper of another file
would leave the old machine code running. Here the cache folder carries a digest of *all* kernel sources,
so code and cache cannot come apart. It also carries the flags that numba leaves out of its key (bounds
checks), and lies in the user's cache, so that a read-only install starts warm too.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import caching
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

config: Any = numba.config

PACKAGE = Path(__file__).resolve().parents[1]
KEPT_DAYS = 30
_SHARED = (PACKAGE / "engine", PACKAGE / "games")


def _top_package(file: Path) -> Path:
    """The folder of the outermost package that holds ``file`` (the file itself if it is in none)."""
    top = file
    while (top.parent / "__init__.py").exists():
        top = top.parent
    return top


def source_files(file: str | Path) -> list[Path]:
    """All sources that the machine code of a kernel in ``file`` may depend on, sorted."""
    own = _top_package(Path(file).resolve())
    roots = list(_SHARED) if own == PACKAGE else [*_SHARED, own]
    return sorted({path for root in roots for path in ([root] if root.is_file() else root.rglob("*.py"))})


@functools.cache
def _digest_of_package(top: Path) -> str:
    digest = hashlib.sha256(f"{sys.version_info[:2]} {numba.__version__} {np.__version__}".encode())
    for path in source_files(top if top.is_file() else top / "__init__.py"):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def source_digest(file: str | Path) -> str:
    """Digest (16 hex digits) of the kernel sources behind ``file`` and of the compiler's versions."""
    return _digest_of_package(_top_package(Path(file).resolve()))


@functools.cache
def _cache_root() -> Path:
    """The first of these folders that can be written to; the last is private to this process."""
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    for root in (config.CACHE_DIR, os.path.join(home, "tritarea")):
        if not root:
            continue
        path = Path(root).expanduser()
        try:
            path.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=path).close()
            return path
        except (OSError, RuntimeError):
            continue
    private = Path(tempfile.mkdtemp(prefix="tritarea-"))
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private


@functools.cache
def _tell() -> None:
    print("tritarea: compiling for this machine, once (up to a minute) …", file=sys.stderr, flush=True)


@functools.cache
def _folder(name: str) -> Path:
    """The cache folder of that name, marked as in use today; folders unused for ``KEPT_DAYS`` are removed."""
    folder = _cache_root() / name
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    for other in _cache_root().glob("kernels-*"):
        with contextlib.suppress(OSError):
            if time.time() - other.stat().st_mtime > KEPT_DAYS * 86_400:
                shutil.rmtree(other)
    return folder


class _Locator(caching._CacheLocator):
    """Places a kernel's machine code by the digest of the sources, not by the age of one file."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._py_file = py_file
        self._py_func = py_func
        self._digest = source_digest(py_file)

    def get_cache_path(self) -> str:
        flags = f"O{int(config.OPT)}{'-checked' if config.BOUNDSCHECK else ''}"
        return str(_folder(f"kernels-{self._digest}-{flags}"))

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        name = f"{self._py_func.__module__}.{self._py_func.__qualname__}"
        return hashlib.sha256(name.encode()).hexdigest()[:10]

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _Locator:
        locator = cls(py_func, py_file)
        locator.ensure_cache_path()
        return locator


class _CacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]  # noqa: RUF012


class _Cache(caching.Cache):
    _impl_class: Any = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Machine code from the cache; None if there is none: then somebody has to wait, and is told."""
        found = super().load_overload(sig, target_context)
        if found is None:
            _tell()
        return found


def kernel(function: F) -> F:
    """Compile ``function`` with numba: nopython, without the GIL, machine code kept between processes.

    It may not make arrays: then numba counts no references to those it is given, which costs more than most of
    what kernels do. With ``NUMBA_DISABLE_JIT=1`` the function is left as Python.
    """
    return _compiled(function, _nrt=False)


def inlined(function: F) -> F:
    """Like ``kernel``, for what inner loops call: its code becomes part of each caller's, which is what is kept.

    Constants that it is given are worked in, and the caller stays in one piece: numba puts every function on a page
    of memory of its own, and a loop over half a dozen pages is slow to read.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def making_kernel(function: F) -> F:
    """A kernel that may make arrays for its own use."""
    return _compiled(function, _nrt=True)


def _compiled(function: F, **options: Any) -> F:
    compiled: Any = numba.njit(nogil=True, **options)(function)
    if hasattr(compiled, "enable_caching"):
        compiled._cache = _Cache(function)
    return cast(F, compiled)


def wrapping_kernel(function: F) -> F:
    """A kernel whose unsigned arithmetic wraps on purpose: without JIT, numpy is told not to warn."""
    compiled: Any = kernel(function)
    if config.DISABLE_JIT:
        compiled = np.errstate(over="ignore")(compiled)
    return cast(F, compiled)


def records(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """The dtype of records with these fields, aligned.

    It is one of recarrays already, so that they and their bare views share one object: numba knows a dtype that is
    the very object it has met before at once, and else compares field by field, for some microseconds a call.
    """
    return np.dtype((np.record, np.dtype(fields, align=True)))


KIND: Any = np.recarray if config.DISABLE_JIT else np.ndarray


def bare(games: NDArray[Any]) -> Any:
    """The same games as kernels take them fastest: as a plain structured array, whose type is known at once.

    Without JIT as a recarray, since only its elements have fields as attributes.
    """
    return games.view(KIND)


def put_records(games: NDArray[Any], source: NDArray[Any]) -> None:
    """Write the records ``source`` (n,) over ``games`` (n,), as bytes: numpy goes field by field, ten times slower."""
    raw = _bytes_of(games.dtype.itemsize)
    games.view(raw, np.ndarray)[...] = source.view(raw, np.ndarray)


def copy_records(games: NDArray[Any]) -> Any:
    """A copy of the records (n,), of the same kind of array."""
    copied = np.empty(games.shape, games.dtype).view(type(games))
    put_records(copied, games)
    return copied


@functools.cache
def _bytes_of(size: int) -> np.dtype[Any]:
    return np.dtype((np.void, size))
