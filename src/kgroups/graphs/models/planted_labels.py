"""The communities of the nodes of a block model, drawn before its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kgroups.typing import IntArray


def planted_labels(
    n: int, k: int, sizes: ArrayLike | None, balanced: bool, rng: np.random.Generator
) -> IntArray:
    """A label in 0..k−1 per node: of given sizes, of equal sizes, or drawn uniformly."""
    if sizes is not None and balanced:
        raise ValueError("sizes are given and balanced=True; leave out one of them.")
    if balanced:
        return rng.permutation(np.arange(n, dtype=np.int64) % k)
    if sizes is None:
        return rng.integers(k, size=n)
    return _labels_of_sizes(n, k, sizes, rng)


def _labels_of_sizes(n: int, k: int, sizes: ArrayLike, rng: np.random.Generator) -> IntArray:
    array = np.asarray(sizes, np.float64)
    if array.shape != (k,) or not np.all(array >= 0):
        raise ValueError(
            f"sizes must hold k={k} numbers, none negative; got {np.asarray(sizes).tolist()}."
        )
    if array.sum() == n and np.all(array == np.floor(array)):
        return rng.permutation(np.repeat(np.arange(k, dtype=np.int64), array.astype(np.int64)))
    if not np.isclose(array.sum(), 1):
        raise ValueError(
            f"sizes sum to {array.sum():.6g}; give numbers of nodes that sum to n={n}, "
            "or shares that sum to 1."
        )
    return np.asarray(rng.choice(k, size=n, p=array / array.sum()), np.int64)
