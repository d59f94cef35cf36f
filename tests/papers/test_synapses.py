"""The procedure of Fig. 5 of the earlier version, on its stand-in."""

import numpy as np
import pytest
from scipy.linalg import eigvalsh

from helpers import slow
from kgroups.semimetrics import Energy, Gaussian
from kgroups_papers.catalog import find
from kgroups_papers.experiments import synapses
from kgroups_papers.experiments.synapses import (
    ICML_FIG_5,
    eigengaps,
    intensities,
    peak,
    stand_in,
)
from kgroups_papers.monte_carlo import reproduce
from kgroups_papers.published import published
from kgroups_papers.recipes.methods import Kernel

METRICS = (Energy(), Gaussian(2.0))


@pytest.fixture(scope="module")
def quickest():
    return reproduce(ICML_FIG_5, quick=True, seed=1, n_jobs=1)


def test_the_stand_in_has_its_law():
    samples = [intensities(np.random.default_rng(seed)) for seed in range(20)]
    X = np.log(np.concatenate([s.X for s in samples]))
    y = np.concatenate([s.y for s in samples])
    assert samples[0].X.shape == (1025, 11)
    n = len(y)
    shares = np.array([0.22, 0.20, 0.18, 0.16, 0.13, 0.11])
    assert np.bincount(y) / n == pytest.approx(shares, abs=4.5 * 0.5 / n**0.5)
    raised = np.zeros((6, 11))
    for kind, markers in enumerate(([0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10])):
        raised[kind, markers] = 1
    deviation = (0.3**2 + 0.05**2) ** 0.5
    for kind in range(6):
        part = X[y == kind]
        assert part.mean(axis=0) == pytest.approx(
            raised[kind], abs=4.5 * deviation / len(part) ** 0.5
        )
    covariance = np.cov((X - raised[y]).T)
    expected = np.full((11, 11), 0.05**2) + 0.3**2 * np.eye(11)
    assert covariance == pytest.approx(expected, abs=4.5 * deviation**2 * (2 / n) ** 0.5)


def test_columns_of_the_stand_in_are_standardized():
    X, y = stand_in(np.random.default_rng(0))
    assert X.mean(axis=0) == pytest.approx(np.zeros(11), abs=1e-12)
    assert X.var(axis=0) == pytest.approx(np.ones(11))
    raw = intensities(np.random.default_rng(0))
    assert (y == raw.y).all()
    assert (np.argsort(X[:, 3]) == np.argsort(raw.X[:, 3])).all()


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: type(metric).__name__)
def test_gaps_are_those_of_the_generalized_problem(metric):
    """λ of (D − G)v = λDv, as the Laplacian of a random walk is defined."""
    kernel = Kernel.of(stand_in(np.random.default_rng(0)).X[:200], metric)
    before = kernel.matrix.copy()
    degree = kernel.matrix.sum(axis=1)
    assert degree.min() > 0
    spectrum = eigvalsh(np.diag(degree) - kernel.matrix, np.diag(degree))
    assert eigengaps(kernel) == pytest.approx(np.diff(spectrum[:11]), abs=1e-10)
    assert (kernel.matrix == before).all()


def test_a_kernel_of_blocks_has_as_many_clusters_as_blocks():
    """Zero is an eigenvalue for each block, and 1 all others: the gap is 1 after the third."""
    blocks = np.kron(np.eye(3), np.ones((4, 4)))
    gaps = eigengaps(Kernel(blocks))
    assert gaps == pytest.approx(np.eye(10)[2], abs=1e-12)
    assert peak(gaps) == 3


def test_the_first_gap_does_not_count():
    assert peak(np.array([0.9, 0.1, 0.2, 0.1])) == 3


@slow
def test_kinds_are_found_again(quickest):
    k = np.concatenate([quickest.values["stand-in", m.key, "k"] for m in ICML_FIG_5.methods])
    assert np.mean(k == 6) > 0.7
    for method in ("kgroups", "kgroups_gaussian", "default"):
        found = quickest.values["stand-in", method, "adjusted_rand"]
        right = quickest.values["stand-in", method, "k"] == 6
        assert right.any()
        assert found[right].min() > 0.95


def test_a_row_brighter_as_a_whole_is_one_more_direction(monkeypatch):
    """As the notes say: with four times the staining, seven eigenvalues stand before the gap."""
    monkeypatch.setattr(synapses, "_STAINING", 0.2)
    X, _ = stand_in(np.random.default_rng(0))
    assert [peak(eigengaps(Kernel.of(X, metric))) for metric in METRICS] == [7, 7]


def test_nothing_is_held_against_the_paper(quickest):
    assert find("icml-fig5") is ICML_FIG_5
    assert published("icml-fig5") == {}
    assert {row.verdict for row in quickest.rows()} == {None}
    assert "not public" in ICML_FIG_5.title
    assert "not public" in ICML_FIG_5.about
