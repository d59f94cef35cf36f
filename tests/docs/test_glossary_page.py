"""Every definition of docs/glossary.md, as a number on small problems."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_array

from kgroups import GraphKGroups, KernelKGroups
from kgroups.graphs import bethe_hessian
from kgroups.metrics import conductance, coverage, modularity, performance
from kgroups.select import bethe_hessian_n_communities
from kgroups.semimetrics import (
    Cosine,
    Energy,
    Gaussian,
    kernel_from_semimetric,
    negative_type_violation,
    semimetric_from_kernel,
)
from kgroups.stats import energy_distance, energy_test
from pages import page

PAGE = page("glossary")
rng = np.random.default_rng(0)
X = rng.normal(size=(24, 2))
WEIGHTS = rng.uniform(0.5, 2.0, size=24)
RHO = Energy().pairwise(X)


@pytest.fixture(scope="module")
def model():
    return KernelKGroups(3, random_state=0).fit(X, sample_weight=WEIGHTS)


@pytest.fixture(scope="module")
def karate():
    graph = nx.karate_club_graph()
    return nx.to_numpy_array(graph, weight=None)


def test_of_negative_type_is_a_squared_distance():
    centered = np.eye(24) - 1 / 24
    assert np.linalg.eigvalsh(-centered @ RHO @ centered / 2).min() > -1e-12
    assert np.linalg.eigvalsh(-centered @ RHO**3 @ centered / 2).min() < -1e-3


def test_violation_is_the_most_negative_eigenvalue_relative_to_the_largest():
    squares = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.0], [9.0, 1.0, 0.0]])
    centered = np.eye(3) - 1 / 3
    eigenvalues = np.linalg.eigvalsh(-centered @ squares @ centered / 2)
    assert eigenvalues[0] < 0 < eigenvalues[-1]
    expected = -eigenvalues[0] / eigenvalues[-1]
    assert negative_type_violation(squares) == pytest.approx(expected)


def test_cosine_is_half_the_squared_distance_between_directions():
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    expected = ((unit[:, None] - unit) ** 2).sum(axis=2) / 2
    np.testing.assert_allclose(Cosine().pairwise(X), expected, atol=1e-12)
    np.testing.assert_allclose(expected, 1 - unit @ unit.T, atol=1e-12)


def test_sparse_rows_and_gaps_are_rows_like_others():
    kept = np.where(X > 0.5, X, 0.0)
    np.testing.assert_allclose(
        Energy().pairwise(csr_array(kept)), Energy().pairwise(kept), atol=1e-12
    )
    gaps = KernelKGroups(2, metric="mixed", random_state=0).fit(np.where(X > 1, np.nan, X))
    assert sum(gaps.n_missing_.values()) == np.sum(X > 1) > 0


def test_kernel_and_semimetric_are_two_forms_of_one():
    K = X @ X.T
    diagonal = np.diag(K)
    np.testing.assert_allclose(semimetric_from_kernel(K), diagonal[:, None] + diagonal - 2 * K)
    np.testing.assert_allclose(semimetric_from_kernel(kernel_from_semimetric(RHO)), RHO, atol=1e-12)
    fits = [
        KernelKGroups(3, metric=metric, random_state=0).fit(matrix)
        for metric, matrix in (("precomputed", Energy(2).pairwise(X)), ("precomputed_kernel", K))
    ]
    assert fits[0].within_dispersion_ == pytest.approx(fits[1].within_dispersion_)


def test_w_is_half_the_weight_times_the_mean_distance_and_s_is_the_rest(model):
    half = []
    for k in range(3):
        own = model.labels_ == k
        w = WEIGHTS[own]
        mean = w @ RHO[np.ix_(own, own)] @ w / w.sum() ** 2
        half.append(w.sum() / 2 * mean)
    np.testing.assert_allclose(model.cluster_dispersions_, half)
    assert model.within_dispersion_ == pytest.approx(sum(half))
    total = WEIGHTS @ RHO @ WEIGHTS / WEIGHTS.sum() / 2
    assert model.within_dispersion_ + model.between_statistic_ == pytest.approx(total)
    assert 0 < model.between_statistic_ / total < 1


def test_trace_of_the_kernel_around_the_mean_is_s_plus_w(model):
    K = kernel_from_semimetric(RHO)
    share = WEIGHTS / WEIGHTS.sum()
    around = np.diag(K) - 2 * K @ share + share @ K @ share
    assert WEIGHTS @ around == pytest.approx(model.within_dispersion_ + model.between_statistic_)


def test_what_a_fit_maximizes(model):
    assert model.objective_ == pytest.approx(model.between_statistic_)
    K = X @ X.T
    of_gram = KernelKGroups(3, metric="precomputed_kernel", random_state=0).fit(K)
    parts = [of_gram.labels_ == k for k in range(3)]
    inner = sum(K[np.ix_(part, part)].sum() / part.sum() for part in parts)
    assert of_gram.objective_ == pytest.approx(inner)


def test_energy_distance_and_coefficient():
    A, B = X[:10], X[10:] + 1
    rho = Energy()
    across = rho.pairwise(A, B).mean()
    distance = 2 * across - rho.pairwise(A).mean() - rho.pairwise(B).mean()
    assert energy_distance(A, B) == pytest.approx(distance)
    assert energy_distance(A, A) == pytest.approx(0, abs=1e-12)
    test = energy_test(A, B, n_permutations=9, random_state=0)
    assert test.coefficient == pytest.approx(distance / (2 * across))
    far = energy_test(A, A + 1e6, n_permutations=9, random_state=0).coefficient
    assert 0.999 < far <= 1


def test_sketch_error_is_the_share_of_the_trace_that_is_missed():
    """A sketch of all points misses nothing; one of few misses much of a narrow kernel."""
    errors = [
        KernelKGroups(2, metric=Gaussian(0.3), method="nystroem", n_components=m, random_state=0)
        .fit(X)
        .sketch_error_
        for m in (24, 12, 6)
    ]
    assert errors[0] == pytest.approx(0, abs=1e-6)
    assert 0 < errors[1] < errors[2] < 1


def test_no_clustering_is_below_the_bound(model):
    found = KernelKGroups(3, random_state=0).fit(X).optimality_gap()
    assert found.bound <= found.within_dispersion
    assert found.gap == pytest.approx(1 - found.bound / found.within_dispersion, abs=1e-6)


def test_attributes_that_carry_the_terms(model):
    carry = "within_dispersion_ cluster_dispersions_ between_statistic_ objective_ start_histories_"
    for name in f"{carry} n_iter_ n_moves_ exactness_ sketch_error_".split():
        assert f"`{name}`" in PAGE
        assert hasattr(model, name)
    for name in ("init", "n_init", "landmarks", "n_components", "metric"):
        assert name in PAGE
        assert name in model.get_params()


# --- networks --------------------------------------------------------------------------------


def test_bethe_hessian_and_its_regularizer(karate):
    degrees = karate.sum(axis=1)
    r = degrees.mean() ** 0.5
    H = (r**2 - 1) * np.eye(34) - r * karate + np.diag(degrees)
    np.testing.assert_allclose(bethe_hessian(karate).toarray(), H)
    assert bethe_hessian_n_communities(karate) == np.sum(np.linalg.eigvalsh(H) < 0)
    assert GraphKGroups(2, random_state=0).fit(karate).r_ == pytest.approx(r)


def test_scores_of_communities(karate):
    graph = nx.from_numpy_array(karate)
    labels = GraphKGroups(3, objective="modularity", random_state=0).fit(karate).labels_
    parts = [set(np.flatnonzero(labels == k).tolist()) for k in range(3)]
    joined = labels[:, None] == labels
    inside = karate[joined].sum()
    assert coverage(karate, labels) == pytest.approx(inside / karate.sum())
    shares, degrees = karate / karate.sum(), karate.sum(axis=1) / karate.sum()
    by_chance = np.outer(degrees, degrees)[joined].sum()
    assert modularity(karate, labels) == pytest.approx(shares[joined].sum() - by_chance)
    assert modularity(karate, labels) == pytest.approx(nx.community.modularity(graph, parts))
    pairs = ~np.eye(34, dtype=bool)
    agree = (karate.astype(bool) == joined)[pairs].mean()
    assert performance(karate, labels) == pytest.approx(agree)
    assert conductance(karate, labels) == pytest.approx(
        [nx.conductance(graph, part) for part in parts]
    )
