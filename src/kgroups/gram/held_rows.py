"""Rows that stay as they came, from which compiled loops read features.

Features are scale · (x − mean), where x is a row, or a row divided by its length.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from kgroups.typing import Float64Array, FloatArray

_NO_LENGTHS = np.empty(0)


class Rows(NamedTuple):
    """Rows as they are."""

    rows: FloatArray  # (n, D)
    mean: Float64Array  # (D,)
    scale: float
    inverse: Float64Array = _NO_LENGTHS  # compiled loops take both kinds of rows as one type


class UnitRows(NamedTuple):
    """Rows that are divided by their lengths; they may be in float16."""

    rows: FloatArray  # (n, D)
    mean: Float64Array  # (D,)
    scale: float
    inverse: Float64Array  # (n,) 1 over the length of each row


#: What :meth:`kgroups.gram.FactorGram.in_memory` returns.
Held: TypeAlias = Rows | UnitRows
