"""The interface between how similarity is held and the solvers that use it.

::

    GramOperator --running_sums(labels, w, k)--> RunningSums     one bulk pass over G
         |                                          |  block(a, b)         sums of some points
         |  block(a, b)   a small diagonal piece    |  apply(moves, ...)   O(n) per move
         +--------------> a solver's sweep <--------+

A solver never reads G itself. It asks for the sums of every point with every cluster, decides moves
block by block with a small diagonal piece of G, and hands the moves back. So the operator may be a
dense matrix, a computation from the data, a sparse matrix, a factor, or rows on other machines.
"""

from __future__ import annotations

import abc
import copy
from typing import NamedTuple, Self

import numpy as np

from kgroups.runtime.threads import blocks
from kgroups.typing import BoolArray, Float64Array, FloatArray, IntArray

#: Points decided between two updates of all the others.
BLOCK = 256
# Rows of G that an operator without a better way is asked for at a time.
_ROWS_AT_ONCE = 16


class Moves(NamedTuple):
    """Points that changed cluster, in the order in which they did."""

    points: IntArray
    weights: Float64Array
    sources: IntArray
    targets: IntArray


class GramOperator(abc.ABC):
    r"""A symmetric n × n similarity G, known up to the origin: G_xy + a_x + a_y is as good as G.

    Adding a_x + a_y changes the objective by the constant 2 Σ w_x a_x and no gain of any move, so a
    matrix of distances ρ serves as G = −ρ/2 without being centered. G need not be positive
    semidefinite.

    **Must implement**: :attr:`n`, :meth:`diagonal`, :meth:`rows` and :meth:`matmul`. Everything
    else is derived from these; **may override**, for speed: :meth:`block`, :meth:`running_sums`,
    and :meth:`with_threads` if a shallow copy does not share all that is costly. Operators are
    immutable, and safe to read from several threads at once.
    """

    #: Number of points.
    n: int
    #: Threads that one bulk operation may use.
    n_threads: int = 1

    @property
    def rounding(self) -> float:
        """Relative error of :meth:`running_sums`, which are added up in float64."""
        return float(np.finfo(np.float64).eps)

    @abc.abstractmethod
    def diagonal(self) -> Float64Array:
        """G_ii, shape (n,)."""

    @abc.abstractmethod
    def rows(self, index: IntArray) -> FloatArray:
        """G[index], shape (len(index), n): few rows, at places that cannot be foreseen."""

    @abc.abstractmethod
    def matmul(self, right: Float64Array) -> Float64Array:
        """G @ right for right of shape (n, m): bulk work, done seldom."""

    def with_threads(self, n_threads: int) -> Self:
        """The same similarity, sharing its arrays, with another number of threads for bulk work."""
        other = copy.copy(self)
        other.n_threads = n_threads
        return other

    def block(self, start: int, stop: int, points: IntArray | None = None) -> Float64Array:
        """G[points, start:stop] as a new array; all points of the block unless some are named."""
        index = np.arange(start, stop) if points is None else points
        return np.array(self.rows(index)[:, start:stop], dtype=np.float64)

    def running_sums(self, labels: IntArray, weights: Float64Array, k: int) -> RunningSums:
        """Sums of every point with every cluster, to be kept up to date while points move."""
        indicator = np.zeros((self.n, k))
        indicator[np.arange(self.n), labels] = weights
        return SumTable(self, np.ascontiguousarray(self.matmul(indicator).T))

    def sweep_work(self, k: int) -> float:
        """Multiply-adds of a sweep in which many points move, about."""
        return float(self.n) * max(self.n, k)

    def squared_distances(self, index: int) -> Float64Array:
        """Squared distance in feature space from one point to all, G_ii + G_jj − 2G_ij."""
        diagonal = self.diagonal()
        row = np.asarray(self.rows(np.array([index]))[0], np.float64)
        with np.errstate(over="ignore"):  # infinity is far, and named where distances are summed
            return np.asarray(diagonal[index] + diagonal - 2.0 * row)

    def taken(self, index: IntArray) -> GramOperator | None:
        """The similarity of some points only; None where a copy of their part costs too much."""
        return None

    def count_distinct(self, among: BoolArray, limit: int) -> int:
        """Points that differ, counted up to ``limit``, one row each: O(n · limit)."""
        remaining = among.copy()
        for found in range(limit):
            if not remaining.any():
                return found
            remaining &= self.squared_distances(int(np.argmax(remaining))) != 0
        return limit

    def to_dense(self) -> Float64Array:
        """G as an array; for tests and small n only."""
        return self.matmul(np.eye(self.n))


class RunningSums(abc.ABC):
    """R_l(i) = Σ_{y ∈ C_l} w_y G(i, y), kept while points change cluster."""

    n: int

    @abc.abstractmethod
    def block(self, start: int, stop: int) -> Float64Array:
        """R for the points [start, stop) as a new array, shape (k, stop − start)."""

    @abc.abstractmethod
    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Bring the sums up to date after ``moves`` of points in [start, stop).

        ``block`` holds what ``block(start, stop)`` is to return from now on: the caller has already
        applied the moves to it.
        """

    def own(self, labels: IntArray) -> Float64Array:
        """Sum of each point with its own cluster, shape (n,)."""
        out = np.empty(self.n)
        for a, b in blocks(0, self.n, 4096):
            out[a:b] = self.block(a, b)[labels[a:b], np.arange(b - a)]
        return out

    def within(self, labels: IntArray, weights: Float64Array, k: int) -> Float64Array:
        """Q_j = Σ_{x ∈ C_j} w_x R_j(x), shape (k,)."""
        sums = np.bincount(labels, weights=weights * self.own(labels), minlength=k)
        return np.asarray(sums, np.float64)

    def everything(self, weights: Float64Array) -> float:
        """Σ_x Σ_y w_x w_y G(x, y) over all pairs of points."""
        pieces = blocks(0, self.n, 4096)
        return float(sum(self.block(a, b).sum(axis=0) @ weights[a:b] for a, b in pieces))

    def largest(self, weights: Float64Array) -> Float64Array:
        """max_i |w_i R_l(i)|, shape (k,): what the rounding of an update is measured by."""
        pieces = blocks(0, self.n, 4096)
        parts = [np.abs(self.block(a, b) * weights[a:b]).max(axis=1) for a, b in pieces]
        return np.asarray(np.max(parts, axis=0))


class SumTable(RunningSums):
    """All sums in a k × n table: a visit reads k numbers, a move changes two rows of n.

    Correct for every operator, by way of :meth:`GramOperator.rows`.
    """

    def __init__(self, gram: GramOperator, table: Float64Array) -> None:
        self.gram = gram
        self.table = table
        self.n = gram.n

    def block(self, start: int, stop: int) -> Float64Array:
        """A piece of the table."""
        return self.table[:, start:stop].copy()

    def everything(self, weights: Float64Array) -> float:
        """The weighted total of all sums."""
        return float((self.table @ weights).sum())

    def apply(self, moves: Moves, start: int, stop: int, block: Float64Array) -> None:
        """Subtract each moved row from its source and add it to its target."""
        for a, b in blocks(0, len(moves.points), _ROWS_AT_ONCE):
            rows = np.asarray(self.gram.rows(moves.points[a:b]), np.float64)
            for row, weight, source, target in zip(rows, *(m[a:b] for m in moves[1:]), strict=True):
                change = weight * row
                self.table[source] -= change
                self.table[target] += change
        self.table[:, start:stop] = block
