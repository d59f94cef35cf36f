"""Exact k-groups on the line, against every partition there is, and where digits run out."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

from helpers import best_objective, each
from kgroups import KGroups1D
from kgroups.metrics import clustering_accuracy
from kgroups.solvers import one_dimensional as line


def problem(rng, n, *, weighted=True, ties=True):
    """Numbers with gaps of several sizes, some equal, and weights of several sizes."""
    x = rng.normal(size=n) ** 3 + 10.0 * rng.integers(0, 3, n)
    if ties and rng.random() < 0.5:
        x = np.round(x)
    w = rng.exponential(size=n) ** 3 + 1e-3 if weighted else np.ones(n)
    return x, w


def least_dispersion(x, w, k, alpha):
    """W of the best of all partitions into k clusters, points with equal values apart or not."""
    return -best_objective(-0.5 * np.abs(x[:, None] - x) ** alpha, w, k)


def dispersion(x, w, alpha):
    """W of one cluster."""
    return w @ np.abs(x[:, None] - x) ** alpha @ w / (2 * w.sum())


def of_labels(x, w, labels, alpha):
    return sum(dispersion(x[labels == j], w[labels == j], alpha) for j in np.unique(labels))


# --- optimality ------------------------------------------------------------------------------


@each("weighted", [False, True])
@each("alpha", [1.0, 1.1, 1.5, 2.0])
def test_no_partition_is_better(alpha, weighted):
    """Every partition, contiguous or not, of 500 small problems; W is reached by the labels."""
    rng = np.random.default_rng(int(10 * alpha) + weighted)
    for _ in range(500):
        n = int(rng.integers(2, 9))
        x, w = problem(rng, n, weighted=weighted)
        k = int(rng.integers(1, len(np.unique(x)) + 1))
        model = KGroups1D(k, alpha=alpha).fit(x, sample_weight=w)
        least = least_dispersion(x, w, k, alpha)
        assert model.within_dispersion_ == pytest.approx(least, rel=1e-9, abs=1e-12)
        own = of_labels(x, w, model.labels_, alpha)
        assert own == pytest.approx(least, rel=1e-9, abs=1e-12)


def test_no_partition_is_better_where_the_middle_is_heavy_or_light():
    """The dangerous case, a cluster amid another: weights over six orders, α near 1."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        x = np.sort(rng.normal(size=7))
        w = 10.0 ** rng.uniform(-3, 3, 7)
        for k in (2, 3):
            model = KGroups1D(k).fit(x, sample_weight=w)
            least = least_dispersion(x, w, k, 1.0)
            assert model.within_dispersion_ <= least * (1 + 1e-9)


@pytest.mark.nojit
def test_below_one_the_best_partition_need_not_be_contiguous():
    """{−1, 1} and a heavy 0: W = √2/2, where every cut leaves 9/10. At α = 1: 1 against 9/10."""
    x, w = np.array([-1.0, 0.0, 1.0]), np.array([1.0, 9.0, 1.0])
    model = KGroups1D(2, alpha=0.5).fit(x, sample_weight=w)
    assert model.within_dispersion_ == pytest.approx(0.9)
    assert least_dispersion(x, w, 2, 0.5) == pytest.approx(np.sqrt(2) / 2)
    assert model.exactness_ == "optimal over contiguous partitions"
    model = KGroups1D(2).fit(x, sample_weight=w)
    assert model.within_dispersion_ == pytest.approx(0.9)
    assert least_dispersion(x, w, 2, 1.0) == pytest.approx(0.9)
    assert model.exactness_ == "optimal"


# --- bounds on where cuts are ------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1, 2])
def test_windows_of_very_few_cells(alpha, monkeypatch):
    """Outliers and weights of many orders: a cut may be inside a cell beside the best edges."""
    rng = np.random.default_rng(18)
    monkeypatch.setattr(line, "_MANY", 0)
    for _ in range(700):
        n = int(rng.integers(12, 40))
        x, w = rng.standard_cauchy(n), 10.0 ** rng.uniform(-4, 4, n)
        k = int(rng.integers(3, 7))
        values, sums = line.distinct(x, w)
        everywhere = line.Windows.everywhere(n, k)
        bounds = line._by_layers(values, sums, everywhere, alpha == 2)
        best = line.Intervals(values, sums, bounds, alpha).dispersions.sum()
        monkeypatch.setattr(line, "_CELLS", int(rng.integers(2, 21)))
        found = line.best_intervals(values, sums, k, alpha)
        assert found.dispersions.sum() == pytest.approx(best, rel=1e-9)


@each("alpha", [1.0, 1.2, 2.0])
def test_predict_on_the_training_data(alpha):
    rng = np.random.default_rng(12)
    for n, k in [(30, 30), (200, 2), (200, 9), (3000, 40)]:
        x, w = problem(rng, n, ties=k < n)
        model = KGroups1D(k, alpha=alpha).fit(x, sample_weight=w)
        assert model.predict(x).tolist() == model.labels_.tolist()


def test_lognormal_mixture_of_the_paper():
    """[FRV] Fig. 2b: .848 ± .003 for the exact split at n = 2,000, published .851."""
    rng = np.random.default_rng(13)
    truth = np.repeat([0, 1], 1000)
    scores = []
    for _ in range(40):
        x = np.exp(np.r_[rng.normal(0, 0.3, 1000), rng.normal(-1.5, 1.5, 1000)])
        scores.append(clustering_accuracy(truth, KGroups1D(2).fit_predict(x)))
    assert np.mean(scores) == pytest.approx(0.849, abs=0.006)


# --- relations ---------------------------------------------------------------------------------


@each("alpha", [1.0, 1.5, 2.0])
@each(("unit", "weight_unit"), [(1e-200, 1e200), (1e-290, 1.0), (1e-5, 1e-290)])
def test_units_whose_products_are_out_of_range(alpha, unit, weight_unit):
    rng = np.random.default_rng(19)
    x, w = problem(rng, 40)
    one = KGroups1D(3, alpha=alpha).fit(x, sample_weight=w)
    other = KGroups1D(3, alpha=alpha).fit(x * unit, sample_weight=w * weight_unit)
    assert other.labels_.tolist() == one.labels_.tolist()
    assert other.predict(x * unit).tolist() == one.predict(x).tolist()
    np.testing.assert_allclose(other.boundaries_ / unit, one.boundaries_, rtol=1e-12)
    np.testing.assert_allclose(other.cluster_weights_ / weight_unit, one.cluster_weights_)


def test_large_values_and_weights_whose_products_overflow():
    """W = 1e250 · ½ · 1e40, though the sum over pairs is w² · x = 1e540."""
    model = KGroups1D(2).fit([0.0, 1e40, 5e40], sample_weight=[1e250] * 3)
    assert model.labels_.tolist() == [0, 0, 1]
    assert model.within_dispersion_ == pytest.approx(5e289, rel=1e-12)
    model = KGroups1D(2, alpha=2).fit([0.0, 1e152, 5e152])
    assert model.labels_.tolist() == [0, 0, 1]
    assert model.within_dispersion_ == pytest.approx(5e303, rel=1e-12)


def exact_dispersion(x, w, squares):
    """W of one cluster in rational numbers."""
    X, V = [Fraction(float(v)) for v in x], [Fraction(float(v)) for v in w]
    pairs = sum(
        V[i] * V[j] * (abs(X[i] - X[j]) ** (2 if squares else 1))
        for i in range(len(X))
        for j in range(i)
    )
    return float(pairs / sum(V))


@each("alpha", [1, 2])
def test_no_digits_are_lost(alpha):
    """Narrow clusters far apart and far from 0, beside one another's squares they vanish."""
    rng = np.random.default_rng(16)
    centers = np.array([1e9, 1e9 + 1, -3e12, 4.0])
    truth = np.repeat(np.arange(4), 30)
    x = centers[truth] + rng.random(120) / 1e4
    w = rng.exponential(size=120)
    model = KGroups1D(4, alpha=alpha).fit(x, sample_weight=w)
    assert clustering_accuracy(truth, model.labels_) == 1.0
    exact = [exact_dispersion(x[truth == j], w[truth == j], alpha == 2) for j in (2, 3, 0, 1)]
    np.testing.assert_allclose(model.cluster_dispersions_, exact, rtol=1e-13)


def test_points_of_weight_zero():
    """They have no say, and join the cluster between whose boundaries they are."""
    x = [0.0, 1.0, 10.0, 12.0, 5.0, 6.0, -9.0, 99.0, 5.5]
    model = KGroups1D(2).fit(x, sample_weight=[1, 1, 1, 1, 0, 0, 0, 0, 0])
    assert model.labels_.tolist() == [0, 0, 1, 1, 0, 1, 0, 1, 0]
    assert model.within_dispersion_ == 1.5


def test_neighboring_floats_and_both_zeros():
    x = np.array([1.0, np.nextafter(1.0, 2.0), -0.0, 0.0])
    model = KGroups1D(3).fit(x)
    assert model.labels_.tolist() == [1, 2, 0, 0]
    assert model.within_dispersion_ == 0.0
    # Their midpoint rounds to the even one, here the upper.
    odd = np.nextafter(1.0, 2.0)
    model = KGroups1D(2).fit([odd, np.nextafter(odd, 2.0)])
    assert model.labels_.tolist() == [0, 1]
    assert model.boundaries_.tolist() == [odd]


def test_the_least_floats_there_are():
    x = [5e-324, 0.0, 1e-323, 1.5e-323]
    for alpha in (0.5, 1.0, 1.5, 2.0):
        model = KGroups1D(4, alpha=alpha).fit(x)
        assert model.labels_.tolist() == model.predict(x).tolist() == [1, 0, 2, 3]
        assert model.boundaries_.tolist() == [0.0, 5e-324, 1e-323]


# --- input -------------------------------------------------------------------------------------


class FirstColumn(KGroups1D):
    """Takes tables of several columns, as scikit-learn's checks have them."""

    def _column(self, table):
        return table[:, 0]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = False
        return tags


def test_every_check_of_scikit_learn():
    """But for arrays of one dimension, which are welcome here."""
    welcome = ("check_fit1d", "check_fit2d_predict1d")
    check_estimator(
        FirstColumn(2),
        expected_failed_checks=dict.fromkeys(welcome, "arrays of one dimension are welcome here"),
        on_skip=None,
    )


@each("alpha", [1.0, 0.5])
def test_says_no_before_memory_runs_out(alpha, monkeypatch):
    monkeypatch.setattr("kgroups.runtime.memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match=r"best 3 intervals of 100 values needs .*Round X"):
        KGroups1D(3, alpha=alpha).fit(np.arange(100.0))
