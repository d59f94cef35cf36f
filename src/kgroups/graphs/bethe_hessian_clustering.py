"""Spectral clustering with the Bethe Hessian, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import csr_array

from kgroups.graphs.bethe_hessian import (
    bethe_hessian,
    lowest_r,
    minus_bethe_hessian,
    regularizer,
)
from kgroups.graphs.community_estimator import (
    CommunityEstimator,
    has_edges,
    renumbered,
)
from kgroups.graphs.embedding import cluster_rows, unit_rows
from kgroups.graphs.likelihood import planted_likelihood
from kgroups.graphs.spectrum import Eigenpairs, smallest_eigenpairs
from kgroups.input.parameters import check_integer
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.seeds import seed_of
from kgroups.typing import Float64Array, IntArray

_ROW_CONVENTIONS = (False, True, "auto")
# Roots that differ by less, relative to r, end the search, which takes so many steps at most; and
# those that differ by less than the other are one root.
_SAME, _STEPS, _SHARED = 1e-10, 30, 1e-7


class BetheHessianClustering(CommunityEstimator):
    r"""Communities by k-means on the low eigenvectors of the Bethe Hessian.

    The k smallest eigenvectors of :math:`H_r = (r^2 - 1) I - r A + D` are one row a node; k-means
    groups the rows. Time: the eigensolver, O((edges + nk) · steps), and k-means, O(nk²) a pass;
    memory: some 16 nk bytes. Never dense beyond a few thousand nodes.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of communities; "auto" is the number of negative eigenvalues, counted exactly.
    r : float, "average_degree" or "zeta", default="average_degree"
        Regularizer. "average_degree" is √(mean degree), as published. "zeta" gives the p-th
        eigenvector an r of its own, ζ_p, for which its eigenvalue is zero: k eigenproblems, and a
        little more accuracy on sparse graphs with uneven degrees.
    normalize_rows : bool or "auto", default=False
        Whether rows have length one. False is published; True is better on sparse graphs with
        many communities. "auto" clusters both and keeps the likelier partition.
    n_init : int, default=10
        Starts of k-means.
    random_state : int, RandomState or None, default=None
        Seed of the eigensolver and of k-means.

    Attributes
    ----------
    labels_ : array (n,)
        Community of each node, 0 is the largest.
    n_clusters_ : int
        Number of communities.
    eigenvalues_ : array (k,)
        Of H_r, rising; zero up to rounding where ``r="zeta"`` found a root.
    embedding_ : array (n, k)
        Eigenvectors as columns, before rows are normalized.
    r_ : float or array (k,)
        The regularizer of each eigenvector.
    rows_normalized_ : bool
        Which convention the labels come from.
    row_scores_ : dict
        With "auto", the log-likelihood of a planted partition for each convention.
    eigensolver_ : str
        "dense", "lanczos" or "shift-invert".
    component_sizes_ : array
        Nodes in each connected component, the largest first.
    nodes_, communities_ : array (n,), list of lists
        The ids of the nodes, and those of each community.
    n_features_in_ : int
        Number of nodes.

    Examples
    --------
    >>> import numpy as np
    >>> from kgroups import BetheHessianClustering
    >>> clique = np.ones((5, 5)) - np.eye(5)
    >>> A = np.kron(np.eye(2), clique)
    >>> A[4, 5] = A[5, 4] = 1
    >>> model = BetheHessianClustering(random_state=0).fit(A)
    >>> model.n_clusters_, model.labels_.tolist()
    (2, [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])

    References
    ----------
    Saade, Krzakala & Zdeborová, NeurIPS 2014 [SKZ]. ζ_p: Dall'Amico, Couillet & Tremblay, JMLR 22
    (2021).
    """

    def __init__(
        self,
        n_clusters: Any = "auto",
        *,
        r: Any = "average_degree",
        normalize_rows: Any = False,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.r = r
        self.normalize_rows = normalize_rows
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, A: Any, y: Any = None) -> Self:
        """Find communities; ``A`` and errors as in :meth:`GraphKGroups.fit`.

        Raises
        ------
        RuntimeError
            When no eigensolver converges. A ConvergenceWarning says when one did not and another
            was tried.
        """
        self._check_parameters()
        matrix = self._read(A, allow_negative=self.normalize_rows != "auto")
        r = regularizer(matrix, self.r, ("average_degree", "zeta"))
        seed = seed_of(self.random_state)
        with one_thread_a_product():
            k = self._number_of_communities(matrix, has_edges(matrix), r)
            pairs = smallest_eigenpairs(bethe_hessian(matrix, r), k, seed=seed)
            self.r_: Any = r
            if self.r == "zeta":
                self.r_, pairs = at_roots(matrix, r, pairs, seed)
            self._keep(matrix, pairs, k, seed)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_integer(self.n_init, "n_init")
        is_known = isinstance(self.normalize_rows, (bool, np.bool_, str))
        if not is_known or self.normalize_rows not in _ROW_CONVENTIONS:
            raise ValueError(
                f'normalize_rows must be False, True or "auto"; got {self.normalize_rows!r}.'
            )

    def _keep(self, A: csr_array, pairs: Eigenpairs, k: int, seed: int) -> None:
        self.eigenvalues_, self.embedding_, self.eigensolver_ = pairs
        conventions = (False, True) if self.normalize_rows == "auto" else (self.normalize_rows,)
        found = {unit: self._labels(pairs.vectors, k, bool(unit), seed) for unit in conventions}
        self.rows_normalized_ = bool(conventions[0])
        if len(found) > 1:
            self.row_scores_ = {
                unit: planted_likelihood(A, labels, k) for unit, labels in found.items()
            }
            self.rows_normalized_ = self.row_scores_[True] > self.row_scores_[False]
        labels = found[self.rows_normalized_]
        self.labels_ = renumbered(labels, np.ones(len(labels)), k)
        self.n_clusters_ = k

    def _labels(self, vectors: Float64Array, k: int, unit: bool, seed: int) -> IntArray:
        rows = unit_rows(vectors) if unit else vectors
        return cluster_rows(rows, k, seed=seed, n_init=self.n_init)


def at_roots(
    A: csr_array, r: float, pairs: Eigenpairs, seed: int
) -> tuple[Float64Array, Eigenpairs]:
    """The p-th eigenvector at ζ_p, the largest r below the given one where its eigenvalue is 0.

    An eigenvector gives a quadratic in r, whose root gives the next eigenvector: like Rayleigh's
    iteration a few steps are enough. An eigenvalue that is not negative at r stays there.
    """
    k = len(pairs.values)
    roots, values, vectors = np.full(k, r), pairs.values.copy(), pairs.vectors.copy()
    for p in np.flatnonzero(pairs.values < 0):
        there, at = pairs, r
        for _ in range(_STEPS):
            before, at = at, _root(A, there.vectors[:, p], r)
            there = smallest_eigenpairs(bethe_hessian(A, at), int(p) + 1, seed=seed)
            if abs(at - before) <= _SAME * r:
                break
        # Eigenvectors of one root come from one matrix, for only there are they at right angles.
        shared = np.flatnonzero(np.abs(roots[:p] - at) <= _SHARED * r)
        roots[p] = at
        values[[*shared, p]] = there.values[[*shared, p]]
        vectors[:, [*shared, p]] = there.vectors[:, [*shared, p]]
    return roots, Eigenpairs(values, vectors, pairs.solver)


def _root(A: csr_array, vector: Float64Array, r: float) -> float:
    """Where v'H_r v is zero below r; the lowest r when it is nowhere."""
    lowest = max(1.0, lowest_r(A))

    def quadratic(at: float) -> float:
        off, diagonal = minus_bethe_hessian(A, at)
        return -float(vector @ (off @ vector) + diagonal @ vector**2)

    if quadratic(lowest) <= 0 or quadratic(r) >= 0:
        return lowest if quadratic(lowest) <= 0 else r
    return float(brentq(quadratic, lowest, r, xtol=1e-12))
