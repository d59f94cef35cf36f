"""Spectral clustering with the Bethe Hessian, as a scikit-learn estimator."""

from typing import Self

import numpy as np
from scipy.optimize import brentq
from scipy.sparse import csr_array

from kgroups.fit.whole_fit import whole_fit
from kgroups.graphs.bethe_hessian import (
    bethe_hessian,
    lowest_r,
    minus_bethe_hessian,
    regularizer,
)
from kgroups.graphs.community_estimator import (
    CommunityEstimator,
    has_edges,
    number_of_communities,
    renumbered,
)
from kgroups.graphs.embedding import cluster_rows, unit_rows
from kgroups.graphs.likelihood import planted_likelihood
from kgroups.graphs.spectrum import Eigenpairs, smallest_eigenpairs
from kgroups.input.networks import GraphLike
from kgroups.input.parameters import check_integer
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.seeds import seed_of
from kgroups.typing import Float64Array, RandomStateLike

_ROW_CONVENTIONS = (False, True, "auto")
# The search for a root ends when it changes by less than this, relative to r, or after so many
# steps. Roots that differ by less than the last number are one root.
_SAME, _STEPS, _SHARED = 1e-10, 30, 1e-7


class BetheHessianClustering(CommunityEstimator):
    r"""Find communities by k-means on the low eigenvectors of the Bethe Hessian.

    The k lowest eigenvectors of :math:`H_r = (r^2 - 1) I - r A + D` give one row per node; k-means
    clusters the rows. Time: O((edges + nk) · steps) for the eigensolver and O(nk²) per pass of
    k-means; memory: about 16 nk bytes. No dense matrix beyond a few thousand nodes.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of communities; "auto" takes the number of negative eigenvalues, counted exactly.
    r : float, "average_degree" or "zeta", default="average_degree"
        Regularizer. "average_degree" is √(mean degree), as in [SKZ]. "zeta" gives the p-th
        eigenvector its own r, ζ_p, at which its eigenvalue is zero [DCT]: this takes k
        eigenproblems and is slightly more accurate on sparse graphs with uneven degrees.
    normalize_rows : bool or "auto", default=False
        Whether rows are scaled to length one. False follows [SKZ]; True is better on sparse graphs
        with many communities. "auto" tries both and keeps the more likely partition.
    n_init : int, default=10
        Number of starts of k-means.
    random_state : int, RandomState or None, default=None
        Seed of the eigensolver and of k-means.

    Attributes
    ----------
    labels_ : array (n,)
        Community of each node; 0 is the largest.
    n_clusters_ : int
        Number of communities.
    eigenvalues_ : array (k,)
        Lowest eigenvalues of H_r, ascending; zero up to rounding if ``r="zeta"`` found a root.
    embedding_ : array (n, k)
        Eigenvectors as columns, before rows are normalized.
    r_ : float or array (k,)
        The regularizer of each eigenvector.
    eigensolver_ : str
        "dense", "lanczos" or "shift-invert".
    rows_normalized_ : bool
        Whether the labels come from rows of length one.
    row_scores_ : dict
        With "auto", the log-likelihood of a planted partition without and with scaled rows.
    nodes_, communities_ : array (n,), list of lists
        Ids of the nodes, and ids of the nodes in each community.
    n_features_in_ : int
        Number of nodes.
    component_sizes_ : array
        Number of nodes in each connected component, in descending order.

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
    [SKZ] A. Saade, F. Krzakala and L. Zdeborová, "Spectral clustering of graphs with the Bethe
    Hessian", NeurIPS 2014.
    [DCT] L. Dall'Amico, R. Couillet and N. Tremblay, "A unified framework for spectral clustering
    in sparse graphs", JMLR 22 (2021).
    """

    def __init__(
        self,
        n_clusters: int | str = "auto",
        *,
        r: float | str = "average_degree",
        normalize_rows: bool | str = False,
        n_init: int = 10,
        random_state: RandomStateLike = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.r = r
        self.normalize_rows = normalize_rows
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, A: GraphLike, y: object = None) -> Self:
        """Find communities. ``A`` and errors are the same as for :meth:`GraphKGroups.fit`.

        Raises
        ------
        RuntimeError
            If no eigensolver converges. If one does not and another is tried, a
            ConvergenceWarning says so.
        """
        with whole_fit(self):
            self._check_parameters()
            matrix = self._read(A, allow_negative=self.normalize_rows != "auto")
            r = regularizer(matrix, self.r, ("average_degree", "zeta"))
            seed = seed_of(self.random_state)
            with one_thread_a_product():
                k = number_of_communities(self.n_clusters, matrix, has_edges(matrix), r)
                pairs = smallest_eigenpairs(bethe_hessian(matrix, r), k, seed=seed)
                self.r_: float | Float64Array = r
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
        found = {
            unit: cluster_rows(
                unit_rows(pairs.vectors) if unit else pairs.vectors,
                k,
                seed=seed,
                n_init=self.n_init,
            )
            for unit in conventions
        }
        self.rows_normalized_ = bool(conventions[0])
        self.__dict__.pop("row_scores_", None)  # of an earlier fit
        if len(found) > 1:
            self.row_scores_ = {
                unit: planted_likelihood(A, labels, k) for unit, labels in found.items()
            }
            self.rows_normalized_ = self.row_scores_[True] > self.row_scores_[False]
        labels = found[self.rows_normalized_]
        self.labels_ = renumbered(labels, np.ones(len(labels)), k)
        self.n_clusters_ = k


def at_roots(
    A: csr_array, r: float, pairs: Eigenpairs, seed: int
) -> tuple[Float64Array, Eigenpairs]:
    """Roots ζ_p and eigenvectors there: ζ_p is the largest r below the given one with eigenvalue 0.

    An eigenvector gives a quadratic in r, whose root gives the next eigenvector; as in Rayleigh's
    iteration, a few steps are enough. An eigenvalue that is not negative at r keeps this r.
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
        # Eigenvectors of one root come from one matrix, because only then are they orthogonal.
        shared = np.flatnonzero(np.abs(roots[:p] - at) <= _SHARED * r)
        roots[p] = at
        values[[*shared, p]] = there.values[[*shared, p]]
        vectors[:, [*shared, p]] = there.vectors[:, [*shared, p]]
    return roots, Eigenpairs(values, vectors, pairs.solver)


def _root(A: csr_array, vector: Float64Array, r: float) -> float:
    """The r, at most the given one, at which v'H_r v is zero; the lowest r if there is none."""
    lowest = max(1.0, lowest_r(A))

    def quadratic(at: float) -> float:
        off, diagonal = minus_bethe_hessian(A, at)
        return -float(vector @ (off @ vector) + diagonal @ vector**2)

    if quadratic(lowest) <= 0 or quadratic(r) >= 0:
        return lowest if quadratic(lowest) <= 0 else r
    return float(brentq(quadratic, lowest, r, xtol=1e-12))
