"""The Nyström sketch: features from the distances to a few landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.runtime.eigenpairs import all_eigenpairs
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import at_most
from kgroups.semimetrics.duality import double_centered
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Float32Array, Float64Array, FloatArray

# Directions in which the landmarks spread less than this share of the most are rounding: of the
# eigensolver, and so many roundings of the distances.
_NEGLIGIBLE = 1e-12
_ROUNDINGS = 16.0


@dataclass(frozen=True, eq=False)
class NystroemMap:
    r"""Features f(x) = ρ(x, Z) M + c whose products approximate the kernel of ρ.

    With the origin at the mean of the landmarks Z, A their Gram matrix and A = UΛUᵀ,

    .. math:: f(x) = K(x, Z) U Λ^{-1/2}, \qquad f(x)^⊤ f(y) = K(x, Z) A^{+} K(Z, y)

    which is exact between landmarks, and never above K on the diagonal when ρ is of negative type.
    Columns of U add up to zero, so K(x, Z) U is −½ ρ(x, Z) U up to a constant. O(m D + m²) time per
    point.

    Source: Williams & Seeger, NeurIPS 2000; Drineas & Mahoney, JMLR 6 (2005).
    """

    semimetric: Semimetric
    landmarks: Any
    matrix: FloatArray
    offset: FloatArray
    mean_distance: float
    #: Features are those of ρ over this power of two near its mean, so that no product of theirs
    #: over- or underflows in float32; ‖f‖² and what is lacking are in this unit too.
    unit: float

    @classmethod
    def of(cls, landmarks: Any, semimetric: Semimetric) -> NystroemMap:
        """The map of given landmarks. O(m³)."""
        with at_most(1):
            made = np.asarray(semimetric.pairwise(landmarks))
        check_finite_distances(made)
        unit = power_of_two(float(made.mean(dtype=np.float64)))
        rho = made.astype(np.float64) / unit
        mean = rho.mean(axis=0)
        gram = double_centered(rho)
        values, vectors = all_eigenpairs((gram + gram.T) / 2)
        negligible = max(_NEGLIGIBLE, _ROUNDINGS * float(np.finfo(made.dtype).eps))
        kept = values > negligible * max(values[-1], 0.0)
        # Columns add up to zero except for rounding, which small eigenvalues would make large.
        vectors -= vectors.mean(axis=0)
        root = vectors[:, kept][:, ::-1] / np.sqrt(values[kept][::-1])
        return cls(
            semimetric=semimetric,
            landmarks=landmarks,
            matrix=np.ascontiguousarray(-0.5 * root, dtype=made.dtype),
            offset=np.asarray(0.5 * mean @ root, dtype=made.dtype),
            mean_distance=float(mean.mean()),
            unit=unit,
        )

    @property
    def rank(self) -> int:
        """Number of features."""
        return int(self.matrix.shape[1])

    def __call__(self, data: Any) -> tuple[Float32Array, Float64Array]:
        """Features of points, and what each lacks: K(x, x) − ‖f(x)‖², not below zero."""
        features, _, lacking = self.measured(data)
        return features, lacking

    def measured(self, data: Any) -> tuple[Float32Array, Float64Array, Float64Array]:
        """Features of points, their squared norms, and what each lacks."""
        rho = self._distances(data)
        own = rho.mean(axis=1, dtype=np.float64) - 0.5 * self.mean_distance
        check_finite_distances(own)
        features = self._of_distances(rho)
        norms = np.einsum("ij,ij->i", features, features, dtype=np.float64)
        return features, norms, np.maximum(own - norms, 0.0)

    def features(self, data: Any) -> Float32Array:
        """Features of points whose distances are known to be finite."""
        return self._of_distances(self._distances(data))

    def _distances(self, data: Any) -> FloatArray:
        """ρ(x, Z) over the unit."""
        with at_most(1):
            rho = np.asarray(self.semimetric.pairwise(data, self.landmarks))
        return rho / rho.dtype.type(self.unit) if self.unit != 1.0 else rho

    def _of_distances(self, rho: FloatArray) -> Float32Array:
        made = rho @ self.matrix
        made += self.offset
        return made.astype(np.float32, copy=False)
