"""The largest eigenvalues of a dense symmetric matrix."""

import numpy as np

from kgroups.runtime.eigenpairs import eigenpairs_by_division, eigenvalues
from kgroups.typing import Float64Array

# Up to this many rows a full decomposition is quicker.
_FEW = 500
# A block has so many columns more than eigenvalues are asked for, and products are so many at most.
_MORE, _MOST_PRODUCTS = 4, 40
# Products between looks at the residuals, and the residual that is small enough, as a share of the
# range of the eigenvalues.
_EACH, _SMALL = 4, 1e-6


def largest_eigenvalues(matrix: Float64Array, count: int) -> Float64Array:
    """The ``count`` largest eigenvalues, the largest first.

    Those of the matrix on the space spanned by a random block and its products with the matrix,
    until each has a residual of at most 1e-6 of their range. The error is no larger than that, and
    mostly its square: it is at most the residual squared over the distance to other eigenvalues.
    A block, because a single vector would find equal eigenvalues once. O(n² count) for each of some
    ten products; O(n³) where more than forty would be needed.

    Source: Y. Saad, "Numerical Methods for Large Eigenvalue Problems", SIAM 2011, sections 3.2 and
    6.4.
    """
    n, width = len(matrix), count + _MORE
    if n > _FEW and width * _MOST_PRODUCTS < n:
        found = _by_products(matrix, count, width)
        if found is not None:
            return found
    return eigenvalues(matrix)[: -count - 1 : -1]


def _by_products(matrix: Float64Array, count: int, width: int) -> Float64Array | None:
    """The same by block Lanczos steps, None if they are not known after the most products."""
    n = len(matrix)
    basis = np.empty((width * (_MOST_PRODUCTS + 1), n))
    inside = np.zeros((width * _MOST_PRODUCTS, width * _MOST_PRODUCTS))
    block = np.random.default_rng(0).standard_normal((n, width))
    basis[:width] = np.linalg.qr(block)[0].T
    for number in range(_MOST_PRODUCTS):
        first, last = number * width, (number + 1) * width
        product = matrix @ basis[first:last].T
        # Against all blocks, because rounding would bring back what has been found already.
        shares = basis[:last] @ product
        inside[:last, first:last] = shares
        inside[first:last, :last] = shares.T
        following, rest = np.linalg.qr(product - basis[:last].T @ shares)
        # Once more, because columns of nothing but rounding have any direction.
        following, turn = np.linalg.qr(following - basis[:last].T @ (basis[:last] @ following))
        rest = turn @ rest
        basis[last : last + width] = following.T
        if (number + 1) % _EACH == 0:
            values, vectors = eigenpairs_by_division(inside[:last, :last])
            left = rest @ vectors[first:last, -count:]
            if np.linalg.norm(left, axis=0).max() <= _SMALL * (values[-1] - values[0]):
                return np.asarray(values[: -count - 1 : -1])
    return None
