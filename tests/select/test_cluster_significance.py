"""The significance of pairs of clusters: level, power, and combined p-values by hand."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs

from helpers import each, slow
from kgroups import KernelKGroups
from kgroups.select import cluster_significance, separation
from kgroups.select.held_out import (
    WHOLE,
    Pairs,
    Split,
    _evidence,
    _holm,
    _is_certain,
    _is_no_objection,
    _is_precise,
    decide,
    drawn,
    named_tests,
    together,
)
from kgroups.select.subject import Subject
from kgroups.select.valleys import Borders, neighbors
from select_cases import lumps


def test_significance_is_not_fooled_where_the_naive_test_is():
    X = np.random.default_rng(0).normal(size=(200, 3))
    labels = KernelKGroups(3, random_state=0).fit_predict(X)
    found = cluster_significance(X, labels, random_state=0)
    assert not found.any_separated()
    for level in (2, -3, "x"):
        with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
            found.any_separated(level)
    assert max(pair.naive_pvalue for pair in found.pairs) <= 0.01
    assert found.separated() == {0: False, 1: False, 2: False}


@each(("k", "d"), [(2, 6), (3, 10), (5, 2), (5, 6), (6, 10)])
def test_a_gap_is_seen_whatever_the_number_of_clusters(k, d):
    """Two groups ten standard deviations apart: their pieces need not have a gap between them."""
    X = np.random.default_rng(k).normal(size=(200, d))
    X[:100, 0] += 10.0
    labels = KernelKGroups(k, n_init=2, random_state=0).fit_predict(X)
    found = cluster_significance(X, labels, random_state=0)
    assert found.any_separated()
    assert ("p of any gap" in str(found)) == (k > 2)


@each("cloud", ["normal", "uniform", "lognormal", "t"])
def test_one_cloud_in_five_pieces_has_no_gap(cloud):
    rng = np.random.default_rng(0)
    X = {
        "normal": rng.normal(size=(150, 3)),
        "uniform": rng.uniform(size=(150, 3)),
        "lognormal": rng.lognormal(0, 0.5, (150, 3)),
        "t": rng.standard_t(5, (150, 3)),
    }[cloud]
    labels = KernelKGroups(5, n_init=2, random_state=0).fit_predict(X)
    found = cluster_significance(X, labels, random_state=0)
    assert not found.any_separated()
    assert found.any_pvalue > 0.5


def test_a_cluster_stands_apart_whatever_is_cut_elsewhere():
    """Three blobs in five clusters, one of which is a blob: its neighbors are pieces."""
    X, truth = make_blobs(400, centers=3, cluster_std=1, random_state=1)
    labels = KernelKGroups(5, random_state=0).fit_predict(X)
    assert len(set(truth[labels == 0])) == 1
    assert (labels == 0).sum() == 134
    found = cluster_significance(X, labels, random_state=0)
    assert found.separated() == {0: True, 1: False, 2: False, 3: False, 4: False}


@pytest.mark.parametrize("k", [2, 3])
def test_independent_categories_are_not_separated(k):
    rng = np.random.default_rng(0)
    for n_values in (2, 3):
        X = rng.integers(0, n_values, (150, 5))
        labels = KernelKGroups(k, metric="hamming", n_init=2, random_state=0).fit_predict(X)
        for data, metric in ((X, "hamming"), ((X[:, None] != X).mean(axis=2), "precomputed")):
            found = cluster_significance(data, labels, metric=metric, random_state=0)
            assert found.few_distances
            assert not found.any_separated()
            assert not any(found.separated().values())
            assert "few different values" in str(found)


def test_independent_categories_of_unequal_weight_are_not_separated():
    """Columns of 2, 3 and 4 categories: of three weights for "mixed", and 4, 1, 1 in a matrix."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {name: rng.choice(list("abcd")[:m], 200) for m, name in enumerate("xyz", 2)}
    )
    with_gaps = frame.mask(rng.random(frame.shape) < 0.1)
    coins = rng.integers(0, 2, (200, 3))
    weighted = np.abs(coins[:, None] - coins) @ [4.0, 1.0, 1.0]
    for data, metric in ((frame, "mixed"), (with_gaps, "mixed"), (weighted, "precomputed")):
        labels = KernelKGroups(3, metric=metric, n_init=2, random_state=0).fit_predict(data)
        found = cluster_significance(data, labels, metric=metric, random_state=0)
        assert found.few_distances
        assert not found.any_separated()


def test_equal_rows_of_categories_are_one_group():
    found = cluster_significance(np.zeros((30, 3)), np.arange(30) % 2, metric="hamming")
    assert found.pvalue == 1.0


@pytest.mark.parametrize("k", [2, 3])
def test_groups_of_equal_objects_are_separated(k):
    """Heavy atoms: also where they are known by distances alone, which rounds coordinates."""
    labels = np.repeat(np.arange(k), 60)
    differ = (labels[:, None] != labels).astype(float)
    for data, metric in ((labels[:, None], "hamming"), (differ, "precomputed")):
        found = cluster_significance(data, labels, metric=metric, random_state=0)
        assert all(found.separated().values())


def test_categories_that_depend_on_each_other_are_separated():
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1], 100)
    X = (rng.random((200, 20)) < 0.15) ^ kinds[:, None].astype(bool)
    found = cluster_significance(X.astype(int), kinds, metric="hamming", random_state=0)
    assert found.separated() == {0: True, 1: True}
    assert not cluster_significance(lumps(2), np.repeat([0, 1], 60), random_state=0).few_distances


def test_the_least_p_value_of_a_split_counts_times_the_tests():
    """Two lumps in three pieces, the pairs of which show no gap; the lumps do: p of 1/2000."""
    X = lumps(2, n=100, apart=20.0)
    codes = np.repeat([0, 1, 2], [50, 50, 100])
    subject = Subject.of(X, random_state=0)
    split = next(drawn(subject))
    tests = named_tests(split, X, codes)
    centers = Borders.of(X[split.train], split.partitions.labels(3)).centers
    n_tests = 1 + len(neighbors(centers))
    assert tests.of_pairs[WHOLE] == (pytest.approx(n_tests / 2000), len(split.test))


def test_holm_by_hand():
    # Four tests: .01 x 4, .02 x 3, .04 x 2, .5 x 1, each at least the one before.
    assert _holm([0.02, 0.01, 0.04, 0.5]) == pytest.approx([0.06, 0.04, 0.08, 0.5])
    assert _holm([0.3, 0.4, 0.9]) == pytest.approx([0.9, 0.9, 0.9])
    assert _holm([0.6, 0.7]) == [1.0, 1.0]
    assert _holm([]) == []


def test_pairs_are_adjusted_in_each_split():
    """Three lumps on a line are two pairs of neighbors: the least p of each is twice 1/2000."""
    found = cluster_significance(
        lumps(3), np.repeat([0, 1, 2], 60), n_splits=1, random_state=0
    )  # fmt: skip
    assert found.pair(0, 1).pvalue == pytest.approx(2 / 2000)
    assert found.pair(0, 2).pvalue is None
    assert "- not neighbors: other clusters lie between them" in str(found)


def test_a_valley_is_looked_for_in_rows_that_made_no_clusters():
    """A third of the rows and the others, anew in every split."""
    splits = [split for split, _ in zip(drawn(Subject.of(lumps(2))), range(3), strict=False)]
    for split in splits:
        assert len(split.train) == 40
        assert sorted([*split.train, *split.test]) == list(range(120))
        assert split.train.tolist() == sorted(split.train)
    assert len({tuple(split.train) for split in splits}) == 3


@each(
    ("pvalues", "n_found", "n_splits", "expected"),
    [
        ([0.01, 0.04, 0.02, 0.5, 0.03], 5, 5, 0.06),  # twice .03
        ([0.01, 0.02, 0.03], 5, 5, 0.06),  # and 1, 1: the median is .03, of three it were .02
        ([0.01, 0.02], 5, 5, None),  # found, and mostly not neighbors
        ([0.01, 0.02], 4, 5, None),  # neighbors in just half of them
        ([0.01, 0.02], 2, 5, 1.0),  # neighbors where they are found, which is too seldom
        ([0.3], 1, 1, 0.3),
        ([0.7, 0.8, 0.9], 3, 3, 1.0),
        ([], 1, 1, None),
        ([], 0, 1, 1.0),
    ],
)
def test_splits_together_by_hand(pvalues, n_found, n_splits, expected):
    padded = np.array(pvalues + [1.0] * (n_splits - len(pvalues)))
    found = _evidence(padded, [10] * len(pvalues), n_found)
    assert found.pvalue == (expected and pytest.approx(expected))
    assert found.n_splits == len(pvalues)


def test_a_cluster_that_a_split_does_not_find_is_named_by_no_other():
    """Given are a lump in two and another; found are the first whole and the other in two."""
    X = np.array([[0.0], [1], [2], [3], [50], [51], [60], [61]])
    codes = np.array([0, 0, 1, 1, 2, 2, 2, 2])
    partitions = SimpleNamespace(labels=lambda k: np.array([0, 0, 0, 0, 1, 1, 2, 2]))
    everything = np.arange(8)
    split = Split(Subject.of(X, random_state=0), everything, everything, partitions)
    tests = named_tests(split, X, codes)
    (one_of_two,) = tests.found - {2}
    assert one_of_two in (0, 1)
    assert set(tests.of_pairs) == {(one_of_two, 2), (2, 2), WHOLE}


def test_a_lump_too_many_is_not_separated_though_each_split_cuts_another():
    """Three equal lumps; which of them is best cut in two depends on the third of the rows."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1, (50, 2)) for m in (0, 7, 14)])
    values = separation(X, [3, 4], random_state=0).values
    assert values[0] <= 0.01
    assert values[1] > 0.5


def test_p_values_are_precise_when_two_standard_errors_are():
    """Of 100, the interval is from the 41st to the 60th."""
    ordered = np.arange(1, 101) / 1000
    assert _is_precise(ordered + 0.1)  # from .282 to .32
    assert not _is_precise(3 * ordered)  # from .246 to .36
    assert _is_precise(ordered / 4)  # from .0205 to .03
    assert not _is_precise(ordered / 2)  # from .041 to .06: on both sides of .05
    assert _is_precise(ordered + 0.6)  # 1 in any case
    assert not _is_precise(np.array([0.3, 0.001] * 50))


def test_twice_the_median_is_valid_whenever_one_stops():
    """Exchangeable splits whose shared part makes them as dependent as can be.

    With probability .05 half of all splits have a p-value of .025, the least that is valid.
    """
    rng, ever = np.random.default_rng(0), 0
    for _ in range(2000):
        share = 0.5 if rng.uniform() < 0.05 else 0.0
        pvalues = np.where(rng.uniform(size=60) < share, 0.025, 1.0)
        ever += any(together(pvalues[:stop]) <= 0.05 for stop in (20, 40, 60))
    assert ever / 2000 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 2000)


def test_no_further_split_changes_a_decision_that_is_certain():
    """Of 120 splits, 61 on one side of .025 decide; all 120 may only confirm it."""
    rng = np.random.default_rng(0)
    for n_splits in (1, 2, 7, 120):
        assert not _is_certain(np.array([0.01] * (n_splits // 2)), n_splits) or n_splits == 1
        assert _is_certain(np.array([0.01] * (n_splits // 2 + 1)), n_splits)
        assert _is_certain(np.array([0.03] * (n_splits // 2 + 1)), n_splits)
        for _ in range(200):
            pvalues = rng.choice([0.001, 0.024, 0.026, 0.9], n_splits)
            stops = [n for n in range(1, n_splits + 1) if _is_certain(pvalues[:n], n_splits)]
            decisions = {2 * np.median(pvalues[:n]) <= 0.05 for n in stops}
            assert decisions == {2 * np.median(pvalues) <= 0.05}


def test_clusters_that_are_apart_wherever_they_meet_are_no_objection():
    low = np.full(9, 0.025)
    assert _is_no_objection(low, n_found=20, n_made=20)
    assert not _is_no_objection(low, n_found=10, n_made=10)  # too few splits
    assert not _is_no_objection(low, n_found=19, n_made=20)  # one is missing once
    assert not _is_no_objection(np.append(low, 0.026), n_found=20, n_made=20)  # once not apart


def test_pairs_are_decided_alike_whatever_else_is_tested():
    X = lumps(3, apart=4.0)
    subject, codes = Subject.of(X, random_state=0), np.repeat([0, 1, 2], 60)
    alone, first, other = (Pairs(X, some, 60) for some in (codes, codes, (codes > 0).astype(int)))
    decide(subject, [alone], 60, lambda some: not some.are_decided, "")
    decide(subject, [other, first], 60, lambda some: not some.evidence, "")
    assert {(0, 1), (0, 2), (1, 2), WHOLE} <= set(alone.evidence)
    assert first.evidence.items() <= alone.evidence.items()
    assert set(other.evidence) == {(0, 1)}


@slow
@each(
    ("load", "k", "standardized", "n_seeds"),
    [
        (load_wine, 3, True, 10),  # p-values of .05 and .13
        (load_wine, 3, False, 4),  # p-values that are 1 or the least
        (load_iris, 3, True, 3),
        (load_iris, 3, False, 3),
        (load_breast_cancer, 2, True, 3),
        (load_breast_cancer, 2, False, 3),
    ],
)
def test_p_values_hardly_depend_on_the_seed(load, k, standardized, n_seeds):
    X = load().data
    X = (X - X.mean(axis=0)) / X.std(axis=0) if standardized else X
    labels = KernelKGroups(k, random_state=0).fit_predict(X)
    found = [cluster_significance(X, labels, random_state=seed) for seed in range(n_seeds)]
    pvalues = np.array([[p.pvalue for p in one.pairs] for one in found], float)
    assert np.array_equal(np.isnan(pvalues), np.isnan(pvalues[[0] * n_seeds]))
    assert np.nanmax(np.ptp(pvalues, axis=0)) < 0.1


def test_numbers_near_the_end_of_floats_are_tested_too_or_refused_clearly():
    X, labels = lumps(2), np.repeat([0, 1], 60)
    expected = cluster_significance(X, labels, random_state=0).pvalue
    assert cluster_significance(X * 2.0**500, labels, random_state=0).pvalue == expected
    with pytest.raises(ValueError, match="or a sum of distances, is not a finite number"):
        cluster_significance(X * 1e306, labels, random_state=0)
    rho = np.abs(X[:, None] - X).sum(axis=2)
    for data, metric in ((X, "manhattan"), (rho, "precomputed")):
        found = cluster_significance(data * 2.0**1000, labels, metric=metric, random_state=0)
        assert found.pvalue == expected
    with pytest.raises(ValueError, match="sum over all pairs of 120 rows is not a finite number"):
        cluster_significance(X @ X.T * 1e306, labels, metric="precomputed_kernel", random_state=0)


@pytest.mark.parametrize("n", [2, 3])
def test_few_rows_have_no_gap(n):
    X, labels = np.arange(2.0 * n).reshape(n, 2), np.arange(n) % 2
    found = cluster_significance(X, labels, random_state=0)
    assert (found.pvalue, found.any_pvalue, found.any_separated()) == (1.0, 1.0, False)


def test_a_p_value_that_underflows_is_zero():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 1, (1500, 2)), rng.normal(300, 1, (330, 2))]
    labels = np.repeat(["a", "b"], [1500, 330])
    found = cluster_significance(X, labels, random_state=0)
    assert found.pvalue == found.any_pvalue == 0.0
    assert found.any_separated()
    assert found.separated() == {"a": True, "b": True}
    assert separation(X, range(1, 4), random_state=0).n_clusters == 2
