"""A fit that fails or is interrupted changes nothing; problems at the edge of arithmetic."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from contract_cases import three_clusters as points
from kgroups import (
    BetheHessianClustering,
    EnergyAgglomerative,
    GraphKGroups,
    KernelKGroups,
    KernelKMeans,
    KGroups1D,
)
from kgroups.semimetrics import Energy, Hamming, PairFunction

N, K = 60, 3


def frame_of(seed, words):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"c{i}": rng.choice(words, 30) for i in range(3)})


def cliques(n):
    A = np.kron(np.eye(2), np.ones((n, n)) - np.eye(n))
    A[0, n] = A[n, 0] = 1
    return A


#: Estimator, data of the first fit and of the second.
FITS = {
    "k-groups": (KernelKGroups(2, random_state=0), points(0), points(1, 40)),
    "sketch": (KernelKGroups(2, method="nystroem", random_state=0), points(0), points(1, 40)),
    "categories": (
        KernelKGroups(2, metric=Hamming(), random_state=0),
        frame_of(0, ["a", "b"]),
        frame_of(1, ["c", "d", "e"]),
    ),
    "k-means": (KernelKMeans(2, random_state=0), points(0), points(1, 40)),
    "line": (KGroups1D(2), points(0)[:, :1], points(1, 40)[:, :1]),
    "tree": (EnergyAgglomerative(2), points(0), points(1, 40)),
    "Bethe Hessian": (BetheHessianClustering(2, random_state=0), cliques(7), cliques(9)),
    "graph": (GraphKGroups(2, random_state=0), cliques(7), cliques(9)),
}


@pytest.fixture(params=FITS)
def fitted(request):
    """A fitted model, its data and other data."""
    model, X, other = FITS[request.param]
    return clone(model).fit(X), X, other


def is_unchanged(model, before):
    after = vars(model)
    return set(after) == set(before) and all(after[name] is before[name] for name in before)


def test_what_is_not_valid_changes_nothing(fitted):
    model, _, other = fitted
    before, is_network = vars(model).copy(), hasattr(model, "communities_")
    broken = other.astype(object) if isinstance(other, pd.DataFrame) else other.copy()
    if isinstance(broken, pd.DataFrame):
        broken.iloc[3, 1] = None
    else:
        broken[3, 0] = np.nan
    bad = [(broken,)]
    if not is_network:
        bad += [(other, None, -np.ones(len(other))), (other, None, np.ones(3))]
    for arguments in bad:
        with pytest.raises(ValueError, match=r"missing|NaN|sample_weight"):
            model.fit(*arguments)
        assert is_unchanged(model, before)
    model.set_params(n_clusters=1000)
    with pytest.raises(ValueError, match="n_clusters=1000"):
        model.fit(other)
    model.set_params(n_clusters=2)
    assert is_unchanged(model, {**before, "n_clusters": 2})


def test_an_interrupt_before_any_attribute_changes_nothing(fitted):
    """At each of them in turn; the last fit is not interrupted, and is that of a fresh model."""
    model, _, other = fitted
    before, left, places = vars(model).copy(), [0], 0

    class Interrupted(type(model)):
        def __setattr__(self, name, value):
            if left[0] == 0:
                raise KeyboardInterrupt(name)
            left[0] -= 1
            super().__setattr__(name, value)

    kind, model.__class__ = type(model), Interrupted
    while True:
        left[0] = places
        try:
            model.fit(other)
            break
        except KeyboardInterrupt:
            places += 1
            assert is_unchanged(model, before)
    assert places > 4
    left[0] = 1
    model.__class__ = kind
    fresh = clone(model).fit(other)
    assert model.labels_.tolist() == fresh.labels_.tolist()
    assert set(vars(model)) == set(vars(fresh))


@pytest.mark.filterwarnings("ignore::kgroups.exceptions.TheoryWarning")
def test_an_interrupt_of_the_work_changes_nothing():
    """By the user's own function, in the middle of the distances."""
    left = [10_000]

    def far(x, y):
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return abs(float(x[0]) - float(y[0]))

    for estimator in (
        KernelKGroups(2, metric=far, random_state=0),
        KernelKMeans(2, metric=PairFunction(far), random_state=0),
        EnergyAgglomerative(2, metric=far),
    ):
        left[0] = 10_000
        model = clone(estimator).fit(points(0))
        before = vars(model).copy()
        left[0] = 40
        with pytest.raises(KeyboardInterrupt):
            model.fit(points(1, 40))
        assert is_unchanged(model, before)
        with pytest.raises(KeyboardInterrupt):
            fresh = clone(estimator).fit(points(1, 40))
        fresh = clone(estimator)
        with pytest.raises(NotFittedError):
            check_is_fitted(fresh)


def test_a_second_fit_forgets_the_first():
    A = cliques(7)
    model = BetheHessianClustering(2, normalize_rows="auto", random_state=0).fit(A)
    assert len(model.row_scores_) == 2
    model.set_params(normalize_rows=False).fit(A)
    assert not hasattr(model, "row_scores_")
    groups = KernelKGroups(2, metric="sqeuclidean", random_state=0).fit(points())
    assert groups.cluster_centers_.shape == (2, 2)
    groups.set_params(metric="energy").fit(points()[:, :1])
    assert not hasattr(groups, "cluster_centers_")
    assert groups.n_features_in_ == 1


# The edge of arithmetic


def test_points_that_are_equally_far_apart():
    for data, metric in (
        (1e80 * points(), "gaussian"),
        (np.eye(41), "precomputed_kernel"),
        (np.eye(41), "hamming"),
    ):
        model = KernelKGroups(2, metric=metric, init="spectral", random_state=0).fit(data)
        assert np.unique(model.labels_).size == 2


@pytest.mark.parametrize("method", ["matrix_free", "dense", "nystroem"])
def test_what_is_no_finite_number_is_one_error(method):
    for X, metric in (
        (1e200 * points(), "sqeuclidean"),
        (np.array([[1e206], [1.4e206]]), Energy(1.5)),  # 4e205 to the power of 1.5 is 2.5e308
    ):
        for kind in (KernelKGroups, KernelKMeans):
            with pytest.raises(ValueError, match="finite number"):
                kind(1, metric=metric, method=method, random_state=0).fit(X)
    with pytest.raises(ValueError, match="finite number"):
        KGroups1D(2, alpha=2.0).fit([[1e200], [-1e200]])
    assert KGroups1D(1, alpha=2.0).fit([[1e200]]).within_dispersion_ == 0.0
    heavy = KernelKGroups(1, method="nystroem", random_state=0)
    with pytest.raises(ValueError, match="sample_weight is too large"):
        heavy.fit(np.float32([[-9e37], [9e37]]), sample_weight=[2e276, 1e276])


def test_starts_do_not_depend_on_the_unit():
    """float32 whose squares over- or underflow."""
    X = points().astype(np.float32)
    for kind in (KernelKGroups, KernelKMeans):
        found = [
            kind(K, init="euclidean-k-means++", random_state=0).fit(X * np.float32(unit)).labels_
            for unit in (1.0, 2.0**123, 2.0**-120)
        ]
        assert found[0].tolist() == found[1].tolist() == found[2].tolist()


def test_few_points():
    assert GraphKGroups(1).fit(np.array([[2.0]])).labels_.tolist() == [0]
    one = KernelKGroups(1).fit([[3.0, 4.0]])
    assert (one.labels_.tolist(), one.within_dispersion_, one.objective_) == ([0], 0.0, 0.0)
    alone = KernelKGroups(4).fit(points(n=4))
    assert sorted(alone.labels_.tolist()) == [0, 1, 2, 3]
    assert alone.within_dispersion_ == 0.0
    with pytest.raises(ValueError, match=r"distinct|different"):
        KernelKGroups(3).fit([[0.0], [0.0], [1.0], [1.0]])
