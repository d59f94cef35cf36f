"""Kernel k-means: the form as printed, cycles, and weights of all sizes."""

import numpy as np
import pytest

from helpers import each, random_gram, random_start
from kgroups import KernelKMeans
from kgroups.gram import DenseGram
from kgroups.semimetrics import Energy, Laplacian
from kgroups.solvers import Lloyd, OnlineLloyd, Problem, Status
from kgroups.solvers import objective as spec

pytestmark = pytest.mark.nojit


def points(seed, n=60, k=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + rng.normal(size=(k, 2))[rng.integers(k, size=n)] * 2
    return X, random_start(rng, n, k), k


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
        assert p.weight[j] == pytest.approx(float(own.sum()), rel=1e-12)
    assert -p.objective == pytest.approx(float(W), rel=1e-12)
