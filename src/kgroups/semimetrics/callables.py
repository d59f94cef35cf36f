"""A function of two objects, of Python or compiled by numba, as a semimetric."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import DTypeLike

from kgroups.semimetrics.by_strips import ByStrips, Told
from kgroups.semimetrics.semimetric import ROUNDING
from kgroups.typing import FloatArray, Strip

if TYPE_CHECKING:
    from kgroups.semimetrics.packed import CompiledPairs

# Pairs that are looked at in both orders.
_BOTH_WAYS = 8


@dataclass
class PairFunction(ByStrips[Sequence[Any]]):
    """ρ(x, y) = function(x, y) for objects of any kind: strings, trees, rows of a table.

    The function is called once for each unordered pair, n(n−1)/2 calls, and n + 8 times to check
    it: on the diagonal, and for eight pairs in the other order. Rounding up to 1e-5 of the largest
    distance is removed: distances from an object to itself, distances below zero, differences
    between the two orders. More than that is an error. Memory: the matrix, 8n² bytes, 4n² beyond
    2,000 objects.

    A plain function of Python is called in one thread; ``verbose=1`` of an estimator tells which
    share of the pairs is done. A function compiled by ``numba.njit`` is called from compiled loops
    on all threads, if the objects are rows of a numeric table, numbers, or arrays of one or two
    dimensions and any length in a list.

    Parameters
    ----------
    function : callable
        A function of two objects that returns a number.
    negative_type : bool, default=False
        Whether it is known that ρ is of negative type, as that of a squared distance in a space
        with a scalar product. It is not checked, and it allows blockwise bounds. Without it a fit
        measures how far ρ is from it, and warns.

    Examples
    --------
    >>> PairFunction(lambda a, b: abs(len(a) - len(b))).pairwise(["a", "abc"]).tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """

    function: Callable[[Any, Any], float]
    negative_type: bool = field(default=False, repr=False)
    takes_objects: ClassVar[bool] = True

    @property
    def is_negative_type(self) -> bool:
        """What the parameter says."""
        return self.negative_type

    def clean(self, X: Any) -> Any:
        """The objects as they are."""
        return X

    def pairwise(self, X: Any, Y: Any = None) -> FloatArray:
        """Matrix of distances, of shape (n, n) for Y=None and (n, m) otherwise."""
        return self._not_negative(super().pairwise(X, Y))

    def matrix(self, X: Any) -> FloatArray:
        """The matrix that a fit holds."""
        return self._not_negative(super().matrix(X))

    def _all_pairs(self, items: Sequence[Any], dtype: np.dtype[np.floating[Any]]) -> FloatArray:
        pairs = self._compiled(items, items)
        if pairs is None:
            return self._one_by_one(items, dtype)
        pairs.compile(dtype)
        self._check_compiled(pairs)
        return super()._all_pairs(items, dtype)

    def strips(self, items: Sequence[Any], others: Sequence[Any], dtype: DTypeLike) -> Strip:
        """Strips of compiled loops, or of calls of the function one after the other."""
        pairs = self._compiled(items, others)
        if pairs is not None:
            pairs.compile(dtype)
            made = pairs.strip(dtype, len(others), above=items is others)

            def checked(a: int, b: int, c: int) -> FloatArray:
                """The strip that compiled loops made, every distance a finite number."""
                out = made(a, b, c)
                self._check_finite(out, a, c)
                return out

            return checked

        def called(a: int, b: int, c: int) -> FloatArray:
            """One call of the function for each pair of the strip."""
            out = np.empty((b - a, len(others) - c), dtype)
            for i in range(a, b):
                for j in range(c, len(others)):
                    out[i - a, j - c] = self._distance(items[i], others[j], i, j)
            return out

        return called

    @property
    def n_threads(self) -> int:
        """1 for functions of Python, which run one at a time."""
        return super().n_threads if _is_compiled(self.function) else 1

    def _compiled(self, items: Sequence[Any], others: Sequence[Any]) -> CompiledPairs | None:
        if not _is_compiled(self.function):
            return None
        from kgroups.semimetrics.packed import compiled_pairs

        return compiled_pairs(self.function, items, others)

    def _one_by_one(self, X: Sequence[Any], dtype: np.dtype[np.floating[Any]]) -> FloatArray:
        n = len(X)
        out = np.zeros((n, n), dtype)
        ahead = self._neighbors(X)
        tell = Told(n)
        for i, x in enumerate(X):
            for j in range(i - 1):
                out[i, j] = self._distance(x, X[j], i, j)
            out[i, max(i - 1, 0) : i] = ahead[max(i - 1, 0) : i]
            out[:i, i] = out[i, :i]
            tell.of_first(i + 1)
        return out

    def _distance(self, x: object, y: object, i: int, j: int) -> float:
        where = f"the metric {_name(self.function)} on the pair of objects {i} and {j}"
        try:
            value = float(self.function(x, y))
        except Exception as error:
            raise ValueError(f"{where} raised {type(error).__name__}: {error}") from error
        if not np.isfinite(value):
            raise ValueError(f"{where} returned {value}; a distance is a finite number.")
        return value

    def _check_finite(self, made: FloatArray, first: int, start: int) -> None:
        bad = ~np.isfinite(made)
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise ValueError(
                f"the metric {_name(self.function)} on the pair of objects {first + i} and "
                f"{start + j} returned {made[i, j]}; a distance is a finite number."
            )

    def _neighbors(self, X: Sequence[Any]) -> list[float]:
        """Distances of each object to the one before, after a look for what is not a distance."""
        own = [self._distance(x, x, i, i) for i, x in enumerate(X)]
        ahead = [self._distance(X[i], X[i - 1], i, i - 1) for i in range(1, len(X))]
        several = min(_BOTH_WAYS, len(ahead))
        back = [self._distance(X[i], X[i + 1], i, i + 1) for i in range(several)]
        self._check_own(np.array(own), np.array(ahead), np.array(back))
        return ahead

    def _check_compiled(self, pairs: CompiledPairs) -> None:
        """The same look with a compiled function, at the first pairs only."""
        own, ahead, back = pairs.own(_BOTH_WAYS)
        self._check_finite(own[:, None], 0, 0)
        self._check_own(own, ahead, back)

    def _check_own(self, own: FloatArray, ahead: FloatArray, back: FloatArray) -> None:
        """Zero from each object to itself, equal in both orders where both are known, not below 0.

        ``ahead`` holds distances from object i + 1 to i, ``back`` some of those from i to i + 1.
        """
        limit = ROUNDING * max(np.abs(own).max(initial=0.0), np.abs(ahead).max(initial=0.0))
        far = np.flatnonzero(np.abs(own) > limit)
        if far.size:
            raise ValueError(
                f"the metric {_name(self.function)} gives object {far[0]} the distance "
                f"{own[far[0]]} to itself; it must be 0. For a similarity use "
                'metric="precomputed_kernel".'
            )
        differ = np.flatnonzero(np.abs(ahead[: back.size] - back) > limit)
        if differ.size:
            i = differ[0]
            raise ValueError(
                f"the metric {_name(self.function)} is not symmetric: {back[i]} from object {i} "
                f"to {i + 1}, {ahead[i]} from object {i + 1} to {i}."
            )
        negative = np.flatnonzero(ahead < -limit)
        if negative.size:
            self._refuse_negative(ahead[negative[0]], negative[0] + 1, negative[0])

    def _not_negative(self, rho: FloatArray) -> FloatArray:
        """Distances with zeros for what rounding put below zero."""
        if rho.size == 0 or (least := float(rho.min())) >= 0:
            return rho
        if -least > ROUNDING * float(max(rho.max(), -least)):
            self._refuse_negative(least, *divmod(int(rho.argmin()), rho.shape[1]))
        return np.maximum(rho, 0.0, out=rho)

    def _refuse_negative(self, value: float, i: int, j: int) -> NoReturn:
        raise ValueError(
            f"the metric {_name(self.function)} on the pair of objects {i} and {j} returned "
            f"{value}; a distance is not negative."
        )


def _is_compiled(function: object) -> bool:
    """Whether a function was compiled by numba, which is then imported already."""
    numba = sys.modules.get("numba")
    return numba is not None and isinstance(function, numba.core.dispatcher.Dispatcher)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))
