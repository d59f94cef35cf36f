"""Every class of semimetrics against its definition: parameters, two samples, float types."""

import numpy as np
import pandas as pd
import pytest
from numba import config

import oracle
from contract_cases import bits, codes, histograms, lines, numbers, places, rankings, texts
from kgroups import semimetrics as sm
from kgroups import stats

NAN = float("nan")


def many_columns(rng):
    """More columns than rows: another number of coordinates at a time."""
    return np.round(rng.normal(size=(12, 41)) * 8) / 8


def tied_rankings(rng):
    return rng.integers(0, 4, (12, 5)).astype(float)


def sets_with_an_empty_one(rng):
    made = bits(rng)
    made[[3, 7]] = 0.0
    return made


def sigma(value, draw):
    """The median distance of the rows themselves, or the number."""
    if value != "median":
        return value
    return oracle.median_distance(oracle.long(draw(np.random.default_rng(1))))


PARTS = [("energy", [0, 1], 1.0), ("manhattan", [2], 0.5), ("hamming", [1, 3], 2.0)]
SUM = sm.ColumnSum(
    [(sm.Energy(), [0, 1]), (sm.Manhattan(), slice(2, 3), 0.5), (sm.Hamming(), [1, 3], 2.0)]
)
CASES = {
    **{f"Energy({a})": (sm.Energy(a), ("energy", {"alpha": a}), numbers) for a in (0.5, 1, 1.3, 2)},
    "Energy of 41 columns": (sm.Energy(), "energy", many_columns),
    "Energy(2) of 41 columns": (sm.Energy(2.0), "sqeuclidean", many_columns),
    **{
        f"{kind.__name__}({given})": (
            kind(given),
            (kind.__name__.lower(), {"sigma": sigma(given, numbers)}),
            numbers,
        )
        for kind in (sm.Laplacian, sm.Gaussian)
        for given in (0.8, 3, "median")
    },
    "DampedSquared": (sm.DampedSquared(), "damped_squared", numbers),
    "SineSquared(.7)": (sm.SineSquared(0.7), ("sine_squared", {"theta": 0.7}), numbers),
    "Manhattan": (sm.Manhattan(), "manhattan", numbers),
    "Hamming": (sm.Hamming(), "hamming", codes),
    "Cosine": (sm.Cosine(), "cosine", numbers),
    "Angular": (sm.Angular(), "angular", numbers),
    "JensenShannon": (sm.JensenShannon(), "jensen_shannon", histograms),
    "Hellinger": (sm.Hellinger(), "hellinger", histograms),
    "GreatCircle(km)": (sm.GreatCircle(6371.0), ("great_circle", {"radius": 6371.0}), places),
    "GreatCircle(radians)": (
        sm.GreatCircle(2.0, "radians"),
        ("great_circle", {"radius": 2.0, "unit": 1}),
        lambda rng: np.round(np.radians(places(rng)) * 64) / 64,
    ),
    "KendallTau": (sm.KendallTau(), "kendall_tau", rankings),
    "KendallTau of ties": (sm.KendallTau(), "kendall_tau", tied_rankings),
    "Jaccard": (sm.Jaccard(), "jaccard", sets_with_an_empty_one),
    "ColumnSum": (SUM, ("column_sum", {"parts": PARTS}), numbers),
    "minkowski(3)": (sm.ScipyDistance("minkowski", p=3), ("minkowski", {"p": 3}), numbers),
    "minkowski(w)": (
        sm.ScipyDistance("minkowski", p=1, w=[1.0, 2.0, 0.0, 0.5]),
        ("minkowski", {"p": 1, "w": [1.0, 2.0, 0.0, 0.5]}),
        numbers,
    ),
}


def with_sigma(metric, X):
    """A second sample has another median; a fit takes that of its own rows."""
    return metric.resolve(X) if getattr(metric, "sigma", None) == "median" else metric


@pytest.mark.parametrize("name", CASES)
def test_pairs_are_those_of_the_definition(name):
    metric, right, draw = CASES[name]
    X, Y = (draw(np.random.default_rng(seed)) for seed in (1, 2))
    metric, given = with_sigma(metric, X), [X.copy(), Y.copy()]
    rho, cross = (oracle.distances(right, X, Z).astype(float) for Z in (X, Y))
    size = rho.max()
    found = metric.pairwise(X)
    assert (found == found.T).all()
    assert (np.diagonal(found) == 0).all()
    # Near an angle of 0 or π an arc loses half of the digits of its chord.
    near = 1e-8 if name.startswith(("Great", "Angular")) else 1e-13
    np.testing.assert_allclose(found, rho, 1e-12, near * size)
    np.testing.assert_allclose(metric.pairwise(X, Y), cross, 1e-12, near * size)
    np.testing.assert_allclose(metric.pairwise(X[:1], Y[3:]), cross[:1, 3:], 1e-12, near * size)
    single = metric.pairwise(X.astype(np.float32), Y.astype(np.float32))
    np.testing.assert_allclose(single, cross, 2e-6, 2e-6 * size)
    np.testing.assert_array_equal(X, given[0])
    np.testing.assert_array_equal(Y, given[1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distances_far_from_the_origin_lose_no_digits(dtype):
    """Multiples of 1/8 by 2^20 (2^10 in float32) are exact, and so are their differences."""
    X = numbers(np.random.default_rng(1))
    shift = 2.0**20 if dtype == np.float64 else 2.0**10
    for metric in (
        sm.Energy(),
        sm.Energy(2.0),
        sm.Laplacian(2.0),
        sm.Gaussian(2.0),
        sm.Manhattan(),
    ):
        at_home, far = (metric.pairwise((X + by).astype(dtype)) for by in (0.0, shift))
        np.testing.assert_array_equal(at_home, far, repr(metric))


def test_extreme_units():
    """No square over- or underflows where the distance itself is a number."""
    X = numbers(np.random.default_rng(1))
    rho = oracle.distances("euclidean", X).astype(float)
    for unit in (2.0**-300, 2.0**300, 2.0**-500, 2.0**500):
        np.testing.assert_allclose(sm.Energy().pairwise(X * unit), rho * unit, 1e-14)
        half = sm.Energy(0.5).pairwise(X * unit)
        np.testing.assert_allclose(half, np.sqrt(rho) * np.sqrt(unit), 1e-13)
        cosine = sm.Cosine().pairwise(X * unit)
        np.testing.assert_allclose(cosine, sm.Cosine().pairwise(X), 1e-13, 1e-15)


# Gaps, kinds of columns, weights


def gap(x, known, apart):
    """E ρ(x, Y) − ½ E ρ(Y, Y') of an entry and the entries of its column that are there."""
    own = np.mean([apart(a, b) for a in known for b in known])
    return np.mean([apart(x, y) for y in known]) - own / 2


def differ(x, y):
    return float(x != y)


def far(x, y):
    return abs(x - y)


def test_a_gap_is_the_distribution_of_its_column():
    X = [[0.0, 1.0], [4.0, 1.0], [NAN, 7.0], [10.0, NAN]]
    by_line = sm.Manhattan(missing="distribution").pairwise(X)
    first, second = [0.0, 4.0, 10.0], [1.0, 1.0, 7.0]
    assert by_line[0, 1] == 4.0
    assert by_line[0, 2] == pytest.approx(gap(0.0, first, far) + 6.0, rel=1e-14)
    assert by_line[0, 3] == pytest.approx(10.0 + gap(1.0, second, far), rel=1e-14)
    middle = gap(10.0, first, far) + gap(7.0, second, far)
    assert by_line[2, 3] == pytest.approx(middle, rel=1e-14)
    by_name = sm.Hamming(missing="distribution").pairwise(X)
    assert by_name[0, 3] == pytest.approx((1 + gap(1.0, second, differ)) / 2, rel=1e-14)
    assert np.isnan(X[2][0])


@pytest.mark.xfail(
    config.DISABLE_JIT, strict=True, reason="without the compiler two gaps differ: inf − inf"
)
def test_a_gap_is_a_category():
    X = [[0.0, 1.0], [4.0, 1.0], [NAN, 7.0], [10.0, NAN]]
    own = sm.Hamming(missing="category").pairwise(X)
    assert own.tolist() == [[0, 0.5, 1, 1], [0.5, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]]


FRAME = pd.DataFrame(
    {
        "length": [1.0, 2.5, None, 4.0, 8.0],
        "size": ["S", "M", "L", "M", None],
        "color": ["red", None, "blue", "red", "red"],
        "day": pd.to_datetime(["2024-01-01", "2024-01-11", "2024-03-01", None, "2023-12-31"]),
    }
)
#: The same as numbers and words for the oracle: ranks, and days after the first of January.
PLAIN = [
    [1.0, 0.0, "red", 0.0],
    [2.5, 1.0, None, 10.0],
    [None, 2.0, "blue", 60.0],
    [4.0, 1.0, "red", None],
    [8.0, None, "red", -1.0],
]


def columns_of(table, d):
    return [[row[d]] for row in table]


@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize("weights", [None, {"color": 3.0, "length": 0.0}])
def test_mixed_tables(alpha, weights):
    metric = sm.Mixed(kinds={"size": ["S", "M", "L"]}, alpha=alpha, weights=weights)
    right = np.zeros((5, 5))
    for d, name in enumerate(FRAME):
        column = oracle.mixed(columns_of(PLAIN, d), columns_of(PLAIN, d)).astype(float)
        right += (weights or {}).get(name, 1.0) * column
    labels = [0, 1, 0, 1, 0]
    W = oracle.within_dispersion(right**alpha, labels, np.ones(5), 2)
    found = stats.within_dispersion(FRAME, labels, metric=metric)
    assert found == pytest.approx(float(W), rel=1e-12)
    np.testing.assert_allclose(metric.pairwise(FRAME), right**alpha, 1e-12, 1e-14)


def test_mixed_categories_and_partial_distances_by_hand():
    table = [[0.0, 1.0], [2.0, 1.0], [4.0, 0.0], [NAN, 0.0]]
    kinds = {1: "category"}
    spread, differs = 16 / 9, 1 / 2  # of 0, 2, 4, and of 1, 1, 0, 0
    partial = sm.Mixed(kinds=kinds, missing="partial").pairwise(table)
    assert partial[0].tolist() == pytest.approx([0, 2 / spread, 4 / spread + 2, 2 / differs])
    weighted = sm.Mixed(kinds=kinds, missing="partial", weights=[1.0, 3.0]).pairwise(table)
    assert weighted[0].tolist() == pytest.approx(
        [0, 2 / spread, 4 / spread + 3 / differs, 4 / differs]
    )
    table = [["a"], ["b"], [None], [None]]
    own = sm.Mixed(missing="category").pairwise(pd.DataFrame(table, columns=["x"]))
    mean = 10 / 16  # of a, b, ?, ?: all ordered pairs but 6 differ
    assert own[0].tolist() == pytest.approx([0, 1 / mean, 1 / mean, 1 / mean])
    assert own[2, 3] == 0


# Objects


def test_parameters_of_objects():
    words, others = (texts(np.random.default_rng(seed)) for seed in (1, 2))
    for name in ("levenshtein", "osa", "lcs", "jaro"):
        for normalized in (False, True):
            right = (name, {"normalized": normalized})
            found = sm.EditDistance(name, normalized).pairwise(words, others)
            expected = oracle.distances(right, words, others).astype(float)
            np.testing.assert_allclose(found, expected, 1e-13, 1e-15, err_msg=name)
    series, others = (lines(np.random.default_rng(seed)) for seed in (1, 2))
    for alpha in (0.5, 1.0, 2.0):
        found = sm.Samples(alpha).pairwise(series, others)
        expected = oracle.distances(("samples", {"alpha": alpha}), series, others).astype(float)
        np.testing.assert_allclose(found, expected, 1e-11, 1e-12)
    sets = [{"a", "b"}, {"b", "c"}, set(), set()]
    expected = [[0, 2 / 3, 1, 1], [2 / 3, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]]
    np.testing.assert_allclose(sm.Jaccard().pairwise(sets), expected, 1e-15)


# Kernels


def test_kernels_and_distances_are_inverse():
    X, w = numbers(np.random.default_rng(1)), np.arange(12.0)
    rho = oracle.distances(("gaussian", {"sigma": 1.5}), X).astype(float)
    for given in ({}, {"origin": 0}, {"origin": 11}, {"sample_weight": w}):
        K = sm.kernel_from_semimetric(rho, **given)
        assert (K == K.T).all()
        np.testing.assert_allclose(sm.semimetric_from_kernel(K), rho, 1e-13, 1e-14)
    assert sm.kernel_from_semimetric(rho, origin=3)[3].tolist() == [0.0] * 12
    centered = sm.kernel_from_semimetric(rho, sample_weight=w)
    np.testing.assert_allclose(centered @ w, 0, atol=1e-13)
    H = np.eye(12) - 1 / 12
    np.testing.assert_allclose(sm.kernel_from_semimetric(rho), -H @ rho @ H / 2, atol=1e-14)


def test_the_violation_of_negative_type_is_a_ratio_of_eigenvalues():
    X = numbers(np.random.default_rng(1))
    assert sm.negative_type_violation(oracle.distances("euclidean", X).astype(float)) == 0
    for right in ("damped_squared", "sine_squared", "chebyshev"):
        rho = oracle.distances(right, X).astype(float)
        H = np.eye(12) - 1 / 12
        values = np.linalg.eigvalsh(-H @ rho @ H / 2)
        expected = max(0.0, -values[0] / values[-1])
        assert sm.negative_type_violation(rho) == pytest.approx(expected, rel=1e-9, abs=1e-10)
    assert sm.negative_type_violation(-rho) > 1
    assert sm.negative_type_violation(np.zeros((3, 3))) == 0
    assert sm.negative_type_violation([[0, -1], [-1, 0]]) == np.inf
