"""Metrics that people know from other libraries, and what to write for them here."""

_SIMILARITY = 'compute it with sklearn.metrics.pairwise.{} and write metric="precomputed_kernel".'
_STRINGS = (
    "write metric=f with a function f(a, b) of two items, such as {}, or compute the matrix of "
    'distances and write metric="precomputed".'
)

_WHAT_TO_WRITE = {
    "rbf": (
        "write metric=Gaussian(sigma=(2*gamma)**-0.5), or "
        'metric=Gaussian("median") (kgroups.semimetrics.Gaussian).'
    ),
    "laplacian_kernel": _SIMILARITY.format("laplacian_kernel"),
    "linear": 'write metric="sqeuclidean", which the linear kernel generates.',
    "poly": _SIMILARITY.format("polynomial_kernel"),
    "polynomial": _SIMILARITY.format("polynomial_kernel"),
    "sigmoid": _SIMILARITY.format("sigmoid_kernel"),
    "chi2": _SIMILARITY.format("chi2_kernel"),
    "gower": (
        'write metric="mixed", which divides each column by its mean distance, not its range; '
        'Mixed(missing="partial") compares rows by the columns that both have.'
    ),
    "edit": 'write metric="levenshtein".',
    "wasserstein": _STRINGS.format("scipy.stats.wasserstein_distance"),
    "nan_euclidean": (
        'write metric="mixed", for which a missing entry is the distribution of its column; or '
        'replace missing values (sklearn.impute) and write metric="euclidean".'
    ),
    "matching": 'write metric="hamming".',
} | {
    "infinity": 'write metric="chebyshev".',
    "sokalmichener": 'write metric="rogerstanimoto", which SciPy computes the same way.',
    "russellrao": (
        "it does not give a row the distance 0 to itself, so it is not a distance here; write "
        'metric="jaccard" or "dice".'
    ),
}


def what_to_write(name: str) -> str:
    """What stands in kgroups for a metric that another library calls ``name``; else nothing."""
    return _WHAT_TO_WRITE.get(name.lower(), "")
