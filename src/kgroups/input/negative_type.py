"""How far a metric is from being of negative type on some of the rows, and what that means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.input.rows import n_rows, take
from kgroups.semimetrics.duality import negative_type_violation
from kgroups.semimetrics.semimetric import Semimetric, evenly_spaced
from kgroups.typing import FloatArray

#: Rows on which it is measured at most.
ROWS = 300
# Of more rows a share, so that at most a tenth of the pairs are computed once more; at least so
# many rows.
_SHARE, _LEAST = 3, 100
# A violation that rounding may make, as where a function computes in float32.
_ROUNDING = 1e-6


@dataclass(eq=False)
class Violation:
    """What was measured, and the matrix if it has all rows."""

    #: :func:`kgroups.semimetrics.negative_type_violation` of the rows.
    size: float = 0.0
    #: Whether a warning is due: a violation beyond rounding, or one that theory knows of.
    is_due: bool = False
    rows: int = 0
    data: Any = None
    matrix: FloatArray | None = None

    def matrix_of(self, data: Any) -> FloatArray | None:
        """The matrix of all pairs, if it was made of these rows."""
        return self.matrix if self.data is data else None

    def forget(self) -> None:
        """Keep the numbers alone."""
        self.data = self.matrix = None

    def said(self, semimetric: Semimetric, consequence: str) -> str:
        """The warning: what was measured, and what may happen."""
        share = f"{100 * self.size:.2g} %" if self.size < 1 else f"{self.size:.2g} times the size"
        found = f"the most negative eigenvalue of its kernel is {share} of the largest"
        if self.size == 0:
            found = "no violation was measured"
        return (
            f"{semimetric!r} is not of negative type: {found} on {self.rows} rows "
            f"(negative_type_violation). {consequence}"
        )


def violation_of(semimetric: Semimetric, data: Any) -> Violation:
    """The violation on evenly spaced rows; 0 for a semimetric that is of negative type.

    All of at most 300 rows are measured, and the matrix is kept; of more a third, 100 to 300. So
    at most a tenth of the pairs are computed once more. O(m³) time for m rows.
    """
    n = n_rows(data)
    if semimetric.is_negative_type or n == 0:
        return Violation()
    few = n <= ROWS
    some = np.arange(n) if few else evenly_spaced(n, min(ROWS, max(_LEAST, n // _SHARE)))
    matrix = semimetric.matrix(data if few else take(data, some))
    size = _size(matrix)
    return Violation(
        size=size,
        is_due=size > _ROUNDING or not semimetric.negative_type_is_open,
        rows=len(some),
        data=data if few else None,
        matrix=matrix if few else None,
    )


def _size(matrix: FloatArray) -> float:
    """0 for what is not finite or not square, which other checks refuse with the place."""
    is_square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1]
    if not is_square or not np.isfinite(matrix).all():
        return 0.0
    return negative_type_violation(matrix)
