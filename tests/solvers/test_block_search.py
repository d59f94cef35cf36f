"""Searches in which groups of rows propose moves against means that stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from helpers import each
from kgroups.gram import FactorGram
from kgroups.gram.block_features import GramFeatures
from kgroups.gram.directions import DirectedRows, DirectionGram
from kgroups.gram.squared_rows import SquaredGram
from kgroups.runtime.row_blocks import LocalBlocks
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import Energy
from kgroups.solvers import Hartigan, Problem, Status, block_means, block_search
from kgroups.solvers import objective as spec
from kgroups.solvers.block_labels import BlockLabels

pytestmark = pytest.mark.nojit
SQUARED = Energy(2)
KINDS = ["squared", "float32", "wide", "cosine", "features", "made"]


class Made:
    """Features that are made when asked for, by slices only."""

    def __init__(self, features):
        self.features, self.shape = features, features.shape
        self.asked = 0

    def __getitem__(self, rows):
        assert isinstance(rows, slice)
        self.asked += 1
        return self.features[rows].copy()


@pytest.fixture
def small_groups(monkeypatch):
    """Every search in groups of 8 rows and more, whatever the number of rows."""
    for module in (block_search, block_means):
        monkeypatch.setattr(module, "CHUNK", 8)
    monkeypatch.setattr(block_search, "_ONE_BY_ONE", 0)
    monkeypatch.setattr(block_search, "_WORTH_THREADS", 0)
    monkeypatch.setattr(block_search, "_GROUPS", 4)


def table(seed, n, d):
    """Normal, skewed, clustered and far from the origin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if seed % 4 == 1:
        X = np.exp(X)
    if seed % 4 == 2:
        X += 3 * rng.normal(size=(4, d))[rng.integers(4, size=n)]
    if seed % 4 == 3:
        X += 100
    return X


def problem(kind, seed, n=None):
    """A problem, and a start with no cluster empty."""
    rng = np.random.default_rng(seed)
    n, k = n or int(rng.integers(20, 90)), int(rng.integers(2, 6))
    X = table(seed, n, 60 if kind in ("wide", "cosine") else int(rng.integers(1, 6)))
    w = rng.choice([0.0, 0.5, 1.0, 3.0], size=n) if seed % 2 else np.ones(n)
    w[:k] = 1.0
    start = np.concatenate([np.arange(k), rng.integers(k, size=n - k)])
    if kind == "cosine":
        gram = DirectionGram(DirectedRows.of(X))
    elif kind in ("features", "made"):
        features = (X - X.mean(axis=0)).astype(np.float32)
        gram = FactorGram(features if kind == "features" else Made(features))
    else:
        gram = SquaredGram(SQUARED.terms(X.astype(np.float32) if kind == "float32" else X))
    return Problem(gram, w, k), start


def features_of(gram):
    """The features as an array."""
    return np.asarray(gram.features[0 : gram.n], np.float64)


def plain_sweeps(G, labels, w, k, size, n_sweeps, tol=1e-12):
    """The rule by the specification: groups propose, and proposals that still gain are made."""
    labels, dispersion = labels.copy(), 0.0
    for _ in range(n_sweeps):
        dispersion = w @ np.diag(G) - spec.objective(G, labels, w, k)
        for a in range(0, len(w), size):
            seen = labels.copy()
            for i in range(a, min(a + size, len(w))):
                if not spec.movable(seen, w, k, i):
                    continue
                target, gain = spec.best_move(G, seen, w, k, i)
                if gain <= tol * dispersion or not spec.movable(labels, w, k, i):
                    continue
                if spec.move_gain(G, labels, w, k, i, target) > tol * dispersion:
                    labels[i] = target
    return labels


@each("seed", range(6))
@each("kind", KINDS)
@pytest.mark.usefixtures("small_groups")
def test_the_answer_is_one_move_optimal(kind, seed):
    given, start = problem(kind, seed)
    found = Hartigan().solve(given, start)
    G = features_of(given.gram) @ features_of(given.gram).T
    w, k = given.weights, given.n_clusters
    assert found.status is Status.CONVERGED
    assert spec.is_one_move_optimal(G, found.labels, w, k, tol=1e-9)
    assert found.objective == pytest.approx(spec.objective(G, found.labels, w, k), rel=1e-9)
    assert found.weight == pytest.approx(spec.cluster_weights(found.labels, w, k))
    gained = spec.objective(G, found.labels, w, k) - spec.objective(G, start, w, k)
    assert found.history[-1] - found.history[0] == pytest.approx(gained, rel=1e-8)
    assert (np.diff(found.history) >= 0).all()


@each("seed", range(4))
@each("n_sweeps", [1, 2, 3])
@each("kind", ["squared", "wide", "made"])
@pytest.mark.usefixtures("small_groups")
def test_moves_are_those_of_the_rule(kind, n_sweeps, seed):
    given, start = problem(kind, seed, n=40)
    G = features_of(given.gram) @ features_of(given.gram).T
    expected = plain_sweeps(G, start, given.weights, given.n_clusters, 16, n_sweeps)
    found = Hartigan(max_iter=n_sweeps).solve(given, start)
    assert block_search.rows_at_once(40) == 16  # a quarter of the rows is 10
    assert found.labels.tolist() == expected.tolist()


@each("kind", KINDS)
@pytest.mark.usefixtures("small_groups")
def test_threads_change_no_bit(kind):
    given, start = problem(kind, 2, n=150)
    one, *others = (Hartigan().solve(given.with_threads(t), start) for t in (1, 2, 3, 5))
    assert one.n_moves > 0
    for other in others:
        assert other.labels.tolist() == one.labels.tolist()
        assert other.history.tolist() == one.history.tolist()
        assert other.within.tolist() == one.within.tolist()


@each("kind", KINDS)
@each("seed", range(4))
@pytest.mark.usefixtures("small_groups")
def test_bounds_are_bounds_and_nothing_given_changes(monkeypatch, kind, seed):
    given, start = problem(kind, seed)
    F, w = features_of(given.gram), given.weights
    answer, n_skipped = block_search.answer, []

    def checked(read, weights, block, frozen):
        before = [array.copy() for array in (block.labels, *block.bounds)]
        means = frozen.means
        kept = [array.copy() for array in means]
        found = answer(read, weights, block, frozen)
        after = (block.labels, *block.bounds)
        assert all((a == b).all() for a, b in zip(before, after, strict=True))
        assert all((a == b).all() for a, b in zip(kept, means, strict=True))
        if found.proposed is not None:
            movers, proposals = found.proposed
            assert len(movers.weights) == len(proposals.rows) > 0
        n_skipped.append(len(weights) - found.n_open)
        for row, cluster in enumerate(block.labels):
            far = np.sqrt(((F[block.first + row] - means.centers) ** 2).sum(axis=1))
            assert found.own[row] >= far[cluster] * (1 - 1e-9) - 1e-12
            if w[block.first + row] > 0:
                cost = np.sqrt(means.weight / (means.weight + w[block.first + row])) * far
                least = np.delete(cost, cluster).min()
                assert found.others[row] <= least * (1 + 1e-9) + 1e-12
        return found

    with monkeypatch.context() as patch:
        patch.setattr(block_search, "answer", checked)
        assert Hartigan().solve(given, start).n_iter > 1
    assert sum(n_skipped) > 0


@pytest.mark.usefixtures("small_groups")
def test_features_are_made_only_where_bounds_leave_a_row_open():
    rng = np.random.default_rng(0)
    centers = 40 * np.repeat([[1, 0], [0, 1], [-1, 0]], 40, axis=0)
    made = Made((rng.normal(size=(120, 2)) + centers).astype(np.float32))
    given, truth = Problem(FactorGram(made), np.ones(120), 3), np.repeat([0, 1, 2], 40)
    made.asked = 0
    assert Hartigan().solve(given, truth).n_iter == 1
    # The anchors, the first members, are rows 0, 40 and 80 in chunks of 8: three of them. Then one
    # pass for the means and one for the first sweep, of 15 chunks each.
    assert made.asked == 3 + 15 + 15
    one_off = truth.copy()
    one_off[119] = 0
    made.asked = 0
    found = Hartigan().solve(given, one_off)
    assert (found.n_moves, found.n_iter) == (1, 2)
    # New means once the row is back, and no row is open after them.
    assert made.asked == 3 + 15 + 15 + 3 + 15


@pytest.mark.usefixtures("small_groups")
def test_an_empty_cluster_gains_a_row_and_a_last_one_stays():
    given, start = problem("squared", 0, n=60)
    k = given.n_clusters
    start = np.minimum(start, k - 2)
    found = Hartigan().solve(given, start)
    assert np.bincount(found.labels, minlength=k).min() > 0
    alone = np.zeros(60, np.int64)
    alone[: k - 1] = np.arange(1, k)
    found = Hartigan().solve(given, alone)
    assert np.bincount(found.labels, minlength=k).min() > 0


@pytest.mark.usefixtures("small_groups")
def test_equal_rows_fill_a_cluster_that_nothing_gains_by():
    F = np.ones((20, 3), np.float32)
    found = Hartigan().solve(Problem(FactorGram(F), np.ones(20), 2), np.zeros(20, np.int64))
    assert sorted(np.bincount(found.labels)) == [1, 19]
    assert found.status is Status.CONVERGED


@pytest.mark.usefixtures("small_groups")
def test_rows_without_weight_stay_and_count_for_nothing():
    given, start = problem("squared", 1, n=80)
    found = Hartigan().solve(given, start)
    lost = given.weights == 0
    assert lost.any()
    assert (found.labels[lost] == start[lost]).all()
    alive = np.flatnonzero(~lost)
    some = Problem(given.gram.taken(alive), given.weights[alive], given.n_clusters)
    G = features_of(some.gram) @ features_of(some.gram).T
    value = spec.objective(G, found.labels[alive], some.weights, some.n_clusters)
    assert found.objective == pytest.approx(value)


@each("loses", [False, True])
@each("n_iter", [0, 15])
def test_new_means_leave_bounds_of_rows_that_moved_before_them(monkeypatch, n_iter, loses):
    """Means are made anew after 16 sweeps, while blocks have not heard of the last moves.

    Rows 0 and 1 belong together, and one of them is to come back to the other.
    """
    monkeypatch.setattr(block_search, "rows_at_once", lambda n: 128)
    rows = [(1, 0, 1, 0), (-1, 0, 1, 0)] + [(2.3, 0, 1, 1)] * 100 + [(0.1, 5, 10, 2)] * 26
    rows += [(0.1, 0, 10, 2)] + [(0.1, 5, 10, 2)] * 1023
    table = np.array(rows, float)
    where = LocalBlocks(None, len(rows), 128, Threads(1), weights=table[:, 2])
    if loses:
        honest = where.map

        def forgetful(*args, **settings):
            for kept in where._kept:
                kept.pop("bounds", None)
            return honest(*args, **settings)

        monkeypatch.setattr(where, "map", forgetful)
    gram = SquaredGram(SQUARED.terms(table[:, :2]), table[:, 2].copy())
    labels = BlockLabels.of(where, table[:, 3].astype(int), 3)
    search = block_search.BlockSearch(where, GramFeatures(gram), labels, 3, 10.0)
    course = block_search.Course(n_iter, fallen=[0.0] * (n_iter + 1), lowest=search.dispersion)
    found = block_search.searched(search, 1e-12, 300, course)
    assert found.status is Status.CONVERGED
    assert search.dispersion == pytest.approx(2.0167, rel=1e-3)


def rounding(least_that_stays):
    """A search whose moves gain nothing as long as so small a gain counts."""
    labels = SimpleNamespace(values=np.zeros(2, np.uint8))
    search = SimpleNamespace(dispersion=1.0, since=0, labels=labels)
    search.means = SimpleNamespace(weight=np.ones(1), centers=np.zeros((1, 1)))

    def sweep(least):
        moved = int(least < least_that_stays)
        search.since += moved
        return moved, moved * least

    search.sweep = sweep
    search.renew = lambda: setattr(search, "since", 0)
    return search


@each(
    ("least_that_stays", "status", "n_iter"),
    # Gains count 8 times more after every 16 sweeps: 8⁶ · 1e-12 = 2.6e-7, 8⁷ · 1e-12 = 2.1e-6.
    [(1e-7, Status.CONVERGED, 97), (1e-6, Status.CYCLE, 113), (1.0, Status.MAX_ITER, 200)],
)
def test_moves_by_rounding_come_to_an_end(least_that_stays, status, n_iter):
    found = block_search.searched(rounding(least_that_stays), 1e-12, 200)
    assert (found.status, found.n_iter) == (status, n_iter)
