"""What the pictures of networks draw: nodes, edges, counts, eigenvalues and words."""

import sys
import warnings
from importlib import import_module

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from scipy.sparse import block_diag, csr_array
from sklearn.exceptions import NotFittedError

from helpers import assert_four_panels_apart
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
    ClusterSizesDisplay,
    EvidenceDisplay,
    NetworkDisplay,
    OverlapCurveDisplay,
    SpectrumDisplay,
    network_overview,
    overview,
)
from kgroups.plots.style import cluster_colors

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def axes():
    return Figure(layout="constrained").subplots()


def cliques(k, size=5):
    """Cliques in a ring, with one edge from each to the next."""
    A = np.kron(np.eye(k), np.ones((size, size)) - np.eye(size))
    for c in range(k):
        a, b = c * size, ((c + 1) % k) * size + 1
        A[a, b] = A[b, a] = 1.0
    return csr_array(A), np.repeat(np.arange(k), size)


def star(leaves):
    A = np.zeros((leaves + 1, leaves + 1))
    A[0, 1:] = A[1:, 0] = 1
    return csr_array(A)


def ends(display):
    """Drawn edges as pairs of nodes of the network."""
    return {frozenset(pair) for pair in display.index[display.edges].tolist()}


def edges_of(A, index):
    rows, columns = np.nonzero(np.triu(A.toarray(), 1))
    kept = np.isin(rows, index) & np.isin(columns, index)
    return {frozenset(p) for p in zip(rows[kept].tolist(), columns[kept].tolist(), strict=True)}


def title(display):
    return display.ax_.get_title(loc="left")


@pytest.fixture(scope="module")
def ring():
    return cliques(3, 6)


@pytest.fixture(scope="module")
def model(ring):
    return GraphKGroups(3, random_state=0).fit(ring[0])


@pytest.fixture(scope="module")
def blocks():
    return stochastic_block_model(400, 4, 8.0, 2.0, random_state=1)


# --- network ---------------------------------------------------------------------------------


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


def test_edges_inside_a_community_have_its_color_and_others_are_gray(ring):
    A, z = ring
    display = NetworkDisplay.from_labels(A, z, ax=axes())
    at = {tuple(point): node for node, point in enumerate(display.positions)}
    shades = display.lines_.get_colors()[:, :3]
    segments = display.lines_.get_segments()
    assert len(segments) == len(shades) == 48
    colors = cluster_colors(3)[:, :3]
    for segment, shade in zip(segments, shades, strict=True):
        a, b = (z[at[tuple(point)]] for point in segment)
        np.testing.assert_allclose(shade, colors[a] if a == b else (0.5, 0.5, 0.5))


def test_nodes_of_one_community_lie_nearer_to_each_other_than_to_others(blocks):
    A, z = blocks
    display = NetworkDisplay.from_labels(A, z, ax=axes())
    centers = np.array([display.positions[z == c].mean(axis=0) for c in range(4)])
    to_centers = np.linalg.norm(display.positions[:, None] - centers, axis=2)
    assert (to_centers.argmin(axis=1) == z).mean() > 0.9


def test_a_path_is_laid_out_in_order():
    n = 12
    A = csr_array(np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1))
    display = NetworkDisplay.from_labels(A, np.zeros(n, int), ax=axes())
    steps = np.linalg.norm(np.diff(display.positions, axis=0), axis=1)
    far = np.linalg.norm(display.positions[0] - display.positions[-1])
    assert far > 3 * steps.max()


def test_larger_degrees_have_larger_areas():
    star = np.zeros((6, 6))
    star[0, 1:] = star[1:, 0] = 1
    display = NetworkDisplay.from_labels(star, np.zeros(6, int), ax=axes())
    sizes = display.scatter_.get_sizes()
    assert display.degrees.tolist() == [5, 1, 1, 1, 1, 1]
    assert sizes[0] > sizes[1]
    assert len(set(sizes[1:].tolist())) == 1


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


def test_a_sample_leaves_no_community_out_while_there_is_room():
    labels = np.r_[np.zeros(95, int), np.arange(1, 6)]
    A, _ = stochastic_block_model(100, 2, 6.0, 1.0, random_state=0)
    few = NetworkDisplay.from_labels(A, labels, max_nodes=10, ax=axes())
    assert np.bincount(few.labels).tolist() == [5, 1, 1, 1, 1, 1]
    fewer = NetworkDisplay.from_labels(A, labels, max_nodes=3, ax=axes())
    assert len(fewer.labels) == 3


def test_too_many_edges_are_sampled_and_the_title_says_so(blocks):
    A, z = blocks
    display = NetworkDisplay.from_labels(A, z, max_edges=50, ax=axes())
    assert len(display.edges) == len(display.lines_.get_segments()) == 50
    assert ends(display) < edges_of(A, np.arange(400))
    assert title(display) == f"Network (50 of {A.nnz // 2:,} edges)"


def test_a_layout_that_is_given_is_used(ring):
    A, z = ring
    layout = np.random.default_rng(0).normal(size=(18, 2))
    display = NetworkDisplay.from_labels(A, z, layout=layout, max_nodes=9, ax=axes())
    np.testing.assert_array_equal(display.positions, layout[display.index])
    for wrong in (layout[:4], np.full((18, 2), np.nan)):
        with pytest.raises(ValueError, match="layout must be two finite numbers for each of the"):
            NetworkDisplay.from_labels(A, z, layout=wrong, ax=axes())


def test_labels_may_be_words_and_the_legend_shows_them(ring):
    A, z = ring
    display = NetworkDisplay.from_labels(A, np.array(["red", "blue", "green"])[z], ax=axes())
    legend = display.ax_.get_legend()
    assert legend.get_title().get_text() == "community (nodes)"
    assert [t.get_text() for t in legend.get_texts()] == ["blue (6)", "green (6)", "red (6)"]


def test_beyond_thirty_communities_a_color_bar_takes_the_place_of_the_legend():
    A, z = cliques(31, 3)
    display = NetworkDisplay.from_labels(A, z, ax=axes())
    assert display.ax_.get_legend() is None
    assert display.figure_.axes[1].get_ylabel() == "community"
    np.testing.assert_allclose(display.scatter_.get_facecolors(), cluster_colors(31)[z])


def test_names_of_the_busiest_nodes_are_written_and_do_not_cross():
    A, z = cliques(4, 8)
    names = [f"node {i}" for i in range(31)] + ["x" * 50]
    figure = Figure(figsize=(6, 5), layout="constrained")
    display = NetworkDisplay.from_labels(A, z, node_names=names, ax=figure.subplots())
    figure.savefig("/dev/null", format="png")
    texts = [t for t in display.ax_.texts if t.get_visible()]
    assert 4 <= len(texts) <= 30
    assert {t.get_text() for t in texts} <= {*names, "x" * 23 + "…"}
    boxes = [t.get_window_extent() for t in texts]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:i])
    with pytest.raises(ValueError, match="node_names has 3 names for 32 nodes"):
        NetworkDisplay.from_labels(A, z, node_names=["a", "b", "c"], ax=axes())


def test_every_community_has_a_name_before_any_has_two():
    A, z = cliques(6, 8)
    A = csr_array(block_diag([A, np.ones((30, 30)) - np.eye(30)]))
    labels = np.r_[z, np.full(30, 6)]
    figure = Figure(figsize=(6, 5), layout="constrained")
    display = NetworkDisplay.from_labels(A, labels, node_names=np.arange(78), ax=figure.subplots())
    figure.savefig("/dev/null", format="png")
    named = [int(t.get_text()) for t in display.ax_.texts if t.get_visible()]
    assert set(labels[named]) == set(range(7))


def test_names_are_chosen_anew_for_each_size_of_the_picture():
    A, z = cliques(4, 8)
    figure = Figure(figsize=(2, 2), layout="constrained")
    names = [f"node {i}" for i in range(32)]
    display = NetworkDisplay.from_labels(A, z, node_names=names, ax=figure.subplots())
    written = []
    for size in (2.5, 9, 2.5):
        figure.set_size_inches(size, size)
        figure.savefig("/dev/null", format="png")
        written.append([t.get_text() for t in display.ax_.texts if t.get_visible()])
    assert len(written[0]) < len(written[1]) <= 30
    assert written[2] == written[0]


def test_a_name_covers_no_node_where_there_is_a_place_beside():
    layout = np.array([[0.0, 0.0], [0.0, 0.02], [-1.0, -1.0], [1.0, 1.0]])
    figure = Figure(figsize=(6, 6))
    display = NetworkDisplay.from_labels(
        star(3), np.zeros(4, int), layout=layout, node_names=["hub", "", "", ""],
        ax=figure.subplots(),
    )  # fmt: skip
    figure.savefig("/dev/null", format="png")
    hub = next(t for t in display.ax_.texts if t.get_text() == "hub")
    assert (hub.get_visible(), hub.get_va()) == (True, "top")


@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_a_network_without_edges_is_drawn(n):
    A = csr_array((n, n))
    for labels in (np.zeros(n, int), np.arange(n)):
        display = NetworkDisplay.from_labels(A, labels, ax=axes())
        assert display.positions.shape == (n, 2)
        assert np.isfinite(display.positions).all()
        assert len(np.unique(display.positions.round(6), axis=0)) == n
        assert len(display.edges) == display.n_edges == 0
        display.figure_.canvas.draw()


def test_components_lie_apart_and_not_far_apart():
    path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    pieces = [cliques(1, 10)[0], path, np.ones((3, 3)) - np.eye(3), np.zeros((4, 4))]
    A = csr_array(block_diag(pieces))
    display = NetworkDisplay.from_labels(A, np.zeros(22, int), ax=axes())
    gaps = np.linalg.norm(display.positions[:, None] - display.positions, axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert gaps.min() > 0.2
    assert np.abs(display.positions).max() < 5 * np.sqrt(22)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 1), (3, 1), (3, 2), (3, 3), (2, 2, 2), (2, 1, 1)])
@pytest.mark.parametrize("apart", [False, True])
def test_small_components_are_not_drawn_on_one_line(sizes, apart):
    A = csr_array(block_diag([np.ones((s, s)) - np.eye(s) for s in sizes]))
    labels = np.repeat(np.arange(len(sizes)) if apart else np.zeros(len(sizes), int), sizes)
    positions = NetworkDisplay.from_labels(A, labels, ax=axes()).positions
    long, short = np.linalg.svd(positions - positions.mean(axis=0), compute_uv=False)
    assert short > 0.1 * long


def test_weights_and_loops_change_no_count_of_edges():
    A = np.array([[3.0, 2.5, 0, 0], [2.5, 0, -1, 0], [0, -1, 0, 4], [0, 0, 4, 0]])
    display = NetworkDisplay.from_labels(A, [0, 0, 1, 1], ax=axes())
    assert ends(display) == {frozenset(p) for p in [(0, 1), (1, 2), (2, 3)]}
    assert display.n_edges == 3
    assert np.isfinite(display.positions).all()


def test_a_heavy_edge_is_shorter_than_a_light_one():
    A = np.zeros((6, 6))
    for i in range(6):
        A[i, (i + 1) % 6] = A[(i + 1) % 6, i] = 1.0
    A[0, 1] = A[1, 0] = 50.0
    positions = NetworkDisplay.from_labels(A, np.zeros(6, int), ax=axes()).positions
    steps = np.linalg.norm(positions - np.roll(positions, -1, axis=0), axis=1)
    assert steps[0] == steps.min()


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


@pytest.mark.parametrize("max_cells", [1, 7, 64, 399])
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
    assert "entries of the matrix in a cell" in [ax.get_ylabel() for ax in display.figure_.axes]


def test_cells_are_counted_in_batches_too(blocks, monkeypatch):
    from kgroups.plots import adjacency_display as adjacency

    A, z = blocks
    whole = AdjacencyDisplay.from_labels(A, z, max_cells=40, ax=axes())
    for batch in (1, 5, 100):
        monkeypatch.setattr(adjacency, "_BATCH", batch)
        parts = AdjacencyDisplay.from_labels(A, z, max_cells=40, ax=axes())
        np.testing.assert_array_equal(parts.counts, whole.counts)


def test_adjacency_lines_and_strip_show_the_communities(ring, model):
    display = AdjacencyDisplay.from_estimator(model, ring[0], ax=axes())
    down = [line.get_xdata()[0] for line in display.ax_.get_lines()[1::2]]
    across = [line.get_ydata()[0] for line in display.ax_.get_lines()[::2]]
    assert down == across == [5.5, 11.5]
    (strip,) = display.ax_.child_axes
    colors = np.asarray(strip.images[0].get_array())[:, 0]
    np.testing.assert_allclose(colors, cluster_colors(3)[display.labels])
    assert [text.get_text() for text in strip.get_yticklabels()] == ["0", "1", "2"]


def test_adjacency_of_very_many_communities_has_no_lines():
    A, z = cliques(70, 3)
    display = AdjacencyDisplay.from_labels(A, z, ax=axes())
    assert len(display.ax_.get_lines()) == 0


@pytest.mark.parametrize("n", [1, 5])
def test_adjacency_without_edges_is_white(n):
    display = AdjacencyDisplay.from_labels(csr_array((n, n)), np.zeros(n, int), ax=axes())
    assert display.counts.sum() == 0
    display.figure_.canvas.draw()


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
    words = "weight of the edge" if width == 1 else "weight in a cell"
    assert words in [ax.get_ylabel() for ax in display.figure_.axes]


@pytest.mark.parametrize("weight", [3.0, 1e-9, 1e300])
def test_equal_weights_are_dark(weight):
    display = AdjacencyDisplay.from_labels([[0, weight], [weight, 0]], [0, 1], ax=axes())
    assert display.image_.norm(weight) == 1
    display.figure_.canvas.draw()


def test_weights_far_apart_are_drawn():
    A = np.array([[0, 1e-12, 0], [1e-12, 0, 1e12], [0, 1e12, 0]])
    display = AdjacencyDisplay.from_labels(A, [0, 0, 0], ax=axes())
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


@pytest.mark.parametrize("wanted", [2, 4, 30])
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


def test_one_negative_eigenvalue_is_one_community():
    display = SpectrumDisplay.from_graph(np.ones((9, 9)) - np.eye(9), ax=axes())
    assert [t.get_text() for t in display.ax_.texts] == ["1 eigenvalue below 0: one community"]


@pytest.mark.parametrize("r", ["average_degree", 1.5, "zeta"])
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


def test_words_of_the_spectrum_lie_above_all_marks(blocks):
    display = SpectrumDisplay.from_graph(blocks[0], ax=axes())
    display.figure_.canvas.draw()
    box = display.ax_.texts[0].get_window_extent()
    highest = display.ax_.transData.transform((1, display.eigenvalues.max()))[1]
    assert box.y0 > highest


# --- overlap ---------------------------------------------------------------------------------


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


def test_the_threshold_is_marked_at_one():
    display = OverlapCurveDisplay(snr=[0.5, 1.5], overlaps={"a": np.zeros((2, 2))}).plot(axes())
    dashed = [line for line in display.ax_.get_lines() if line.get_linestyle() == "--"]
    assert [line.get_xdata()[0] for line in dashed] == [1]
    assert display.ax_.texts[0].get_text() == "Kesten–Stigum\nthreshold λ = 1"


@pytest.mark.parametrize("wrong", [np.zeros(2), np.zeros((3, 2)), np.zeros((2, 0))])
def test_overlaps_that_do_not_fit_are_refused(wrong):
    with pytest.raises(ValueError, match=r"overlaps\['a'\] must have a row for each of the 2"):
        OverlapCurveDisplay(snr=[0.5, 1.5], overlaps={"a": wrong})


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


# --- sizes and the page ----------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [GraphKGroups, BetheHessianClustering])
def test_sizes_speak_of_communities_and_nodes(estimator, ring):
    fitted = estimator(3, random_state=0).fit(ring[0])
    display = ClusterSizesDisplay.from_estimator(fitted, ax=axes())
    assert title(display) == "Community sizes"
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("nodes", "community")
    assert [bar.get_width() for bar in display.bars_] == [6, 6, 6]
    colors = to_rgba_array([bar.get_facecolor() for bar in display.bars_])
    np.testing.assert_allclose(colors, cluster_colors(3))


def test_sizes_by_degree_say_the_weights(ring):
    fitted = GraphKGroups(3, weights="degree", random_state=0).fit(ring[0])
    display = ClusterSizesDisplay.from_estimator(fitted, ax=axes())
    assert [text.get_text() for text in display.ax_.texts] == ["6 (weight 32)"] * 3


def sizes_of(*sizes):
    display = ClusterSizesDisplay(counts=np.array(sizes), what="community", unit="nodes")
    return display.plot(axes())


def test_one_long_bar_is_drawn_on_a_logarithmic_axis():
    display = sizes_of(900, 40, 30, 1)
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlabel() == "nodes (log scale)"
    assert display.ax_.get_xlim()[0] < 1
    assert [text.get_text() for text in display.ax_.texts] == ["900", "40", "30", "1"]
    display.figure_.canvas.draw()
    box = display.ax_.get_window_extent()
    assert all(text.get_window_extent().x1 < box.x1 for text in display.ax_.texts)
    assert sizes_of(700, 40, 30, 1).ax_.get_xscale() == "linear"


def test_few_sizes_leave_their_room_to_the_network():
    heights = {}
    for k in (1, 2, 3, 6):
        A, z = cliques(k, 6)
        fitted = GraphKGroups(k, random_state=0, init=z).fit(A)
        figure = network_overview(fitted, A)
        figure.canvas.draw()
        bars = next(ax for ax in figure.axes if ax.get_title(loc="left") == "Community sizes")
        low, high = sorted(bars.get_ylim())
        assert high - low < 1.6 * k + 0.8
        heights[k] = bars.get_position().height
    assert heights[1] < heights[2] < heights[3] < heights[6]


def test_overview_of_points_names_that_of_networks(ring, model):
    with pytest.raises(TypeError, match=r"GraphKGroups clusters a network; use kgroups\.plots"):
        overview(model, ring[0])


def test_the_page_counts_loops_apart(ring):
    A = ring[0].tolil()
    A[0, 0] = A[7, 7] = 1
    fitted = GraphKGroups(3, random_state=0).fit(A.tocsr())
    words = network_overview(fitted, A.tocsr()).get_suptitle()
    assert words == "3 communities in 18 nodes, 48 edges and 2 self-loops"


def test_colors_of_many_communities_have_no_order():
    """Neighbors differ, in hue and lightness, by more than a step of a scale."""
    for k in (31, 40, 165):
        colors = cluster_colors(k)
        assert colors.shape == (k, 4)
        assert ((colors >= 0) & (colors <= 1)).all()
        steps = np.abs(np.diff(colors[:, :3], axis=0)).sum(axis=1)
        assert steps.min() > 0.25
        bright = colors[:, :3] @ [0.2126, 0.7152, 0.0722]
        assert bright.max() < 0.85


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


@pytest.mark.parametrize("objective", ["auto", "bethe_hessian"])
def test_nothing_on_the_page_overlaps_its_neighbors(ring, objective):
    model = GraphKGroups(objective=objective, random_state=0).fit(ring[0])
    assert model.decided_by_ == {"auto": "evidence"}.get(objective, "spectrum")
    figure = network_overview(model, ring[0], node_names=list("abcdefghijklmnopqr"))
    assert_four_panels_apart(figure)


def test_accuracy_counts_the_nodes_whose_community_is_known(ring, model):
    known = [None] * 18
    known[:2], known[6:8] = ["a", "a"], ["b", "a"]
    words = network_overview(model, ring[0], labels_true=known).get_suptitle()
    assert words.endswith(", accuracy 0.750")
    nothing = network_overview(model, ring[0], labels_true=[None] * 18).get_suptitle()
    assert nothing.endswith("48 edges")
    with pytest.raises(ValueError, match="labels_true has 2 labels for 18 nodes"):
        network_overview(model, ring[0], labels_true=[0, 1])


def test_eigenvalues_that_are_too_dear_are_left_out_with_a_word(ring, monkeypatch):
    model = GraphKGroups(objective="bethe_hessian", random_state=0).fit(ring[0])
    # The function of the same name hides the module.
    monkeypatch.setattr(import_module("kgroups.plots.network_overview"), "_TOO_MANY", 10)
    figure = network_overview(model, ring[0])
    texts = [text.get_text() for ax in figure.axes for text in ax.texts]
    assert "Eigenvalues for 3 communities of 18 nodes\nwould take too long." in texts


def test_an_r_for_each_eigenvector_shows_the_spectrum_at_the_usual_one(ring):
    fitted = BetheHessianClustering(3, r="zeta", random_state=0).fit(ring[0])
    figure = network_overview(fitted, ring[0])
    of = "eigenvalue of the Bethe Hessian, r = 2.31"
    assert of in [ax.get_ylabel() for ax in figure.axes]


def test_a_number_that_was_given_has_no_panel(ring, model):
    figure = network_overview(model, ring[0])
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert sorted(words for words in titles if words) == [
        "Community sizes", "Edges by community", "Network",
    ]  # fmt: skip


# --- evidence --------------------------------------------------------------------------------


def test_evidence_of_each_division_and_the_answer(ring):
    model = GraphKGroups(random_state=0).fit(ring[0])
    display = EvidenceDisplay.from_estimator(model, ax=axes())
    marks = np.asarray(display.points_.get_offsets())
    expected = sorted({(1, 0.0), (3, model.evidence_), *model.candidates_})
    np.testing.assert_allclose(marks, expected)
    np.testing.assert_allclose(display.answer_.get_offsets(), [[3, model.evidence_]])
    words = [text.get_text() for text in display.ax_.texts]
    assert words == [f"3 communities: {model.evidence_:,.0f} bits shorter"]
    display.figure_.canvas.draw()
    highest = display.ax_.transData.transform((1, display.bits.max()))[1]
    assert display.ax_.texts[0].get_window_extent().y0 > highest


def test_evidence_of_many_communities_has_a_logarithmic_axis():
    display = EvidenceDisplay(
        n_communities=np.array([1, 30, 500, 900]), bits=np.array([0.0, 800.0, 900.0, -9e5]),
        answer=(500, 900.0),
    ).plot(axes())  # fmt: skip
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_ylim()[0] > -900
    display.figure_.canvas.draw()


@pytest.mark.parametrize(
    ("decided_by", "words"),
    [
        ("one", "no communities"),
        ("weak", "2 communities: a weak sign"),
        ("spectrum", "2 communities: found again without\na tenth of the edges"),
        ("random graphs", "2 communities: more modular\nthan random graphs"),
    ],
)
def test_evidence_says_what_decided(decided_by, words):
    display = EvidenceDisplay(
        n_communities=np.array([1, 2]), bits=np.array([0.0, -3.0]), answer=(2, -3.0),
        decided_by=decided_by,
    ).plot(axes())  # fmt: skip
    assert [text.get_text() for text in display.ax_.texts] == [words]


def test_without_evidence_there_is_nothing_to_draw(model):
    with pytest.raises(ValueError, match='it was decided by "given"'):
        EvidenceDisplay.from_estimator(model, ax=axes())


# --- nodes without edges ---------------------------------------------------------------------


def with_lone_nodes(k):
    """Cliques in a ring, and three nodes without edges."""
    A = csr_array(block_diag([cliques(k, 6)[0], np.zeros((3, 3))]))
    with pytest.warns(GraphNotice):
        model = GraphKGroups(random_state=0).fit(A)
    assert model.labels_.tolist()[-3:] == [k, k + 1, k + 2]
    return model, A


def test_nodes_without_edges_are_gray_and_the_legend_says_so():
    model, A = with_lone_nodes(3)
    display = NetworkDisplay.from_estimator(model, A, ax=axes())
    gray = to_rgba_array("#C4C4C4")[0]
    colors = display.scatter_.get_facecolors()
    assert (colors == gray).all(axis=1).tolist() == [False] * 18 + [True] * 3
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words == ["0 (6)", "1 (6)", "2 (6)", "without edges (3)"]
    assert title(display) == "Network"
    sizes = ClusterSizesDisplay.from_estimator(model, ax=axes())
    assert [bar.get_width() for bar in sizes.bars_] == [6, 6, 6]
    strip = AdjacencyDisplay.from_estimator(model, A, ax=axes()).ax_.child_axes[0]
    np.testing.assert_allclose(np.asarray(strip.images[0].get_array())[-3:, 0], [gray] * 3)
    assert [text.get_text() for text in strip.get_yticklabels()] == ["0", "1", "2"]
    page = network_overview(model, A, node_names=[str(i) for i in range(21)])
    page.canvas.draw()
    assert page.get_suptitle() == "3 communities in 21 nodes (3 without edges), 48 edges"


def test_nodes_without_edges_next_to_many_communities():
    model, A = with_lone_nodes(31)
    display = NetworkDisplay.from_estimator(model, A, ax=axes())
    assert display.figure_.axes[1].get_ylabel() == "community"
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert words == ["without edges (3)"]
    display.figure_.canvas.draw()


def test_one_community_and_lone_nodes_make_a_page():
    A = csr_array(block_diag([np.ones((4, 4)) - np.eye(4), np.zeros((3, 3))]))
    with pytest.warns(GraphNotice):
        fitted = GraphKGroups(1, random_state=0).fit(A)
    figure = network_overview(fitted, A)
    figure.canvas.draw()
    assert figure.get_suptitle() == "1 community in 7 nodes, 6 edges"
    fitted.decided_by_ = "one"
    assert network_overview(fitted, A).get_suptitle() == "No communities in 7 nodes, 6 edges"


# --- what all share --------------------------------------------------------------------------

DRAW = {
    "network": lambda model, A, ax: NetworkDisplay.from_estimator(model, A, ax=ax),
    "adjacency": lambda model, A, ax: AdjacencyDisplay.from_estimator(model, A, ax=ax),
    "sizes": lambda model, A, ax: ClusterSizesDisplay.from_estimator(model, ax=ax),
    "spectrum": lambda model, A, ax: SpectrumDisplay.from_graph(A, ax=ax),
}
OF_MODEL = [draw for name, draw in DRAW.items() if name != "spectrum"]
OF_BOTH = [DRAW["network"], DRAW["adjacency"]]


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_axes_given_are_drawn_on(draw, ring, model):
    ax = axes()
    display = draw(model, ring[0], ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert plt.get_fignums() == []
    assert display.plot(ax) is display


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_without_axes_pyplot_makes_a_figure(draw, ring, model):
    display = draw(model, ring[0], None)
    assert plt.get_fignums() == [display.figure_.number]


@pytest.mark.parametrize("draw", OF_MODEL)
def test_an_unfitted_estimator_is_told(draw, ring):
    with pytest.raises(NotFittedError):
        draw(GraphKGroups(3), ring[0], None)


@pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)
def test_a_missing_matplotlib_is_named_with_the_command(draw, ring, model, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "kgroups\[plot\]"'):
        draw(model, ring[0], None)


@pytest.mark.parametrize("draw", OF_BOTH)
def test_another_graph_than_that_of_the_fit_is_refused(draw, model):
    with pytest.raises(ValueError, match="A has 4 nodes and the estimator was fitted on 18"):
        draw(model, np.ones((4, 4)) - np.eye(4), axes())


@pytest.mark.parametrize("display", [NetworkDisplay, AdjacencyDisplay])
def test_labels_of_another_number_of_nodes_are_refused(display, ring):
    with pytest.raises(ValueError, match="labels must hold one community for each of the 18"):
        display.from_labels(ring[0], [0, 1], ax=axes())


@pytest.mark.parametrize("display", [NetworkDisplay, AdjacencyDisplay])
def test_a_directed_graph_is_drawn_as_it_was_fitted_without_another_notice(display):
    A = np.zeros((4, 4))
    A[0, 1] = A[2, 1] = A[2, 3] = 1.0
    drawn = display.from_labels(A, [0, 0, 1, 1], ax=axes())
    edges = drawn.n_edges if display is NetworkDisplay else drawn.counts.sum() // 2
    assert edges == 3
