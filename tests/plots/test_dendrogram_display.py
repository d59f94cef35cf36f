"""What the dendrogram draws: every merge at its height, in the color of its cluster."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from plot_cases import axes

from kgroups import EnergyAgglomerative
from kgroups.plots import DendrogramDisplay
from kgroups.plots.style import cluster_colors

mpl.use("Agg")

X = np.array([[0.0], [1.0], [10.0], [12.0]])  # heights 1, 2, 19.5
GRAY = to_rgba("#999999")


def draw(model, **how):
    display = DendrogramDisplay.from_estimator(model, ax=axes(), **how)
    display.figure_.canvas.draw()
    return display


def words(display):
    return [text.get_text() for text in display.ax_.get_xticklabels()]


def test_every_merge_stands_at_its_height_in_the_color_of_its_cluster():
    display = draw(EnergyAgglomerative(2).fit(X))
    tops = {round(path.vertices[:, 1].max(), 9) for path in display.links_.get_paths()}
    assert tops == {1.0, 2.0, 19.5}
    colors = cluster_colors(2)
    for path, color in zip(display.links_.get_paths(), display.links_.get_colors(), strict=True):
        top = path.vertices[:, 1].max()
        expected = {1.0: colors[0], 2.0: colors[1]}.get(round(top, 9), GRAY)
        np.testing.assert_allclose(color, expected)
    assert display.cut_line_.get_ydata()[0] == pytest.approx((2 + 19.5) / 2)
    assert words(display) == ["0", "1", "2", "3"]
    assert display.ax_.get_title(loc="left") == "Merges"
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == ["0 (2)", "1 (2)"]


def test_branches_stand_for_many_points():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(150, 2)), 9 + rng.normal(size=(50, 2))])
    model = EnergyAgglomerative(2).fit(points)
    display = draw(model, max_leaves=12)
    assert display.ax_.get_title(loc="left") == "Last 11 of 199 merges"
    shown = words(display)
    assert len(shown) == 12
    assert sum(int(w.strip("()")) if w.startswith("(") else 1 for w in shown) == 200
    tops = sorted(path.vertices[:, 1].max() for path in display.links_.get_paths())
    np.testing.assert_allclose(tops, model.distances_[-11:])
    for cluster, size in enumerate((150, 50)):
        own = [w for w, c in zip(shown, display.leaf_clusters, strict=True) if c == cluster]
        assert sum(int(w.strip("()")) if w.startswith("(") else 1 for w in own) == size


def test_a_leaf_of_several_clusters_is_gray():
    rng = np.random.default_rng(1)
    display = draw(EnergyAgglomerative(30).fit(rng.normal(size=(60, 2))), max_leaves=5)
    assert (display.leaf_clusters == -1).any()
    np.testing.assert_allclose(display.links_.get_colors(), [GRAY] * 4)


def test_the_cut_is_the_threshold():
    model = EnergyAgglomerative(None, distance_threshold=5.0).fit(X)
    assert draw(model).cut_line_.get_ydata()[0] == 5.0
    assert draw(EnergyAgglomerative(1).fit(X)).cut_line_ is None
    everyone = draw(EnergyAgglomerative(4).fit(X))
    assert everyone.cut_line_.get_ydata()[0] == 0.5


def test_equal_points_and_two_points():
    assert len(draw(EnergyAgglomerative(2).fit(np.zeros((5, 2)))).places) == 4
    assert len(draw(EnergyAgglomerative(2).fit([[0.0], [1.0]])).places) == 1
