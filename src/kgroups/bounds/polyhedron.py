"""Linear inequalities that every partition satisfies, and the projection onto some of them."""

import numpy as np

from kgroups.bounds.compiled import polyhedron as compiled
from kgroups.typing import Float64Array, IntArray

# Sweeps of Hildreth's method per projection; the next projection continues where one ends.
_SWEEPS = 3
# New cuts per round and point, and the least violation as a share of the diagonal entry.
_CUTS_PER_POINT, _VIOLATED = 4, 1e-4


class Polyhedron:
    r"""Inequalities for Z = Σ_j u_j u_j' of a partition, and their multipliers.

    With X_xy = Z_xy / √(w_x w_y),

    .. math:: X_{ij} ≥ 0, \qquad X_{ij} + X_{ik} ≤ X_{ii} + X_{jk}

    because X_ij is 1/s for the cluster that contains both i and j, or zero. All of the first kind
    and some of the second, the cuts, are stored with nonnegative multipliers, so that their sum is
    in the dual cone even if the projection is not exact.

    Source: J. Peng and Y. Wei, "Approximating K-means-type Clustering via Semidefinite
    Programming", SIAM J. Optim. 18, 2007, section 4; C. Hildreth, "A Quadratic Programming
    Procedure", Naval Res. Logist. Quart. 4, 1957.
    """

    def __init__(self, root: Float64Array) -> None:
        n = len(root)
        self.root = root
        self.entries = np.zeros((n, n))
        self.points: IntArray = np.empty((0, 3), np.int64)
        self.coefficients: Float64Array = np.empty((0, 4))
        self.multipliers: Float64Array = np.empty(0)

    def dual(self) -> Float64Array:
        """The sum of all inequalities times multipliers: ⟨dual, Z⟩ ≥ 0 for every partition."""
        made = self.entries.copy()
        compiled.lift(made, self.points, self.coefficients, self.multipliers)
        return made

    def project(self, T: Float64Array) -> Float64Array:
        """T + dual, an approximation of the point closest to T that satisfies all inequalities."""
        Y = T + self.dual()
        for _ in range(_SWEEPS):
            compiled.sweep(Y, self.entries, self.points, self.coefficients, self.multipliers)
        return Y

    def scale(self, factor: float) -> None:
        """Multiply all multipliers."""
        self.entries *= factor
        self.multipliers *= factor

    def renew(self, Z: Float64Array) -> int:
        """Drop cuts with multiplier 0, add those that Z violates most, and count these. O(n³)."""
        used = self.multipliers > 0
        self.points, self.multipliers = self.points[used], self.multipliers[used]
        points = self._violated(Z)
        known = set(map(tuple, self.points.tolist()))
        fresh = [tuple(cut) not in known for cut in points.tolist()]
        self.points = np.vstack([self.points, points[fresh]])
        self.coefficients = self._normalized(self.points)
        self.multipliers = np.append(self.multipliers, np.zeros(sum(fresh)))
        return sum(fresh)

    def _violated(self, Z: Float64Array) -> IntArray:
        n = len(Z)
        X = Z / np.outer(self.root, self.root)
        found = np.empty((n, 2), np.int64)
        rounds = []
        for i in range(n):
            count = compiled.most_violated(X, i, _VIOLATED, found)
            rounds.append(np.column_stack([np.full(count, i), found[:count]]))
        points = np.concatenate(rounds)
        i, j, k = points.T
        slack = 1 + (X[j, k] - X[i, j] - X[i, k]) / X[i, i]
        return points[np.argsort(slack, kind="stable")[: _CUTS_PER_POINT * n]]

    def _normalized(self, points: IntArray) -> Float64Array:
        """The coefficients of cuts at ii, jk, ij and ik, with norm one as symmetric matrices."""
        i, j, k = self.root[points].T
        made = np.column_stack([1 / i**2, 0.5 / (j * k), -0.5 / (i * j), -0.5 / (i * k)])
        norm = np.sqrt(made[:, 0] ** 2 + 2 * (made[:, 1:] ** 2).sum(axis=1))
        return np.asarray(made / norm[:, None])
