"""How far a clustering can be from the best one, by a lower bound."""

import math
from dataclasses import dataclass, fields

from kgroups.bounds.blockwise import blockwise, is_in_blocks
from kgroups.bounds.centered import centered_matrix
from kgroups.bounds.semidefinite_bound import semidefinite
from kgroups.bounds.spectral_bound import spectral
from kgroups.input.spaces import Space
from kgroups.runtime.result_table import Columns, ResultTable
from kgroups.typing import Data, Float64Array

#: The largest gap that proves a clustering optimal up to rounding.
PROOF = 1e-6
#: Up to this many points "auto" uses the semidefinite bound, which takes seconds.
SEMIDEFINITE_UP_TO = 200
_MAX_ITER = 1_000
# Tolerance of the iterations of the spectral bound, as a share of S + W.
_LOSS = 1e-4


@dataclass(frozen=True, kw_only=True)
class OptimalityGap(ResultTable):
    """How much better than a clustering another one could be.

    No partition into as many clusters has W below ``bound``.

    ``to_frame()`` has one row: ``within_dispersion``, ``bound``, ``gap``, ``kind``,
    ``proves_optimal``.

    Examples
    --------
    >>> found = OptimalityGap(within_dispersion=2.0, bound=1.5, gap=0.25, kind="spectral")
    >>> found.to_frame()[["bound", "proves_optimal"]].values.tolist()
    [[1.5, False]]
    >>> print(found)
    W = 2; no partition into as many clusters has W below 1.5, 25.0% less (spectral bound)
    """

    within_dispersion: float
    bound: float
    #: (W − bound) / |W|, the share by which W could be smaller; 0 if they are equal up to rounding.
    gap: float
    #: The bound used: "spectral", "blockwise" or "semidefinite".
    kind: str

    @property
    def proves_optimal(self) -> bool:
        """Whether the gap is at most 1e-6, so that no clustering is better by a larger share."""
        return self.gap <= PROOF

    def __str__(self) -> str:
        W = f"W = {self.within_dispersion:.6g}"
        if self.proves_optimal:
            return f"{W}, which is proved to be the smallest possible ({self.kind} bound)"
        return (
            f"{W}; no partition into as many clusters has W below {self.bound:.6g}, "
            f"{percent_above(self.gap)} less ({self.kind} bound)"
        )

    def _columns(self) -> Columns:
        found = {each.name: [getattr(self, each.name)] for each in fields(self)}
        return {**found, "proves_optimal": [self.proves_optimal]}

    def _caption(self) -> str:
        return f"Optimality gap: {self}"


def percent_above(share: float) -> str:
    """A positive share in percent, rounded up: one decimal, or more until there are two digits.

    >>> percent_above(0.0691), percent_above(0.000123)
    ('7.0%', '0.013%')
    """
    decimals = max(1, 1 - math.floor(math.log10(100 * share)))
    percent = math.ceil(100 * share * 10**decimals) / 10**decimals
    return f"{percent:.{decimals}f}%"


def optimality_gap(
    space: Space,
    data: Data,
    weights: Float64Array,
    k: int,
    within_dispersion: float,
    kind: str,
    unit: float,
) -> OptimalityGap:
    """The gap of a within dispersion, which is in units of the given weights times ``unit``.

    "auto" uses the semidefinite bound up to 200 points if the spectral one does not prove
    optimality, and the blockwise one if that is faster.
    """
    W = within_dispersion / unit

    def gap(bound: float, rounding: float, found_by: str) -> OptimalityGap:
        """The gap to a bound, which is in units of the given weights."""
        bound = min(bound, W)
        lacking = W - bound
        share = lacking / abs(W) if lacking > 2 * k * rounding else 0.0
        return OptimalityGap(
            within_dispersion=within_dispersion, bound=bound * unit, gap=share, kind=found_by
        )

    if is_in_blocks(kind, space, data, k):
        return gap(*blockwise(space, data, weights, k), "blockwise")
    matrix = centered_matrix(space, data, weights)
    rounding = matrix.unit * matrix.rounding
    if kind != "semidefinite":
        plain = gap(matrix.unit * spectral(matrix, k, _LOSS), rounding, "spectral")
        few = matrix.n <= SEMIDEFINITE_UP_TO
        if kind == "spectral" or plain.proves_optimal or not few:
            return plain
    attained = W / matrix.unit
    better = semidefinite(matrix, k, PROOF, _MAX_ITER, attained)
    return gap(matrix.unit * better, rounding, "semidefinite")
