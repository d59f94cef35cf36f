"""Sketches of rows that repeat: what they lack, what starts on them reach, and W by their labels.

In memory and of rows in blocks.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from contract_cases import Copies
from kgroups import KernelKGroups, KernelKMeans, blocks
from kgroups.semimetrics import Energy, Semimetric

MANY = 50_500  # more rows than are read into memory from blocks
HOLD = {"memory": lambda X: X, "blocks": blocks.from_array}


def fitted(X, k, w=None, where="memory", kind=KernelKGroups, **given):
    how = {"method": "nystroem", "random_state": 0, "n_init": 1, **given}
    return kind(k, **how).fit(HOLD[where](X), sample_weight=w)


def uneven(rng, U, place):
    """Weights that rise with the distance from the middle, some of them 0."""
    far = np.linalg.norm(U - np.median(U, axis=0), axis=1)
    return rng.integers(0, 4, len(place)) * (0.2 + np.minimum(far[place], 8) ** 2)


def dispersions(U, place, labels, w, k, power=1):
    """W of each cluster, and of all rows as one."""
    exact = Copies(cdist(U, U) ** power, place, labels, k, w)
    return exact.parts, exact.total


def groups(rng, m, k=4, d=3):
    return 4 * rng.normal(size=(k, d))[rng.integers(k, size=m)] + rng.normal(size=(m, d))


def lacking_shares(U, w, m):
    """For each m of few rows as landmarks: the share that others lack off the hull of these."""
    rho, n = cdist(U, U), len(U)
    H = np.eye(n) - 1 / n
    values, vectors = np.linalg.eigh(-H @ rho @ H / 2)
    Y = vectors * np.sqrt(np.maximum(values, 0))
    found = []
    for some in combinations(range(n), m):
        first, basis = Y[some[0]], (Y[list(some[1:])] - Y[some[0]]).T
        shown = (np.linalg.pinv(basis.T @ basis) @ basis.T @ (Y - first).T).T @ basis.T
        lacking = w @ ((Y - first - shown) ** 2).sum(axis=1)
        about = w @ ((shown - np.average(shown, axis=0, weights=w)) ** 2).sum(axis=1)
        found.append(lacking / (lacking + about))
    return np.array(found)


@pytest.mark.parametrize("where", HOLD)
def test_what_a_sketch_lacks(where):
    n, m = (MANY, 4) if where == "blocks" else (3_000, 4)
    for seed in range(2):
        rng = np.random.default_rng(seed)
        U = rng.normal(size=(6, 3))
        place = rng.integers(6, size=n)
        w = uneven(rng, U, place)
        by_row = np.bincount(place, weights=w)
        model = fitted(U[place], 2, w, where, n_components=m, landmarks="uniform")
        shares = lacking_shares(U, by_row, m)
        assert np.abs(shares / model.sketch_error_ - 1).min() < 1e-4
        whole = fitted(U[place], 2, w, where, n_components=30, landmarks="uniform")
        assert whole.sketch_error_ < 1e-5


@pytest.mark.parametrize("where", HOLD)
def test_landmarks_reach_groups_that_are_far_away(where):
    n = MANY if where == "blocks" else 6_000
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    far = rng.permutation(n)[:12]
    X[far] += 1e4 * rng.normal(size=(3, 2))[np.arange(12) % 3]
    how = {"where": where, "n_components": 20}
    errors = [fitted(X, 2, landmarks=name, **how).sketch_error_ for name in ("distant", "uniform")]
    assert errors[0] < 0.2 * errors[1]


@pytest.mark.parametrize("where", HOLD)
def test_w_of_a_sketch(where):
    """From all rows up to 20,000, else from so many, drawn by weight, which has no bias."""
    for seed, k, n in ((0, 3, 4_000), (1, 300, 45_000), (4, 4, 45_000)):
        n_rows = MANY + seed if where == "blocks" else n
        rng = np.random.default_rng(seed)
        U = groups(rng, 1_500, d=3 if k < 300 else 40)  # in which distances differ little
        place = rng.integers(20, 1_500, size=n_rows)
        place[rng.permutation(n_rows)[:30]] = np.arange(30) % 20
        # A small cluster, which is looked at as a whole.
        U[:20] = 3000 + 5 * rng.normal(size=(20, U.shape[1]))
        w = uneven(rng, U, place)
        apart = np.sort(cdist(U, U), axis=1)[:, 10]  # large in the outskirts of groups
        w *= np.minimum(apart[place], 3) ** 3
        w[place < 20] = 40.0 * rng.integers(1, 4, 30)
        model = fitted(U[place], k, w, where, n_components=30, n_init=3)
        labels = model.labels_
        parts, total = dispersions(U, place, labels, w, k)
        loose = 1e-9 if n_rows <= 20_000 else 0.012 if k < 300 else 0.006
        assert model.within_dispersion_ == pytest.approx(parts.sum(), rel=loose)
        sum_of_both = model.within_dispersion_ + model.between_statistic_
        assert sum_of_both == pytest.approx(total, rel=loose)
        count = np.bincount(labels[w > 0], minlength=k)
        assert count.min() > 0
        small, large = np.flatnonzero(count <= 64), np.flatnonzero(count > 400)
        assert len(small) > 0
        np.testing.assert_allclose(model.cluster_dispersions_[small], parts[small], 1e-8, 1e-9)
        np.testing.assert_allclose(model.cluster_dispersions_[large], parts[large], 0.12)
        np.testing.assert_allclose(model.cluster_weights_, np.bincount(labels, w, k), 1e-11)


@pytest.mark.parametrize("where", HOLD)
@pytest.mark.parametrize("metric", ["energy", "sqeuclidean"])
def test_starts_on_a_sample_count_for_all_rows(where, metric):
    """They end where all rows do, up to what the sample differs by."""
    n = MANY if where == "blocks" or metric == "sqeuclidean" else 20_000
    for seed, unit in ((0, 1.0), (1, 1e3)):
        rng = np.random.default_rng(seed)
        U = groups(rng, 1_500)
        place = rng.integers(len(U), size=n)
        w = 1e3 * uneven(rng, U, place)
        method = {"method": "auto"} if metric == "sqeuclidean" else {"n_components": 60}
        model = fitted(unit * U[place], 4, w, where, metric=metric, **method)
        power = 2 if metric == "sqeuclidean" else 1
        parts, total = dispersions(unit * U, place, model.labels_, w, 4, power)
        between = total - parts.sum()
        assert model.between_statistic_ == pytest.approx(between, rel=0.02)
        assert model.start_histories_[0][-1] == pytest.approx(between, rel=0.1), (seed, metric)
        assert parts.sum() < 0.6 * total


def test_the_best_of_many_starts_wins_on_all_rows():
    """Not only on the sample; and no start is worse on it than the one that is reported."""
    rng, events = np.random.default_rng(3), []
    U = groups(rng, 1_500, k=9, d=2)
    place = rng.integers(len(U), size=20_000)
    one = fitted(U[place], 9, n_components=60, init="random")
    many = fitted(U[place], 9, n_components=60, n_init=12, verbose=events.append)
    assert len(many.start_histories_) >= 12
    starts = [event for event in events if event.phase == "start"]
    assert all(event.note.endswith("on a sketch of 2500 rows") for event in starts)
    last = [history[-1] for history in many.start_histories_]
    assert [event.objective for event in starts] == pytest.approx(last, rel=1e-12)
    assert many.within_dispersion_ <= one.within_dispersion_
    exact = KernelKGroups(9, random_state=0, n_init=12).fit(U)
    parts, _ = dispersions(U, np.arange(1_500), exact.labels_, np.ones(1_500), 9)
    found, _ = dispersions(U, place, many.labels_, np.ones(20_000), 9)
    assert found.sum() / 20_000 < 1.06 * parts.sum() / 1_500


@pytest.mark.parametrize("where", HOLD)
@pytest.mark.parametrize("metric", ["energy", "sqeuclidean"])
def test_no_cluster_is_empty(where, metric):
    """Where features cannot tell rows apart, and where few rows have nearly all weight."""
    for n in (MANY, 3_000):
        rng = np.random.default_rng(0)
        U = np.concatenate([np.zeros((3, 2)), 5 + rng.normal(size=(6, 2))])
        place = rng.integers(len(U), size=n)
        w = np.where(place < 3, 1.0, 1e-9) * rng.integers(0, 2, n)
        for k in (4, 6):
            how = {"n_components": 1} if metric == "energy" else {"method": "auto"}
            for kind in (KernelKGroups, KernelKMeans)[: 1 + (where == "memory")]:
                model = fitted(U[place], k, w, where, kind, metric=metric, **how)
                count = np.bincount(model.labels_[w > 0], minlength=k)
                assert count.min() > 0, (n, k, kind)


@pytest.mark.parametrize("where", HOLD)
def test_an_empty_cluster_gets_a_row_that_features_show_least(where):
    """One landmark shows nothing: what is lacking is the weight times the distance from it."""
    n = MANY if where == "blocks" else 3_000
    rng = np.random.default_rng(0)
    X, w = 0.01 * rng.normal(size=(n, 2)), rng.uniform(0.9, 1.1, n)
    far = rng.choice(n, 5, replace=False)
    far[1] = far[0] + 1  # two of one cluster and one block
    X[far, 0], w[far] = [100, 120, 140, 500, 1000], [1, 1, 1, 0.01, 0]
    model = fitted(X, 4, w, where, n_components=1)
    count = np.bincount(model.labels_[w > 0], minlength=4)
    assert sorted(count) == [1, 1, 1, n - 4]
    assert (count[model.labels_[far[:3]]] == 1).all()


@pytest.mark.parametrize("where", HOLD)
def test_squared_distances_far_from_the_origin(where):
    """W from differences to means, in which the place of the rows does not count."""
    rng = np.random.default_rng(0)
    U = groups(rng, 800)
    place = rng.integers(len(U), size=MANY)
    w = uneven(rng, U, place)
    X = U[place] + [1e7, -3e7, 0]
    model = fitted(X, 4, w, where, method="auto", metric=Energy(2))
    parts, total = dispersions(U, place, model.labels_, w, 4, power=2)
    np.testing.assert_allclose(model.cluster_dispersions_, parts, 1e-7)
    assert model.between_statistic_ == pytest.approx(total - parts.sum(), rel=1e-7)
    V = U / np.linalg.norm(U, axis=1, keepdims=True)
    few = {"memory_limit": "18 MB", "n_jobs": 1} if where == "blocks" else {}
    model = fitted(U[place], 4, w, where, method="auto", metric="cosine", **few)
    parts, total = dispersions(V, place, model.labels_, w, 4, power=2)
    np.testing.assert_allclose(model.cluster_dispersions_, parts / 2, 1e-9)
    with pytest.raises(ValueError, match=r"finite|large|overflow"):
        fitted(1e200 * U[place[:3_000]], 4, metric="sqeuclidean")


def test_the_costliest_row_begins_an_empty_cluster():
    """Squares cannot tell two of the three rows of the sample apart. Filling is not a move."""
    rng = np.random.default_rng(0)
    U = np.array([[0, 3, 0], [3, 0, 0], [3, 1e-200, 0], [3, 4, 0]])
    place, w = rng.integers(2, size=MANY), np.ones(MANY)
    place[:60], place[777], w[777] = 2, 3, 1e-6  # which no sample holds
    model = fitted(U[place], 3, w, kind=KernelKMeans, metric="sqeuclidean", method="auto")
    count = np.bincount(model.labels_, minlength=3)
    first = np.count_nonzero(place == 0)
    assert sorted(count) == sorted([first, MANY - 1 - first, 1])
    assert count[model.labels_[777]] == 1
    assert model.n_moves_ == 0
    assert model.start_histories_[0][-1] == pytest.approx(model.between_statistic_, rel=0.03)


class Cut(Semimetric):
    """|x − y|, but infinite beyond 1.5."""

    def pairwise(self, X, Y=None):
        rho = np.abs(X - (X if Y is None else Y).T)
        return np.where(rho > 1.5, np.inf, rho)


def test_one_row_at_an_infinite_distance():
    """It is near some landmarks and is not one of them; the error comes before any warning."""
    X = np.random.default_rng(0).uniform(size=(2_500, 1))
    X[17] = 2.0
    with pytest.raises(ValueError, match="not a finite number"):
        fitted(X, 2, metric=Cut(), n_components=10)
