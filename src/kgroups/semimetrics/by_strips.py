"""Semimetrics whose distances are made some rows at a time, each pair once."""

from __future__ import annotations

import abc
import time
from collections.abc import Iterable, Sequence, Sized
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import blocks, default_threads, run
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import FloatArray, Strip

#: Rows beyond which a fit holds these distances in float32.
SINGLE_BEYOND = 2_000
# Distances of a strip, which is held in addition to the matrix, and rows of it at most.
_AT_ONCE, _MOST_ROWS = 1 << 22, 256
# Strips of a matrix at least, so that all threads have work, and little of the other half is made.
_STRIPS = 32
# Seconds between two events of progress.
_QUIET = 1.0

#: What holds the items, once they are clean.
Items = TypeVar("Items", bound=Sized)


class ByStrips(Semimetric, Generic[Items]):
    """A semimetric that makes distances from some rows to others, by any program.

    Subclasses define :meth:`strips`. Of the matrix of all pairs one half is made and the other one
    copied, so it is symmetric whatever the program does, and nothing else of size n² is held.
    """

    negative_type_is_open: ClassVar[bool] = True

    @abc.abstractmethod
    def strips(self, items: Items, others: Items, dtype: DTypeLike) -> Strip:
        """What makes distances of cleaned items, in the type asked for."""

    def clean(self, X: Any) -> Items:
        """The items of what a user hands in; errors name the item."""
        items: Items = self.read_objects(X)
        return items

    @property
    def n_threads(self) -> int:
        """Strips that are made at the same time; 1 if a strip is made on several threads."""
        return default_threads()

    @property
    def is_symmetric_by_construction(self) -> bool:
        """True: each pair is computed once, and the diagonal is 0."""
        return True

    def matrix_type(self, X: Any) -> np.dtype[np.floating[Any]]:
        """float64 up to 2,000 rows, float32 beyond."""
        return np.dtype(np.float32 if len(X) > SINGLE_BEYOND else np.float64)

    def pairwise(self, X: Any, Y: Any = None) -> FloatArray:
        """Matrix ρ(X[i], Y[j]) of shape (n, m), in float64; with Y=None that of X."""
        items = self.clean(X)
        if Y is None:
            return self._all_pairs(items, np.dtype(np.float64))
        others = self.clean(Y)
        out = np.empty((len(items), len(others)))
        strip = self.strips(items, others, out.dtype)
        cuts = blocks(0, len(items), _rows_of_strip(len(others)))
        for (a, b), made in zip(cuts, self._made(strip, cuts, whole=True), strict=True):
            out[a:b] = made
        return out

    def matrix(self, X: Any) -> FloatArray:
        """The matrix that a fit holds."""
        return self._all_pairs(self.clean(X), self.matrix_type(X))

    def _all_pairs(self, items: Items, dtype: np.dtype[np.floating[Any]]) -> FloatArray:
        n = len(items)
        out = np.zeros((n, n), dtype)
        strip = self.strips(items, items, dtype)
        cuts = blocks(0, n, _rows_of_strip(n))
        tell = Told(n)
        for (a, b), made in zip(cuts, self._made(strip, cuts, whole=False), strict=True):
            own = np.triu(made[:, : b - a], 1)
            out[a:b, a:b] = own + own.T
            out[a:b, b:] = made[:, b - a :]
            out[b:, a:b] = made[:, b - a :].T
            tell.all_but(n - b)
        return out

    def _made(
        self, strip: Strip, cuts: Sequence[tuple[int, int]], *, whole: bool
    ) -> Iterable[FloatArray]:
        """The strips in order, from the first item on or from their own first row on."""
        tasks = [(a, b, 0 if whole else a) for a, b in cuts]
        return run(lambda task: strip(*task), tasks, self.n_threads)


class Told:
    """Tells which share of the pairs of n items is done, now and then."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.last = time.perf_counter()

    def all_but(self, n_left: int) -> None:
        """All pairs are done but those within ``n_left`` items."""
        self._share(1 - self._share_within(n_left))

    def of_first(self, n_done: int) -> None:
        """All pairs within the first ``n_done`` items are done."""
        self._share(self._share_within(n_done))

    def _share_within(self, n: int) -> float:
        return n * max(n - 1, 0) / (self.n * max(self.n - 1, 1))

    def _share(self, done: float) -> None:
        if not progress.is_heard() or time.perf_counter() - self.last < _QUIET:
            return
        self.last = time.perf_counter()
        progress.tell(Progress(phase="distances", number=max(1, int(100 * done)), total=100))


def _rows_of_strip(n: int) -> int:
    return max(1, min(_MOST_ROWS, n // _STRIPS, _AT_ONCE // max(1, n)))
