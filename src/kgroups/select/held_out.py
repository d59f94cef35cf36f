"""The evidence for valleys between clusters, from many random splits of the rows.

In each split a third of the rows determines the clusters, and the others are tested for valleys. A
single split gives a valid p-value, but it depends on which rows are drawn; twice the median over
many splits is valid too and hardly depends on them.

Splits are made until the p-value is precise. This does not make it invalid: given the data the
splits are exchangeable, and the share of splits with a p-value of at most α/2 ever reaches one
half with a probability of at most α, whenever one stops (Ramdas & Manole). The p-values of a split
are adjusted by Holm's method first, so this bounds the probability that any pair is ever called
separated.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from kgroups.runtime.seeds import seed_of
from kgroups.select.subject import Subject
from kgroups.select.valleys import pair_tests
from kgroups.typing import Float64Array, IntArray

#: Level of the test for a valley.
LEVEL = 0.05
#: Number of splits after which no more are made.
MAX_SPLITS = 120
# Splits before each look at the precision.
_BATCH = 10
# A p-value is precise if the interval of two standard errors around it is shorter.
_PRECISE = 0.08
# One row in so many determines clusters. Two thirds for the test reject more often than a half.
_TRAINING = 3

Pair = tuple[int, int]
#: Adjusted p-value and number of rows tested, for each pair of neighbors of one split.
Tests = dict[Pair, tuple[float, int]]


class Evidence(NamedTuple):
    """The p-value of two clusters, None if they are mostly not neighbors."""

    pvalue: float | None
    #: Splits in which they were neighbors, and the median number of rows tested.
    n_splits: int
    n_points: int


class _Split(NamedTuple):
    """Rows that determine clusters, rows to test, and the seed of the fit."""

    train: IntArray
    test: IntArray
    seed: int


def decided(
    subject: Subject,
    coordinates: Float64Array,
    codes: IntArray,
    n_splits: int,
    each: Callable[[Callable[[_Split], Tests], list[_Split]], Iterable[Tests]],
) -> Iterator[tuple[Pair, Evidence]]:
    """All pairs of the clusters ``codes`` with their evidence, as soon as it is precise.

    What is found for a pair does not depend on how many pairs the caller asks for.
    """
    k = int(codes.max(initial=-1)) + 1
    waiting, made, splits = list(combinations(range(k), 2)), list[Tests](), _drawn(subject)
    while waiting:
        some = list(islice(splits, min(_BATCH, n_splits - len(made))))
        made += each(lambda split: named_tests(subject, coordinates, codes, split), some)
        for pair in waiting.copy():
            pvalues = np.array([tests[pair][0] if pair in tests else 1.0 for tests in made])
            if len(made) == n_splits or _is_precise(pvalues):
                waiting.remove(pair)
                yield pair, _evidence(pvalues, [tests[pair][1] for tests in made if pair in tests])


def _drawn(subject: Subject) -> Iterator[_Split]:
    """Random splits without end, the same for every k."""
    rng = np.random.default_rng([subject.seed, 3])
    size = subject.n // _TRAINING
    while True:
        order = rng.permutation(subject.n)
        yield _Split(np.sort(order[:size]), np.sort(order[size:]), seed_of(rng))


def named_tests(
    subject: Subject, coordinates: Float64Array, codes: IntArray, split: _Split
) -> Tests:
    """The tests of one split; each cluster found is named after the one that it shares most with.

    There is none if the training rows are fewer than 2k, or fewer than k different ones.
    """
    k, train = int(codes.max()) + 1, split.train
    if len(train) < 2 * k or subject.count_distinct(k, train) < k:
        return {}
    labels = subject.quick_labels(k, split.seed, train)
    shared = np.zeros((k, k))
    np.add.at(shared, (labels, codes[train]), 1.0)
    _, name = linear_sum_assignment(shared, maximize=True)
    tests = pair_tests(coordinates[train], labels, coordinates[split.test])
    found: Tests = {}
    for test, pvalue in zip(tests, _holm([test.pvalue for test in tests]), strict=True):
        i, j = sorted((int(name[test.first]), int(name[test.second])))
        found[i, j] = (pvalue, test.n_points)
    return found


def _holm(pvalues: list[float]) -> list[float]:
    """P-values adjusted for their number by Holm's method.

    They are those of one split, in which the training rows determine which pairs are tested.
    """
    adjusted, least = [1.0] * len(pvalues), 0.0
    for rank, number in enumerate(np.argsort(pvalues, kind="stable")):
        least = min(1.0, max(least, (len(pvalues) - rank) * pvalues[number]))
        adjusted[number] = least
    return adjusted


def _evidence(pvalues: Float64Array, n_points: list[int]) -> Evidence:
    """The evidence from p-values that are 1 where the two are not neighbors.

    Without these ones the median of few values, selected by the data, would be too small.
    """
    known = n_points and 2 * len(n_points) >= len(pvalues)
    return Evidence(
        pvalue=together(pvalues) if known else None,
        n_splits=len(n_points),
        n_points=int(np.median(n_points)) if n_points else 0,
    )


def together(pvalues: Float64Array) -> float:
    """Twice the median p-value, at most 1; a single one as it is.

    Source: N. Meinshausen, L. Meier and P. Bühlmann, "p-Values for High-Dimensional Regression",
    J. Am. Stat. Assoc. 104 (488), 2009, with γ = 1/2.
    """
    return float(pvalues[0]) if len(pvalues) == 1 else min(1.0, 2.0 * float(np.median(pvalues)))


def _is_precise(pvalues: Float64Array) -> bool:
    """Whether twice the median is known to some hundredths, and on which side of 0.05 it is.

    The interval is that of the order statistics two standard errors around the median.

    Source: A. Ramdas and T. Manole, "Randomized and Exchangeable Improvements of Markov's,
    Chebyshev's and Chernoff's Inequalities", arXiv:2304.02611, 2023, for stopping at any time.
    """
    n, ordered = len(pvalues), np.minimum(1.0, 2.0 * np.sort(pvalues))
    low = ordered[max(0, int(np.floor(n / 2 - np.sqrt(n))))]
    high = ordered[min(n - 1, int(np.ceil(n / 2 + np.sqrt(n))) - 1)]
    return bool(high - low <= _PRECISE and not low <= LEVEL < high)
