"""What the benchmarks of asv share: rows and graphs with fixed seeds, and how labels agree."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, make_circles
from sklearn.metrics import adjusted_rand_score

K, FEATURES = 10, 16

Labeled = tuple[Any, np.ndarray]


def blobs(n: int, n_features: int = FEATURES, spread: float = 2.0, dtype: Any = float) -> Labeled:
    """Ten Gaussian clusters with centers spread · normal and unit noise, and their labels."""
    rng = np.random.default_rng(0)
    centers = spread * rng.normal(size=(K, n_features))
    X, labels = rng.normal(size=(n, n_features)), rng.integers(K, size=n)
    return (X + centers[labels]).astype(dtype), labels


def tails(n: int) -> Labeled:
    """Ten clusters whose noise has no variance."""
    rng = np.random.default_rng(0)
    centers, labels = 4 * rng.normal(size=(K, FEATURES)), rng.integers(K, size=n)
    return centers[labels] + rng.standard_t(2, size=(n, FEATURES)), labels


def unbalanced(n: int) -> Labeled:
    """Ten clusters, each six tenths of the last in size."""
    rng, share = np.random.default_rng(0), 0.6 ** np.arange(K)
    centers = 2 * rng.normal(size=(K, FEATURES))
    labels = rng.choice(K, size=n, p=share / share.sum())
    return centers[labels] + rng.normal(size=(n, FEATURES)), labels


def noise(n: int) -> Labeled:
    """No clusters, where most rows move."""
    return np.random.default_rng(0).normal(size=(n, FEATURES)), np.zeros(n, int)


def digits(n: int) -> Labeled:
    """Images of digits, drawn again with noise."""
    rng, known = np.random.default_rng(0), load_digits()
    rows = rng.integers(len(known.data), size=n)
    return known.data[rows] + 0.5 * rng.normal(size=(n, 64)), known.target[rows]


#: Kinds of rows that ask for different ways through a search.
SHAPES: dict[str, Callable[[int], Labeled]] = {
    "overlapping": lambda n: blobs(n, spread=0.5),
    "unbalanced": unbalanced,
    "tails": tails,
    "noise": noise,
    "circles": lambda n: make_circles(n, noise=0.05, factor=0.5, random_state=0),
    "digits": digits,
}


def graph(name: str) -> tuple[csr_array, np.ndarray]:
    """A network by its model, with its communities."""
    from kgroups import graphs

    if name == "blocks":
        return graphs.stochastic_block_model(5_000, 10, 10, 2.0, random_state=0)
    if name == "planted":
        return graphs.planted_partition(10_000, 50, 16, 0.5, random_state=0)
    sizes = {"min_community": 20, "max_community": 100}
    shape = {"average_degree": 20, "max_degree": 50, "degree_exponent": 2, "community_exponent": 1}
    return graphs.lfr_graph(2_000, mixing=0.6, **shape, **sizes, random_state=0)


def agreement(labels: np.ndarray, truth: np.ndarray) -> float:
    """The adjusted Rand index, which a better fit makes larger."""
    return float(adjusted_rand_score(truth, labels))
