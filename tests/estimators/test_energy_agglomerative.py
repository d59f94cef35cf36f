"""Hierarchical clustering by energy: any matrix, ties, SciPy's tree, and its memory."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform

import oracle
from helpers import each, slow
from kgroups import EnergyAgglomerative
from kgroups.gram import DenseGram
from kgroups.metrics import same_partition
from kgroups.runtime import memory
from kgroups.semimetrics import Semimetric
from kgroups.solvers import agglomerative as solver


def assert_greedy(children, heights, rho, w=None):
    """Every merge has the height of its definition, and none was nearer."""
    n = len(rho)
    w = np.ones(n) if w is None else np.asarray(w, float)
    clusters = {i: [i] for i in range(n)}
    tol = 1e-10 * max(np.abs(rho).max(), 1e-300) * w.max()
    for t, (i, j) in enumerate(children):
        names = sorted(clusters)
        every = [
            oracle.merge_height(rho, w, clusters[p], clusters[q])
            for at, p in enumerate(names)
            for q in names[at + 1 :]
        ]
        height = oracle.merge_height(rho, w, clusters[i], clusters[j])
        assert i < j
        assert heights[t] == pytest.approx(height, abs=tol)
        assert height <= min(every) + tol
        clusters[n + t] = clusters.pop(i) + clusters.pop(j)
    assert len(clusters) == 1


def tree_of(rho, w=None, **how):
    rho = np.asarray(rho, float)
    w = np.ones(len(rho)) if w is None else np.asarray(w, float)
    return solver.energy_tree(DenseGram.from_distances(rho), w, **how)


# --- the tree --------------------------------------------------------------------------------


@pytest.mark.nojit
@each("weighted", [False, True])
@each("least", [0.0, -0.5])
def test_exact_for_any_symmetric_matrix(weighted, least):
    """Of negative type or not, even with negative entries: least merges, and heights that rise."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        rho = np.triu(rng.uniform(least, 1.0, size=(14, 14)) ** 3, 1)
        rho += rho.T
        w = rng.uniform(0.2, 3.0, size=14) if weighted else None
        tree = tree_of(rho, w)
        assert_greedy(tree.children, tree.heights, rho, w)
        assert np.all(np.diff(tree.heights) >= 0)


@pytest.mark.nojit
def test_ties_leave_every_merge_a_least_one():
    rng = np.random.default_rng(5)
    for _ in range(10):
        X = rng.integers(0, 3, size=(18, 2)).astype(float)
        model = EnergyAgglomerative(2, metric="manhattan").fit(X)
        rho = squareform(pdist(X, "cityblock"))
        assert_greedy(model.children_, model.distances_, rho)
        assert np.all(np.diff(model.distances_) >= 0)
        assert model.distances_[0] == 0


def merges_by_full_search(d, weights):
    """All distances looked at before each merge, pairs in the order of their places."""
    d, s, n = d.copy(), weights.copy(), len(d)
    alive, node, children = list(range(n)), list(range(n)), []
    d *= 2 * s[:, None] * (s / (s[:, None] + s))
    for step in range(n - 1):
        pairs = [(a, b) for at, a in enumerate(alive) for b in alive[at + 1 :]]
        a, b = min(pairs, key=lambda pair: d[pair])  # the first of equal ones
        children.append(sorted((node[a], node[b])))
        node[a] = n + step
        alive.remove(b)
        for c in alive:
            if c != a:
                joint = (s[a] + s[c]) * d[a, c] + (s[b] + s[c]) * d[b, c] - s[c] * d[a, b]
                d[a, c] = d[c, a] = joint / (s[a] + s[b] + s[c])
        s[a] += s[b]
    return children


@pytest.mark.nojit
@each(
    ("weighted", "steps", "step"),
    [
        (False, range(4), 1.0),
        (True, range(4), 1.0),
        # Neighboring floats, which rounding joins.
        (False, range(-1, 3), 2.0**-52),
        (True, range(-3, 4), 2.0**-53),
    ],
)
def test_the_order_of_equally_near_pairs_is_that_of_a_full_search(weighted, steps, step):
    """Few distances, so that most merges are among equal ones."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        rho = np.triu(1.0 + step * rng.integers(steps.start, steps.stop, size=(12, 12)), 1)
        rho += rho.T
        w = 2.0 ** rng.integers(0, 3, 12) if weighted else np.ones(12)
        assert tree_of(rho, w).children.tolist() == merges_by_full_search(rho, w)


def test_scipy_builds_the_same_tree_by_ward_on_the_square_root():
    rng = np.random.default_rng(11)
    for alpha in (0.5, 1.0, 2.0):
        X = rng.normal(size=(300, 3))
        Z = linkage(np.sqrt(pdist(X) ** alpha), "ward")
        model = EnergyAgglomerative(7, alpha=alpha).fit(X)
        np.testing.assert_allclose(model.distances_, Z[:, 2] ** 2, rtol=1e-12)
        assert same_partition(model.labels_, fcluster(Z, 7, "maxclust"))
        ours = model.linkage_matrix()
        assert is_valid_linkage(ours)
        np.testing.assert_array_equal(ours[:, [0, 1, 3]], Z[:, [0, 1, 3]])


def test_threads_and_strips_change_nothing(monkeypatch):
    X = np.random.default_rng(4).normal(size=(2100, 3))
    whole = EnergyAgglomerative(5, n_jobs=1).fit(X)
    monkeypatch.setattr(solver, "_PAIRS_AT_ONCE", 7 * 2100)
    strips = EnergyAgglomerative(5, n_jobs=2).fit(X)
    assert strips.distances_.tolist() == whole.distances_.tolist()
    assert strips.children_.tolist() == whole.children_.tolist()
    Z = linkage(np.sqrt(pdist(X)), "ward")
    np.testing.assert_allclose(whole.distances_, Z[:, 2] ** 2, rtol=1e-11)


# --- numbers of the cut ----------------------------------------------------------------------


def test_few_points():
    one = EnergyAgglomerative(1).fit([[3.0, 4.0]])
    assert one.labels_.tolist() == [0]
    assert one.children_.shape == (0, 2)
    assert one.linkage_matrix().shape == (0, 4)
    assert one.within_dispersion_ == one.between_statistic_ == 0
    two = EnergyAgglomerative(1).fit([[0.0], [3.0]])
    assert (two.distances_.tolist(), two.children_.tolist()) == ([3.0], [[0, 1]])
    assert EnergyAgglomerative(2).fit_predict([[0.0], [3.0]]).tolist() == [0, 1]


# --- weights ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [pytest.param(np.float32, marks=slow), np.float64])
def test_a_row_without_weight_joins_its_nearest_neighbor_and_changes_nothing(dtype):
    rng = np.random.default_rng(10)
    X = rng.normal(size=(40, 2)).astype(dtype)
    ghosts = X[[3, 20]] + dtype(1e-3)
    alone = EnergyAgglomerative(5).fit(X)
    weights = np.r_[0, np.ones(40), 0]
    haunted = EnergyAgglomerative(5).fit(
        np.vstack([ghosts[:1], X, ghosts[1:]]), sample_weight=weights
    )
    rtol = 1e-10 if dtype is np.float64 else 1e-5
    np.testing.assert_allclose(haunted.distances_[2:], alone.distances_, rtol=rtol)
    np.testing.assert_allclose(haunted.distances_[:2], 0, atol=1e-15)
    assert haunted.labels_[1:-1].tolist() == alone.labels_.tolist()
    assert haunted.labels_[0] == alone.labels_[3]
    assert haunted.labels_[-1] == alone.labels_[20]


# --- where theory or memory ends, and bad arguments -----------------------------------------------


class Taxi(Semimetric):
    """Somebody's own: no compiled terms, and wrong in one direction when asked to."""

    def __init__(self, wrong=False):
        self.wrong = wrong

    def pairwise(self, X, Y=None):
        Y = X if Y is None else Y
        rho = np.abs(np.asarray(X)[:, None] - np.asarray(Y)).sum(axis=2)
        return rho + self.wrong * (np.asarray(X)[:, :1] > np.asarray(Y)[:, 0])


def test_somebodys_semimetric():
    """Of so many rows some are compared before all are."""
    X = np.random.default_rng(16).normal(size=(2050, 2))
    theirs = EnergyAgglomerative(3, metric=Taxi(), n_jobs=2).fit(X)
    ours = EnergyAgglomerative(3, metric="manhattan").fit(X)
    np.testing.assert_allclose(theirs.distances_, ours.distances_, rtol=1e-11)
    with pytest.raises(ValueError, match="symmetric"):
        EnergyAgglomerative(3, metric=Taxi(wrong=True)).fit(X)


def test_memory_is_asked_for_beforehand(monkeypatch):
    X = np.zeros((3000, 1))
    monkeypatch.setattr(memory, "available_bytes", lambda: 20_000_000)
    with pytest.raises(MemoryError, match=r"clustering of 3,000 points needs .* MiB, and"):
        EnergyAgglomerative(2).fit(X)
