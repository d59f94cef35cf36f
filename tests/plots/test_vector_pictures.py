"""Pictures within a page of HTML: each is an SVG below 200 kB, however many points it has."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure

from helpers import each
from kgroups import KernelKGroups
from kgroups.plots import (
    ClusterSizesDisplay,
    GramDisplay,
    ObjectiveHistoryDisplay,
    PartitionDisplay,
    ProfileDisplay,
    SeparationDisplay,
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


def test_as_many_points_as_are_drawn_one_by_one():
    rng = np.random.default_rng(0)
    points = PartitionDisplay(
        coordinates=rng.normal(size=(800, 2)), labels=np.arange(800) % 12,
        sizes=np.bincount(np.arange(800) % 12), axis_labels=("x", "y"),
    )  # fmt: skip
    text = svg(points.plot)
    assert text.count("<use") > 800
    assert len(text) < 200_000


def test_a_matrix_of_evenly_scattered_points_which_no_compression_makes_small():
    X = np.random.default_rng(0).uniform(size=(1_000, 5))
    model = KernelKGroups(3, n_init=1, random_state=0).fit(X)
    assert len(svg(lambda ax: GramDisplay.from_estimator(model, X, ax=ax))) < 200_000
