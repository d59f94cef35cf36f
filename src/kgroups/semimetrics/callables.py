"""A Python function of two objects as a semimetric."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Float64Array


@dataclass
class PairFunction(Semimetric):
    """ρ(x, y) = function(x, y) for objects of any kind: strings, trees, rows of a table.

    The function is called once for each unordered pair, n(n−1)/2 + n calls, in one thread. It is
    assumed to be symmetric; a few pairs are evaluated in both orders, and a difference is an error.
    Whether it is of negative type is not checked;
    :func:`kgroups.semimetrics.negative_type_violation` measures it.
    """

    function: Callable[[Any, Any], float]
    takes_objects: ClassVar[bool] = True

    @property
    def is_symmetric_by_construction(self) -> bool:
        """True: one triangle is computed, and the function is checked on the diagonal."""
        return True

    def pairwise(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Float64Array:
        """Matrix of distances, of shape (n, n) for Y=None and (n, m) otherwise."""
        if Y is not None:
            return np.array(
                [[self._distance(x, y, i, j) for j, y in enumerate(Y)] for i, x in enumerate(X)],
                dtype=np.float64,
            ).reshape(len(X), len(Y))
        self._check_a_few(X)
        out = np.zeros((len(X), len(X)))
        for i, x in enumerate(X):
            for j in range(i):
                out[i, j] = out[j, i] = self._distance(x, X[j], i, j)
        return out

    def _distance(self, x: object, y: object, i: int, j: int) -> float:
        where = f"the metric {_name(self.function)} on the pair of objects {i} and {j}"
        try:
            value = float(self.function(x, y))
        except Exception as error:
            raise ValueError(f"{where} raised {type(error).__name__}: {error}") from error
        if not np.isfinite(value):
            raise ValueError(f"{where} returned {value}; a distance is a finite number.")
        if value < 0:
            raise ValueError(f"{where} returned {value}; a distance is not negative.")
        return value

    def _check_a_few(self, X: Sequence[Any]) -> None:
        """Check ρ(x, x) = 0 for all objects, and symmetry for a few pairs."""
        name = _name(self.function)
        for i, x in enumerate(X):
            if (value := self._distance(x, x, i, i)) != 0:
                raise ValueError(
                    f"the metric {name} gives object {i} the distance {value} to itself; "
                    'it must be 0. For a similarity use metric="precomputed_kernel".'
                )
        for i in range(min(len(X) - 1, 8)):
            there = self._distance(X[i], X[i + 1], i, i + 1)
            back = self._distance(X[i + 1], X[i], i + 1, i)
            if abs(there - back) > 1e-9 * max(there, back):
                raise ValueError(
                    f"the metric {name} is not symmetric: {there} from object {i} to {i + 1}, "
                    f"{back} from object {i + 1} to {i}."
                )


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))
