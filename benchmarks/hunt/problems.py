"""Random problems of every kind, as plain data: the number of a problem is its seed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from tests import oracle
from tests.oracle import Metric, long

Array = NDArray[Any]
HISTOGRAMS = ("jensen_shannon", "hellinger")
CATEGORIES = ("hamming", "jaccard", "kendall_tau")


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows, or a matrix between them, and what is asked of them."""

    act: str
    X: Array
    metric: Metric
    n_clusters: int
    weights: Array | None = None
    #: Rows to predict; for a matrix, their distances or similarities to all rows.
    new: Array
    #: What holds X: see ``containers.FORMS``.
    form: str = "array"
    settings: dict[str, Any] = field(default_factory=dict)
    #: Points that a sweep visits at a time; no answer depends on it.
    block: int = 256
    #: Which way the fit takes whatever the number of rows: one of ``ways.WAYS``.
    way: str = "as planned"


@dataclass(frozen=True, kw_only=True)
class Graph:
    """A matrix between nodes, and what is asked of it."""

    act: str
    A: Array
    n_clusters: int | str
    #: "dense", "csr", "csc", "coo", "networkx", "list".
    form: str = "csr"
    weights: Any = None
    settings: dict[str, Any] = field(default_factory=dict)


Problem = Table | Graph


def draw_fit(seed: int, number: int) -> Table:
    """Problem of a number, for tables."""
    rng = np.random.default_rng([seed, number, 0])
    if number % _LARGE_EVERY == _LARGE_EVERY - 1:
        return _large(rng)
    act = str(rng.choice(ACTS, p=ACT_SHARES))
    if act == "KGroups1D":
        return _on_line(rng)
    if act == "EnergyAgglomerative":
        return _tree(rng)
    return _ties(rng) if act == "ties" else _table(rng, act)


# One problem in so many is a large one.
_LARGE_EVERY = 500
ACTS = (
    "KernelKGroups", "KernelKMeans", "KGroups1D", "EnergyAgglomerative", "statistics", "threads",
    "ties",
)  # fmt: skip
ACT_SHARES = (0.49, 0.16, 0.1, 0.06, 0.12, 0.03, 0.04)


def _table(rng: Generator, act: str) -> Table:
    n, D = _size(rng, act), _columns(rng)
    metric = _metric(rng, D)
    n_new = int(rng.integers(1, 6))
    rows = _rows(rng, metric, n + n_new, D)
    w = None if rng.random() < 0.5 else draw_weights(rng, n)
    X, new = rows[:n], rows[n:]
    form = str(rng.choice(FORMS, p=FORM_SHARES))
    if rng.random() < 0.12 and metric[0] != "column_sum":
        X, new, metric = _matrix(rng, metric, X, new)
        form = form if form in ("array", "fortran", "readonly", "strided", "list") else "array"
    elif (X.dtype == np.longdouble and form in ("pandas", "polars")) or (
        X.dtype == np.float16 and form == "polars"
    ):
        form = "array"
    k = draw_clusters(rng, n)
    settings = draw_settings(rng, act, n, k, metric)
    block = 256 if rng.random() < 0.6 else int(rng.integers(1, 12))
    return Table(
        act=act, X=X, metric=metric, n_clusters=k, weights=w, new=new, form=form,
        settings=settings, block=block,
    )  # fmt: skip


def _on_line(rng: Generator) -> Table:
    n = _size(rng, "KGroups1D")
    rows = _rows(rng, ("energy", {}), n + 4, 1)
    alpha = float(rng.choice([1.0, 2.0, 0.5, 1.5, float(rng.uniform(0.05, 2))]))
    return Table(
        act="KGroups1D",
        X=rows[:n],
        metric=("energy", {"alpha": alpha}),
        n_clusters=draw_clusters(rng, n),
        weights=None if rng.random() < 0.5 else draw_weights(rng, n),
        new=rows[n:],
    )


def _tree(rng: Generator) -> Table:
    n, D = int(rng.integers(1, 25)), _columns(rng)
    metric = ("energy", {"alpha": float(rng.choice([1.0, 2.0, 0.5, 1.3]))})
    rows = _rows(rng, metric, n, D)
    return Table(
        act="EnergyAgglomerative", X=rows, metric=metric, n_clusters=int(rng.integers(1, n + 1)),
        weights=None if rng.random() < 0.6 else draw_weights(rng, n), new=rows[:0],
    )  # fmt: skip


def _large(rng: Generator) -> Table:
    """A few more rows than there are where a matrix is held."""
    n, D, k = int(rng.integers(2001, 2100)), int(rng.integers(1, 4)), int(rng.integers(2, 6))
    X = rng.normal(size=(k, D))[rng.integers(k, size=n)] * rng.uniform(0, 5)
    X = X + rng.normal(size=(n, D))
    metric = [("energy", {}), ("manhattan", {}), ("gaussian", {})][int(rng.integers(3))]
    settings: dict[str, Any] = {"random_state": 0, "n_jobs": 2}
    if rng.random() < 0.5:
        settings["init"] = np.arange(n) % k
    weights = None if rng.random() < 0.5 else rng.random(n) + 0.1
    return Table(
        act="large", X=X, metric=metric, n_clusters=k, weights=weights, new=X[:0],
        settings=settings,
    )  # fmt: skip


def _ties(rng: Generator) -> Table:
    """A row in a cluster that is far away, and other clusters equally near on all its sides."""
    D = int(rng.integers(1, 4))
    sides = float(rng.integers(1, 4)) * np.concatenate([np.eye(D), -np.eye(D)])
    sides = np.column_stack([sides, np.zeros(2 * D)])
    each = int(rng.integers(1, 4))
    far = np.zeros((int(rng.integers(1, 3)), D + 1))
    far[:, -1] = 20.0
    X = np.concatenate([np.zeros((1, D + 1)), far, np.repeat(sides, each, axis=0)])
    labels = np.concatenate([np.zeros(1 + len(far), np.int64), 1 + np.arange(2 * D).repeat(each)])
    order = rng.permutation(len(X))
    metric = [("energy", {"alpha": 2.0}), ("manhattan", {})][int(rng.integers(2))]
    settings = {
        "random_state": 0,
        "n_jobs": 1,
        "init": rng.permutation(2 * D + 1)[labels][order],
        "method": str(rng.choice(["dense", "matrix_free"])),
    }
    return Table(
        act="KernelKGroups", X=X[order], metric=metric, n_clusters=2 * D + 1, new=X[:0],
        settings=settings, block=int(rng.integers(1, 12)),
    )  # fmt: skip


def _size(rng: Generator, act: str) -> int:
    p = rng.random()
    if p < 0.12:
        return int(rng.integers(1, 6))
    if p < 0.97 or act == "statistics":
        return int(rng.integers(2, 61))
    return int(rng.integers(61, 301))


def _columns(rng: Generator) -> int:
    return int(rng.integers(1, 4) if rng.random() < 0.6 else rng.integers(1, 21))


def draw_clusters(rng: Generator, n: int) -> int:
    """Mostly few clusters, sometimes as many as rows or one more."""
    p = rng.random()
    if p < 0.85:
        return int(rng.integers(1, min(n, 9) + 1))
    return int(rng.integers(1, n + 2)) if p < 0.98 else n


# Metrics ------------------------------------------------------------------------------------------


def _metric(rng: Generator, D: int) -> Metric:
    if rng.random() < 0.12:
        return _column_sum(rng, D)
    return _simple_metric(rng, D)


def _simple_metric(rng: Generator, D: int) -> Metric:
    name = str(rng.choice(NAMES, p=NAME_SHARES))
    if name == "great_circle" and D != 2:
        name = "energy"
    if name == "kendall_tau" and D < 2:
        name = "manhattan"
    given = rng.random() < 0.6
    match name:
        case "energy":
            alpha = rng.choice([0.5, 1.0, 1.5, 2.0, float(rng.uniform(0.02, 2))])
            return name, {"alpha": float(alpha)} if given else {}
        case "laplacian" | "gaussian":
            sigma: Any = "median" if rng.random() < 0.5 else float(10 ** rng.uniform(-2, 2))
            return name, {"sigma": sigma} if given else {}
        case "sine_squared":
            return name, {"theta": float(rng.uniform(0.2, 3))} if given else {}
        case "great_circle":
            return name, {"radius": float(10 ** rng.uniform(-3, 4))} if given else {}
    return name, {}


NAMES = (
    "energy", "laplacian", "gaussian", "damped_squared", "sine_squared", "manhattan",
    "hamming", "jaccard", "jensen_shannon", "hellinger", "great_circle", "kendall_tau",
)  # fmt: skip
NAME_SHARES = (0.4, 0.07, 0.07, 0.05, 0.05, 0.08, 0.05, 0.05, 0.05, 0.05, 0.04, 0.04)


def _column_sum(rng: Generator, D: int) -> Metric:
    """Groups of columns that may overlap or leave some out."""
    parts = []
    for _ in range(int(rng.integers(1, 4))):
        columns = sorted(rng.choice(D, size=int(rng.integers(1, D + 1)), replace=False).tolist())
        names = ["energy", "manhattan", "hamming", "laplacian", "jaccard"]
        name = str(rng.choice(names, p=[0.4, 0.2, 0.2, 0.1, 0.1]))
        given = {"alpha": float(rng.uniform(0.1, 2))} if name == "energy" else {}
        parts.append(((name, given), columns, float(rng.choice([1.0, 0.5, 3.0, 1e-3]))))
    return "column_sum", {"parts": parts}


# Rows ---------------------------------------------------------------------------------------------


def _rows(rng: Generator, metric: Metric, n: int, D: int) -> Array:
    """A table that suits the metric, in some type of numbers."""
    name = metric[0]
    if name == "great_circle":
        rows = np.column_stack([rng.uniform(-90, 90, n), rng.uniform(-180, 180, n)])
        return rows if rng.random() < 0.8 else rows.astype(np.float32)
    if name in HISTOGRAMS:
        return _histograms(rng, n, D)
    if name in CATEGORIES:
        return _typed(rng, rng.integers(0, int(rng.integers(2, 5)), (n, D)).astype(np.float64))
    p = rng.random()
    if p < 0.2:
        rows = rng.integers(-3, 4, (n, D)).astype(np.float64)
    elif p < 0.3:
        rows = np.repeat(rng.normal(size=(int(rng.integers(1, n + 1)), D)), n, axis=0)
        rows = rows[rng.permutation(len(rows))[:n]]
    elif p < 0.7:
        centers = rng.normal(scale=float(rng.uniform(0, 8)), size=(int(rng.integers(1, 6)), D))
        rows = centers[rng.integers(len(centers), size=n)] + rng.normal(size=(n, D))
    elif p < 0.8:
        rows = np.exp(rng.normal(scale=3, size=(n, D)))
    else:
        rows = rng.random((n, D))
    return _typed(rng, _scaled(rng, rows))


def _scaled(rng: Generator, rows: Array) -> Array:
    """Mostly as they are; else far from zero, tiny, huge, or each column in another unit."""
    p = rng.random()
    if p < 0.08:
        return rows + 10 ** rng.uniform(0, 9)
    if p < 0.2:
        return rows * 10 ** rng.uniform(-150, 150)
    if p < 0.26:
        return rows * 10 ** float(rng.uniform(-300, 300))
    if p < 0.34:
        return rows * 10 ** rng.uniform(-6, 6, rows.shape[1])
    return rows


def _typed(rng: Generator, rows: Array) -> Array:
    dtype = np.dtype(rng.choice(TYPES, p=TYPE_SHARES))
    if dtype.kind in "iub":
        limits = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return np.clip(np.rint(np.clip(rows, -1e9, 1e9)), *limits).astype(dtype)
    most = float(min(np.finfo(dtype).max, np.finfo(np.float64).max)) / 4
    return np.clip(rows, -most, most).astype(dtype)


TYPES = ("f8", "f4", "f2", "g", "i1", "i4", "i8", "u1", "u8", "?")
TYPE_SHARES = (0.58, 0.16, 0.03, 0.04, 0.03, 0.04, 0.04, 0.03, 0.02, 0.03)


def _histograms(rng: Generator, n: int, D: int) -> Array:
    """Histograms of counts, of shares, or close to each other."""
    p = rng.random()
    if p < 0.4:
        rows = rng.integers(0, 6, (n, D)).astype(np.float64)
        rows[rows.sum(axis=1) == 0, 0] = 1
    elif p < 0.8:
        rows = rng.gamma(0.5, size=(n, D)) + 1e-12
    else:
        close = 10 ** rng.uniform(-10, -1)
        rows = rng.random(D) * (1 + close * rng.normal(size=(n, D)))
        rows = np.abs(rows) + 1e-9
    return rows.astype(rng.choice(["f8", "f4"], p=[0.8, 0.2]))


def _matrix(rng: Generator, metric: Metric, X: Array, new: Array) -> tuple[Array, Array, Metric]:
    """Distances or similarities instead of rows; the latter need not be positive semidefinite."""
    as_read = [long(a.astype(np.float64)) for a in (X, new)]
    if metric[1].get("sigma") == "median":
        metric = (metric[0], {})
    with np.errstate(all="ignore"):
        rho = oracle.distances(metric, as_read[0], as_read[0])
        to = oracle.distances(metric, as_read[1], as_read[0])
        if metric[0] == "sine_squared":
            rho, to = np.abs(rho), np.abs(to)
        dtype = rng.choice(["f8", "f4"], p=[0.8, 0.2])
        distances = [a.astype(dtype) for a in (rho, to)]
    if not all(np.isfinite(a).all() for a in distances):
        distances = [np.minimum(a, dtype_most(dtype)).astype(dtype) for a in distances]
    if rng.random() < 0.5:
        return distances[0], distances[1], ("precomputed", {})
    n = len(X)
    if rng.random() < 0.5:
        half = rng.normal(size=(n, n)) * 10 ** rng.uniform(-8, 8)
        kernel, to = half + half.T, rng.normal(size=(len(new), n))
    else:
        factors = rng.normal(size=(n + len(new), int(rng.integers(1, 6))))
        factors += rng.choice([0, 0, 10, 1000])
        products = factors @ factors.T
        products = (products + products.T) / 2
        kernel, to = products[:n, :n], products[n:, :n]
    return kernel.astype(dtype), to.astype(dtype), ("precomputed_kernel", {})


def dtype_most(dtype: Any) -> float:
    """A large number of a type that can still be added up."""
    return float(np.finfo(dtype).max) / 1e6


# Weights, containers and options ------------------------------------------------------------------


def draw_weights(rng: Generator, n: int) -> Array:
    """Equal or random weights, some of them 0, or of all sizes."""
    p = rng.random()
    if p < 0.3:
        w = rng.random(n)
    elif p < 0.55:
        w = rng.integers(0, 4, n).astype(np.float64)
    elif p < 0.75:
        w = 10 ** rng.uniform(-15, 15, n)
    elif p < 0.85:
        w = 10 ** rng.uniform(-3, 3, n)
    elif p < 0.9:
        w = rng.random(n) * 10 ** float(rng.uniform(-300, 300))
    else:
        w = np.full(n, float(rng.choice([1.0, 3.0, 1e-5, 1e9])))
    if rng.random() < 0.3:
        w = w * (rng.random(n) < 0.8)
    if not w.any():
        w[int(rng.integers(n))] = 1.0
    return w.astype(np.float32) if rng.random() < 0.1 and 1e-20 < w.max() < 1e20 else w


FORMS = ("array", "list", "fortran", "readonly", "strided", "pandas", "polars")
FORM_SHARES = (0.64, 0.06, 0.06, 0.08, 0.06, 0.06, 0.04)


def draw_settings(rng: Generator, act: str, n: int, k: int, metric: Metric) -> dict[str, Any]:
    """How a fit begins, how long it runs, and how it holds similarity."""
    if act == "statistics":
        return {"labels": rng.integers(0, int(rng.integers(1, 5)), n)}
    inits = ("auto", "k-means++", "random", "euclidean-k-means++", "spectral", "labels", "callable")
    settings: dict[str, Any] = {"random_state": int(rng.integers(1000)), "n_jobs": 1}
    init: Any = str(rng.choice(inits, p=[0.2, 0.1, 0.1, 0.04, 0.08, 0.38, 0.1]))
    if init == "labels":
        init = rng.integers(0, k, n)
        if rng.random() < 0.7 and k <= n:
            init[rng.permutation(n)[:k]] = np.arange(k)
    settings["init"] = init
    if not isinstance(init, np.ndarray) and rng.random() < 0.8:
        settings["n_init"] = int(rng.integers(1, 4))
    if rng.random() < 0.1:
        settings["max_iter"] = int(rng.integers(1, 4))
    if rng.random() < 0.15:
        settings["tol"] = float(rng.choice([0.0, 1e-12, 1e-9, 1e-3]))
    if metric[0] not in ("precomputed", "precomputed_kernel"):
        method = str(
            rng.choice(["auto", "dense", "matrix_free", "nystroem"], p=[0.4, 0.2, 0.3, 0.1])
        )
        settings["method"] = method
        if method in ("matrix_free", "nystroem") and rng.random() < 0.5:
            settings["landmarks"] = str(rng.choice(["uniform", "distant"]))
            settings["n_components"] = int(rng.integers(1, n + 3))
    if act == "KernelKMeans":
        settings["algorithm"] = str(rng.choice(["batch", "online"]))
    return settings


# Graphs -------------------------------------------------------------------------------------------


def draw_graph(seed: int, number: int) -> Graph:
    """Problem of a number, for graphs."""
    rng = np.random.default_rng([seed, number, 1])
    A = _shape(rng)
    A = _weighted(rng, A)
    n = len(A)
    act = "GraphKGroups" if rng.random() < 0.8 else "scores"
    k: int | str = draw_clusters(rng, n)
    if rng.random() < 0.15:
        k = "auto"
    objective = str(rng.choice(OBJECTIVES))
    settings: dict[str, Any] = {"objective": objective, "random_state": int(rng.integers(1000))}
    settings["n_jobs"] = 1
    weights: Any = None
    if objective in ("modularity", "cpm") and rng.random() < 0.5:
        settings["resolution"] = float(rng.choice([0.3, 0.7, 2.0]))
    if objective not in ("normalized_cut", "modularity", "cpm"):
        p = rng.random()
        if p < 0.15:
            weights = "degree"
        elif p < 0.4:
            weights = draw_weights(rng, n)
    init: Any = str(rng.choice(GRAPH_INITS))
    if init == "labels":
        init = rng.integers(0, n if k == "auto" else k, n)
        if k != "auto" and k <= n:
            init[rng.permutation(n)[:k]] = np.arange(k)
    if isinstance(init, str) and init == "belief" and k == "auto" and (A < 0).any():
        init = "spectral"
    settings["init"] = init
    if rng.random() < 0.5 and not isinstance(init, np.ndarray):
        settings["n_init"] = int(rng.integers(1, 4))
    if rng.random() < 0.1:
        settings["max_iter"] = int(rng.integers(1, 3))
    if rng.random() < 0.15:
        settings["r"] = float(rng.choice([0.5, 1.5, 2.0, 5.0]))
    if act == "scores":
        settings = {"labels": rng.integers(0, int(rng.integers(1, 6)), n)}
        settings["resolution"] = float(rng.choice([1.0, 0.5, 2.0]))
    form = str(rng.choice(["csr", "csc", "coo", "dense", "networkx", "list"]))
    return Graph(act=act, A=A, n_clusters=k, form=form, weights=weights, settings=settings)


OBJECTIVES = (
    "auto", "bethe_hessian", "ratio_association", "ratio_cut", "normalized_cut", "modularity",
    "cpm",
)  # fmt: skip
GRAPH_INITS = (
    "auto", "spectral", "spectral-unit", "spectral-walk", "belief", "multilevel", "random",
    "labels", "labels", "labels",
)  # fmt: skip


def _shape(rng: Generator) -> Array:
    """Zeros and ones, symmetric, without loops."""
    n = int(rng.integers(1, 5) if rng.random() < 0.1 else rng.integers(2, 41))
    A = np.zeros((n, n))
    match int(rng.integers(9)):
        case 0:
            A = (rng.random((n, n)) < rng.uniform(0, 0.5)).astype(float)
        case 1:  # a star
            A[0, 1:] = 1
        case 2:  # a path, perhaps closed
            A[np.arange(n - 1), np.arange(1, n)] = 1
            A[0, -1] = float(rng.random() < 0.5)
        case 3:  # cliques
            group = rng.integers(0, int(rng.integers(1, 6)), n)
            A = (group[:, None] == group).astype(float)
        case 4 | 5 | 6:  # blocks
            group = rng.integers(0, int(rng.integers(1, 6)), n)
            p = np.where(group[:, None] == group, rng.uniform(0.3, 0.9), rng.uniform(0, 0.2))
            A = (rng.random((n, n)) < p).astype(float)
        case 7:  # heavy-tailed degrees
            pull = rng.pareto(1.5, n) + 1
            A = (rng.random((n, n)) < np.minimum(1, np.outer(pull, pull) / pull.sum())).astype(
                float
            )
        case _:  # two sides
            side = rng.integers(0, 2, n)
            A = ((side[:, None] != side) & (rng.random((n, n)) < 0.4)).astype(float)
    A = np.triu(A, 1)
    A = A + A.T
    if rng.random() < 0.2:  # nodes without an edge
        alone = rng.random(n) < 0.3
        A[alone] = 0
        A[:, alone] = 0
    return A


def _weighted(rng: Generator, A: Array) -> Array:
    """With loops, weights, signs, or directions."""
    n = len(A)
    if rng.random() < 0.2:
        A = A + np.diag((rng.random(n) < 0.3).astype(float))
    p = rng.random()
    if p < 0.15:
        w = rng.integers(1, 5, (n, n)).astype(float)
    elif p < 0.3:
        w = rng.random((n, n)) + 1e-3
    elif p < 0.36:
        w = 10 ** rng.uniform(-6, 6, (n, n))
    elif p < 0.42:
        w = (rng.random((n, n)) + 0.1) * 10 ** float(rng.uniform(-200, 200))
    elif p < 0.5:
        w = rng.choice([-1.0, 1.0, 2.0], size=(n, n))
    else:
        w = np.ones((n, n))
    w = np.triu(w) + np.triu(w, 1).T
    A = A * w
    if rng.random() < 0.07:  # directions: some edges only one way
        A = A * (rng.random((n, n)) < 0.7)
    return A
