"""The best of several starts: which one wins, what may still improve it, and what is told."""

import threading
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from helpers import each
from kgroups.gram import DenseGram
from kgroups.runtime import progress
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.solvers import BestOf, Hartigan, Partition, Problem, Start, Status, restarts
from kgroups.solvers.partition import Record, begin

pytestmark = pytest.mark.nojit

GOOD, BAD, WORST = [0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1]


@dataclass
class Stay:
    """A solver that moves nobody, so that a start ends where it begins."""

    status: Status = Status.CONVERGED
    threads: list = field(default_factory=list)

    def solve(self, problem, labels):
        self.threads.append(problem.gram.n_threads)
        solved = Hartigan(max_iter=1, tol=1e9).solve(problem, labels)
        return replace(solved, status=self.status)


@dataclass
class Improve:
    """An improver that has an answer ready, and remembers what it was given."""

    answer: Partition | None = None
    note: str = "by hand"
    given: list = field(default_factory=list)

    def improve(self, problem, partition):
        self.given.append(partition)
        progress.tell_sweep(1, 0, 0.0)  # which nobody is to hear
        return (partition if self.answer is None else self.answer), ()


@pytest.fixture
def line():
    """{0, 1, 10, 12} with ρ = |x − y|."""
    gram = DenseGram.from_points(np.array([[0.0], [1.0], [10.0], [12.0]]), Energy())
    return Problem(gram, np.ones(4), 2, origin_is_free=True)


def starts(*labels):
    return [
        Start(name=f"start {i}", labels=lambda found=found: np.array(found))
        for i, found in enumerate(labels)
    ]


def test_the_answer_is_recomputed_from_the_labels(line):
    """What updates have rounded, here Q and weights of 99, does not reach it."""
    work = begin(line, np.array(GOOD))
    record = Record(line, work)
    work.state.within[:] = work.state.weight[:] = 99.0
    found = record.finish(Status.CONVERGED)
    assert (found.objective, found.within.tolist()) == (-1.5, [-1.0, -2.0])
    assert found.weight.tolist() == [2.0, 2.0]


@each(("margin", "kept"), [(1e-12, 1), (0.9, 0)])
def test_a_later_start_wins_by_more_than_the_margin(line, margin, kept):
    """From −10.5 to −1.5 is a rise by 9, which is 6/7 of 10.5."""
    assert BestOf(solver=Stay(), margin=margin).solve(line, starts(WORST, GOOD)).kept == kept


def test_a_judge_decides_instead_of_the_objective(line):
    """By the size of its first cluster the worst objective of these is the best."""
    judge = lambda partition: -partition.weight[0]
    found = BestOf(solver=Stay(), judge=judge).solve(line, starts(GOOD, BAD))
    assert (found.kept, found.values) == (1, (-2.0, -1.0))
    assert found.best.objective < found.partitions[0].objective


@each("n_starts", [1, 3])
def test_an_error_in_a_start_is_raised(line, n_starts):
    def fail():
        raise RuntimeError("no labels")

    broken = [*starts(*[GOOD] * (n_starts - 1)), Start(name="broken", labels=fail)]
    with pytest.raises(RuntimeError, match="no labels"):
        BestOf(solver=Stay(), executor=Threads(2)).solve(line, broken)


@each("status", Status)
def test_only_what_has_converged_is_improved(line, status):
    improver = Improve()
    found = BestOf(solver=Stay(status), improver=improver).solve(line, starts(BAD, GOOD))
    assert len(improver.given) == (status not in (Status.MAX_ITER, Status.LIMIT, Status.CYCLE))
    assert found.best.labels.tolist() == GOOD


def test_the_best_is_improved_and_the_starts_stay_as_they_were(line):
    better = Stay().solve(line, np.array(GOOD))
    improver = Improve(better)
    found = BestOf(solver=Stay(), improver=improver).solve(line, starts(WORST, BAD))
    assert [p.labels.tolist() for p in improver.given] == [BAD]
    assert found.best is better
    assert found.kept == 1
    np.testing.assert_allclose(found.values, [-10.5, -22 / 3], rtol=1e-14)


def test_one_start_has_all_threads_and_tells_its_sweeps(line):
    """Several run on one thread each, and their sweeps would come in any order."""
    heard, alone, several = [], Stay(), Stay()
    with progress.listening(heard.append):
        BestOf(solver=alone, executor=Threads(3)).solve(line, starts(GOOD))
        assert {event.phase for event in heard} == {"sweep"}
        heard.clear()
        BestOf(solver=several, executor=Threads(3)).solve(line, starts(GOOD, BAD))
        assert {event.phase for event in heard} == {"start"}
    assert (alone.threads, several.threads) == ([3], [1, 1])


@each("n_threads", [1, 3])
def test_threads_change_no_label(n_threads, monkeypatch):
    monkeypatch.setattr(restarts, "_WORTH_A_THREAD", 0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    problem = Problem(DenseGram.from_points(X, Energy()), rng.uniform(0.5, 2, 40), 3)
    given = [rng.integers(3, size=40) for _ in range(5)]
    found = BestOf(solver=Hartigan(), executor=Threads(n_threads)).solve(problem, starts(*given))
    alone = [Hartigan().solve(problem, labels) for labels in given]
    for one, other in zip(found.partitions, alone, strict=True):
        assert one.labels.tolist() == other.labels.tolist()
    ends = np.array([p.objective for p in alone])
    assert found.kept == int(np.argmax(ends >= ends.max() * (1 + 1e-12)))  # up to rounding


def test_costly_starts_are_made_on_threads_of_their_own(line):
    barrier = threading.Barrier(2, timeout=10)

    def labels():
        barrier.wait()
        return np.array(GOOD)

    costly = [Start(name=name, labels=labels, costly=True) for name in "ab"]
    found = BestOf(solver=Stay(), executor=Threads(2)).solve(line, costly)
    assert found.names == ("a", "b")
