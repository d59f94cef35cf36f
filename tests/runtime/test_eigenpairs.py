"""Eigenpairs of matrices: equal eigenvalues, and solvers that lose eigenvectors."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import LinAlgError

import kgroups
from helpers import each
from kgroups import BetheHessianClustering, KernelKGroups
from kgroups.exceptions import EigenvectorError
from kgroups.graphs import bethe_hessian, planted_partition, smallest_eigenpairs
from kgroups.runtime import eigenpairs as module
from kgroups.runtime.eigenpairs import (
    all_eigenpairs,
    eigenpairs,
    eigenpairs_by_division,
    eigenvalues,
    lanczos_eigenpairs,
    require_unit,
)
from kgroups.semimetrics import negative_type_violation


@each("n", [2, 9, 17, 40])
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


@each("entry", [np.nan, np.inf])
def test_eigenvalues_of_what_is_no_number(entry):
    with pytest.raises(ValueError, match="infs or NaNs"):
        eigenvalues(np.array([[0.0, entry], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="infs or NaNs"), np.errstate(invalid="ignore"):
        negative_type_violation([[0, entry], [entry, 0]])


@pytest.mark.parametrize("fails", [True, False], ids=["error", "none"])
def test_eigenvalues_alone(monkeypatch, fails):
    """n/2 for groups of equal points that are equally far apart, as often as there are groups."""
    if fails:
        monkeypatch.setattr(module.np.linalg, "eigvalsh", module.np.linalg.cholesky)  # an error
    matrix = np.kron(np.eye(50), np.full((2, 2), 0.5)) - 1 / 100
    np.testing.assert_allclose(eigenvalues(matrix), np.r_[np.zeros(51), np.ones(49)], atol=1e-13)


# --- eigenvectors that are lost ------------------------------------------------------------------


def losing(columns, sure=True):
    """LAPACK as it was seen to be: the first vectors are zeros, and no error is told.

    The driver of QR steps works, if ``sure``.
    """
    real = module.eigh

    def eigh(matrix, *args, **how):
        values, vectors = real(matrix, *args, **how)
        if how.get("driver") != "ev" or not sure:
            vectors[:, :columns] = 0.0
        return values, vectors

    return eigh


SPECTRUM = np.diag([1.0, 2.0, 3.0, 4.0])
DENSE = {
    "some": lambda: eigenpairs(SPECTRUM, 1, 3),
    "all": lambda: all_eigenpairs(SPECTRUM),
    "small": lambda: eigenpairs_by_division(SPECTRUM),
}


@pytest.mark.parametrize("which", DENSE)
def test_another_driver_finds_what_the_first_lost(monkeypatch, which):
    monkeypatch.setattr(module, "eigh", losing(2))
    monkeypatch.setattr(module.np.linalg, "eigh", losing(2))
    with pytest.warns(UserWarning, match=r"LAPACK .* lost \d of \d .* another driver"):
        values, vectors = DENSE[which]()
    assert values.tolist() == ([2, 3, 4] if which == "some" else [1, 2, 3, 4])
    assert np.abs(vectors).tolist() == np.eye(4)[:, -len(values) :].tolist()


@pytest.mark.parametrize("which", DENSE)
def test_vectors_that_both_drivers_lose_are_an_error(monkeypatch, which):
    monkeypatch.setattr(module, "eigh", losing(2, sure=False))
    monkeypatch.setattr(module.np.linalg, "eigh", losing(2, sure=False))
    lost = 1 if which == "some" else 2  # of all four, the part begins at the second
    with pytest.raises(EigenvectorError, match=rf"slower driver.* lost {lost} of \d eigenvectors"):
        DENSE[which]()


@each("wrong", [0.0, 0.8, 1.2, np.nan, np.inf])
def test_lengths_other_than_one_are_told(wrong):
    vectors = np.eye(5)[:, :3]
    vectors[1, 1] = wrong
    message = r"\(name\) .* but lost 1 of 3 eigenvectors, .*OMP_NUM_THREADS=1"
    with pytest.raises(EigenvectorError, match=message):
        require_unit(vectors, "(name)")


def test_rounding_and_loose_tolerances_are_no_loss():
    """Lengths are 1e-5 off in float32, and nearly 1e-3 with a tolerance of a tenth."""
    A, _ = planted_partition(1_500, 5, 12, 0.9, random_state=0)
    single = all_eigenpairs(bethe_hessian(A).toarray().astype(np.float32))[1]
    assert single.dtype == np.float32
    assert np.abs(np.linalg.norm(single.astype(float), axis=0) - 1).max() > 1e-7
    sparse, _ = planted_partition(3_000, 5, 3, 0.9, random_state=0)
    assert smallest_eigenpairs(bethe_hessian(sparse), 60, tol=0.1).solver == "shift-invert"


def test_lanczos_is_looked_at(monkeypatch):
    path = np.diag(np.ones(9), 1) + np.diag(np.ones(9), -1)
    values, vectors = lanczos_eigenpairs(path, 2, which="LA", v0=np.ones(10))
    # The eigenvalues of a path of 10 nodes are 2 cos(πj/11).
    assert sorted(values) == pytest.approx([2 * np.cos(2 * np.pi / 11), 2 * np.cos(np.pi / 11)])
    assert np.linalg.norm(vectors, axis=0) == pytest.approx([1, 1])
    monkeypatch.setattr(module, "eigsh", lambda *_, **__: (values, vectors * [1.0, 0.0]))
    with pytest.raises(EigenvectorError, match="eigsh reported success but lost 1 of 2"):
        lanczos_eigenpairs(path, 2)


def test_the_answers_of_estimators_do_not_change_where_lapack_loses_vectors(monkeypatch):
    """Of a network by the Bethe Hessian, and of a table by eigenvectors and by a sketch."""
    A, _ = planted_partition(200, 3, 12, 0.9, random_state=0)
    X = np.random.default_rng(0).normal(size=(400, 3))
    fits = {
        "network": lambda: BetheHessianClustering(3, random_state=0).fit(A).labels_,
        "spectral": lambda: KernelKGroups(3, init="spectral", random_state=0).fit(X).labels_,
        "sketch": lambda: KernelKGroups(3, method="nystroem", random_state=0).fit(X).labels_,
    }
    expected = {name: fit() for name, fit in fits.items()}
    monkeypatch.setattr(module, "eigh", losing(None))
    for name, fit in fits.items():
        with pytest.warns(UserWarning, match="result is sound"):
            found = fit()
        assert kgroups.metrics.clustering_accuracy(expected[name], found) == 1.0, name


def test_no_other_module_calls_an_eigensolver():
    """All use the module that checks lengths and has a second driver where one fails."""
    call = re.compile(r"\b(eigh?|eigsh?|eigvals|eigvalsh|eig_banded|lobpcg|svds)\(")
    source = Path(kgroups.__file__).parent
    found = [path for path in source.rglob("*.py") if call.search(path.read_text("utf-8"))]
    assert found == [Path(module.__file__)]
