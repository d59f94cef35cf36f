"""The significance of pairs of clusters: level, power, and combined p-values by hand."""

import numpy as np
import pytest
from scipy.linalg import cho_solve

from kgroups import KernelKGroups
from kgroups.select import (
    cluster_significance,
)
from kgroups.select.cluster_significance import (
    ClusterSignificance,
    PairSignificance,
    _holm,
    _together,
)
from kgroups.select.halves import splits
from kgroups.select.separation import (
    _scatter,
    pair_tests,
)
from kgroups.select.subject import Subject
from kgroups.stats import energy_test
from select_cases import lumps


def test_significance_sees_valleys_and_names_the_labels():
    X = lumps(3, n=80)
    names = np.array(["red", "green", "blue"])[np.repeat(range(3), 80)]
    found = cluster_significance(X, names, random_state=0)
    assert found.groups == ("blue", "green", "red")
    assert found.pair("red", "green").pvalue <= 0.05
    assert found.pair("green", "blue").pvalue <= 0.05
    # Green lies between the other two.
    assert found.pair("blue", "red").pvalue is None
    assert found.any_separated()
    assert found.separated() == {"blue": True, "green": True, "red": True}
    direct = energy_test(X[names == "red"], X[names == "green"], n_permutations=9)
    assert found.pair("red", "green").coefficient == pytest.approx(direct.coefficient)
    with pytest.raises(KeyError):
        found.pair("red", "black")


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


def test_a_valley_is_looked_for_in_rows_that_made_no_clusters(monkeypatch):
    """What reaches the dip test are the rows of the other half, seen along the direction."""
    subject = Subject.of(lumps(2), "energy", random_state=0)
    [split] = splits(subject, [2], 1)
    seen = []
    monkeypatch.setitem(pair_tests.__globals__, "dip_pvalue", lambda x: seen.append(x) or 1.0)
    pair_tests(split, subject.data)
    assert not set(split.train) & set(split.test)
    train, labels = subject.data[split.train], split.labels
    centers = np.array([train[labels == j].mean(axis=0) for j in range(2)])
    direction = cho_solve(_scatter(train - centers[labels]), centers[0] - centers[1])
    np.testing.assert_array_equal(seen, [subject.data[split.test] @ direction])


@pytest.mark.parametrize(
    ("pvalues", "n_splits", "together"),
    [
        ([0.01, 0.04, 0.02, 0.5, 0.03], 5, 0.06),  # twice .03
        ([0.01, 0.02, 0.03], 5, 0.06),  # and 1, 1: the median is .03, of three it were .02
        ([0.01, 0.02], 5, None),
        ([0.3], 1, 0.3),
        ([0.7, 0.8, 0.9], 3, 1.0),
        ([], 1, None),
    ],
)
def test_splits_together_by_hand(pvalues, n_splits, together):
    assert _together(pvalues, n_splits) == (together and pytest.approx(together))


def test_the_table_of_pairs_stands_in_line_whatever_the_names():
    pair = PairSignificance(first="a\x1b", second="b" * 60, pvalue=None, naive_pvalue=0.005,
                            coefficient=0.25, n_splits=0, n_points=0)  # fmt: skip
    found = ClusterSignificance(groups=("a\x1b", "b" * 60), pairs=(pair,), n_samples=9)
    head, line, _ = str(found).splitlines()
    assert len(head) == len(line)
    assert line.split() == ["a\\x1b", "b" * 39 + "…", "-", "0.0050", "0.250"]


def test_significance_says_no_to_one_cluster_and_wrong_lengths():
    with pytest.raises(ValueError, match="two clusters or more; all rows have the label 0"):
        cluster_significance(lumps(1), np.zeros(60, int))
    with pytest.raises(ValueError, match="cluster 'c' has no row among the 5 that were drawn"):
        cluster_significance(lumps(1), ["a", "b"] * 29 + ["a", "c"], max_samples=5, random_state=0)
    with pytest.raises(ValueError, match="one label for each of the 60"):
        cluster_significance(lumps(1), [0, 1])


def test_significance_is_repeatable():
    X, labels = lumps(2), np.repeat([0, 1], 60)
    one, two = (cluster_significance(X, labels, random_state=3, n_jobs=j) for j in (1, 2))
    assert one == two
