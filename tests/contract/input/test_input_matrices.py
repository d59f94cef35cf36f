"""Matrices between points: what a fit takes them for, and what is wrong with them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import oracle
from helpers import warnings_of
from kgroups import KernelKGroups
from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import Energy, Semimetric, negative_type_violation
from kgroups.stats import within_dispersion

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(24, 3)) + 3 * np.eye(3)[np.arange(24) % 3], 2)


def fitted(rows=X, k=3, weights=None, **parameters):
    return KernelKGroups(k, random_state=0, **parameters).fit(rows, sample_weight=weights)


def test_a_kernel_has_its_own_origin():
    """The objective of similarities is Q of them, and new rows are ranked by all of it."""
    w = 1.0 + np.arange(24) % 2
    Y = X + np.array([20.0, 5.0, 0.0])
    K = Y @ Y.T
    rows = fitted(Y, metric="sqeuclidean", weights=w)
    for made in (np.asarray, sparse.csr_array):
        model = fitted(made(K), metric="precomputed_kernel", weights=w, init=rows.labels_)
        assert model.labels_.tolist() == rows.labels_.tolist()
        Q = oracle.objective(oracle.long(K), model.labels_, oracle.long(w), 3)
        assert model.objective_ == pytest.approx(float(Q), rel=1e-9)
        assert model.within_dispersion_ == pytest.approx(rows.within_dispersion_, rel=1e-9)
        new = Y[:7] + 0.25
        assert model.predict(made(new @ Y.T)).tolist() == rows.predict(new).tolist()
    given = fitted(Energy().pairwise(Y), metric="precomputed")
    points = fitted(Y, init=given.labels_)
    new = Energy().pairwise(Y[:7] + 0.25, Y)
    assert_allclose(given.transform(new), points.transform(Y[:7] + 0.25))


def flawed(n=300, i=280, j=290, size=0.0):
    """Distances with an error, relative to the largest of them, in one entry."""
    points = np.random.default_rng(1).normal(size=(n, 2)) + 6 * np.eye(2)[np.arange(n) % 2]
    rho = Energy().pairwise(points)
    rho[i, j] += size * rho.max()
    return rho


def test_errors_of_rounding_are_removed_and_others_are_not():
    rho = flawed()
    labels = fitted(rho, 2, metric="precomputed").labels_

    def spread(matrix, metric="precomputed"):
        return fitted(matrix, 2, metric=metric, init=labels).within_dispersion_

    W = within_dispersion(rho, labels, metric="precomputed")
    assert spread(rho) == W
    small, d = flawed(size=1e-6), 1e-6 * rho.max()
    where = labels == labels[280]
    pair = d * (labels[280] == labels[290]) / where.sum() / 2
    assert labels[280] == labels[290]
    with pytest.warns(UserWarning, match="rounding"):
        assert spread(small) - W == pytest.approx(pair, rel=1e-6)
    assert labels[10] == labels[280]
    with pytest.warns(UserWarning, match="rounding"):
        assert spread(flawed(i=10, size=1e-6, j=280)) - W == pytest.approx(pair, rel=1e-6)
    with pytest.warns(UserWarning, match="rounding"):
        assert spread(flawed(j=280, size=1e-6)) == pytest.approx(W, rel=1e-13)
    below = rho.copy()
    below[280, 290] = below[290, 280] = -1e-6 * rho.max()
    with pytest.warns(UserWarning, match="rounding"):
        found = spread(below)
    below[280, 290] = below[290, 280] = 0.0
    assert found == pytest.approx(spread(below), rel=1e-13)
    for j in (290, 280):
        with pytest.raises(ValueError, match="280"):
            spread(flawed(j=j, size=1e-4))
    below[280, 290] = below[290, 280] = -1e-4 * rho.max()
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        spread(below)
    K = 30 - rho / 2
    W = spread(K, "precomputed_kernel")
    K[280, 290] -= d
    apart = K.copy()
    apart[280, 290] -= 1000 * d
    for made in (np.asarray, sparse.csr_array):
        with pytest.warns(UserWarning, match="rounding"):
            found = spread(made(K), "precomputed_kernel")
        assert found - W == pytest.approx(2 * pair, rel=1e-4)  # of similarities, not of -ρ/2
        with pytest.raises(ValueError, match="280"):
            spread(made(apart), "precomputed_kernel")
    with pytest.raises(ValueError, match="largest"):
        spread(np.eye(300) * 1e304, "precomputed_kernel")


def test_matrices_go_by_the_names_of_their_rows_and_columns():
    rho = Energy().pairwise(X)
    names = [f"n{i}" for i in RNG.permutation(24)]
    frame = pd.DataFrame(rho, names, names)
    order = RNG.permutation(24)
    plain = fitted(rho, metric="precomputed")
    for mixed in (frame.iloc[:, order], frame.iloc[:, order[::-1]]):
        model = fitted(mixed, metric="precomputed")
        assert model.labels_.tolist() == plain.labels_.tolist()
        new = pd.DataFrame(rho[:5], columns=names)[list(mixed)[::-1]]
        assert model.predict(new).tolist() == plain.labels_[:5].tolist()
    # The columns only count, and the rows say where the points come from.
    model = fitted(pd.DataFrame(rho, order, range(24)), metric="precomputed")
    assert model.labels_.tolist() == plain.labels_.tolist()
    one = pd.DataFrame(rho, order, order)
    model = fitted(one[sorted(order)], metric="precomputed")
    assert model.labels_.tolist() == plain.labels_.tolist()


def test_how_far_a_metric_is_from_negative_type():
    points = np.random.default_rng(3).normal(size=(40, 5))

    def metric(x, y):
        return float(np.abs(x - y).max() ** 2)

    with pytest.warns(TheoryWarning):
        model = fitted(points, metric=metric)
    rho = (np.abs(points[:, None] - points).max(axis=2)) ** 2
    centered = rho - rho.mean(axis=0) - rho.mean(axis=1)[:, None] + rho.mean()
    values = np.linalg.eigvalsh(-centered / 2)
    assert model.negative_type_violation_ == pytest.approx(-values[0] / values[-1], rel=1e-9)
    assert negative_type_violation(rho) == pytest.approx(-values[0] / values[-1], rel=1e-9)
    assert warnings_of(lambda: fitted(points, metric=lambda x, y: float(abs(x - y).sum()))) == set()
    with pytest.warns(TheoryWarning), pytest.raises(ValueError, match="negative type"):
        fitted(points, metric=metric, method="nystroem")


@dataclass
class OfYourOwn(Semimetric):
    """Squared distances of NumPy, with something added."""

    more: Callable = np.zeros_like

    def pairwise(self, X, Y=None):
        rho = ((X[:, None] - (X if Y is None else Y)) ** 2).sum(axis=2)
        return rho + self.more(rho)


def test_a_semimetric_of_your_own_is_checked():
    model = fitted(metric=OfYourOwn())
    spread = fitted(metric="sqeuclidean", init=model.labels_).within_dispersion_
    assert model.within_dispersion_ == pytest.approx(spread, rel=1e-12)
    large = fitted((X * 1e25).astype(np.float32), metric=OfYourOwn(), init=model.labels_)
    assert large.within_dispersion_ == pytest.approx(spread * 1e50, rel=1e-6)
    wrong = {
        "symmetric": lambda rho: np.triu(rho) / 10,
        "itself": lambda rho: np.eye(len(rho)),
        "not negative": lambda rho: -2 * rho,
    }
    for word, more in wrong.items():
        with pytest.raises(ValueError, match=word):
            fitted(metric=OfYourOwn(more))
