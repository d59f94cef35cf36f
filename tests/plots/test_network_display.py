"""What the pictures of networks draw: nodes, edges, counts, eigenvalues and words."""

import sys
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from plot_cases import axes, title
from scipy.sparse import block_diag, csr_array

from helpers import assert_four_panels_apart, cliques, each
from kgroups.exceptions import GraphNotice
from kgroups.graphs import (
    BetheHessianClustering,
    GraphKGroups,
    stochastic_block_model,
)
from kgroups.metrics import overlap
from kgroups.plots import (
    AdjacencyDisplay,
    ClusterSizesDisplay,
    EvidenceDisplay,
    NetworkDisplay,
    OverlapCurveDisplay,
    network_overview,
)
from kgroups.plots.style import cluster_colors

mpl.use("Agg")
pytest.importorskip("matplotlib.pyplot")


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


def test_components_lie_apart_and_not_far_apart():
    path = np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1)
    pieces = [cliques(1, 10)[0], path, np.ones((3, 3)) - np.eye(3), np.zeros((4, 4))]
    A = csr_array(block_diag(pieces))
    display = NetworkDisplay.from_labels(A, np.zeros(22, int), ax=axes())
    gaps = np.linalg.norm(display.positions[:, None] - display.positions, axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert gaps.min() > 0.2
    assert np.abs(display.positions).max() < 5 * np.sqrt(22)


@each("sizes", [(2, 2), (2, 1), (3, 1), (3, 2), (3, 3), (2, 2, 2), (2, 1, 1)])
@each("apart", [False, True])
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


# --- what all share --------------------------------------------------------------------------


@pytest.mark.parametrize("display", [NetworkDisplay, AdjacencyDisplay])
def test_a_directed_graph_is_drawn_as_it_was_fitted_without_another_notice(display):
    A = np.zeros((4, 4))
    A[0, 1] = A[2, 1] = A[2, 3] = 1.0
    drawn = display.from_labels(A, [0, 0, 1, 1], ax=axes())
    edges = drawn.n_edges if display is NetworkDisplay else drawn.counts.sum() // 2
    assert edges == 3
