"""Fig. 1 and 2 and the draft's Fig. 1: two classes on a line."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import lognorm, norm

from helpers import each, slow
from kgroups.metrics import clustering_accuracy
from kgroups.semimetrics import Energy
from kgroups_papers.experiments.one_dimension import (
    DRAFT_FIG_1,
    FIG_1,
    FIG_2,
    draft_line,
    drawn,
    drawn_in_halves,
    exact,
    published_line,
    run,
    run_draft,
)
from kgroups_papers.figures.densities import normal, smoothed
from kgroups_papers.monte_carlo import reproduce
from kgroups_papers.recipes.methods import Kernel
from kgroups_papers.verdict import Verdict

SIZE = 200_000


def within(x, labels):
    """W by its definition, all pairs."""
    parts = [x[labels == label] for label in np.unique(labels)]
    return sum(np.abs(part[:, None] - part).sum() / (2 * len(part)) for part in parts)


def bayes(line):
    """The integral of the larger of the two halves of the density."""
    one, other = line.classes()
    larger = lambda x: float(np.maximum(one(np.array([x])), other(np.array([x])))[0])
    ends = [1e-9, 0.1, 1, 3, 6, 10, 50, 2000] if line.lognormal else [-9, -1, 0.5, 1.5, 3, 14]
    return sum(quad(larger, *piece, limit=200)[0] for piece in pairwise(ends))


@pytest.mark.parametrize("lognormal", [False, True])
def test_classes_are_those_of_the_papers(lognormal):
    """The second number is a deviation; both classes come with probability one half."""
    X, y = drawn(published_line(SIZE, lognormal=lognormal), np.random.default_rng(0))
    x = np.log(X[:, 0]) if lognormal else X[:, 0]
    assert abs(np.mean(y) - 0.5) < 4 * 0.5 / SIZE**0.5
    for label, mean, deviation in ((0, 0.0, 1.5), (1, 1.5, 0.3)):
        part = x[y == label]
        assert abs(part.mean() - mean) < 4 * deviation / len(part) ** 0.5
        assert abs(part.std() - deviation) < 4 * deviation / (2 * len(part)) ** 0.5


@each(
    ("line", "printed"),
    [
        (published_line(SIZE, lognormal=False), 0.88),
        (published_line(SIZE, lognormal=True), 0.88),
        (draft_line(SIZE, lognormal=True), 0.88),
        (draft_line(SIZE, lognormal=False), 0.955),
    ],
)
def test_bayes_accuracy(line, printed):
    """What [FRV-a] says of Fig. 1, from the density, and from the points that are drawn."""
    assert bayes(line) == pytest.approx(printed, abs=0.005)
    X, y = drawn(line, np.random.default_rng(1))
    one, other = (density(X[:, 0]) for density in line.classes())
    found = np.mean((other > one) == y)
    assert abs(found - bayes(line)) < 4 * 0.35 / SIZE**0.5


def test_as_variances_they_would_be_other_classes():
    """With √1.5 and √.3 Bayes accuracy is not what the papers print."""
    line = published_line(1, lognormal=False)._replace(deviations=(1.5**0.5, 0.3**0.5))
    assert abs(bayes(line) - 0.88) > 0.02


def test_the_draft_draws_halves():
    """Half of the points each; lognormal classes are those of [FRV] in the other order."""
    for lognormal in (False, True):
        X, y = drawn_in_halves(draft_line(50, lognormal=lognormal), np.random.default_rng(2))
        assert X.shape == (50, 1)
        assert np.bincount(y).tolist() == [25, 25]
    at = np.array([0.05, 0.2, 0.7, 1.1, 5.0])
    draft, published = draft_line(1, lognormal=True), published_line(1, lognormal=True)
    scaled = [np.exp(1.5) * density(np.exp(1.5) * at) for density in published.classes()]
    for ours, theirs in zip(draft.classes(), scaled[::-1], strict=True):
        np.testing.assert_allclose(ours(at), theirs)


def test_normal_and_lognormal_densities():
    at = np.array([-1.0, 0.0, 0.3, 1.0, 4.0])
    np.testing.assert_allclose(normal(0.5, 2.0, 0.25)(at), 0.25 * norm.pdf(at, 0.5, 2.0))
    np.testing.assert_allclose(
        normal(0.5, 2.0, log=True)(at), lognorm.pdf(at, 2.0, scale=np.exp(0.5))
    )


def test_smoothed_density():
    """By hand: the deviation √2 is below the quartiles' 2/1.34, until one point is far away."""
    points, at = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([-1.0, 0.5, 2.0])
    width = 0.9 * 2**0.5 * 5**-0.2
    by_hand = [0.5 * np.mean(norm.pdf(place, points, width)) for place in at]
    np.testing.assert_allclose(smoothed(points, 0.5)(at), by_hand)
    far = np.array([0.0, 1.0, 2.0, 3.0, 1000.0])
    narrow = 0.9 * (2 / 1.34) * 5**-0.2
    np.testing.assert_allclose(smoothed(far)(at), [norm.pdf(p, far, narrow).mean() for p in at])


@each("seed", range(4))
def test_the_exact_split_is_the_least_of_all_partitions(seed):
    line = published_line(9, lognormal=seed % 2 == 1)
    X, _ = drawn(line, np.random.default_rng(seed))
    x = X[:, 0]
    every = (np.array([0, *bits]) for bits in product([0, 1], repeat=8))
    least = min(within(x, labels) for labels in every if labels.any())
    assert within(x, exact(X)) == pytest.approx(least, rel=1e-12)


@pytest.mark.parametrize("lognormal", [False, True])
def test_starts_leave_lognormal_points_in_local_optima(lognormal):
    """From a center at the farthest point; W is never below the exact split's."""
    gaps = []
    for seed in range(8):
        X, _ = drawn(published_line(400, lognormal=lognormal), np.random.default_rng(seed))
        x = X[:, 0]
        far = (np.abs(x - x.max()) < np.abs(x - np.median(x))).astype(np.int64)
        reached = Kernel.of(X, Energy()).k_groups(2, [far])
        gaps.append(within(x, reached) / within(x, exact(X)) - 1)
    assert min(gaps) > -1e-12
    assert max(gaps) > 0.2 if lognormal else max(gaps) < 0.01


@each("experiment", [FIG_1, FIG_2, DRAFT_FIG_1], ids=lambda e: e.name)
def test_a_run_measures_every_method(experiment):
    parameters = experiment.cases[0].parameters._replace(n=40)
    scores = experiment.run(parameters, np.random.default_rng(3), None)
    assert set(scores) == {method.key for method in experiment.methods}
    again = experiment.run(parameters, np.random.default_rng(3), None)
    assert scores == again
    assert all(0.5 <= found["accuracy"] <= 1 for found in scores.values())


def test_all_methods_see_the_same_sample():
    """The exact split has no chance in it: its accuracy is that of the sample, drawn first."""
    for line, draw, go in (
        (published_line(60, lognormal=True), drawn, run),
        (draft_line(60, lognormal=True), drawn_in_halves, run_draft),
    ):
        X, y = draw(line, np.random.default_rng(4))
        expected = clustering_accuracy(y, exact(X))
        assert go(line, np.random.default_rng(4), None)["exact"]["accuracy"] == expected


def test_cases_are_those_of_the_published_curves():
    assert [case.x for case in FIG_1.cases] == 2 * list(range(10, 791, 20))
    for case in FIG_1.cases:
        assert case.key == f"{'lognormal' if case.parameters.lognormal else 'normal'} {case.x}"
        assert case.parameters.n == case.x
    assert [case.parameters.n for case in FIG_2.cases] == [2000, 2000]


@slow
def test_quick_fig1_agrees():
    """A few cases with few runs against the published curves."""
    outcome = reproduce(FIG_1, quick=True, n_jobs=1)
    rows = [row for row in outcome.rows() if row.published is not None and row.role.is_of_paper]
    assert len(rows) == 4 * 3
    assert all(row.verdict is Verdict.AGREES for row in rows)
    for case in outcome.cases:
        exact_split, defaults = (outcome.values[case.key, key, "accuracy"]
                                 for key in ("exact", "default"))  # fmt: skip
        assert np.mean(defaults) == pytest.approx(np.mean(exact_split), abs=0.01)
    made = FIG_1.draw(outcome)
    assert [ax.get_title(loc="left") for ax in made.axes] == [
        "Fig. 1a: normal",
        "Fig. 1b: lognormal",
    ]


@slow
def test_quick_fig2_agrees():
    """The published sample is within the spread of three of ours."""
    outcome = reproduce(replace(FIG_2, quick_runs=3), quick=True, n_jobs=1)
    rows = {(row.case, row.method): row for row in outcome.rows() if row.published is not None}
    for case, method in product(("normal", "lognormal"), ("kmeans", "gmm", "kgroups")):
        assert rows[case, method].verdict is Verdict.AGREES
    made = FIG_2.draw(outcome)
    assert len(made.axes) == 2
    assert all(len(ax.lines) == 6 for ax in made.axes)


@slow
def test_the_drafts_claim():
    """The exact split: far above both on lognormal points, close to both on normal ones."""
    few = replace(DRAFT_FIG_1, quick_cases=("normal 400", "lognormal 400"))
    outcome = reproduce(few, quick=True, n_jobs=1)
    found = {key[:2]: values.mean() for key, values in outcome.values.items()}
    for method in ("gmm", "kmeans"):
        assert found["lognormal 400", "exact"] > found["lognormal 400", method] + 0.2
        assert abs(found["normal 400", "exact"] - found["normal 400", method]) < 0.03
    assert found["normal 400", "gmm"] > found["normal 400", "exact"]
    assert len(DRAFT_FIG_1.draw(outcome).axes) == 2
