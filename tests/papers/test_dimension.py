"""Fig. 3a, b and the draft's Fig. 2: dimensions without signal."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from helpers import each, slow
from kgroups_papers.experiments.dimension import (
    DRAFT_FIG_2,
    FIG_3A,
    FIG_3B,
    compare_in_draft,
    in_halves,
    shifted,
    with_other_variances,
)
from kgroups_papers.monte_carlo import reproduce
from kgroups_papers.role import Role
from kgroups_papers.verdict import tolerance

# Eq. (57).
SIGMA = np.array([1.367, 3.175, 3.247, 4.403, 1.249, 1.969, 4.035, 4.237, 2.813, 3.637])

# How the second class is drawn, its mean and its variances in the first ten dimensions.
LAWS = {
    "fig3a": (shifted, 0.7, np.ones(10)),
    "fig3b": (with_other_variances, 1.0, SIGMA),
    "draft a": (lambda D, rng: in_halves(D, rng, equal=True), 0.7, np.ones(10)),
    "draft b": (lambda D, rng: in_halves(D, rng, equal=False), 0.7, np.full(10, 0.5)),
}


def many(draw, D, count=100):
    """Points of many samples."""
    rng = np.random.default_rng(0)
    samples = [draw(D, rng) for _ in range(count)]
    return np.concatenate([s.X for s in samples]), np.concatenate([s.y for s in samples])


@each("name", LAWS)
def test_classes_are_those_of_the_papers(name):
    draw, signal, variances = LAWS[name]
    X, y = many(draw, 13)
    assert len(X) == 100 * 200
    share = 0 if name.startswith("draft") else 4 * 0.5 / len(X) ** 0.5
    assert abs(y.mean() - 0.5) <= share
    laws = (
        (np.zeros(13), np.ones(13)),
        (
            np.repeat([signal, 0.0], [10, 3]),
            np.append(variances, np.ones(3)),
        ),
    )
    for label, (mean, variance) in enumerate(laws):
        part = X[y == label]
        n = len(part)
        # 4.5 standard errors: 13 means and 91 entries of each covariance matrix.
        assert np.all(np.abs(part.mean(axis=0) - mean) < 4.5 * np.sqrt(variance / n))
        products = np.outer(variance, variance)
        errors = np.sqrt((products + np.diag(variance**2)) / n)
        assert np.all(np.abs(np.cov(part.T) - np.diag(variance)) < 4.5 * errors)


@each(
    ("name", "printed"), [("fig3a", 0.866), ("fig3b", 0.95), ("draft a", 0.866), ("draft b", 0.933)]
)
def test_bayes_accuracy(name, printed):
    """From densities: the papers' "≈ .86" and "≈ .95"; it does not depend on the dimension."""
    draw, signal, variances = LAWS[name]
    first = multivariate_normal(np.zeros(10), np.eye(10))
    second = multivariate_normal(np.full(10, signal), np.diag(variances))
    for D in (10, 25):
        X, y = many(draw, D)
        found = np.mean((second.logpdf(X[:, :10]) > first.logpdf(X[:, :10])) == y)
        assert abs(found - printed) < 0.0049 + 4 * 0.35 / len(X) ** 0.5


def test_bayes_accuracy_of_equal_covariances():
    """Half the distance of the means, as a normal quantile."""
    assert norm.cdf(0.7 * 10**0.5 / 2) == pytest.approx(0.866, abs=5e-4)


@each("experiment", [FIG_3A, FIG_3B, DRAFT_FIG_2], ids=lambda e: e.name)
def test_a_run_measures_every_method(experiment):
    parameters = experiment.cases[0].parameters
    scores = experiment.run(parameters, np.random.default_rng(1), None)
    assert set(scores) == {method.key for method in experiment.methods}
    assert scores == experiment.run(parameters, np.random.default_rng(1), None)
    assert all(0.5 <= found["accuracy"] <= 1 for found in scores.values())


def test_cases_are_those_of_the_published_curves():
    assert [case.parameters for case in FIG_3A.cases] == list(range(10, 201, 10))
    assert [case.parameters for case in FIG_3B.cases] == list(range(10, 711, 25))
    for experiment in (FIG_3A, FIG_3B):
        assert all(case.key == str(case.x) == str(case.parameters) for case in experiment.cases)


def test_classes_far_apart_are_found():
    """One sample of wide separation: every method of the draft finds both classes."""
    rng = np.random.default_rng(2)
    X, y = in_halves(12, rng, equal=False)
    X[y == 1, :10] += 5.0
    scores = compare_in_draft((X, y), rng)
    assert {key: found["accuracy"] for key, found in scores.items()} == dict.fromkeys(scores, 1.0)


@slow
@pytest.mark.parametrize(
    ("experiment", "cases"), [(FIG_3A, ("10", "100")), (FIG_3B, ("10", "210"))]
)
def test_few_runs_agree(experiment, cases):
    """Methods of the paper agree; of the corrected ones and of others nothing was published."""
    few = replace(experiment, quick_cases=cases, quick_runs=12)
    outcome = reproduce(few, quick=True, n_jobs=1)
    judged = [row for row in outcome.rows() if row.verdict is not None]
    assert {row.method for row in judged} == {
        method.key
        for method in experiment.methods
        if method.role not in (Role.CORRECTED, Role.BEYOND)
    }
    # The defaults are held as the others are: by one error they would fail once in six.
    assert all(abs(row.in_errors) <= tolerance(row.runs) for row in judged)
    made = experiment.draw(outcome)
    assert made.axes[0].get_xlabel() == "dimension D"
    assert len(made.axes[0].get_legend().get_texts()) == len(experiment.methods)


@slow
def test_the_drafts_claim():
    """Slightly better than the others where dimensions are as many as points of a class."""
    few = replace(DRAFT_FIG_2, quick_cases=("equal 100", "unequal 10"), quick_runs=8)
    outcome = reproduce(few, quick=True, n_jobs=1)
    found = {key[1]: v.mean() for key, v in outcome.values.items() if key[0] == "equal 100"}
    assert all(found["kgroups"] > found[other] for other in ("kmeans", "gmm", "kkmeans"))
    assert found["gmm"] < 0.65
    assert len(DRAFT_FIG_2.draw(outcome).axes) == 2
