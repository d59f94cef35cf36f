"""The pages of a clustering: panels, one order of the clusters, names, units and sizes."""

import io

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from plot_cases import blobs
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris

from helpers import each
from kgroups import KernelKGroups
from kgroups.answers.characteristic_words import Words
from kgroups.plots import (
    ClusterSizesDisplay,
    GramDisplay,
    ObjectiveHistoryDisplay,
    PartitionDisplay,
    ProfileDisplay,
    SeparationDisplay,
    overview,
    search_overview,
)

mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

IRIS = load_iris()


def test_overview_has_four_panels_and_leaves_pyplot_alone(iris, frame):
    before, opened = dict(mpl.rcParams), plt.get_fignums()
    figure = overview(iris, IRIS.data)
    figure.canvas.draw()
    assert plt.get_fignums() == opened
    assert dict(mpl.rcParams) == before
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert [t for t in titles if t] == ["Clusters", "Pairs by cluster", "Profile", "Separation"]
    assert figure.get_size_inches().tolist() == [11, 8.5]
    assert figure.get_suptitle() == "KernelKGroups: 3 clusters in 150 points, Energy(alpha=1.0)"
    assert overview(iris, IRIS.data, title="Irises").get_suptitle() == "Irises"


def panel(figure, title):
    (found,) = (ax for ax in figure.axes if ax.get_title(loc="left") == title)
    return found


def test_panels_of_the_overview_share_one_order_of_the_clusters():
    X = blobs(100, 5)
    figure = overview(KernelKGroups(5, random_state=0).fit(X), X)
    (strip,) = panel(figure, "Pairs by cluster").child_axes
    below = panel(figure, "Profile").child_axes[0]
    numbers = [
        [int(text.get_text()) for text in texts]
        for texts in (
            strip.get_yticklabels(),
            below.get_xticklabels(),
            panel(figure, "Separation").get_yticklabels(),
        )
    ]
    assert numbers[0] == numbers[1] == numbers[2] != sorted(numbers[0])


def test_sparse_rows_have_the_columns_that_each_cluster_has_more_of():
    X = csr_array([[2.0, 1, 0, 0], [4, 1, 0, 0], [0, 0, 1, 3], [0, 1, 0, 3]])
    model = KernelKGroups(2, metric="cosine", init=[0, 0, 1, 1]).fit(X)
    figure = overview(model, X, feature_names=["cat", "the", "of", "dog"])
    ax = panel(figure, "Characteristic columns")
    # cat: 3 of 1.5 in all rows; the: 1 of 0.75; dog: 3 of 1.5; of: 0.5 of 0.25.
    lines = [text.get_text() for text in ax.texts]
    assert dict(zip(lines[::2], lines[1::2], strict=True)) == {"0": "cat, the", "1": "dog, of"}
    same = overview(model, X, table=Words(X, ["cat", "the", "of", "dog"].__getitem__))
    assert [t.get_text() for t in panel(same, "Characteristic columns").texts] == lines
    assert panel(overview(model, X), "Cluster sizes").patches
    weighted = overview(model, X, feature_names=list("abcd"), sample_weight=[0, 1, 1, 1])
    # Without row 0, a is 4 of 4/3, b 1 of 2/3; d 3 of 2, c 1/2 of 1/3.
    lines = [text.get_text() for text in panel(weighted, "Characteristic columns").texts]
    assert dict(zip(lines[::2], lines[1::2], strict=True)) == {"0": "a, b", "1": "d, c"}


def test_the_page_of_the_search_has_sizes_and_the_history(iris):
    opened = plt.get_fignums()
    figure = search_overview(iris)
    figure.canvas.draw()
    assert plt.get_fignums() == opened
    titles = [ax.get_title(loc="left") for ax in figure.axes]
    assert titles == ["Cluster sizes", "Objective by pass"]
    title = figure.get_suptitle()
    assert title.startswith(f"Search: 12 starts, {iris.n_iter_} pass")
    assert title.endswith(" of the best, no row moves any more")
    stopped = clone(iris)
    stopped.__dict__.update(iris.__dict__)
    stopped.n_iter_, stopped.converged_ = 1, False
    stopped.start_histories_ = iris.start_histories_[:1]
    stopped.start_names_ = iris.start_names_[:1]
    words = search_overview(stopped).get_suptitle()
    assert words == "Search: 1 start, 1 pass of the best, stopped before no row moved"


@pytest.mark.parametrize("size", [10, 40])
def test_names_with_dollars_are_no_formulas(size):
    X = blobs(size, 2, d=2)
    names = [r"$\frac$ and $x_{$", "a$b$c"]
    table = pd.DataFrame({"$5$": [r"$\bad$", "$"] * (size // 2)})
    model = KernelKGroups(2, random_state=0).fit(X)
    figure = overview(model, X, feature_names=names, names=["$\\x$"] * size, table=table)
    figure.canvas.draw()
    assert panel(figure, "Clusters").get_xlabel().startswith(r"\$\frac\$ and \$x_{\$, ")
    assert panel(figure, "Profile").get_yticklabels()[0].get_text() == r"\$5\$"


@each("scale", [1e200, 1e-200])
@each("width", [1, 2, 3])
def test_numbers_whose_squares_overflow_are_drawn_as_others_are(scale, width):
    X = blobs(30, 2, d=width)
    large, usual = (KernelKGroups(2, random_state=0).fit(Y) for Y in (scale * X, X))
    figures = overview(large, scale * X), overview(usual, X)
    figures[0].canvas.draw()
    first, second = (panel(figure, "Clusters") for figure in figures)
    assert first.get_xlabel() == second.get_xlabel()
    np.testing.assert_allclose(
        first.collections[0].get_offsets()[:, 0] / scale, second.collections[0].get_offsets()[:, 0]
    )


@pytest.fixture(scope="module")
def fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3_000, 24))
    X[:, :3] += 8 * rng.normal(size=(30, 3))[np.arange(3_000) % 30]
    return KernelKGroups(30, n_init=1, random_state=0).fit(X), X


def svg(draw):
    figure, buffer = Figure(figsize=(6.4, 4.8), layout="constrained"), io.BytesIO()
    draw(figure.subplots())
    figure.savefig(buffer, format="svg")
    return buffer.getvalue().decode()


@each(
    "display",
    [PartitionDisplay, GramDisplay, ProfileDisplay, SeparationDisplay,
     ClusterSizesDisplay, ObjectiveHistoryDisplay],
)  # fmt: skip
def test_a_picture_of_many_rows_is_below_200_kb(display, fit):
    model, X = fit
    of_data = display not in (ClusterSizesDisplay, ObjectiveHistoryDisplay)
    text = svg(lambda ax: display.from_estimator(model, *([X] * of_data), ax=ax))
    assert len(text) < 200_000
    assert text.count("<path") < 2_000
