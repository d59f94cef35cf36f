"""How far a clustering can be from the best one, by a lower bound."""

from dataclasses import dataclass

from kgroups.bounds.blockwise import blockwise, is_in_blocks
from kgroups.bounds.centered import centered_matrix
from kgroups.bounds.semidefinite_bound import semidefinite
from kgroups.bounds.spectral_bound import spectral
from kgroups.input.spaces import Space
from kgroups.typing import Data, Float64Array

#: The largest gap that proves a clustering optimal up to rounding.
PROOF = 1e-6
#: Up to this many points "auto" uses the semidefinite bound, which takes seconds.
SEMIDEFINITE_UP_TO = 200
_MAX_ITER = 1_000
# Tolerance of the iterations of the spectral bound, as a share of S + W.
_LOSS = 1e-4


@dataclass(frozen=True, kw_only=True)
class OptimalityGap:
    """How much better than a clustering another one could be.

    No partition into as many clusters has W below ``bound``.
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
