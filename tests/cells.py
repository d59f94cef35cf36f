"""Many cells of one behavior as one test, of which a failure names its cell."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

_NAMES = reprlib.Repr()
_NAMES.maxstring = _NAMES.maxother = 80


def cells(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[..., Any]:
    """Repeat a test for all values as ``pytest.mark.parametrize`` does, in one test.

    Fixtures are made once for all cells. A decorator above another one is the outer loop.
    """
    values = list(values)
    assert values, "a test without cells cannot fail"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def every_cell(*args: Any, **fixtures: Any) -> None:
            for value in values:
                cell = (
                    {names: value}
                    if isinstance(names, str)
                    else dict(zip(names, value, strict=True))
                )
                try:
                    test(*args, **fixtures, **cell)
                except BaseException as error:
                    told = ", ".join(f"{name}={_NAMES.repr(v)}" for name, v in cell.items())
                    error.add_note(f"in the cell {told}")
                    raise

        of_cells = (names,) if isinstance(names, str) else names
        plain = inspect.signature(test)
        left = [p for name, p in plain.parameters.items() if name not in of_cells]
        every_cell.__signature__ = plain.replace(parameters=left)
        return every_cell

    return decorate
