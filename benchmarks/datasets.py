"""Data to measure with: one family for sizes, and twelve kinds of data for the grid."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_circles, make_moons


def blobs(
    n: int, n_features: int, n_clusters: int, seed: int, dtype: Any = np.float64
) -> np.ndarray:
    """Gaussian clusters: centers 2 · normal, unit noise, as in ``benchmarks.quick``."""
    return _mixture(np.random.default_rng(seed), n, n_features, n_clusters).astype(dtype)


def grid_datasets(n: int, seed: int) -> dict[str, np.ndarray]:
    """Twelve kinds of data of n rows, by name."""
    return {name: make(np.random.default_rng(seed), n) for name, make in KINDS.items()}


def _mixture(
    rng: np.random.Generator,
    n: int,
    n_features: int = 16,
    n_clusters: int = 10,
    spread: float = 2.0,
    share: np.ndarray | None = None,
    noise: Callable[..., np.ndarray] | None = None,
) -> np.ndarray:
    """Points about centers spread · normal; ``share`` is the probability of each cluster."""
    centers = spread * rng.normal(size=(n_clusters, n_features))
    X = (noise or rng.normal)(size=(n, n_features))
    if share is None:
        return X + centers[rng.integers(n_clusters, size=n)]
    return X + centers[rng.choice(n_clusters, size=n, p=share)]


def _unbalanced(rng: np.random.Generator, n: int) -> np.ndarray:
    share = 0.6 ** np.arange(10)
    return _mixture(rng, n, share=share / share.sum())


def _anisotropic(rng: np.random.Generator, n: int) -> np.ndarray:
    return _mixture(rng, n, n_features=8) @ rng.normal(size=(8, 8))


def _heavy_tails(rng: np.random.Generator, n: int) -> np.ndarray:
    return _mixture(rng, n, noise=lambda size: rng.standard_t(2, size=size))


def _moons(rng: np.random.Generator, n: int) -> np.ndarray:
    moons = make_moons(n, noise=0.1, random_state=int(rng.integers(2**31)))[0]
    return np.hstack([moons, 0.3 * rng.normal(size=(n, 2))])


def _circles(rng: np.random.Generator, n: int) -> np.ndarray:
    return make_circles(n, noise=0.05, factor=0.5, random_state=int(rng.integers(2**31)))[0]


def _digits(rng: np.random.Generator, n: int) -> np.ndarray:
    images = load_digits().data
    return images[rng.integers(len(images), size=n)] + 0.5 * rng.normal(size=(n, images.shape[1]))


KINDS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "separated blobs D=16": _mixture,
    "overlapping blobs D=16": lambda rng, n: _mixture(rng, n, spread=0.5),
    "unbalanced blobs D=16": _unbalanced,
    "blobs D=64": lambda rng, n: _mixture(rng, n, n_features=64),
    "anisotropic D=8": _anisotropic,
    "heavy tails D=16": _heavy_tails,
    "noise D=16": lambda rng, n: rng.normal(size=(n, 16)),
    "square D=2": lambda rng, n: rng.random((n, 2)),
    "lognormal D=10": lambda rng, n: rng.lognormal(size=(n, 10)),
    "moons and noise D=4": _moons,
    "circles D=2": _circles,
    "digits D=64": _digits,
}
