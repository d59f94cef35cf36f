"""Rows of every kind for every metric, the containers they come in, and what is right of them.

``ROWS`` has one entry for each name in :mod:`kgroups.names` that ``metric=`` takes, and some
functions. Each entry says of every kind of rows either how such rows are drawn and how far apart
they are, or which words refuse them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numba
import numpy as np
import pandas as pd
import polars as pl
from numpy.random import Generator
from scipy import sparse
from scipy.spatial.distance import cdist

import oracle
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


def integers(X: np.ndarray) -> Any:
    """As integers, where nothing is lost."""
    return X.astype(np.int64) if (np.round(X) == X).all() else None


def truths(X: np.ndarray) -> Any:
    """As booleans, where nothing is lost."""
    return X.astype(bool) if set(np.unique(X)) <= {0.0, 1.0} else None


LISTS = {"list": list, "objects": objects, "pandas": pd.Series}
FRAMES = {"pandas": pandas_frame, "polars": polars_frame}
#: The containers of every kind of rows, of which the others are compared with the first. One that
#: cannot hold some rows makes None of them.
CONTAINERS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "numbers": {
        "float64": lambda X: X,
        "float32": lambda X: X.astype(np.float32),
        "float16": lambda X: X.astype(np.float16),
        "int64": integers,
        "bool": truths,
        "Fortran": np.asfortranarray,
        "strided": lambda X: np.repeat(X, 2, axis=0)[::2],
        "read-only": read_only,
        "lists": lambda X: X.tolist(),
        **FRAMES,
    },
    "sparse": {
        "csr": sparse.csr_array,
        "csc": sparse.csc_array,
        "coo": sparse.coo_array,
        "csr_matrix": sparse.csr_matrix,
        "float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    },
    "sparse frame": {"pandas": sparse_frame},
    "gaps": {"float64": lambda X: X, **FRAMES},
    "categories": FRAMES,
    "rows of text": {"objects": lambda X: X},
    "one column of text": {"objects": lambda X: X, **FRAMES},
    "texts": {**LISTS, "array": np.array, "polars": pl.Series},
    "sets": LISTS,
    "lines": LISTS,
    "tables": {"array": lambda X: X, "list": list, "objects": objects},
}
#: How rows of a kind are drawn where the metric does not say.
DRAWS: dict[str, Callable[[Generator], Any]] = {
    "numbers": numbers, "sparse": numbers, "sparse frame": numbers, "gaps": with_gaps,
    "categories": categories, "rows of text": categories, "one column of text": one_category,
    "texts": texts, "sets": sets, "lines": lines, "tables": tables,
}  # fmt: skip


# --- what each metric takes --------------------------------------------------------------------

Draw = Callable[[Generator], Any]
#: ρ between the drawn rows of X and of Y, where means and scales are those of X.
Distances = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Row:
    """One metric: the kinds of rows it compares, with draws and distances, and those it refuses."""

    metric: Any
    taken: Mapping[str, tuple[Draw, Distances]]
    #: Two key words of the error for other kinds of rows.
    refused: Mapping[str, tuple[str, ...]]
    #: Libraries of which one is needed.
    needs: tuple[str, ...] = ()
    #: Whether distances depend on what other rows there are.
    of_sample: bool = False

    @property
    def is_here(self) -> bool:
        """Whether what it needs is installed."""
        return not self.needs or any(find_spec(library) for library in self.needs)


SPARSE = ("Sparse", "toarray")
TEXT = ("text", "mixed")
#: What a metric of numbers says of other rows.
NO_NUMBERS = {
    "sparse": SPARSE,
    "sparse frame": SPARSE,
    "gaps": ("NaN", "mixed"),
    "categories": TEXT,
    "rows of text": TEXT,
    "one column of text": TEXT,
    "texts": ("convert string|1D array|2-dimensional",),
    "sets": ("'set'|1D array|2-dimensional",),
    "lines": ("sequence|1D array|2-dimensional",),
    "tables": ("dim 3|sequence|1D array|2-dimensional",),
}
ONE_STRING = ("shape", "one string")
#: What a metric between strings says of other rows.
NO_STRINGS = {
    "numbers": ("one string|value of type",),
    "sparse": SPARSE,
    **dict.fromkeys(("sparse frame", "gaps", "categories", "rows of text"), ONE_STRING),
    "sets": ("type set", "string"),
    "lines": ("type ndarray", "string"),
    "tables": ("one string|value of type",),
}
#: What a metric between arrays of numbers says of other rows.
NO_ARRAYS = {
    "sparse": SPARSE,
    "gaps": ("NaN", "position 0"),
    **dict.fromkeys(
        ("categories", "rows of text", "one column of text", "texts", "sets"),
        ("must be numbers", "begins with"),
    ),
}
#: What a compiled function of two arrays says of other rows.
NO_COMPILED = {
    **{kind: NO_NUMBERS[kind] for kind in ("sparse", "sparse frame", "gaps", "categories")},
    **dict.fromkeys(("rows of text", "one column of text", "texts", "sets"), ("TypingError",)),
    "tables": ("compiled metric", "ends_apart"),
}


def of(metric: oracle.Metric) -> Distances:
    """Distances by the oracle."""
    return partial(oracle.distances, metric)


def categories_apart(X: Any, Y: Any) -> Any:
    return oracle.long((X[:, None] != Y[None]).mean(axis=2))


def equal_mismatches(X: Any, Y: Any) -> Any:
    """Mismatches, those of each column divided by their mean over all pairs of rows of X."""
    own = (X[:, None] != X[None]).mean(axis=(0, 1))
    return oracle.long(((X[:, None] != Y[None]) / own).sum(axis=2))


def mahalanobis(X: Any, Y: Any) -> Any:
    return oracle.long(cdist(X, Y, "mahalanobis", VI=np.linalg.inv(np.cov(X.T))))


def seuclidean(X: Any, Y: Any) -> Any:
    return oracle.long(cdist(X, Y, "seuclidean", V=X.var(axis=0, ddof=1)))


def gaps_as_none(X: Any) -> list[list[Any]]:
    return [[None if v != v else v for v in row] for row in np.asarray(X, object)]


def mixed(X: Any, Y: Any) -> Any:
    return oracle.mixed(gaps_as_none(X), gaps_as_none(Y))


def by_pairs(metric: Callable[[Any, Any], float]) -> Distances:
    """Distances by a function of two objects."""
    return lambda X, Y: oracle.long([[metric(x, y) for y in Y] for x in X])


def entries_apart(x: Any, y: Any) -> float:
    """How many entries only one of two objects has."""
    return float(len(_entries(x) ^ _entries(y)))


def _entries(x: Any) -> set[Any]:
    return set(x) if isinstance(x, (str, set)) else set(np.ravel(x).tolist())


def ends_apart_in_python(x: Any, y: Any) -> float:
    return float(abs(x[0] - y[0]) + abs(x[-1] - y[-1]))


@numba.njit
def ends_apart(x, y):
    return abs(x[0] - y[0]) + abs(x[-1] - y[-1])


def of_numbers(
    metric: Any, draw: Draw, sparse: bool = False, rho: Distances | None = None, **more: Any
) -> Row:
    """A metric between rows of numbers, which may be sparse."""
    rho = rho or of(metric)
    taken = dict.fromkeys(["numbers", *(("sparse", "sparse frame") * sparse)], (draw, rho))
    taken |= more.pop("also", {})
    return Row(metric, taken, {k: v for k, v in NO_NUMBERS.items() if k not in taken}, **more)


def of_objects(
    metric: Any, taken: tuple[str, ...], rho: Distances, refused: Any, **more: Any
) -> Row:
    """A metric between objects of some kinds; a table of one column holds one object a row."""

    def of_column(X: Any, Y: Any) -> Any:
        return rho(X[:, 0], Y[:, 0])

    one = "one column of text"
    rhos = {kind: (DRAWS[kind], of_column if kind == one else rho) for kind in taken}
    return Row(metric, rhos, refused, **more)


def lcss(x: Any, y: Any) -> float:
    """One minus the longest common subsequence, as a share, with ε = 1."""
    return 1.0 - float(importlib.import_module("tslearn.metrics").lcss(x, y, eps=1.0))


ARRAYS = ("numbers", "sparse frame", "lines", "tables")
WORDS = {
    "categories": (categories, categories_apart),
    "rows of text": (categories, categories_apart),
    "one column of text": (one_category, categories_apart),
}
OF_ROWS = {
    name: of_numbers(name, numbers, True)
    for name in (
        "energy", "laplacian", "gaussian", "manhattan", "cosine", "angular", "damped_squared",
        "sine_squared", "euclidean", "l2", "sqeuclidean", "cityblock", "l1",
    )
} | {
    name: of_numbers(name, draw)
    for name, draw in {
        "jensen_shannon": histograms, "hellinger": histograms, "great_circle": places,
        "haversine": places_in_radians, "kendall_tau": rankings, "braycurtis": histograms,
        "canberra": histograms, "chebyshev": numbers, "correlation": numbers, "dice": bits,
        "minkowski": numbers, "rogerstanimoto": bits, "sokalsneath": bits, "yule": bits,
    }.items()
}  # fmt: skip
OF_OTHERS = {
    "hamming": of_numbers("hamming", codes, True, rho=categories_apart, also=WORDS),
    "mahalanobis": of_numbers("mahalanobis", numbers, rho=mahalanobis, of_sample=True),
    "seuclidean": of_numbers("seuclidean", numbers, rho=seuclidean, of_sample=True),
    "jaccard": of_numbers("jaccard", bits, also={"sets": (sets, of("sets"))}),
    "mixed": of_numbers(
        "mixed",
        numbers,
        rho=mixed,
        also={
            "sparse frame": (numbers, mixed),
            "gaps": (with_gaps, mixed),
            **{kind: (draw, equal_mismatches) for kind, (draw, _) in WORDS.items()},
        },
        of_sample=True,
    ),
    "samples": of_objects("samples", ARRAYS, of("samples"), NO_ARRAYS),
}
OF_STRINGS = {
    name: of_objects(
        name, ("one column of text", "texts"), of(name), NO_STRINGS, needs=("rapidfuzz",)
    )
    for name in names.EDIT_DISTANCES
}
#: Where tslearn has them, too; others need aeon.
BY_TSLEARN = {"dtw": of("dtw"), "frechet": of("frechet"), "lcss": by_pairs(lcss)}
OF_SERIES = {
    name: of_objects(
        name,
        ARRAYS,
        BY_TSLEARN.get(name),
        NO_ARRAYS,
        needs=("tslearn",) if name in BY_TSLEARN else ("aeon",),
    )
    for name in names.ELASTIC_DISTANCES
}
FUNCTIONS = {
    "function": of_objects(
        entries_apart,
        ("numbers", "rows of text", "one column of text", "texts", "sets", "lines", "tables"),
        by_pairs(entries_apart),
        {kind: NO_NUMBERS[kind] for kind in ("sparse", "sparse frame", "gaps", "categories")},
    ),
    "compiled function": of_objects(
        ends_apart, ("numbers", "lines"), by_pairs(ends_apart_in_python), NO_COMPILED
    ),
}
ROWS: dict[str, Row] = {**OF_ROWS, **OF_OTHERS, **OF_STRINGS, **OF_SERIES, **FUNCTIONS}


def three_clusters(seed: int = 0, n: int = 60) -> np.ndarray:
    """Rows of three round clusters in turn, whose borders touch."""
    centers = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 5.0]])
    return centers[np.arange(n) % 3] + np.random.default_rng(seed).normal(size=(n, 2))


class Copies:
    """The clusters of rows that are copies of some, whose distances are known."""

    def __init__(
        self, rho: np.ndarray, place: np.ndarray, labels: np.ndarray, k: int, w: np.ndarray
    ) -> None:
        self.place, self.labels, self.w = place, labels, w
        weights = np.zeros((len(rho), k))
        np.add.at(weights, (place, labels), w)
        sums, self.s, everything = rho @ weights, weights.sum(axis=0), weights.sum(axis=1)
        T = (weights * sums).sum(axis=0)
        #: (m, k), the squared distance of each row to each cluster.
        self.squared = sums / self.s - T / (2 * self.s**2)
        #: The within dispersion of each cluster, their sum, and that of all rows as one.
        self.parts = T / (2 * self.s)
        self.W = float(self.parts.sum())
        self.total = float(everything @ rho @ everything / (2 * everything.sum()))
        self.count = np.bincount(labels[w > 0], minlength=k)

    def gains(self, is_ratio: bool = True) -> np.ndarray:
        """(n, k); of d² where it is not Hartigan's rule. −∞ where a row is, or must stay."""
        here, own, w = np.arange(len(self.labels)), self.labels, self.w[:, None]
        squared = self.squared[self.place]
        if is_ratio:
            with np.errstate(divide="ignore", invalid="ignore"):
                leave = self.w * self.s[own] / (self.s[own] - self.w) * squared[here, own]
            found = leave[:, None] - w * self.s / (self.s + w) * squared
        else:
            found = squared[here, own][:, None] - squared
        found[here, own] = -np.inf
        found[(self.w == 0) | (self.count[own] == 1)] = -np.inf
        return found
