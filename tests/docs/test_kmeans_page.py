"""The examples of docs/kmeans.md, and every claim of it that needs no clock."""

import doctest

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.utils.validation import check_is_fitted

from kgroups import KernelKGroups
from kgroups.fit.plan import Wish, make_plan
from kgroups.metrics import same_partition
from kgroups.semimetrics import Energy
from pages import blocks, number, page, size, table

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


def test_the_table_of_times_is_whole():
    rows = table(PAGE, "| rows | Energy(2)")
    assert len(rows) > 5
    for n, ours, energy, manhattan, once, ten in rows:
        times = [number(cell) for cell in (ours, manhattan, once, ten)]
        assert number(n) >= 200
        assert min(times) > 0
        assert energy == "" or number(energy) > 0
