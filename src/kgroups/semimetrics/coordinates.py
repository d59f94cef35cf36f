"""Semimetrics of numeric tables: functions of a sum over coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from kgroups.semimetrics.compiled import phi as _phi
from kgroups.semimetrics.compiled import vector as _vector
from kgroups.semimetrics.semimetric import (
    CoordinateSemimetric,
    as_table,
    evenly_spaced,
    is_number,
)

# The median of all pairs of this many points is a second's work at most.
MEDIAN_SAMPLE = 2_000


@dataclass
class Energy(CoordinateSemimetric):
    r"""The energy semimetric, a power of the Euclidean distance.

    .. math:: ρ(x, y) = \|x - y\|^α, \qquad 0 < α ≤ 2

    Of negative type for every such α. For α < 2 the energy distance is zero only between equal
    distributions; α = 2 compares means alone, and k-groups is then Hartigan's k-means. Smaller α
    heeds outliers less. O(nmD) time.

    Parameters
    ----------
    alpha : float, default=1.0
        Exponent in (0, 2].

    Examples
    --------
    >>> Energy(0.5).pairwise([[0.0], [4.0]]).tolist()
    [[0.0, 2.0], [2.0, 0.0]]

    References
    ----------
    [FRV] eq. 52; Székely & Rizzo, J. Stat. Plan. Inference 143 (2013).
    """

    alpha: float = 1.0

    def check(self) -> None:
        """Exponents outside (0, 2] do not give a semimetric of negative type."""
        if not is_number(self.alpha) or not 0 < self.alpha <= 2:
            raise ValueError(
                f"alpha must be a number in (0, 2]; got {self.alpha!r}. "
                "alpha=1 is the usual choice, alpha=2 is k-means."
            )

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """‖x − y‖^α from the sum of squares."""
        return _phi.POWER, float(self.alpha) / 2


@dataclass
class _WithScale(CoordinateSemimetric):
    """Semimetrics with a length σ, given as a number or taken as the median distance."""

    sigma: float | Literal["median"] = 1.0
    _phi: ClassVar[int]

    def check(self) -> None:
        """A scale is a positive number."""
        if self.sigma != "median" and (not is_number(self.sigma) or not 0 < self.sigma < np.inf):
            raise ValueError(
                f'sigma must be a positive number or "median"; got {self.sigma!r}. '
                'Write sigma="median" to take it from the data.'
            )

    def resolve(self, X: Any, feature_names: list[str] | None = None) -> Self:
        """σ as a number: the median distance between points of X when it is "median".

        Over all pairs of different points up to 2,000 points, beyond that over all pairs of
        2,000 rows evenly spaced in X; the number used stands in the result.
        """
        if self.sigma != "median":
            return self
        rows = as_table(X, "X")
        rows = rows[evenly_spaced(len(rows), MEDIAN_SAMPLE)]
        distances = Energy(1.0).pairwise(rows)[np.triu_indices(len(rows), 1)]
        positive = distances[distances > 0]
        if positive.size == 0:
            raise ValueError(
                'sigma="median" needs two different points, and all points of X are equal; '
                "give sigma a number."
            )
        return replace(self, sigma=float(np.median(positive)))

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """The function of the squared distance, at this σ."""
        return self._phi, float(self.sigma)


@dataclass
class Laplacian(_WithScale):
    r"""The semimetric that the Laplacian kernel generates.

    .. math:: ρ(x, y) = 2 - 2 e^{-\|x - y\| / (2σ)}

    Of negative type. Bounded by 2: beyond a few σ all points are equally far. O(nmD) time.

    Parameters
    ----------
    sigma : float or "median", default=1.0
        Length in the units of X; "median" takes the median distance between points.

    Examples
    --------
    >>> round(float(Laplacian(sigma=1.0).pairwise([[0.0], [2.0]])[0, 1]), 6)
    1.264241

    References
    ----------
    [FRV] eq. 53.
    """

    _phi: ClassVar[int] = _phi.LAPLACIAN


@dataclass
class Gaussian(_WithScale):
    r"""The semimetric that the Gaussian kernel generates.

    .. math:: ρ(x, y) = 2 - 2 e^{-\|x - y\|^2 / (2σ^2)}

    Of negative type. Bounded by 2: beyond a few σ all points are equally far. O(nmD) time.

    Parameters
    ----------
    sigma : float or "median", default=1.0
        Length in the units of X; "median" takes the median distance between points.

    Examples
    --------
    >>> round(float(Gaussian(sigma=1.0).pairwise([[0.0], [2.0]])[0, 1]), 6)
    1.729329

    References
    ----------
    [FRV] eq. 54.
    """

    _phi: ClassVar[int] = _phi.GAUSSIAN


@dataclass
class DampedSquared(CoordinateSemimetric):
    r"""Squared distance damped at long range; not of negative type in general.

    .. math:: ρ(x, y) = \|x - y\|^2 e^{-\|x - y\| / 2}

    Made for nested shapes: points far apart count as close again. O(nmD) time.

    Examples
    --------
    >>> round(float(DampedSquared().pairwise([[0.0], [2.0]])[0, 1]), 6)
    1.471518

    References
    ----------
    [FRV-b], section on non-linear structures.
    """

    @property
    def is_negative_type(self) -> bool:
        """Not in general: Hartigan's method still works, the statistics lose their meaning."""
        return False

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """T exp(−√t / 2)."""
        return _phi.DAMPED, 0.0


@dataclass
class SineSquared(CoordinateSemimetric):
    r"""An oscillating squared distance; not of negative type, and negative for some pairs.

    .. math:: ρ(x, y) = \|x - y\|^2 \, θ \sin(\|x - y\| / θ)

    O(nmD) time.

    Parameters
    ----------
    theta : float, default=0.9
        Half a wavelength is πθ, in the units of X.

    Examples
    --------
    >>> round(float(SineSquared(theta=1.0).pairwise([[0.0], [2.0]])[0, 1]), 6)
    3.63719

    References
    ----------
    [FRV-b], section on non-linear structures.
    """

    theta: float = 0.9

    def check(self) -> None:
        """A wavelength is a positive number."""
        if not is_number(self.theta) or not 0 < self.theta < np.inf:
            raise ValueError(f"theta must be a positive number; got {self.theta!r}.")

    @property
    def is_negative_type(self) -> bool:
        """Never claimed: Hartigan's method still works, the statistics lose their meaning."""
        return False

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """T θ sin(√t / θ)."""
        return _phi.SINE, float(self.theta)


@dataclass
class Manhattan(CoordinateSemimetric):
    r"""Sum of absolute differences: ρ(x, y) = Σ_d |x_d − y_d|, of negative type. O(nmD) time.

    It is the sum of one-dimensional energy semimetrics, so each column counts by itself.

    Examples
    --------
    >>> Manhattan().pairwise([[0.0, 0.0]], [[1.0, -2.0]]).tolist()
    [[3.0]]
    """

    delta: ClassVar[int] = _vector.ABSOLUTE

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """The sum itself."""
        return _phi.SCALE, 1.0


@dataclass
class Hamming(CoordinateSemimetric):
    r"""Share of columns whose values differ, of negative type: for categories. O(nmD) time.

    .. math:: ρ(x, y) = \tfrac1D \#\{d : x_d ≠ y_d\}

    Examples
    --------
    >>> Hamming().pairwise([[1, 2, 3, 4]], [[1, 2, 0, 0]]).tolist()
    [[0.5]]
    """

    delta: ClassVar[int] = _vector.MISMATCH

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """The count over the number of columns."""
        return _phi.SCALE, 1.0 / n_coordinates

    def categorical_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """All of them: values are compared for equality alone."""
        return list(range(n_features))
