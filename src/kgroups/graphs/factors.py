"""How many groups of variables correlations show: by the factors that are behind them."""

import numpy as np
from scipy.sparse import csr_array

from kgroups.input.adjacency import components
from kgroups.runtime.eigenpairs import all_eigenpairs
from kgroups.typing import Float64Array

# Correlations are known by weights for at least this share of all pairs, and no eigenvalue below
# this: those over rows without gaps are positive semidefinite.
_COMPLETE, _LOWEST = 0.9, -0.5
#: Correlations of one, as they are computed, are different from it by this much at most.
ROUNDED = 1e-9
# The least variance that factors leave of a variable, and the largest share of factors.
_LEAST_OWN, _MOST = 1e-9, 1 / 3
# By this share, divided by the number of variables, the mean square of partial correlations must
# fall with further factors: noise has by chance a largest eigenvalue to remove.
_CHANCE = 2.0


def count_groups(A: csr_array) -> int | None:
    """Groups of variables by the factors behind their correlations; None if A holds none.

    As many groups as factors, or one more where factors have two opposite sides. Factors are the
    principal components without which correlations are least: partial correlations are those of
    what the components leave of each variable; the number is the one with the least mean square, or
    a smaller one that is as good up to chance. Noise has none, however few rows there were; a group
    needs three variables. Groups that oppose each other have one factor less than there are groups,
    and none on which all load alike. A has no loops; O(n³) time, O(n²) memory.

    Source: W. F. Velicer, "Determining the Number of Components from the Matrix of Partial
    Correlations", Psychometrika 41, 1976.
    """
    n, size = A.shape[0], np.abs(A.data)
    if A.nnz < _COMPLETE * n * (n - 1) or not size.min() < size.max() <= 1.0 + ROUNDED:
        return None
    twins = A >= 1.0 - ROUNDED
    if (twins.sum(axis=1) > 0).all():  # nothing is left of them
        return int(components(csr_array(twins))[0])
    left = A.toarray()
    np.fill_diagonal(left, 1.0)
    values, vectors = (pairs[..., ::-1] for pairs in all_eigenpairs(left))
    if values[-1] < _LOWEST:
        return None
    mean_squares = [_mean_square(left)]
    for value, vector in zip(values[: int(_MOST * n)], vectors.T, strict=False):
        left -= np.outer(value * vector, vector)
        # Of several equal factors the mean square rises until the last one is gone.
        if value <= 1.0 or left.diagonal().min() < _LEAST_OWN:
            break
        mean_squares.append(_mean_square(left))
    as_good = min(mean_squares) * (1.0 + _CHANCE / n)
    n_factors = next(m for m, square in enumerate(mean_squares) if square <= as_good)
    alike = vectors[:, :n_factors].sum(axis=0)
    return n_factors + int(alike @ alike < n / 2)


def _mean_square(covariance: Float64Array) -> float:
    """That of the correlations, over all pairs of two."""
    n, precision = len(covariance), 1.0 / covariance.diagonal()
    return float(precision @ covariance**2 @ precision - n) / (n * (n - 1))
