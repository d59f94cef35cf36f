"""Semimetrics that compare directions: rows whose length means nothing, such as embeddings."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.native import kernels
from kgroups.runtime.threads import blocks, default_threads, run
from kgroups.semimetrics import codes
from kgroups.semimetrics.semimetric import CoordinateSemimetric
from kgroups.typing import Float64Array, FloatArray

# Rows that are looked at together, which stay in the caches.
_ROWS = 1024


class Directions(CoordinateSemimetric):
    """A function of the distance between rows divided by their lengths.

    Directions are in float64 whatever the type of the rows, which may be float16.
    """

    takes_half: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = True

    @property
    def keeps_columns(self) -> bool:
        """True: each coordinate of a direction belongs to its column."""
        return True

    def embed(self, X: FloatArray) -> Float64Array:
        """Rows of length one; a row of length zero is an error that says where."""
        lengths, powers = scaled_lengths(X, type(self).__name__)
        rows = np.ldexp(X.astype(np.float64, order="C"), -powers[:, None])
        return np.asarray(rows / lengths[:, None])

    def embed_sparse(self, rows: csr_array) -> csr_array:
        """Sparse rows of length one; a row without entries is an error that says where."""
        count = np.diff(rows.indptr)
        if not count.all():
            raise ValueError(_no_direction(type(self).__name__, int(np.argmin(count))))
        values, starts = np.abs(rows.data.astype(np.float64)), rows.indptr[:-1]
        powers = np.frexp(np.maximum.reduceat(values, starts))[1]
        values = np.ldexp(rows.data.astype(np.float64), -np.repeat(powers, count))
        lengths = np.sqrt(np.add.reduceat(values * values, starts))
        values /= np.repeat(lengths, count)
        return csr_array((values, rows.indices, rows.indptr), shape=rows.shape)


@dataclass
class Cosine(Directions):
    r"""One minus the cosine of the angle between rows, for embeddings and counts of words.

    .. math:: ρ(x, y) = 1 - \frac{⟨x, y⟩}{\|x\| \|y\|} = \tfrac12 \left\| \frac{x}{\|x\|} -
              \frac{y}{\|y\|} \right\|^2

    Half a squared Euclidean distance, hence of negative type; between 0 and 2. A fit is k-means on
    rows of length one by Hartigan's method (spherical k-means also normalizes the means), and needs
    no pairs: O(nkD) time per sweep at most, and no copy of the rows. O(nmD) time for all pairs.

    Raises
    ------
    ValueError
        For a row of length zero, which has no direction.

    Examples
    --------
    >>> Cosine().pairwise([[1.0, 0.0]], [[5.0, 0.0], [0.0, 2.0], [-3.0, 0.0]]).tolist()
    [[0.0, 1.0, 2.0]]

    References
    ----------
    I. S. Dhillon and D. S. Modha, "Concept Decompositions for Large Sparse Text Data Using
    Clustering", Machine Learning 42, 2001.
    """

    factor: ClassVar[float] = 0.5

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code and parameter of the squared distance."""
        return codes.POWER, 1.0


@dataclass
class Angular(Directions):
    r"""The angle between rows, in radians.

    .. math:: ρ(x, y) = \arccos \frac{⟨x, y⟩}{\|x\| \|y\|}
              = 2 \arcsin \tfrac12 \left\| \frac{x}{\|x\|} - \frac{y}{\|y\|} \right\|

    Of negative type: the angle over π is the chance that a random hyperplane through 0 separates
    two directions, so ρ is an average of distances that are 0 or 1. Less sensitive than
    :class:`Cosine` to rows far from all others, as the energy semimetric is compared with k-means;
    but it needs all pairs. O(nmD) time.

    Raises
    ------
    ValueError
        For a row of length zero, which has no direction.

    Examples
    --------
    >>> Angular().pairwise([[1.0, 0.0]], [[5.0, 0.0], [0.0, 2.0], [-3.0, 0.0]]).round(6).tolist()
    [[0.0, 1.570796, 3.141593]]

    References
    ----------
    M. M. Deza and M. Laurent, "Geometry of Cuts and Metrics", Springer, 1997, section 6.4.
    """

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code of the arc over a chord, of radius 1."""
        return codes.ARC, 1.0


def scaled_lengths(
    X: NDArray[np.floating], what: str = "Cosine"
) -> tuple[Float64Array, NDArray[np.int32]]:
    """Numbers l and p for which each row has the Euclidean length l · 2^p.

    No square over- or underflows, and a row of length zero is an error. O(nD) time, and
    memory for some rows at a time.
    """
    if X.dtype == np.float64:
        lengths, powers = _scaled(np.asarray(X, np.float64))
    else:  # squares of numbers in float32 are normal ones in float64
        lengths, powers = _plain_lengths(X), np.zeros(len(X), np.int32)
    if not lengths.all():
        raise ValueError(_no_direction(what, int(np.argmin(lengths))))
    return lengths, powers


def _plain_lengths(X: FloatArray) -> Float64Array:
    squares, rows = np.empty(len(X)), np.ascontiguousarray(X)
    pieces = blocks(0, len(X), _ROWS)
    for _ in run(lambda ab: kernels.add_squares(rows, *ab, squares), pieces, default_threads()):
        pass
    return np.sqrt(squares)


def _scaled(X: Float64Array) -> tuple[Float64Array, NDArray[np.int32]]:
    """Lengths in units of a power of two near the largest entry of each row."""
    lengths, powers = np.empty(len(X)), np.empty(len(X), np.int32)
    for start, stop in blocks(0, len(X), _ROWS):
        rows = np.ascontiguousarray(X[start:stop])
        powers[start:stop] = np.frexp(np.abs(rows).max(axis=1))[1]
        rows = np.ldexp(rows, -powers[start:stop, None])
        lengths[start:stop] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return lengths, powers


def _no_direction(what: str, row: int) -> str:
    """What is said of a row of zeros."""
    return (
        f"{what} compares directions, and row {row} has length zero, hence no direction. Drop such "
        "rows, or choose a metric for which a row of zeros is a point like any other, such as "
        '"energy".'
    )
