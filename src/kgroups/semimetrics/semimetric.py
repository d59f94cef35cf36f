"""The interface of semimetrics: one method, ``pairwise``, and parameters for grid searches."""

from __future__ import annotations

import abc
import copy
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups.semimetrics import codes, sparse_pairs
from kgroups.semimetrics.all_pairs import Term, all_pairs, cross_pairs
from kgroups.semimetrics.canonical_rows import is_sparse, sparse_rows_of, two_sparse_tables
from kgroups.typing import FloatArray, IntArray

#: What rounding may add to a distance, relative to the largest: cosines of float32 rows reach it,
#: also in float64, after a file or a down-cast.
ROUNDING = 1e-5


class Semimetric(abc.ABC):
    """A symmetric ρ ≥ 0 with ρ(x, x) = 0, by which points are compared.

    A subclass implements :meth:`pairwise` and is a dataclass, so that its parameters are its
    fields. Everything else is derived and may be overridden: :attr:`is_negative_type`,
    :meth:`resolve` (parameters that come from data, such as ``sigma="median"``),
    :meth:`categorical_columns` (columns whose values are only compared for equality),
    :meth:`columns_with_gaps` (those of them in which a value may be missing) and
    :meth:`used_columns` (columns that are compared at all).
    """

    #: Whether it compares objects that are not rows of a numeric table, such as strings.
    takes_objects: ClassVar[bool] = False
    #: Whether it reads rows in float16 as they are, widening some at a time.
    takes_half: ClassVar[bool] = False
    #: Whether it compares sparse rows of SciPy as they are.
    takes_sparse: ClassVar[bool] = False
    #: Whether it compares each column of a table by its type, as :class:`Mixed` does.
    reads_types: ClassVar[bool] = False
    #: Whether nothing is known where :attr:`is_negative_type` is False, so that a warning is due
    #: only if a violation is measured.
    negative_type_is_open: ClassVar[bool] = False

    @property
    def is_symmetric_by_construction(self) -> bool:
        """Whether its matrices need no check for symmetry, signs and a zero diagonal."""
        return False

    @abc.abstractmethod
    def pairwise(self, X: Any, Y: Any = None) -> FloatArray:
        """Matrix ρ(X[i], Y[j]) of shape (n, m); with Y=None it is that of X, and symmetric."""

    @property
    def is_negative_type(self) -> bool:
        """Whether Σ c_i c_j ρ(x_i, x_j) ≤ 0 whenever Σ c_i = 0, as energy statistics requires.

        True unless a subclass overrides it. It is not verified during a fit;
        :func:`kgroups.testing.check_semimetric` measures it.
        """
        return True

    def resolve(self, X: Any, feature_names: list[str] | None = None) -> Semimetric:
        """The same semimetric with parameters such as ``sigma="median"`` computed from X."""
        return self

    def categorical_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """Positions of the columns that may hold categories instead of numbers."""
        return []

    def columns_with_gaps(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """Positions of the columns in which a missing value is a category like any other."""
        return []

    @property
    def takes_missing(self) -> bool:
        """Whether a missing entry has a meaning in some columns, as NaN or as a category."""
        return False

    def incomplete_columns(self, n_features: int, feature_names: list[str] | None) -> list[int]:
        """Positions of the columns that may hold NaN, because it has a meaning there."""
        return []

    def kinds_by_position(self, n_features: int, feature_names: list[str] | None) -> list[Any]:
        """What a column is, where its type does not say so; only where :attr:`reads_types`."""
        return [None] * n_features

    def of_kinds(self, kinds: Sequence[str]) -> Self:
        """The same semimetric for columns that were read as these kinds."""
        return self

    def suspicion(self, X: Any, feature_names: list[str] | None = None) -> str:
        """What the numbers look like if not what they are taken for, and what to write; or ""."""
        return ""

    def used_columns(self, n_features: int, feature_names: list[str] | None) -> list[int] | None:
        """Positions of the columns that are compared, or None for all of them."""
        return None

    def read_objects(self, X: Any) -> Any:
        """The objects in X, cleaned, if X holds what is compared here other than a table; or None.

        Errors name the object.
        """
        return None

    def matrix_type(self, X: Any) -> np.dtype[np.floating[Any]]:
        """The type of the matrix that a fit holds: float32 for tables in float32."""
        return np.dtype(np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64)

    def matrix(self, X: Any) -> FloatArray:
        """The matrix of all pairs that a fit holds; by default that of :meth:`pairwise`."""
        return np.asarray(self.pairwise(X))

    def terms(self, X: Any) -> list[Term] | None:
        """ρ on the points X as a sum of compiled terms, or None if it is not such a sum."""
        return None

    def column_terms(self, X: Any) -> list[tuple[Term, list[int]]] | None:
        """The terms, with the column that each coordinate is made of; None if it does not say."""
        return None

    def copy(self) -> Self:
        """A copy with the same parameters."""
        return copy.copy(self)

    def check(self) -> None:
        """Raise ValueError if a parameter is out of range; by default nothing is checked."""
        return

    def __post_init__(self) -> None:
        self.check()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, as in scikit-learn's estimators."""
        kind: Any = type(self)
        if not is_dataclass(kind):
            raise TypeError(
                f"{type(self).__name__} must be a dataclass, so that its parameters are known: "
                "put @dataclass above the class, or override get_params."
            )
        return {f.name: getattr(self, f.name) for f in fields(kind)}

    def set_params(self, **params: object) -> Self:
        """Change parameters by name and return this object; after an error nothing has changed."""
        before = self.get_params(deep=False)
        for name in params:
            if name not in before:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; "
                    f"it has {', '.join(before) or 'none'}."
                )
        vars(self).update(params)
        try:
            self.check()
        except ValueError:
            vars(self).update(before)
            raise
        return self


#: What ``metric=`` takes: a name, a semimetric, or a function of two objects.
Metric: TypeAlias = str | Semimetric | Callable[[Any, Any], float]


class CoordinateSemimetric(Semimetric):
    """A semimetric φ(Σ_d δ(x_d, y_d)), with δ and φ known to the compiled pair loops.

    Subclasses define :attr:`delta`, :meth:`phi` if ρ is not the sum itself and, if the rows are not
    compared as given, :meth:`embed`. O(nmD) time on all cores; memory is the result and twice the
    coordinates.
    """

    delta: ClassVar[int] = codes.SQUARED
    #: What φ is multiplied by.
    factor: ClassVar[float] = 1.0

    @property
    def is_symmetric_by_construction(self) -> bool:
        """True: one triangle is computed, and x − x is 0."""
        return True

    def phi(self, n_coordinates: int) -> tuple[int, float]:
        """Code and parameter of φ, for points with this many coordinates; by default φ(t) = t."""
        return codes.SCALE, 1.0

    def embed(self, X: FloatArray) -> FloatArray:
        """The coordinates that δ compares, one row per point."""
        return X

    def embed_sparse(self, rows: csr_array) -> csr_array:
        """The same of sparse rows, for semimetrics that take them."""
        return rows

    @property
    def keeps_columns(self) -> bool:
        """Whether coordinate d is made from column d alone; overridden along with :meth:`embed`."""
        return self._takes_rows_as_they_come

    @property
    def is_translation_invariant(self) -> bool:
        """Whether ρ depends only on the differences of the columns."""
        return self._takes_rows_as_they_come and self.delta in (codes.SQUARED, codes.ABSOLUTE)

    @property
    def _takes_rows_as_they_come(self) -> bool:
        return type(self).embed is CoordinateSemimetric.embed

    def terms(self, X: ArrayLike | csr_array) -> list[Term]:
        """The one term of this semimetric; of sparse rows if X is sparse."""
        if self.takes_sparse and is_sparse(X):
            sparse = self.embed_sparse(sparse_rows_of(X))
            return [Term(sparse, self.delta, *self.phi(sparse.shape[1]), self.factor)]
        rows = as_table(X, "X")
        coordinates = np.asarray(self.embed(rows))
        coordinates = coordinates.astype(np.result_type(rows, coordinates), copy=False)
        code, parameter = self.phi(coordinates.shape[1])
        return [Term(coordinates, self.delta, code, parameter, self.factor)]

    def pairwise(
        self, X: ArrayLike | csr_array, Y: ArrayLike | csr_array | None = None
    ) -> FloatArray:
        """Matrix ρ(X[i], Y[j]) for tables X (n, D) and Y (m, D); float32 stays float32.

        Distances of sparse rows are float64; a dense table compared with them becomes sparse, too.
        """
        resolved = self.resolve(X)
        if resolved is not self:
            return resolved.pairwise(X, Y)
        if self.takes_sparse and (is_sparse(X) or is_sparse(Y)):
            first, second = two_sparse_tables(X, Y)
            if first is second:
                return sparse_pairs.all_pairs(self.terms(first))
            return sparse_pairs.cross_pairs(self.terms(first), self.terms(second))
        rows, others = two_tables(X, Y)
        return pairs_of(self.terms, rows, others)


def pairs_of(
    terms: Callable[[FloatArray], list[Term]], rows: FloatArray, others: FloatArray
) -> FloatArray:
    """All distances of a semimetric with compiled terms between two tables, or within one."""
    dtype = np.result_type(rows, others)
    if others is rows:
        return all_pairs(terms(rows), dtype)
    together = np.concatenate([rows, others], dtype=dtype)
    return cross_pairs(terms(together), len(rows), dtype)


def as_a_fit_reads(semimetric: Any, X: Any, Y: Any) -> tuple[Any, Any, Any]:
    """The semimetric settled by X, and X and Y as numbers, where X is a frame or holds text.

    X is read as by ``fit`` and Y as by ``predict``; other tables are returned as they are.
    """
    if not hasattr(X, "columns"):
        values = None if is_sparse(X) else np.asarray(X)
        if values is None or values.ndim != 2 or values.dtype.kind in "biufc":
            return semimetric, X, Y
    from kgroups.input.spaces import read_tables

    return read_tables(semimetric, X, Y)


def two_tables(X: Any, Y: Any) -> tuple[FloatArray, FloatArray]:
    """Two tables with equal numbers of columns; the same array twice if Y is None."""
    rows = as_table(X, "X")
    if Y is None:
        return rows, rows
    others = as_table(Y, "Y")
    if others.shape[1] != rows.shape[1]:
        raise ValueError(
            f"X has {rows.shape[1]} columns and Y has {others.shape[1]}; "
            "both must describe the same coordinates."
        )
    return rows, others


def as_table(X: Any, name: str) -> FloatArray:
    """X as a two-dimensional array of float32 or float64."""
    if is_sparse(X):
        raise TypeError(sparse_refused(name))
    table = np.asarray(X)
    if table.ndim != 2:
        raise ValueError(
            f"{name} must be a table of shape (n, D); got shape {table.shape}. "
            f"For n points on a line write {name}.reshape(-1, 1)."
        )
    if table.shape[1] == 0:
        raise ValueError(f"{name} has no columns to compare.")
    if table.dtype == np.float32:
        return table
    try:
        return table.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers: {error}.") from error


def sparse_refused(name: str, dense: str = "toarray()") -> str:
    """What to write instead where a metric does not take sparse rows; ``dense`` makes others."""
    return (
        f"Sparse data was passed for {name}, but dense data is required by this metric. Metrics "
        'that take sparse rows: "energy", "cosine", "angular", "laplacian", "gaussian", '
        f'"manhattan", "hamming". Otherwise use {name}.{dense} where that fits into memory.'
    )


def evenly_spaced(n: int, limit: int) -> IntArray:
    """At most ``limit`` indices spread over 0..n−1, the same on every call."""
    return np.unique(np.linspace(0, n - 1, min(n, limit)).astype(np.int64))


def is_number(value: object) -> bool:
    """Whether a value is a real number of Python or NumPy; booleans are not."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
