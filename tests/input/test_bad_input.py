"""What is wrong, where, and what to write instead: every message of the estimators."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from kgroups import KernelKGroups, KernelKMeans
from kgroups.runtime import memory
from kgroups.semimetrics import Energy, Gaussian

X = np.arange(20.0).reshape(10, 2)
RHO = Energy().pairwise(X)


def fit(data=X, weight=None, **params):
    return KernelKGroups(**{"n_clusters": 2, **params}).fit(data, sample_weight=weight)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_clusters": 0}, r"n_clusters must be .auto. or an integer >= 1; got 0"),
        ({"n_clusters": 2.5}, r"n_clusters must be .auto. or an integer >= 1; got 2.5"),
        ({"n_clusters": True}, r"n_clusters must be .auto. or an integer >= 1; got True"),
        ({"n_clusters": "Auto"}, r"or an integer >= 1; got 'Auto'\. Did you mean 'auto'\?"),
        ({"n_clusters": "best"}, r"n_clusters must be .auto. or an integer >= 1; got 'best'\.$"),
        ({"n_clusters": 11}, r"n_clusters=11 is more than n_samples=10"),
        ({"metric": "enegry"}, r"metric='enegry' is not known. Did you mean 'energy'\?"),
        ({"metric": 3}, r"metric must be a name, a semimetric"),
        ({"metric": Energy}, r"metric must be a name, a semimetric"),
        ({"init": "kmeans++"}, r"init must be one of .* Did you mean 'k-means\+\+'\?"),
        ({"init": [0, 1]}, r"init must hold one label for each of the 10 rows; got shape \(2,\)"),
        ({"init": [0.5] * 10}, r"init must hold integers in 0..1; got float64"),
        (
            {"init": ["a"] * 10},
            r"in 0..1; got <U1\. .* np\.unique\(labels, return_inverse=True\)",
        ),
        ({"init": [5] * 10}, r"init must hold integers in 0..1 .* got values from 5 to 5"),
        ({"n_init": 0}, r"n_init must be an integer >= 1; got 0"),
        ({"n_init": "many"}, r"n_init must be an integer >= 1; got 'many'"),
        ({"max_iter": 0}, r"max_iter must be an integer >= 1"),
        ({"tol": -1}, r"tol must be a number >= 0; got -1"),
        ({"tol": np.nan}, r"tol must be a number >= 0; got nan"),
        (
            {"method": "fast"},
            r"method must be one of auto, dense, matrix_free, certified, nystroem; got 'fast'",
        ),
        ({"n_jobs": 0}, r"n_jobs=0 has no meaning"),
    ],
)
def test_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        fit(**params)


def test_algorithm():
    with pytest.raises(ValueError, match="algorithm must be one of batch, online; got 'lloyd'"):
        KernelKMeans(2, algorithm="lloyd").fit(X)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Energy(0), r"alpha must be a number in \(0, 2\]; got 0"),
        (lambda: Energy(2.1), r"alpha must be .* got 2.1"),
        (lambda: Energy(float("nan")), r"alpha must be .* got nan"),
        (lambda: Gaussian(0), r"sigma must be a positive number or \"median\"; got 0"),
        (lambda: Gaussian("mean"), r"got 'mean'"),
    ],
)
def test_semimetric_parameters(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    ("bad", "word", "advice"), [(np.nan, "NaN", "impute"), (np.inf, "infinity", "correct")]
)
def test_missing_values_are_located(bad, word, advice):
    Z = X.copy()
    Z[3, 1] = Z[7, 0] = bad
    with pytest.raises(ValueError, match=rf"contains {word} in row 3, column 1 and 1 more"):
        fit(Z)
    frame = pd.DataFrame(Z, columns=["age", "height"])
    with pytest.raises(ValueError, match=rf"row 3, column 'height'.*{advice}"):
        fit(frame)


def test_distances_that_overflow():
    Z = np.array([[-1e308], [1.0], [1e308]])
    with pytest.raises(ValueError, match=r"gives inf between rows 0 and 1; .* standardize"):
        fit(Z)


def test_text_is_located():
    frame = pd.DataFrame({"a": [1.0, 2.0], "town": ["Oslo", "Rome"]})
    with pytest.raises(ValueError, match=r"'Oslo' in row 0, column 'town'.*Hamming"):
        fit(frame)
    with pytest.raises(ValueError, match=r"'x' in row 1, column 0"):
        fit(np.array([[1, 2], ["x", 3]], dtype=object))


def test_too_few_distinct_rows():
    Z = np.repeat(X[:3], 5, axis=0)
    with pytest.raises(
        ValueError,
        match=r"n_clusters=4 is more than the number of distinct rows "
        r"with weight, 3; ask for at most 3",
    ):
        fit(Z, n_clusters=4)
    weight = np.ones(10)
    weight[2:] = 0
    with pytest.raises(ValueError, match="distinct rows with weight, 2"):
        fit(X, weight, n_clusters=3)


def test_shapes():
    with pytest.raises(ValueError, match="Reshape your data"):
        fit(np.arange(11.0))
    with pytest.raises(ValueError, match="0 sample"):
        fit(np.empty((0, 2)))
    with pytest.raises(TypeError, match="dense data is required"):
        fit(csr_array(X), metric="jaccard")
    model = fit()
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict(np.ones((2, 3)))


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(9), r"sample_weight.shape == \(9,\), expected \(10,\)"),
        (np.ones((10, 2)), r"sample_weight.shape == \(10, 2\)"),
        (np.r_[-1.0, np.ones(9)], r"must not be negative; row 0 is -1"),
        (np.zeros(10), r"zero for every row"),
        (np.r_[np.ones(9), np.nan], r"NaN or infinity: row 9"),
    ],
)
def test_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        fit(X, weight)


def changed(i, j, value, matrix=RHO):
    out = matrix.copy()
    out[i, j] = value
    return out


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (RHO[:5], r'metric="precomputed": X must be a square matrix of distances; got .*\(5, 10\)'),
        (changed(2, 5, 99.0), r"entries \(2, 5\) and \(5, 2\) are 99 and .*, 90.5 apart"),
        (
            changed(2, 5, -1.0),
            r"Negative values in data: .* row 2, column 5 is -1.*precomputed_kernel",
        ),
        (changed(4, 4, 0.5), r"entry \(4, 4\) is 0.5"),
        (changed(4, 1, np.nan), r"NaN in row 4, column 1"),
    ],
)
def test_distance_matrices(matrix, message):
    with pytest.raises(ValueError, match=message):
        fit(matrix, metric="precomputed")


def test_kernel_matrices():
    with pytest.raises(ValueError, match="square matrix of similarities"):
        fit(X, metric="precomputed_kernel")
    with pytest.raises(ValueError, match="symmetric matrix of similarities"):
        fit(changed(0, 1, 7.0, X @ X.T), metric="precomputed_kernel")
    K = X @ X.T
    with pytest.raises(TypeError, match="dense data is required"):
        fit(csr_array(K), metric="precomputed")
    with pytest.raises(ValueError, match=r"symmetric .* entries \(0, 1\) and \(1, 0\)"):
        fit(csr_array(changed(0, 1, 7.0, K)), metric="precomputed_kernel")
    with pytest.raises(ValueError, match="NaN or infinity in row 0, column 1"):
        fit(csr_array(changed(0, 1, np.nan, K)), metric="precomputed_kernel")
    with pytest.raises(ValueError, match="square matrix of similarities"):
        fit(csr_array(X), metric="precomputed_kernel")


def test_more_clusters_than_rows_with_weight():
    weight = np.r_[np.ones(3), np.zeros(7)]
    with pytest.raises(ValueError, match="distinct rows with weight, 3"):
        fit(X @ X.T, weight, metric="precomputed_kernel", n_clusters=4)


@pytest.mark.parametrize("gap", [1e-4, 3.0])
def test_asymmetry_far_from_the_corner(gap):
    rho = Energy().pairwise(np.random.default_rng(0).normal(size=(600, 2)))
    rho[590, 300] += gap
    with pytest.raises(ValueError, match=r"\((300, 590|590, 300)\) and .* apart"):
        fit(rho, metric="precomputed")


def test_symmetric_up_to_rounding_is_symmetric():
    noisy = RHO * (1 + 1e-14 * np.random.default_rng(0).normal(size=RHO.shape))
    assert fit(noisy, metric="precomputed").converged_


def test_cross_distances():
    model = fit(RHO, metric="precomputed")
    with pytest.raises(ValueError, match="X has 9 features"):
        model.predict(RHO[:, :9])
    with pytest.raises(ValueError, match="Negative values"):
        model.predict(-RHO)


def test_callables_say_which_pair():
    def broken(a, b):
        raise KeyError("no such key")

    with pytest.raises(
        ValueError, match="metric broken on the pair of objects 0 and 0 raised KeyEr"
    ):
        fit(["a", "b", "c"], metric=broken)
    with pytest.raises(ValueError, match="returned nan; a distance is a finite number"):
        fit(["a", "b", "c"], metric=lambda a, b: float("nan"))


def test_a_matrix_that_does_not_fit(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 500)
    with pytest.raises(
        MemoryError, match=r"A sketch of 10 points needs at least .* KiB; the limit is 400 B"
    ):
        fit()


def test_semimetric_of_the_wrong_shape():
    class Short(Energy):
        def pairwise(self, X, Y=None):
            return np.zeros((2, 2))

    with pytest.raises(ValueError, match=r"returned shape \(2, 2\) for 10 points"):
        fit(metric=Short())


def test_text_needs_a_metric_of_its_own():
    with pytest.raises(ValueError, match="X is a sequence of text, which begins with 'cat'"):
        KernelKGroups(2).fit(["cat", "dog", "cart"])
