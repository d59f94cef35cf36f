"""Where a fit begins: labels from seeds, at random, from eigenvectors, or as a user gives them.

Every named start is a function of a problem and a random generator. They need the operator only,
not points, so they work in any space; the published Euclidean k-means++ alone needs a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from scipy.sparse.linalg import LinearOperator

from kgroups.gram.dense import DenseGram
from kgroups.gram.held_rows import Rows
from kgroups.gram.low_rank import WIDE, FactorGram
from kgroups.gram.operator import GramOperator
from kgroups.gram.sparse_rows import SparseRowsGram
from kgroups.gram.squared_rows import RowsGram
from kgroups.input.parameters import check_labels
from kgroups.names import INITS, registered
from kgroups.native import kernels
from kgroups.runtime.eigenpairs import eigenpairs, lanczos_eigenpairs
from kgroups.runtime.seeds import seed_of, seeds_of
from kgroups.semimetrics.units import in_unit, unit_of
from kgroups.solvers import draws
from kgroups.solvers.problem import Problem
from kgroups.solvers.restarts import Start
from kgroups.typing import Float64Array, FloatArray, IntArray, RandomStateLike

# Up to this many points a full symmetric eigensolver is quicker than an iterative one.
_DENSE_EIGENVECTORS = 1_000
# Points times clusters beyond which a compiled loop finds seeds; its sums round otherwise.
_COMPILED_BEYOND = 1 << 11

Initializer = Callable[[Problem, np.random.Generator], IntArray]
#: From a name and one seed per start to the starts.
MakeStarts = Callable[[str, Sequence[int]], list[Start]]


@dataclass(frozen=True, kw_only=True)
class Starts:
    """Where to begin, as a user asked for it: by a name, by labels or by a function."""

    init: str | IntArray | Callable[..., ArrayLike]
    #: What a function of the user is called with.
    X: Any
    #: One per start, drawn before any of them runs, so that no result depends on the threads.
    seeds: Sequence[int]

    @classmethod
    def asked(
        cls, init: Any, n_init: int | str, default: int, X: Any, random_state: RandomStateLike
    ) -> Starts:
        """The starts that ``init`` asks for: ``n_init`` of them, or ``default`` if it is a name.

        ``init`` comes from :func:`checked_init`.
        """
        starts = cls(init=init, X=X, seeds=())
        if starts.are_labels:  # one start, which draws nothing from a generator of the user
            return replace(starts, seeds=seeds_of(deepcopy(random_state), 1))
        by_default = default if starts.are_named and init != "spectral" else 1
        n_starts = by_default if n_init == "auto" else int(n_init)
        return replace(starts, seeds=seeds_of(random_state, n_starts))

    @property
    def are_named(self) -> bool:
        """Whether ``init`` is a name, so that starts can be made on a sample too."""
        return isinstance(self.init, str)

    @property
    def are_labels(self) -> bool:
        """Whether ``init`` gives labels, whose numbers the clusters keep."""
        return not isinstance(self.init, str) and not callable(self.init)

    def on(self, problem: Problem) -> list[Start]:
        """The starts of a problem, the same whenever they are made."""
        return self.made(partial(portfolio, problem), problem.gram.n, problem.n_clusters)

    def made(
        self,
        by_name: MakeStarts,
        n: int,
        k: int,
        check: Callable[[IntArray, str], IntArray] = lambda labels, what: labels,
    ) -> list[Start]:
        """The starts of n points in k clusters; ``check`` sees labels that come from the user."""
        if isinstance(self.init, str):
            return by_name(self.init, self.seeds)
        if not callable(self.init):
            labels = check(self.init, "init")
            return [Start(name="given", labels=lambda: labels)]
        function, what = self.init, "what init returned"

        def called(seed: int) -> IntArray:
            """What the function of the user returns, checked."""
            made = function(self.X, k, np.random.RandomState(seed))
            return check(check_labels(made, n, k, what), what)

        name = getattr(function, "__name__", "callable")
        return [Start(name=name, labels=partial(called, seed)) for seed in self.seeds]


def checked_init(init: Any, n: int, k: int) -> Any:
    """The ``init`` of a user: a name or a function as it is, labels of n points checked."""
    return init if isinstance(init, str) or callable(init) else check_labels(init, n, k, "init")


def random_labels(problem: Problem, rng: np.random.Generator) -> IntArray:
    """Labels drawn uniformly, with at least one point of weight in each cluster. O(n)."""
    return draws.random_labels(problem.weights, problem.n_clusters, rng)


def plus_plus(
    problem: Problem, rng: np.random.Generator, compiled_beyond: int = _COMPILED_BEYOND
) -> IntArray:
    """Greedy k-means++ with ρ as squared distance: labels of the nearest seed, in any space.

    Each new seed is the best of 2 + log k points drawn with probability w ρ(x, nearest seed).
    O(n k log k) time, O(n log k) memory. ``compiled_beyond`` is the number of points times clusters
    beyond which a compiled loop finds them.

    Source: Arthur & Vassilvitskii, SODA 2007; the greedy form is theirs, section 5.
    """
    gram, w, k = problem.gram, problem.weights, problem.n_clusters
    n_candidates = 2 + int(np.log(k))
    first, *others = rng.random(1 + (k - 1) * n_candidates)
    uniform = np.reshape(others, (k - 1, n_candidates))
    held = _held(gram) if gram.n * k > compiled_beyond else None
    if held is not None:
        labels = _compiled_plus_plus(held, w, np.vstack([np.full(n_candidates, first), uniform]))
        if labels is not None:
            return labels
    labels = np.zeros(gram.n, np.int64)
    diagonal = gram.diagonal()
    seed = draws.places(np.cumsum(w), np.array([first]))
    nearest = _squared_distances(gram, diagonal, seed)[0]
    for cluster, some in enumerate(uniform, start=1):
        candidates = draws.by_potential(w * nearest, some)
        if not candidates.size:
            # All points coincide with a seed: any point of a larger cluster will do.
            candidates = rng.choice(_in_larger_clusters(labels, w, k), size=1)
        distances = _squared_distances(gram, diagonal, candidates)
        np.minimum(distances, nearest, out=distances)
        best = int(np.argmin(distances @ w))
        labels[distances[best] < nearest] = cluster
        labels[candidates[best]] = cluster
        nearest = distances[best]
    return labels


def _held(gram: GramOperator) -> tuple[FloatArray, Float64Array, float, Float64Array] | None:
    """A matrix or features in memory, of which compiled code makes distances."""
    if isinstance(gram, DenseGram):
        return gram.matrix, gram.diagonal(), gram.scale, gram.shift
    held = gram.in_memory() if isinstance(gram, FactorGram) and gram.rank < WIDE else None
    if isinstance(held, Rows):
        rows = np.ascontiguousarray(held.rows)
        return rows, np.empty(0), held.scale * held.scale, np.empty(0)
    return None


def _compiled_plus_plus(
    held: tuple[FloatArray, Float64Array, float, Float64Array],
    weights: Float64Array,
    uniform: Float64Array,
) -> IntArray | None:
    """Labels of the nearest seeds; None where there are fewer different points than seeds."""
    labels = np.empty(len(weights), np.int64)
    found = kernels.greedy_seeds(*held, weights, uniform, labels)
    return labels if found == len(uniform) else None


def euclidean_plus_plus(problem: Problem, rng: np.random.Generator) -> IntArray:
    """k-means++ as in the paper's experiments: Euclidean, squared, one candidate per seed."""
    if problem.table is None:
        raise ValueError(
            'init="euclidean-k-means++" needs a table of numbers; '
            'init="k-means++" does the same with the metric given, in any space.'
        )
    # Here, because importing them takes as long as a small fit.
    from sklearn.cluster import kmeans_plusplus
    from sklearn.metrics import pairwise_distances_argmin

    table, seed = problem.table, seed_of(rng)
    if not issparse(table):
        unit = unit_of(table)
        with np.errstate(over="ignore"):
            squares = float(np.square(table).sum())
        if np.isnan(squares):
            raise ValueError(
                'init="euclidean-k-means++" needs a table without missing entries; '
                'init="k-means++" does the same with the metric given.'
            )
        if unit != 1.0 or not np.isfinite(squares):  # perhaps by constant columns
            table = in_unit(table, unit)
    centers, _ = kmeans_plusplus(
        table,
        problem.n_clusters,
        sample_weight=problem.weights,
        random_state=seed,
        n_local_trials=1,
    )
    return np.asarray(pairwise_distances_argmin(table, centers), np.int64)


def spectral(problem: Problem, rng: np.random.Generator) -> IntArray:
    r"""The relaxation of the problem: k-means on unit rows of top eigenvectors [FRV eq. 29].

    The top k eigenvectors of :math:`𝒲^{1/2} G 𝒲^{1/2}`, with G doubly centered when it comes from
    distances, over the points that have weight. O(n²) per Lanczos step for a dense matrix.
    """
    from sklearn.cluster import KMeans

    vectors = _top_eigenvectors(problem, rng)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    k, seed = problem.n_clusters, seed_of(rng)
    labels = np.zeros(problem.gram.n, np.int64)
    labels[problem.weights > 0] = KMeans(k, n_init=10, random_state=seed).fit_predict(unit)
    return labels


def _top_eigenvectors(problem: Problem, rng: np.random.Generator) -> Float64Array:
    """One row for each point that has weight."""
    alive = problem.weights > 0
    gram, weights = problem.gram, problem.weights[alive]
    n, k = len(weights), problem.n_clusters
    root, share = np.sqrt(weights), weights / weights.sum()

    def apply(right: Float64Array) -> Float64Array:
        """𝒲^½ G 𝒲^½ times a block of vectors."""
        block = right.reshape(n, -1) * root[:, None]
        if problem.origin_is_free:
            block = block - share[:, None] * block.sum(axis=0)
        whole = np.zeros((gram.n, block.shape[1]))
        whole[alive] = block
        product = gram.matmul(whole)[alive]
        if problem.origin_is_free:
            product = product - share @ product
        return root[:, None] * product

    if n <= max(_DENSE_EIGENVECTORS, k + 1):
        matrix = apply(np.eye(n))
        matrix = (matrix + matrix.T) / 2
        return eigenpairs(matrix, n - k, n - 1)[1]
    operator = LinearOperator((n, n), matvec=apply, matmat=apply, dtype=np.float64)
    return lanczos_eigenpairs(operator, k, which="LA", v0=rng.standard_normal(n))[1]


def _squared_distances(gram: GramOperator, diagonal: Float64Array, index: IntArray) -> Float64Array:
    """Squared distances in feature space, (len(index), n); negative ones become 0."""
    nearly = gram.nearly_squared_distances(index) if isinstance(gram, FactorGram) else None
    if nearly is not None:
        return np.asarray(nearly.T, np.float64)
    rows = np.asarray(gram.rows(index), np.float64)
    return np.maximum(diagonal[index][:, None] + diagonal - 2 * rows, 0.0)


def _in_larger_clusters(labels: IntArray, weights: Float64Array, k: int) -> IntArray:
    alive = weights > 0
    count = np.bincount(labels[alive], minlength=k)
    return np.flatnonzero(alive & (count[labels] > 1))


BY_NAME: dict[str, Initializer] = registered(
    INITS,
    {
        "k-means++": plus_plus,
        "random": random_labels,
        "euclidean-k-means++": euclidean_plus_plus,
        "spectral": spectral,
    },
)


def portfolio(problem: Problem, name: str, seeds: Sequence[int]) -> list[Start]:
    """One start per seed; "auto" takes greedy k-means++ and random labels in turn.

    By squared distances, where means say it all, random labels end in the worse optima.
    """
    names = [name]
    if name == "auto":
        of_means = isinstance(problem.gram, RowsGram | SparseRowsGram)
        names = ["k-means++"] if of_means else ["k-means++", "random"]
    return [
        Start(
            name=names[i % len(names)],
            labels=partial(_make, BY_NAME[names[i % len(names)]], problem, seed),
        )
        for i, seed in enumerate(seeds)
    ]


def _make(initializer: Initializer, problem: Problem, seed: int) -> IntArray:
    return initializer(problem, np.random.default_rng(seed))
