"""Distances between few points by SciPy, because compiling loops of our own takes longer."""

from collections.abc import Sequence

import numpy as np

from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Term
from kgroups.semimetrics.units import unit_of
from kgroups.typing import Float64Array

# Points up to which SciPy takes less than a millisecond.
_FEW = 256


def few_pairs(terms: Sequence[Term] | None) -> Float64Array | None:
    """Matrix of ρ between a few points in float64, exactly symmetric; None where it is not simple.

    Simple are powers of the Euclidean distance and sums of absolute differences of numbers whose
    squares are ordinary ones. O(n²D).
    """
    if (
        not terms
        or terms[0].is_sparse
        or len(terms[0].coordinates) > _FEW
        or not all(map(_is_simple, terms))
    ):
        return None
    return np.asarray(sum(_distances(term) for term in terms))


def _is_simple(term: Term) -> bool:
    if term.coordinates.dtype != np.float64:
        return False
    if term.delta == codes.SQUARED:
        return term.phi == codes.POWER and unit_of(term.coordinates) == 1.0
    return term.delta == codes.ABSOLUTE and term.phi == codes.SCALE


def _distances(term: Term) -> Float64Array:
    from scipy.spatial.distance import cdist

    x = term.coordinates
    if term.delta == codes.ABSOLUTE:
        return np.asarray(term.scale * term.parameter * cdist(x, x, "cityblock"))
    squared = cdist(x, x, "sqeuclidean")
    power = np.sqrt(squared) if term.parameter == 0.5 else np.power(squared, term.parameter)
    return np.asarray(term.scale * power)
