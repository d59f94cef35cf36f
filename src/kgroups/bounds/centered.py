"""The doubly centered, weighted Gram matrix, whose spectrum bounds W."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kgroups.gram.operator import GramOperator
from kgroups.input.parameters import check_n_clusters, check_weights
from kgroups.input.rows import is_table, n_rows
from kgroups.input.spaces import Space, exact_gram, read_input
from kgroups.runtime.memory import require
from kgroups.runtime.scaling import norm_of, power_of_two
from kgroups.runtime.threads import default_threads
from kgroups.semimetrics.semimetric import Metric
from kgroups.typing import Data, Float64Array, IntArray

#: Up to this many points the matrix is stored, because it is needed several times.
HELD_UP_TO = 5_000
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Centered:
    r"""A = P 𝒲^{1/2} G 𝒲^{1/2} P with P = I − ee', e = √w/√s, over the points with weight.

    The normalized indicators u_j = √w 1_{C_j}/√s_j of k clusters are orthonormal, and their span
    contains e, where A is zero, so that

    .. math:: W = \operatorname{tr} A - \sum_j u_j' A u_j .

    The result does not depend on the origin of G.
    """

    gram: GramOperator
    #: Points with weight, and the roots of their weights.
    alive: IntArray
    root: Float64Array
    #: Unit of the weights and of all numbers: a power of two, so that no square overflows.
    unit: float
    #: tr A, which equals W of a single cluster, and S + W of any partition.
    total: float
    #: Rounding error of the numbers of a bound.
    rounding: float

    @classmethod
    def of(cls, gram: GramOperator, weights: Float64Array) -> Self:
        """Construct from a Gram matrix, by one product with it."""
        unit = power_of_two(weights.max())
        weights = weights / unit
        alive = np.flatnonzero(weights > 0)
        root = np.sqrt(weights[alive])
        e = root / np.linalg.norm(root)
        right = np.zeros((gram.n, 1))
        right[alive, 0] = root * e
        across = root * gram.matmul(right)[alive, 0]
        own = weights[alive] * gram.diagonal()[alive]
        total = float(own.sum() - e @ across)
        size = float(np.abs(own).sum() + norm_of(across)) + abs(total)
        return cls(gram, alive, root, unit, total, (len(alive) + 16) * _EPS * size)

    @property
    def n(self) -> int:
        """Number of points with weight."""
        return len(self.alive)

    @property
    def e(self) -> Float64Array:
        """The direction that all partitions share."""
        return np.asarray(self.root / np.linalg.norm(self.root))

    def project(self, columns: Float64Array) -> Float64Array:
        """The product P @ columns."""
        return np.asarray(columns - np.outer(self.e, self.e @ columns))

    def orthogonal_to_e(self, matrix: Float64Array) -> Float64Array:
        """The product P @ matrix @ P of a symmetric matrix, exactly symmetric."""
        made = self.project(self.project(matrix).T)
        return np.asarray((made + made.T) / 2)

    def matmul(self, columns: Float64Array) -> Float64Array:
        """The product A @ columns, by one pass over G."""
        right = np.zeros((self.gram.n, columns.shape[1]))
        right[self.alive] = self.root[:, None] * self.project(columns)
        return self.project(self.root[:, None] * self.gram.matmul(right)[self.alive])

    def to_dense(self) -> Float64Array:
        """The matrix A as an array."""
        require(
            4 * 8 * self.n**2,
            what=f"All eigenvalues of {self.n:,} points",
            instead="Ask for fewer clusters or bound a sample of the rows.",
        )
        made = np.asarray(self.gram.rows(self.alive), np.float64)[:, self.alive]
        made *= np.outer(self.root, self.root)
        return self.orthogonal_to_e(made)


def bound_input(
    X: Data, n_clusters: int, metric: Metric, sample_weight: ArrayLike | None
) -> tuple[Space, Any, Float64Array, int]:
    """The space, clean data, weights and number of clusters from the arguments of a bound."""
    space, data = read_input(X, metric)
    n = n_rows(data)
    k = check_n_clusters(n_clusters, n)
    return space, data, check_weights(sample_weight, n), k


def centered_matrix(space: Space, data: Data, weights: Float64Array) -> Centered:
    """The centered matrix of clean data."""
    held = is_table(data) and n_rows(data) <= HELD_UP_TO
    n_threads = default_threads()
    gram = space.gram(data, "dense", n_threads) if held else exact_gram(space, data, n_threads)
    return Centered.of(space.at_mean(gram, weights)[0], weights)
