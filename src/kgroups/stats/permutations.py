"""Mean distances under permuted labels: labels move, distances do not.

Nothing of size n × n is stored. A strip of some rows of ρ, from its diagonal on, is computed once
for many permutations and multiplied by their indicators: half the pairs, in matrix products. On a
line the points are sorted once, and a permutation takes O(nk).

Every 32 permutations have a random generator of their own, so that they depend on neither memory
nor threads, and a longer run begins with the permutations of a shorter one. Only the statistics of
each batch are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

import numpy as np

from kgroups.gram import GramOperator, PairwiseGram
from kgroups.runtime import progress
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import blocks, run
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.stats.compiled import permutations as compiled
from kgroups.stats.group_means import GroupMeans
from kgroups.stats.line import Line, permuted_line_means
from kgroups.stats.mean_distances import Pairs, group_means, squared_gaps
from kgroups.typing import Float64Array, IntArray

# Permutations that share a generator.
_DRAWN_TOGETHER = 32
# Memory of a batch, in bytes, and its largest number of columns of indicators.
_BATCH_BYTES = 1 << 28
_BATCH_COLUMNS = 1 << 12
# A strip has many rows, so that reading the indicators does not limit the product, and few columns
# at a time, so that distances are multiplied while they are in the caches.
_ROWS = 512
_COLUMNS = 1 << 11
# Multiply-adds below which waking a thread costs more than it saves.
_WORTH_A_THREAD = 1 << 22
# Statistics that differ by less than this share of their terms are equal up to rounding.
_TIED = 1e-12


def pvalue(statistics: Float64Array, scale: float) -> float:
    """The p-value (1 + #{T_b ≥ T}) / (1 + B), where T is ``statistics[0]``.

    The samples as given count as one of the permutations, hence the ones. ``scale`` is the
    magnitude of the terms of T: statistics that differ from it only by rounding count as equal.
    Raises ValueError if one of them has overflowed.
    """
    check_finite_distances(np.append(statistics, scale))
    reached = statistics >= statistics[0] - _TIED * abs(scale)
    return float(np.count_nonzero(reached)) / len(statistics)


class Permuted(NamedTuple):
    """Labels 0..k−1, with the largest group last, and the seed of their permutations."""

    labels: IntArray
    sizes: IntArray
    seed: int

    def rows(self, start: int, stop: int) -> IntArray:
        """Labels of the permutations [start, stop), one per row; number 0 is the labels as given.

        All come from one generator, whose first permutation is at ``start`` or before.
        """
        number, skipped = divmod(start, _DRAWN_TOGETHER)
        rng = np.random.default_rng([self.seed, number])
        n, last = len(self.labels), len(self.sizes) - 1
        slots = np.repeat(np.arange(last), self.sizes[:last])
        points = np.arange(n)
        table = np.full((skipped + stop - start, n), last, dtype=self.labels.dtype)
        for row in table:
            compiled.deal(points, slots, rng.random(len(slots)), row)
        if start == 0:
            table[0] = self.labels
        return table[skipped:]


def permuted_statistics(
    pairs: Pairs,
    labels: IntArray,
    k: int,
    n_permutations: int,
    seed: int,
    n_threads: int,
    statistic: Callable[[GroupMeans], Float64Array],
) -> tuple[GroupMeans, Float64Array]:
    """The group means for the labels as given; their statistic and those of permutations.

    The first statistic is computed like the others, quickly and only to be compared with them: it
    has few correct digits if groups are far apart. The group means are accurate.

    O(n²B(k−1)/2) multiply-adds, or O(nkB) if sorting is enough. Memory: 256 MB for a batch, and per
    thread 2 × 512 × 4096 sums and products (34 MB), a few strips of 512 × 2048, and up to five
    tables of k × 4096 sums that wait for those before them.
    """
    observed = group_means(pairs, labels, np.ones(pairs.n), k)
    sizes = np.bincount(labels, minlength=k)
    order = np.argsort(sizes, kind="stable")
    place = np.argsort(order)
    dtype = np.uint8 if k <= 256 else np.int64
    permuted = Permuted(place[labels].astype(dtype), sizes[order], seed)
    batches = blocks(0, n_permutations + 1, _at_once(pairs, k))
    found: list[Float64Array] = []
    # Overflow is checked in each batch.
    with one_thread_a_product(), np.errstate(over="ignore", invalid="ignore"):
        for batch in batches:
            means = _batch(pairs, permuted, *batch, n_threads).check().taken(place)
            found.append(statistic(means))
            done = batch[1] - 1
            progress.tell(Progress(phase="permutations", number=done, total=n_permutations))
    return observed, np.concatenate(found)


def _at_once(pairs: Pairs, k: int) -> int:
    """Number of permutations in a batch: a multiple of 32 or, if that is too much, a divisor."""
    has_indicators = bool(pairs.squares) or pairs.gram is not None
    width = max((square.points.shape[1] for square in pairs.squares), default=0)
    # Labels with their indicators; means for pairs of groups; centers, twice.
    bytes_each = pairs.n * (1 + 9 * (k - 1) * has_indicators) + 32 * k * (k + width)
    most = max(1, min(_BATCH_BYTES // bytes_each, _BATCH_COLUMNS // (k - 1)))
    if most >= _DRAWN_TOGETHER:
        return most // _DRAWN_TOGETHER * _DRAWN_TOGETHER
    return 1 << (most.bit_length() - 1)


def _batch(pairs: Pairs, permuted: Permuted, start: int, stop: int, n_threads: int) -> GroupMeans:
    """The group means of some permutations."""
    n_threads = n_threads if pairs.n * (stop - start) > _WORTH_A_THREAD >> 4 else 1
    pieces = blocks(start, stop, _DRAWN_TOGETHER)
    table = np.concatenate(list(run(lambda piece: permuted.rows(*piece), pieces, n_threads)))
    parts = [_on_line(line, table, permuted.sizes, n_threads) for line in pairs.lines]
    if pairs.squares or pairs.gram is not None:
        k = len(permuted.sizes)
        indicators = (table.T[:, None, :] == np.arange(k - 1)[:, None]).astype(np.float64)
        parts += [
            _of_squares(square.about_mean(), indicators, permuted.sizes) for square in pairs.squares
        ]
        if pairs.gram is not None:
            parts.append(_of_strips(pairs.gram, table, indicators, permuted.sizes, n_threads))
    return reduce(GroupMeans.plus, parts)


def _on_line(line: Line, table: IntArray, sizes: IntArray, n_threads: int) -> GroupMeans:
    def some(piece: tuple[int, int]) -> GroupMeans:
        return permuted_line_means(line, table[slice(*piece)], sizes)

    made = run(some, blocks(0, len(table), _DRAWN_TOGETHER), n_threads)
    return GroupMeans(*(np.concatenate(parts) for parts in zip(*made, strict=True)))


def _of_squares(points: Float64Array, indicators: Float64Array, sizes: IntArray) -> GroupMeans:
    """The group means of centered points with squared distances."""
    n, few, n_permutations = indicators.shape
    flat = indicators.reshape(n, -1)
    sums = np.moveaxis((points.T @ flat).reshape(-1, few, n_permutations), 0, -1)
    norms = np.einsum("ij,ij->i", points, points)
    inside = (norms @ flat).reshape(few, n_permutations)
    centers = np.concatenate([sums, -sums.sum(axis=0, keepdims=True)]) / sizes[:, None, None]
    inside = np.concatenate([inside, (norms.sum() - inside.sum(axis=0))[None]]) / sizes[:, None]
    within = 2 * (inside - np.einsum("apd,apd->ap", centers, centers))
    return GroupMeans(within.T, squared_gaps(centers.transpose(1, 0, 2)))


class _Sums(NamedTuple):
    """Σ Σ G over pairs of points, for each permutation and for all groups but the last."""

    among: Float64Array  # (k − 1, k − 1, P); each pair once, the earlier point first
    with_all: Float64Array  # (k − 1, P); with the points of all groups
    total: float  # over all pairs of points

    def plus(self, other: _Sums) -> _Sums:
        """The sum of both, which reuses the arrays of this one."""
        self.among[...] += other.among
        self.with_all[...] += other.with_all
        return self._replace(total=self.total + other.total)


def _of_strips(
    gram: GramOperator,
    table: IntArray,
    indicators: Float64Array,
    sizes: IntArray,
    n_threads: int,
) -> GroupMeans:
    """The group means from products of strips of −ρ/2 with the indicators of all but one group."""
    few = len(sizes) - 1
    half = gram.diagonal() / 2
    labels = np.ascontiguousarray(table.T)

    def strip(rows: tuple[int, int]) -> _Sums:
        return _strip_sums(gram, half, labels, indicators, *rows)

    n_threads = n_threads if gram.n**2 * indicators[0].size > _WORTH_A_THREAD else 1
    once, with_all, total = reduce(_Sums.plus, run(strip, blocks(0, gram.n, _ROWS), n_threads))
    among = once + once.transpose(1, 0, 2)
    # The last group is the remainder; it is the largest, so that little cancels.
    last = with_all - among.sum(axis=1)
    sums = np.empty((with_all.shape[1], few + 1, few + 1))
    sums[:, :few, :few] = among.transpose(2, 0, 1)
    sums[:, few, :few] = sums[:, :few, few] = last.T
    sums[:, few, few] = total - (with_all + last).sum(axis=0)
    return GroupMeans.of_pairs(-2 * sums / (sizes[:, None] * sizes))


def _strip_sums(
    gram: GramOperator,
    half: Float64Array,
    labels: IntArray,
    indicators: Float64Array,
    start: int,
    stop: int,
) -> _Sums:
    """The sums for pairs of a row of [start, stop) with a row of it or any later point."""
    rows, inside = indicators[start:stop], stop - start
    sums = np.zeros((inside, rows[0].size))
    with_all = np.zeros(inside)
    points = np.arange(start, stop)
    # A semimetric that is Python code computes whole rows.
    columns = gram.n if isinstance(gram, PairwiseGram) else _COLUMNS
    for left, right in blocks(start, gram.n, columns):
        piece = gram.block(left, right, points)
        if half.any():  # a kernel other than −ρ/2
            piece -= half[start:stop, None]
            piece -= half[left:right]
        if left == start:
            piece[:, :inside] /= 2  # both orders of each pair occur
        with_all += piece.sum(axis=1)
        check_finite_distances(with_all)
        sums += piece @ indicators[left:right].reshape(right - left, -1)
    sums = sums.reshape(rows.shape)
    among = np.zeros((rows.shape[1], *rows.shape[1:]))
    compiled.add_to_groups(labels[start:stop], sums, among)
    return _Sums(
        among,
        np.einsum("xap,x->ap", rows, with_all) + sums.sum(axis=0),
        2 * float(with_all.sum()),
    )
