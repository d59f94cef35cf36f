"""Positions of the nodes of a network: forces, starting from the slow modes of a random walk."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kgroups.runtime.blas import one_thread_a_product
from kgroups.typing import Float32Array, Float64Array, IntArray

# Strength of the forces, in units in which two nodes at distance 1 repel each other with 1. The
# pull to the center alone would spread nodes evenly over a disk of radius √(n / _GRAVITY), which is
# what packs components side by side.
_SPRING, _GRAVITY, _COMMUNITY = 4.0, 0.3, 0.1
# Edges between communities pull less, so that colors form areas.
_BETWEEN = 0.5
# Smoothing steps for the start, and the share of each step that communities have.
_SMOOTHING, _SHARED = 60, 0.2
# Pairs closer than this, squared, do not repel each other harder.
_NEAREST = 0.05


class _Springs(NamedTuple):
    """Both directions of each edge, and how hard it pulls."""

    rows: IntArray
    columns: IntArray
    strength: Float64Array


def force_layout(A: csr_array, labels: IntArray, *, seed: int = 0) -> Float64Array:
    """Positions (n, 2) of the nodes of a graph; the same for the same seed.

    All pairs of nodes repel each other with 1/distance, edges pull with their length divided by
    the root of the degrees of both ends, and each community pulls its nodes together a little.
    O(n²) time per step, with at most 300 steps and fewer the more nodes there are; 4 n² bytes.

    Parameters
    ----------
    A : csr_array (n, n)
        Symmetric weights; those that are not positive do not pull.
    labels : array (n,)
        The community of each node, 0..k−1.
    seed : int, default=0
        Random seed of the start.

    Examples
    --------
    >>> triangle = csr_array(np.ones((3, 3)) - np.eye(3))
    >>> force_layout(triangle, np.zeros(3, np.int64)).shape
    (3, 2)
    """
    n = A.shape[0]
    if n <= 2:
        return np.column_stack([np.arange(n) - (n - 1) / 2, np.zeros(n)])
    rng = np.random.default_rng(seed)
    springs = _springs(A, labels)
    membership = _membership(labels)
    with one_thread_a_product():
        positions = _start(springs, labels, membership, rng)
        _relax(positions, springs, labels, membership)
    return _turned(positions)


def _springs(A: csr_array, labels: IntArray) -> _Springs:
    """Edges of positive weight; by its root, so that a few heavy ones do not dominate the rest."""
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    kept = (rows != A.indices) & (A.data > 0)
    rows, columns = rows[kept], A.indices[kept].astype(np.int64)
    weights = np.sqrt(A.data[kept])
    degree = np.bincount(rows, weights=weights, minlength=A.shape[0])
    strength = weights / np.sqrt(degree[rows] * degree[columns])
    return _Springs(
        rows, columns, np.where(labels[rows] == labels[columns], 1.0, _BETWEEN) * strength
    )


def _membership(labels: IntArray) -> csr_array:
    """One row per community, which takes the mean over its nodes."""
    n, k = len(labels), int(labels.max()) + 1
    share = 1 / np.bincount(labels, minlength=k)[labels]
    return csr_array((share, (labels, np.arange(n))), shape=(k, n))


def _start(
    springs: _Springs, labels: IntArray, means: csr_array, rng: np.random.Generator
) -> Float32Array:
    """Two slow modes of a random walk along edges that sometimes jumps within its community."""
    n = len(labels)
    weight = np.bincount(springs.rows, weights=springs.strength, minlength=n)
    share = springs.strength / weight[springs.rows]
    walk = csr_array((share, (springs.rows, springs.columns)), shape=(n, n))
    modes = rng.standard_normal((n, 2))
    for _ in range(_SMOOTHING):
        jumped = (means @ modes)[labels]
        modes += (1 - _SHARED) * (walk @ modes) + _SHARED * jumped
        modes = np.linalg.qr(modes - modes.mean(axis=0))[0]
    spread = np.sqrt(n) / 2
    jitter = 0.3 * rng.standard_normal((n, 2))
    return np.asarray(modes * np.sqrt(n) * spread + jitter, np.float32)


def _relax(positions: Float32Array, springs: _Springs, labels: IntArray, means: csr_array) -> None:
    """Follow the forces in ever shorter steps, in place."""
    n = len(positions)
    steps = int(np.clip(150_000 / n, 60, 300))
    # Stronger for few edges, because only this keeps a community in one place then.
    pull = _COMMUNITY + (1 - _COMMUNITY) * np.exp(-len(springs.rows) / n)
    pairs = np.empty((n, n), np.float32)
    for step in range(steps):
        force = _repulsion(positions, pairs)
        force -= _attraction(positions, springs)
        force -= pull * (positions - (means @ positions)[labels])
        force -= _GRAVITY * positions
        longest = 0.15 * np.sqrt(n) * (1 - step / steps) ** 1.5 + 0.01
        length = np.linalg.norm(force, axis=1)[:, None]
        positions += force * (np.minimum(length, longest) / np.maximum(length, 1e-9))
        positions -= positions.mean(axis=0)


def _repulsion(positions: Float32Array, pairs: Float32Array) -> Float64Array:
    """Σ_j (x_i − x_j)/|x_i − x_j|², with |x_i|² − 2x_i·x_j + |x_j|² as one product."""
    squares = (positions**2).sum(axis=1)[:, None]
    ones = np.ones_like(squares)
    np.matmul(
        np.hstack([positions, squares, ones]),
        np.hstack([-2 * positions, ones, squares]).T,
        out=pairs,
    )
    np.maximum(pairs, _NEAREST, out=pairs)
    np.reciprocal(pairs, out=pairs)
    sums = pairs @ np.hstack([positions, ones])
    return np.asarray(positions * sums[:, 2:] - sums[:, :2], np.float64)


def _attraction(positions: Float32Array, springs: _Springs) -> Float64Array:
    """Σ_j s_ij (x_i − x_j)."""
    ends = _SPRING * (positions[springs.rows] - positions[springs.columns])
    return np.column_stack(
        [
            np.bincount(springs.rows, springs.strength * ends[:, axis], minlength=len(positions))
            for axis in range(2)
        ]
    )


def _turned(positions: Float32Array) -> Float64Array:
    """The same picture, turned so that its longer side is horizontal."""
    centered = positions.astype(np.float64) - positions.mean(axis=0, dtype=np.float64)
    return np.asarray(centered @ np.linalg.svd(centered, full_matrices=False)[2].T)
