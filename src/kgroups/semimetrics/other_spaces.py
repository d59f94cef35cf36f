"""Semimetrics of negative type on other spaces: distributions, sets, the sphere, rankings."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from kgroups.runtime.threads import blocks
from kgroups.semimetrics import codes
from kgroups.semimetrics.by_strips import ByStrips
from kgroups.semimetrics.semimetric import CoordinateSemimetric, Semimetric, is_number, two_tables
from kgroups.semimetrics.sets import incidence, sets_of
from kgroups.typing import Data, FloatArray, Strip


class _Histogram(CoordinateSemimetric):
    """A semimetric between histograms, given as rows that need not sum to one.

    Their shares are float64 also where the rows are float32: histograms may differ by less than the
    rounding of float32.
    """

    def embed(self, X: FloatArray) -> FloatArray:
        """Rows divided by their sums; negative entries and empty rows are errors that say where."""
        name = type(self).__name__
        if np.any(X < 0):
            row, column = np.argwhere(X < 0)[0]
            raise ValueError(
                f"{name} compares histograms, whose entries are not negative; "
                f"row {row}, column {column} is {X[row, column]}."
            )
        largest = X.max(axis=1, keepdims=True)
        if np.any(largest == 0):
            raise ValueError(
                f"{name} compares histograms, whose rows have a positive sum; "
                f"row {int(np.argmin(largest))} is all zero."
            )
        # In units near the largest entry of its row, no sum overflows.
        scaled = np.ldexp(X.astype(np.float64), -np.frexp(largest)[1])
        return np.asarray(scaled / scaled.sum(axis=1, keepdims=True))

    @property
    def keeps_columns(self) -> bool:
        """True: each probability belongs to its column."""
        return True


@dataclass
class JensenShannon(_Histogram):
    r"""Jensen–Shannon divergence between histograms, in nats; rows are scaled to sum to one.

    .. math:: ρ(p, q) = \tfrac12 \sum_d p_d \log\frac{p_d}{m_d} + q_d \log\frac{q_d}{m_d},
              \qquad m = (p + q)/2

    Of negative type (its square root is a metric); at most log 2. O(nmD) time.

    Examples
    --------
    >>> round(float(JensenShannon().pairwise([[1, 0]], [[0, 5]])[0, 0]), 6)
    0.693147

    References
    ----------
    B. Fuglede and F. Topsøe, "Jensen–Shannon Divergence and Hilbert Space Embedding", IEEE
    International Symposium on Information Theory, 2004.
    """

    delta: ClassVar[int] = codes.SHANNON


@dataclass
class Hellinger(_Histogram):
    r"""Hellinger distance between histograms; rows are scaled to sum to one.

    .. math:: ρ(p, q) = \tfrac{1}{\sqrt 2} \| \sqrt p - \sqrt q \|

    Of negative type, between 0 and 1. O(nmD) time.

    Examples
    --------
    >>> Hellinger().pairwise([[1, 0]], [[0, 5]]).round(6).tolist()
    [[1.0]]
    """

    def embed(self, X: FloatArray) -> FloatArray:
        """√(p/2), because ρ is the Euclidean distance between these."""
        return np.asarray(np.sqrt(super().embed(X) / 2))

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code and parameter of the square root of the sum."""
        return codes.POWER, 0.5


# Words in names of columns.
_LATITUDE = {"lat", "lats", "latitude", "latitudes"}
_LONGITUDE = {"lon", "lons", "long", "lng", "longitude", "longitudes"}
# In degrees about 20 km.
_NEAR_ORIGIN = 0.2
# Fewer places are there by chance.
_LEAST_PLACES = 5


def names_longitude_first(names: Sequence[str]) -> bool:
    """Whether two columns are a longitude and a latitude, in this order, by a word in their names.

    >>> names_longitude_first(["decimalLongitude", "decimalLatitude"])
    True
    >>> names_longitude_first(["lat", "lon"])
    False
    """
    return len(names) == 2 and _has_word(names[0], _LONGITUDE) and _has_word(names[1], _LATITUDE)


def _has_word(name: str, words: set[str]) -> bool:
    found = re.findall("[A-Z]?[a-z]+|[A-Z]+", name)
    return not words.isdisjoint(word.lower() for word in found)


def _look_like_radians(places: FloatArray) -> bool:
    """Whether all places are within the bounds of radians, and not all next to 0, 0."""
    if len(places) < _LEAST_PLACES:
        return False
    latitude, longitude = np.abs(places).max(axis=0)
    within = latitude <= np.pi / 2 and longitude <= np.pi
    return bool(within and max(latitude, longitude) > _NEAR_ORIGIN)


@dataclass
class GreatCircle(CoordinateSemimetric):
    r"""Length of the shortest path on a sphere between points given as (latitude, longitude).

    .. math:: ρ(x, y) = 2 R \arcsin(\tfrac12 \|u_x - u_y\|)

    where u_x is the unit vector of x, in float64. Of negative type. O(nm) time; exact up to 1e-8 R
    near antipodes, up to rounding elsewhere.

    A fit warns of two mistakes. Columns of a frame with names such as "lon" and "lat", in this
    order, are in the wrong one. And five or more places in degrees, all of them with |latitude| ≤
    π/2 and |longitude| ≤ π, look like radians unless all are within 0.2 of 0, 0: in degrees that is
    a part of the Gulf of Guinea without any land, in radians the whole world.

    Parameters
    ----------
    radius : float, default=1.0
        R; 6371.0 gives kilometers on Earth.
    units : {"degrees", "radians"}, default="degrees"
        Of latitudes and longitudes. ``metric="haversine"`` is ``GreatCircle(units="radians")``.

    Examples
    --------
    >>> pole, equator = [90.0, 0.0], [0.0, 77.0]
    >>> round(float(GreatCircle(radius=2.0).pairwise([pole], [equator])[0, 0]), 6)
    3.141593
    """

    radius: float = 1.0
    units: str = "degrees"

    def check(self) -> None:
        """Raise ValueError unless the radius is a positive number and the units are known."""
        if not is_number(self.radius) or not 0 < self.radius < np.inf:
            raise ValueError(f"radius must be a positive number; got {self.radius!r}.")
        if self.units not in ("degrees", "radians"):
            raise ValueError(f'units must be "degrees" or "radians"; got {self.units!r}.')

    def embed(self, X: FloatArray) -> FloatArray:
        """Unit vectors in three dimensions, one per row."""
        if X.shape[1] != 2:
            raise ValueError(
                f"GreatCircle takes two columns, latitude and longitude; got {X.shape[1]}."
            )
        angles = X.astype(np.float64)
        # Rounding to float32 may lift the pole itself by one last digit.
        pole = 90.0 if self.units == "degrees" else float(np.nextafter(np.float32(np.pi / 2), 2))
        if np.any(np.abs(angles[:, 0]) > pole):
            row = int(np.argmax(np.abs(angles[:, 0])))
            limits = "[-90, 90] degrees" if self.units == "degrees" else "[-π/2, π/2] radians"
            swap = "; write X[:, [1, 0]] if it is the second here"
            fits = np.all(np.abs(angles[:, 1]) <= pole)
            raise ValueError(
                f"GreatCircle: latitude must lie in {limits}; row {row} has {X[row, 0]}. "
                f"The first column is the latitude{swap if fits else ''}."
            )
        latitude, longitude = (np.radians(angles) if self.units == "degrees" else angles).T
        across = np.cos(latitude)
        return np.column_stack(
            [across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)]
        )

    def suspicion(self, X: FloatArray, feature_names: list[str] | None = None) -> str:
        """Whether longitude comes first by its name, or degrees look like radians."""
        if feature_names is not None and names_longitude_first(feature_names):
            first, second = feature_names
            return (
                "GreatCircle takes latitude first and longitude second, and the columns are "
                f"{first!r} and {second!r}; write X[[{second!r}, {first!r}]], or these names in "
                "this order in a ColumnSum."
            )
        if self.units == "degrees" and _look_like_radians(X):
            return (
                "GreatCircle takes degrees, and all places have |latitude| <= π/2 and |longitude| "
                "<= π, as places in radians have; if they are in radians, write "
                'metric="haversine" or GreatCircle(units="radians").'
            )
        return ""

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code of the arc over a chord, and the radius."""
        return codes.ARC, float(self.radius)


@dataclass
class KendallTau(CoordinateSemimetric):
    r"""Share of item pairs that two rankings order differently; a tie in one counts as half.

    .. math:: ρ(x, y) = \binom D2^{-1} \sum_{a<b} \tfrac12
              |\operatorname{sign}(x_a - x_b) - \operatorname{sign}(y_a - y_b)|

    Rows are scores or ranks of D items. Of negative type. O(nmD²) time, O((n+m)D²) memory.

    Examples
    --------
    >>> KendallTau().pairwise([[1, 2, 3]], [[2, 1, 3], [3, 2, 1]]).round(6).tolist()
    [[0.333333, 1.0]]

    References
    ----------
    R. Fagin, R. Kumar, M. Mahdian, D. Sivakumar and E. Vee, "Comparing Partial Rankings", SIAM J.
    Discrete Math. 20 (3), 2006: K^(p) with p = 1/2.
    """

    delta: ClassVar[int] = codes.ABSOLUTE

    def embed(self, X: FloatArray) -> FloatArray:
        """The signs of all differences between two items of a row."""
        if X.shape[1] < 2:
            raise ValueError(f"KendallTau compares rankings of 2 items or more; got {X.shape[1]}.")
        first, second = np.triu_indices(X.shape[1], 1)
        return np.asarray(np.sign(X[:, first] - X[:, second]))

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code and factor of half the sum divided by the number of pairs."""
        return codes.SCALE, 0.5 / n_coordinates


@dataclass
class Jaccard(ByStrips[list[AbstractSet[Any]]]):
    r"""Jaccard distance between sets: lists of sets, or rows of zeros and ones.

    .. math:: ρ(a, b) = 1 - \frac{|a ∩ b|}{|a ∪ b|}

    In a table any non-zero is a one. Two empty sets are at distance 0. Of negative type. Of a table
    one matrix product, O(nmD) time; of sets with s members each one sparse product, O(n²s) time at
    most. A fit holds the matrix, of sets in float32 beyond 2,000.

    Examples
    --------
    >>> Jaccard().pairwise([[1, 1, 0]], [[0, 1, 1], [0, 0, 0]]).round(6).tolist()
    [[0.666667, 1.0]]
    >>> Jaccard().pairwise([{"a", "b"}, {"b", "c"}, set()]).round(6)[0].tolist()
    [0.0, 0.666667, 1.0]

    References
    ----------
    J. C. Gower and P. Legendre, "Metric and Euclidean Properties of Dissimilarity Coefficients", J.
    Classification 3, 1986.
    """

    def read_objects(self, X: Data) -> list[AbstractSet[Any]] | None:
        """The sets, if X holds sets; None for a table."""
        return sets_of(X)

    def pairwise(self, X: Any, Y: Any = None) -> FloatArray:
        """Matrix of distances between the sets of X and those of Y, or within X."""
        if sets_of(X) is None and (Y is None or sets_of(Y) is None):
            return _between_rows(X, Y)
        return super().pairwise(X, Y)

    def matrix_type(self, X: Any) -> np.dtype[np.floating[Any]]:
        """That of the table; of sets float64 up to 2,000 and float32 beyond."""
        return Semimetric.matrix_type(self, X) if sets_of(X) is None else super().matrix_type(X)

    def matrix(self, X: Any) -> FloatArray:
        """The matrix that a fit holds."""
        return _between_rows(X, None) if sets_of(X) is None else super().matrix(X)

    def clean(self, X: Any) -> list[AbstractSet[Any]]:
        """The sets; rows of zeros and ones are not compared with them."""
        sets = sets_of(X)
        if sets is None:
            raise TypeError("Jaccard compares sets with sets, or rows with rows; X and Y differ.")
        return sets

    def strips(
        self,
        items: list[AbstractSet[Any]],
        others: list[AbstractSet[Any]],
        dtype: DTypeLike,
    ) -> Strip:
        """Distances by a product of sparse tables."""
        left, right = incidence(items, others)
        sizes = np.array([len(item) for item in items], np.float64)
        other_sizes = np.array([len(item) for item in others], np.float64)

        def strip(a: int, b: int, c: int) -> FloatArray:
            """Distances from sets a to b to all others from c on."""
            common = (left[a:b] @ right[c:].T).toarray()
            return _apart(common, sizes[a:b], other_sizes[c:]).astype(dtype, copy=False)

        return strip


def _between_rows(X: Any, Y: Any) -> FloatArray:
    rows, others = two_tables(X, Y)
    dtype = np.result_type(rows, others)
    left = (rows != 0).astype(dtype)
    right = left if others is rows else (others != 0).astype(dtype)
    out = left @ right.T
    sizes = right.sum(axis=1)
    for a, b in blocks(0, len(out), 256):
        out[a:b] = _apart(out[a:b], left[a:b].sum(axis=1), sizes)
    return np.asarray(out)


def _apart(common: FloatArray, sizes: FloatArray, others: FloatArray) -> FloatArray:
    """Share of the members of two sets that one of them does not have, from |a ∩ b|."""
    union = sizes[:, None] + others - common
    return np.divide(union - common, union, out=np.zeros_like(union), where=union > 0)
