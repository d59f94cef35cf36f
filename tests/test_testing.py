"""Checks for one's own parts: each passes what is right and names the promise that is broken."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from helpers import each
from kgroups.gram import DenseGram
from kgroups.gram.operator import SumTable
from kgroups.semimetrics import DampedSquared, Semimetric
from kgroups.solvers import Hartigan, Lloyd, Problem, Status
from kgroups.solvers import objective as spec
from kgroups.testing import (
    check_gram_operator,
    check_partition,
    check_semimetric,
    check_solver,
    naive_hartigan,
)

pytestmark = pytest.mark.nojit

X = np.random.default_rng(0).normal(size=(24, 2))
G = X @ X.T


@dataclass
class Distance(Semimetric):
    """Euclidean distance, and what is to be wrong with it."""

    wrong: str = ""

    def pairwise(self, X, Y=None):
        rho = cdist(X, X if Y is None else Y)
        if self.wrong == "rows" and Y is not None:
            rho *= 1.001
        if self.wrong == "one way" and Y is None:
            rho = np.triu(rho)
        if self.wrong == "itself" and Y is None:
            rho += 0.1 * np.eye(len(rho))
        if self.wrong == "negative":
            rho = -rho
        if self.wrong == "cubed":
            rho = rho**3
        return rho[:, :-1] if self.wrong == "shape" else rho

    def __reduce__(self):
        return type(self), ("cubed" if self.wrong == "pickled" else self.wrong,)


def test_a_distance_is_a_semimetric():
    check_semimetric(Distance(), X)
    check_semimetric(DampedSquared(), X)  # which does not claim negative type


@each(
    ("wrong", "message"),
    [
        ("shape", r"shape"),
        ("one way", r"symmetric"),
        ("itself", r"diagonal|itself"),
        ("rows", r"pairwise\(X\[:3\], X\) differs from the rows"),
        ("pickled", r"differs after pickling"),
        ("negative", r"negative distances"),
        ("cubed", r"claims negative type, violation"),
    ],
)
def test_what_is_wrong_with_a_semimetric(wrong, message):
    with pytest.raises(AssertionError, match=message):
        check_semimetric(Distance(wrong), X)


class Broken(DenseGram):
    """The dense operator with one method replaced."""

    def __init__(self, matrix, *, wrong="", **settings):
        super().__init__(matrix, **settings)
        self.wrong = wrong

    def with_threads(self, n_threads):
        wrong = "matmul" if self.wrong == "with_threads" else self.wrong
        return Broken(self.matrix, wrong=wrong, n_threads=n_threads)

    def to_dense(self):
        dense = self.matrix.copy()
        dense[0, 1] += self.wrong == "symmetric"
        return dense

    def diagonal(self):
        return super().diagonal() + (self.wrong == "diagonal")

    def rows(self, index):
        return super().rows(index) + (self.wrong == "rows")

    def matmul(self, right):
        return super().matmul(right) * (1 + (self.wrong == "matmul"))

    def block(self, start, stop, points=None):
        return super().block(start, stop, points) + (self.wrong == "block")

    def squared_distances(self, index):
        return super().squared_distances(index) + (self.wrong == "squared_distances")

    def running_sums(self, labels, weights, k):
        table = spec.cluster_sums(self.matrix, labels, weights, k).T.copy()
        return BrokenSums(self, table * (1 + (self.wrong == "sums")))

    def __reduce__(self):
        return rebuilt, (self.matrix, "matmul" if self.wrong == "pickled" else self.wrong)


def rebuilt(matrix, wrong):
    return Broken(matrix, wrong=wrong)


class BrokenSums(SumTable):
    """Its sums with one method replaced."""

    def own(self, labels):
        return super().own(labels) + (self.gram.wrong == "own")

    def apply(self, moves, start, stop, block):
        if self.gram.wrong == "apply":
            self.table[:, start:stop] = block
        else:
            super().apply(moves, start, stop, block)


def test_an_operator_that_keeps_its_promises():
    check_gram_operator(Broken(G))


@each(
    ("wrong", "message"),
    [
        ("symmetric", r"G is not symmetric"),
        ("diagonal", r"diagonal\(\) is not the diagonal of G"),
        ("rows", r"rows\(\) are not rows of G"),
        ("matmul", r"matmul\(\) is not a product with G"),
        ("block", r"block\(\) is not a piece of G"),
        ("squared_distances", r"squared_distances\(\) is wrong"),
        ("with_threads", r"with_threads\(\) changes G"),
        ("pickled", r"the operator differs after pickling"),
        ("sums", r"running_sums\(\) are not the sums by cluster"),
        ("own", r"own\(\) is not each point's sum with its own cluster"),
        ("apply", r"sums are wrong after apply\(\)"),
    ],
)
def test_what_is_wrong_with_an_operator(wrong, message):
    with pytest.raises(AssertionError, match=message):
        check_gram_operator(Broken(G, wrong=wrong))


@pytest.fixture
def solved():
    w = np.random.default_rng(1).uniform(0.5, 2, 24)
    return Hartigan().solve(Problem(DenseGram(G), w, 3), np.arange(24) % 3), w


def test_the_answer_of_a_solver_is_a_partition(solved):
    partition, w = solved
    check_partition(partition, G, w, 3)


@each(
    ("change", "message"),
    [
        (lambda p: {"labels": p.labels[:-1]}, r"labels have shape \(23,\)"),
        (lambda p: {"labels": p.labels.astype(np.int32)}, r"labels have type int32"),
        (lambda p: {"labels": p.labels - 1}, r"a label is negative"),
        (lambda p: {"labels": p.labels + 1}, r"a label is 3 with 3 clusters"),
        (lambda p: {"objective": p.objective * 1.01}, r"labels give"),
        (lambda p: {"within": p.within[::-1]}, r"within is not"),
        (lambda p: {"weight": p.weight[::-1]}, r"weight is not the sum of weights"),
        (lambda p: {"n_iter": p.n_iter + 1}, r"history is not one number per sweep"),
        (lambda p: {"history": p.history + 1}, r"history does not end at the objective"),
    ],
)
def test_what_is_wrong_with_a_partition(solved, change, message):
    partition, w = solved
    with pytest.raises(AssertionError, match=message):
        check_partition(replace(partition, **change(partition)), G, w, 3)


@pytest.mark.parametrize("solver", [Hartigan(), Lloyd()])
def test_solvers_conform(solver):
    check_solver(solver, DenseGram(G), n_clusters=3, weights=np.linspace(0.5, 2, 24))


class Careless(Hartigan):
    """Hartigan's method that writes into the labels it was given."""

    def solve(self, problem, labels):
        partition = super().solve(problem, labels)
        labels[:] = partition.labels
        return partition


class ByThreads(Hartigan):
    """An answer that depends on the number of threads."""

    def solve(self, problem, labels):
        shift = problem.gram.n_threads - 1
        return super().solve(problem, (labels + shift) % problem.n_clusters)


class TooEarly(Hartigan):
    """One that stops where it began and says that it has converged."""

    def solve(self, problem, labels):
        stayed = Hartigan(max_iter=1, tol=1e9).solve(problem, labels)
        return replace(stayed, status=Status.CONVERGED)


@each(
    ("solver", "message"),
    [
        (Careless(), "the starting labels were changed"),
        (ByThreads(), "two threads give other labels"),
        (TooEarly(), "converged, but a single move raises the objective"),
    ],
)
def test_what_is_wrong_with_a_solver(solver, message):
    with pytest.raises(AssertionError, match=message):
        check_solver(solver, DenseGram(G), n_clusters=3)


def test_the_plain_loop_by_hand():
    """{0,10},{1,12} in one sweep of two moves to {0,1},{10,12}, and a second one to see it."""
    places = np.array([0.0, 1.0, 10.0, 12.0])
    made = -0.5 * np.abs(np.subtract.outer(places, places))
    labels, sweeps, moves = naive_hartigan(made, np.array([0, 1, 0, 1]), np.ones(4), 2)
    assert labels[0] == labels[1] != labels[2] == labels[3]
    assert (sweeps, moves) == (2, 2)
    same = naive_hartigan(made, np.array([0, 0, 1, 1]), np.ones(4), 2)
    assert (same[0].tolist(), *same[1:]) == ([0, 0, 1, 1], 1, 0)
    assert naive_hartigan(made, np.zeros(4, int), np.ones(4), 1)[1:] == (1, 0)
