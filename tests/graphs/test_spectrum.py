"""The low end of the spectrum against full decompositions, whichever way it is found."""

import networkx as nx
import numpy as np
import pytest
from scipy.linalg import eigvalsh
from scipy.sparse import csr_array, random_array
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.exceptions import ConvergenceWarning

from helpers import each
from kgroups import GraphKGroups
from kgroups.graphs import bethe_hessian, planted_partition, sparse_factor, spectrum
from kgroups.graphs.spectrum import count_negative, inertia, smallest_eigenpairs
from kgroups.runtime import eigenpairs
from kgroups.select import bethe_hessian_n_communities

pytestmark = pytest.mark.filterwarnings("ignore::kgroups.exceptions.GraphNotice")


def cliques(count, size, bridge=False):
    A = np.kron(np.eye(count), np.ones((size, size)) - np.eye(size))
    if bridge:
        for a in range(0, (count - 1) * size, size):
            A[a, a + size] = A[a + size, a] = 1
    return A


def weighted(seed, n=60):
    W = random_array((n, n), density=0.1, rng=np.random.default_rng(seed)).toarray()
    W = np.triu(W, 1) + np.triu(W, 1).T
    W[0, 1] = W[1, 0] = 0.7
    return W


def LITTLE(H):
    return sparse_factor.Cost.LITTLE


def SECONDS(H):
    return sparse_factor.Cost.SECONDS


def TOO_MUCH(H):
    return sparse_factor.Cost.TOO_MUCH


GRAPHS = {
    "random": nx.to_numpy_array(nx.gnp_random_graph(80, 0.08, seed=1)),
    "planted": planted_partition(90, 3, 9, 0.9, random_state=0)[0].toarray(),
    "identical cliques": cliques(9, 6),
    "cliques in a chain": cliques(9, 6, bridge=True),
    "disconnected": nx.to_numpy_array(nx.gnp_random_graph(80, 0.02, seed=3)),
    "tree": nx.to_numpy_array(nx.random_labeled_tree(70, seed=0)),
    "star": nx.to_numpy_array(nx.star_graph(60)),
    "stars": np.kron(np.eye(4), nx.to_numpy_array(nx.star_graph(14))),
    "path": nx.to_numpy_array(nx.path_graph(70)),
    "cycle": nx.to_numpy_array(nx.cycle_graph(70)),
    "complete": nx.to_numpy_array(nx.complete_graph(50)),
    "bipartite": nx.to_numpy_array(nx.complete_bipartite_graph(20, 30)),
    "grid": nx.to_numpy_array(nx.grid_2d_graph(8, 8)),
    "caveman": nx.to_numpy_array(nx.relaxed_caveman_graph(8, 7, 0.1, seed=2)),
    "weighted": weighted(0),
}
every_graph = each("name", GRAPHS)


def exact_count(H):
    values = eigvalsh(H.toarray())
    assert np.abs(values).min() > 1e-8  # the count is not a matter of rounding
    return int((values < 0).sum())


def regularizers(A):
    mean_degree = (A > 0).sum() / len(A)
    return [r for r in (np.sqrt(mean_degree), 1.37, 2.71, 4.13) if r > 1]


@every_graph
def test_the_count_by_inertia(name, monkeypatch):
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    monkeypatch.setattr(spectrum, "_count_by_lanczos", None)  # not called
    for r in regularizers(GRAPHS[name]):
        H = bethe_hessian(GRAPHS[name], r)
        assert inertia(H) == exact_count(H)
        assert count_negative(H) == exact_count(H)


@every_graph
def test_the_count_by_lanczos(name, monkeypatch):
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    monkeypatch.setattr(spectrum, "factor_cost", TOO_MUCH)
    monkeypatch.setattr(spectrum, "inertia", None)
    for r in regularizers(GRAPHS[name]):
        H = bethe_hessian(GRAPHS[name], r)
        assert count_negative(H) == exact_count(H)


def test_none_of_many_equal_eigenvalues_is_missed(monkeypatch):
    """Sixty cliques of five have one negative eigenvalue, sixty times."""
    H = bethe_hessian(cliques(60, 5), 2.0)
    for cost in (LITTLE, TOO_MUCH):
        monkeypatch.setattr(spectrum, "_DENSE", 0)
        monkeypatch.setattr(spectrum, "factor_cost", cost)
        assert count_negative(H) == 60


def test_a_pivot_of_zero_is_not_trusted(monkeypatch):
    """A path of three without a diagonal: −√2, 0 and √2, and an LU that begins with 0."""
    H = csr_array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    assert inertia(H) is None
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    assert count_negative(H) == 1
    assert inertia(csr_array(np.diag([1.0, 0.0]))) is None


def test_the_laplacian_has_none_below_zero(monkeypatch):
    """At r = 1 there is a zero for each component, and rounding must not count."""
    A = nx.to_numpy_array(nx.gnp_random_graph(120, 0.01, seed=0))
    for dense in (600, 0):
        monkeypatch.setattr(spectrum, "_DENSE", dense)
        assert count_negative(bethe_hessian(A, 1.0)) == 0
    assert bethe_hessian_n_communities(A, r=1.0) == 1


WAYS = {
    "dense": {},
    "lanczos": {"_DENSE": 0, "_MANY": 50, "factor_cost": TOO_MUCH},
    "shift-invert": {"_DENSE": 0, "_MANY": 2, "_DENSE_FOR_MANY": 0},
}


def assert_eigenpairs(H, pairs, m):
    values = eigvalsh(H.toarray())
    np.testing.assert_allclose(pairs.values, values[:m], atol=1e-8 * np.abs(values).max())
    residual = H @ pairs.vectors - pairs.vectors * pairs.values
    assert np.abs(residual).max() < 1e-7 * np.abs(values).max()
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(m), atol=1e-7)
    assert (np.diff(pairs.values) >= 0).all()
    largest = pairs.vectors[np.abs(pairs.vectors).argmax(axis=0), np.arange(m)]
    assert (largest > 0).all()


@pytest.mark.parametrize("way", WAYS)
@each("name", ["random", "planted", "cliques in a chain", "caveman", "tree", "weighted", "grid"])
def test_eigenpairs(name, way, monkeypatch):
    for setting, value in WAYS[way].items():
        monkeypatch.setattr(spectrum, setting, value)
    H, m = bethe_hessian(GRAPHS[name]), 6
    pairs = smallest_eigenpairs(H, m)
    assert pairs.solver == way
    assert_eigenpairs(H, pairs, m)
    again = smallest_eigenpairs(H, m)
    assert (again.vectors == pairs.vectors).all()


def failing(monkeypatch, times=10**6):
    """Eigsh that does not converge so many times."""
    asked, real = [], eigenpairs.eigsh

    def eigsh(*args, **kwargs):
        asked.append(kwargs)
        if len(asked) <= times:
            raise ArpackNoConvergence("%s %s", np.empty(0), np.empty((0, 0)))
        return real(*args, **kwargs)

    monkeypatch.setattr(eigenpairs, "eigsh", eigsh)
    return asked


def test_one_failure_leads_to_the_factorization(monkeypatch):
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    monkeypatch.setattr(spectrum, "factor_cost", SECONDS)
    asked = failing(monkeypatch, times=1)
    H = bethe_hessian(GRAPHS["planted"])
    with pytest.warns(ConvergenceWarning, match="lanczos"):
        pairs = smallest_eigenpairs(H, 4)
    assert pairs.solver == "shift-invert"
    assert_eigenpairs(H, pairs, 4)
    assert len(asked) > 1


def test_failures_of_all_lead_to_a_full_matrix(monkeypatch):
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    monkeypatch.setattr(spectrum, "factor_cost", SECONDS)
    failing(monkeypatch)
    H = bethe_hessian(GRAPHS["planted"])
    with pytest.warns(ConvergenceWarning) as heard:
        pairs = smallest_eigenpairs(H, 4)
    assert len(heard) == 2
    assert pairs.solver == "dense"
    assert_eigenpairs(H, pairs, 4)


def without(columns, times=10**6):
    """Eigsh that loses so many of its eigenvectors in its first calls, and says nothing of it."""
    real, calls = eigenpairs.eigsh, []

    def eigsh(*args, **kwargs):
        found = real(*args, **kwargs)
        if kwargs.get("return_eigenvectors", True):
            calls.append(kwargs)
            if len(calls) <= times:
                found[1][:, :columns] = 0.0
        return found

    return eigsh


def test_eigenvectors_that_are_lost_lead_to_another_solver(monkeypatch):
    """Columns of zeros and no word of it: what is believed to be behind [FRV Table VI]."""
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    monkeypatch.setattr(spectrum, "factor_cost", SECONDS)
    monkeypatch.setattr(eigenpairs, "eigsh", without(2, times=1))
    H = bethe_hessian(GRAPHS["planted"])
    with pytest.warns(ConvergenceWarning, match="2 of 4"):
        pairs = smallest_eigenpairs(H, 4)
    assert pairs.solver == "shift-invert"
    assert_eigenpairs(H, pairs, 4)


def test_eigenvectors_that_every_solver_loses_are_an_error(monkeypatch):
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    monkeypatch.setattr(spectrum, "_DENSE_AT_MOST", 10)
    monkeypatch.setattr(spectrum, "factor_cost", SECONDS)
    monkeypatch.setattr(eigenpairs, "eigsh", without(1))
    model = GraphKGroups(4, init="spectral", random_state=0, n_jobs=1)
    with pytest.warns(ConvergenceWarning), pytest.raises(RuntimeError, match="1 of 4"):
        model.fit(GRAPHS["planted"])
    assert not hasattr(model, "labels_")


def test_a_factor_that_is_singular_is_a_failure_too(monkeypatch):
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    monkeypatch.setattr(spectrum, "_MANY", 2)
    monkeypatch.setattr(spectrum, "_DENSE_FOR_MANY", 0)

    def broken(*args):
        raise RuntimeError("Factor is exactly singular")

    monkeypatch.setattr(spectrum, "factor", broken)
    H = bethe_hessian(GRAPHS["planted"])
    with pytest.warns(ConvergenceWarning, match="singular"):
        pairs = smallest_eigenpairs(H, 4)
    assert pairs.solver == "lanczos"
    assert_eigenpairs(H, pairs, 4)


def test_small_dense_pieces_are_no_large_core(monkeypatch):
    """No factor is dense beyond a component: a thousand cliques of four are quick to factor."""
    monkeypatch.setattr(spectrum, "_DENSE", 0)
    monkeypatch.setattr(sparse_factor, "_LARGEST_CORE", 100)
    monkeypatch.setattr(spectrum, "_count_by_lanczos", lambda *args: "lanczos")
    assert count_negative(bethe_hessian(cliques(50, 4))) == 50
