"""Kernel k-means: the rule by brute force, its fixed points, and the form as printed."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from helpers import each, random_gram, random_start
from kgroups import KernelKMeans
from kgroups.gram import DenseGram, FactorGram, MatrixFreeGram
from kgroups.semimetrics import Energy, Laplacian
from kgroups.solvers import Hartigan, Lloyd, OnlineLloyd, Problem, Status, lloyd
from kgroups.solvers import objective as spec
from kgroups.solvers.fill_empty import fill_empty
from kgroups.solvers.lloyd import nearest_centroids
from kgroups.solvers.partition import begin

pytestmark = pytest.mark.nojit


def distances_to_centroids(G, labels, w, k):
    s = spec.cluster_weights(labels, w, k)
    Q = spec.within(G, labels, w, k)
    R = spec.cluster_sums(G, labels, w, k)
    return np.diagonal(G)[:, None] + Q / s**2 - 2 * R / s


def points(seed, n=60, k=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + rng.normal(size=(k, 2))[rng.integers(k, size=n)] * 2
    return X, random_start(rng, n, k), k


@each("seed", range(10))
def test_fixed_point_is_nearest_centroid(seed):
    X, start, k = points(seed)
    w = np.random.default_rng(seed).uniform(0.2, 2, len(X))
    gram = DenseGram.from_points(X, Energy())
    for solver in (Lloyd(), OnlineLloyd()):
        p = solver.solve(Problem(gram, w, k), start)
        assert p.status is Status.STABLE
        d2 = distances_to_centroids(gram.to_dense(), p.labels, w, k)
        own = d2[np.arange(len(X)), p.labels]
        assert np.all(own <= d2.min(axis=1) + 1e-9)


@each("seed", range(5))
def test_squared_euclid_is_scikit_learn_kmeans(seed):
    X, start, k = points(seed)
    centers = np.array([X[start == j].mean(axis=0) for j in range(k)])
    theirs = KMeans(k, init=centers, n_init=1, algorithm="lloyd", tol=0).fit(X)
    ours = Lloyd().solve(Problem(DenseGram.from_points(X, Energy(2.0)), np.ones(len(X)), k), start)
    assert ours.labels.tolist() == theirs.labels_.tolist()
    assert -ours.objective == pytest.approx(theirs.inertia_, rel=1e-10)


@each("seed", range(10))
def test_objective_never_falls_for_negative_type(seed):
    X, start, k = points(seed)
    p = Lloyd().solve(Problem(DenseGram.from_points(X, Energy(0.7)), np.ones(len(X)), k), start)
    assert np.all(np.diff(p.history) >= -1e-9)


@each("seed", range(20))
def test_hartigan_stable_is_lloyd_stable(seed):
    """[TV]: for negative type Lloyd's rule moves nothing at Hartigan's optimum."""
    X, start, k = points(seed)
    gram = DenseGram.from_points(X, Energy())
    optimum = Hartigan().solve(Problem(gram, np.ones(len(X)), k), start)
    assert Lloyd().solve(Problem(gram, np.ones(len(X)), k), optimum.labels).n_moves == 0


def test_origin_is_free_for_the_corrected_forms_only():
    """The printed algorithm omits (𝒲G𝒲)_ii, so its labels depend on x0; ours do not."""
    X, start, k = points(0, n=150, k=6)
    rho, w = Energy().pairwise(X), np.ones(150)
    near, far = DenseGram(-rho / 2), DenseGram(-rho / 2 + 37.0)
    for solver in (Lloyd(), OnlineLloyd()):
        a, b = solver.solve(Problem(near, w, k), start), solver.solve(Problem(far, w, k), start)
        assert a.labels.tolist() == b.labels.tolist()
    printed = OnlineLloyd(as_printed=True)
    assert printed.solve(Problem(near, w, k), start).labels.tolist() != (
        printed.solve(Problem(far, w, k), start).labels.tolist()
    )


def naive_online(G, labels, w, k, correction):
    """[FRV Algorithm 1], line by line, with or without the missing term."""
    labels = labels.copy()
    q, s = spec.within(G, labels, w, k), spec.cluster_weights(labels, w, k)
    moved = True
    while moved:
        moved = False
        for i in range(len(w)):
            j = labels[i]
            if np.sum(labels == j) == 1:
                continue
            cost = spec.cluster_sums(G, labels, w, k)[i] * w[i]
            best = int(np.argmin(q / s**2 - 2 / s * cost / w[i]))
            if best == j:
                continue
            g = w[i] ** 2 * G[i, i] * correction
            q[j] += -2 * cost[j] + g
            q[best] += 2 * cost[best] + g
            s[j] -= w[i]
            s[best] += w[i]
            labels[i] = best
            moved = True
    return labels


@each("as_printed", [False, True])
@each("seed", range(10))
def test_online_equals_the_loop_of_the_paper(seed, as_printed):
    rng = np.random.default_rng(seed)
    n, k = 25, 4
    G = random_gram(rng, n, "kernel")
    w, start = rng.uniform(0.5, 2, n), random_start(rng, n, k)
    ours = OnlineLloyd(as_printed=as_printed).solve(Problem(DenseGram(G), w, k), start)
    assert ours.labels.tolist() == naive_online(G, start, w, k, not as_printed).tolist()


def test_empty_cluster_takes_the_costliest_point():
    labels = np.array([0, 0, 0, 1])
    fill_empty(labels, np.array([1.0, 5.0, 2.0, 9.0]), np.ones(4), 3)
    assert labels.tolist() == [0, 2, 0, 1]  # point 3 is dearer but alone in its cluster


def test_empty_cluster_is_left_when_nobody_can_be_spared():
    labels = np.array([0, 1, 1])
    fill_empty(labels, np.ones(3), np.array([1.0, 1.0, 0.0]), 3)
    assert labels.tolist() == [0, 1, 1]


def test_two_empty_clusters_do_not_empty_a_third():
    labels = np.array([0, 0, 1, 1])
    fill_empty(labels, np.array([9.0, 8.0, 1.0, 2.0]), np.ones(4), 4)
    assert labels.tolist() == [2, 0, 1, 3]  # after 0 leaves, point 1 is the last of its cluster


def test_nearest_centroids_and_their_distances():
    X, start, k = points(4)
    w = np.random.default_rng(4).uniform(0.2, 2, len(X))
    gram = DenseGram.from_points(X, Energy())
    work = begin(Problem(gram, w, k), start)
    state, sums = work.state, work.sums
    labels, distances = nearest_centroids(sums, state, gram.diagonal(), w, 0.0)
    expected = distances_to_centroids(gram.to_dense(), start, w, k)
    assert labels.tolist() == expected.argmin(axis=1).tolist()
    np.testing.assert_allclose(distances, expected.min(axis=1), rtol=1e-9)


def batch_by_definition(G, labels, w, k, sweeps):
    """The labels after each sweep, from distances to centroids that are computed anew."""
    seen = [labels.copy()]
    for _ in range(sweeps):
        d2 = distances_to_centroids(G, labels, w, k)
        nearest = d2.argmin(axis=1)
        fill_empty(nearest, w * d2[np.arange(len(w)), nearest], w, k)
        labels = nearest
        seen.append(labels.copy())
    return seen


@each("seed", range(12))
def test_a_search_ends_when_labels_return(seed):
    """An indefinite matrix: by definition the labels of some earlier sweep come again."""
    rng = np.random.default_rng(seed)
    n, k = 36, 5
    G, w, start = random_gram(rng, n, "indefinite"), np.ones(36), random_start(rng, 36, k)
    p = Lloyd().solve(Problem(DenseGram(G), w, k), start)
    seen = [tuple(labels) for labels in batch_by_definition(G, start, w, k, p.n_iter)]
    assert tuple(p.labels) == seen[-1]
    assert p.status in (Status.CYCLE, Status.STABLE)
    assert p.converged == (p.status is Status.STABLE)
    before = seen[:-1]
    assert seen[-1] in before
    first = before.index(seen[-1])
    closed = next(i for i, labels in enumerate(seen) if labels in seen[:i])
    assert p.n_iter == closed
    if p.status is Status.STABLE:
        assert first == p.n_iter - 1


def test_cycles_are_found_for_any_matrix_online():
    """A third of random indefinite matrices have one, and none needs all 300 sweeps."""
    statuses = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        G, start = random_gram(rng, 24, "indefinite"), random_start(rng, 24, 4)
        p = OnlineLloyd().solve(Problem(DenseGram(G), np.ones(24), 4), start)
        statuses.append(p.status)
    assert statuses.count(Status.CYCLE) >= 6
    assert Status.MAX_ITER not in statuses


def test_a_light_point_is_weighed_anew_when_a_heavy_one_has_left():
    """Online, of squared distances below 0: its cluster attracts the heavy point again and again.

    Subtracting 9e11 from its weight leaves nothing of 5e-5, as if the cluster had no centroid.
    """
    rho = np.array([[0.0, 0.0, -210.0], [0.0, 0.0, -210.0], [-210.0, -210.0, 0.0]])
    problem = Problem(DenseGram(-rho / 2), np.array([4e13, 5e-5, 9e11]), 2)
    assert OnlineLloyd().solve(problem, np.array([0, 1, 0])).status is Status.CYCLE


def test_equal_distances_in_single_precision_end_in_convergence():
    """Integers on a line: the rounding of float32 tells ties apart, and leads round in circles."""
    X = np.float32([0, -2, -1, 0, 3, -2, -1, 0, 1, -3, 1, 3, 2, 2, -3, 2])[:, None]
    model = KernelKMeans(
        6,
        metric=Laplacian("median"),
        init=np.arange(16) % 6,
        method="matrix_free",
        algorithm="online",
    )
    assert model.fit(X, sample_weight=np.full(16, 3.0)).converged_


@each("solver", [Lloyd(), OnlineLloyd()])
@each("seed", range(10))
def test_weights_over_thirty_orders(seed, solver):
    """W by definition in long double: a heavy point that leaves takes all digits of a sum along."""
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(30, 2))[rng.integers(12, size=40)], 10.0 ** rng.uniform(-15, 15, 40)
    rho = Energy().pairwise(X)
    p = solver.solve(Problem(DenseGram(-rho / 2), w, 5), random_start(rng, 40, 5))
    W, wide = np.longdouble(0), w.astype(np.longdouble)
    for j in range(5):
        own = wide * (p.labels == j)
        W += own @ rho @ own / (2 * own.sum())
    assert -p.objective == pytest.approx(float(W), rel=1e-12)


@pytest.mark.parametrize("form", ["dense", "pairs", "factor"])
def test_updated_sums_lead_where_new_ones_do(form, monkeypatch):
    """And the numbers at the end are those of new sums, to the last bit."""
    X, start, k = points(3, n=600, k=6)
    w = np.random.default_rng(3).uniform(0.2, 2, 600)
    made = {
        "dense": lambda: DenseGram.from_points(X, Energy()),
        "pairs": lambda: MatrixFreeGram.from_points(X, Energy()),
        "factor": lambda: FactorGram(X),
    }
    problem, few = Problem(made[form](), w, k), Lloyd().solve(Problem(made[form](), w, k), start)
    assert few.status is Status.STABLE
    monkeypatch.setattr(lloyd, "_FEW", 601)
    anew = Lloyd().solve(problem, start)
    assert few.labels.tolist() == anew.labels.tolist()
    assert (few.n_iter, few.n_moves) == (anew.n_iter, anew.n_moves)
    assert few.objective == anew.objective
    np.testing.assert_allclose(few.history, anew.history, rtol=1e-12)


def test_few_moves_ask_for_no_new_sums(monkeypatch):
    """The first sums and the last ones come from the operator, those in between from updates."""
    X, start, k = points(3, n=600, k=6)
    asked = []

    class Counted(DenseGram):
        def running_sums(self, labels, weights, k):
            asked.append(labels.copy())
            return super().running_sums(labels, weights, k)

    gram = Counted.from_points(X, Energy())
    p = Lloyd().solve(Problem(gram, np.ones(600), k), start)
    assert p.n_iter > 8
    assert len(asked) <= 5


def test_an_empty_cluster_gets_the_costliest_point_that_can_be_spared():
    """The costliest of all is alone in its cluster, the next has no weight."""
    labels = np.array([0, 1, 1, 1, 1])
    fill_empty(labels, np.array([9.0, 8.0, 2.0, 3.0, 1.0]), np.array([1.0, 0, 1, 1, 1]), 4)
    assert labels.tolist() == [0, 1, 3, 2, 1]
