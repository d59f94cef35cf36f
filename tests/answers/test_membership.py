"""Probabilities of clusters: sums, the nearest first, and the true posterior of Gaussians."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import logsumexp

from helpers import each
from kgroups import KernelKGroups
from kgroups.answers.membership import (
    FitSample,
    entropies,
    probabilities,
    reassigned,
    temperature_of,
    usual_rows,
)
from kgroups.semimetrics import Energy


def gaussians(rng, n, centers):
    """Rows around centers with unit variance, and the true probability of each center."""
    centers = np.asarray(centers, float)
    X = centers[rng.integers(len(centers), size=n)] + rng.normal(size=(n, centers.shape[1]))
    logarithms = -0.5 * ((X[:, None] - centers) ** 2).sum(axis=2)
    return X, np.exp(logarithms - logsumexp(logarithms, axis=1, keepdims=True))


CENTERS = {
    "line": [[0.0], [2.5]],
    "plane": [[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]],
    "space": np.vstack([np.zeros(10), 1.2 * np.eye(10)[:3] * 2]),
}


def test_more_rows_do_not_make_labels_certain():
    """Halves of many rows agree, but rows near the border stay as uncertain as they were."""
    rng = np.random.default_rng(3)
    X, posterior = gaussians(rng, 20_000, CENTERS["line"])
    found = KernelKGroups(2, random_state=0).fit(X).predict_proba(X)
    assert found.max(axis=1).mean() == pytest.approx(posterior.max(axis=1).mean(), abs=0.05)


@pytest.mark.parametrize("values", [2, 3])
def test_labels_of_random_categories_are_as_uncertain_as_those_of_halves(values):
    """Two models of halves agree on little more than half of the rows."""
    sure, same = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, values, (300, 6))
        model = KernelKGroups(2, metric="hamming", random_state=0)
        sure.append(model.fit(X).predict_proba(X).max(axis=1).mean())
        one, two = (model.fit(half).predict(X) for half in (X[:150], X[150:]))
        same.append(max(np.mean(one == two), np.mean(one != two)))
    assert np.mean(sure) < np.mean(same) + 0.15
    assert np.max(sure) < 0.85


def test_clusters_that_are_apart_stay_certain():
    """Also many of them, and of categories."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(15), 30)
    X = 9.0 * np.column_stack([codes % 4, codes // 4]) + rng.normal(size=(450, 2))
    assert KernelKGroups(15, random_state=0).fit(X).predict_proba(X).max(axis=1).mean() > 0.99
    H = np.where(rng.random((450, 8)) < 0.9, codes[:, None] % 3, rng.integers(0, 3, (450, 8)))
    model = KernelKGroups(3, metric="hamming", random_state=0).fit(H)
    assert model.predict_proba(H).max(axis=1).mean() > 0.99


def test_reassignment_never_uses_the_row_itself():
    rng = np.random.default_rng(0)
    X, _ = gaussians(rng, 40, CENTERS["line"])
    labels = (X[:, 0] > 1.25).astype(int)
    lengths = (X - X.T) ** 2
    sample = FitSample(
        np.arange(40), labels, np.ones(40), np.column_stack([X**2, (X - 2) ** 2]),
        np.sqrt(lengths), lengths
    )  # fmt: skip
    halves = reassigned(sample, np.ones(40, bool))
    found = halves.mean(axis=0)
    assert_allclose(found.sum(axis=1), 1.0)
    assert (found.argmax(axis=1) == labels).mean() > 0.9
    assert 0 < entropies(found).mean() < np.log(2)
    others = [entropies(np.delete(halves, split, axis=0).mean(axis=0)) for split in range(5)]
    jackknife = 5 * entropies(found) - 4 * np.mean(others, axis=0)
    assert entropies(probabilities(sample.squared, temperature_of(sample))).mean() == pytest.approx(
        jackknife.mean(), rel=1e-6
    )


def test_few_rows_and_one_cluster():
    assert KernelKGroups(1, random_state=0).fit([[0.0], [1.0]]).temperature_ == 1.0
    model = KernelKGroups(2, random_state=0).fit([[0.0], [1.0]])
    assert model.predict_proba([[0.1]]).max() > 0.999
    alike = KernelKGroups(2, random_state=0).fit([[0.0]] * 20 + [[1.0]] * 20)
    assert_allclose(alike.predict_proba([[0.0], [1.0]]).max(axis=1), 1.0, atol=1e-6)


@each("size", [1e-170, 1e-20, 1e153, 1e300])
def test_no_unit_of_length_is_too_small_or_too_large(size):
    X, _ = gaussians(np.random.default_rng(0), 60, CENTERS["line"])
    usual = KernelKGroups(2, random_state=0).fit(X)
    model = KernelKGroups(2, random_state=0).fit(X * size)
    assert_allclose(model.predict_proba(X * size), usual.predict_proba(X), rtol=1e-4)
    assert model.temperature_ / size == pytest.approx(usual.temperature_, rel=1e-4)
    rho = Energy().pairwise(X)
    one = KernelKGroups(2, metric="precomputed", random_state=0).fit(rho)
    given = KernelKGroups(2, metric="precomputed", random_state=0).fit(rho * size)
    assert_allclose(given.predict_proba(rho * size), one.predict_proba(rho), rtol=1e-4)


def test_labels_that_are_not_of_the_nearest_centroid_are_told():
    """With an indefinite matrix a row may be better off elsewhere."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 30))
    model = KernelKGroups(4, metric="precomputed_kernel", random_state=0).fit(A + A.T)
    elsewhere = (model.predict(A + A.T) != model.labels_).sum()
    assert elsewhere > 0
    with pytest.warns(RuntimeWarning, match=f"{elsewhere} of 30 rows .* nearest centroid"):
        model.predict_proba(A + A.T)


def with_outliers(X, rng, share, distance, where):
    """Further rows: on a sphere, on both sides of all others, or together."""
    m, D = max(1, round(share * len(X))), X.shape[1]
    directions = rng.normal(size=(m, D))
    if where == "two sides":
        directions = np.sign(directions[:, :1]) * np.ones((m, D))
    elif where == "together":
        directions = np.ones((m, D)) + 0.5 * directions / distance
    lengths = 1.0 if where == "together" else np.linalg.norm(directions, axis=1)[:, None]
    return np.concatenate([X, distance * directions / lengths])


@each(
    ("metric", "D"),
    [("energy", 2), ("energy", 10), ("sqeuclidean", 2), ("sqeuclidean", 10), ("gaussian", 2)],
)
def test_outliers_do_not_make_other_rows_uncertain(metric, D):
    """Whether they are in the clusters of the others, or have clusters of their own."""
    changes = []
    for seed, where in enumerate(["sphere", "two sides", "together"]):
        rng = np.random.default_rng(seed)
        X, posterior = gaussians(rng, 300, 4.0 * np.eye(D)[:2] - 2.0)
        labels = posterior.argmax(axis=1)
        clean = KernelKGroups(2, metric=metric, init=labels).fit(X)
        usual = clean.predict_proba(X).max(axis=1).mean()
        for share, distance in ((0.003, 1_000.0), (0.05, 30.0), (0.05, 1_000.0)):
            Z = with_outliers(X, rng, share, distance, where)
            for own in (0, 1):  # clusters of theirs
                given = np.append(clean.labels_, np.full(len(Z) - 300, own * 2))
                model = KernelKGroups(2 + own, metric=metric, init=given).fit(Z)
                if np.mean(model.labels_[:300] == clean.labels_) > 0.99:
                    found = model.predict_proba(Z)[:300].max(axis=1).mean()
                    changes.append(found - usual)
    assert len(changes) >= 8
    assert np.abs(changes).max() < 0.03


def test_an_outlier_is_far_from_the_middle_and_a_small_cluster_may_be_one():
    """By hand: on a line with an even spread no row is far, and two rows elsewhere are."""
    x = np.append(np.linspace(-1, 1, 41), [60.0, 61.0])
    for labels in (np.repeat([0, 1, 1], [20, 21, 2]), np.repeat([0, 1, 2], [20, 21, 2])):
        squared = (x[:, None] - [-0.5, 0.5, 60.5]) ** 2
        apart = np.abs(x[:, None] - x)
        sample = FitSample(np.arange(43), labels, np.ones(43), squared, apart, apart**2)
        assert usual_rows(sample).tolist() == [True] * 41 + [False] * 2
    apart = 1.0 - np.eye(6)
    alike = FitSample(np.arange(6), np.zeros(6, int), np.ones(6), np.ones((6, 2)), apart, apart)
    assert usual_rows(alike).all()


def three_groups():
    """Twenty rows about each of three places."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(8.0 * j, 1, (20, 2)) for j in range(3)])


@pytest.mark.parametrize("case", ["one row each", "a row far away"])
def test_clusters_without_spread_overflow_nothing(case):
    """Warnings are errors here: of whitened rows some clusters may have no variance at all."""
    X = three_groups()
    if case == "one row each":
        X = X[:50:10]
    else:
        X[0] = 1e9
    model = KernelKGroups(5 if case == "one row each" else 3, random_state=0).fit(X)
    found = model.predict_proba(X)
    assert np.isfinite(model.temperature_)
    assert_allclose(found.sum(axis=1), 1.0)
