"""The one compiler decorator: no GIL held, compiled code cached where the disk allows it."""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core.caching import FunctionCache, NullCache

Function = TypeVar("Function", bound=Callable[..., Any])

_WARNING = (
    "compiled code is not kept, so that every process compiles it anew, which takes seconds: {}. "
    "The variable NUMBA_CACHE_DIR names another folder for it."
)
_said: set[str] = set()


def jit(function: Function, **options: Any) -> Function:
    """Compile ``function`` lazily, for the argument types of its first call.

    Compiled code is kept on disk. Where that is not possible, it is compiled anew in each process,
    with one warning.
    """
    options |= {"nogil": True, "error_model": "numpy"}
    # Nothing calls functions by their address in C.
    options["no_cfunc_wrapper"] = True
    compiled: Any = numba.njit(**options)(function)
    if compiled is not function:  # as it is where NUMBA_DISABLE_JIT is set
        compiled._cache = _cache_of(function)
    return compiled  # type: ignore[no-any-return]


def cache_folder() -> str | None:
    """Where compiled code of this module would be kept; None if no folder can be written."""
    cache = _cache_of(cache_folder)
    return str(cache.cache_path) if isinstance(cache, _Cache) else None


def _cache_of(function: Callable[..., Any]) -> Any:
    try:
        return _Cache(function)
    except RuntimeError:  # what numba raises if it finds no folder that can be written
        return _NoCache()


class _Cache(FunctionCache):  # type: ignore[misc]
    """Compiled code of one function on disk, which may be full or damaged."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Code for these types of arguments, or None; damaged files are written again."""
        try:
            return super().load_overload(sig, target_context)
        except OSError as error:
            self._give_up(error)
        except Exception:  # unpickling what is damaged may raise anything
            self._start_again()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep code for these types of arguments."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self._give_up(error)

    def _start_again(self) -> None:
        try:
            self.flush()
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self.disable()
        _warn_once(f"{self.cache_path} cannot be used: {error.strerror or error}")


class _NoCache(NullCache):  # type: ignore[misc]
    """Where no folder can be written."""

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Warn that this code is lost with the process."""
        _warn_once("neither the folder of the package nor that of the user's cache can be written")


def _warn_once(reason: str) -> None:
    if not _said:
        _said.add(reason)
        warnings.warn(_WARNING.format(reason), stacklevel=2)
