"""Mean distances under permuted labels: labels move, distances do not.

Nothing of size n × n is held. A strip of some rows of ρ, from its diagonal on, is made once for
many permutations and multiplied with their indicators: half the pairs, in matrix products. On a
line the points are sorted once, and a permutation takes O(nk).

Permutations come from generators of their own, one for each 32, so that they depend on neither
memory nor threads, and the first of many are those of few. Of each batch only the statistics stay.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from kgroups.gram import GramOperator, PairwiseGram
from kgroups.gram.finite import check_finite
from kgroups.runtime import progress
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.jit import jit
from kgroups.runtime.progress import Progress
from kgroups.runtime.threads import blocks, run
from kgroups.stats._groups import GroupMeans
from kgroups.stats._line import Line, permuted_line_means
from kgroups.stats._means import Pairs, group_means, squared_gaps
from kgroups.typing import Float64Array, IntArray

# Permutations of one generator.
_DRAWN_TOGETHER = 32
# What a batch may take, and how many columns of indicators it may have.
_BATCH_BYTES = 1 << 28
_BATCH_COLUMNS = 1 << 12
# A strip: many rows, so that a product does not wait for its indicators; columns a few at a time,
# so that distances are multiplied while they are in the caches.
_ROWS = 512
_COLUMNS = 1 << 11
# Multiply-adds below which waking a thread costs more than it saves.
_WORTH_A_THREAD = 1 << 22
# Statistics that differ by less than this share of their terms are equal but for rounding.
_TIED = 1e-12


def seed_of(random_state: Any) -> int:
    """What all permutations of a test follow from."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return int(check_random_state(random_state).randint(2**31 - 1))


def pvalue(statistics: Float64Array, scale: float) -> float:
    """(1 + #{T_b ≥ T}) / (1 + B) for T in front of all T_b; ``scale`` is the size of its terms.

    The samples as given are one of their permutations, hence the ones. Equal statistics count also
    when rounding tells them apart.
    """
    reached = statistics >= statistics[0] - _TIED * abs(scale)
    return float(np.count_nonzero(reached)) / len(statistics)


class Permuted(NamedTuple):
    """Labels 0..k−1, the last of the largest group, and the seed of their permutations."""

    labels: IntArray
    sizes: IntArray
    seed: int

    def rows(self, start: int, stop: int) -> IntArray:
        """Labels of the permutations [start, stop), one a row; number 0 are the labels as given.

        All are of one generator, which begins with the first of them or earlier.
        """
        number, skipped = divmod(start, _DRAWN_TOGETHER)
        rng = np.random.default_rng([self.seed, number])
        n, last = len(self.labels), len(self.sizes) - 1
        slots = np.repeat(np.arange(last), self.sizes[:last])
        points = np.arange(n)
        table = np.full((skipped + stop - start, n), last, dtype=self.labels.dtype)
        for row in table:
            _deal(points, slots, rng.random(len(slots)), row)
        if start == 0:
            table[0] = self.labels
        return table[skipped:]


@jit
def _deal(points: IntArray, slots: IntArray, uniform: Float64Array, row: IntArray) -> None:
    """Give each slot a point that none has yet, any as likely: the first steps of a shuffle."""
    n = points.shape[0]
    for i in range(slots.shape[0]):
        j = i + int(uniform[i] * (n - i))
        points[i], points[j] = points[j], points[i]
        row[points[i]] = slots[i]


def permuted_statistics(
    pairs: Pairs,
    labels: IntArray,
    k: int,
    n_permutations: int,
    seed: int,
    n_threads: int,
    statistic: Callable[[GroupMeans], Float64Array],
) -> tuple[GroupMeans, Float64Array]:
    """The means for the labels as given; the statistic of them, in front, and of permutations.

    What is in front is computed as for permutations, fast and to be compared with them alone: far
    groups leave it few digits. The means have all of theirs.

    O(n²B(k−1)/2) multiply-adds, or O(nkB) where sorting does. Memory 256 MB for a batch; and a
    thread has 2 × 512 × 4096 sums and products, 34 MB, a few strips of 512 × 2048, and up to five
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
    # Overflow is found by its results.
    with one_thread_a_product(), np.errstate(over="ignore", invalid="ignore"):
        for batch in batches:
            means = _batch(pairs, permuted, *batch, n_threads).check().taken(place)
            found.append(statistic(means))
            done = batch[1] - 1
            progress.tell(Progress(phase="permutations", number=done, total=n_permutations))
    return observed, np.concatenate(found)


def _at_once(pairs: Pairs, k: int) -> int:
    """Permutations in a batch: whole generators or, where each takes much, an even part of one."""
    has_indicators = bool(pairs.squares) or pairs.gram is not None
    width = max((square.points.shape[1] for square in pairs.squares), default=0)
    # Labels with their indicators; means of pairs of groups; centers; the latter with copies.
    bytes_each = pairs.n * (1 + 9 * (k - 1) * has_indicators) + 32 * k * (k + width)
    most = max(1, min(_BATCH_BYTES // bytes_each, _BATCH_COLUMNS // (k - 1)))
    if most >= _DRAWN_TOGETHER:
        return most // _DRAWN_TOGETHER * _DRAWN_TOGETHER
    return 1 << (most.bit_length() - 1)


def _batch(pairs: Pairs, permuted: Permuted, start: int, stop: int, n_threads: int) -> GroupMeans:
    """The means of some permutations."""
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
    """By the means of the groups; all points together have mean 0."""
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
    """Σ Σ G over pairs of points, by permutation: of the groups but the last, and of all points."""

    among: Float64Array  # (k − 1, k − 1, P); each pair once, from the earlier point to the later
    with_all: Float64Array  # (k − 1, P)
    total: float

    def plus(self, other: _Sums) -> _Sums:
        """Added up, in the arrays of this one."""
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
    """By products of strips of −ρ/2 with the indicators of all groups but the last."""
    few = len(sizes) - 1
    half = gram.diagonal() / 2
    labels = np.ascontiguousarray(table.T)

    def strip(rows: tuple[int, int]) -> _Sums:
        return _strip_sums(gram, half, labels, indicators, *rows)

    n_threads = n_threads if gram.n**2 * indicators[0].size > _WORTH_A_THREAD else 1
    once, with_all, total = reduce(_Sums.plus, run(strip, blocks(0, gram.n, _ROWS), n_threads))
    among = once + once.transpose(1, 0, 2)
    # The last group is what the others leave; it is the largest, so that little cancels.
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
    """What the rows [start, stop) contribute with themselves and with all later points."""
    rows, inside = indicators[start:stop], stop - start
    sums = np.zeros((inside, rows[0].size))
    with_all = np.zeros(inside)
    points = np.arange(start, stop)
    # Rows of a semimetric that is Python code come whole or not at all.
    columns = gram.n if isinstance(gram, PairwiseGram) else _COLUMNS
    for left, right in blocks(start, gram.n, columns):
        piece = gram.block(left, right, points)
        if half.any():  # a kernel that is not −ρ/2
            piece -= half[start:stop, None]
            piece -= half[left:right]
        if left == start:
            piece[:, :inside] /= 2  # both orders of each pair come up
        with_all += piece.sum(axis=1)
        check_finite(with_all)
        sums += piece @ indicators[left:right].reshape(right - left, -1)
    sums = sums.reshape(rows.shape)
    among = np.zeros((rows.shape[1], *rows.shape[1:]))
    _add_to_groups(labels[start:stop], sums, among)
    return _Sums(
        among,
        np.einsum("xap,x->ap", rows, with_all) + sums.sum(axis=0),
        2 * float(with_all.sum()),
    )


@jit
def _add_to_groups(labels: IntArray, sums: Float64Array, among: Float64Array) -> None:
    """Add the sums (rows, k − 1, P) of each row to those of its group, which P says."""
    few = among.shape[0]
    for x in range(sums.shape[0]):
        for b in range(few):
            for p in range(sums.shape[2]):
                a = labels[x, p]
                if a < few:
                    among[a, b, p] += sums[x, b, p]
