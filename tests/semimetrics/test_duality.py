"""Negative type, and kernels from semimetrics and back."""

import numpy as np
import pytest

from helpers import each
from kgroups.semimetrics import (
    Energy,
    kernel_from_semimetric,
    negative_type_violation,
    semimetric_from_kernel,
)
from semimetric_cases import ALL, CLAIM_NOTHING, NEGATIVE_TYPE, each_semimetric, numbers


@each_semimetric(NEGATIVE_TYPE)
@each("seed", range(4))
def test_what_claims_negative_type_has_it(rho, draw, seed):
    X = draw(np.random.default_rng(seed), 60)
    distances = rho.pairwise(X)
    eigenvalues = np.linalg.eigvalsh(kernel_from_semimetric(distances))
    assert rho.is_negative_type
    assert eigenvalues[0] >= -1e-9 * eigenvalues[-1]
    assert negative_type_violation(distances) == 0.0


@each_semimetric(CLAIM_NOTHING)
def test_what_claims_nothing_violates_it(rho, draw):
    X = 3 * draw(np.random.default_rng(0), 40, 2)
    assert not rho.is_negative_type
    assert negative_type_violation(rho.pairwise(X)) > 0.1


@each("c", [0.0, 1.0, 4.0, 9.0, 100.0])
def test_violation_of_three_points_by_hand(c):
    # Eigenvalues of −½HρH are c/2 for (1, 0, −1) and (4 − c)/6 for (1, −2, 1).
    rho = [[0, 1, c], [1, 0, 1], [c, 1, 0]]
    values = sorted([c / 2, (4 - c) / 6, 0.0])
    np.testing.assert_allclose(np.linalg.eigvalsh(kernel_from_semimetric(rho)), values, atol=1e-12)
    assert negative_type_violation(rho) == pytest.approx(max(0, -values[0] / values[-1]))


def test_violation_of_degenerate_matrices():
    assert negative_type_violation(np.zeros((4, 4))) == 0.0
    assert negative_type_violation([[0.0]]) == 0.0
    assert negative_type_violation([[0.0, -1.0], [-1.0, 0.0]]) == np.inf
    with pytest.raises(ValueError, match=r"distances must be a square matrix; got shape \(2, 3\)"):
        negative_type_violation(np.zeros((2, 3)))


@each("origin", [None, 0, 7])
@each_semimetric(ALL)
def test_a_semimetric_comes_back_from_its_kernel(rho, draw, origin):
    distances = rho.pairwise(draw(np.random.default_rng(21), 30))
    kernel = kernel_from_semimetric(distances, origin=origin)
    scale = np.abs(distances).max()
    np.testing.assert_allclose(semimetric_from_kernel(kernel), distances, atol=1e-14 * scale)


def test_the_squared_distance_is_generated_by_the_inner_product():
    X = numbers(np.random.default_rng(23), 20)
    centered = X - X.mean(axis=0)
    kernel = kernel_from_semimetric(Energy(2.0).pairwise(X))
    np.testing.assert_allclose(kernel, centered @ centered.T, atol=1e-13)
    np.testing.assert_allclose(semimetric_from_kernel(X @ X.T), Energy(2.0).pairwise(X), atol=1e-13)
