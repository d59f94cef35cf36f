"""The methods that the papers compare on networks, as their experiments ran them.

Each gives labels. All randomness comes from the generator, and one thread does the work.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from kgroups import BetheHessianClustering, GraphKGroups
from kgroups.graphs import cluster_rows, smallest_eigenpairs, unit_rows
from kgroups.metrics import coverage, modularity, overlap, performance
from kgroups.typing import Float64Array, IntArray
from papers.experiment import Scores
from papers.methods import seed

#: Measures of a partition that need no truth, as in Tables V and VI.
QUALITY = {"performance": performance, "coverage": coverage, "modularity": modularity}


def quality(A: csr_array, labels: IntArray) -> dict[str, float]:
    """All measures that need no truth."""
    return {name: score(A, labels) for name, score in QUALITY.items()}


def overlaps(truth: ArrayLike, labels: Mapping[str, IntArray]) -> Scores:
    """Overlap of each method with the true communities [FRV eq. 63]."""
    return {key: {"overlap": overlap(truth, found)} for key, found in labels.items()}


def top_eigenvectors(A: csr_array, k: int, rng: np.random.Generator) -> Float64Array:
    """Eigenvectors of the k largest eigenvalues of A, (n, k), that of the largest first."""
    return smallest_eigenpairs(csr_array(-A), k, seed=seed(rng)).vectors


def cluster(rows: Float64Array, k: int, rng: np.random.Generator) -> IntArray:
    """k-means on rows of eigenvectors, the best of ten starts."""
    return cluster_rows(rows, k, seed=seed(rng), n_init=10)


def unit_cluster(rows: Float64Array, rng: np.random.Generator) -> IntArray:
    """k-means on rows of length one, for as many clusters as columns."""
    return cluster(unit_rows(rows), rows.shape[1], rng)


def bethe_hessian(
    A: csr_array, k: int, rng: np.random.Generator, r: float | str = "average_degree"
) -> BetheHessianClustering:
    """Its k lowest eigenvectors, and k-means on their rows as they are [SKZ]."""
    return BetheHessianClustering(k, r=r, n_init=10, random_state=seed(rng)).fit(A)


def k_groups(
    A: csr_array, start: IntArray, weights: Float64Array | str, r: float | str = "average_degree"
) -> GraphKGroups:
    """Kernel k-groups [FRV Algorithm 2] for G = −H_r, from a start."""
    k = int(start.max()) + 1
    return GraphKGroups(k, r=r, weights=weights, init=start, n_jobs=1).fit(A)


def degree_weights(A: csr_array) -> Float64Array:
    """𝒲 = D + 0.001, as the published runs had it: nodes without edges have some weight."""
    return np.asarray(A.sum(axis=1), np.float64) + 0.001


def default(A: csr_array, k: int, rng: np.random.Generator) -> IntArray:
    """What ``GraphKGroups(k).fit(A)`` gives a user, by the objective of the papers.

    Where degrees are uneven the default may be the normalized cut.
    """
    model = GraphKGroups(k, objective="bethe_hessian", random_state=seed(rng), n_jobs=1)
    return np.asarray(model.fit(A).labels_, np.int64)
