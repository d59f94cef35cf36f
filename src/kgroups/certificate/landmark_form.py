"""What distances to landmarks say of a kernel, and how much they leave open for each row.

With landmarks Z, the origin at their mean and F the features of :class:`LandmarkForm`,

.. math:: ⟨x, y⟩_R = K(x, y) - F(x)^⊤ F(y)

is a positive semidefinite form: the scaling of F makes F(x)ᵀF(y) at most the kernel's projection
onto the span of the landmarks, whatever the eigensolver rounded. So by the Cauchy–Schwarz
inequality |⟨x, y⟩_R| ≤ ‖x‖_R ‖y‖_R for points and for weighted means of points. All numbers are
float64, distances to landmarks included, because ‖x‖_R² is a difference of larger numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgroups.native import kernels
from kgroups.runtime.eigenpairs import all_eigenpairs
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import blocks
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.duality import double_centered
from kgroups.semimetrics.group_sums import as_float64, relative_rounding
from kgroups.typing import Float64Array, FloatArray, IntArray

# Directions in which landmarks spread less than this share of the most are left out: what is left
# out only makes the form larger.
_NEGLIGIBLE = 1e-7
_EPS = float(np.finfo(np.float64).eps)
# Roundings of a sum over many points, by pieces and then over these.
_ADDED = 512
# Rows whose features are made at a time.
_AT_ONCE = 256


@dataclass(frozen=True, eq=False)
class LandmarkForm:
    """Features F(x) = ρ(x, Z) M + c of landmarks Z; see the module. All ρ are over ``unit``."""

    points: Points
    panels: FloatArray
    n_landmarks: int
    #: M, whose columns add up to zero, and c.
    matrix: Float64Array
    offset: Float64Array
    #: Half of the landmarks' own mean distance.
    half: float
    #: A power of two near the mean distance, by which all distances are divided.
    unit: float
    #: Relative error of ρ(x, Z) and of their means over many points.
    rounding: float
    #: A bound on what these errors do to F(x), over the largest of ρ(x, Z).
    sensitivity: float
    #: ρ(x, z) ≤ 2 K(x, x) + reach, whichever landmark z is.
    reach: float

    @classmethod
    def of(cls, points: Points, index: IntArray) -> LandmarkForm:
        """The form of some of the points as landmarks. O(m² D + m³)."""
        landmarks = as_float64(points, index)
        panels = landmarks.panels()
        rho = _distances(landmarks, landmarks.table, panels, len(index))
        unit = power_of_two(float(rho.mean())) if rho.any() else 1.0
        rho = (rho + rho.T) / (2.0 * unit)
        gram = double_centered(rho)
        gram = (gram + gram.T) / 2
        values, vectors = all_eigenpairs(gram)
        kept = values > _NEGLIGIBLE * max(float(values[-1]), _EPS)
        vectors = vectors[:, kept] - vectors[:, kept].mean(axis=0)
        matrix = -0.5 * vectors / np.sqrt(values[kept])
        rounding = relative_rounding(landmarks) + (len(index) + _ADDED) * _EPS
        matrix /= np.sqrt(1.0 + _excess(matrix, gram, rounding * float(rho.max())))
        mean = rho.mean(axis=0)
        sums = np.abs(matrix).sum(axis=0)
        return cls(
            points=landmarks,
            panels=panels,
            n_landmarks=len(index),
            matrix=matrix,
            offset=-mean @ matrix,
            half=0.5 * float(mean.mean()),
            unit=unit,
            rounding=rounding,
            sensitivity=rounding * float(np.linalg.norm(sums)),
            reach=2.0 * float((mean - 0.5 * mean.mean()).max(initial=0.0)),
        )

    @property
    def rank(self) -> int:
        """Number of features."""
        return int(self.matrix.shape[1])

    def distances(self, points: Points, index: IntArray | slice) -> Float64Array:
        """ρ(x, Z) of some points, shape (b, m). O(b m D)."""
        some = points.table[index].astype(np.float64)
        rho = _distances(self.points, some, self.panels, self.n_landmarks)
        rho /= self.unit
        return rho

    def own(self, rho: Float64Array) -> Float64Array:
        """K(x, x), the squared distance to the mean of the landmarks, from ρ(x, Z)."""
        return np.asarray(rho.mean(axis=-1) - self.half)

    def features(self, rho: Float64Array) -> Float64Array:
        """F(x), or for means of ρ(x, Z) over some points the mean of their features."""
        return np.asarray(rho @ self.matrix + self.offset)

    def lacking(self, rho: Float64Array) -> Float64Array:
        """An upper bound on ‖x‖_R from ρ(x, Z), rounding included. O(b m²)."""
        squared, largest = self._squared_features(rho), rho.max(axis=1)
        error = self.sensitivity * largest
        loose = self.rounding * (largest + self.half)
        lacking = self.own(rho) - squared + 2.0 * np.sqrt(squared) * error + error**2 + loose
        return np.asarray(np.sqrt(np.maximum(lacking, 0.0)))

    def _squared_features(self, rho: Float64Array) -> Float64Array:
        """‖F(x)‖², of a few rows at a time, so that features stay in the caches."""
        squared, room = np.empty(len(rho)), np.empty((min(len(rho), _AT_ONCE), self.rank))
        for a, b in blocks(0, len(rho), _AT_ONCE):
            features = np.matmul(rho[a:b], self.matrix, out=room[: b - a])
            features += self.offset
            np.einsum("ij,ij->i", features, features, out=squared[a:b])
        return squared

    def length(self, rho: Float64Array) -> Float64Array:
        """An upper bound on √K(x, x) from ρ(x, Z), rounding included. O(b m)."""
        loose = self.rounding * (rho.max(axis=1) + self.half)
        return np.asarray(np.sqrt(np.maximum(self.own(rho) + loose, 0.0)))


def _excess(matrix: Float64Array, gram: Float64Array, error: float) -> float:
    """How far the squared features may exceed a projection: ‖(2M)ᵀ A 2M − I‖, with rounding.

    ``error`` is that of an entry of A.
    """
    twice = 2.0 * matrix
    product = twice.T @ gram @ twice
    off = float(np.linalg.norm(product - np.eye(len(product))))
    stretch = float(np.linalg.norm(twice, 2)) ** 2 if matrix.size else 0.0
    return off + stretch * len(gram) * error


def _distances(
    points: Points, rows: FloatArray, panels: FloatArray, n_columns: int
) -> Float64Array:
    out = np.empty((len(rows), n_columns))
    how = (points.rule, points.unit, points.chunk(), out, 0, len(rows))
    kernels.fill_rows(np.ascontiguousarray(rows), panels, *how)
    return out
