"""Distances between rows of numbers by the names and the functions of scipy.spatial.distance."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from kgroups.names import SCIPY_DISTANCES
from kgroups.semimetrics.by_strips import ByStrips
from kgroups.semimetrics.open_parameters import NamedElsewhere
from kgroups.semimetrics.semimetric import as_table, is_number, two_tables
from kgroups.text import did_you_mean
from kgroups.typing import Float64Array, FloatArray, Strip

# Whether distances are of negative type, for any rows of real numbers.
_IS_NEGATIVE_TYPE = {
    "braycurtis": False,
    "canberra": True,
    "chebyshev": False,
    "correlation": True,
    "dice": True,
    "mahalanobis": True,
    "minkowski": True,
    "rogerstanimoto": True,
    "seuclidean": True,
    "sokalsneath": True,
    "yule": False,
}
_PARAMETERS = {"minkowski": ("p", "w"), "seuclidean": ("V",), "mahalanobis": ("VI",)}
# Those that take the weights of columns.
_WEIGHTED = ("braycurtis", "canberra", "chebyshev", "dice", "rogerstanimoto", "sokalsneath", "yule")


class ScipyDistance(NamedElsewhere, ByStrips[FloatArray]):
    r"""A distance of :func:`scipy.spatial.distance.cdist` between rows of numbers.

    Names: "braycurtis", "canberra", "chebyshev", "correlation", "dice", "mahalanobis", "minkowski",
    "rogerstanimoto", "seuclidean", "sokalsneath", "yule". ``"seuclidean"`` and ``"mahalanobis"``
    take variances and the inverse of the covariance from the data of the fit, as SciPy does, unless
    they are given.

    Of negative type are

    - "seuclidean", "mahalanobis" and "minkowski" with 1 ≤ p ≤ 2, as norms ℓ_p of linear images [1];
    - "canberra": 1 − |x − y|/(|x| + |y|) is 2 min(|x|, |y|)/(|x| + |y|) between numbers of one sign
      and 0 between others, a product of the kernels min(|x|, |y|) and 1/(|x| + |y|);
    - "correlation", as half of the squared distance between standardized rows;
    - "dice", "rogerstanimoto" and "sokalsneath", since the similarities are positive
      semidefinite [2].

    The others are not in general, "chebyshev" and "minkowski" with p > 2 in three columns or more;
    a fit measures by how much (``negative_type_violation_``). O(n² D) time by SciPy in one half of
    the pairs. Memory: the matrix, 8n² bytes, 4n² beyond 2,000 rows, rounded to float32 there: n is
    at most √(bytes/4), 44,000 in 8 GB.

    Parameters
    ----------
    name : str
        One of the names above; each also works as ``metric=``.
    **parameters
        What SciPy takes: ``p`` and ``w`` ("minkowski"), ``V`` ("seuclidean"), ``VI``
        ("mahalanobis"), ``w`` (weights of columns; not "correlation").

    Raises
    ------
    ValueError
        For rows between which SciPy gives NaN, such as constant rows by "correlation".

    Examples
    --------
    >>> ScipyDistance("chebyshev").pairwise([[0.0, 0.0], [3.0, -4.0]]).tolist()
    [[0.0, 4.0], [4.0, 0.0]]
    >>> ScipyDistance("minkowski", p=1).is_negative_type
    True

    References
    ----------
    [1] J. Bretagnolle, D. Dacunha-Castelle and J. L. Krivine, "Lois stables et espaces L^p", Ann.
    Inst. H. Poincaré 2 (3), 1966.

    [2] J. C. Gower and P. Legendre, "Metric and Euclidean Properties of Dissimilarity
    Coefficients", J. Classification 3, 1986.
    """

    takes_objects: ClassVar[bool] = False

    def __init__(self, name: str, **parameters: Any) -> None:
        self.name = name
        vars(self).update(parameters)
        self.check()

    def check(self) -> None:
        """Raise ValueError unless the name is known, and what it takes was given."""
        if self.name not in _IS_NEGATIVE_TYPE:
            raise ValueError(
                f"ScipyDistance: name must be one of {', '.join(SCIPY_DISTANCES)}; got "
                f"{self.name!r}.{did_you_mean(self.name, SCIPY_DISTANCES)}"
            )
        self.check_given()
        p = self.given().get("p", 2)
        if not is_number(p) or not p > 0:
            raise ValueError(f"p must be a positive number; got {p!r}.")

    def takes(self) -> tuple[str, ...]:
        """The names of the parameters that this distance has."""
        return _PARAMETERS.get(self.name, ("w",) if self.name in _WEIGHTED else ())

    @property
    def is_negative_type(self) -> bool:
        """As the names above say; for "minkowski" where 1 ≤ p ≤ 2."""
        if self.name == "minkowski":
            return bool(1 <= self.given().get("p", 2) <= 2)
        return _IS_NEGATIVE_TYPE[self.name]

    def resolve(self, X: ArrayLike, feature_names: list[str] | None = None) -> ScipyDistance:
        """The same distance with variances or covariances computed from X."""
        if self.name not in ("seuclidean", "mahalanobis") or self.given():
            return self
        rows = as_table(X, "X").astype(np.float64)
        if len(rows) < 2:
            raise ValueError(f'metric="{self.name}" takes variances from at least 2 rows.')
        if self.name == "seuclidean":
            return ScipyDistance(self.name, V=_variances(rows))
        return ScipyDistance(self.name, VI=_inverse_covariance(rows))

    def clean(self, X: ArrayLike) -> FloatArray:
        """The table."""
        return as_table(X, "X")

    def pairwise(self, X: ArrayLike, Y: ArrayLike | None = None) -> FloatArray:
        """Matrix ρ(X[i], Y[j]) for tables X (n, D) and Y (m, D), in float64."""
        rows, others = two_tables(X, Y)
        resolved = self.resolve(rows)
        return ByStrips.pairwise(resolved, rows, None if others is rows else others)

    def matrix(self, X: ArrayLike) -> FloatArray:
        """The matrix that a fit holds."""
        return ByStrips.matrix(self.resolve(X), X)

    def strips(self, items: FloatArray, others: FloatArray, dtype: DTypeLike) -> Strip:
        """Distances by SciPy."""
        from scipy.spatial import distance

        given, cdist = self.given(), vars(distance)["cdist"]

        def strip(a: int, b: int, c: int) -> FloatArray:
            """Distances from rows a to b to all others from c on, each of them defined."""
            made = np.asarray(cdist(items[a:b], others[c:], self.name, **given))
            if np.isnan(made).any():
                i, j = np.argwhere(np.isnan(made))[0]
                raise ValueError(
                    f'metric="{self.name}" is not defined between rows {a + i} and {c + j}: '
                    f"{self._why()}."
                )
            made = np.maximum(made, 0.0)
            return np.asarray(made, dtype)

        return strip

    def _why(self) -> str:
        if self.name == "correlation":
            return "a row whose entries are all equal has no correlation with others; drop it"
        return "SciPy divides zero by zero, as for rows of zeros; drop them"


def _variances(rows: Float64Array) -> Float64Array:
    variances = np.asarray(rows.var(axis=0, ddof=1))
    constant = np.flatnonzero(variances == 0)
    if constant.size:
        raise ValueError(
            f'metric="seuclidean" divides by variances, and column {constant[0]} is constant; drop '
            "it."
        )
    return variances


def _inverse_covariance(rows: Float64Array) -> Float64Array:
    covariance = np.atleast_2d(np.cov(rows.T))
    if np.linalg.matrix_rank(covariance) < len(covariance):
        raise ValueError(
            'metric="mahalanobis" divides by the covariance, which has not full rank: '
            f"{len(rows)} rows, {len(covariance)} columns. Drop columns that are sums of others, "
            'or write sklearn.decomposition.PCA(whiten=True) before a fit with metric="euclidean".'
        )
    return np.asarray(np.linalg.inv(covariance))
