"""What a proof must not depend on: the order of rows, units, the origin, copies, threads."""

import numpy as np
import pytest

from helpers import each
from kgroups import KernelKGroups, KernelKMeans
from kgroups.bounds import certify
from kgroups.metrics import same_partition
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Laplacian, Manhattan
from kgroups.solvers import objective as plain

certify_module = __import__("kgroups.bounds.certify", fromlist=["certify"])


def clusters(n=900, k=4, D=5, seed=0, dtype=np.float64):
    """Overlapping clusters."""
    rng = np.random.default_rng(seed)
    centers = 1.2 * rng.normal(size=(k, D))
    return (centers[rng.integers(k, size=n)] + rng.normal(size=(n, D))).astype(dtype)


def proved(X, k=4, **settings):
    """A fit by a proof, which must be whole."""
    settings = {"method": "certified", "random_state": 0, "n_init": 2, **settings}
    weights = settings.pop("sample_weight", None)
    model = KernelKGroups(k, **settings).fit(X, sample_weight=weights)
    assert model.certificate_.proved
    return model


def largest_gain(metric, X, labels, weights, k):
    """The gain of the best move of a single row, and that from which gains count."""
    rho = np.asarray(metric.resolve(X).pairwise(X.astype(np.float64)), np.float64)
    sums = rho @ (np.eye(k)[labels] * weights[:, None])
    s = np.bincount(labels, weights=weights, minlength=k)
    total = np.array([weights[labels == j] @ sums[labels == j, j] for j in range(k)])
    squared = sums / s - 0.5 * total / s**2
    own = squared[np.arange(len(X)), labels]
    w = weights[:, None]
    gains = (w * (s[labels][:, None] / (s[labels][:, None] - w) * own[:, None])) - (
        w * s / (s + w) * squared
    )
    gains[np.arange(len(X)), labels] = -np.inf
    gains[np.bincount(labels, minlength=k)[labels] == 1] = -np.inf
    return gains.max(), 1e-12 * (total / (2 * s)).sum()


METRICS = {
    "energy": Energy(), "energy .5": Energy(0.5), "energy 1.5": Energy(1.5),
    "laplacian": Laplacian("median"), "gaussian": Gaussian("median"),
    "sum": ColumnSum([(Energy(), [0, 1, 2]), (Manhattan(), [3, 4])]),
}  # fmt: skip


@each(("name", "dtype"), list(zip(METRICS, [np.float32, np.float64] * 3, strict=True)))
def test_no_single_row_gains(name, dtype):
    X = clusters(dtype=dtype)
    weights = np.random.default_rng(1).lognormal(size=len(X))
    model = proved(X, metric=METRICS[name], sample_weight=weights)
    gain, least = largest_gain(METRICS[name], X, model.labels_, weights, 4)
    rounding = 1e-6 if dtype == np.float32 else 1e-13
    assert gain <= least + rounding * weights.max() * model.within_dispersion_ / weights.sum()


def test_the_check_itself_finds_a_row_in_the_wrong_cluster():
    X = clusters()
    labels = proved(X).labels_.copy()
    centers = np.array([X[labels == j].mean(axis=0) for j in range(4)])
    far = np.argmin(np.linalg.norm(X - centers[labels], axis=1))
    labels[far] = (labels[far] + 1) % 4
    gain, least = largest_gain(Energy(), X, labels, np.ones(len(X)), 4)
    assert gain > least
    G = -0.5 * Energy().pairwise(X)
    assert not plain.is_one_move_optimal(G[:, :], labels, np.ones(len(X)), 4)


@each("change", ["shift", "unit", "turn"])
def test_units_and_the_origin_do_not_matter(change):
    X = clusters()
    other = {
        "shift": lambda: X + 1e4,
        "unit": lambda: 2.0**40 * X,
        "turn": lambda: X @ np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0],
    }[change]()
    model, changed = proved(X), proved(other)
    assert same_partition(model.labels_, changed.labels_)
    factor = 2.0**40 if change == "unit" else 1.0
    assert changed.within_dispersion_ == pytest.approx(factor * model.within_dispersion_, rel=1e-9)


def test_labels_that_are_proved_stay_proved_in_any_order_of_the_rows(monkeypatch):
    monkeypatch.setattr(certify_module, "_FROM", 0)
    X = clusters()
    labels = proved(X).labels_
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(X))
        found = certify(X[order], labels[order])
        assert found.is_optimal
        W = certify(X, labels).within_dispersion
        assert found.within_dispersion == pytest.approx(W, rel=1e-12)


def test_a_row_twice_is_a_row_of_twice_the_weight(monkeypatch):
    """Copies move one by one, so that a gain of the pair may be larger, but W is the same."""
    monkeypatch.setattr(certify_module, "_FROM", 0)
    X = clusters(n=300)
    labels = proved(X).labels_
    twice = certify(np.repeat(X, 2, axis=0), np.repeat(labels, 2))
    heavy = certify(X, labels, sample_weight=np.full(300, 2.0))
    assert twice.within_dispersion == pytest.approx(heavy.within_dispersion, rel=1e-12)
    assert set(heavy.rows) >= set(twice.rows // 2) or not len(twice.rows)


def test_weights_in_other_units_give_the_same_labels():
    X = clusters()
    weights = np.random.default_rng(2).random(len(X)) + 0.1
    model = proved(X, sample_weight=weights)
    for unit in (2.0**-60, 2.0**60):
        other = proved(X, sample_weight=unit * weights)
        assert (other.labels_ == model.labels_).all()
        expected = unit * model.within_dispersion_
        assert other.within_dispersion_ == pytest.approx(expected, rel=1e-12)


@each("dtype", [np.float32, np.float64])
@each("D", [3, 40])
def test_threads_change_no_bit(dtype, D):
    X = clusters(n=2000, D=D, dtype=dtype)
    one, two = (proved(X, n_jobs=n_jobs) for n_jobs in (1, 2))
    assert (one.labels_ == two.labels_).all()
    assert one.within_dispersion_ == two.within_dispersion_
    assert one.within_dispersion_interval_ == two.within_dispersion_interval_
    assert one.certificate_.steps == two.certificate_.steps


def test_rows_of_weight_zero_change_nothing():
    X = clusters()
    weights = np.ones(len(X))
    weights[::7] = 0.0
    model = proved(X, sample_weight=weights)
    alive = weights > 0
    assert certify(X[alive], model.labels_[alive]).is_optimal
    assert (model.predict(X[~alive]) == model.labels_[~alive]).all()


def test_lloyds_rule_leaves_no_row_nearer_to_another_centroid():
    X = clusters()
    model = KernelKMeans(4, method="certified", n_init=2, random_state=0).fit(X)
    distances = model.transform(X)
    own = distances[np.arange(len(X)), model.labels_]
    assert (own <= distances.min(axis=1) + 1e-9).all()


@each("k", [1, 2, 30])
def test_any_number_of_clusters(k):
    X = clusters(n=400)
    model = proved(X, k)
    assert (np.bincount(model.labels_, minlength=k) > 0).all()
    if k > 1:
        gain, least = largest_gain(Energy(), X, model.labels_, np.ones(400), k)
        assert gain <= least + 1e-10
