"""What the pictures of the adjacency matrix and of its eigenvalues draw."""

import matplotlib as mpl
import numpy as np
import pytest
from plot_cases import axes, title
from scipy.sparse import csr_array

from helpers import each
from kgroups.graphs import (
    BetheHessianClustering,
    GraphKGroups,
    bethe_hessian,
)
from kgroups.plots import (
    AdjacencyDisplay,
    SpectrumDisplay,
)
from kgroups.plots.style import cluster_colors

mpl.use("Agg")
pytest.importorskip("matplotlib.pyplot")


# --- adjacency -------------------------------------------------------------------------------


def test_adjacency_rows_go_by_community_then_by_falling_degree(blocks):
    A, z = blocks
    display = AdjacencyDisplay.from_labels(A, z, ax=axes())
    order = display.order
    assert sorted(order) == list(range(400))
    np.testing.assert_array_equal(display.labels, np.sort(z))
    degrees = np.diff(A.indptr)[order]
    for community in range(4):
        assert np.all(np.diff(degrees[display.labels == community]) <= 0)
    np.testing.assert_array_equal(display.counts, A.toarray()[np.ix_(order, order)] != 0)
    shown = display.image_.get_array()
    np.testing.assert_array_equal(np.ma.filled(shown, 0), display.counts)
    assert title(display) == "Edges by community"


@each("max_cells", [1, 7, 64, 399])
def test_cells_count_the_entries_of_their_nodes(max_cells, blocks):
    A, z = blocks
    display = AdjacencyDisplay.from_labels(A, z, max_cells=max_cells, ax=axes())
    width, size = display.nodes_per_cell, len(display.counts)
    assert size <= max_cells
    assert display.counts.sum() == A.nnz
    padded = np.zeros((size * width, size * width))
    padded[:400, :400] = A.toarray()[np.ix_(display.order, display.order)]
    expected = padded.reshape(size, width, size, width).sum(axis=(1, 3))
    np.testing.assert_array_equal(display.counts, expected)
    assert title(display) == f"Edges by community ({width} nodes per cell)"


def test_adjacency_lines_and_strip_show_the_communities(ring, model):
    display = AdjacencyDisplay.from_estimator(model, ring[0], ax=axes())
    down = [line.get_xdata()[0] for line in display.ax_.get_lines()[1::2]]
    across = [line.get_ydata()[0] for line in display.ax_.get_lines()[::2]]
    assert down == across == [5.5, 11.5]
    (strip,) = display.ax_.child_axes
    colors = np.asarray(strip.images[0].get_array())[:, 0]
    np.testing.assert_allclose(colors, cluster_colors(3)[display.labels])
    assert [text.get_text() for text in strip.get_yticklabels()] == ["0", "1", "2"]


def test_adjacency_counts_entries_whatever_they_weigh():
    A = [[0.0, 2.5, 0.0], [2.5, 4.0, -1.0], [0.0, -1.0, 0.0]]
    display = AdjacencyDisplay.from_labels(A, [0, 0, 0], max_cells=1, ax=axes())
    assert display.counts.tolist() == [[5]]


@pytest.mark.parametrize("max_cells", [400, 7])
def test_weights_are_the_shades_where_there_are_some(blocks, max_cells):
    A, z = blocks[0].copy(), blocks[1]
    A.data[:] = 0.5 + (np.arange(400)[:, None] + np.arange(400) % 7).ravel()[: A.nnz]
    A = csr_array(A + A.T)
    display = AdjacencyDisplay.from_labels(A, z, max_cells=max_cells, ax=axes())
    width, size = display.nodes_per_cell, len(display.counts)
    padded = np.zeros((size * width, size * width))
    padded[:400, :400] = A.toarray()[np.ix_(display.order, display.order)]
    expected = padded.reshape(size, width, size, width).sum(axis=(1, 3))
    np.testing.assert_allclose(display.weights, expected)
    np.testing.assert_allclose(np.ma.filled(display.image_.get_array(), 0), expected)
    assert display.counts.sum() == A.nnz


@each("weight", [3.0, 1e-9, 1e300])
def test_equal_weights_are_dark(weight):
    display = AdjacencyDisplay.from_labels([[0, weight], [weight, 0]], [0, 1], ax=axes())
    assert display.image_.norm(weight) == 1
    display.figure_.canvas.draw()


# --- spectrum --------------------------------------------------------------------------------


def test_eigenvalues_are_those_of_the_whole_matrix(blocks):
    A, _ = blocks
    display = SpectrumDisplay.from_graph(A, ax=axes())
    expected = np.linalg.eigvalsh(bethe_hessian(A).toarray())
    negative = int((expected < 0).sum())
    assert display.n_negative == negative == 4
    np.testing.assert_allclose(display.eigenvalues, expected[: negative + 10], atol=1e-9)
    filled = np.asarray(display.negative_.get_offsets())
    hollow = np.asarray(display.positive_.get_offsets())
    np.testing.assert_allclose(filled, np.column_stack([np.arange(1, 5), expected[:4]]))
    np.testing.assert_allclose(hollow, np.column_stack([np.arange(5, 15), expected[4:14]]))
    assert len(display.negative_.get_facecolors()) == 1
    assert len(display.positive_.get_facecolors()) == 0
    assert [t.get_text() for t in display.ax_.texts] == ["4 eigenvalues below 0"]
    assert title(display) == "How many: eigenvalues below 0"
    of = f"eigenvalue of the Bethe Hessian, r = {display.r:.3g}"
    assert display.ax_.get_ylabel() == of


@each("wanted", [2, 4, 30])
def test_as_many_eigenvalues_as_wanted(wanted, blocks):
    display = SpectrumDisplay.from_graph(blocks[0], n_eigenvalues=wanted, r=3.0, ax=axes())
    expected = np.linalg.eigvalsh(bethe_hessian(blocks[0], 3.0).toarray())
    np.testing.assert_allclose(display.eigenvalues, expected[:wanted], atol=1e-9)
    assert display.n_negative == (expected < 0).sum()
    assert len(display.negative_.get_offsets()) == min(wanted, display.n_negative)


def test_spectrum_of_a_tiny_graph_has_all_eigenvalues():
    display = SpectrumDisplay.from_graph([[0, 1], [1, 0]], ax=axes())
    np.testing.assert_allclose(display.eigenvalues, [0, 2], atol=1e-12)
    assert [t.get_text() for t in display.ax_.texts] == ["no eigenvalue below 0: one community"]
    display.figure_.canvas.draw()


@each("r", ["average_degree", 1.5, "zeta"])
def test_the_spectrum_of_an_estimator_is_at_its_r(ring, r):
    kind = BetheHessianClustering if r == "zeta" else GraphKGroups
    fitted = kind(3, r=r, random_state=0).fit(ring[0])
    display = SpectrumDisplay.from_estimator(fitted, ring[0], n_eigenvalues=5, ax=axes())
    assert display.r == (1.5 if r == 1.5 else pytest.approx(np.sqrt(96 / 18)))
    expected = np.linalg.eigvalsh(bethe_hessian(ring[0], display.r).toarray())
    np.testing.assert_allclose(display.eigenvalues, expected[:5], atol=1e-9)


def test_spectrum_of_a_weighted_graph(ring):
    A = ring[0] * 2.0
    display = SpectrumDisplay.from_graph(A, ax=axes())
    expected = np.linalg.eigvalsh(bethe_hessian(A).toarray())
    np.testing.assert_allclose(display.eigenvalues, expected[: len(display.eigenvalues)])
