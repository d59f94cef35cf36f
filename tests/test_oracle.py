"""The definitions that all tests compare with, by hand."""

from pathlib import Path

import numpy as np
import pytest

import oracle
from oracle import long

FOUR = long([[0.0], [1.0], [10.0], [12.0]])
PAIRS = np.array([0, 0, 1, 1])
PATH = long([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])


def test_dispersions_of_four_points():
    G = -oracle.distances(("energy", {}), FOUR, FOUR) / 2
    ones = long(np.ones(4))
    assert oracle.dispersions(G, PAIRS, ones, 2).tolist() == [0.5, 1.0]
    assert oracle.between(-2 * G, PAIRS, ones, 2) == 9.75
    assert oracle.gains(G, PAIRS, ones, 2)[0, 1] < 0


def test_gain_is_the_difference_of_two_objectives():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(9, 9))
    G, w = long(half + half.T), long(rng.random(9))
    labels = np.arange(9) % 3
    gains = oracle.gains(G, labels, w, 3)
    before = oracle.objective(G, labels, w, 3)
    for i in range(9):
        for j in set(range(3)) - {int(labels[i])}:
            moved = labels.copy()
            moved[i] = j
            assert abs(oracle.objective(G, moved, w, 3) - before - gains[i, j]) < 1e-15


@pytest.mark.parametrize(
    ("metric", "x", "y", "rho"),
    [
        (("energy", {"alpha": 0.5}), [0.0], [4.0], 2.0),
        (("laplacian", {}), [0.0], [2.0], 2 - 2 * np.exp(-1)),
        (("gaussian", {}), [0.0], [2.0], 2 - 2 * np.exp(-2)),
        (("manhattan", {}), [0.0, 0.0], [1.0, -2.0], 3.0),
        (("hamming", {}), [1, 2, 3, 4], [1, 2, 0, 0], 0.5),
        (("jaccard", {}), [1, 1, 0], [0, 1, 1], 2 / 3),
        (("jensen_shannon", {}), [1, 0], [0, 5], np.log(2)),
        (("jensen_shannon", {}), [1, 1], [1 + 1e-9, 1 - 1e-9], 1.25e-19),
        (("hellinger", {}), [1, 0], [0, 5], 1.0),
        (("great_circle", {}), [90.0, 0.0], [0.0, 77.0], np.pi / 2),
        (("kendall_tau", {}), [1, 2, 3], [2, 1, 3], 1 / 3),
        ("cosine", [1, 0], [-3, 0], 2.0),
        ("angular", [1, 0], [0, 2], np.pi / 2),
        ("haversine", [0, 0], [0, 1], 1.0),
        ("chebyshev", [0, 0], [3, -4], 4.0),
        (("damped_squared", {}), [0.0], [2.0], 4 * np.exp(-1)),
        (("sine_squared", {"theta": 1.0}), [0.0], [2.0], 4 * np.sin(2)),
        (("column_sum", {"parts": [(("energy", {}), [0], 2.0)]}), [0.0, 9.0], [3.0, 0.0], 6.0),
    ],
)
def test_distances_by_hand(metric, x, y, rho):
    found = oracle.distances(metric, long([x]), long([y]))[0, 0]
    assert float(found) == pytest.approx(rho, rel=1e-9)


def test_line_equals_all_partitions():
    rng = np.random.default_rng(1)
    x, w = long(rng.normal(size=7)), long(rng.random(7))
    G = -oracle.distances(("energy", {}), x[:, None], x[:, None]) / 2
    W = -oracle.best_partition(G, w, 3)
    assert abs(oracle.best_on_line(x, w, 3, 1.0) - W) < 1e-15


def test_scores_of_a_path():
    assert float(oracle.modularity(PATH, PAIRS, 2)) == pytest.approx(1 / 6)
    assert float(oracle.normalized_cut(PATH, PAIRS, 2)) == pytest.approx(2 / 3)


def test_imports_nothing_of_the_library():
    text = Path(oracle.__file__).read_text("utf-8")
    assert "import kgroups" not in text
    assert "from kgroups" not in text
