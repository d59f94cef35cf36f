"""What the pictures of networks and of their matrices draw: nodes, edges, counts, eigenvalues."""

import sys
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgba_array
from plot_cases import axes, title
from scipy.sparse import block_diag, csr_array

from helpers import cliques, each
from kgroups.exceptions import GraphNotice
from kgroups.graphs import (
    BetheHessianClustering,
    GraphKGroups,
    bethe_hessian,
    stochastic_block_model,
)
from kgroups.metrics import overlap
from kgroups.plots import (
    AdjacencyDisplay,
    NetworkDisplay,
    OverlapCurveDisplay,
    SpectrumDisplay,
    network_overview,
)
from kgroups.plots.style import cluster_colors

mpl.use("Agg")
pytest.importorskip("matplotlib.pyplot")


def ends(display):
    """Drawn edges as pairs of nodes of the network."""
    return {frozenset(pair) for pair in display.index[display.edges].tolist()}


def edges_of(A, index):
    rows, columns = np.nonzero(np.triu(A.toarray(), 1))
    kept = np.isin(rows, index) & np.isin(columns, index)
    return {frozenset(p) for p in zip(rows[kept].tolist(), columns[kept].tolist(), strict=True)}


def test_every_node_and_every_edge_is_drawn_in_its_color(ring, model):
    A, _ = ring
    display = NetworkDisplay.from_estimator(model, A, ax=axes())
    colors = cluster_colors(3)
    drawn = np.asarray(display.scatter_.get_offsets())
    np.testing.assert_array_equal(drawn, display.positions)
    assert drawn.shape == (18, 2)
    assert np.isfinite(drawn).all()
    assert len(np.unique(drawn.round(6), axis=0)) == 18
    np.testing.assert_allclose(display.scatter_.get_facecolors(), colors[model.labels_])
    assert ends(display) == edges_of(A, np.arange(18))
    assert len(display.edges) == display.n_edges == 3 * 15 + 3
    assert title(display) == "Network"


def test_edges_of_negative_weight_are_red_and_dashed():
    A = np.zeros((4, 4))
    for u, v, weight in [(0, 1, 2), (2, 3, 1), (1, 2, -1), (0, 3, 0.5)]:
        A[u, v] = A[v, u] = weight
    display = NetworkDisplay.from_labels(A, [0, 0, 1, 1], ax=axes())
    is_red = (display.lines_.get_colors()[:, :3] == (0.8, 0.1, 0.1)).all(axis=1)
    is_dashed = [dash is not None for _, dash in display.lines_.get_linestyles()]
    assert is_red.tolist() == is_dashed
    drawn = display.index[display.edges[display.is_negative][0]]
    assert sorted(drawn.tolist()) == [1, 2]
    assert (is_red.sum(), display.is_negative.sum()) == (1, 1)
    assert title(display) == "Network (red: negative weights)"
    assert title(NetworkDisplay.from_labels(abs(A), [0, 0, 1, 1], ax=axes())) == "Network"


def test_the_same_seed_draws_the_same_picture(blocks):
    A, z = blocks
    first, again, other = (
        NetworkDisplay.from_labels(A, z, seed=seed, ax=axes()) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first.positions, again.positions)
    assert not np.array_equal(first.positions, other.positions)


def test_a_sample_has_the_same_share_of_each_community_and_its_busiest_nodes(blocks):
    A, z = blocks
    display = NetworkDisplay.from_labels(A, z, max_nodes=100, ax=axes())
    assert len(display.index) == 100
    assert np.all(np.abs(np.bincount(z[display.index]) - np.bincount(z) / 4) <= 1)
    degrees = np.diff(A.indptr)
    for community in range(4):
        own = np.flatnonzero(z == community)
        left = np.setdiff1d(own, display.index)
        taken = np.intersect1d(own, display.index)
        assert degrees[left].max() <= degrees[taken].min()
    assert ends(display) == edges_of(A, display.index)
    np.testing.assert_array_equal(display.sizes, np.bincount(z))
    drawn, total = len(display.edges), A.nnz // 2
    assert title(display) == f"Network (100 of 400 nodes, {drawn} of {total:,} edges)"


@each("n", [1, 2, 3, 40])
def test_a_network_without_edges_is_drawn(n):
    A = csr_array((n, n))
    for labels in (np.zeros(n, int), np.arange(n)):
        display = NetworkDisplay.from_labels(A, labels, ax=axes())
        assert display.positions.shape == (n, 2)
        assert np.isfinite(display.positions).all()
        assert len(np.unique(display.positions.round(6), axis=0)) == n
        assert len(display.edges) == display.n_edges == 0
        display.figure_.canvas.draw()


def test_nodes_without_edges_are_gray_and_counted():
    A = csr_array(block_diag([cliques(3, 6)[0], np.zeros((3, 3))]))
    with pytest.warns(GraphNotice):
        model = GraphKGroups(random_state=0).fit(A)
    display = NetworkDisplay.from_estimator(model, A, ax=axes())
    gray = to_rgba_array("#C4C4C4")[0]
    colors = display.scatter_.get_facecolors()
    assert (colors == gray).all(axis=1).tolist() == [False] * 18 + [True] * 3
    page = network_overview(model, A, node_names=[str(i) for i in range(21)])
    page.canvas.draw()
    assert page.get_suptitle() == "3 communities in 21 nodes (3 without edges), 48 edges"


def test_curves_are_means_with_their_standard_errors():
    runs = np.array([[0.0, 0.2, 0.1], [0.5, 0.7, 0.9]])
    display = OverlapCurveDisplay(snr=[1.5, 0.5], overlaps={"a": runs, "b": runs[:, :1]})
    assert display.plot(axes()) is display
    # Rising λ, so the second row comes first.
    np.testing.assert_array_equal(display.lines_["a"].get_xdata(), [0.5, 1.5])
    np.testing.assert_allclose(display.lines_["a"].get_ydata(), [0.7, 0.1])
    np.testing.assert_allclose(display.lines_["b"].get_ydata(), [0.5, 0.0])
    error = np.array([0.2, 0.1]) / np.sqrt(3)
    heights = display.bands_["a"].get_paths()[0].vertices
    for x, mean, half in zip([0.5, 1.5], [0.7, 0.1], error, strict=True):
        at = heights[np.isclose(heights[:, 0], x), 1]
        assert at.min() == pytest.approx(mean - half)
        assert at.max() == pytest.approx(mean + half)
    legend = [t.get_text() for t in display.ax_.get_legend().get_texts()]
    assert legend == ["a", "b"]


def test_curves_of_block_models_are_overlaps_with_what_was_planted():
    estimators = {"k-groups": GraphKGroups(2), "spectral": BetheHessianClustering(2)}
    settings = {"n": 120, "degree": 3.0, "snr": (0.6, 1.7), "n_graphs": 3, "random_state": 5}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        display = OverlapCurveDisplay.from_block_models(estimators, ax=axes(), **settings)
    again = OverlapCurveDisplay.from_block_models(estimators, ax=axes(), **settings)
    seeds = np.random.RandomState(5).randint(2**31 - 1, size=(2, 3))
    A, z = stochastic_block_model(120, 2, 3.0, 1.7, random_state=int(seeds[1, 2]))
    with pytest.warns(GraphNotice):
        labels = GraphKGroups(2, random_state=int(seeds[1, 2])).fit(A).labels_
    assert display.overlaps["k-groups"][1, 2] == overlap(z, labels)
    for name, runs in display.overlaps.items():
        assert runs.shape == (2, 3)
        assert runs[1].mean() > runs[0].mean()
        np.testing.assert_array_equal(runs, again.overlaps[name])
    assert not hasattr(estimators["k-groups"], "labels_")
    assert estimators["k-groups"].random_state is None
    assert display.ax_.get_title(loc="right") == "n = 120, k = 2, mean degree 3"


@pytest.mark.parametrize("estimator", [GraphKGroups, BetheHessianClustering])
def test_network_overview_has_four_panels_and_leaves_pyplot_alone(estimator, ring, monkeypatch):
    settings = {} if estimator is BetheHessianClustering else {"objective": "bethe_hessian"}
    fitted = estimator(random_state=0, **settings).fit(ring[0])
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    figure = network_overview(fitted, ring[0], labels_true=ring[1])
    figure.canvas.draw()
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    for words in ("Network", "Edges by community", "Community sizes"):
        assert words in titles
    assert "How many: eigenvalues below 0" in titles
    expected = "3 communities in 18 nodes, 48 edges, accuracy 1.000"
    assert figure.get_suptitle() == expected


mpl.use("Agg")
pytest.importorskip("matplotlib.pyplot")


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


@each("sizes", [(2, 2), (2, 1), (3, 1), (3, 2), (3, 3), (2, 2, 2), (2, 1, 1)])
@each("apart", [False, True])
def test_small_components_are_not_drawn_on_one_line(sizes, apart):
    A = csr_array(block_diag([np.ones((s, s)) - np.eye(s) for s in sizes]))
    labels = np.repeat(np.arange(len(sizes)) if apart else np.zeros(len(sizes), int), sizes)
    positions = NetworkDisplay.from_labels(A, labels, ax=axes()).positions
    long, short = np.linalg.svd(positions - positions.mean(axis=0), compute_uv=False)
    assert short > 0.1 * long
