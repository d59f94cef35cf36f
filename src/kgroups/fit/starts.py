"""Where a solver begins: labels from seeds, from chance, from eigenvectors, or as given.

Every start is a function of a problem and a random generator. They need the operator only, not
points, so they work in any space; the published Euclidean k-means++ alone needs a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin

from kgroups.gram import GramOperator
from kgroups.solvers import Start
from kgroups.typing import Float64Array, FloatArray, IntArray

# Up to this many points a full symmetric eigensolver is quicker than an iterative one.
_DENSE_EIGENVECTORS = 1_000


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What there is to start from; ``centered`` says that G is known only up to its origin."""

    gram: GramOperator
    weights: Float64Array
    n_clusters: int
    centered: bool
    table: FloatArray | None = None


Initializer = Callable[[Problem, np.random.Generator], IntArray]


def random_labels(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Each point in a cluster drawn uniformly, and at least one point with weight in each. O(n)."""
    k = problem.n_clusters
    labels = rng.integers(k, size=problem.gram.n)
    labels[rng.permutation(np.flatnonzero(problem.weights > 0))[:k]] = np.arange(k)
    return labels


def plus_plus(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Greedy k-means++ with ρ as squared distance: labels of the nearest seed, in any space.

    Each new seed is the best of 2 + log k points drawn with probability w ρ(x, nearest seed).
    O(n k log k) time, O(n log k) memory.

    Source: Arthur & Vassilvitskii, SODA 2007; the greedy form is theirs, section 5.
    """
    gram, w, k = problem.gram, problem.weights, problem.n_clusters
    diagonal = gram.diagonal()
    n_candidates = 2 + int(np.log(k))
    first = int(rng.choice(gram.n, p=w / w.sum()))
    labels = np.zeros(gram.n, np.int64)
    nearest = _squared_distances(gram, diagonal, np.array([first]))[0]
    for cluster in range(1, k):
        potential = w * nearest
        total = potential.sum()
        if total > 0:
            drawn = rng.random(n_candidates) * total
            candidates = np.searchsorted(np.cumsum(potential), drawn, side="right")
            candidates = np.minimum(candidates, np.flatnonzero(potential)[-1])
        else:
            # All points coincide with a seed: any point of a larger cluster will do.
            candidates = rng.choice(_in_larger_clusters(labels, w, k), size=1)
        distances = _squared_distances(gram, diagonal, candidates)
        np.minimum(distances, nearest, out=distances)
        best = int(np.argmin(distances @ w))
        labels[distances[best] < nearest] = cluster
        labels[candidates[best]] = cluster
        nearest = distances[best]
    return labels


def euclidean_plus_plus(problem: Problem, rng: np.random.Generator) -> IntArray:
    """k-means++ as the paper's experiments used it: Euclidean, squared, one candidate a seed."""
    if problem.table is None:
        raise ValueError(
            'init="euclidean-k-means++" needs a table of numbers; '
            'init="k-means++" does the same with the metric given, in any space.'
        )
    seed = int(rng.integers(2**31 - 1))
    centers, _ = kmeans_plusplus(
        problem.table,
        problem.n_clusters,
        sample_weight=problem.weights,
        random_state=seed,
        n_local_trials=1,
    )
    return np.asarray(pairwise_distances_argmin(problem.table, centers), np.int64)


def spectral(problem: Problem, rng: np.random.Generator) -> IntArray:
    r"""The relaxation of the problem: k-means on unit rows of top eigenvectors [FRV eq. 29].

    The top k eigenvectors of :math:`𝒲^{1/2} G 𝒲^{1/2}`, with G doubly centered when it comes from
    distances. O(n²) a Lanczos step for a dense matrix.
    """
    k = problem.n_clusters
    vectors = _top_eigenvectors(problem, rng)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    seed = int(rng.integers(2**31 - 1))
    return np.asarray(KMeans(k, n_init=10, random_state=seed).fit_predict(unit), np.int64)


def _top_eigenvectors(problem: Problem, rng: np.random.Generator) -> Float64Array:
    gram, n, k = problem.gram, problem.gram.n, problem.n_clusters
    root = np.sqrt(problem.weights)
    share = problem.weights / problem.weights.sum()

    def apply(right: Float64Array) -> Float64Array:
        """𝒲^½ G 𝒲^½ times a block of vectors."""
        block = right.reshape(n, -1) * root[:, None]
        if problem.centered:
            block = block - share[:, None] * block.sum(axis=0)
        product = gram.matmul(block)
        if problem.centered:
            product = product - share @ product
        return root[:, None] * product

    if n <= max(_DENSE_EIGENVECTORS, k + 1):
        matrix = apply(np.eye(n))
        return eigh((matrix + matrix.T) / 2, subset_by_index=[n - k, n - 1])[1]
    operator = LinearOperator((n, n), matvec=apply, matmat=apply, dtype=np.float64)
    return np.asarray(eigsh(operator, k, which="LA", v0=rng.standard_normal(n))[1])


def _squared_distances(gram: GramOperator, diagonal: Float64Array, index: IntArray) -> Float64Array:
    """Squared distances in feature space, (len(index), n); below zero for an indefinite G: cut."""
    rows = np.asarray(gram.rows(index), np.float64)
    return np.maximum(diagonal[index][:, None] + diagonal - 2 * rows, 0.0)


def _in_larger_clusters(labels: IntArray, weights: Float64Array, k: int) -> IntArray:
    alive = weights > 0
    count = np.bincount(labels[alive], minlength=k)
    return np.flatnonzero(alive & (count[labels] > 1))


#: The names that ``init=`` takes.
BY_NAME: dict[str, Initializer] = {
    "k-means++": plus_plus,
    "random": random_labels,
    "euclidean-k-means++": euclidean_plus_plus,
    "spectral": spectral,
}


def default_n_init(n: int, k: int) -> int:
    """Size of the portfolio: more starts for more clusters, fewer where a start is dear.

    Local optima multiply with k: 16 starts for two clusters, 40 from eight on. A start costs about
    n² additions: beyond 1,000 points at most 40,000 / n, which is 8 at 5,000, and never under 4.
    """
    return min(8 + 4 * k, max(4, 40_000 // n), 40)


def default_n_init_on_sketch(k: int) -> int:
    """Size of the portfolio on a sketch, where moves of whole clusters mend what starts miss.

    They do so best for many clusters; with few, a second start is as good and as cheap.
    """
    return max(2, min(8, 40 // k))


def portfolio(name: str, problem: Problem, seeds: list[int]) -> list[Start]:
    """One start a seed; ``name="auto"`` takes greedy k-means++ and random labels in turn."""
    names = ["k-means++", "random"] if name == "auto" else [name]
    return [
        Start(
            name=names[i % len(names)],
            labels=partial(_make, BY_NAME[names[i % len(names)]], problem, seed),
        )
        for i, seed in enumerate(seeds)
    ]


def _make(initializer: Initializer, problem: Problem, seed: int) -> IntArray:
    return initializer(problem, np.random.default_rng(seed))
