"""Communities of drawn graphs against the definitions and networkx, to 1e-9."""

import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import oracle
from drawn import graphs, groups, seeds
from kgroups import GraphKGroups, metrics
from kgroups.exceptions import GraphNotice
from kgroups.graphs import bethe_hessian, evidence
from kgroups.select import bethe_hessian_n_communities

OBJECTIVES = (
    "bethe_hessian", "ratio_association", "ratio_cut", "normalized_cut", "modularity", "cpm",
)  # fmt: skip


def fitted(A, *arguments, random_state=0, **settings):
    """A fit without the notices about components, loops and small graphs that drawn graphs get."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphNotice)
        return GraphKGroups(*arguments, random_state=random_state, **settings).fit(A)


def close(found, expected, size=1.0):
    return abs(float(found) - float(expected)) <= 1e-9 * max(float(size), abs(float(expected)))


@given(graphs(), st.sampled_from(OBJECTIVES), st.integers(1, 4), seeds)
def test_communities_are_one_move_optimal_for_the_objective(A, objective, k, seed):
    assume(k <= (A != 0).any(axis=1).sum())
    settings = {"objective": objective, "n_init": 1, "init": "random", "random_state": seed}
    model = fitted(csr_array(A), k, **settings)
    L, z = oracle.long(A), model.labels_
    ones = oracle.long(np.ones(len(A)))
    value = oracle.graph_value(objective, L, ones, model.r_, z, k)
    size = np.abs(A).sum()
    assert close(model.objective_, value, size if "cut" not in objective else k)
    assert model.converged_
    G, w = oracle.graph_gram(objective, L, ones, model.r_)
    ratio = objective not in ("modularity", "cpm")
    Q = oracle.within(G, z, w, k)
    magnitude = np.abs(oracle.over(Q, oracle.weights_of(z, w, k)) if ratio else Q).sum()
    gains = oracle.gains(G, z, w, k, ratio=ratio)
    assert gains.max() <= 1e-9 * max(float(magnitude), float(np.abs(G).max()))


@given(graphs(signed=True), st.integers(1, 3))
def test_signs_are_taken(A, k):
    np.fill_diagonal(A, 0)  # loops of a matrix with signs, as of correlations, are left out
    assume((A < 0).any())
    assume(k <= (A != 0).any(axis=1).sum())
    model = fitted(A, k, objective="bethe_hessian", n_init=1, init="random")
    L, ones = oracle.long(A), oracle.long(np.ones(len(A)))
    value = oracle.graph_value("bethe_hessian", L, ones, model.r_, model.labels_, k)
    assert close(model.objective_, value, np.abs(value))


@settings(max_examples=settings().max_examples // 3)
@given(graphs())
def test_a_free_search_says_what_its_communities_are_worth(A):
    model = fitted(csr_array(A))
    linked = (A != 0).any(axis=1)
    assert model.n_clusters_ == len(set(model.labels_[linked]))
    assert close(model.evidence_, oracle.evidence(oracle.long(A), model.labels_), 1e3)
    assert model.decided_by_ in ("evidence", "random graphs", "weak", "one")
    if model.decided_by_ == "evidence":
        assert model.evidence_ > 0
    assert (model.n_clusters_ == 1) == (model.decided_by_ == "one")
    other = fitted(csr_array(4 * A))
    assert (other.labels_ == model.labels_).all()
    assert other.n_clusters_ == model.n_clusters_


@given(graphs(), st.data())
def test_scores_of_a_partition(A, data):
    z = data.draw(groups(len(A)))
    k, L = int(z.max()) + 1, oracle.long(A)
    B = csr_array(A)
    assert close(metrics.modularity(B, z), oracle.modularity(L, z, k))
    assert close(metrics.modularity(B, z, resolution=0.3), oracle.modularity(L, z, k, 0.3))
    assert close(metrics.normalized_cut(B, z), oracle.normalized_cut(L, z, k))
    assert close(metrics.cut_size(B, z), oracle.cuts(L, z, k).sum() / 2)
    assert close(evidence(B, z), oracle.evidence(L, z), 1e3)
    G = nx.from_numpy_array(A)
    parts = [set(np.flatnonzero(z == j)) for j in range(k)]
    without_loops = nx.from_numpy_array((A != 0) & ~np.eye(len(A), dtype=bool))
    performance = nx.community.partition_quality(without_loops, parts)[1]
    coverage = nx.community.partition_quality(nx.from_numpy_array(A != 0), parts)[0]
    assert close(metrics.performance(B, z), performance)
    assert close(metrics.coverage(B, z), coverage)
    volumes = [nx.volume(G, part, weight="weight") for part in parts]
    if k > 1 and min(volumes) > 0:
        shares = [nx.conductance(G, part, weight="weight") for part in parts]
        assert metrics.conductance(B, z).tolist() == pytest.approx(shares, rel=1e-9)


@given(graphs(signed=True))
def test_bethe_hessian_and_its_negative_eigenvalues(A):
    L = oracle.long(A)
    r = oracle.regularizer(L)
    H = oracle.bethe_hessian(L, r)
    found = bethe_hessian(csr_array(A))
    assert np.abs(found.toarray() - H).max() <= 1e-9 * np.abs(H).max()
    values = np.linalg.eigvalsh(H.astype(float))
    if np.abs(values).min() > 1e-7 * np.abs(values).max() and (A >= 0).all():
        assert bethe_hessian_n_communities(csr_array(A)) == max(1, int((values < 0).sum()))
