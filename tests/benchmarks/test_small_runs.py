"""Benchmarks at small sizes: what they draw, and that their figures come out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from benchmarks import gaps
from benchmarks.cpu_targets import differences, main
from benchmarks.frozen.outcome import Outcome
from benchmarks.which_metric import CONTESTS
from helpers import slow
from kgroups import KernelKGroups
from kgroups.semimetrics import GreatCircle, Manhattan


@slow
def test_target_of_the_day_agrees():
    assert main(["--in-turn", "--fits", "2"]) == 0


def test_other_partition_and_other_number_are_told():
    here = {"a": Outcome({"W": 1.0}, "001"), "b": Outcome({"W": 1.0}, "001")}
    there = {"a": Outcome({"W": 1.0}, "011"), "b": Outcome({"W": 1.0 + 1e-11}, "001")}
    found = differences(here, there)
    assert "a: another partition" in found[0]
    assert "b: W by 1e-11" in found[1]
    assert not differences(here, here)


NAN = float("nan")


def test_by_hand():
    table = pd.DataFrame(
        {
            "x": [1.0, NAN, 3.0, 9.0],
            "grade": pd.Categorical(["a", "b", None, "b"], ordered=True),
            "town": pd.Series(["Ulm", None, "Ulm", "Bonn"], dtype=object),
            "sea": pd.Series(["A", "B", "C", None], dtype=object),
        }
    )
    made = gaps.by_hand(table)
    assert made.shape == (4, 6)  # one column for two towns, three for three seas
    expected = [[1, 0, 1, 1, 0, 0], [3, 1, 1, 0, 1, 0], [3, 1, 1, 0, 0, 1], [9, 1, 0, 1, 0, 0]]
    standard = np.array(expected, float)
    np.testing.assert_allclose(made, (standard - standard.mean(0)) / standard.std(0))


def test_removed_entries_are_a_fifth_and_the_same_for_a_seed():
    table = pd.DataFrame({"x": np.arange(4000.0), "b": np.arange(4000) % 2 == 0})
    once, again = gaps.with_gaps(table, 3), gaps.with_gaps(table, 3)
    pd.testing.assert_frame_equal(once, again)
    assert once.isna().to_numpy().mean() == pytest.approx(gaps.REMOVED, abs=0.02)


def test_sets_made_mixed_have_all_kinds():
    columns = {name: np.random.default_rng(0).normal(size=30) for name in "abcd"}
    made = gaps.made_mixed(pd.DataFrame({**columns, "flag": np.arange(30) % 2}))
    kinds = [dtype.name for dtype in made.dtypes]
    assert kinds == ["float64", "category", "object", "float64", "float64"]
    assert set(made["c"]) == {"low", "middle", "high"}


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
