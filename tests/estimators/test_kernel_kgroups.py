"""Attributes, starts, prediction and the relations between the kinds of input."""

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from kgroups import KernelKGroups, KernelKMeans
from kgroups.exceptions import TheoryWarning
from kgroups.fit.plan import Plan, default_n_init
from kgroups.metrics import same_partition
from kgroups.semimetrics import (
    ColumnSum,
    Energy,
    Gaussian,
    Hamming,
    Laplacian,
    Manhattan,
    SineSquared,
    kernel_from_semimetric,
)

IRIS = load_iris().data
WINE = StandardScaler().fit_transform(load_wine().data)
METRICS = [Energy(), Energy(0.5), Laplacian("median"), Gaussian("median"), Manhattan()]


def dispersion(rho, labels, w):
    """W from its definition, cluster by cluster."""
    total = 0.0
    for j in np.unique(labels):
        inside = labels == j
        block = rho[np.ix_(inside, inside)] * w[inside, None] * w[inside]
        total += block.sum() / (2 * w[inside].sum())
    return total


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_numbers_follow_from_labels(metric, weighted):
    w = np.random.default_rng(0).uniform(0.1, 3, 150) if weighted else None
    m = KernelKGroups(4, metric=metric, random_state=0).fit(IRIS, sample_weight=w)
    w = np.ones(150) if w is None else w
    rho = m.metric_.pairwise(IRIS)
    W = dispersion(rho, m.labels_, w)
    total = w @ rho @ w / (2 * w.sum())
    assert m.within_dispersion_ == pytest.approx(W, rel=1e-10)
    assert m.between_statistic_ == pytest.approx(total - W, rel=1e-10)
    assert m.objective_ == pytest.approx(m.between_statistic_, rel=1e-10)
    assert m.objective_history_[-1] == m.objective_
    assert len(m.objective_history_) == m.n_iter_ + 1
    assert m.cluster_weights_.tolist() == pytest.approx(
        np.bincount(m.labels_, weights=w).tolist(), rel=1e-12
    )
    assert np.all(np.diff(m.cluster_weights_) <= 0), "cluster 0 is the heaviest"
    assert m.score(IRIS, sample_weight=w) == pytest.approx(-W, rel=1e-9)


@pytest.mark.parametrize("k", [1, 2, 5, 20, 149])
@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_predict_on_the_training_data_is_labels(metric, k):
    distinct = np.unique(IRIS, axis=0)
    k = min(k, len(distinct))
    m = KernelKGroups(k, metric=metric, random_state=0, n_init=2).fit(distinct)
    assert m.predict(distinct).tolist() == m.labels_.tolist()
    assert m.transform(distinct).argmin(axis=1).tolist() == m.labels_.tolist()


def test_predict_with_duplicates_and_zero_weights():
    w = np.ones(150)
    w[::7] = 0
    m = KernelKGroups(5, random_state=0).fit(IRIS, sample_weight=w)
    assert m.predict(IRIS).tolist() == m.labels_.tolist()
    without = KernelKGroups(5, random_state=0).fit(IRIS[w > 0])
    assert m.within_dispersion_ == pytest.approx(without.within_dispersion_, rel=1e-10)
    assert same_partition(m.labels_[w > 0], without.labels_)


def test_transform_by_hand():
    """Clusters {0, 2} and {10}: ‖φ(3) − μ‖² = (3 + 1)/2 − 2·2/(2·4) = 1.5 and 7."""
    m = KernelKGroups(2, init=[0, 0, 1]).fit([[0.0], [2.0], [10.0]])
    np.testing.assert_allclose(m.transform([[3.0]]), [[np.sqrt(1.5), np.sqrt(7.0)]], rtol=1e-14)
    assert m.predict([[3.0], [9.0]]).tolist() == [0, 1]


def test_matrices_give_what_points_give():
    rho = Energy(0.7).pairwise(IRIS)
    points = KernelKGroups(4, metric=Energy(0.7), random_state=1).fit(IRIS)
    matrix = KernelKGroups(4, metric="precomputed", random_state=1).fit(rho)
    kernel = KernelKGroups(4, metric="precomputed_kernel", random_state=1)
    kernel.fit(kernel_from_semimetric(rho))
    assert matrix.labels_.tolist() == points.labels_.tolist()
    assert matrix.objective_ == pytest.approx(points.objective_, rel=1e-14)
    assert same_partition(kernel.labels_, points.labels_)
    assert kernel.objective_ == pytest.approx(points.objective_, rel=1e-9)
    assert kernel.within_dispersion_ == pytest.approx(points.within_dispersion_, rel=1e-9)
    new = rho[::5]
    assert matrix.predict(new).tolist() == points.predict(IRIS[::5]).tolist()
    np.testing.assert_allclose(matrix.transform(new), points.transform(IRIS[::5]))
    assert same_partition(
        kernel.predict(kernel_from_semimetric(rho)[::5]), points.predict(IRIS[::5])
    )


def test_weighted_kernel_gives_what_weighted_points_give():
    w = np.random.default_rng(0).uniform(0.1, 3, 150)
    points = KernelKGroups(3, random_state=0).fit(IRIS, sample_weight=w)
    kernel = KernelKGroups(3, metric="precomputed_kernel", random_state=0)
    kernel.fit(kernel_from_semimetric(Energy().pairwise(IRIS), origin=3), sample_weight=w)
    assert kernel.within_dispersion_ == pytest.approx(points.within_dispersion_, rel=1e-9)
    assert kernel.between_statistic_ == pytest.approx(points.between_statistic_, rel=1e-9)


def test_transform_without_negative_type_has_no_nan():
    with pytest.warns(TheoryWarning):
        m = KernelKGroups(3, metric=SineSquared(), random_state=0).fit(WINE)
    squared = m._squared_distances(WINE)
    assert squared.min() < 0, "this case should need the cut at zero"
    assert np.isfinite(m.transform(WINE)).all()


def test_kernel_objective_depends_on_the_origin_as_stated():
    """For a given kernel objective_ is Q of that matrix: x0 at a point gives another number."""
    rho = Energy().pairwise(IRIS)
    at_zero = KernelKGroups(3, metric="precomputed_kernel", random_state=0)
    at_zero.fit(kernel_from_semimetric(rho, origin=0))
    centered = KernelKGroups(3, metric="precomputed_kernel", random_state=0)
    centered.fit(kernel_from_semimetric(rho))
    assert at_zero.objective_ - centered.objective_ > 1
    assert at_zero.within_dispersion_ == pytest.approx(centered.within_dispersion_, rel=1e-9)


def test_new_kernel_rows_have_no_diagonal():
    m = KernelKGroups(2, metric="precomputed_kernel", random_state=0).fit(WINE @ WINE.T)
    for call in (m.transform, m.score):
        with pytest.raises(ValueError, match="needs K\\(x, x\\)"):
            call(WINE @ WINE.T)


def test_indefinite_kernel():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 40))
    m = KernelKGroups(5, metric="precomputed_kernel", random_state=0).fit(A + A.T)
    assert m.converged_
    assert len(np.unique(m.labels_)) == 5


INITS = ["auto", "k-means++", "euclidean-k-means++", "random", "spectral"]


@pytest.mark.parametrize("init", INITS)
def test_every_start_leads_to_a_converged_partition(init):
    m = KernelKGroups(3, init=init, random_state=0).fit(WINE)
    again = KernelKGroups(3, init=init, random_state=0).fit(WINE)
    assert m.converged_
    assert len(np.unique(m.labels_)) == 3
    assert m.labels_.tolist() == again.labels_.tolist()
    assert len(m.start_histories_) == len(m.start_names_) == (1 if init == "spectral" else 20)
    assert m.objective_ == pytest.approx(max(h[-1] for h in m.start_histories_), rel=1e-12)


@pytest.mark.parametrize("init", ["k-means++", "random", "spectral"])
def test_starts_that_need_no_table(init):
    m = KernelKGroups(3, metric="precomputed", init=init, random_state=0)
    assert m.fit(Energy().pairwise(WINE)).converged_


def test_euclidean_start_needs_a_table():
    m = KernelKGroups(3, metric="precomputed", init="euclidean-k-means++")
    with pytest.raises(ValueError, match=r'init="k-means\+\+" does the same'):
        m.fit(Energy().pairwise(WINE))


def test_auto_takes_both_kinds_in_turn():
    m = KernelKGroups(3, random_state=0, n_init=5).fit(WINE)
    assert m.start_names_ == ["k-means++", "random", "k-means++", "random", "k-means++"]


@pytest.mark.parametrize(
    ("n", "k", "expected"),
    [(50, 2, 16), (366, 6, 32), (1000, 8, 40), (1000, 30, 40), (5000, 10, 8), (10**6, 10, 4)],
)
def test_size_of_the_portfolio(n, k, expected):
    assert default_n_init(Plan(method="dense", reason=""), n, k) == expected


@pytest.mark.parametrize(("k", "expected"), [(1, 1), (2, 8), (5, 8), (8, 5), (13, 3), (40, 2)])
def test_fewer_starts_on_a_sketch(k, expected):
    """40 / k, between 2 and 8, whatever n is."""
    plan = Plan(method="matrix_free", reason="", starts_on_sketch=True)
    assert default_n_init(plan, 10**6, k) == expected


def test_labels_draw_nothing_from_a_generator_of_the_user():
    shared = np.random.RandomState(5)
    KernelKGroups(3, init=np.repeat([2, 0, 1], 50), random_state=shared).fit(IRIS)
    assert shared.randint(10**6) == np.random.RandomState(5).randint(10**6)


def test_warnings_point_at_the_line_of_the_user():
    with pytest.warns(RuntimeWarning, match="one start is made") as caught:
        KernelKGroups(3, init=np.repeat([2, 0, 1], 50), n_init=5).fit(IRIS)
    assert caught[0].filename == __file__
    with pytest.warns(TheoryWarning) as caught:
        KernelKGroups(2, metric=SineSquared(), random_state=0).fit(IRIS)
    assert caught[0].filename == __file__


def test_given_labels_keep_their_numbers():
    start = np.repeat([2, 0, 1], 50)
    m = KernelKGroups(3, init=start).fit(IRIS)
    assert m.start_names_ == ["given"]
    assert m.labels_[0] == 2
    with pytest.warns(RuntimeWarning, match="one start is made instead of n_init=5"):
        KernelKGroups(3, init=start, n_init=5).fit(IRIS)


def test_callable_start():
    seen = []

    def by_first_column(X, n_clusters, random_state):
        seen.append((X.shape, n_clusters, random_state.randint(10**6)))
        return np.digitize(X[:, 0], np.quantile(X[:, 0], [1 / 3, 2 / 3]))

    m = KernelKGroups(3, init=by_first_column, n_init=2, random_state=0, n_jobs=1).fit(IRIS)
    assert m.start_names_ == ["by_first_column"] * 2
    assert seen[0][:2] == ((150, 4), 3)
    assert seen[0][2] != seen[1][2]


def test_spectral_start_is_the_relaxation():
    """Two far blobs: the top eigenvectors separate them, whatever the weights."""
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(30, 2)), rng.normal(size=(40, 2)) + 30]
    m = KernelKGroups(2, init="spectral", random_state=0)
    m.fit(X, sample_weight=rng.uniform(0.5, 2, 70))
    assert same_partition(m.labels_, np.repeat([0, 1], [30, 40]))
    assert m.n_moves_ == 0, "the start was already the optimum"


def test_spectral_start_with_an_iterative_eigensolver():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(600, 2)), rng.normal(size=(600, 2)) + 30]
    m = KernelKGroups(2, init="spectral", random_state=0).fit(X)
    assert same_partition(m.labels_, np.repeat([0, 1], 600))


def test_theory_warning():
    with pytest.warns(TheoryWarning, match="not of negative type"):
        KernelKGroups(2, metric=SineSquared(), random_state=0).fit(WINE)


def test_convergence_warning():
    with pytest.warns(ConvergenceWarning, match="increase max_iter"):
        m = KernelKGroups(5, max_iter=1, n_init=1, init="random", random_state=0).fit(WINE)
    assert not m.converged_


def test_verbose_prints_a_line_a_start(capsys):
    KernelKGroups(3, n_init=3, random_state=0, verbose=1).fit(IRIS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("plan: dense: up to 2,000 rows")
    starts = [line for line in lines if line.startswith("start")]
    assert len(starts) == 3
    assert starts[0].startswith("start 1/3: k-means++, ")


def test_verbose_can_be_a_function():
    events = []
    m = KernelKGroups(3, n_init=3, random_state=0, verbose=events.append).fit(IRIS)
    starts = [e for e in events if e.phase == "start"]
    assert [e.number for e in starts] == [1, 2, 3]
    highest = max(e.objective for e in starts)
    assert starts[-1].best_objective == pytest.approx(highest, rel=1e-12)
    last = [e for e in events if e.objective is not None][-1]
    best = max(last.objective, starts[-1].best_objective)
    assert best == pytest.approx(m.objective_, rel=1e-12)
    assert starts[-1].total == 3
    assert m.start_names_ == [e.note for e in starts]
    assert [e.objective for e in starts] == pytest.approx([h[-1] for h in m.start_histories_])


def test_median_sigma_is_reported_and_parameters_stay():
    metric = Gaussian("median")
    m = KernelKGroups(3, metric=metric, random_state=0).fit(IRIS)
    i, j = np.triu_indices(150, 1)
    d = np.linalg.norm(IRIS[i] - IRIS[j], axis=1)
    assert m.metric_.sigma == pytest.approx(np.median(d[d > 0]), rel=1e-12)
    assert metric.sigma == "median"


def test_mixed_frame():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 30)
    frame = pd.DataFrame(
        {"x": rng.normal(size=60) + 2 * group, "color": np.where(group, "red", "blue")}
    )
    mixed = ColumnSum([(Energy(), ["x"]), (Hamming(), ["color"], 3.0)])
    m = KernelKGroups(2, metric=mixed, random_state=0).fit(frame)
    assert same_partition(m.labels_, group)
    assert m.predict(frame.iloc[::-1]).tolist() == m.labels_[::-1].tolist()


def test_kmeans_and_kgroups_agree_on_easy_data():
    a = KernelKGroups(2, random_state=0).fit(IRIS)
    b = KernelKMeans(2, random_state=0).fit(IRIS)
    assert b.labels_.tolist() == a.labels_.tolist()
    assert b.converged_


@pytest.mark.parametrize("metric", [Energy(), Gaussian(), Manhattan(), Energy(2)], ids=repr)
def test_few_rows_in_float32_have_the_labels_that_they_have_in_float64(metric):
    """In a Gaussian kernel of far rows all distances are nearly 1: rounding would choose."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 10)).astype(np.float32)
        single = KernelKGroups(5, metric=metric, random_state=0).fit(X)
        double = KernelKGroups(5, metric=metric, random_state=0).fit(X.astype(np.float64))
        assert single.labels_.tolist() == double.labels_.tolist()
        assert single.within_dispersion_ == double.within_dispersion_


def test_float32_agrees():
    single = KernelKGroups(3, random_state=0).fit(IRIS.astype(np.float32))
    double = KernelKGroups(3, random_state=0).fit(IRIS)
    assert same_partition(single.labels_, double.labels_)
    assert single.within_dispersion_ == pytest.approx(double.within_dispersion_, rel=1e-6)


@pytest.mark.parametrize("estimator", [KernelKGroups, KernelKMeans])
def test_a_sparse_gram_matrix_gives_what_the_dense_one_does(estimator):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(60, 4)) * (rng.random((60, 4)) < 0.4)
    K, weights = F @ F.T, rng.uniform(0, 2, 60)
    settings = {"metric": "precomputed_kernel", "init": rng.integers(3, size=60)}
    dense = estimator(3, **settings).fit(K, sample_weight=weights)
    sparse = estimator(3, **settings).fit(coo_array(K), sample_weight=weights)
    assert sparse.labels_.tolist() == dense.labels_.tolist()
    assert sparse.method_ == "sparse"
    for name in ("objective_", "within_dispersion_", "between_statistic_"):
        assert getattr(sparse, name) == pytest.approx(getattr(dense, name), rel=1e-12)
    assert sparse.predict(csr_array(K[:7])).tolist() == dense.predict(K[:7]).tolist()
