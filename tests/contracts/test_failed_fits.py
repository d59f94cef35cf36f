"""A fit that fails or is interrupted changes nothing: a model answers as before, or not at all."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from kgroups import (
    BetheHessianClustering,
    EnergyAgglomerative,
    GraphKGroups,
    KernelKGroups,
    KernelKMeans,
    KGroups1D,
)
from kgroups.estimators import energy_agglomerative, kgroups_1d
from kgroups.graphs import bethe_hessian_clustering
from kgroups.semimetrics import Hamming
from kgroups.solvers import Hartigan, Lloyd


def frame(seed, words):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({f"c{i}": rng.choice(words, 30) for i in range(3)})


def table(seed, columns):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(40, columns)) + 5 * rng.integers(2, size=(40, 1))


def graph(seed, n):
    rng = np.random.default_rng(seed)
    half = np.arange(n) < n // 2
    chance = np.where(np.equal.outer(half, half), 0.7, 0.05)
    A = np.triu(rng.random((n, n)) < chance, 1)
    return (A + A.T).astype(float)


def predicted(model, X):
    return model.predict(X)


def cut(model, X):
    return np.append(model.labels_at(3), model.linkage_matrix().ravel())


def communities(model, X):
    return np.array([*model.labels_, *np.concatenate(model.communities_), model.n_features_in_])


#: Estimator, data of the first fit and of the second, what it answers, where its work is done.
CASES = {
    "k-groups": (
        KernelKGroups(2, random_state=0), table(0, 3), table(1, 2), predicted,
        (Hartigan, "solve_all"),
    ),
    "k-groups, sketched": (
        KernelKGroups(2, method="nystroem", random_state=0), table(0, 3), table(1, 2), predicted,
        (Hartigan, "solve"),
    ),
    "categories": (
        KernelKGroups(2, metric=Hamming(), random_state=0), frame(0, ["a", "b"]),
        frame(1, ["c", "d", "e"]), predicted, (Hartigan, "solve_all"),
    ),
    "k-means": (
        KernelKMeans(2, random_state=0), table(0, 3), table(1, 2), predicted, (Lloyd, "solve")
    ),
    "line": (
        KGroups1D(2), table(0, 1), table(1, 1)[:30], predicted, (kgroups_1d, "best_intervals")
    ),
    "tree": (
        EnergyAgglomerative(2), table(0, 3), table(1, 2), cut, (energy_agglomerative, "energy_tree")
    ),
    "Bethe Hessian": (
        BetheHessianClustering(2, random_state=0), graph(0, 40), graph(1, 30), communities,
        (bethe_hessian_clustering, "smallest_eigenpairs"),
    ),
    "graph": (
        GraphKGroups(2, random_state=0), graph(0, 40), graph(1, 30), communities,
        (Hartigan, "solve"),
    ),
}  # fmt: skip


@pytest.fixture(params=CASES)
def case(request):
    """A fitted model, its data, other data, its answer, and the place of its work."""
    model, X, other, answer, work = CASES[request.param]
    model = clone(model).fit(X)
    return model, X, other, answer, work


def assert_nothing_changed(model, X, answer, before, expected):
    assert set(vars(model)) == set(before)
    assert all(vars(model)[name] is value for name, value in before.items())
    np.testing.assert_array_equal(answer(model, X), expected)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupt_during_the_work(case, error, monkeypatch):
    model, X, other, answer, work = case
    before, expected = vars(model).copy(), answer(model, X)

    def stop(*args, **kwargs):
        raise error

    monkeypatch.setattr(*work, stop)
    with pytest.raises(error):
        model.fit(other)
    assert_nothing_changed(model, X, answer, before, expected)
    fresh = clone(model)
    with pytest.raises(error):
        fresh.fit(other)
    with pytest.raises(NotFittedError):
        check_is_fitted(fresh)


def test_input_that_is_not_valid(case):
    model, X, other, answer, _ = case
    before, expected = vars(model).copy(), answer(model, X)
    broken = other.astype(object) if isinstance(other, pd.DataFrame) else other.copy()
    if isinstance(broken, pd.DataFrame):
        broken.iloc[3, 1] = None
    else:
        broken[3, 0] = np.nan
    bad = [(broken,)]
    if answer is not communities:
        bad += [(other, None, -np.ones(len(other))), (other, None, np.ones(3))]
    for arguments in bad:
        with pytest.raises(ValueError, match=r"missing|NaN|sample_weight"):
            model.fit(*arguments)
        assert_nothing_changed(model, X, answer, before, expected)
    model.set_params(n_clusters=1000)
    with pytest.raises(ValueError, match="n_clusters=1000"):
        model.fit(other)
    model.set_params(n_clusters=2)
    assert_nothing_changed(model, X, answer, {**before, "n_clusters": 2}, expected)


def test_an_interrupt_before_any_attribute_is_set(case):
    """At each of them in turn; the last fit is not interrupted, and is that of a fresh model."""
    model, X, other, answer, _ = case
    before, expected = vars(model).copy(), answer(model, X)
    left = [0]

    class Interrupted(type(model)):
        def __setattr__(self, name, value):
            if left[0] == 0:
                raise KeyboardInterrupt(name)
            left[0] -= 1
            super().__setattr__(name, value)

    kind, model.__class__, places = type(model), Interrupted, 0
    while True:
        left[0] = places
        try:
            model.fit(other)
            break
        except KeyboardInterrupt:
            places += 1
            assert_nothing_changed(model, X, answer, before, expected)
    assert places > 4
    left[0] = 1
    model.__class__ = kind
    fresh = clone(model).fit(other)
    np.testing.assert_array_equal(answer(model, other), answer(fresh, other))
    assert set(vars(model)) == set(vars(fresh))


def test_a_second_fit_forgets_the_scores_of_the_first():
    A = graph(0, 40)
    model = BetheHessianClustering(2, normalize_rows="auto", random_state=0).fit(A)
    assert len(model.row_scores_) == 2
    model.set_params(normalize_rows=False).fit(A)
    assert not hasattr(model, "row_scores_")
