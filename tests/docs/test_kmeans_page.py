"""The examples of docs/kmeans.md, and every claim of it that needs no clock."""

import doctest

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from benchmarks.kmeans import drawn, fits, squares
from kgroups import KernelKGroups
from kgroups.fit.plan import Wish, make_plan
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy
from pages import blocks, number, page, said, size, table

PAGE = page("kmeans")


def test_the_examples():
    code = "\n".join(blocks(PAGE, "python"))
    example = doctest.DocTestParser().get_doctest(code, {}, "kmeans", None, 0)
    assert len(example.examples) > 15
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_attributes_are_those_of_kmeans():
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [9, 0], [0, 9]])
    X = centers[rng.choice(3, p=[0.5, 0.3, 0.2], size=200)] + rng.normal(size=(200, 2))
    w = rng.uniform(0.5, 2, 200)
    ours = KernelKGroups(3, metric=Energy(2), random_state=0).fit(X, sample_weight=w)
    theirs = KMeans(3, n_init=10, random_state=0).fit(X, sample_weight=w)
    assert same_partition(ours.labels_, theirs.labels_)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-12)
    order = [theirs.labels_[np.argmax(ours.labels_ == j)] for j in range(3)]
    np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_[order], rtol=1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X)[:, order], rtol=1e-9)
    assert ours.score(X, sample_weight=w) == pytest.approx(theirs.score(X, sample_weight=w))
    for name in ("labels_", "cluster_centers_", "inertia_", "n_iter_"):
        check_is_fitted(ours, name)


@pytest.mark.parametrize("n", [100, 10**4, 10**6, 10**8])
def test_no_pairs_for_any_number_of_rows(n):
    plan = make_plan(Wish(), size(n, squared_rank=16), None)
    assert (plan.method, plan.operator) == ("matrix_free", "squared")


def test_the_sums_of_squares_are_never_larger_and_up_to_2_percent_smaller():
    ratios = [number(cell) for row in table(PAGE, "| data | rows | k = 10") for cell in row[2:]]
    (percent,) = said(PAGE, r"never larger, and up to (\d+) % smaller")
    assert len(ratios) == 36
    assert max(ratios) <= 1
    assert 1 - min(ratios) == pytest.approx(percent / 100, abs=0.005)


def test_a_square_is_cut_no_worse_than_by_kmeans():
    """One of the drawn instances, smaller and with one seed."""
    X = drawn("plane", 2500, 20)
    ours, theirs = (squares(X, fits(20, 0)[name](X)) for name in ("Energy(2)", "KMeans(10)"))
    assert ours <= theirs
