"""Mean distances within and between groups, each part of the semimetric by its best algorithm.

::

    read_input --pairs_of--> Pairs: |x − y| on a line   O(n log n), by sorting     line
                                    squared distances   O(nD), by means            here
                                    categories, gaps    of many rows, by columns   gram
                                    everything else     one pass over all pairs    gram
"""

from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from kgroups.gram import ColumnGram, DenseGram, GramOperator, MatrixFreeGram
from kgroups.input.rows import n_rows
from kgroups.input.spaces import KernelSpace, Space, exact_gram
from kgroups.runtime.threads import blocks
from kgroups.semimetrics import codes
from kgroups.semimetrics.all_pairs import Points, Term
from kgroups.solvers.objective import sum_by_cluster
from kgroups.stats.group_means import GroupMeans, unrounded
from kgroups.stats.line import Line, line_means, line_of
from kgroups.typing import Data, Float64Array, IntArray

# Points whose sums with all groups are held at a time.
_POINTS = 4096
# Rows from which sums over columns take less time than all pairs.
_COLUMNS_FROM = 20_000


class Square(NamedTuple):
    """Points with the semimetric ρ = ‖factor · (x − y)‖²."""

    points: Float64Array  # (n, d)
    factor: float

    def about_mean(self) -> Float64Array:
        """The centered points times the factor."""
        apart = self.points - self.points[0]  # equal points are 0, without rounding
        return np.asarray(self.factor * (apart - apart.mean(axis=0)))


@dataclass(frozen=True, eq=False)
class Pairs:
    """ρ between n points as a sum of parts.

    ``gram`` holds the part that is neither lines nor squares: −ρ/2, or any kernel that generates ρ.
    ``columns`` is the same where sums over columns are quicker than sums over pairs.
    """

    n: int
    lines: tuple[Line, ...]
    squares: tuple[Square, ...]
    gram: GramOperator | None
    columns: ColumnGram | None = None


def pairs_of(space: Space, data: Data, n_threads: int) -> Pairs:
    """The parts of the semimetric on the points. O(n log n) per column on a line."""
    n = n_rows(data)
    semimetric = space.semimetric
    terms = None if semimetric is None else semimetric.terms(data)
    if terms is None or issparse(data):
        return Pairs(n, (), (), _held(space, data, n_threads))
    lines: list[Line] = []
    squares: list[Square] = []
    rest: list[Term] = []
    for term in terms:
        if (scale := term.line_scale) is not None:
            lines += [line_of(column, scale) for column in term.coordinates.T]
        elif (scale := _square_scale(term)) is not None:
            squares.append(Square(np.asarray(term.coordinates, np.float64), np.sqrt(scale)))
        else:
            rest.append(term)
    gram = MatrixFreeGram(Points.of(rest), n_threads=n_threads) if rest else None
    # Categories and gaps; None if there is another term.
    columns = ColumnGram.from_terms(rest, n_threads) if rest and n > _COLUMNS_FROM else None
    return Pairs(n, tuple(lines), tuple(squares), gram, columns)


def group_means(pairs: Pairs, labels: IntArray, weights: Float64Array, k: int) -> GroupMeans:
    """Means within and energies between k groups; only ratios of weights within a group matter."""
    weights = _in_units_of_groups(weights, labels, k)
    with np.errstate(over="ignore", invalid="ignore"):  # overflow is checked at the end
        parts = [line_means(line, labels, weights, k) for line in pairs.lines]
        parts += [_square_means(points, labels, weights, k) for points in pairs.squares]
        if (gram := pairs.columns or pairs.gram) is not None:
            parts.append(_gram_means(gram, labels, weights, k))
        return reduce(GroupMeans.plus, parts).check()


def ratios(sums: Float64Array, totals: Float64Array) -> Float64Array:
    """Sums divided by totals, and 0 where there is no weight."""
    return np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)


def _held(space: Space, data: Data, n_threads: int) -> GramOperator:
    """A Gram matrix for a semimetric that is not a sum of terms; a sparse kernel is kept."""
    if isinstance(space, KernelSpace) and not issparse(data):
        kernel = np.asarray(data)
        shift = np.diagonal(kernel).astype(np.float64) / 2
        return DenseGram(kernel, shift=shift, n_threads=n_threads)
    return exact_gram(space, data, n_threads)


def _square_scale(term: Term) -> float | None:
    """The factor c if the term is c ‖x − y‖²."""
    if term.delta == codes.SQUARED and (term.phi, term.parameter) == (codes.POWER, 1.0):
        return term.scale
    return None


def _in_units_of_groups(weights: Float64Array, labels: IntArray, k: int) -> Float64Array:
    """Weights divided by a power of two near the largest of the group, against underflow."""
    largest = np.zeros(k)
    np.maximum.at(largest, labels, weights)
    units = np.exp2(np.floor(np.log2(largest, out=np.zeros(k), where=largest > 0)))
    return np.asarray(weights / units[labels])


def _square_means(square: Square, labels: IntArray, weights: Float64Array, k: int) -> GroupMeans:
    """Group means from means: g(a, a) is twice the variance, 𝓔(a, b) twice the squared distance.

    Coordinates are relative to a point of each group, so that no digits are lost if groups are far
    apart.
    """
    points, factor = square
    heavy = weights >= 1  # at least one point of each group with weight, in units of groups
    origins = np.zeros((k, points.shape[1]))
    origins[labels[heavy]] = points[heavy]
    apart = points - origins[labels]
    totals = sum_by_cluster(labels, weights, k)
    centers = ratios(_by_group(labels, weights, k) @ apart, totals[:, None])
    squared = ((factor * (apart - centers[labels])) ** 2).sum(axis=1)
    within = ratios(sum_by_cluster(labels, weights * squared, k), totals)
    return GroupMeans(2 * within, squared_gaps(origins, centers, factor=factor))


def squared_gaps(*parts: Float64Array, factor: float = 1.0) -> Float64Array:
    """2‖factor · (c_a − c_b)‖², (..., k, k), for centers (..., k, d) given as sums of parts."""
    *before, k, width = parts[0].shape
    out = np.zeros((*before, k, k))
    for d in range(width):  # so that no array of size k × k × d is made
        gaps = sum(part[..., :, None, d] - part[..., None, :, d] for part in parts)
        out += 2 * (factor * gaps) ** 2
    return out


def _gram_means(gram: GramOperator, labels: IntArray, weights: Float64Array, k: int) -> GroupMeans:
    """Group means from the sums of G over groups, with ρ(x, y) = G_xx + G_yy − 2G_xy."""
    sums = gram.running_sums(labels, weights, k)
    together = np.zeros((k, k))
    for a, b in blocks(0, gram.n, _POINTS):
        together += _by_group(labels[a:b], weights[a:b], k) @ sums.block(a, b).T
    totals = sum_by_cluster(labels, weights, k)
    own = sum_by_cluster(labels, weights * gram.diagonal(), k)
    similarity = ratios(together + together.T, totals[:, None] * totals)
    mean = ratios(own, totals)
    own_terms = mean[:, None] + mean
    return GroupMeans.of_pairs(unrounded(own_terms - similarity, own_terms))


def _by_group(labels: IntArray, weights: Float64Array, k: int) -> csr_array:
    """The k × n matrix that adds up rows by group."""
    n = len(labels)
    return csr_array((weights, (labels, np.arange(n))), shape=(k, n))
