"""A Python function of two objects as a semimetric."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np

from kgroups.semimetrics.semimetric import ROUNDING, Semimetric
from kgroups.typing import Float64Array

# Pairs that are looked at in both orders.
_BOTH_WAYS = 8


@dataclass
class PairFunction(Semimetric):
    """ρ(x, y) = function(x, y) for objects of any kind: strings, trees, rows of a table.

    The function is called once for each unordered pair, n(n−1)/2 calls in one thread, and n + 8
    times to check it: on the diagonal, and for eight pairs in the other order. Rounding up to 1e-5
    of the largest distance is removed: distances from an object to itself, distances below zero,
    differences between the two orders. More than that is an error. Whether the function is of
    negative type is not checked;
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
            out = np.array(
                [[self._distance(x, y, i, j) for j, y in enumerate(Y)] for i, x in enumerate(X)],
                dtype=np.float64,
            ).reshape(len(X), len(Y))
            return self._not_negative(out)
        out = np.zeros((len(X), len(X)))
        out[range(1, len(X)), range(len(X) - 1)] = self._neighbors(X)
        for i, x in enumerate(X):
            for j in range(i - 1):
                out[i, j] = self._distance(x, X[j], i, j)
        return self._not_negative(out + out.T)

    def _distance(self, x: object, y: object, i: int, j: int) -> float:
        where = f"the metric {_name(self.function)} on the pair of objects {i} and {j}"
        try:
            value = float(self.function(x, y))
        except Exception as error:
            raise ValueError(f"{where} raised {type(error).__name__}: {error}") from error
        if not np.isfinite(value):
            raise ValueError(f"{where} returned {value}; a distance is a finite number.")
        return value

    def _neighbors(self, X: Sequence[Any]) -> list[float]:
        """Distances of each object to the one before, after a look for what is not a distance."""
        own = [self._distance(x, x, i, i) for i, x in enumerate(X)]
        ahead = [self._distance(X[i], X[i - 1], i, i - 1) for i in range(1, len(X))]
        limit = ROUNDING * max(map(abs, (*own, *ahead)), default=0.0)
        for i, value in enumerate(own):
            if abs(value) > limit:
                raise ValueError(
                    f"the metric {_name(self.function)} gives object {i} the distance {value} to "
                    'itself; it must be 0. For a similarity use metric="precomputed_kernel".'
                )
        for i, value in enumerate(ahead[:_BOTH_WAYS]):
            back = self._distance(X[i], X[i + 1], i, i + 1)
            if abs(value - back) > limit:
                raise ValueError(
                    f"the metric {_name(self.function)} is not symmetric: {back} from object {i} "
                    f"to {i + 1}, {value} from object {i + 1} to {i}."
                )
        for i, value in enumerate(ahead):
            if value < -limit:
                self._refuse_negative(value, i + 1, i)
        return ahead

    def _not_negative(self, rho: Float64Array) -> Float64Array:
        """Distances with zeros for what rounding put below zero."""
        if rho.size == 0 or (least := float(rho.min())) >= 0:
            return rho
        if -least > ROUNDING * float(np.abs(rho).max()):
            self._refuse_negative(least, *divmod(int(rho.argmin()), rho.shape[1]))
        return np.maximum(rho, 0.0)

    def _refuse_negative(self, value: float, i: int, j: int) -> NoReturn:
        raise ValueError(
            f"the metric {_name(self.function)} on the pair of objects {i} and {j} returned "
            f"{value}; a distance is not negative."
        )


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", repr(function))
