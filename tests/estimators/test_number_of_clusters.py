"""As many clusters as asked for, from every start; and rows without weight have no say in them."""

import warnings

import numpy as np
import pytest

from kgroups import GraphKGroups, KernelKGroups, KernelKMeans
from kgroups.metrics import same_partition
from kgroups.sketch.sample import coreset

FORMS = [(KernelKGroups, {}), (KernelKMeans, {}), (KernelKMeans, {"algorithm": "online"})]


def into_two(X, k, random_state):
    """Fewer clusters than asked for."""
    return random_state.randint(0, 2, size=len(X))


def fitted(cls, settings, X, w, k, **params):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Stopped because labels returned")
        return cls(k, random_state=0, **settings, **params).fit(X, sample_weight=w)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "init", ["auto", "k-means++", "random", "spectral", "labels", into_two, "zeros"]
)
@pytest.mark.parametrize(("cls", "settings"), FORMS)
def test_an_indefinite_kernel_with_rows_of_weight_zero(cls, settings, init, seed):
    rng = np.random.default_rng(seed)
    n, k = 30, (3, 7, 14)[seed % 3]
    A = rng.normal(size=(n, n))
    A = A + A.T - np.diag(rng.uniform(0, 20, n))
    w = np.where(np.arange(n) % 2, rng.uniform(0.5, 2, n), 0.0)
    given = {"labels": rng.integers(k, size=n), "zeros": np.zeros(n, int)}
    start = given.get(init, init) if isinstance(init, str) else init
    model = fitted(cls, settings, A, w, k, metric="precomputed_kernel", init=start)
    assert set(model.labels_[w > 0]) == set(range(k))
    assert (model.cluster_weights_ > 0).all()


@pytest.mark.parametrize("method", ["dense", "matrix_free", "nystroem"])
@pytest.mark.parametrize("init", ["auto", "euclidean-k-means++", "spectral", into_two])
@pytest.mark.parametrize(("cls", "settings"), FORMS)
def test_as_many_clusters_as_distinct_rows_with_weight(cls, settings, init, method):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 2))[rng.permutation(np.repeat(np.arange(12), 3))]
    w = 10.0 ** rng.uniform(-3, 3, 36)
    w[rng.random(36) < 0.3] = 0.0
    k = len(np.unique(X[w > 0], axis=0))
    model = fitted(cls, settings, X, w, k, init=init, method=method)
    assert set(model.labels_[w > 0]) == set(range(k))


@pytest.mark.parametrize("objective", ["bethe_hessian", "modularity", "normalized_cut"])
@pytest.mark.parametrize("init", ["auto", "spectral", "random", "multilevel"])
def test_communities_of_a_graph_with_isolated_nodes(objective, init):
    rng = np.random.default_rng(2)
    A = np.triu(rng.random((24, 24)) < 0.3, 1)
    A[:, 20:] = A[20:] = False
    A = (A + A.T).astype(float)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the graph is not connected")
        model = GraphKGroups(9, objective=objective, init=init, random_state=0).fit(A)
    assert set(model.labels_) == set(range(9))


@pytest.mark.parametrize("method", ["matrix_free", "nystroem"])
@pytest.mark.parametrize(("cls", "settings"), FORMS)
def test_one_row_without_weight_leaves_the_sample_whole(cls, settings, method):
    """The starts compete on all other rows; drawn with replacement these are about two thirds."""
    X, w = np.random.default_rng(0).normal(size=(26, 2)), np.ones(26)
    w[25] = 0.0
    seen = []
    for seed in range(8):
        params = {"method": method, "random_state": seed, "verbose": seen.append}
        with_it = cls(20, **settings, **params).fit(X, sample_weight=w)
        without = cls(20, **settings, **params).fit(X[:25])
        assert same_partition(with_it.labels_[:25], without.labels_)
        assert with_it.within_dispersion_ == pytest.approx(without.within_dispersion_, rel=1e-12)
    assert all("on a sketch of 25 rows" in e.note for e in seen if e.phase == "start")


def test_a_coreset_has_the_rows_that_clusters_need():
    """Nearly all weight is in two rows; the heaviest others join them with their own weight."""
    w, far = np.full(1_000, 1e-30), np.zeros(1_000)
    w[[3, 500]], w[600:620], w[990] = 1.0, 1e-20, 0.0
    index, weight = coreset(w, far, 400, np.random.default_rng(0), least=30)
    assert len(set(index)) == len(index) == 30
    assert np.array_equal(index, np.sort(index))
    assert {3, 500, *range(600, 620)} <= set(index.tolist())
    assert 990 not in index
    others = ~np.isin(index, [3, 500])
    assert weight[others].tolist() == w[index[others]].tolist()
    assert weight.sum() == pytest.approx(w.sum())
