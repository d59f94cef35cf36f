"""Every operator with every solver through the public conformance checks."""

import pkgutil
from importlib import import_module

import numpy as np
import pytest
from scipy.sparse import csr_array

import kgroups
from helpers import each, random_gram
from kgroups.gram import (
    ColumnGram,
    DenseGram,
    FactorGram,
    GramOperator,
    MatrixFreeGram,
    PairwiseGram,
    SparseGram,
)
from kgroups.gram.directions import DirectedRows, DirectionGram
from kgroups.gram.sparse_points import SparsePointsGram
from kgroups.gram.sparse_rows import SparseRowsGram
from kgroups.gram.squared_rows import RowsGram, SquaredGram
from kgroups.semimetrics import Energy, Hamming, Jaccard, Manhattan
from kgroups.solvers import BestOf, Hartigan, HartiganPairs, Lloyd, OnlineLloyd, Problem, Solver
from kgroups.solvers import objective as specification
from kgroups.testing import check_gram_operator, check_solver


class RowsOnly(GramOperator):
    """The least that an operator must be: everything else comes from the base class."""

    def __init__(self, G, n_threads=1):
        self.G, self.n, self.n_threads = G, len(G), n_threads

    def diagonal(self):
        return np.diagonal(self.G).copy()

    def rows(self, index):
        return self.G[index]

    def matmul(self, right):
        return self.G @ right

    def with_threads(self, n_threads):
        return RowsOnly(self.G, n_threads)


def operators(n=70):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    edges = random_edges(rng, n)
    signed = random_edges(rng, n, signed=True)
    lone = random_edges(rng, n)
    lone[:9] = lone[:, :9] = 0
    sparse = csr_array(np.where(rng.random((n, 9)) < 0.3, rng.normal(size=(n, 9)), 0))
    extra = {"diagonal": rng.normal(size=n)}
    low_rank = {"columns": rng.normal(size=(n, 2)), "signs": np.array([0.4, -1.0])}
    return {
        "points": DenseGram.from_points(X, Energy()),
        "points in float32": DenseGram.from_points(X.astype(np.float32), Energy()),
        "distances": DenseGram.from_distances(Energy(0.5).pairwise(X)),
        "kernel": DenseGram(X @ X.T),
        "indefinite": DenseGram(random_gram(rng, n, "indefinite")),
        "rows only": RowsOnly(random_gram(rng, n, "distance")),
        "sparse": SparseGram(csr_array(edges)),
        "sparse with a diagonal": SparseGram(csr_array(edges), **extra),
        "sparse with columns": SparseGram(csr_array(edges), **low_rank),
        "sparse with both": SparseGram(csr_array(signed), **extra, **low_rank),
        "sparse with loops": SparseGram(csr_array(edges + np.diag(rng.uniform(0, 9, n)))),
        "sparse with empty rows": SparseGram(csr_array(lone)),
        "sparse and negative": SparseGram(csr_array(signed)),
        "sparse points": SparsePointsGram.from_terms(Energy().terms(sparse)),
        "matrix free": MatrixFreeGram.from_points(X, Energy()),
        "pairwise": PairwiseGram(X, Energy()),
        "pairwise without terms": PairwiseGram((X > 0).astype(float), Jaccard()),
        "features": FactorGram(rng.normal(size=(n, 5))),
        "squared": SquaredGram(Energy(2).terms(X)),
        "directions": DirectionGram(DirectedRows.of(X.astype(np.float32))),
        "directions of many columns": DirectionGram(DirectedRows.of(rng.normal(size=(n, 64)))),
        "sparse rows": SparseRowsGram(sparse, 0.5),
        "sorted columns": ColumnGram.from_terms(Manhattan().terms(X)),
        "categories": ColumnGram.from_terms(Hamming().terms((2 * X).round())),
    }


def random_edges(rng, n, signed=False):
    """A tenth of all pairs, with weights."""
    W = np.where(rng.random((n, n)) < 0.1, rng.uniform(-1 if signed else 0.1, 1, (n, n)), 0)
    return np.triu(W, 1) + np.triu(W, 1).T


OPERATORS = operators()
SOLVERS = [Hartigan(), HartiganPairs(), Lloyd(), OnlineLloyd()]


def classes():
    """All classes that the package defines."""
    for module in pkgutil.walk_packages(kgroups.__path__, "kgroups."):
        if not module.name.endswith("__main__"):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, type) and value.__module__ == module.name:
                    yield value


def test_the_table_has_every_operator():
    known = {type(gram) for gram in OPERATORS.values()}
    assert {c for c in classes() if issubclass(c, GramOperator)} - known == {GramOperator, RowsGram}


def test_the_table_has_every_solver():
    """A solver has a method ``solve``; the protocol is none, and a wrapper takes several starts."""
    known = {type(solver) for solver in SOLVERS}
    found = {c for c in classes() if c.__module__.startswith("kgroups.solvers.")}
    assert {c for c in found if hasattr(c, "solve")} - known == {Solver, BestOf}


@each("name", OPERATORS)
def test_operators(name):
    check_gram_operator(OPERATORS[name])


@each("n", [1, 2, 257, 1100])
def test_an_operator_at_sizes_that_cross_blocks_and_tiles(n):
    rng = np.random.default_rng(n)
    check_gram_operator(DenseGram(random_gram(rng, n, "kernel"), n_threads=2))


@each("name", OPERATORS)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: type(s).__name__)
def test_solver_on_every_operator(solver, name):
    gram = OPERATORS[name]
    weights = np.random.default_rng(1).uniform(0, 2, gram.n)
    weights[:3] = 0
    for w in (None, weights):
        check_solver(solver, gram, n_clusters=6, weights=w)


@each("name", OPERATORS)
@pytest.mark.parametrize("weighted", [False, True], ids=["unit", "weighted"])
def test_sums_without_denominators(weighted, name):
    """A result that no single move raises, by the definition of Σ Q_j."""
    gram = OPERATORS[name]
    rng = np.random.default_rng(2)
    w = rng.uniform(0, 2, gram.n) if weighted else np.ones(gram.n)
    w[:3] = 0 if weighted else 1
    start = rng.integers(4, size=gram.n)
    start[-4:] = np.arange(4)
    given = start.copy()
    p = Hartigan(ratio=False).solve(Problem(gram, w, 4), start)
    again = Hartigan(ratio=False).solve(Problem(gram.with_threads(2), w, 4), start)
    assert again.labels.tolist() == p.labels.tolist()
    assert start.tolist() == given.tolist()
    assert p.converged
    G, labels = gram.to_dense(), p.labels
    R = specification.cluster_sums(G, labels, w, 4)
    within = specification.within(G, labels, w, 4)
    large = np.abs(G).max() * w.sum() ** 2
    np.testing.assert_allclose(p.within, within, rtol=1e-9, atol=1e-12 * large)
    assert p.objective == pytest.approx(within.sum(), rel=1e-9, abs=1e-12 * large)
    assert (np.diff(p.history) >= -1e-12 * large).all()
    # i leaves j: Q_j falls by 2 w R_j(i) − w² G_ii; it enters l: Q_l rises by 2 w R_l(i) + w² G_ii.
    own = R[np.arange(gram.n), labels][:, None]
    gains = 2 * w[:, None] * (R - own) + 2 * (w**2 * np.diagonal(G))[:, None]
    gains[np.arange(gram.n), labels] = 0
    free = [specification.movable(labels, w, 4, i) for i in range(gram.n)]
    assert gains[free].max() <= 1e-11 * large
