"""Problems that hypothesis draws: tables, weights, metrics, groups and graphs.

Sizes and kinds are drawn by hypothesis, so that a failure becomes small; the numbers come from a
generator whose seed is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from helpers import random_start
from kgroups import semimetrics as sm

seeds = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Space:
    """A metric of the library, what the oracle calls it, and the rows that it compares."""

    metric: Any
    definition: Any
    rows: str = "numbers"
    #: c such that ρ(t x, t y) = tᶜ ρ(x, y), or None.
    degree: float | None = None
    is_negative_type: bool = True


SPACES = {
    "energy": Space("energy", "energy", degree=1),
    "energy .5": Space(sm.Energy(0.5), ("energy", {"alpha": 0.5}), degree=0.5),
    "energy 1.7": Space(sm.Energy(1.7), ("energy", {"alpha": 1.7}), degree=1.7),
    "squared": Space(sm.Energy(2), "sqeuclidean", degree=2),
    "manhattan": Space("manhattan", "manhattan", degree=1),
    "laplacian": Space(sm.Laplacian(2.0), ("laplacian", {"sigma": 2.0})),
    "gaussian": Space(sm.Gaussian(1.5), ("gaussian", {"sigma": 1.5})),
    "damped": Space("damped_squared", "damped_squared", is_negative_type=False),
    "sine": Space(sm.SineSquared(3.0), ("sine_squared", {"theta": 3.0}), is_negative_type=False),
    "cosine": Space("cosine", "cosine", "directions", 0),
    "angular": Space("angular", "angular", "directions", 0),
    "hamming": Space("hamming", "hamming", "categories"),
    "jaccard": Space("jaccard", "jaccard", "bits"),
    "jensen_shannon": Space("jensen_shannon", "jensen_shannon", "histograms", 0),
    "hellinger": Space("hellinger", "hellinger", "histograms", 0),
    "kendall_tau": Space("kendall_tau", "kendall_tau", "rankings", 0),
    "great_circle": Space("great_circle", "great_circle", "places"),
    "columns": Space(
        sm.ColumnSum([(sm.Energy(), [0], 2.0), (sm.Manhattan(), [1, 0], 0.5)]),
        ("column_sum", {"parts": [("energy", [0], 2.0), ("manhattan", [1, 0], 0.5)]}),
        "two columns",
        1,
    ),
}
spaces = st.sampled_from(sorted(SPACES)).map(SPACES.get)


def _numbers(rng: np.random.Generator, n: int, d: int, kind: str) -> np.ndarray:
    if kind == "ties":
        return rng.integers(0, 4, (n, d)).astype(float)
    X = rng.normal(size=(n, d))
    if kind == "clusters":
        X += 6 * rng.normal(size=(3, d))[rng.integers(3, size=n)]
    if kind == "tails":
        X = np.exp(2 * X)
    return X


def _rows(rng: np.random.Generator, rows: str, n: int, d: int, kind: str) -> np.ndarray:
    match rows:
        case "two columns":
            return _numbers(rng, n, 2, kind)
        case "directions":
            return _numbers(rng, n, d + 1, kind) + np.where(np.arange(d + 1) == 0, 5.0, 0)
        case "categories":
            return rng.integers(0, 3, (n, d + 1)).astype(float)
        case "bits":
            return (rng.random((n, d + 3)) < 0.4).astype(float)
        case "histograms":
            return rng.gamma(0.5, size=(n, d + 2)) + 1e-3
        case "rankings":
            return rng.permuted(np.tile(np.arange(4.0), (n, 1)), axis=1)
        case "places":
            return np.column_stack([rng.uniform(-80, 80, n), rng.uniform(-170, 170, n)])
    return _numbers(rng, n, d, kind)


@dataclass(frozen=True)
class Table:
    """Rows, a metric for them, weights, and a number of clusters that they can have."""

    X: np.ndarray
    space: Space
    weights: np.ndarray
    k: int
    scale: float


@st.composite
def tables(draw: Any, most: int = 24) -> Table:
    """Tables with ties, copies, heavy tails, and lengths from 1e-100 to 1e100."""
    space, n, d = draw(spaces), draw(st.integers(4, most)), draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["normal", "ties", "clusters", "tails"]))
    rng = np.random.default_rng(draw(seeds))
    X = _rows(rng, space.rows, n, d, kind)
    if draw(st.booleans()):  # copies
        X = X[rng.integers(0, n, n)]
    scale = 1.0
    if space.degree is not None:
        scale = 10.0 ** draw(st.sampled_from([0, 0, 0, -100, -20, 20, 100]))
    weights = draw(st.sampled_from(["ones", "uneven", "zeros", "units"]))
    w = {
        "ones": np.ones(n),
        "uneven": rng.uniform(0.1, 3, n),
        "zeros": np.where(rng.random(n) < 0.3, 0, rng.uniform(0.1, 3, n)),
        "units": 1e-60 * rng.uniform(0.1, 3, n),
    }[weights]
    w[0] = w.max() if w.any() else 1.0
    most_clusters = len(np.unique(X[w > 0] * 1.0, axis=0))
    return Table(scale * X, space, w, draw(st.integers(1, min(4, most_clusters))), scale)


@st.composite
def groups(draw: Any, n: int, most: int = 4, least: int = 1) -> np.ndarray:
    """Labels of n rows in which no group is empty."""
    k = draw(st.integers(least, most))
    return random_start(np.random.default_rng(draw(seeds)), n, k)


@st.composite
def graphs(draw: Any, *, signed: bool = False) -> np.ndarray:
    """Symmetric matrices of graphs: weights, loops, isolated nodes, components, some with signs."""
    n, rng = draw(st.integers(4, 26)), np.random.default_rng(draw(seeds))
    k = draw(st.integers(1, 3))
    same = np.equal.outer(np.arange(n) % k, np.arange(n) % k)
    upper = np.triu(rng.random((n, n)) < np.where(same, 0.6, draw(st.sampled_from([0, 0.05, 0.3]))))
    A = np.where(upper, 1.0, 0.0)
    weights = draw(st.sampled_from(["ones", "counts", "numbers", "large"]))
    A *= {
        "ones": 1,
        "counts": rng.integers(1, 5, (n, n)),
        "numbers": rng.uniform(0.1, 2, (n, n)),
        "large": 2.0**70 * rng.uniform(0.1, 2, (n, n)),
    }[weights]
    if not draw(st.booleans()):
        np.fill_diagonal(A, 0)
    if signed:
        A *= np.where(rng.random((n, n)) < 0.2, -1, 1)
    if draw(st.booleans()):
        A[:, -1] = 0  # an isolated node
    A = np.triu(A) + np.triu(A, 1).T
    if not np.triu(A, 1).any():
        A[0, 1] = A[1, 0] = 1.0
    return A
