"""The largest eigenvalues by products, against LAPACK and by hand."""

import numpy as np
import pytest

from helpers import each
from kgroups.runtime import largest_eigenvalues as module
from kgroups.runtime.largest_eigenvalues import largest_eigenvalues

N = 900


def symmetric(values):
    """A matrix with these eigenvalues."""
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(N, N)))[0]
    return (Q * values) @ Q.T


@pytest.fixture
def only_products(monkeypatch):
    """No full decomposition, so that it cannot stand in for the products."""
    monkeypatch.setattr(module, "eigenvalues", None)


@pytest.mark.usefixtures("only_products")
def test_eigenvalues_are_those_that_a_matrix_was_made_of():
    values = np.append(np.linspace(-1, 0.5, N - 5), [0.6, 0.7, 0.7001, 0.9, 1.0])
    found = largest_eigenvalues(symmetric(values), 4)
    np.testing.assert_allclose(found, [1.0, 0.9, 0.7001, 0.7], atol=1e-10)


@pytest.mark.usefixtures("only_products")
@each("many", [3, 30])
def test_equal_eigenvalues_are_found_as_often_as_they_are_there(many):
    """Blocks of ones: 1 as often as there are blocks, and 0."""
    matrix = np.kron(np.eye(many), np.full((N // many, N // many), many / N))
    found = largest_eigenvalues(matrix, 6)
    np.testing.assert_allclose(found, np.arange(6) < many, atol=1e-12)


def test_a_spectrum_that_products_do_not_tell_apart_is_decomposed():
    values = 1 - np.geomspace(1e-9, 1e-2, N)
    found = largest_eigenvalues(symmetric(values), 3)
    np.testing.assert_allclose(found, values[:3], rtol=0, atol=1e-13)


@each("n", [1, 2, 7])
def test_few_rows_are_decomposed(n):
    found = largest_eigenvalues(np.diag(np.arange(n) * 1.0), n)
    np.testing.assert_allclose(found, np.arange(n)[::-1], atol=1e-15)
