"""Semimetrics of numeric tables: functions of a sum over coordinates."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from kgroups.semimetrics import codes
from kgroups.semimetrics.canonical_rows import is_sparse, sparse_rows_of
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.gaps import (
    CategoryDistribution,
    ColumnDistribution,
    LineDistribution,
    filled_apart,
)
from kgroups.semimetrics.incomplete import IncompleteCoordinates
from kgroups.semimetrics.semimetric import (
    CoordinateSemimetric,
    as_a_fit_reads,
    as_table,
    evenly_spaced,
    is_number,
)
from kgroups.typing import FloatArray

# The median over all pairs of this many points takes at most a second.
MEDIAN_SAMPLE = 2_000


@dataclass
class Energy(CoordinateSemimetric):
    r"""The energy semimetric, a power of the Euclidean distance.

    .. math:: ρ(x, y) = \|x - y\|^α, \qquad 0 < α ≤ 2

    Of negative type for every such α. For α < 2 the energy distance is zero only between equal
    distributions; α = 2 compares only means, and k-groups is then Hartigan's k-means. Smaller α
    makes it less sensitive to outliers. O(nmD) time.

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
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, eq. 52.

    [SR13] G. J. Székely and M. L. Rizzo, "Energy Statistics: A Class of Statistics Based on
    Distances", J. Stat. Plan. Inference 143, 2013.
    """

    takes_sparse: ClassVar[bool] = True
    alpha: float = 1.0

    def check(self) -> None:
        """Raise ValueError unless alpha is in (0, 2], where ρ is of negative type."""
        if not is_number(self.alpha) or not 0 < self.alpha <= 2:
            raise ValueError(
                f"alpha must be a number in (0, 2]; got {self.alpha!r}. "
                "alpha=1 is the usual choice, alpha=2 is k-means."
            )

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code and parameter of t^(α/2)."""
        return codes.POWER, float(self.alpha) / 2


@dataclass
class _WithScale(CoordinateSemimetric):
    """A semimetric with a length scale σ, either a number or the median distance."""

    takes_sparse: ClassVar[bool] = True
    sigma: float | Literal["median"] = 1.0
    _phi: ClassVar[int]

    def check(self) -> None:
        """Raise ValueError unless sigma is a positive number or "median"."""
        if self.sigma != "median" and (not is_number(self.sigma) or not 0 < self.sigma < np.inf):
            raise ValueError(
                f'sigma must be a positive number or "median"; got {self.sigma!r}. '
                'Write sigma="median" to take it from the data.'
            )

    def resolve(self, X: ArrayLike, feature_names: list[str] | None = None) -> Self:
        """The semimetric with a number for σ: the median distance when it is "median".

        The median is over all pairs of different points among at most 2,000 rows, which are evenly
        spaced in X.
        """
        if self.sigma != "median":
            return self
        table = sparse_rows_of(X) if is_sparse(X) else as_table(X, "X")
        rows = table[evenly_spaced(table.shape[0], MEDIAN_SAMPLE)]
        distances = Energy(1.0).pairwise(rows)[np.triu_indices(rows.shape[0], 1)]
        check_finite_distances(distances)
        positive = distances[distances > 0]
        if positive.size == 0:
            raise ValueError(
                'sigma="median" needs two different points, and all points of X are equal; '
                "give sigma a number."
            )
        return replace(self, sigma=float(np.median(positive)))

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code of the function of the squared distance, and σ."""
        return self._phi, float(self.sigma)


@dataclass
class Laplacian(_WithScale):
    r"""The semimetric that the Laplacian kernel generates.

    .. math:: ρ(x, y) = 2 - 2 e^{-\|x - y\| / (2σ)}

    Of negative type and bounded by 2: points more than a few σ apart are all equally far. O(nmD)
    time.

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
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, eq. 53.
    """

    _phi: ClassVar[int] = codes.LAPLACIAN


@dataclass
class Gaussian(_WithScale):
    r"""The semimetric that the Gaussian kernel generates.

    .. math:: ρ(x, y) = 2 - 2 e^{-\|x - y\|^2 / (2σ^2)}

    Of negative type and bounded by 2, which it approaches faster than :class:`Laplacian` does.
    O(nmD) time.

    Parameters
    ----------
    sigma : float or "median", default=1.0
        As for :class:`Laplacian`.

    Examples
    --------
    >>> round(float(Gaussian(sigma=1.0).pairwise([[0.0], [2.0]])[0, 1]), 6)
    1.729329

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, eq. 54.
    """

    _phi: ClassVar[int] = codes.GAUSSIAN


@dataclass
class DampedSquared(CoordinateSemimetric):
    r"""Squared distance damped at long range; not of negative type in general.

    .. math:: ρ(x, y) = \|x - y\|^2 e^{-\|x - y\| / 2}

    Meant for nested shapes: points far apart count as close again. O(nmD) time.

    Examples
    --------
    >>> round(float(DampedSquared().pairwise([[0.0], [2.0]])[0, 1]), 6)
    1.471518

    References
    ----------
    [FRV-b] G. França, M. L. Rizzo and J. T. Vogelstein, "Nonparametric Clustering from Energy
    Statistics", draft, section on non-linear structures.
    """

    takes_sparse: ClassVar[bool] = True

    @property
    def is_negative_type(self) -> bool:
        """False: Hartigan's method still works, but the statistics lose their meaning."""
        return False

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code of t exp(−√t / 2), which has no parameter."""
        return codes.DAMPED, 0.0


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
    [FRV-b] G. França, M. L. Rizzo and J. T. Vogelstein, "Nonparametric Clustering from Energy
    Statistics", draft, section on non-linear structures.
    """

    takes_sparse: ClassVar[bool] = True
    theta: float = 0.9

    def check(self) -> None:
        """Raise ValueError unless theta is a positive number."""
        if not is_number(self.theta) or not 0 < self.theta < np.inf:
            raise ValueError(f"theta must be a positive number; got {self.theta!r}.")

    @property
    def is_negative_type(self) -> bool:
        """False: Hartigan's method still works, but the statistics lose their meaning."""
        return False

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code and parameter of t θ sin(√t / θ)."""
        return codes.SINE, float(self.theta)


@dataclass(repr=False)
class Manhattan(IncompleteCoordinates):
    r"""Sum of absolute differences: ρ(x, y) = Σ_d |x_d − y_d|, of negative type. O(nmD) time.

    It is the sum of one-dimensional energy semimetrics, one for each column.

    Parameters
    ----------
    missing : {"error", "distribution"}, default="error"
        What NaN is: an error, or the distribution of its column at the fit,
        ρ_d(x, ?) = E|x − Y_d| − ½E|Y_d − Y'_d| and ρ_d(?, ?) = 0, see :class:`Mixed`.

    Examples
    --------
    >>> Manhattan().pairwise([[0.0, 0.0]], [[1.0, -2.0]]).tolist()
    [[3.0]]
    >>> Manhattan(missing="distribution").pairwise([[0.0], [4.0], [float("nan")]]).tolist()
    [[0.0, 4.0, 1.0], [4.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """

    takes_sparse: ClassVar[bool] = True
    missing: str = "error"
    delta: ClassVar[int] = codes.ABSOLUTE
    distribution: ClassVar[type[ColumnDistribution]] = LineDistribution

    def __repr__(self) -> str:
        return "Manhattan()" if self.missing == "error" else f"Manhattan(missing={self.missing!r})"


@dataclass
class Hamming(IncompleteCoordinates):
    r"""Share of columns whose values differ, for categories; of negative type. O(nmD) time.

    .. math:: ρ(x, y) = \tfrac1D \#\{d : x_d ≠ y_d\}

    Parameters
    ----------
    missing : {"error", "category", "distribution"}, default="error"
        What a missing value is: an error; a category of its own, which equals another missing
        value and differs from everything else; or the distribution of its column at the fit, at
        P(x ≠ Y) − ½P(Y ≠ Y') from a category x, and at 0 from another missing value.

    Examples
    --------
    >>> Hamming().pairwise([[1, 2, 3, 4]], [[1, 2, 0, 0]]).tolist()
    [[0.5]]
    >>> nan = float("nan")
    >>> Hamming(missing="category").pairwise([[1, nan]], [[2, nan], [1, 0]]).tolist()
    [[0.5, 0.5]]
    >>> Hamming(missing="distribution").pairwise([[1], [2], [nan]]).tolist()
    [[0.0, 1.0, 0.25], [1.0, 0.0, 0.25], [0.25, 0.25, 0.0]]
    """

    takes_sparse: ClassVar[bool] = True
    missing: str = "error"
    words: ClassVar[tuple[str, ...]] = ("error", "category", "distribution")
    delta: ClassVar[int] = codes.MISMATCH
    distribution: ClassVar[type[ColumnDistribution]] = CategoryDistribution

    def embed(self, X: FloatArray) -> FloatArray:
        """The columns, with one number that is not among them for all missing values."""
        return X if self.missing == "error" else filled_apart(X)

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code and factor of the count divided by the number of columns."""
        return codes.SCALE, 1.0 / n_coordinates

    def categorical_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """All columns, because values are only compared for equality."""
        return list(range(n_features))

    def columns_with_gaps(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """All columns if a missing value is a category, else none."""
        return list(range(n_features)) if self.missing == "category" else []

    def pairwise(self, X: Any, Y: Any = None) -> FloatArray:
        """Matrix ρ(X[i], Y[j]) for tables X (n, D) and Y (m, D), which may hold text."""
        read, X, Y = as_a_fit_reads(self, X, Y)
        return np.asarray(super(Hamming, read).pairwise(X, Y))
