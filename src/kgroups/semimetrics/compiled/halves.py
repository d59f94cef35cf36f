"""Numbers in float16, which compiled loops read by their bits."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from kgroups.typing import FloatArray

# A number in float16 with its bits moved to the places of float32 is too small by this factor.
_HALF = np.float32(2.0**112)


def widened(number: Any) -> float:
    """A number in float64; unsigned integers are the bits of numbers in float16."""
    if isinstance(number, np.uint16):
        return float(number.view(np.float16))
    return float(number)


# strict=False: annotations differ from numba's types. The decorator itself has none.
@overload(widened, strict=False, inline="always")  # type: ignore[untyped-decorator]
def _compiled_widened(number: types.Type) -> Callable[..., float]:
    def of_bits(number: Any) -> float:
        """Exact for every finite number, also for subnormal ones."""
        bits = np.uint32(number)
        sign = (bits & np.uint32(0x8000)) << np.uint32(16)
        moved = np.uint32((bits & np.uint32(0x7FFF)) << np.uint32(13) | sign)
        return np.float64(moved.view(np.float32) * _HALF)

    def of_float(number: Any) -> float:
        """Floats are not rounded."""
        return np.float64(number)

    return of_bits if isinstance(number, types.Integer) else of_float


def as_numbers(rows: FloatArray) -> Any:
    """Rows as compiled loops take them: those in float16 as their bits, without a copy."""
    return rows.view(np.uint16) if rows.dtype == np.float16 else rows
