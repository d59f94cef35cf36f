"""Some eigenpairs of matrices whose eigenvalues are many times the same."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from kgroups import GraphKGroups
from kgroups.runtime import eigenpairs as module
from kgroups.runtime.eigenpairs import eigenpairs


@pytest.mark.parametrize("n", [2, 9, 17, 40])
def test_a_complete_graph_has_its_eigenvalues(n):
    """n − 1 once and −1 in every direction orthogonal to ones."""
    matrix = np.ones((n, n)) - np.eye(n)
    values, vectors = eigenpairs(matrix, n - 2, n - 1)
    np.testing.assert_allclose(values, [-1, n - 1], atol=1e-13 * n)
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-13 * n)


@pytest.mark.parametrize("fails", [True, False], ids=["error", "fewer"])
def test_all_are_computed_where_a_part_fails(monkeypatch, fails):
    """LAPACK answers with an error, or with fewer eigenvalues than were asked for."""
    eigh = module.eigh

    def failing(matrix, subset_by_index=None, **how):
        if subset_by_index is None:
            return eigh(matrix, **how)
        if fails:
            raise LinAlgError("Internal Error.")
        return np.empty(0), np.empty((3, 0))

    monkeypatch.setattr(module, "eigh", failing)
    values, vectors = eigenpairs(np.diag([1.0, 2.0, 3.0]), 1, 2)
    assert values.tolist() == [2, 3]
    assert np.abs(vectors).tolist() == [[0, 0], [1, 0], [0, 1]]


def test_communities_of_a_complete_graph():
    """Its matrix has two eigenvalues, where LAPACK gives up."""
    A = np.ones((17, 17)) - np.eye(17)
    model = GraphKGroups(6, objective="ratio_cut", random_state=251, init="multilevel").fit(A)
    assert sorted(model.cluster_sizes_) == sorted(model.cluster_weights_)
    cut = sum(size * (17 - size) / size for size in model.cluster_sizes_)
    assert model.objective_ == pytest.approx(cut, rel=1e-12)
