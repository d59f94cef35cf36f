"""Rows of every kind for every metric, the containers they come in, and what is said of others.

``ROWS`` has one entry for each name in :mod:`kgroups.names` that ``metric=`` takes, and some
functions. Each entry says of every kind of rows either how such rows are drawn, or which words
refuse them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numba
import numpy as np
import pandas as pd
import polars as pl
from numpy.random import Generator
from scipy import sparse

from kgroups import names

N, K = 12, 3
#: The cluster that each row was drawn from.
GROUP = np.arange(N) % K


# --- rows of every kind ------------------------------------------------------------------------


def rounded(values: Any, steps: int = 8) -> np.ndarray:
    """Multiples of 1/8, which float16 and float32 hold as they are."""
    return np.round(np.asarray(values, float) * steps) / steps


def numbers(rng: Generator) -> np.ndarray:
    return rounded(rng.normal(size=(N, 4)) + 4 * np.eye(K, 4)[GROUP])


def codes(rng: Generator) -> np.ndarray:
    noise = rng.integers(0, 4, (N, 4))
    return np.where(rng.random((N, 4)) < 0.8, GROUP[:, None], noise).astype(float)


def histograms(rng: Generator) -> np.ndarray:
    return rounded(rng.gamma(0.5, size=(N, 4)) + 4 * np.eye(K, 4)[GROUP] + 0.125)


def bits(rng: Generator) -> np.ndarray:
    own = np.repeat(np.eye(K), 2, axis=1)[GROUP]
    return np.where(rng.random((N, 6)) < 0.8, own, rng.integers(0, 2, (N, 6)))


def rankings(rng: Generator) -> np.ndarray:
    kinds = [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [3, 6, 0, 5, 1, 4, 2]]
    table = np.array(kinds, float)[GROUP]
    for row in table:
        at = rng.integers(6)
        row[[at, at + 1]] = row[[at + 1, at]]
    return table


def places(rng: Generator) -> np.ndarray:
    centers = np.array([[10.0, 100.0], [-40.0, 20.0], [60.0, -120.0]])
    return rounded(centers[GROUP] + rng.normal(size=(N, 2)))


def places_in_radians(rng: Generator) -> np.ndarray:
    centers = np.array([[0.5, 2.0], [-1.0, 0.25], [1.0, -2.5]])
    return rounded(centers[GROUP] + 0.1 * rng.normal(size=(N, 2)), 64)


def distances(rng: Generator) -> np.ndarray:
    X = numbers(rng)
    return np.abs(X[:, None] - X[None]).sum(axis=2)


def similarities(rng: Generator) -> np.ndarray:
    X = numbers(rng)
    return X @ X.T


def with_gaps(rng: Generator) -> np.ndarray:
    X = numbers(rng)
    X[2, 0] = X[5, 1] = np.nan
    return X


def texts(rng: Generator) -> list[str]:
    stems = ["aaaa", "zzzzzzz", "mmnnmmnnmm"]
    return [stems[g] + "".join(rng.choice(list("abyz"), 2)) for g in GROUP]


def categories(rng: Generator) -> np.ndarray:
    words = np.array([["red", "small"], ["green", "large"], ["blue", "medium"]], object)
    chosen = np.where(rng.random((N, 2)) < 0.8, GROUP[:, None], rng.integers(0, K, (N, 2)))
    return np.column_stack([words[chosen[:, c], c] for c in range(2)])


def one_category(rng: Generator) -> np.ndarray:
    return categories(rng)[:, :1]


def sets(rng: Generator) -> list[set[int]]:
    return [{10 * int(g) + int(j) for j in rng.integers(0, 5, 6)} for g in GROUP]


def lines(rng: Generator) -> list[np.ndarray]:
    return [rounded(8 * g + rng.normal(size=rng.integers(3, 6))) for g in GROUP]


def tables(rng: Generator) -> np.ndarray:
    return rounded(8 * GROUP[:, None, None] + rng.normal(size=(N, 4, 2)))


# --- containers --------------------------------------------------------------------------------


def column_names(X: Any) -> list[str]:
    return ["latitude", "longitude"] if X.shape[1] == 2 else [f"c{i}" for i in range(X.shape[1])]


def pandas_frame(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=column_names(X))


def polars_frame(X: np.ndarray) -> pl.DataFrame:
    nulls = {name: X[:, i].tolist() for i, name in enumerate(column_names(X))}
    return pl.DataFrame(nulls, nan_to_null=True)


def sparse_frame(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame.sparse.from_spmatrix(sparse.csr_array(X), columns=column_names(X))


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.setflags(write=False)
    return X


def objects(items: Any) -> np.ndarray:
    made = np.empty(len(items), object)
    made[:] = list(items)
    return made


#: By kind: how the rows are drawn where nothing else is said, and the containers they come in. The
#: first container is the one that the others are compared with.
KINDS: dict[str, tuple[Callable[[Generator], Any], dict[str, Callable[[Any], Any]]]] = {
    "numbers": (
        numbers,
        {
            "float64": lambda X: X,
            "float32": lambda X: X.astype(np.float32),
            "float16": lambda X: X.astype(np.float16),
            "Fortran": np.asfortranarray,
            "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
            "read-only": read_only,
            "lists": lambda X: X.tolist(),
            "pandas": pandas_frame,
            "polars": polars_frame,
        },
    ),
    "sparse": (
        numbers,
        {
            "csr": sparse.csr_array,
            "csc": sparse.csc_array,
            "coo": sparse.coo_array,
            "csr_matrix": sparse.csr_matrix,
            "float32": lambda X: sparse.csr_array(X.astype(np.float32)),
        },
    ),
    "sparse frame": (numbers, {"pandas": sparse_frame}),
    "gaps": (
        with_gaps,
        {"float64": lambda X: X, "pandas": pandas_frame, "polars": polars_frame},
    ),
    "categories": (categories, {"pandas": pandas_frame, "polars": polars_frame}),
    "rows of text": (categories, {"objects": lambda X: X}),
    "one column of text": (
        one_category,
        {"objects": lambda X: X, "pandas": pandas_frame, "polars": polars_frame},
    ),
    "texts": (
        texts,
        {"list": list, "array": np.array, "objects": objects, "pandas": pd.Series,
         "polars": pl.Series},
    ),
    "sets": (sets, {"list": list, "objects": objects, "pandas": pd.Series}),
    "lines": (lines, {"list": list, "objects": objects, "pandas": pd.Series}),
    "tables": (
        tables,
        {"array": lambda X: X, "list": list, "objects": objects},
    ),
}  # fmt: skip


# --- what each metric takes --------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One metric: the kinds of rows it compares, and what is said of each other kind."""

    metric: Any
    #: How rows are drawn, by kind; None for the draw of the kind.
    taken: Mapping[str, Callable[[Generator], Any] | None]
    refused: Mapping[str, str]
    #: Distances by hand, where ``pairwise`` does not take the rows as they come.
    by_hand: Mapping[str, Callable[[Any], np.ndarray]] = field(default_factory=dict)
    #: Libraries of which one is needed.
    needs: tuple[str, ...] = ()
    #: Whether distances depend on what other rows there are.
    of_sample: bool = False

    @property
    def is_here(self) -> bool:
        """Whether what it needs is installed."""
        return not self.needs or any(find_spec(library) for library in self.needs)


NOT_SPARSE = r"^Sparse data was passed for X, but dense data is required.*X\.toarray\(\)"
NOT_SPARSE_FRAME = r"^Sparse data was passed for X.*X\.sparse\.to_dense\(\)"
TEXT = r"^X holds text where a number is needed: .* in row 0, column.*\"mixed\""
#: What a metric of numbers says of other rows.
NO_NUMBERS = {
    "sparse": NOT_SPARSE,
    "sparse frame": NOT_SPARSE_FRAME,
    "gaps": r"^Input X contains NaN in row 2, column ('c0'|0) and 1 more.*\"mixed\"",
    "categories": TEXT,
    "rows of text": TEXT,
    "one column of text": TEXT,
    "texts": r"^X is a sequence of text, which begins with 'aaaa.*\"levenshtein\"",
    "sets": r"^X is a sequence of sets, which begins with {.*\"jaccard\"",
    "lines": r"^X has rows of unequal length: . values in row 0.*\"dtw\".*\"samples\"",
    "tables": r"^X has 3 dimensions.*\"dtw\".*\"samples\"|arrays of one length; write numpy.stack",
}
#: What a metric between strings says of other rows.
NO_STRINGS = {
    "numbers": r"^X has shape \(12, 4\), and one string per row|^X holds a value of type list",
    "sparse": NOT_SPARSE,
    "sparse frame": r"^X has shape \(12, 4\), and one string per row is compared",
    "gaps": r"^X has shape \(12, 4\), and one string per row is compared",
    "categories": r"^X has shape \(12, 2\), and one string per row is compared",
    "rows of text": r"^X has shape \(12, 2\), and one string per row is compared",
    "sets": r"^X holds a value of type set .* where a string is compared: item 0",
    "lines": r"^X holds a value of type ndarray .* where a string is compared: item 0",
    "tables": r"^X has shape \(12, 4, 2\), and one string|^X holds a value of type ndarray",
}
#: What a metric between arrays of numbers says of other rows.
NO_ARRAYS = {
    "sparse": NOT_SPARSE,
    "gaps": r"the (series|sample) 2 holds NaN at position 0",
    "categories": r"the (series|sample) 0 must be numbers; got .* begins with 'red'",
    "rows of text": r"the (series|sample) 0 must be numbers; got .* begins with 'red'",
    "one column of text": r"the (series|sample) 0 must be numbers; got .* begins with 'red'",
    "texts": r"the (series|sample) 0 must be numbers; got .* begins with 'aaaa",
    "sets": r"the (series|sample) 0 must be numbers; got .* begins with {",
}
#: What a compiled function of two arrays says of other rows.
NOT_COMPILED = r"^the metric \w+ on the pair of objects 0 and 0 raised TypingError"
NO_COMPILED = {
    **{kind: NO_NUMBERS[kind] for kind in ("sparse", "sparse frame", "gaps", "categories")},
    **dict.fromkeys(("rows of text", "one column of text", "texts", "sets"), NOT_COMPILED),
    "tables": r"^the compiled metric ends_apart does not take two of the items of X",
}
#: What is said of rows where a matrix between them was announced.
NO_MATRIX = {
    **{kind: NO_NUMBERS[kind] for kind in ("sparse frame", "texts", "sets", "lines", "tables")},
    "sparse": r"^Sparse data was passed for X, but dense data is required: use X\.toarray",
    "gaps": r"^Input X contains NaN in row 2, column 0 and 1 more",
    "categories": r"X must hold only (distances|similarities); column 'latitude' holds text, 'red'",
    "rows of text": r"X must hold only (distances|similarities); column 0 holds text, 'red'",
    "one column of text": r"X must hold only (distances|similarities); column .* holds text, 'red'",
}


def mismatches(X: np.ndarray) -> np.ndarray:
    """Share of the columns in which two rows differ."""
    return (X[:, None] != X[None]).mean(axis=2)


def equal_mismatches(X: np.ndarray) -> np.ndarray:
    """Mismatches, those of each column divided by their mean over all pairs of rows."""
    differ = (X[:, None] != X[None]).astype(float)
    return (differ / differ.mean(axis=(0, 1))).sum(axis=2)


def entries_apart(x: Any, y: Any) -> float:
    """How many entries only one of two objects has."""
    return float(len(_entries(x) ^ _entries(y)))


def _entries(x: Any) -> set[Any]:
    return set(x) if isinstance(x, (str, set)) else set(np.ravel(x).tolist())


@numba.njit
def ends_apart(x, y):
    return abs(x[0] - y[0]) + abs(x[-1] - y[-1])


TEXT_COLUMNS = ("categories", "rows of text", "one column of text")


def of_numbers(metric: Any, draw: Any, sparse: bool = False, **more: Any) -> Row:
    """A metric between rows of numbers, which may be sparse."""
    by_hand = more.get("by_hand", {})
    taken = dict.fromkeys(["numbers", *(("sparse", "sparse frame") * sparse)], draw)
    taken |= dict.fromkeys(by_hand)
    refused = {kind: words for kind, words in NO_NUMBERS.items() if kind not in taken}
    return Row(metric, taken, refused, **more)


def of_objects(metric: Any, taken: tuple[str, ...], refused: dict[str, str], **more: Any) -> Row:
    """A metric between objects of some kinds."""
    return Row(metric, dict.fromkeys(taken), refused, **more)


ARRAYS = ("numbers", "sparse frame", "lines", "tables")
#: Where aeon alone does not have it, or is not the only one.
LIBRARIES_OF_SERIES = {
    "dtw": ("aeon", "tslearn"),
    "lcss": ("aeon", "tslearn"),
    "frechet": ("tslearn",),
}
OF_ROWS = {
    "energy": of_numbers("energy", numbers, True),
    "laplacian": of_numbers("laplacian", numbers, True),
    "gaussian": of_numbers("gaussian", numbers, True),
    "manhattan": of_numbers("manhattan", numbers, True),
    "hamming": of_numbers("hamming", codes, True, by_hand=dict.fromkeys(TEXT_COLUMNS, mismatches)),
    "cosine": of_numbers("cosine", numbers, True),
    "angular": of_numbers("angular", numbers, True),
    "jensen_shannon": of_numbers("jensen_shannon", histograms),
    "hellinger": of_numbers("hellinger", histograms),
    "great_circle": of_numbers("great_circle", places),
    "kendall_tau": of_numbers("kendall_tau", rankings),
    "damped_squared": of_numbers("damped_squared", numbers, True),
    "sine_squared": of_numbers("sine_squared", numbers, True),
    "euclidean": of_numbers("euclidean", numbers, True),
    "l2": of_numbers("l2", numbers, True),
    "sqeuclidean": of_numbers("sqeuclidean", numbers, True),
    "cityblock": of_numbers("cityblock", numbers, True),
    "l1": of_numbers("l1", numbers, True),
    "haversine": of_numbers("haversine", places_in_radians),
    "braycurtis": of_numbers("braycurtis", histograms),
    "canberra": of_numbers("canberra", histograms),
    "chebyshev": of_numbers("chebyshev", numbers),
    "correlation": of_numbers("correlation", numbers),
    "dice": of_numbers("dice", bits),
    "mahalanobis": of_numbers("mahalanobis", numbers, of_sample=True),
    "minkowski": of_numbers("minkowski", numbers),
    "rogerstanimoto": of_numbers("rogerstanimoto", bits),
    "seuclidean": of_numbers("seuclidean", numbers, of_sample=True),
    "sokalsneath": of_numbers("sokalsneath", bits),
    "yule": of_numbers("yule", bits),
}
OF_OTHERS = {
    "jaccard": Row(
        "jaccard",
        {"numbers": bits, "sets": sets},
        {kind: words for kind, words in NO_NUMBERS.items() if kind != "sets"},
    ),
    "mixed": Row(
        "mixed",
        dict.fromkeys(["numbers", "sparse frame", "gaps", *TEXT_COLUMNS]),
        {kind: NO_NUMBERS[kind] for kind in ("sparse", "texts", "sets", "lines", "tables")},
        by_hand=dict.fromkeys(TEXT_COLUMNS, equal_mismatches),
        of_sample=True,
    ),
    "samples": of_objects("samples", ARRAYS, NO_ARRAYS),
    "precomputed": Row("precomputed", {"numbers": distances}, NO_MATRIX),
    "precomputed_kernel": Row(
        "precomputed_kernel",
        dict.fromkeys(["numbers", "sparse"], similarities),
        {kind: words for kind, words in NO_MATRIX.items() if kind != "sparse"},
    ),
}
OF_STRINGS = {
    name: of_objects(name, ("one column of text", "texts"), NO_STRINGS, needs=("rapidfuzz",))
    for name in names.EDIT_DISTANCES
}
OF_SERIES = {
    name: of_objects(name, ARRAYS, NO_ARRAYS, needs=LIBRARIES_OF_SERIES.get(name, ("aeon",)))
    for name in names.ELASTIC_DISTANCES
}
FUNCTIONS = {
    "function": of_objects(
        entries_apart,
        ("numbers", "rows of text", "one column of text", "texts", "sets", "lines", "tables"),
        {kind: NO_NUMBERS[kind] for kind in ("sparse", "sparse frame", "gaps", "categories")},
    ),
    "compiled function": of_objects(ends_apart, ("numbers", "lines"), NO_COMPILED),
}
ROWS: dict[str, Row] = {**OF_ROWS, **OF_OTHERS, **OF_STRINGS, **OF_SERIES, **FUNCTIONS}
