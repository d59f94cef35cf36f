"""The Nyström sketch: what it keeps of the kernel, and what a fit on it is worth."""

import pickle
from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from kgroups import KernelKGroups, KernelKMeans
from kgroups.gram import FactorGram
from kgroups.gram.nystroem import NystroemMap
from kgroups.input.rows import RowsInMemory
from kgroups.metrics import same_partition
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy, Gaussian, Hamming, Laplacian, Manhattan, PairFunction
from kgroups.sketch.dispersion import LEAST_FOR_W, estimated_dispersion
from kgroups.sketch.sample import coreset, distances_to, sample_size, uniform_landmarks
from kgroups.sketch.sketcher import Sketch, Sketcher
from kgroups.solvers import BestOf, Hartigan, Partition, Problem
from kgroups.solvers import objective as spec
from kgroups.solvers.centroids import FeatureCentroids
from kgroups.solvers.starts import Starts


def blobs(n, k, seed=0, apart=10.0, dtype=np.float64):
    """Clusters of unit spread about k points that are equally far from each other; the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    X = apart * np.eye(k)[truth] + rng.normal(size=(n, k))
    return X.astype(dtype), truth


def dispersion(X, labels, alpha=1.0, w=None):
    """W from its definition, cluster by cluster, with SciPy's distances."""
    w = np.ones(len(X)) if w is None else w
    total = 0.0
    for cluster in np.unique(labels):
        rows = labels == cluster
        rho = cdist(X[rows], X[rows]) ** alpha
        total += w[rows] @ rho @ w[rows] / (2 * w[rows].sum())
    return total


# --- the map -----------------------------------------------------------------------------------

KINDS = {
    "energy-1": (Energy(1.0), cdist),
    "energy-0.5": (Energy(0.5), lambda X, Y: np.sqrt(cdist(X, Y))),
    "energy-1.5": (Energy(1.5), lambda X, Y: cdist(X, Y) ** 1.5),
    "energy-2": (Energy(2.0), lambda X, Y: cdist(X, Y) ** 2),
    "laplacian": (Laplacian(1.0), lambda X, Y: 2 - 2 * np.exp(-cdist(X, Y) / 2)),
    "gaussian": (Gaussian(1.0), lambda X, Y: 2 - 2 * np.exp(-(cdist(X, Y) ** 2) / 2)),
    "manhattan": (Manhattan(), lambda X, Y: cdist(X, Y, "cityblock")),
}


def in_full(to_features, X):
    """Features and what they lack, in units of ρ, and in float64."""
    F, lacking = to_features(X)
    return F.astype(float) * np.sqrt(to_features.unit), lacking * to_features.unit


every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_between_landmarks_it_is_the_kernel(kind):
    """f fᵀ is −ρ/2 centered about the mean of the landmarks, to rounding in float32."""
    semimetric, by_hand = KINDS[kind]
    Z = np.random.default_rng(0).normal(size=(80, 3))
    to_features = NystroemMap.of(Z, semimetric)
    assert to_features(Z)[0].dtype == np.float32
    F, lacking = in_full(to_features, Z)
    rho = by_hand(Z, Z)
    J = np.eye(80) - 1 / 80
    K = -0.5 * J @ rho @ J
    assert F.shape == (80, to_features.rank)
    found = F @ F.T
    assert np.abs(found - K).max() < 1e-4 * np.abs(K).max()
    assert lacking.max() < 1e-4 * np.abs(K).max()
    assert lacking.min() >= 0
    np.testing.assert_allclose(F.mean(axis=0), 0, atol=1e-4 * np.sqrt(np.abs(K).max()))


@every_kind
def test_all_points_as_landmarks_give_all_distances(kind):
    semimetric, by_hand = KINDS[kind]
    X = np.random.default_rng(1).normal(size=(60, 2))
    F, _ = in_full(NystroemMap.of(X, semimetric), X)
    rho = by_hand(X, X)
    found = cdist(F, F, "sqeuclidean")
    np.testing.assert_allclose(found, rho, atol=1e-3 * rho.max())


@every_kind
def test_what_features_lack_is_the_distance_to_what_landmarks_span(kind):
    """Never negative, and less with each landmark more; with all of them nothing."""
    semimetric, by_hand = KINDS[kind]
    X = np.random.default_rng(2).normal(size=(120, 2))
    scale = by_hand(X, X).max()
    before = np.full(120, np.inf)
    for m in (2, 5, 15, 40, 120):
        F, lacking = in_full(NystroemMap.of(X[:m], semimetric), X)
        rho = by_hand(X, X[:m])
        inner = by_hand(X[:m], X[:m]).mean()
        norms = np.einsum("ij,ij->i", F, F)
        own = rho.mean(axis=1) - inner / 2
        np.testing.assert_allclose(lacking, np.maximum(own - norms, 0), atol=1e-4 * scale)
        assert lacking.min() >= 0
        assert np.all(lacking <= before + 1e-3 * scale)
        before = lacking
    assert before.max() < 1e-3 * scale


def test_one_landmark_and_equal_landmarks():
    """No direction is left: no features, and each point lacks all of its distance."""
    X = np.arange(6.0)[:, None]
    for Z in (X[2:3], np.repeat(X[2:3], 4, axis=0)):
        to_features = NystroemMap.of(Z, Energy())
        F, lacking = to_features(X)
        assert F.shape == (6, to_features.rank)
        assert np.abs(F).max(initial=0.0) < 1e-6
        np.testing.assert_allclose(lacking, np.abs(X[:, 0] - 2), rtol=1e-6)


def test_two_landmarks_by_hand():
    """On a line with α = 2 the only feature is the place about the middle of 1 and 5."""
    X = np.array([[1.0], [5.0], [3.0], [-4.0]])
    to_features = NystroemMap.of(X[:2], Energy(2.0))
    assert to_features.unit == 8, "the mean of 0, 0, 16 and 16"
    F, lacking = in_full(to_features, X)
    assert F.shape == (4, 1)
    np.testing.assert_allclose(F[:, 0] * np.sign(F[1, 0]), [-2, 2, 0, -7], atol=1e-5)
    np.testing.assert_allclose(lacking, 0, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_landmarks_far_from_the_origin(dtype):
    """An offset of 1e3 costs no more digits than the points have lost already."""
    X = (np.random.default_rng(3).normal(size=(90, 3)) + 1e3).astype(dtype)
    F, _ = in_full(NystroemMap.of(X, Energy()), X)
    rho = cdist(X.astype(float), X.astype(float))
    found = cdist(F, F, "sqeuclidean")
    np.testing.assert_allclose(found, rho, atol=2e-3 * rho.max())


@pytest.mark.parametrize("power", [-60, -7, 0, 40])
def test_the_unit_is_a_power_of_two_below_the_mean_distance(power):
    """Points twice as far apart have the same features, to the last digit."""
    X = np.random.default_rng(4).normal(size=(50, 3))
    one, other = NystroemMap.of(X[:20], Energy()), NystroemMap.of(X[:20] * 2.0**power, Energy())
    assert np.frexp(one.unit)[0] == 0.5
    assert one.unit <= cdist(X[:20], X[:20]).mean() < 2 * one.unit
    assert other.unit == one.unit * 2.0**power
    for a, b in zip(one(X), other(X * 2.0**power), strict=True):
        assert np.array_equal(a, b)


# --- landmarks ---------------------------------------------------------------------------------


def test_uniform_landmarks_are_candidates_once_each():
    candidates = np.array([2, 3, 5, 7, 11, 13])
    for m in (1, 4, 6, 50):
        found = uniform_landmarks(candidates, m, np.random.default_rng(m))
        assert found.tolist() == sorted(set(found.tolist()))
        assert set(found.tolist()) <= set(candidates.tolist())
        assert len(found) == min(m, 6)
    drawn = [uniform_landmarks(candidates, 3, np.random.default_rng(s)) for s in range(400)]
    share = np.bincount(np.concatenate(drawn), minlength=14)[candidates] / 400
    assert np.all(np.abs(share - 0.5) < 0.1)


def test_distances_to_some_points():
    X = np.random.default_rng(0).normal(size=(300, 2))
    nearest, far = distances_to(RowsInMemory(X), X[:40], Energy(), Threads(2))
    rho = cdist(X, X[:40])
    np.testing.assert_allclose(nearest, rho.min(axis=1), atol=1e-12)
    np.testing.assert_allclose(far, rho.mean(axis=1) - rho[:40].mean() / 2, rtol=1e-10)
    words = ["a", "b", "ab", "abc"]
    longer = PairFunction(lambda a, b: abs(len(a) - len(b)))
    nearest, _ = distances_to(RowsInMemory(words), ["a"], longer, Threads(1))
    assert nearest.tolist() == [0, 0, 1, 2]


def test_a_coreset_stands_for_all():
    """Weighted sums over it are without bias, and a far point is nearly always in it."""
    rng = np.random.default_rng(1)
    w, far = rng.uniform(0.5, 2, 5000), rng.uniform(0, 1, 5000)
    w[:10] = 0
    far[77] = 500.0
    value = rng.normal(size=5000)
    sums, seen = [], 0
    for _ in range(200):
        index, weight = coreset(w, far, 300, rng)
        assert len(np.unique(index)) == len(index) <= 300
        assert index.min() >= 10
        sums.append([weight.sum(), weight @ value[index]])
        seen += 77 in index
    error = np.std(sums, axis=0) / np.sqrt(200)
    assert np.all(np.abs(np.mean(sums, axis=0) - [w.sum(), w @ value]) < 4 * error)
    assert error[1] > 0
    assert seen > 195


@pytest.mark.parametrize("n", [2001, 3000, 12_000])
@pytest.mark.parametrize("method", ["auto", "nystroem"])
def test_a_small_group_far_away_is_a_cluster(n, method):
    """Eight rows of many, far from six groups: the sketch must see them, or nobody does."""
    rng = np.random.default_rng(0)
    X = 2 * rng.normal(size=(6, 8))[rng.integers(6, size=n)] + rng.normal(size=(n, 8))
    X[:8] += 300
    for seed in range(3):
        labels = KernelKGroups(7, method=method, random_state=seed).fit_predict(X)
        assert len(set(labels[:8])) == 1
        assert np.bincount(labels)[labels[0]] == 8


# --- the sketch --------------------------------------------------------------------------------


class Sketched(NamedTuple):
    sketch: Sketch
    partition: Partition

    @property
    def gram(self):
        return self.sketch.points.gram


def sketched(X, k, *, feature_bytes=1 << 30, m=60, w=None, semimetric=None, n_threads=1, **params):
    w = np.ones(len(X)) if w is None else w
    executor = Threads(n_threads)
    sketcher = Sketcher(
        n_components=m, feature_bytes=feature_bytes, seed=5, executor=executor, **params
    )
    search = BestOf(solver=Hartigan(), executor=executor)
    starts = Starts(init="auto", X=X, seeds=[1, 2, 3, 4])
    sketch = sketcher.sketch(RowsInMemory(X), semimetric or Energy(), w, k, search, starts)
    return Sketched(sketch, sketcher.improved(sketch, w, k, search.solver))


@pytest.mark.parametrize("landmarks", ["uniform", "distant"])
def test_features_made_anew_give_the_labels_of_features_held(landmarks):
    X = np.random.default_rng(0).normal(size=(3000, 3))
    assert sample_size(3000, 4) < 3000
    held = sketched(X, 4, landmarks=landmarks)
    lazy = sketched(X, 4, landmarks=landmarks, feature_bytes=0)
    assert isinstance(held.gram.features, np.ndarray)
    assert not isinstance(lazy.gram.features, np.ndarray)
    assert lazy.partition.labels.tolist() == held.partition.labels.tolist()
    assert lazy.partition.objective == pytest.approx(held.partition.objective, rel=1e-6)
    assert lazy.sketch.error == pytest.approx(held.sketch.error, rel=1e-4)
    assert held.partition.n_moves > 0


@pytest.mark.parametrize("n", [1500, 3000])
def test_the_partition_of_a_sketch_is_one_of_its_features(n):
    """Its numbers follow from F Fᵀ, with weights, some zero; below 2,000 points and above.

    They are in the unit of the features; ``scale`` puts those of the starts on that of all points.
    """
    rng = np.random.default_rng(1)
    X, w = 9 * rng.normal(size=(n, 2)), rng.uniform(0.1, 2, n) * (rng.random(n) < 0.9)
    sketch, partition = sketched(X, 3, w=w)
    F, lacking = sketch.to_features(X)
    F = F.astype(float)
    G, labels = F @ F.T, partition.labels
    assert partition.objective == pytest.approx(spec.objective(G, labels, w, 3), rel=1e-4)
    assert len(labels) == n
    trace = w @ (F**2).sum(axis=1)
    shown = trace - w @ G @ w / w.sum()
    assert sketch.error == pytest.approx(w @ lacking / (w @ lacking + shown), rel=1e-3)
    assert sketch.to_features.unit in (8, 16), "distances are 9 · √π, or 16, on average"
    competed = sketch.runs.best.weight.sum()
    assert sketch.scale(competed) == pytest.approx(sketch.to_features.unit * w.sum())
    assert 0 < sketch.error < 1


def test_the_error_falls_with_the_number_of_landmarks():
    X = np.random.default_rng(2).normal(size=(1200, 3))
    errors = [sketched(X, 3, m=m).sketch.error for m in (5, 20, 80, 320)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.3 * errors[0]


def test_centers_are_means_and_empty_ones_are_infinitely_far():
    rng = np.random.default_rng(3)
    F = rng.normal(size=(90, 4)).astype(np.float32)
    w = rng.uniform(0.1, 1, 90)
    gram = FactorGram(F)
    partition = Hartigan(max_iter=1, tol=1e9).solve(Problem(gram, w, 4), np.arange(90) % 3)
    centers = FeatureCentroids.of(gram, partition, w)
    for cluster in range(3):
        rows = np.arange(90) % 3 == cluster
        mean = np.average(F[rows].astype(float), axis=0, weights=w[rows])
        np.testing.assert_allclose(centers.means[cluster], mean, rtol=1e-6, atol=1e-7)
    assert centers.squared_norms[3] == np.inf
    means = np.array(centers.means[:3])
    nearest = cdist(F.astype(float), means).argmin(axis=1)
    assert centers.nearest(F).tolist() == nearest.tolist()
    apart = centers.squared_distances(F)[:, :3] + (F.astype(float) ** 2).sum(axis=1)[:, None]
    np.testing.assert_allclose(apart, cdist(F.astype(float), means, "sqeuclidean"), rtol=1e-4)


# --- W from a sample ---------------------------------------------------------------------------


def estimate(X, labels, w, k, seed=0, alpha=1.0, **params):
    rng = np.random.default_rng(seed)
    return estimated_dispersion(RowsInMemory(X), Energy(alpha), labels, w, k, rng, 1, **params)


def deviation(X, labels, w, rows):
    """Standard deviation of an estimate of W: a U-statistic of degree two in each cluster.

    Of m draws with replacement, 4 (m − 2) ζ₁ + 2 ζ₂ over m (m − 1) is the variance of the mean over
    pairs, with ζ₁ the variance of a point's mean distance and ζ₂ that of a distance (Hoeffding,
    1948). Clusters of which all points are taken add nothing.
    """
    variance = 0.0
    for cluster in np.unique(labels):
        own = labels == cluster
        m = max(LEAST_FOR_W, int(rows / len(X) * own.sum()))
        if m >= own.sum():
            continue
        rho, p = cdist(X[own], X[own]), w[own] / w[own].sum()
        to_all = rho @ p
        mean = p @ to_all
        first, second = p @ (to_all - mean) ** 2, p @ (rho - mean) ** 2 @ p
        mean_of_pairs = (4 * (m - 2) * first + 2 * second) / (m * (m - 1))
        variance += (w[own].sum() / 2) ** 2 * mean_of_pairs
    return float(np.sqrt(variance))


@pytest.mark.parametrize("alpha", [0.7, 1.0, 2.0])
def test_w_of_all_pairs_is_exact(alpha):
    """Up to 20,000 rows nothing is left out, and the estimate is the truth."""
    rng = np.random.default_rng(0)
    X, labels, w = rng.normal(size=(500, 2)), rng.integers(5, size=500), rng.uniform(0, 2, 500)
    labels[labels == 3] = 0  # an empty cluster
    w[:40] = 0
    found = estimate(X, labels, w, 5, alpha=alpha)
    assert found.within == pytest.approx(dispersion(X, labels, alpha, w), rel=1e-11)
    everything = dispersion(X, np.zeros(500, int), alpha, w)
    assert found.total == pytest.approx(everything, rel=1e-11)


def test_w_of_a_sample_is_near_the_truth():
    """Within 4 standard errors of what theory says, with the spread that it says.

    The standard deviation of 40 estimates is itself known to 1/√(2 · 39) of it, or 11%.
    """
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(3000, 2)), rng.choice(3, size=3000, p=[0.7, 0.28, 0.02])
    w = np.ones(3000)
    found = [estimate(X, labels, w, 3, seed, n_drawn=400) for seed in range(40)]
    within, totals = (np.array([getattr(f, name) for f in found]) for name in ("within", "total"))
    W, total = dispersion(X, labels), dispersion(X, np.zeros(3000, int))
    error = deviation(X, labels, w, 400)
    assert error < 0.03 * W
    assert within.mean() == pytest.approx(W, abs=4 * error / np.sqrt(40))
    assert np.abs(within - W).max() < 4 * error
    assert within.std(ddof=1) == pytest.approx(error, rel=4 / np.sqrt(2 * 39))
    # S + W has no formula here, and clusters alike make its spread much that of W.
    assert totals.std(ddof=1) < 0.03 * total
    assert totals.mean() == pytest.approx(total, abs=4 * totals.std(ddof=1) / np.sqrt(40))
    small = [f.by_cluster[2] for f in found]
    np.testing.assert_allclose(small, dispersion(X[labels == 2], labels[labels == 2]), rtol=1e-11)


def test_w_of_a_sample_is_without_bias():
    """64 draws from 70: a draw compared with itself would make W too small by a 64th."""
    X = np.random.default_rng(2).normal(size=(70, 2))
    labels, w = np.zeros(70, int), np.random.default_rng(3).uniform(0.5, 2, size=70)
    found = [estimate(X, labels, w, 1, seed, n_drawn=1).within for seed in range(1500)]
    truth, noise = dispersion(X, labels, w=w), deviation(X, labels, w, 1) / np.sqrt(1500)
    assert 2 * 4 * noise < truth / 64, "a bias would be seen"
    assert np.mean(found) == pytest.approx(truth, abs=4 * noise)


def test_w_under_weights_with_a_heavy_tail():
    """Drawn by weight, a few heavy points count as often as they weigh, and no more noise comes.

    One point in a hundred holds a third of the weight, and they lie apart. Each estimate is known
    to 4 of its standard deviations, and their mean to 4 standard errors.
    """
    rng = np.random.default_rng(4)
    log_weight = 2.0 * rng.normal(size=12_000)
    X = rng.normal(size=(12_000, 1)) + log_weight[:, None]
    labels, w = rng.choice(3, size=12_000, p=[0.6, 0.397, 0.003]), np.exp(log_weight)
    heavy = w > np.quantile(w, 0.99)
    assert w[heavy].sum() > 0.33 * w.sum()
    W, error = dispersion(X, labels, w=w), deviation(X, labels, w, 2000)
    found = np.array([estimate(X, labels, w, 3, s, n_drawn=2000).within for s in range(15)])
    assert error < 0.03 * W
    assert found.mean() == pytest.approx(W, abs=4 * error / np.sqrt(15))
    assert np.abs(found - W).max() < 4 * error
    assert found.std(ddof=1) == pytest.approx(error, rel=4 / np.sqrt(2 * 14)), "not all alike"


# --- fits --------------------------------------------------------------------------------------


def test_a_fit_finds_separated_blobs_and_their_dispersion():
    X, truth = blobs(6000, 6, seed=3)
    model = KernelKGroups(6, method="nystroem", random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    W, total = dispersion(X, truth), dispersion(X, np.zeros(6000, int))
    assert model.within_dispersion_ == pytest.approx(W, rel=0.03)
    assert model.within_dispersion_ + model.between_statistic_ == pytest.approx(total, rel=0.03)
    assert model.objective_ == pytest.approx(model.between_statistic_, rel=1e-9)
    assert model.objective_history_[-1] == pytest.approx(model.objective_, rel=1e-9)
    assert 0 < model.sketch_error_ < 1
    assert model.exactness_ == "one-move optimal on the sketch"
    assert (model.method_, model.method_reason_) == ("nystroem", "as method='nystroem' asks")
    assert model.predict(X).tolist() == model.labels_.tolist()
    assert np.bincount(model.labels_).tolist() == model.cluster_weights_.tolist()
    for history in model.start_histories_:
        assert history[-1] == pytest.approx(model.objective_, rel=0.3), "on the same scale"


@pytest.mark.parametrize(
    ("metric", "dtype"),
    [
        (Energy(0.5), np.float32),
        (Energy(2.0), np.float32),
        (Gaussian("median"), np.float64),
        (Laplacian("median"), np.float64),
        (Manhattan(), np.float64),
    ],
    ids=repr,
)
@pytest.mark.parametrize("landmarks", ["uniform", "distant"])
def test_other_metrics_find_the_blobs_too(metric, dtype, landmarks):
    X, truth = blobs(2500, 4, seed=4, dtype=dtype)
    model = KernelKGroups(4, metric=metric, method="nystroem", landmarks=landmarks, random_state=1)
    assert same_partition(model.fit_predict(X), truth)
    assert model.predict(X).tolist() == model.labels_.tolist()


def test_categories():
    rng = np.random.default_rng(5)
    truth = rng.integers(3, size=2200)
    X = np.where(rng.random((2200, 12)) < 0.9, truth[:, None], rng.integers(3, size=(2200, 12)))
    model = KernelKGroups(3, metric=Hamming(), method="nystroem", random_state=0).fit(X)
    assert same_partition(model.labels_, truth)


def test_labels_near_the_exact_ones_without_any_clusters():
    """On one cloud cut in three: a hundred landmarks, and W at most three percent worse."""
    X = np.random.default_rng(6).normal(size=(2400, 2))
    exact = KernelKGroups(3, method="matrix_free", random_state=0).fit(X)
    near = KernelKGroups(3, method="nystroem", random_state=0).fit(X)
    W = dispersion(X, exact.labels_)
    assert exact.within_dispersion_ == pytest.approx(W, rel=1e-9)
    assert dispersion(X, near.labels_) < 1.03 * W
    assert near.within_dispersion_ == pytest.approx(dispersion(X, near.labels_), rel=0.03)


def test_the_seed_decides_and_the_threads_do_not(monkeypatch):
    """In chunks of 512 points, so that threads have several each."""
    for module in ("kgroups.sketch.sketcher", "kgroups.sketch.sample", "kgroups.gram.low_rank"):
        monkeypatch.setattr(f"{module}.CHUNK", 512)
    X = np.random.default_rng(7).normal(size=(2600, 3))
    for method in ("nystroem", "matrix_free"):
        fits = [
            KernelKGroups(4, method=method, random_state=3, n_jobs=n_jobs).fit(X)
            for n_jobs in (1, 2, 1)
        ]
        for other in fits[1:]:
            assert other.labels_.tolist() == fits[0].labels_.tolist()
            assert other.within_dispersion_ == fits[0].within_dispersion_
            assert other.sketch_error_ == fits[0].sketch_error_


def test_small_memory_makes_features_anew(monkeypatch):
    """The limit decides whether features are held, and not what the labels are."""
    X = np.random.default_rng(8).normal(size=(2600, 3))
    model = KernelKGroups(4, method="nystroem", random_state=3, n_jobs=1)
    held = model.fit(X).labels_.tolist()
    monkeypatch.setattr("kgroups.fit.plan._FEATURES_HELD", 0)
    seen = []
    spread = Sketcher._featured

    def watched(self, *args):
        seen.append(self.feature_bytes)
        return spread(self, *args)

    monkeypatch.setattr(Sketcher, "_featured", watched)
    assert model.fit(X).labels_.tolist() == held
    assert seen == [0]


@pytest.mark.parametrize("algorithm", ["batch", "online"])
@pytest.mark.parametrize("method", ["nystroem", "matrix_free"])
def test_kernel_k_means(method, algorithm):
    X, truth = blobs(2300, 3, seed=9)
    model = KernelKMeans(3, method=method, algorithm=algorithm, random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    assert model.within_dispersion_ == pytest.approx(dispersion(X, truth), rel=1e-3)
    rule = "stable under Lloyd's rule"
    assert model.exactness_ == (f"{rule} on the sketch" if method == "nystroem" else rule)
    assert model.predict(X).tolist() == model.labels_.tolist()


def test_weights_count_and_rows_without_weight_are_no_landmarks():
    """Half of the rows, without weight, lie where a landmark would be seen by its features."""
    X, truth = blobs(3000, 3, seed=10)
    w = np.where(np.arange(3000) % 2, 2.0, 0.0)
    model = KernelKGroups(3, method="nystroem", random_state=0).fit(X, sample_weight=w)
    assert same_partition(model.labels_, truth)
    assert model.cluster_weights_.sum() == pytest.approx(3000)
    assert model.within_dispersion_ == pytest.approx(dispersion(X, truth, w=w), rel=0.03)
    landmarks = model._nearest.to_features.landmarks
    odd = {row.tobytes() for row in X[1::2]}
    assert all(row.tobytes() in odd for row in landmarks)


def test_a_unit_of_weight_scales_w_and_moves_nobody():
    X = np.random.default_rng(11).normal(size=(2200, 2))
    one = KernelKGroups(3, method="nystroem", random_state=0).fit(X)
    many = KernelKGroups(3, method="nystroem", random_state=0)
    many.fit(X, sample_weight=np.full(2200, 1024.0))
    assert many.labels_.tolist() == one.labels_.tolist()
    assert many.within_dispersion_ == pytest.approx(1024 * one.within_dispersion_, rel=1e-12)
    assert many.objective_ == pytest.approx(1024 * one.objective_, rel=1e-9)


@pytest.mark.parametrize("method", ["nystroem", "matrix_free"])
def test_histories_are_in_the_unit_of_the_distances(method):
    """A power of two scales every number, differences within a history among them."""
    X = np.random.default_rng(16).normal(size=(2600, 3))
    one, other = (KernelKGroups(4, method=method, random_state=3).fit(X * s) for s in (1.0, 1024.0))
    assert other.labels_.tolist() == one.labels_.tolist()
    pairs = [(one.objective_history_, other.objective_history_)]
    pairs += list(zip(one.start_histories_, other.start_histories_, strict=True))
    assert np.ptp(one.objective_history_) > 1e-4 * one.objective_
    for mine, theirs in pairs:
        np.testing.assert_allclose(theirs / 1024, mine, rtol=1e-9)
    assert other.objective_ / 1024 == pytest.approx(one.objective_, rel=1e-9)


@pytest.mark.parametrize(
    ("method", "digits"), [("nystroem", 1e-3), ("matrix_free", 1e-9)], ids=["nystroem", "exact"]
)
@pytest.mark.parametrize("scale", [1e-25, 1e19])
def test_a_unit_of_length_scales_w_and_moves_nobody(method, digits, scale):
    """Features are float32, which ends at 1e-45 and 3e38; ρ is about 1e-49 and 5e39 here."""
    X, truth = blobs(2400, 3, seed=15, apart=7 / np.sqrt(2))
    one, other = (
        KernelKGroups(3, metric=Energy(2.0), method=method, random_state=0).fit(X * s)
        for s in (1.0, scale)
    )
    assert same_partition(other.labels_, one.labels_)
    agree = [np.bincount(truth[one.labels_ == j], minlength=3).max() for j in range(3)]
    assert sum(agree) > 0.99 * 2400, "3.5 sigma from the middle, one point in 2,000 is beyond"
    W = dispersion(X, one.labels_, alpha=2.0)
    assert one.within_dispersion_ == pytest.approx(W, rel=digits)
    assert other.within_dispersion_ / scale**2 == pytest.approx(W, rel=digits)
    assert other.between_statistic_ / scale**2 == pytest.approx(one.between_statistic_, rel=digits)
    assert other.predict(X * scale).tolist() == other.labels_.tolist()


def test_distances_to_centroids_and_new_points():
    """transform() is ‖φ(x) − μ‖ of the exact formula, where landmarks hold what matters."""
    X, _ = blobs(2200, 3, seed=12)
    model = KernelKGroups(3, method="nystroem", n_components=300, random_state=0).fit(X)
    new = X[:50] + 0.1
    expected = np.empty((50, 3))
    for cluster in range(3):
        members = X[model.labels_ == cluster]
        inner = cdist(members, members).mean() / 2
        expected[:, cluster] = cdist(new, members).mean(axis=1) - inner
    np.testing.assert_allclose(model.transform(new) ** 2, expected, rtol=0.05)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.predict(new).tolist() == model.predict(new).tolist()


def test_all_points_as_landmarks_give_the_exact_fit():
    """With n landmarks only the kernel's last digits are missing."""
    X = np.random.default_rng(13).normal(size=(300, 2))
    model = KernelKGroups(3, method="nystroem", n_components=300, random_state=0).fit(X)
    assert model.sketch_error_ < 1e-3
    polished = KernelKGroups(3, init=model.labels_, method="matrix_free").fit(X)
    assert np.mean(polished.labels_ != model.labels_) < 0.02
    assert model.within_dispersion_ == pytest.approx(dispersion(X, model.labels_), rel=1e-9)


@pytest.mark.parametrize("kind", ["labels", "callable"])
@pytest.mark.parametrize("n", [900, 3000])
def test_a_start_that_is_given_labels_all_rows(n, kind):
    """Beyond 2,000 rows the starts compete on a sample, which nobody can give labels for."""
    X, truth = blobs(n, 3, seed=14)
    start = np.where(np.random.default_rng(0).random(n) < 0.8, truth, 0)
    init = start if kind == "labels" else lambda X, k, random_state: start
    model = KernelKGroups(3, method="nystroem", init=init, random_state=0).fit(X)
    assert same_partition(model.labels_, truth)
    if kind == "labels":
        assert model.labels_.tolist() == truth.tolist(), "labels that are given keep their numbers"


def test_a_row_that_no_landmark_shows_leaves_no_cluster_empty():
    """Three different rows on a line, one of them once in 3,000: features see only two."""
    X = np.array([[0.0], [1.0], [5.0]])[np.r_[np.zeros(1499, int), np.ones(1500, int), 2]]
    for seed in range(3):
        model = KernelKGroups(3, method="nystroem", random_state=seed, n_init=2).fit(X)
        assert np.bincount(model.labels_, minlength=3).min() > 0
