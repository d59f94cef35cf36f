"""The picture of docs/metrics.md: who wins, in which figures, and that it can be drawn."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from benchmarks.which_metric import CONTESTS, MARKERS, picture
from kgroups import KernelKGroups
from kgroups.plots.style import cluster_colors
from kgroups.semimetrics import GreatCircle, Manhattan
from pages import page

#: Two decimals as they stand in the picture, by what is drawn.
FIGURES = {
    "outliers": (1.0, 0.0),
    "heavy_tails": (0.9, 0.0),
    "columns": (1.0, 0.08),
    "directions": (1.0, 0.21),
    "places": (1.0, 0.24),
    "tables": (0.96, -0.01),
    "compositions": (1.0, -0.01),
    "rings": (1.0, 0.0),
    "distributions": (1.0, -0.02),
}


@pytest.fixture(scope="module")
def contests():
    return [make() for make in CONTESTS]


def test_the_figures_of_the_picture(contests):
    assert [make.__name__ for make in CONTESTS] == list(FIGURES)
    for contest, (best, other) in zip(contests, FIGURES.values(), strict=True):
        assert contest.agreements() == pytest.approx((best, other), abs=0.005), contest.title


def test_each_metric_wins_once_and_is_on_the_page(contests):
    winners = [contest.winner[0] for contest in contests]
    assert len(set(winners)) == len(winners) == 9
    text = page("metrics").partition("![Nine")[0]
    for name in winners:
        assert (name if " " in name else f"`{name}`") in text


def test_rivals_are_given_the_same_rows(contests):
    for contest in contests:
        assert len(contest.groups) == len(contest.winner[1]) == len(contest.rival[1])
        assert set(contest.groups.tolist()) == set(contest.winner[1].tolist())


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_metric_wins_on_other_draws_too(seed):
    """Two of the shapes, drawn here: not only the seed of the picture shows it."""
    rng, groups = np.random.default_rng(seed), np.repeat([0, 1], 40)
    X = groups[:, None] + rng.normal(0, 0.4, (80, 20))
    for row in X:
        row[rng.integers(20, size=2)] += rng.choice([-9.0, 9.0], size=2)
    places = np.array([[-17.0, 179.0], [-10.0, 150.0]])[groups] + rng.normal(0, 5, (80, 2))
    places[:, 1] = (places[:, 1] + 180) % 360 - 180
    for rows, metric in ((X, Manhattan()), (places, GreatCircle())):
        found = [KernelKGroups(2, metric=m, random_state=0).fit(rows) for m in (metric, "energy")]
        best, other = (adjusted_rand_score(groups, model.labels_) for model in found)
        assert best > 0.85 > 0.5 > other


def test_titles_have_the_figures_and_no_minus_before_zero(contests):
    axes = picture(contests).axes
    assert len(axes) == 9
    for ax, contest in zip(axes, contests, strict=True):
        assert ax.get_title().splitlines() == [contest.title, *contest.lines()]
        assert "-0.00" not in ax.get_title()


def test_groups_can_be_told_apart_in_gray():
    """Groups differ in their markers, and two of them in how dark their colors are."""
    assert len(set(MARKERS)) == 3
    dark, light = cluster_colors(2)[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert light - dark > 0.2
