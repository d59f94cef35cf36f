"""Metrics that people know from other libraries, and what to write for them here."""

_PRECOMPUTED = (
    'compute the matrix of distances, for instance with scipy.spatial.distance.cdist(X, X, "{}"), '
    'and write metric="precomputed"; negative_type_violation(matrix) measures how far it is from '
    "being of negative type."
)
_SIMILARITY = 'compute it with sklearn.metrics.pairwise.{} and write metric="precomputed_kernel".'
_STRINGS = (
    "write metric=f with a function f(a, b) of two items, such as {}, or compute the matrix of "
    'distances and write metric="precomputed".'
)

_WHAT_TO_WRITE = {
    "correlation": 'write X - X.mean(axis=1, keepdims=True) for X, and metric="cosine".',
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
    "levenshtein": _STRINGS.format("rapidfuzz.distance.Levenshtein.distance"),
    "edit": _STRINGS.format("rapidfuzz.distance.Levenshtein.distance"),
    "jaro_winkler": _STRINGS.format("rapidfuzz.distance.JaroWinkler.distance"),
    "dtw": _STRINGS.format("aeon.distances.dtw_distance or tslearn.metrics.dtw"),
    "wasserstein": _STRINGS.format("scipy.stats.wasserstein_distance"),
    "seuclidean": 'standardize the columns and write metric="euclidean".',
    "mahalanobis": (
        'whiten the columns, for instance with sklearn.decomposition.PCA(whiten=True), and write '
        'metric="euclidean".'
    ),
    "nan_euclidean": (
        'write metric="mixed", for which a missing entry is the distribution of its column; or '
        'replace missing values (sklearn.impute) and write metric="euclidean".'
    ),
    "matching": 'write metric="hamming".',
} | {
    name: _PRECOMPUTED.format(name)
    for name in (
        "braycurtis", "canberra", "chebyshev", "dice", "infinity", "minkowski", "rogerstanimoto",
        "russellrao", "sokalmichener", "sokalsneath", "yule",
    )
}  # fmt: skip


def what_to_write(name: str) -> str:
    """What stands in kgroups for a metric that another library calls ``name``; else nothing."""
    return _WHAT_TO_WRITE.get(name.lower(), "")
