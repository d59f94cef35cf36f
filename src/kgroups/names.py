"""Names that options take, read by the library and by the command line.

Nothing is imported here, so ``kgroups --help`` knows the names without NumPy. ``"auto"`` comes
first wherever an option takes it. The tables that say what a name stands for are checked against
these tuples when they are imported, see :func:`registered`.
"""

from collections.abc import Mapping
from typing import TypeVar

_Value = TypeVar("_Value")

AUTO = "auto"

#: ``metric=``: semimetrics that are known by name.
SEMIMETRICS = (
    "energy",
    "laplacian",
    "gaussian",
    "manhattan",
    "hamming",
    "cosine",
    "angular",
    "jaccard",
    "jensen_shannon",
    "hellinger",
    "great_circle",
    "kendall_tau",
    "mixed",
    "damped_squared",
    "sine_squared",
)
#: ``metric=``: names that scikit-learn and SciPy use for one of them.
METRIC_ALIASES = ("euclidean", "l2", "sqeuclidean", "cityblock", "l1", "haversine")
#: ``metric=``: edit distances between strings, which rapidfuzz computes.
EDIT_DISTANCES = (
    "levenshtein",
    "damerau_levenshtein",
    "osa",
    "indel",
    "lcs",
    "jaro",
    "jaro_winkler",
)
#: ``metric=``: elastic distances between series, which aeon or tslearn computes.
ELASTIC_DISTANCES = (
    "dtw",
    "ddtw",
    "wdtw",
    "wddtw",
    "adtw",
    "shape_dtw",
    "lcss",
    "edr",
    "erp",
    "msm",
    "twe",
    "sbd",
    "frechet",
)
#: ``metric=``: distances between rows of numbers, which SciPy computes.
SCIPY_DISTANCES = (
    "braycurtis",
    "canberra",
    "chebyshev",
    "correlation",
    "dice",
    "mahalanobis",
    "minkowski",
    "rogerstanimoto",
    "seuclidean",
    "sokalsneath",
    "yule",
)
#: ``metric=``: the energy distance between samples, of which each row is one.
SAMPLES = "samples"
#: ``metric=``: those that compare items of a list rather than rows of a table of numbers.
OBJECT_METRICS = (*EDIT_DISTANCES, *ELASTIC_DISTANCES, SAMPLES)
#: ``metric=``: those whose columns have no units of their own to choose, with what a row is.
UNSCALED = {
    "hamming": "categories",
    "cosine": "directions",
    "angular": "directions",
    "jaccard": "sets",
    "jensen_shannon": "histograms",
    "hellinger": "histograms",
    "great_circle": "places",
    "haversine": "places",
    "kendall_tau": "rankings",
    "mixed": "columns divided by their mean distances",
}
#: ``metric=``: what a square matrix between the rows holds, distances or similarities.
MATRICES = ("precomputed", "precomputed_kernel")
#: ``method=``: how distances are held.
METHODS = (AUTO, "dense", "matrix_free", "certified", "nystroem")
#: ``init=`` of the estimators for tables.
INITS = (AUTO, "k-means++", "random", "euclidean-k-means++", "spectral")
#: ``max_samples=``: rows that the criteria for the number of clusters use at most.
QUICK_SAMPLES = 2_000
#: ``landmarks=``: how the points of a sketch are drawn.
LANDMARKS = ("uniform", "distant")
#: ``algorithm=`` of :class:`kgroups.KernelKMeans`.
ALGORITHMS = ("batch", "online")

#: ``kind=`` of an optimality gap.
BOUND_KINDS = (AUTO, "spectral", "blockwise", "semidefinite")
#: ``method=`` of the spectral bound.
SPECTRAL_BOUND_METHODS = (AUTO, "exact", "blockwise")

#: ``objective=`` of :class:`kgroups.GraphKGroups`.
OBJECTIVES = (
    AUTO,
    "bethe_hessian",
    "ratio_association",
    "ratio_cut",
    "normalized_cut",
    "modularity",
    "cpm",
)
#: ``init=`` of :class:`kgroups.GraphKGroups`.
GRAPH_INITS = (AUTO, "spectral", "spectral-unit", "spectral-walk", "belief", "multilevel", "random")
#: ``affinity=`` of :class:`kgroups.GraphKGroups`.
AFFINITIES = ("precomputed", "nearest_neighbors")
#: ``weights=`` of :class:`kgroups.GraphKGroups`.
NODE_WEIGHTS = ("unit", "degree")

#: Extensions of files that hold a table.
TABLE_SUFFIXES = (
    ".csv",
    ".tsv",
    ".txt",
    ".npy",
    ".npz",
    ".parquet",
    ".feather",
    ".arrow",
    ".xlsx",
    ".jsonl",
    ".ndjson",
    ".json",
)
#: What follows the extension of a compressed file, as in .csv.gz.
COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")
#: ``format=`` of :func:`kgroups.graphs.read_graph`.
GRAPH_FORMATS = (
    "edgelist",
    "adjlist",
    "sif",
    "pajek",
    "gml",
    "graphml",
    "gexf",
    "mtx",
    "npz",
    "npy",
)
#: Extensions of files that hold a graph, with the format of each.
GRAPH_SUFFIXES = {
    **dict.fromkeys((".csv", ".tsv", ".txt", ".edges", ".edgelist", ".ncol"), "edgelist"),
    **dict.fromkeys((".net", ".paj"), "pajek"),
    **{f".{name}": name for name in GRAPH_FORMATS[1:]},
}
#: Columns that hold the weights of edges, whatever their case, blanks, dashes and underscores.
WEIGHT_COLUMNS = (
    "weight",
    "weights",
    "w",
    "value",
    "count",
    "counts",
    "frequency",
    "score",
    "combined_score",
    "strength",
    "similarity",
    "correlation",
    "gewicht",
)


def registered(names: tuple[str, ...], table: Mapping[str, _Value]) -> dict[str, _Value]:
    """``table`` in the order of ``names``; an error when imported if one of the two has more.

    >>> registered(("auto", "a", "b"), {"b": 2, "a": 1})
    {'a': 1, 'b': 2}
    """
    expected = [name for name in names if name != AUTO]
    if set(expected) != set(table):
        different = ", ".join(sorted(set(expected) ^ set(table)))
        raise LookupError(f"kgroups.names and the table differ in {different}")
    return {name: table[name] for name in expected}
