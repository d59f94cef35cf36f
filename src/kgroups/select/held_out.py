"""The evidence for valleys between clusters, from many random splits of the rows.

In each split a third of the rows determines the clusters, and the others are tested for valleys. A
single split gives a valid p-value, but it depends on which rows are drawn; twice the median over
many splits is valid too and hardly depends on them.

A cluster that is not found again in a split is not separated there: its pairs have the p-value 1.
With one cluster too many, it is chance which lump a split cuts in two. The two halves of a lump
that all rows give are then one cluster in most splits, which must not be taken for clusters that
are not neighbors, about which nothing is said. The whole border of a cluster, which may be in
pieces too, has the largest p-value of the pairs across it: adding it to the pairs of a split leaves
the least p-value as it is.

Splits are made until the p-value is precise, or until no further ones could change the decision at
0.05; of clusters that are neighbors in about half of the splits, until it is plain that they are
apart wherever they are neighbors. This does not make it invalid: given the data the
splits are exchangeable, and the share of splits with a p-value of at most α/2 ever reaches one
half with a probability of at most α, whenever one stops (Ramdas & Manole). The p-values of a split
are adjusted by Holm's method first, so this bounds the probability that any pair is ever called
separated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from scipy.optimize import linear_sum_assignment

from kgroups.runtime.seeds import seed_of
from kgroups.select.subject import Subject
from kgroups.select.successive import Successive
from kgroups.select.valleys import Borders, Pair, PairTest, neighbors
from kgroups.typing import Float64Array, IntArray

#: Level of the test for a valley.
LEVEL = 0.05
#: Number of splits after which no more are made.
MAX_SPLITS = 120
#: Splits before each look at the precision.
BATCH = 10
# A p-value is precise if the interval of two standard errors around it is shorter.
_PRECISE = 0.08
# Splits after which it is known that two clusters are always found.
_MANY = 20
# One row in so many determines clusters. Two thirds for the test reject more often than a half.
_TRAINING = 3
#: What stands for all clusters at once, among their pairs.
WHOLE: Pair = (-1, -1)


class Weighed(Protocol):
    """What splits of the rows give evidence of."""

    def test(self, split: Split) -> Any:
        """What one split says."""
        ...

    def add(self, made: Iterable[Any]) -> None:
        """Take some more splits into account."""
        ...


Tested = TypeVar("Tested", bound=Weighed)


class Tests(NamedTuple):
    """What one split says."""

    #: Adjusted p-value and number of rows tested, for each pair of neighbors.
    of_pairs: dict[Pair, tuple[float, int]]
    #: The clusters that were found again.
    found: frozenset[int]


class Evidence(NamedTuple):
    """The p-value of two clusters, None if they are found but mostly not neighbors."""

    pvalue: float | None
    #: Splits in which they were neighbors, and the median number of rows tested.
    n_splits: int
    n_points: int


@dataclass(frozen=True, eq=False)
class Split:
    """Rows that determine clusters, in partitions that every k shares, and rows to test."""

    subject: Subject
    train: IntArray
    test: IntArray
    partitions: Successive


class Pairs:
    """The pairs of the clusters ``codes``, and their evidence as soon as it is precise.

    What is found for a pair does not depend on how many pairs, or which other clusters, are tested.
    With more than two clusters ``WHOLE`` stands for the evidence of any valley at all.
    """

    def __init__(self, coordinates: Float64Array, codes: IntArray, n_splits: int) -> None:
        self.coordinates = coordinates
        self.codes = codes
        self.k = int(codes.max(initial=-1)) + 1
        #: For (j, j) that of the whole border of j.
        self.evidence: dict[Pair, Evidence] = {}
        self._waiting = [*combinations(range(self.k), 2)]
        if self.k > 2:
            self._waiting += [WHOLE, *((j, j) for j in range(self.k))]
        self._n_splits = n_splits
        self._made: list[Tests] = []

    @property
    def are_decided(self) -> bool:
        """Whether all evidence is precise, or as precise as it may become."""
        return not self._waiting

    def test(self, split: Split) -> Tests:
        """The tests of one split."""
        return named_tests(split, self.coordinates, self.codes)

    def add(self, made: Iterable[Tests]) -> None:
        """Take the tests of some more splits into account."""
        self._made += made
        for pair in self._waiting.copy():
            pvalues, n_points, n_found = self._so_far(pair)
            if is_decided(pvalues, self._n_splits) or _is_no_objection(
                pvalues[: len(n_points)], n_found, len(self._made)
            ):
                self.evidence[pair] = _evidence(pvalues, n_points, n_found)
                self._waiting.remove(pair)
            elif pair[0] == pair[1] >= 0 and self._is_idle(pair):
                self._waiting.remove(pair)

    def of(self, i: int, j: int) -> Evidence:
        """The evidence of a pair, or of the whole border of one of the two if that is more."""
        found = self.evidence[i, j]
        if found.pvalue is None or self.k == 2:
            return found
        borders = [self.evidence[one, one].pvalue for one in (i, j) if (one, one) in self.evidence]
        least = min([found.pvalue, *(pvalue for pvalue in borders if pvalue is not None)])
        return found._replace(pvalue=least)

    def _is_idle(self, pair: Pair) -> bool:
        """Whether a whole border has nothing to add: there is no valley, or each pair shows it."""
        if WHOLE in self.evidence and (self.evidence[WHOLE].pvalue or 0.0) > LEVEL:
            return True
        own = [
            self.evidence.get(other) for other in combinations(range(self.k), 2) if pair[0] in other
        ]
        return all(found is not None and (found.pvalue or 0.0) <= LEVEL for found in own)

    def _so_far(self, pair: Pair) -> tuple[Float64Array, list[int], int]:
        """P-values of all splits, those tested first; rows tested; splits that found both."""
        tested = [tests.of_pairs[pair] for tests in self._made if pair in tests.of_pairs]
        pvalues = np.ones(len(self._made))
        pvalues[: len(tested)] = [pvalue for pvalue, _ in tested]
        n_found = sum(tests.found.issuperset(pair) for tests in self._made)
        return pvalues, [points for _, points in tested], n_found


def decide(
    subject: Subject,
    several: Sequence[Tested],
    n_splits: int,
    is_open: Callable[[Tested], bool],
    phase: str,
) -> None:
    """Add splits, the same for all of ``several``, until none of them is open."""
    splits, n_made = drawn(subject), 0
    while open_yet := [one for one in several if is_open(one)]:
        some = list(islice(splits, min(BATCH, n_splits - n_made)))

        def tests(split: Split, open_yet: Sequence[Tested] = open_yet) -> list[Any]:
            return [one.test(split) for one in open_yet]

        made = subject.each(tests, some, phase, n_made)
        n_made += len(some)
        for one, found in zip(open_yet, zip(*made, strict=True), strict=True):
            one.add(found)


def drawn(subject: Subject) -> Iterator[Split]:
    """Random splits without end, the same for every k."""
    rng = np.random.default_rng([subject.seed, 3])
    size = max(1, subject.n // _TRAINING)
    while True:
        order = rng.permutation(subject.n)
        train, test = np.sort(order[:size]), np.sort(order[size:])
        yield Split(subject, train, test, subject.partitions_of(train, seed_of(rng)))


def named_tests(split: Split, coordinates: Float64Array, codes: IntArray) -> Tests:
    """The tests of one split; clusters found are named after those that they share most with.

    With more than two clusters there is one more test, of any valley at all, whose p-value is the
    least of all tests, multiplied by their number.
    """
    again = found_again(split, codes)
    if again is None:
        return Tests({}, frozenset())
    labels, name, found = again
    borders, others = Borders.of(coordinates[split.train], labels), coordinates[split.test]
    tests = borders.tests(neighbors(borders.centers), others)
    pvalues, of_pairs = [test.pvalue for test in tests], {}
    adjusted = _holm(pvalues)
    for test, pvalue in zip(tests, adjusted, strict=True):
        i, j = sorted((int(name[test.first]), int(name[test.second])))
        if found.issuperset((i, j)):
            of_pairs[i, j] = (pvalue, test.n_points)
    if len(name) > 2:
        of_pairs |= _of_borders(tests, adjusted, labels, codes[split.train])
        pvalues = [borders.whole_pvalue(others), *pvalues]
        of_pairs[WHOLE] = (min(1.0, len(pvalues) * min(pvalues)), len(others))
    return Tests(of_pairs, found)


def _of_borders(
    tests: list[PairTest], pvalues: list[float], labels: IntArray, codes: IntArray
) -> dict[Pair, tuple[float, int]]:
    """The largest p-value along the whole border of each cluster, which may be cut into pieces.

    Its pieces are the clusters of the training rows that share most with it. A cluster is left out,
    which counts as p = 1, where they hold most of another one, too, or there are none.
    """
    k = int(labels.max()) + 1
    shared = np.zeros((k, k))
    np.add.at(shared, (labels, codes), 1.0)
    piece_of = shared.argmax(axis=1)
    home = piece_of[shared.argmax(axis=0)]
    out = {}
    for j in np.flatnonzero(np.bincount(home) == 1).tolist():
        across = [
            (pvalue, test.n_points)
            for test, pvalue in zip(tests, pvalues, strict=True)
            if (piece_of[test.first] == j) != (piece_of[test.second] == j)
        ]
        if home[j] == j and across:
            out[j, j] = max(across)
    return out


def found_again(split: Split, codes: IntArray) -> tuple[IntArray, IntArray, frozenset[int]] | None:
    """Labels of the training rows, the cluster that each is named after, and those found again.

    A cluster is not found again if the one that is left for it shares more with another: then that
    one has been cut in two in this split, and these two have been one. None if the training rows
    are fewer than 2k, or fewer than k different ones.
    """
    k, train = int(codes.max()) + 1, split.train
    if len(train) < 2 * k or split.subject.count_distinct(k, train) < k:
        return None
    labels = split.partitions.labels(k)
    shared = np.zeros((k, k))
    np.add.at(shared, (labels, codes[train]), 1.0)
    _, name = linear_sum_assignment(shared, maximize=True)
    return labels, name, frozenset(name[shared.argmax(axis=1) == name].tolist())


def _holm(pvalues: list[float]) -> list[float]:
    """P-values adjusted for their number by Holm's method.

    They are those of one split, in which the training rows determine which pairs are tested.
    """
    adjusted, least = [1.0] * len(pvalues), 0.0
    for rank, number in enumerate(np.argsort(pvalues, kind="stable")):
        least = min(1.0, max(least, (len(pvalues) - rank) * pvalues[number]))
        adjusted[number] = least
    return adjusted


def _evidence(pvalues: Float64Array, n_points: list[int], n_found: int) -> Evidence:
    """The evidence from p-values that are 1 where the two are not found, or are not neighbors.

    Without these ones the median of few values, selected by the data, would be too small. Among the
    splits in which both are found they are neighbors in more than half, or nothing is known.
    """
    known = 2 * len(n_points) > n_found or n_found == 0
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


def is_decided(pvalues: Float64Array, n_splits: int) -> bool:
    """Whether twice the median is precise, or on the side of 0.05 where it will stay."""
    return _is_precise(pvalues) or _is_certain(pvalues, n_splits)


def _is_certain(pvalues: Float64Array, n_splits: int) -> bool:
    """Whether no further split, up to the largest number of them, can change the decision at 0.05.

    It cannot as soon as more than half of all that may be made are on one side of 0.025, because
    the median then is there too.
    """
    low = int(np.count_nonzero(2.0 * pvalues <= LEVEL))
    return len(pvalues) == n_splits or 2 * max(low, len(pvalues) - low) > n_splits


def _is_no_objection(tested: Float64Array, n_found: int, n_made: int) -> bool:
    """Whether two clusters are apart wherever they are neighbors, and found in all of many splits.

    Then it does not matter whether they are neighbors in more than half of the splits: they are
    separated, or nothing is known of them.
    """
    return n_found == n_made >= _MANY and bool((2.0 * tested <= LEVEL).all())


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
