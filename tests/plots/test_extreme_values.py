"""A few extreme values take neither the scale of colors nor the frame, and are told of."""

import numpy as np
import pytest
from plot_cases import axes

from helpers import each
from kgroups import KernelKGroups
from kgroups.plots import GramDisplay, PartitionDisplay
from kgroups.plots._extremes import color_scale, far_outside, frame_bulk
from kgroups.plots.style import cluster_colors


def with_far_points(n=200, far=3, seed=0):
    """Two groups of rows, and some a thousand times as far away."""
    rng = np.random.default_rng(seed)
    near = rng.normal(size=(n, 2)) + 8.0 * (np.arange(n) % 2)[:, None]
    angles = np.linspace(0.3, 5.5, far)
    return np.vstack([near, 5_000 * np.column_stack([np.cos(angles), np.sin(angles)])])


@each(("n_large", "share"), [(0, None), (5, 0.99), (15, 0.98), (40, 0.95), (90, 0.9), (150, None)])
def test_a_scale_ends_at_the_largest_quantile_without_the_extreme_values(n_large, share):
    values = np.linspace(0.0, 1.0, 1_000)
    values[1_000 - n_large :] = 50.0
    scale = color_scale(values)
    assert scale.low == 0.0
    if share is None:
        assert (scale.high, scale.words, scale.extend) == (values.max(), "", "neither")
    else:
        assert scale.high == np.quantile(values, share, method="lower")
        assert scale.words == f"clipped at {share:.0%}, largest 50"
        assert scale.extend == "max"


def test_both_ends_of_similarities_may_be_clipped_and_only_one_of_distances():
    values = np.linspace(-1.0, 1.0, 1_000)
    values[:4], values[-4:] = -300.0, 400.0
    scale = color_scale(values, both_ends=True)
    assert (scale.low, scale.high) == pytest.approx([values[10], values[989]], abs=2e-3)
    assert scale.words == "clipped at 99%, largest 400\nclipped at 1%, smallest -300"
    assert scale.extend == "both"
    values[-4:] = 1.0
    assert color_scale(values, both_ends=True).extend == "min"
    assert color_scale(values).words == ""
    assert color_scale(np.zeros(9))[:2] == (0.0, 0.0)
    # Nearly all values are equal: a quantile would leave no scale at all.
    assert color_scale(np.r_[np.zeros(99), 7.0])[:2] == (0.0, 7.0)


def test_the_picture_of_the_matrix_says_where_its_colors_end():
    X = with_far_points()
    display = GramDisplay.from_estimator(KernelKGroups(3, random_state=0).fit(X), X, ax=axes())
    low, high = display.image_.get_clim()
    assert low == 0
    assert high == np.quantile(display.matrix, 0.95, method="lower")
    (words,) = [a.get_ylabel() for a in display.figure_.axes if a is not display.ax_]
    assert words == f"distance ρ\nclipped at 95%, largest {display.matrix.max():,.0f}"


def test_points_far_outside_are_those_few_that_take_the_frame():
    X = with_far_points()
    assert np.flatnonzero(far_outside(X)).tolist() == [200, 201, 202]
    assert not far_outside(X[:200]).any()
    # 6 of 206 are more than 2% and more than three: a group of its own, which stays in the picture.
    assert not far_outside(with_far_points(far=6)).any()
    assert far_outside(with_far_points(n=2_000, far=6)).sum() == 6
    # One of nine points is more than a tenth of them.
    assert not far_outside(with_far_points(n=8, far=1)).any()
    assert not far_outside(np.zeros((40, 2))).any()


def test_the_frame_holds_the_bulk_and_the_edge_has_a_mark_for_each_point_outside():
    X = with_far_points()
    model = KernelKGroups(3, random_state=0).fit(X)
    display = PartitionDisplay.from_estimator(model, X, ax=axes())
    inside = display.coordinates[~display.outside_]
    assert display.outside_.sum() == 3
    for axis, limits in enumerate((display.ax_.get_xlim(), display.ax_.get_ylim())):
        low, high = inside[:, axis].min(), inside[:, axis].max()
        assert limits == pytest.approx((low - 0.06 * (high - low), high + 0.06 * (high - low)))
    marks = display.ax_.collections[1]
    assert [text.get_text() for text in display.ax_.texts] == [
        "3 points outside, marked at the edge"
    ]
    np.testing.assert_allclose(
        marks.get_edgecolors(), cluster_colors(3)[display.labels[display.outside_]]
    )
    low, high = np.transpose([display.ax_.get_xlim(), display.ax_.get_ylim()])
    middle, half = (low + high) / 2, (high - low) / 2
    at = (np.asarray(marks.get_offsets()) - middle) / half
    np.testing.assert_allclose(np.abs(at).max(axis=1), 1.0)
    toward = (display.coordinates[display.outside_] - middle) / half
    cross = at[:, 0] * toward[:, 1] - at[:, 1] * toward[:, 0]
    np.testing.assert_allclose(cross, 0, atol=1e-9 * np.abs(toward).max())


def test_one_point_outside_is_one_point_and_an_even_bulk_has_a_frame():
    X = np.column_stack([np.arange(60.0), np.ones(60)])
    X[-1] = [9_000.0, 1.0]
    display = PartitionDisplay.from_estimator(KernelKGroups(2, random_state=0).fit(X), X, ax=axes())
    assert [t.get_text() for t in display.ax_.texts] == ["1 point outside, marked at the edge"]
    low, high = display.ax_.get_ylim()
    assert low < 1 < high


def test_without_points_outside_the_frame_stays():
    ax = axes()
    ax.set(xlim=(0, 5), ylim=(0, 7))
    assert not frame_bulk(ax, np.random.default_rng(0).random((50, 2))).any()
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 5), (0, 7))
