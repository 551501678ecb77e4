"""How the kernels are compiled: by numba, kept on disk, with the interpreter's lock released while they run.

The compiled code lies in `__pycache__` beside the source, or where `NUMBA_CACHE_DIR` says, or in the user's cache
folder if the package's own cannot be written, or nowhere if none can. Import this module only where a kernel is to
run: numba takes 0.3 s.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar, cast

from numba import njit

if TYPE_CHECKING:
    from numba.core.dispatcher import Dispatcher

P = ParamSpec("P")
R = TypeVar("R")

_njit: Any = njit

SOURCES: Final = (
    "banded", "bounds", "columns", "compiled", "corridor", "labels", "lanes", "limits", "orders", "plain", "search",
    "strings", "trimming", "vectors",
)  # fmt: skip
"""The modules in which compiled functions or their constants are."""

_KEPT: Final[list[Dispatcher]] = []
"""The entries that are kept on disk."""


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """Compiled into each function that calls it. For these only: a call from Python would crash."""
    return cast("Callable[P, R]", _njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Machine code that Python calls, for the types it is first called with; kept on disk.

    numba makes it anew when the function's own file changes. What it calls lies in other files; so their digest goes
    with it as the value of a free variable, on which numba looks too.
    """
    assert isinstance(function, FunctionType)
    stamped = FunctionType(
        function.__code__.replace(co_freevars=("sources",)),
        function.__globals__,
        function.__name__,
        closure=(CellType(_digest()),),
    )
    stamped.__module__, stamped.__qualname__, stamped.__doc__ = (
        function.__module__,
        function.__qualname__,
        function.__doc__,
    )
    try:
        kept = _njit(cache=True, nogil=True)(stamped)
    except RuntimeError:  # no folder can be written: compiled anew in each process
        return cast("Callable[P, R]", _njit(nogil=True)(stamped))
    _KEPT.append(kept)
    return cast("Callable[P, R]", kept)


def has_compiled() -> bool:
    """Whether this process has compiled something that is now on disk, and holds the memory that compiling took."""
    return any(kept.stats.cache_misses for kept in _KEPT)


@cache
def _digest() -> str:
    here = Path(__file__).parent
    return hashlib.sha256(b"".join((here / f"{name}.py").read_bytes() for name in SOURCES)).hexdigest()
