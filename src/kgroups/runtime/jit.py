"""The one compiler decorator: no GIL held, compiled code cached where the disk allows it."""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def jit(function: Function, *, fastmath: frozenset[str] = frozenset()) -> Function:
    """Compile ``function`` lazily, for the argument types of its first call.

    numba refuses ``cache=True`` while decorating when neither the package folder nor the user's
    cache folder can be written; the function is then compiled anew in each process.
    """
    options = {"nogil": True, "error_model": "numpy", "fastmath": set(fastmath) or False}
    try:
        return numba.njit(cache=True, **options)(function)  # type: ignore[no-any-return]
    except RuntimeError:
        return numba.njit(cache=False, **options)(function)  # type: ignore[no-any-return]


def jit_fma(function: Function) -> Function:
    """Like :func:`jit`, with multiply and add fused: for sums, never where labels are chosen."""
    return jit(function, fastmath=frozenset({"contract"}))
