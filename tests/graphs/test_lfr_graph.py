"""The benchmark of Lancichinetti, Fortunato and Radicchi: its laws, and its extremes."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chisquare, zipfian

from helpers import each
from kgroups.graphs import lfr_graph
from kgroups.graphs.models.compiled.stubs import is_graphical, place_nodes
from kgroups.graphs.models.power_law import drawn_to_sum, power_law, power_law_of_mean

# What most published comparisons use: mean degree 20, at most 50, small and large communities.
PUBLISHED = {
    "average_degree": 20,
    "max_degree": 50,
    "degree_exponent": 2,
    "community_exponent": 1,
}
SMALL = {**PUBLISHED, "min_community": 10, "max_community": 50}
LARGE = {**PUBLISHED, "min_community": 20, "max_community": 100}


def degrees_inside(A, labels):
    rows, columns = A.nonzero()
    return np.bincount(rows, weights=labels[rows] == labels[columns], minlength=A.shape[0])


def test_degrees_follow_the_power_law():
    A, _ = lfr_graph(5000, mixing=0.4, random_state=1, **LARGE)
    degrees = np.diff(A.indptr)
    law = power_law_of_mean(2, 50, 20)
    assert law.least == 10
    edges = np.array([11, 13, 16, 20, 25, 32, 40, 51])
    chances = [p.sum() for p in np.split(law.probabilities, edges[:-1] - law.least)]
    found = np.bincount(np.searchsorted(edges, degrees, side="right"), minlength=8)
    assert chisquare(found, 5000 * np.array(chances)).pvalue > 0.01
    # The exponent by maximum likelihood, from the degrees above the smallest.
    tail = degrees[degrees > 10]
    exponents = np.arange(1.5, 2.5, 0.01)
    likelihood = [np.log(power_law(e, 11, 50).probabilities[tail - 11]).sum() for e in exponents]
    assert exponents[np.argmax(likelihood)] == pytest.approx(2, abs=0.1)


@each("exponent", [1, 1.5, 2, 3])
def test_moments_are_those_of_scipy(exponent):
    law, numbers = power_law(exponent, 1, 50), np.arange(1, 51)
    assert law.mean == pytest.approx(zipfian(exponent, 50).mean())
    np.testing.assert_allclose(law.probabilities, zipfian(exponent, 50).pmf(numbers))


@each(
    ("exponent", "most", "mean"), [(2, 50, 20), (1, 50, 20), (3, 100, 7.3), (2, 9, 9), (2, 9, 8.7)]
)
def test_the_smallest_degree_gives_the_mean(exponent, most, mean):
    law = power_law_of_mean(exponent, most, mean)
    assert law.mean == pytest.approx(mean, rel=1e-12)
    ratios = law.probabilities[2:] / law.probabilities[1:-1]
    numbers = law.least + np.arange(1.0, len(ratios) + 1)
    np.testing.assert_allclose(ratios, (numbers / (numbers + 1)) ** exponent)


def test_a_bound_that_has_the_mean_is_kept_whole():
    law = power_law(2, 7, 40)
    np.testing.assert_allclose(
        power_law_of_mean(2, 40, law.mean).probabilities, law.probabilities, rtol=1e-9
    )


def test_sizes_sum_to_n_and_follow_their_law():
    rng, law = np.random.default_rng(0), power_law(1, 10, 50)
    drawn = [drawn_to_sum(1000, law, rng) for _ in range(300)]
    assert {sizes.sum() for sizes in drawn} == {1000}
    sizes = np.concatenate(drawn)
    assert sizes.min() == 10
    assert sizes.max() == 50
    assert sizes.mean() == pytest.approx(law.mean, rel=0.02)


@each(("n", "least", "most"), [(30, 10, 10), (1009, 10, 11), (23, 11, 12)])
def test_sizes_that_are_rare(n, least, most):
    sizes = drawn_to_sum(n, power_law(60, least, most), np.random.default_rng(0))
    assert sizes.sum() == n
    assert least <= sizes.min() <= sizes.max() <= most


@pytest.mark.nojit
def test_every_placement_is_equally_likely():
    rng, seen = np.random.default_rng(0), []
    bounds = np.array([2, 3, 3, 4])  # 2 · 2 · 1 · 1 placements
    for _ in range(400):
        slots = np.arange(4)
        assert place_nodes(bounds, slots, rng)
        seen.append(tuple(slots.tolist()))
    kinds, counts = np.unique(seen, axis=0, return_counts=True)
    assert len(kinds) == 4
    assert chisquare(counts).pvalue > 0.01
    assert not place_nodes(np.array([1, 1, 3]), np.arange(3), rng)


@pytest.mark.nojit
def test_degrees_of_simple_graphs_are_those_of_networkx():
    for degrees in product(range(5), repeat=5):
        if sum(degrees) % 2 == 0 and list(degrees) == sorted(degrees, reverse=True):
            assert is_graphical(np.array(degrees)) == nx.is_graphical(list(degrees)), degrees


@pytest.mark.nojit
def test_all_edges_inside_or_all_outside():
    A, labels = lfr_graph(300, mixing=0, random_state=0, **{**SMALL, "max_degree": 40})
    np.testing.assert_array_equal(degrees_inside(A, labels), np.diff(A.indptr))
    A, labels = lfr_graph(300, mixing=1, random_state=0, **SMALL)
    assert not degrees_inside(A, labels).any()


@pytest.mark.nojit
def test_dense_communities_are_nearly_complete():
    options = {"average_degree": 9, "max_degree": 9, "min_community": 10, "max_community": 10}
    A, labels = lfr_graph(100, mixing=0.0, random_state=0, **options)
    np.testing.assert_array_equal(A.toarray() + np.eye(100), labels[:, None] == labels)


def test_communities_are_numbered_by_their_first_nodes():
    _, labels = lfr_graph(500, mixing=0.2, average_degree=8, random_state=0)
    first = np.unique(labels, return_index=True)[1]
    assert np.all(np.diff(first) > 0)
