"""Conformance checks for your own semimetric, operator or solver.

>>> import numpy as np
>>> from kgroups.gram import DenseGram
>>> from kgroups.semimetrics import Energy
>>> from kgroups.solvers import Hartigan
>>> from kgroups.testing import check_gram_operator, check_semimetric, check_solver
>>> X = np.random.default_rng(0).normal(size=(40, 3))
>>> check_semimetric(Energy(0.5), X)
>>> check_gram_operator(DenseGram.from_points(X, Energy(0.5)))
>>> check_solver(Hartigan(), DenseGram.from_points(X, Energy(0.5)), n_clusters=4)

Each check raises AssertionError with a sentence that says what is wrong.
"""

import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from kgroups.gram import GramOperator, Moves
from kgroups.input.rows import n_rows
from kgroups.semimetrics import Semimetric, negative_type_violation
from kgroups.solvers import Hartigan, Partition, Problem, Solver
from kgroups.solvers import objective as specification
from kgroups.solvers.draws import random_labels
from kgroups.typing import Float64Array, FloatArray, IntArray

__all__ = [
    "check_gram_operator",
    "check_partition",
    "check_semimetric",
    "check_solver",
    "is_one_move_optimal",
    "naive_hartigan",
]

is_one_move_optimal = specification.is_one_move_optimal


def naive_hartigan(
    G: Float64Array,
    labels: IntArray,
    weights: Float64Array,
    k: int,
    *,
    tol: float = 1e-12,
    max_iter: int = 300,
) -> tuple[IntArray, int, int]:
    """Labels, sweeps and moves of Hartigan's method, one point at a time from the definition.

    Every gain is computed from G, in O(n²k) per visit. All compiled sweeps are compared with it.

    References
    ----------
    [FRV] G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-Groups via Hartigan's Method", IEEE
    TPAMI 43 (12), 2020, algorithm 2.
    """
    labels, n_moves = np.array(labels, dtype=np.int64), 0
    for sweep in range(1, max_iter + 1):
        least, moved = specification.threshold(G, labels, weights, k, tol), 0
        for point in range(len(labels)):
            if k == 1 or not specification.movable(labels, weights, k, point):
                continue
            target, gain = specification.best_move(G, labels, weights, k, point)
            if gain > least:
                labels[point] = target
                moved += 1
        n_moves += moved
        if moved == 0:
            return labels, sweep, n_moves
    return labels, max_iter, n_moves


def check_semimetric(semimetric: Semimetric, X: Sequence[Any] | FloatArray | csr_array) -> None:
    """Check symmetry, the zero diagonal, blocks, pickling, and negative type if claimed.

    Rows are a table, sparse rows, or a sequence of objects.
    """
    rho = np.asarray(semimetric.pairwise(X), np.float64)
    name, n = repr(semimetric), n_rows(X)
    assert rho.shape == (n, n), f"{name}: pairwise(X) has shape {rho.shape}"
    assert np.isfinite(rho).all(), f"{name}: distances are not finite"
    assert np.array_equal(rho, rho.T), f"{name}: not symmetric"
    assert not np.diagonal(rho).any(), f"{name}: a point is not at distance 0 from itself"
    scale = np.abs(rho).max() or 1.0
    resolved = semimetric.resolve(X)
    part = np.asarray(resolved.pairwise(X[:3], X), np.float64)
    assert np.allclose(part, rho[:3], rtol=1e-10, atol=1e-10 * scale), (
        f"{name}: pairwise(X[:3], X) differs from the rows of pairwise(X)"
    )
    copy = pickle.loads(pickle.dumps(semimetric))
    assert np.array_equal(copy.pairwise(X), rho), f"{name}: differs after pickling"
    if semimetric.is_negative_type:
        assert rho.min() >= 0, f"{name}: negative distances"
        violation = negative_type_violation(rho)
        assert violation < 1e-8, f"{name}: claims negative type, violation {violation:.3g}"


def check_gram_operator(gram: GramOperator, *, seed: int = 0) -> None:
    """Check that every method agrees with ``to_dense()``, and sums while points move."""
    rng = np.random.default_rng(seed)
    n, G = gram.n, gram.to_dense()
    close = _closeness(G)
    assert G.shape == (n, n), f"to_dense() has shape {G.shape} for n={n}"
    assert close(G, G.T), "G is not symmetric"
    assert close(gram.diagonal(), np.diagonal(G)), "diagonal() is not the diagonal of G"
    index = rng.integers(n, size=3)
    assert close(gram.rows(index), G[index]), "rows() are not rows of G"
    right = rng.normal(size=(n, 2))
    assert close(gram.matmul(right), G @ right), "matmul() is not a product with G"
    a, b = n // 4, n // 4 + max(1, n // 3)
    assert close(gram.block(a, b), G[a:b, a:b]), "block() is not a piece of G"
    d = np.diagonal(G)
    assert close(gram.squared_distances(0), d[0] + d - 2 * G[0]), "squared_distances() is wrong"
    assert close(gram.with_threads(2).matmul(right), G @ right), "with_threads() changes G"
    copy = pickle.loads(pickle.dumps(gram))
    assert close(copy.matmul(right), G @ right), "the operator differs after pickling"
    _check_running_sums(gram, G, rng)


def _check_running_sums(gram: GramOperator, G: Float64Array, rng: np.random.Generator) -> None:
    n, k = gram.n, 3
    labels, weights = rng.integers(k, size=n), rng.uniform(0, 2, n)
    weights[rng.integers(n)] = 0.0
    sums = gram.running_sums(labels, weights, k)
    close = _closeness(G * weights.sum())
    expected = specification.cluster_sums(G, labels, weights, k)
    assert close(sums.block(0, n).T, expected), "running_sums() are not the sums by cluster"
    own = expected[np.arange(n), labels]
    assert close(sums.own(labels), own), "own() is not each point's sum with its own cluster"
    # The contract of apply(): the caller provides its own block, apply() updates all others.
    start, stop = 0, max(1, n // 2)
    points = np.arange(start, stop)[: max(1, n // 4)]
    targets = (labels[points] + 1) % k
    moves = Moves(points, weights[points], labels[points], targets)
    after = labels.copy()
    after[points] = targets
    expected = specification.cluster_sums(G, after, weights, k)
    sums.apply(moves, start, stop, np.ascontiguousarray(expected[start:stop].T))
    assert close(sums.block(0, n).T, expected), "sums are wrong after apply()"


def check_partition(partition: Partition, G: Float64Array, weights: Float64Array, k: int) -> None:
    """Check that labels are in range and that every number of the result follows from them."""
    labels, close = partition.labels, _closeness(G * weights.sum())
    assert labels.shape == weights.shape, f"labels have shape {labels.shape}"
    assert labels.dtype == np.int64, f"labels have type {labels.dtype}"
    assert labels.min() >= 0, "a label is negative"
    assert labels.max() < k, f"a label is {labels.max()} with {k} clusters"
    Q = specification.objective(G, labels, weights, k)
    assert close(partition.objective, Q), f"objective {partition.objective}, labels give {Q}"
    within = specification.within(G, labels, weights, k)
    assert close(partition.within, within), "within is not Σ w w G of each cluster"
    weight = specification.cluster_weights(labels, weights, k)
    assert np.allclose(partition.weight, weight, rtol=1e-12), "weight is not the sum of weights"
    assert len(partition.history) == partition.n_iter + 1, "history is not one number per sweep"
    assert partition.history[-1] == partition.objective, "history does not end at the objective"


def check_solver(
    solver: Solver,
    gram: GramOperator,
    *,
    n_clusters: int,
    weights: Float64Array | None = None,
    seed: int = 0,
) -> None:
    """Check the result of a solver, that it keeps the given labels, and one-move optimality."""
    rng = np.random.default_rng(seed)
    G = gram.to_dense()
    w = np.ones(gram.n) if weights is None else weights
    labels = random_labels(w, n_clusters, rng)
    given = labels.copy()
    partition = solver.solve(Problem(gram, w, n_clusters), labels)
    assert np.array_equal(labels, given), "the starting labels were changed"
    check_partition(partition, G, w, n_clusters)
    again = solver.solve(Problem(gram.with_threads(2), w, n_clusters), labels)
    assert np.array_equal(again.labels, partition.labels), "two threads give other labels"
    if isinstance(solver, Hartigan) and partition.converged:
        assert np.all(np.diff(partition.history) >= -1e-9 * np.abs(partition.history).max()), (
            "the objective fell during Hartigan's method"
        )
        assert is_one_move_optimal(G, partition.labels, w, n_clusters, 2 * solver.tol), (
            "converged, but a single move raises the objective"
        )


def _closeness(like: Float64Array) -> Any:
    """A test for equality up to rounding of numbers of the size of ``like``."""
    scale = float(np.abs(like).max()) or 1.0
    return lambda a, b: bool(np.allclose(a, b, rtol=1e-9, atol=1e-9 * scale))
