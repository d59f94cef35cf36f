"""The semidefinite bound: the spectral bound, improved by inequalities and their multipliers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kgroups.bounds.centered import Centered, bound_input, centered_matrix
from kgroups.bounds.spectral_bound import dense_sum, spectral
from kgroups.input.parameters import check_integer
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.eigenpairs import all_eigenpairs
from kgroups.runtime.progress import Progress, tell
from kgroups.runtime.scaling import norm_of
from kgroups.semimetrics.semimetric import Metric
from kgroups.typing import Data, Float64Array

#: The largest number of points; each iteration computes all eigenvectors.
MAX_POINTS = 1_000
# Iterations between two evaluations of the bound, and between two rounds of cuts.
_LOOK, _ROUND = 20, 60
# Iterations without progress after which the search stops.
_PATIENCE = 240
# Over-relaxation of ADMM.
_RELAXATION = 1.6


def semidefinite_bound(
    X: Data,
    n_clusters: int,
    *,
    metric: Metric = "energy",
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int = 1_000,
) -> float:
    r"""A lower bound on W of every partition into k clusters, from a semidefinite program.

    The relaxation of Peng and Wei, with triangle inequalities added when they are violated:

    .. math:: \max \langle \tilde K, Z \rangle \quad \text{s.t.} \quad
              0 ⪯ Z ⪯ I, \; Z\sqrt w = \sqrt w, \; \operatorname{tr} Z = k, \;
              Z ≥ 0, \; X_{ij} + X_{ik} ≤ X_{ii} + X_{jk}

    where X_ij = Z_ij/√(w_i w_j). Alternating projections (ADMM) search for multipliers N of the
    inequalities. Any N in the dual cone proves, even before the iterations have converged,

    .. math:: W ≥ \operatorname{tr} \tilde K - e'Ne - \sum_{i<k} λ_i(P(\tilde K + N)P), \qquad
              e = \sqrt{w / s}, \; P = I - ee'

    N = 0 gives the spectral bound. On small data the bound often equals W of the best partition,
    which proves it optimal. O(n³) time per iteration, with a few hundred iterations: seconds for
    150 points, minutes for a thousand. Memory: about twenty n × n arrays.

    Parameters
    ----------
    X, n_clusters, metric, sample_weight
        As in :func:`spectral_bound`; at most 1,000 rows with weight.
    tol : float, default=1e-6
        Stop when 240 iterations improve the bound by less than this share of tr K̃.
    max_iter : int, default=1000
        Maximum number of iterations.

    Returns
    -------
    float
        At least the spectral bound, in units of ρ times weight; rounding is subtracted.

    Raises
    ------
    ValueError
        As in ``fit``, and for more than 1,000 rows.

    Examples
    --------
    >>> from kgroups.bounds import semidefinite_bound
    >>> X = [[0.0], [1.0], [10.0], [12.0]]
    >>> round(semidefinite_bound(X, 2), 4)  # W of {0, 1} and {10, 12}, the optimum
    1.5

    References
    ----------
    J. Peng and Y. Wei, "Approximating K-means-type Clustering via Semidefinite Programming", SIAM
    J. Optim. 18, 2007, eq. 14.

    C. Jansson, D. Chaykin and C. Keil, "Rigorous Error Bounds for the Optimal Value in Semidefinite
    Programming", SIAM J. Numer. Anal. 46, 2007, for the bound from any multipliers.
    """
    space, data, weights, k = bound_input(X, n_clusters, metric, sample_weight)
    check_integer(max_iter, "max_iter")
    matrix = centered_matrix(space, data, weights)
    return matrix.unit * semidefinite(matrix, k, tol, max_iter)


def semidefinite(
    matrix: Centered, k: int, tol: float, max_iter: int, attained: float = np.inf
) -> float:
    """The bound, in the unit of the matrix; it stops early when it is close to ``attained``."""
    if matrix.n > MAX_POINTS:
        raise ValueError(
            f"The semidefinite bound is for at most {MAX_POINTS:,} rows with weight; got "
            f"{matrix.n:,}. Use the spectral bound, or bound a sample of the rows."
        )
    plain = spectral(matrix, k, tol)
    if k == 1 or k >= matrix.n or matrix.total <= matrix.rounding:
        return plain
    enough = attained - tol * abs(attained) if np.isfinite(attained) else np.inf
    with one_thread_a_product():
        return _ascend(_Ascent(matrix, k), plain, enough, tol * abs(matrix.total), max_iter)


def _ascend(ascent: _Ascent, plain: float, enough: float, least: float, max_iter: int) -> float:
    """Iterate until the bound reaches ``enough`` or makes no more progress."""
    best, since, mark, number = plain, 0, plain, 0
    while number < max_iter and number - since < _PATIENCE and best < enough:
        number += 1
        ascent.step()
        if number % _LOOK == 0:
            best = max(best, ascent.bound())
            if best - mark > least:
                since, mark = number, best
            ascent.balance()
            tell(Progress(phase="bound", number=number, total=max_iter))
        if number % _ROUND == 0:
            ascent.polyhedron.renew(ascent.Z)
    return best


class _Ascent:
    """ADMM for max ⟨A, Z⟩ with Z in the spectral set and Y = Z in the polyhedron.

    Source: S. Boyd, N. Parikh, E. Chu, B. Peleato and J. Eckstein, "Distributed Optimization and
    Statistical Learning via ADMM", Found. Trends Mach. Learn. 3, 2011, sections 3.1.1, 3.4.1 and
    3.4.3.
    """

    def __init__(self, matrix: Centered, k: int) -> None:
        self.matrix, self.k = matrix, k
        self.A, self.e = matrix.to_dense(), matrix.e
        self.ee = np.outer(self.e, self.e)
        self.penalty = norm_of(self.A) / np.sqrt(k)
        # Its compiled loops are numba's, whose import takes longer than a small fit.
        from kgroups.bounds.polyhedron import Polyhedron

        self.polyhedron = Polyhedron(matrix.root)
        self.Z = self.Y = self.last = self.ee
        #: Sum of Z − Y over the iterations: minus the sum of the multipliers.
        self.U = np.zeros_like(self.A)

    def step(self) -> None:
        """Project onto one set, then onto the other."""
        self.Z = self._onto_spectral_set(self.Y - self.U + self.A / self.penalty)
        T = _RELAXATION * self.Z + (1 - _RELAXATION) * self.Y + self.U
        self.last, self.Y = self.Y, self.polyhedron.project(T)
        self.U = T - self.Y

    def bound(self) -> float:
        """The bound that the multipliers prove."""
        N = self.penalty * self.polyhedron.dual()
        on_e = float(self.e @ N @ self.e)
        rest = dense_sum(self.matrix.orthogonal_to_e(self.A + N), self.e, self.k - 1)
        size = norm_of(N) / max(abs(self.matrix.total), self.matrix.rounding)
        return self.matrix.total - on_e - rest - self.k * (1 + size) * self.matrix.rounding

    def balance(self) -> None:
        """Change the penalty if one of the two residuals is much larger than the other."""
        primal = float(np.linalg.norm(self.Z - self.Y))
        dual = float(np.linalg.norm(self.Y - self.last))
        factor = float(np.sqrt(primal / dual)) if dual > 0 else 1.0
        if not 1 / 1.2 <= factor <= 1.2:
            factor = min(max(factor, 0.5), 2.0)
            self.penalty *= factor
            self.U = self.U / factor
            self.polyhedron.scale(1 / factor)

    def _onto_spectral_set(self, M: Float64Array) -> Float64Array:
        """The nearest Z with eigenvalue 1 at e, others in [0, 1], and trace k."""
        inside = self.matrix.orthogonal_to_e(M)
        values, vectors = all_eigenpairs(inside - (1 + np.linalg.norm(inside)) * self.ee)
        kept = _capped(values, self.k - 1)
        some = kept > 0
        return np.asarray(self.ee + (vectors[:, some] * kept[some]) @ vectors[:, some].T)


def _capped(values: Float64Array, total: float) -> Float64Array:
    """The nearest numbers in [0, 1] with a given sum: a common shift, then clipping.

    >>> _capped(np.array([3.0, 0.5, 0.25]), 1.5).round(9).tolist()
    [1.0, 0.375, 0.125]
    """
    low, high = float(values.min()) - 1.0, float(values.max())
    for _ in range(100):
        middle = (low + high) / 2
        if np.clip(values - middle, 0.0, 1.0).sum() > total:
            low = middle
        else:
            high = middle
    return np.clip(values - high, 0.0, 1.0)
