"""How many groups of variables correlations show: by the factors that are behind them."""

import numpy as np
from scipy.sparse import csr_array

from kgroups.runtime.eigenpairs import all_eigenpairs
from kgroups.typing import Float64Array

# Correlations are known by weights for at least this share of all pairs.
_COMPLETE = 0.9
#: Correlations of one, as they are computed, are different from it by this much at most.
ROUNDED = 1e-9
# The least variance that factors leave of a variable, and the largest share of factors.
_LEAST_OWN, _MOST = 1e-9, 1 / 3
# By this share, divided by the number of variables, the mean square of partial correlations must
# fall with further factors: noise has by chance a largest eigenvalue to remove.
_CHANCE = 2.0


def may_be_correlations(A: csr_array) -> bool:
    """Whether nearly all pairs have weights between −1 and 1, not all of the same size."""
    n, size = A.shape[0], np.abs(A.data)
    return bool(A.nnz >= _COMPLETE * n * (n - 1) and size.min() < size.max() <= 1.0 + ROUNDED)


def count_groups(A: csr_array) -> int:
    """As many groups of variables as factors, or one more where factors have two opposite sides.

    Factors are the principal components without which correlations are least: partial correlations
    are those of what the components leave of each variable; the number is the one with the least
    mean square, or a smaller one that is as good up to chance. Noise has none, however few rows
    there were. Groups that oppose each other have one factor less than there are groups, and none
    on which all load alike. A has no loops; O(n³) time, O(n²) memory.

    Source: W. F. Velicer, "Determining the Number of Components from the Matrix of Partial
    Correlations", Psychometrika 41, 1976.
    """
    n = A.shape[0]
    left = A.toarray()
    np.fill_diagonal(left, 1.0)
    values, vectors = (pairs[..., ::-1] for pairs in all_eigenpairs(left))
    mean_squares = [_mean_square(left)]
    for value, vector in zip(values[: int(_MOST * n)], vectors.T, strict=False):
        left -= value * np.outer(vector, vector)
        own = left.diagonal()
        if value <= 1.0 or own.min() < _LEAST_OWN:
            break
        mean_squares.append(_mean_square(left / np.sqrt(np.outer(own, own))))
    as_good = min(mean_squares) * (1.0 + _CHANCE / n)
    n_factors = next(m for m, square in enumerate(mean_squares) if square <= as_good)
    alike = vectors[:, :n_factors].sum(axis=0)
    return n_factors + int(alike @ alike < n / 2)


def _mean_square(correlations: Float64Array) -> float:
    """Over all pairs of two."""
    n = len(correlations)
    return float(np.vdot(correlations, correlations) - n) / (n * (n - 1))
