"""Where metrics are made otherwise: many rows, many or few columns, units, gaps, odd objects."""

import numba
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

import oracle
from kgroups import KernelKGroups, stats
from kgroups import semimetrics as sm
from kgroups.exceptions import TheoryWarning

NAN = float("nan")


def table(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def close(found, right, near=1e-12, where=""):
    right = np.asarray(right, float)
    np.testing.assert_allclose(found, right, near, near * np.abs(right).max(), err_msg=where)


def test_which_metrics_are_of_negative_type():
    """Schoenberg: powers up to 2; Minkowski from 1 to 2; chebyshev and edit distances are not."""
    of_type = [
        sm.Energy(2), sm.Laplacian(), sm.Gaussian(), sm.Manhattan(), sm.Hamming(), sm.Cosine(),
        sm.Angular(), sm.JensenShannon(), sm.Hellinger(), sm.GreatCircle(), sm.KendallTau(),
        sm.Jaccard(), sm.Samples(), sm.Mixed(), sm.Mixed(missing="category", alpha=0.5),
        sm.ColumnSum([(sm.Energy(), [0]), (sm.Hamming(), [1])]),
        *[sm.ScipyDistance("minkowski", p=p) for p in (1, 1.5, 2)],
        *[sm.ScipyDistance(name) for name in ("canberra", "correlation", "dice", "seuclidean")],
    ]  # fmt: skip
    not_of_type = [
        sm.DampedSquared(), sm.SineSquared(), sm.Mixed(missing="partial"), sm.EditDistance(),
        sm.ElasticDistance("dtw"), sm.PairFunction(abs),
        sm.ColumnSum([(sm.Energy(), [0]), (sm.DampedSquared(), [1])]),
        *[sm.ScipyDistance("minkowski", p=p) for p in (0.5, 3)],
        *[sm.ScipyDistance(name) for name in ("braycurtis", "chebyshev", "yule")],
    ]  # fmt: skip
    for metric in of_type:
        assert metric.is_negative_type, metric
    for metric in not_of_type:
        assert not metric.is_negative_type, metric


def test_violations_of_any_size():
    rho = np.random.default_rng(0).normal(size=(10, 10))
    rho = np.triu(rho, 1) + np.triu(rho, 1).T
    H = np.eye(10) - 1 / 10
    for given in (rho, -rho):
        values = np.linalg.eigvalsh(-H @ given @ H / 2)
        assert sm.negative_type_violation(given) == pytest.approx(-values[0] / values[-1])


# Many rows, many columns

FORTY = 41
KINDS = {
    "Energy": (sm.Energy(), "energy"),
    "Energy(1.5)": (sm.Energy(1.5), ("energy", {"alpha": 1.5})),
    "Energy(2)": (sm.Energy(2), "sqeuclidean"),
    "Gaussian": (sm.Gaussian(4.0), ("gaussian", {"sigma": 4.0})),
    "Manhattan": (sm.Manhattan(), "manhattan"),
    "Hamming": (sm.Hamming(), "hamming"),
    "Cosine": (sm.Cosine(), "cosine"),
    "ColumnSum": (
        sm.ColumnSum([(sm.Cosine(), slice(0, 40), 3.0), (sm.Energy(), [40])]),
        ("column_sum", {"parts": [("cosine", slice(0, 40), 3.0), ("energy", [40], 1.0)]}),
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_close_rows_of_many_columns(name):
    """Rows that differ by a millionth keep six digits or more, as differences do."""
    metric, right = KINDS[name]
    X = table(40, FORTY)
    X[20:] = X[:20] + 1e-6 * table(20, FORTY, 1)
    if name == "Hamming":
        X = np.round(X)
    rho = oracle.distances(right, X).astype(float)
    near = 1e-5 if name in ("Cosine", "ColumnSum") else 1e-9
    np.testing.assert_allclose(metric.pairwise(X), rho, near, 1e-30, err_msg=name)
    labels = np.arange(40) % 3
    W = float(oracle.within_dispersion(rho, labels, np.ones(40), 3))
    assert stats.within_dispersion(X, labels, metric=metric) == pytest.approx(W, rel=1e-10)


@pytest.mark.parametrize("name", KINDS)
def test_one_table_of_many_rows(name):
    """Above 512 rows one half is made, in blocks; between two tables, all of them."""
    metric, right = KINDS[name]
    X = np.round(table(530, FORTY)) if name == "Hamming" else table(530, FORTY)
    found = metric.pairwise(X)
    assert (found == found.T).all()
    assert (np.diagonal(found) == 0).all()
    close(found, metric.pairwise(X, X.copy()), 1e-11)
    some = [0, 31, 32, 300, 511, 529]
    close(found[some][:, some], oracle.distances(right, X[some]), 1e-11)


def test_sums_of_columns():
    """Parts without terms, weights, parameters of parts, and columns that are not compared."""
    X = np.abs(np.round(table(8, 4) * 3))
    parts = [(sm.Jaccard(), [0, 1], 2.0), (sm.Cosine(), slice(2, 4), 0.25)]
    X[:, 2] += 1
    rho = [oracle.distances(m, X[:, at]) for m, at in (("jaccard", [0, 1]), ("cosine", [2, 3]))]
    close(sm.ColumnSum(parts).pairwise(X), 2 * rho[0] + rho[1] / 4)
    close(sm.ColumnSum(parts[1:]).pairwise(X), rho[1] / 4)
    labels = np.arange(8) % 2
    for some, right in ((parts, 2 * rho[0] + rho[1] / 4), (parts[1:], rho[1] / 4)):
        W = float(oracle.within_dispersion(right, labels, np.ones(8), 2))
        found = stats.within_dispersion(X, labels, metric=sm.ColumnSum(some))
        assert found == pytest.approx(W, rel=1e-12)
    two = sm.ColumnSum([(sm.Energy(), [0]), (sm.Energy(), [1])])
    two.set_params(**{"1__alpha": 2.0})
    assert two.get_params()["0__alpha"] == 1.0
    assert two.pairwise([[0.0, 0.0], [3.0, 3.0]])[0, 1] == 12.0
    frame = pd.DataFrame({"x": [0.0, 2.0, 5.0], "note": list("abc"), "c": list("ppq")})
    labels = [0, 0, 0]
    used = sm.ColumnSum([(sm.Energy(), ["x"]), (sm.Hamming(), ["c"], 3.0)])
    # All pairs of three rows: 2 + 5 + 3 on the line and 0 + 3 + 3 of the letters, over n = 3.
    assert stats.within_dispersion(frame, labels, metric=used) == pytest.approx(16 / 3)
    both = sm.ColumnSum([(sm.Energy(), ["x", "c"]), (sm.Hamming(), ["c"])])
    with pytest.raises(ValueError, match=r"'c'.*text|text.*'c'"):
        stats.within_dispersion(frame, labels, metric=both)


def test_a_proof_for_a_weighted_part():
    """A quarter of a distance: the same clusters, and a quarter of W."""
    X = table(1500, 2) + 6 * np.eye(2)[np.arange(1500) % 2]
    metric = sm.ColumnSum([(sm.Energy(), [0, 1], 0.25)])
    made = KernelKGroups(2, metric=metric, method="certified", random_state=0, n_init=1).fit(X)
    plain = KernelKGroups(2, method="certified", random_state=0, n_init=1).fit(X)
    assert made.certificate_.proved
    assert made.labels_.tolist() == plain.labels_.tolist()
    W = stats.within_dispersion(X, made.labels_)
    assert plain.within_dispersion_ == pytest.approx(W, rel=1e-9)
    assert made.within_dispersion_ == pytest.approx(W / 4, rel=1e-9)


# Units and scales


def test_tiny_and_huge_distances():
    X = np.round(table(9, 3) * 8) / 8
    for unit in (2.0**-600, 2.0**600):
        for kind, name in ((sm.Gaussian, "gaussian"), (sm.Laplacian, "laplacian")):
            right = oracle.distances((name, {"sigma": 2.0}), X)
            close(kind(2.0 * unit).pairwise(X * unit), right, 1e-12, name)
    line = np.array([[0.0], [1e-160], [1.0]])
    found = sm.Energy(1.3).pairwise(line)
    np.testing.assert_allclose(found[0, 1], 1e-208, 1e-4)  # of a square with four digits
    assert sm.DampedSquared().pairwise([[0.0]], [[1e4]]).tolist() == [[0.0]]


def test_scales_from_the_median():
    """Of all pairs of different rows, and of rows from everywhere where there are many."""
    assert sm.Gaussian("median").resolve([[0.0], [0.0], [1.0], [3.0]]).sigma == 2.0
    line = np.linspace(0, 1, 3000)[:, None] ** 2
    sigma = sm.Laplacian("median").resolve(line).sigma
    assert sigma == pytest.approx(np.median(np.abs(line - line[::7, 0])), rel=0.02)


def test_tables_of_other_columns_are_refused():
    for metric in (sm.Energy(), sm.Cosine(), sm.ScipyDistance("chebyshev"), sm.Jaccard()):
        for d, e in ((2, 3), (3, 2)):
            with pytest.raises(ValueError, match=f"{d} columns.*{e}"):
                metric.pairwise(np.ones((2, d)), np.ones((2, e)))


def test_rows_without_a_direction_are_refused():
    X = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    for rows in (X, X.astype(np.float32), sparse.csr_array(X)):
        for metric in (sm.Cosine(), sm.Angular()):
            with pytest.raises(ValueError, match=r"row 1.*zero"):
                metric.pairwise(rows)


def test_refused_parameters_change_nothing():
    for metric, good, bad in (
        (sm.Energy(0.5), "alpha", 3.0),
        (sm.ScipyDistance("minkowski", p=3), "p", -1.0),
    ):
        before = metric.get_params()
        with pytest.raises(ValueError, match=good):
            metric.set_params(**{good: bad})
        assert metric.get_params() == before


# Sparse rows


def test_sparse_rows_that_are_not_in_order():
    """Entries twice, zeros that are stored, columns out of order: the table that they stand for."""
    values = np.array([1.0, 2.0, 0.0, -3.0, 4.0, 2.0, 0.0])
    columns, starts = np.array([3, 3, 1, 0, 2, 0, 2]), np.array([0, 3, 5, 7])
    X = sparse.csr_array((values, columns, starts), shape=(3, 4))
    before = X.data.tolist(), X.indices.tolist(), X.indptr.tolist()
    dense = np.array([[0.0, 0, 0, 3], [-3, 0, 4, 0], [2, 0, 0, 0]])
    for name in ("energy", "manhattan", "hamming", "cosine", "angular", "gaussian"):
        close(sm.by_name(name).pairwise(X), oracle.distances(name, dense), 1e-12, name)
        assert (X.data.tolist(), X.indices.tolist(), X.indptr.tolist()) == before, name
    zeros = sparse.csr_array((np.array([0.0, 1.0, 2.0]), [0, 1, 2], [0, 2, 3]), shape=(2, 4))
    assert sm.Hamming().pairwise(zeros)[0, 1] == 0.5
    assert zeros.data.tolist() == [0.0, 1.0, 2.0]


def test_sparse_rows_of_many_columns():
    """A few of 5,000 columns: columns are looked up, and rows share some of them."""
    rng = np.random.default_rng(0)
    X = np.zeros((60, 5000))
    X[:, rng.choice(5000, 300, replace=False)] = np.round(rng.normal(size=(60, 300)) * 0.8)
    X[:, 7] = 1.0
    X[30] = X[31]
    X[32] = X[31] * (1 + 1e-7)
    rows = sparse.csr_array(X)
    for name in ("energy", "manhattan", "hamming", "cosine"):
        rho = oracle.distances(name, X).astype(float)
        np.testing.assert_allclose(sm.by_name(name).pairwise(rows), rho, 1e-8, 1e-15, err_msg=name)


def test_sparse_rows_in_other_units():
    X = np.round(table(6, 5) * 4) / 4
    X[X < 0.2] = 0.0
    X[:, 0] = 1.0
    rho = oracle.distances("energy", X).astype(float)
    for unit in (2.0**-600, 2.0**600):
        rows = sparse.csr_array(X * unit)
        close(sm.Cosine().pairwise(X * unit), oracle.distances("cosine", X))
        close(sm.Energy().pairwise(rows) / unit, rho)
        close(sm.Cosine().pairwise(rows), oracle.distances("cosine", X))
        close(sm.Gaussian(unit).pairwise(rows), oracle.distances("gaussian", X))
    ordinary, large = sparse.csr_array(X), sparse.csr_array(X * 2.0**600)
    size = np.sqrt((X**2).sum(axis=1))
    close(sm.Energy().pairwise(ordinary, large), np.tile(size, (6, 1)) * 2.0**600)
    close(sm.Energy().pairwise(large, ordinary), np.tile(size[:, None], 6) * 2.0**600)


# Gaps


def test_gaps_in_a_fit_and_in_new_rows():
    """A gap of a new row is the distribution of the rows of the fit, whatever else is new."""
    X = np.array([[0.0, 0.0], [1.0, NAN], [2.0, 1.0], [90.0, 50.0], [91.0, 51.0], [92.0, NAN]])
    new = np.array([[NAN, 3.0], [NAN, 700.0], [95.0, 60.0]])
    for metric, name in ((sm.Manhattan(missing="distribution"), "line"), (sm.Mixed(), "mixed")):
        made = KernelKGroups(2, metric=metric, random_state=0).fit(X)
        assert made.labels_.tolist() in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]), name
        alone = np.vstack([made.transform(row[None]) for row in new])
        close(made.transform(new), alone, 1e-12, name)
    settled = sm.Manhattan(missing="distribution").resolve(X)
    known = np.array([0.0, 1, 2, 90, 91, 92])
    half = np.abs(known[:, None] - known).mean() / 2
    found = settled.pairwise(X[:1], [[NAN, 0.0]])
    assert found[0, 0] == pytest.approx(np.abs(known).mean() - half, rel=1e-13)
    settled = sm.Mixed().resolve([[0.0, 0.0], [1.0, 2.0]])
    assert settled.pairwise([[0.0, 0.0], [1.0, 2.0]])[0, 1] == pytest.approx(4.0)
    settled.set_params(weights=[1.0, 0.0])
    assert settled.pairwise([[0.0, 0.0], [1.0, 2.0]])[0, 1] == pytest.approx(2.0)


def test_gaps_that_are_categories_or_left_out():
    frame = pd.DataFrame({"a": ["x", "x", None, None], "b": ["p", "q", "q", None]})
    labels = [0, 0, 0, 0]
    by_name = sm.Hamming(missing="category")
    # Of six pairs, in halves: a differs in 4, b in 5 of them; over n = 4.
    found = stats.within_dispersion(frame, labels, metric=by_name)
    assert found == pytest.approx((4 + 5) / 2 / 4)
    nothing = [[NAN, NAN], [NAN, NAN], [0.0, 1.0], [2.0, NAN]]
    partial = sm.Mixed(missing="partial").pairwise(nothing)
    assert partial[0].tolist() == [0.0, 0.0, 1.0, 1.0]
    assert partial[2, 3] == pytest.approx(2.0)  # 2 over E|x − y| = 1


def test_counts_are_members_of_sets():
    found = sm.Jaccard().pairwise([[3.0, 1.0, 0.0], [2.0, 0.0, 5.0]], [[7.0, 0.0, 0.0]])
    np.testing.assert_allclose(found, [[0.5], [0.5]])
    assert sm.Jaccard().pairwise([[3.0, 1.0, 0.0], [2.0, 0.0, 5.0]])[0, 1] == pytest.approx(2 / 3)


# Functions and objects


@numba.njit
def apart(x, y):
    return abs(x - y)


@numba.njit
def ahead(x, y):
    return abs(x - y) * (1.0 if x < y else 2.0)


def below(x, y):
    return abs(x - y) * (1.0 if x < y else 0.5)


def test_functions_of_two_objects():
    numbers = [1, 2.5, 4, 0.25]
    right = np.abs(np.subtract.outer(numbers, numbers))
    for function in (apart, lambda x, y: abs(x - y)):
        np.testing.assert_array_equal(sm.PairFunction(function).pairwise(numbers), right)
    rounded = sm.PairFunction(lambda x, y: abs(x - y) - 1e-9 * (x != y))
    assert rounded.pairwise([1.0, 1.0 + 1e-12, 3.0])[0, 1] == 0.0
    cases = [
        (ahead, "not symmetric"),
        (below, "not symmetric"),
        (lambda x, y: abs(x - y) * (2.0 if x < y else 1.0), "not symmetric"),
        (lambda x, y: np.inf if x != y else 0.0, "returned inf"),
    ]
    for function, words in cases:
        with pytest.raises(ValueError, match=words):
            sm.PairFunction(function).pairwise([1.0, 2.0, 3.0, 5.0])


def test_many_objects():
    """From 64 objects on several rows are made at a time."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab"), rng.integers(1, 6))) for _ in range(150)]
    samples = [rng.normal(size=rng.integers(1, 5)) for _ in range(150)]
    for metric, items in (
        (sm.EditDistance("levenshtein"), words),
        (sm.Samples(), samples),
        (sm.Samples(1.5), samples),
        (sm.PairFunction(apart), list(rng.normal(size=150))),
        (sm.Jaccard(), [set(word) for word in words]),
        (sm.ScipyDistance("chebyshev"), rng.normal(size=(150, 3))),
    ):
        found = metric.pairwise(items)
        assert (found == found.T).all(), metric
        close(found, metric.pairwise(items, list(items)), 1e-12, repr(metric))
    with pytest.warns(TheoryWarning):
        of_words = stats.within_dispersion(words, [0] * 150, metric="levenshtein")
    X = rng.normal(size=(150, 3))
    W = stats.within_dispersion(X, [0] * 150, metric=sm.ScipyDistance("minkowski", p=1.5))
    assert float(cdist(X, X, "minkowski", p=1.5).sum() / 300) == pytest.approx(W, rel=1e-12)
    mean = float(oracle.distances("levenshtein", words).mean())
    assert mean * 75 == pytest.approx(of_words, rel=1e-12)


def test_series_of_several_lengths():
    pytest.importorskip("tslearn")
    padded = np.array([[1.0, 2.0, 5.0, NAN], [1.0, 2.0, NAN, NAN], [1.0, 2.0, 5.0, 9.0]])
    series = [row[~np.isnan(row)] for row in padded]
    rho = oracle.distances("dtw", series).astype(float)
    for items in (padded, series):
        np.testing.assert_allclose(sm.ElasticDistance("dtw").pairwise(items), rho, 1e-12)
    # One step aside in a band of a quarter of four, and none in a band of no width.
    moved = [[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    for window, right in ((None, 0.0), (0.25, 0.0), (0.0, np.sqrt(2))):
        found = sm.ElasticDistance("dtw", window=window).pairwise(moved)
        np.testing.assert_allclose(found[0, 1], right, atol=1e-12)
