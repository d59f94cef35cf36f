"""Exact k-groups on the line, against every partition there is, and the theorem behind it."""

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.utils.estimator_checks import check_estimator

from helpers import best_objective, each
from kgroups import KernelKGroups, KGroups1D
from kgroups.metrics import clustering_accuracy
from kgroups.semimetrics import Energy
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


def best_contiguous(x, w, k, alpha):
    """The specification: all costs from the definition, all layers, O(n⁴) in all."""
    values = np.unique(x)
    sums = np.array([w[x == value].sum() for value in values])
    n = len(values)
    cost = np.full((n + 1, n + 1), np.inf)
    for a in range(n):
        for b in range(a + 1, n + 1):
            cost[a, b] = dispersion(values[a:b], sums[a:b], alpha)
    best = cost[0]
    for _ in range(k - 1):
        best = (best[:, None] + cost).min(axis=0)
    return best[n]


# --- optimality ------------------------------------------------------------------------------


@pytest.mark.nojit
def test_four_points_by_hand():
    """W({0, 1}, {10, 12}) = 1/2 + 2/2; all together (1 + 10 + 12 + 9 + 11 + 2) / 4 = 11.25."""
    model = KGroups1D(2).fit([10.0, 0.0, 12.0, 1.0])
    assert model.labels_.tolist() == [1, 0, 1, 0]
    assert model.within_dispersion_ == 1.5
    assert model.between_statistic_ == model.objective_ == 11.25 - 1.5
    assert model.cluster_dispersions_.tolist() == [0.5, 1.0]
    assert model.cluster_weights_.tolist() == [2.0, 2.0]
    assert model.boundaries_.tolist() == [5.5]


@pytest.mark.nojit
def test_three_clusters_by_hand():
    """α = 2: SS of {0, 1} is 1/2, of {5} 0, of {10, 12, 14} 8."""
    model = KGroups1D(3, alpha=2).fit([0.0, 1.0, 5.0, 10.0, 12.0, 14.0])
    assert model.labels_.tolist() == [0, 0, 1, 2, 2, 2]
    assert model.within_dispersion_ == pytest.approx(8.5, rel=1e-14)


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


@each("alpha", [0.1, 0.5, 0.9])
def test_below_one_no_contiguous_partition_is_better(alpha):
    rng = np.random.default_rng(3)
    for _ in range(100):
        n = int(rng.integers(3, 10))
        x, w = problem(rng, n, ties=False)
        k = int(rng.integers(1, n + 1))
        order = np.argsort(x)
        least = min(
            sum(dispersion(x[order[a:b]], w[order[a:b]], alpha) for a, b in pairwise([0, *cuts, n]))
            for cuts in combinations(range(1, n), k - 1)
        )
        model = KGroups1D(k, alpha=alpha).fit(x, sample_weight=w)
        assert model.within_dispersion_ == pytest.approx(least, rel=1e-9, abs=1e-12)


@each("alpha", [0.5, 1.0, 1.5, 2.0])
def test_equals_dynamic_programming_from_the_definition(alpha):
    rng = np.random.default_rng(4)
    for n, k in [(90, 1), (90, 2), (90, 3), (60, 17), (40, 40), (60, 59)]:
        x, w = problem(rng, n, ties=False)
        model = KGroups1D(k, alpha=alpha).fit(x, sample_weight=w)
        best = best_contiguous(x, w, k, alpha)
        assert model.within_dispersion_ == pytest.approx(best, rel=1e-11, abs=1e-12)
        assert of_labels(x, w, model.labels_, alpha) == pytest.approx(best, rel=1e-11, abs=1e-12)
        assert len(np.unique(model.labels_)) == k


@each("alpha", [1.0, 1.3, 1.7, 2.0])
def test_quadrangle_inequality(alpha):
    """cost[a, c] + cost[b, d] ≤ cost[a, d] + cost[b, c], which divide and conquer stands on."""
    rng = np.random.default_rng(6)
    for _ in range(300):
        x, w = problem(rng, 12, ties=False)
        x.sort()
        a, b, c, d = np.sort(rng.choice(13, 4, replace=False))
        ac, bd, ad, bc = (
            dispersion(x[i:j], w[i:j], alpha) for i, j in [(a, c), (b, d), (a, d), (b, c)]
        )
        assert ac + bd <= (ad + bc) * (1 + 1e-12)


# --- bounds on where cuts are ------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [1, 2])
def test_windows_hold_an_optimum(alpha, monkeypatch):
    """Few cells, so that bounds are used on few values: W as without them."""
    rng = np.random.default_rng(7)
    narrow = 0
    for n_cells in (2, 16, 64, 256):
        for k in (2, 3, 6, 20):
            x, w = problem(rng, 1500, ties=False)
            if k == 6:
                x[:3] *= 1e6
            values, sums = line.distinct(x, w)
            monkeypatch.setattr(line, "_MANY", 1 << 30)
            best = line.best_intervals(values, sums, k, alpha)
            monkeypatch.setattr(line, "_CELLS", n_cells)
            monkeypatch.setattr(line, "_MANY", 0)
            found = line.best_intervals(values, sums, k, alpha)
            assert found.dispersions.sum() == pytest.approx(best.dispersions.sum(), rel=1e-12)
            if k > 2:
                windows = line._narrowed(values, sums, k, alpha == 2)
                assert np.all(windows.low <= best.bounds[1:-1])
                assert np.all(windows.high >= best.bounds[1:-1])
                narrow += np.all(windows.high - windows.low < 1500 // 4)
    assert narrow >= 2


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


@pytest.mark.nojit
def test_cells_cover_all_values():
    rng = np.random.default_rng(8)
    x = np.sort(rng.standard_cauchy(3000))
    w = rng.exponential(size=3000)
    x[-1] = 1e9
    for n_cells in (1, 7, 100):
        edges = line.compiled.cell_starts(x, w, n_cells)
        assert edges[0] == 0
        assert edges[-1] == 3000
        assert np.all(np.diff(edges) > 0)
        assert len(edges) >= n_cells / 2 or n_cells < 100
        assert len(edges) <= n_cells + 2


# --- agreement with others ---------------------------------------------------------------------


def test_alpha_two_is_k_means():
    rng = np.random.default_rng(9)
    x, w = problem(rng, 150, ties=False)
    for k in (2, 3, 5):
        model = KGroups1D(k, alpha=2).fit(x, sample_weight=w)
        means = KMeans(k, n_init=15, random_state=0).fit(x[:, None], sample_weight=w)
        assert model.within_dispersion_ == pytest.approx(means.inertia_, rel=1e-9)
        assert np.all(np.diff(x[np.argsort(x)][np.diff(np.sort(model.labels_), prepend=0) > 0]) > 0)


@each("alpha", [1.0, 1.5])
def test_kernel_k_groups_is_no_better_and_agrees(alpha):
    rng = np.random.default_rng(10)
    for k in (2, 4):
        x, w = problem(rng, 120, ties=False)
        exact = KGroups1D(k, alpha=alpha).fit(x, sample_weight=w)
        found = KernelKGroups(k, metric=Energy(alpha), n_init=15, random_state=0)
        found.fit(x[:, None], sample_weight=w)
        assert exact.within_dispersion_ == pytest.approx(found.within_dispersion_, rel=1e-9)
        assert exact.within_dispersion_ <= found.within_dispersion_ * (1 + 1e-12)
        assert exact.between_statistic_ == pytest.approx(found.between_statistic_, rel=1e-9)
        assert exact.objective_ == pytest.approx(found.objective_, rel=1e-9)


@each("alpha", [1.0, 1.5, 2.0])
def test_predict_is_the_nearest_centroid_in_feature_space(alpha):
    rng = np.random.default_rng(11)
    x, w = problem(rng, 80, ties=False)
    exact = KGroups1D(3, alpha=alpha).fit(x, sample_weight=w)
    general = KernelKGroups(3, metric=Energy(alpha), init=exact.labels_)
    general.fit(x[:, None], sample_weight=w)
    first = [int(exact.labels_[np.argmax(general.labels_ == j)]) for j in range(3)]
    new = np.linspace(x.min() - 5, x.max() + 5, 2001)
    assert exact.predict(new).tolist() == [first[j] for j in general.predict(new[:, None])]


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
