"""``--standardize``: the means and standard deviations of columns, for the fit and for new rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.runtime.scaling import column_units
from kgroups.typing import Float64Array


@dataclass(frozen=True, eq=False)
class ColumnScales:
    """What maps columns to mean 0 and standard deviation 1 (ddof 0); constant ones to 0."""

    #: Powers of two near the largest entries, so that no square over- or underflows.
    unit: Float64Array
    #: In these units.
    mean: Float64Array
    #: NaN for a constant column.
    spread: Float64Array

    @classmethod
    def of(cls, numbers: Float64Array) -> ColumnScales:
        """The scales of some columns."""
        # Exact: the computed standard deviation of equal numbers may be slightly above 0.
        constant = numbers.min(axis=0) == numbers.max(axis=0)
        unit = column_units(numbers)
        scaled = numbers / unit
        return cls(unit, scaled.mean(axis=0), np.where(constant, np.nan, scaled.std(axis=0)))

    @property
    def constant(self) -> list[int]:
        """Which columns were constant."""
        return np.flatnonzero(np.isnan(self.spread)).tolist()

    def applied(self, numbers: Float64Array) -> Float64Array:
        """Columns on these scales."""
        scaled = (numbers / self.unit - self.mean) / np.nan_to_num(self.spread, nan=1.0)
        scaled[:, self.constant] = 0.0
        return np.asarray(scaled)


def standardized(numbers: Float64Array) -> tuple[Float64Array, list[int]]:
    """Columns of mean 0 and standard deviation 1, and which ones are constant, now 0."""
    scales = ColumnScales.of(numbers)
    return scales.applied(numbers), scales.constant
