"""What a fit says about its clusters: rows that stand for them, how far and how sure others are."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import logsumexp

import oracle
from helpers import each
from kgroups import KernelKGroups, KernelKMeans
from kgroups.plots import ProfileDisplay
from kgroups.semimetrics import Energy, Hamming

mpl.use("Agg")


def overlapping(seed=0, n=60, k=3, D=2):
    """Rows around k centers that are not far apart."""
    rng = np.random.default_rng(seed)
    centers = 2.5 * np.eye(max(k, D))[:k, :D] * np.arange(1, k + 1)[:, None]
    return centers[rng.integers(k, size=n)] + rng.normal(size=(n, D))


def fitted(X, k=3, weights=None, model=KernelKGroups, **parameters):
    return model(k, random_state=0, **parameters).fit(X, sample_weight=weights)


# --- near and far --------------------------------------------------------------------------------

_SPARSE = {"metric": "precomputed_kernel"}
#: How the same rows are handed over, and the distances that are meant.
WAYS = {
    "rows": (lambda X: X, {}, Energy()),
    "on demand": (lambda X: X, {"method": "matrix_free"}, Energy()),
    "means": (lambda X: X, {"metric": "sqeuclidean", "method": "matrix_free"}, Energy(2)),
    "k-means": (lambda X: X, {"metric": "sqeuclidean", "model": KernelKMeans}, Energy(2)),
    "sparse": (sparse.csr_array, {"metric": "sqeuclidean"}, Energy(2)),
    "distances": (Energy().pairwise, {"metric": "precomputed"}, Energy()),
    "kernel": (lambda X: X @ X.T, _SPARSE, Energy(2)),
    "sparse kernel": (lambda X: sparse.csr_array(X @ X.T), _SPARSE, Energy(2)),
}


def squared_to_centroids(rho, labels, w, k=3):
    """Squared distances of all rows to all centroids, where ρ is a squared distance."""
    G = -oracle.long(rho) / 2
    return oracle.to_centroids(G, 0 * G[0], G, labels, oracle.long(w), k).astype(float)


def median_of_copies(values, weights):
    """The median where each value stands as often as its weight says."""
    return np.median(np.repeat(values, weights.astype(int)))


@each("way, seed", [(way, seed) for way in WAYS for seed in range(3)])
def test_exemplars_medoids_and_outliers_by_their_definition(way, seed):
    made, parameters, metric = WAYS[way]
    X = overlapping(seed)
    w = np.random.default_rng(seed + 9).integers(0, 4, len(X)).astype(float)
    data = made(X)
    model = fitted(data, weights=w, **parameters)
    labels = model.labels_
    squared = squared_to_centroids(metric.pairwise(X), labels, w)
    own = squared[np.arange(len(X)), labels]
    usual = np.empty(3)
    for j, found in enumerate(model.exemplars(4)):
        members = np.flatnonzero((labels == j) & (w > 0))
        nearest = members[np.argsort(own[members])][:4].tolist()
        assert found.tolist() == nearest
        assert model.medoid_indices_[j] == nearest[0]
        usual[j] = median_of_copies(own[members], w[members])
    assert_allclose(model.outlier_scores_, own / usual[labels], rtol=1e-7)
    if "kernel" not in way:
        far = made(X) if way != "distances" else data
        best = squared.argmin(axis=1)
        expected = squared.min(axis=1) / usual[best]
        assert_allclose(model.outlier_scores(far), expected, rtol=1e-7)


def test_a_sketch_takes_the_rows_once_more():
    X, w = overlapping(1), np.random.default_rng(2).integers(0, 4, 60).astype(float)
    exact = fitted(X, weights=w, metric="sqeuclidean")
    model = fitted(X, weights=w, metric="sqeuclidean", method="nystroem", init=exact.labels_)
    assert model.labels_.tolist() == exact.labels_.tolist()
    found = model.exemplars(3, X, sample_weight=w)
    assert [rows.tolist() for rows in found] == [rows.tolist() for rows in exact.exemplars(3)]
    assert_allclose(model.outlier_scores(X), exact.outlier_scores(X), rtol=1e-4)
    assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=1e-4)
    assert model.uncertain_rows(0.9, X).tolist() == exact.uncertain_rows(0.9).tolist()
    with pytest.raises(AttributeError, match=r"exemplars.*X"):
        _ = model.medoid_indices_
    # Two rows that are not among the 1,000 by which a sketch knows what is usual: their mean is.
    many = np.random.default_rng(0).normal(size=(5_000, 1))
    many[2:4] = [[30.0], [34.0]]
    init = (np.abs(many[:, 0]) > 20).astype(int)
    model = fitted(many, 2, metric="sqeuclidean", method="nystroem", init=init)
    assert_allclose(model.outlier_scores([[30.0], [36.0]]), [1, 4], rtol=1e-2)


def test_equal_rows_are_one_exemplar():
    """Of equal rows the first, also where one zero is negative; others differ by their columns."""
    rows = np.array([[0.0, 0], [-0.0, 0], [0, 1], [0, 1], [1, 0], [9, 9], [9, 8]])
    init = [0, 0, 0, 0, 0, 1, 1]
    for made in (np.asarray, sparse.csr_array, lambda X: X.astype(np.float32)):
        model = KernelKGroups(2, metric="sqeuclidean", init=init).fit(made(rows))
        first, second = model.exemplars(5)
        assert first.tolist() == [0, 2, 4]  # the mean is (.2, .4)
        assert second.tolist() == [5, 6]
    words = ["aa", "ab", "aa", "ba", "zz", "zy"]
    model = KernelKGroups(2, metric=lambda a, b: sum(map(str.__ne__, a, b)), init=init[1:])
    assert [found.tolist() for found in model.fit(words).exemplars(3)] == [[0, 1, 3], [4, 5]]


def test_equally_far_rows_stay_in_order_and_others_do_not():
    """The mean is 0.2, up to rounding; differences above 1e-12 of the largest are none of it."""
    X = np.array([[0.3], [0.1], [0.2 + 0.1], [0.1], [100.0], [100.0]])
    model = KernelKGroups(2, metric="precomputed", init=[0, 0, 0, 0, 1, 1])
    found = model.fit(Energy(2).pairwise(X)).exemplars(4)
    assert [rows.tolist() for rows in found] == [[0, 1, 2, 3], [4, 5]]
    X = np.array([[0.0], [1.0], [2 - 1e-6], [100.0], [101.0]])
    found = KernelKGroups(2, metric="sqeuclidean", init=[0, 0, 0, 1, 1]).fit(X).exemplars(3)
    assert found[0].tolist() == [1, 2, 0]


def test_rows_among_copies_of_one_another():
    """Where more than half of a cluster are in one place, others are infinitely far."""
    model = fitted([[0.0]] * 3 + [[5.0]] * 3, 2)
    assert model.outlier_scores_.tolist() == [1.0] * 6
    assert model.outlier_scores([[0.0], [1.0], [5.0]]).tolist() == [1.0, np.inf, 1.0]


# --- how sure ------------------------------------------------------------------------------------


@each(
    "parameters",
    [{}, {"metric": "sqeuclidean"}, {"metric": "cosine"}, {"method": "nystroem"},
     {"model": KernelKMeans, "metric": "manhattan"}],
)  # fmt: skip
def test_probabilities_fall_with_the_squared_distance(parameters):
    X = 3 + overlapping(2, 90)
    model = fitted(X, **parameters)
    new = np.random.default_rng(7).normal(3, 3, (40, 2))
    squared, found = model.transform(new) ** 2, model.predict_proba(new)
    logarithms = -squared / model.temperature_
    expected = np.exp(logarithms - logsumexp(logarithms, axis=1, keepdims=True))
    assert_allclose(found, expected, rtol=1e-6, atol=1e-300)
    assert_allclose(found.sum(axis=1), 1.0)
    assert (found.argmax(axis=1) == model.predict(new)).all()
    own = model.predict_proba(X)[np.arange(len(X)), model.labels_]
    for below in (0.6, 0.95):
        rows = np.flatnonzero(own < below)
        expected = rows[np.argsort(own[rows], kind="stable")].tolist()
        assert model.uncertain_rows(below, X).tolist() == expected
    assert 0 < len(expected) < len(X)


def test_the_most_probable_is_the_nearest_in_the_last_digit():
    """Also where distances differ, and their probabilities are equal numbers."""
    rng = np.random.default_rng(0)
    X = 0.7 * rng.normal(size=(150, 30))
    model = fitted(X, 2, metric="sqeuclidean", method="matrix_free")
    means = [X[model.labels_ == j].mean(axis=0) for j in range(2)]
    near = []
    for _ in range(10):
        a, b = (mean + 0.1 * rng.normal(size=30) for mean in means)
        low, high = 0.0, 1.0
        for _ in range(60):  # where predict changes its mind
            middle = (low + high) / 2
            is_low = model.predict([a + middle * (b - a)])[0] == model.predict([a])[0]
            low, high = (middle, high) if is_low else (low, middle)
        near.append(a + (low + np.spacing(low) * np.arange(-200, 201))[:, None] * (b - a))
    near = np.concatenate(near)
    assert (model.predict_proba(near).argmax(axis=1) == model.predict(near)).all()
    assert len(set(model.predict(near).tolist())) == 2


def test_a_temperature_depends_on_the_rows_alone():
    """Not on their order, their unit, on copies instead of weights, or on how they come."""
    X = overlapping(3, 90)
    first = fitted(X)
    T = pytest.approx(first.temperature_, rel=1e-9)
    order = np.random.default_rng(0).permutation(90)
    assert fitted(X[order], init=first.labels_[order]).temperature_ == T
    assert fitted(8 * X, init=first.labels_).temperature_ / 8 == T
    w = np.random.default_rng(1).integers(0, 4, 90)
    heavy = fitted(X, weights=w)
    many = np.repeat(X, w, axis=0)
    copied = fitted(many, init=heavy.predict(many))
    assert copied.temperature_ == pytest.approx(heavy.temperature_, rel=1e-9)
    line = np.sort(overlapping(4, 90, 2, 1), axis=0)
    given = fitted(Energy().pairwise(line), 2, metric="precomputed")
    rows = fitted(line, 2, init=given.labels_)
    assert given.temperature_ == pytest.approx(rows.temperature_, rel=1e-6)
    squares = fitted(line, 2, metric="sqeuclidean", weights=w, init=np.arange(90) // 45)
    for K in (line @ line.T, sparse.csr_array(line @ line.T)):
        given = fitted(K, 2, metric="precomputed_kernel", init=squares.labels_, weights=w)
        assert given.temperature_ == pytest.approx(squares.temperature_, rel=1e-6)
    assert fitted(X, 1).temperature_ == 1.0


@each("shares, distance", [([0.5, 0.5], 2.6), ([0.7, 0.3], 3.2), ([0.4, 0.4, 0.2], 3.2)])
def test_mean_confidence_is_that_of_the_true_posterior(shares, distance):
    """Gaussians of one covariance, of which one direction is wide and says nothing."""
    p, rng = np.array(shares), np.random.default_rng(5)
    centers = np.column_stack([np.zeros(len(p)), distance * np.arange(len(p))])
    X = centers[rng.choice(len(p), 1_000, p=p)] + rng.normal(size=(1_000, 2)) * [1.5, 1]
    logarithms = np.log(p) - 0.5 * (((X[:, None] - centers) / [1.5, 1]) ** 2).sum(axis=2)
    posterior = np.exp(logarithms - logsumexp(logarithms, axis=1, keepdims=True))
    model = fitted(X, len(p), init=posterior.argmax(axis=1))
    right = posterior.max(axis=1).mean()
    assert model.predict_proba(X).max(axis=1).mean() == pytest.approx(right, abs=0.01)


def test_outliers_do_not_make_others_uncertain():
    X = np.concatenate([overlapping(6, 200, 2), [[300.0, -200.0], [-400.0, 10.0]]])
    init = fitted(X[:200], 2).labels_
    near = fitted(X[:200], 2, init=init).temperature_
    far = fitted(X, 2, init=[*init, 0, 0], metric=Energy(0.2)).temperature_
    without = fitted(X[:200], 2, init=init, metric=Energy(0.2)).temperature_
    assert near > 0
    assert far == pytest.approx(without, rel=0.25)


#: Temperatures that were found before: any other is another answer.
TEMPERATURES = {
    "line": (lambda: overlapping(8, 120, 2, 1), 2, {}, 0.6131393067131591),
    "plane": (lambda: overlapping(8, 200, 3, 2), 3, {"metric": "sqeuclidean"}, 2.000017756655965),
    "many": (lambda: overlapping(8, 1300, 3, 2), 3, {"metric": "laplacian"}, 0.13832457124395164),
    "space": (lambda: overlapping(8, 150, 4, 30), 4, {}, 0.23091727433752207),
    "cosine": (lambda: 3 + overlapping(8, 200, 3, 3), 3, {"metric": "cosine"},
               0.01273082610970462),
    "codes": (lambda: overlapping(8, 200, 3, 6).round(), 3, {"metric": Hamming()},
              0.12077621377353029),
    "distances": (lambda: Energy().pairwise(overlapping(8, 600, 2, 2)), 2,
                  {"metric": "precomputed"}, 0.3094875413638001),
    "few": (lambda: overlapping(8, 400, 2, 2)[:5], 2, {}, 4e-09),
    "a small cluster": (lambda: np.r_[overlapping(8, 150, 2, 1), [[14.0], [14.5]]], 3,
                        {"init": [*np.arange(150) % 2, 2, 2]}, 0.9513240892787268),
}  # fmt: skip


@each("name", TEMPERATURES)
def test_temperatures_are_those_of_before(name):
    draw, k, parameters, T = TEMPERATURES[name]
    X = draw()
    w = 1.0 + np.arange(len(X)) % 2
    assert fitted(X, k, w, **parameters).temperature_ == pytest.approx(T, rel=1e-6)


# --- in words ------------------------------------------------------------------------------------

#: Rows of two clusters, the last one without weight.
TABLE = pd.DataFrame(
    {
        "size": [1.0, 3, 11, 13, 99],
        "gap": [-1.0, np.nan, 3, 5, np.inf],
        "same": [0.1, 0.1, 0.1, 0.1, 7],
        "color": ["red", "red", "blue", None, "green"],
        "is_new": [True, False, False, False, True],
        "day": pd.to_datetime(
            ["2024-01-01", "2024-01-03", "2024-01-05", "2024-01-07", "2030-01-01"]
        ),
    }
)
INIT, W = [0, 0, 1, 1, 1], np.array([1.0, 1, 1, 1, 0])


def test_clusters_in_words():
    """By hand: deviations over that of all rows, √26 of size; shares here, and in all rows."""
    model = KernelKGroups(2, init=INIT).fit(TABLE[["size"]], sample_weight=W)
    assert model.labels_.tolist() == INIT
    found = model.describe(TABLE, sample_weight=W)
    assert list(found) == [
        "cluster", "size", "share", "medoid", "size (2)", "gap", "same", "color", "is_new", "day"
    ]  # fmt: skip
    assert found["cluster"].tolist() == [0, 1]
    assert found["size"].tolist() == [2, 3]
    assert found["share"].tolist() == [0.5, 0.5]
    assert found["medoid"].tolist() == [0, 2]
    assert_allclose(found["size (2)"], np.array([-5, 5]) / np.sqrt(26))
    assert_allclose(found["gap"], np.array([-10, 5]) / np.sqrt(56))
    assert found["same"].tolist() == [0, 0]
    assert found["color"].tolist() == ["red 100% (50%)", "blue 50% (25%)"]
    assert found["is_new"].tolist() == ["true 50% (25%)", "false 100% (75%)"]
    assert_allclose(found["day"], np.array([-2, 2]) / np.sqrt(5))
    heavy = model.describe(TABLE, sample_weight=[1, 1, 3, 1, 0])
    assert_allclose(heavy["share"], [1 / 3, 2 / 3])
    mean, square = 50 / 6, (1 + 9 + 3 * 121 + 169) / 6
    expected = (np.array([2, 11.5]) - mean) / np.sqrt(square - mean**2)
    assert_allclose(heavy["size (2)"], expected)
    assert heavy["color"].tolist() == ["red 100% (33%)", "blue 75% (50%)"]
    frame = pl.from_pandas(TABLE)
    same = model.describe(frame, sample_weight=W)
    assert isinstance(same, pl.DataFrame)
    assert same["color"].to_list() == found["color"].tolist()
    array = model.describe(TABLE[["gap", "same"]].to_numpy(), names=["a", "b"], sample_weight=W)
    assert_allclose(array["a"], found["gap"])
    assert list(array)[4:] == ["a", "b"]
    # A category that is usual everywhere, and equal numbers of which the mean is rounded.
    found = model.describe(pd.DataFrame({"c": list("aabaa"), "d": list("zzzzz")}))
    assert found["c"].tolist() == ["a 100% (80%)", "b 33% (20%)"]
    assert found["d"].tolist() == ["", ""]
    for n in (3, 6, 7, 11, 23):
        line = KernelKGroups(2, init=np.arange(n) % 2).fit(np.arange(n)[:, None] % 2)
        same = line.describe(np.tile([0.1, 0.3, 1 / 3, 1e9 + 0.1], (n, 1)))
        assert (same.iloc[:, 4:] == 0).all(axis=None), n


def test_columns_that_tell_clusters_apart():
    """The share of the variance that lies between clusters is largest, by hand, for "c"."""
    X = np.array([[0.0], [1.0], [8.0], [9.0], [50.0]])
    model = KernelKGroups(2, init=INIT).fit(X, sample_weight=W)
    table = pd.DataFrame(
        {
            "a": [0.0, 1, 1, 2, 80],  # 1/2
            "b": list("xyyxx"),  # 0
            "c": list("xxxyx"),  # 1/3
            "d": [0.0, 1, 9, 8, 0],  # 64/65
            "e": list("xxyyx"),  # 1
        }
    )
    shown = []
    for limit in range(1, 6):
        display = ProfileDisplay.from_estimator(
            model, X, table=table, sample_weight=W, order=[0, 1], max_columns=limit
        )
        shown.append([column.name for column in display.profiles.columns])
        tiles = display.image_.get_array()
    assert shown == [list("edacb")[:limit] for limit in range(1, 6)]
    explained = [column.explained for column in display.profiles.columns]
    assert_allclose(explained, [1, 64 / 65, 1 / 2, 1 / 3, 0], atol=1e-12)
    third = 1 / np.sqrt(3)
    expected = [[1, 1], [-8 / np.sqrt(65), 8 / np.sqrt(65)], [-np.sqrt(0.5), np.sqrt(0.5)]]
    assert_allclose(tiles, [*expected, [third, third], [0, 0]], atol=1e-12)
    one = ProfileDisplay.from_estimator(
        model, X, table=table[["c"]], sample_weight=[1, 1, 2, 2, 0], order=[0, 1]
    ).profiles.columns[0]
    assert one.explained == pytest.approx(1 / 4)


def test_words_of_sparse_rows():
    """Words whose mean in a cluster is farthest above that of all rows, by hand."""
    dense = np.zeros((4, 12))
    dense[:2, [0, 2, 3, 4, 5, 6, 7, 8]] = [[9, 4, 3, 2, 1, 6, 0, 7], [1, 4, 3, 2, 1, 6, 1, 7]]
    dense[2:, [0, 9, 8]] = [[9, 5, 7], [0, 2, 7]]
    model = KernelKGroups(2, metric="cosine", init=[0, 0, 1, 1]).fit(sparse.csr_array(dense))
    found = model.describe(sparse.csr_array(dense))
    assert found["heaviest columns"].tolist() == ["6, 2, 3, 4, 5, 0", "9"]
    names = [f"w{c}" for c in range(12)]
    found = model.describe(sparse.csr_array(dense), names=names, sample_weight=[1, 1, 0, 2])
    assert found["heaviest columns"].tolist() == ["w6, w0, w2, w3, w4, w5", "w9"]
    found = model.describe(sparse.csr_array(dense), names=names, sample_weight=[1, 1, 3, 1])
    assert found["heaviest columns"].tolist() == ["w6, w2, w3, w4, w5, w7", "w9, w0"]


def test_rows_without_columns():
    words = ["aa", "ab", "zz", "zy"]
    model = KernelKGroups(2, metric=lambda a, b: sum(map(str.__ne__, a, b)), init=[0, 0, 1, 1])
    assert list(model.fit(words).describe(words)) == ["cluster", "size", "share", "medoid"]
    rho = Energy().pairwise(overlapping(1))
    found = fitted(rho, metric="precomputed").describe(rho)
    assert list(found) == ["cluster", "size", "share", "medoid"]
    X = overlapping(1)
    found = fitted(X, method="nystroem").describe(X)
    assert list(found) == ["cluster", "size", "share", "0", "1"]
