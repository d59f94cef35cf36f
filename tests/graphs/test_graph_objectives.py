"""What communities are judged by: each objective against its formula, and the Bethe Hessian."""

import itertools

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers import each, random_start
from kgroups import GraphKGroups, metrics
from kgroups.graphs import bethe_hessian
from kgroups.graphs.bethe_hessian import average_degree_r, is_weighted
from kgroups.graphs.graph_objectives import BY_NAME, OWN_WEIGHTS
from kgroups.solvers import objective as spec

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def random_graph(seed, n=14, weighted=True, loops=True, lone=2):
    """Weights, loops, and ``lone`` nodes without edges."""
    rng = np.random.default_rng(seed)
    W = (rng.random((n, n)) < 0.35) * (rng.uniform(0.2, 3, (n, n)) if weighted else 1.0)
    W = np.triu(W, 0 if loops else 1)
    W[0, 1], W[2, 3] = 1.0, 1.0
    W = W + np.triu(W, 1).T
    if lone:
        W[-lone:] = W[:, -lone:] = 0
    return W


def node_weights(W, kind, seed=0):
    if kind == "degree":
        return W.sum(axis=1)
    if kind == "given":
        w = np.random.default_rng(seed).uniform(0.1, 2, len(W))
        w[1] = 0
        return w
    return np.ones(len(W))


def direct(name, W, w, labels, k, r=None):
    """The objective as its name says, summed over communities of nodes."""
    n, total = len(W), 0.0
    for j in range(k):
        inside = labels == j
        if not inside.any():
            continue
        both = W[np.ix_(inside, inside)].sum()
        cut = W[np.ix_(inside, ~inside)].sum()
        weight = w[inside].sum()
        if name == "ratio_association" and weight > 0:
            # What has no weight is not there.
            alive = inside & (w > 0)
            total += W[np.ix_(alive, alive)].sum() / weight
        elif name == "ratio_cut" and weight > 0:
            alive = inside & (w > 0)
            total += (W[alive].sum() - W[np.ix_(alive, alive)].sum()) / weight
        elif name == "normalized_cut":
            volume = both + np.diagonal(W)[inside].sum() + cut
            total += cut / volume if volume > 0 else 0.0
        elif name == "bethe_hessian" and weight > 0:
            H = (r * r - 1) * np.eye(n) - r * W + np.diag(W.sum(axis=1))
            part = w * inside
            total += -(part @ H @ part) / weight
        elif name == "cpm":  # a loop is one edge, and a pair costs the resolution, 1
            total += (both + np.diagonal(W)[inside].sum()) / 2.0 - weight * (weight - 1) / 2.0
    return total


CASES = [
    (name, kind)
    for name in BY_NAME
    for kind in ("unit", "degree", "given")
    if kind == "unit" or name not in OWN_WEIGHTS
]


@pytest.mark.nojit
@each(("name", "kind"), CASES)
@each("seed", range(2))
def test_the_name_and_the_identity(name, kind, seed):
    """The quantity that goes by the name is made of Q = Σ Q_j/s_j of the dense matrix."""
    W = random_graph(seed, weighted=name != "bethe_hessian")
    k, w, r = 3, node_weights(W, kind, seed), 1.7
    labels = random_start(np.random.default_rng(seed), len(W), k)
    labels[:3] = 0, 1, 2
    made = BY_NAME[name](csr_array(W), w, r)
    G, weights = made.gram.to_dense(), made.weights
    if made.ratio:
        Q = spec.objective(G, labels, weights, k)
    else:
        Q = spec.within(G, labels, weights, k).sum()
    alive = int((np.bincount(labels, weights=weights, minlength=k) > 0).sum())
    value = made.named(Q, alive)
    if name == "modularity":
        assert value == pytest.approx(metrics.modularity(W, labels), abs=1e-12)
        expected = nx.community.modularity(
            nx.from_numpy_array(W), [set(np.flatnonzero(labels == j)) for j in range(k)]
        )
    else:
        expected = direct(name, W, w, labels, k, r)
    assert value == pytest.approx(expected, rel=1e-10, abs=1e-12)
    if name == "normalized_cut":
        assert value == pytest.approx(metrics.normalized_cut(W, labels), rel=1e-10)
        volumes = W.sum(axis=1) + np.diagonal(W)
        assert weights.tolist() == pytest.approx(volumes.tolist())
        assert alive - Q == pytest.approx(value)


@each(("name", "kind"), CASES)
@each("seed", range(2))
def test_what_an_estimator_says_of_its_labels(name, kind, seed):
    W = random_graph(seed, n=30, weighted=name != "bethe_hessian")
    weights = kind if kind != "given" else node_weights(W, kind, seed)
    model = GraphKGroups(3, objective=name, weights=weights, r=1.7, random_state=seed, n_jobs=1)
    model.fit(W)
    labels, w = model.labels_, node_weights(W, kind, seed)
    if name == "modularity":
        expected = metrics.modularity(W, labels)
    elif name == "normalized_cut":
        expected = metrics.normalized_cut(W, labels)
        w = W.sum(axis=1) + np.diagonal(W)
    else:
        expected = direct(name, W, w, labels, 3, 1.7)
    assert model.objective_ == pytest.approx(expected, rel=1e-9, abs=1e-11)
    assert model.objective_history_[-1] == pytest.approx(model.objective_, rel=1e-12)
    assert len(model.objective_history_) == model.n_iter_ + 1
    falling = name in ("normalized_cut", "ratio_cut")
    steps = np.diff(model.objective_history_) * (-1 if falling else 1)
    assert (steps >= -1e-10 * np.abs(model.objective_history_).max()).all()
    np.testing.assert_allclose(model.cluster_weights_, np.bincount(labels, weights=w, minlength=3))


@each("seed", range(2))
def test_the_optimum_of_the_normalized_cut_is_that_of_the_ratio_cut_with_degrees(seed):
    """Equal functions of the labels without loops, so equal optima, found by brute force."""
    W = random_graph(seed, n=7, loops=False, lone=0)
    W[4, 5] = W[5, 4] = W[5, 6] = W[6, 5] = 1
    ncut = BY_NAME["normalized_cut"](csr_array(W), np.ones(7), 1.0)
    rcut = BY_NAME["ratio_cut"](csr_array(W), W.sum(axis=1), 1.0)

    def value(made, z):
        return made.named(spec.objective(made.gram.to_dense(), z, made.weights, 2), 2)

    labels = [np.array((0, *z)) for z in itertools.product(range(2), repeat=6) if any(z)]
    values = [(value(ncut, z), value(rcut, z)) for z in labels]
    for a, b in values:
        assert a == pytest.approx(b, rel=1e-12, abs=1e-13)
    best = min(a for a, _ in values)
    G = nx.from_numpy_array(W)
    brute = min(
        nx.normalized_cut_size(G, np.flatnonzero(z == 0), np.flatnonzero(z), weight="weight")
        for z in labels
    )
    assert best == pytest.approx(brute, rel=1e-12)
    found = [
        GraphKGroups(2, objective=name, weights=weights, init=z, n_jobs=1).fit(W).objective_
        for name, weights in (("normalized_cut", "unit"), ("ratio_cut", "degree"))
        for z in labels
    ]
    assert min(found[: len(labels)]) == pytest.approx(best, rel=1e-12)
    assert min(found[len(labels) :]) == pytest.approx(best, rel=1e-12)


def test_two_cliques_by_hand():
    """Two cliques of five with one edge between them."""
    A = np.kron(np.eye(2), np.ones((5, 5)) - np.eye(5))
    A[4, 5] = A[5, 4] = 1
    expected = {
        "normalized_cut": 2 / 21,
        "ratio_cut": 2 / 5,
        "ratio_association": 2 * 20 / 5,
        "modularity": 40 / 42 - 2 * (21 / 42) ** 2,
        # −(r² − 1) − (20 − 20r + 1)/5 each, with r² = 4.2, the mean degree.
        "bethe_hessian": 2 * (-3.2 - (21 - 20 * 4.2**0.5) / 5),
    }
    for name, value in expected.items():
        model = GraphKGroups(2, objective=name, random_state=0, n_jobs=1).fit(A)
        assert model.labels_.tolist() == [0] * 5 + [1] * 5
        assert model.objective_ == pytest.approx(value, rel=1e-12)


# --- the Bethe Hessian -------------------------------------------------------------------------


@each("r", [None, 0.6, 1.0, 1.9, 7.0])
@each("seed", range(2))
def test_bethe_hessian_is_that_of_networkx(seed, r):
    graph = nx.gnp_random_graph(25, 0.2, seed=seed)
    mean_degree = 2 * graph.number_of_edges() / 25
    H = bethe_hessian(graph, r)
    expected = nx.bethe_hessian_matrix(graph, r=r or max(1, mean_degree) ** 0.5)
    np.testing.assert_allclose(H.toarray(), expected.toarray(), rtol=1e-14, atol=1e-14)
    assert H.nnz <= 25 + 2 * graph.number_of_edges()


def test_a_loop_counts_once():
    H = bethe_hessian([[1, 1], [1, 0]], r=2.0).toarray()
    assert H.tolist() == [[3 - 2 + 2, -2], [-2, 3 + 1]]


def saade(J, r):
    """δ_ij (1 + Σ w²/(r² − w²)) − r w/(r² − w²), entry by entry."""
    n = len(J)
    H = np.zeros((n, n))
    for i in range(n):
        H[i, i] = 1 + sum(J[i, m] ** 2 / (r * r - J[i, m] ** 2) for m in range(n))
        for j in range(n):
            H[i, j] -= r * J[i, j] / (r * r - J[i, j] ** 2)
    return H


@pytest.mark.nojit
@each("signed", [False, True])
@each("r", [1.2, 2.0, 5.0])
@each("seed", range(2))
def test_the_weighted_form_is_that_of_the_paper(seed, r, signed):
    """With w = r tanh(βA), where tanh β ω = 1/r for the root ω of the mean squared weight."""
    W = random_graph(seed, n=9, lone=1)
    if signed:
        signs = np.random.default_rng(seed).choice([-1, 1], W.shape)
        W *= np.triu(signs) + np.triu(signs, 1).T
    omega = np.sqrt((W[W != 0] ** 2).mean())
    beta = np.arctanh(1 / r) / omega
    assert np.abs(beta * W).max() < 5
    H, expected = bethe_hessian(W, r).toarray(), saade(r * np.tanh(beta * W), r)
    factor = H[-1, -1] / expected[-1, -1]
    assert factor > 0
    np.testing.assert_allclose(H, factor * expected, rtol=1e-10, atol=1e-10)


@pytest.mark.nojit
@each("seed", range(2))
def test_equal_weights_are_no_weights(seed):
    """Whatever the unit: the same matrix, and the same r."""
    A = random_graph(seed, n=30, weighted=False, loops=False, lone=0)
    assert average_degree_r(csr_array(A)) == pytest.approx(np.sqrt(A.sum() / 30))
    for unit in (0.25, 2.0, 1e-12, 1e12, 1e-200, 1e200):
        assert is_weighted(csr_array(unit * A))
        np.testing.assert_allclose(
            bethe_hessian(unit * A, 2.0).toarray(), bethe_hessian(A, 2.0).toarray(), rtol=1e-9
        )
        assert average_degree_r(csr_array(unit * A)) == pytest.approx(np.sqrt(A.sum() / 30))


@each("r", [3.0, "average_degree"])
@each("unit", [1e-12, 0.125, 7.0, 1e12])
def test_the_unit_of_weights_does_not_matter(unit, r):
    W = random_graph(1, n=60, loops=False, lone=0)
    H, scaled = bethe_hessian(W, 3.0).toarray(), bethe_hessian(unit * W, 3.0).toarray()
    np.testing.assert_allclose(scaled, H, rtol=1e-9)
    fit = lambda A: GraphKGroups(3, r=r, random_state=0, n_jobs=1).fit(A)
    one, other = fit(W), fit(unit * W)
    assert one.labels_.tolist() == other.labels_.tolist()
    assert one.r_ == pytest.approx(other.r_, rel=1e-9)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)


def test_the_mean_degree_of_a_weighted_graph():
    """The mean over nodes of Σ_l tanh²(β A_il) is 1 at the r that is taken."""
    W = random_graph(3, n=40, loops=False, lone=0)
    r = average_degree_r(csr_array(W))
    omega = np.sqrt((W[W > 0] ** 2).mean())
    shares = np.tanh(np.arctanh(1 / r) / omega * W) ** 2
    assert shares.sum() / 40 == pytest.approx(1, rel=1e-9)


def test_an_edge_that_outweighs_all_others_stays_finite():
    W = random_graph(3, n=40, loops=False, lone=0)
    W[0, 1] = W[1, 0] = 1e9
    H = bethe_hessian(W).toarray()
    assert np.isfinite(H).all()
    assert GraphKGroups(2, random_state=0, n_jobs=1).fit(W).converged_


def test_the_mean_degree_below_one_gives_the_laplacian():
    A = np.zeros((5, 5))
    A[0, 1] = A[1, 0] = 1
    assert average_degree_r(csr_array(A)) == 1
    assert bethe_hessian(A).toarray()[:2, :2].tolist() == [[1, -1], [-1, 1]]
    assert not bethe_hessian(A).toarray()[2:].any()


def test_units_whose_product_overflows_leave_an_objective_of_zero():
    """Two nodes apart: nothing is inside, whatever the units of edges and weights are."""
    A = np.array([[0.0, 1.3e133], [1.3e133, 0.0]])
    model = GraphKGroups(2, objective="ratio_association", weights=[1.5e-283, 1e-283], init=[0, 1])
    model.fit(A)
    assert model.objective_ == 0
    assert (model.objective_history_ == 0).all()
    together = GraphKGroups(1, objective="ratio_association", weights=[1.5e-283, 1e-283])
    with pytest.raises(ValueError, match="not a finite number"):
        together.fit(A)
