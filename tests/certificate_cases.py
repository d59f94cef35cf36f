"""Problems for proofs, exact numbers to hold against them, and every interval of a proof."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kgroups.certificate.certified import form_of
from kgroups.certificate.first_look import FirstLook, look_at_all
from kgroups.certificate.ladder import Open, Scene, look_at_members
from kgroups.certificate.proof_search import Search
from kgroups.runtime.threads import Threads
from kgroups.semimetrics import ColumnSum, Energy, Gaussian, Laplacian
from kgroups.semimetrics.all_pairs import Points
from kgroups.semimetrics.semimetric import Semimetric

ROWS = 1000


class Case(NamedTuple):
    """A problem, and labels where a search may begin."""

    X: np.ndarray
    metric: Semimetric
    weights: np.ndarray
    labels: np.ndarray
    k: int

    def points(self) -> Points:
        return Points.of(self.metric.resolve(self.X).terms(self.X))

    def search(self, n_landmarks: int = 40, **options) -> Search:
        points = self.points()
        form = form_of(points, self.weights, n_landmarks, 0)
        how = (points, form, self.weights, self.labels, self.k, 1e-12, Threads(1))
        return Search(*how, **options)


def random_case(seed: int, n: int, k: int, dtype: type | None = None) -> Case:
    """Overlapping groups, of which noise, metric, weights and type are drawn."""
    rng = np.random.default_rng([seed, n, k])
    D = int(rng.choice([1, 2, 4, 16, 40]))
    centers = rng.uniform(0.3, 2.0) * rng.normal(size=(k, D))
    truth = rng.choice(k, size=n, p=rng.dirichlet(np.full(k, 2.0)))
    noise = (rng.normal, rng.standard_cauchy, rng.exponential)[rng.choice(3, p=[0.6, 0.2, 0.2])]
    X = centers[truth] + noise(size=(n, D))
    X += rng.choice([0.0, 1e4])
    X = X.astype(dtype or rng.choice([np.float32, np.float64]))
    half = [f"x{d}" for d in range(D)][: D // 2]
    metrics = [Energy(1.0), Energy(0.5), Energy(1.5), Energy(1.2), Laplacian(), Gaussian("median")]
    if D > 1:
        metrics.append(
            ColumnSum([(Energy(1.0), slice(0, len(half))), (Energy(0.5), slice(len(half), D))])
        )
    metric = metrics[rng.integers(len(metrics))]
    weights = (
        np.ones(n),
        rng.uniform(0.1, 3.0, n),
        rng.integers(0, 3, n).astype(float),
        10.0 ** rng.uniform(-6, 0, n),
    )[rng.integers(4)]
    weights[rng.permutation(n)[:k]] = 1.0
    labels = truth.copy()
    some = rng.random(n) < 0.1
    labels[some] = rng.integers(k, size=some.sum())
    labels[np.flatnonzero(weights == 1.0)[:k]] = np.arange(k)
    return Case(X, metric, weights, labels, k)


def sums_by_cluster(case: Case, labels: np.ndarray) -> np.ndarray:
    """Σ w ρ(x, y) over each cluster, from all distances in float64; shape (n, k)."""
    metric, X = case.metric.resolve(case.X), case.X.astype(np.float64)
    weights = np.zeros((len(X), case.k))
    weights[np.arange(len(X)), labels] = case.weights
    parts = [metric.pairwise(X[a : a + ROWS], X) @ weights for a in range(0, len(X), ROWS)]
    return np.concatenate(parts)


def to_centroids(case: Case, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Squared distances to centroids (n, k) by brute force, and the mean distances g(x, C)."""
    sums = sums_by_cluster(case, labels)
    s = np.bincount(labels, weights=case.weights, minlength=case.k)
    own = sums[np.arange(len(labels)), labels]
    within = np.bincount(labels, weights=case.weights * own, minlength=case.k)
    return sums / s - 0.5 * within / s**2, sums / s


class Gains(NamedTuple):
    """Of the best move of each row: what it gains [FRV eq. 50], and what rounding may make up."""

    gains: np.ndarray
    rounding: np.ndarray
    #: W of the labels.
    within: float


def best_gains(case: Case, labels: np.ndarray, *, is_ratio: bool = True) -> Gains:
    """By brute force in float64; −∞ for the last row of a cluster, and for weight zero."""
    d, g = to_centroids(case, labels)
    here, w = np.arange(len(labels)), case.weights
    s = np.bincount(labels, weights=w, minlength=case.k)
    with np.errstate(divide="ignore", invalid="ignore"):
        a = s[labels] / np.maximum(s[labels] - w, 0.0) if is_ratio else np.ones(len(w))
        b = s / (s + w[:, None]) if is_ratio else np.ones((len(w), 1))
        gains = w[:, None] * ((a * d[here, labels])[:, None] - b * d)
    gains[here, labels] = -np.inf
    count = np.bincount(labels[w > 0], minlength=case.k)
    stays = (count[labels] == 1) | (w == 0)
    gains[stays] = -np.inf
    within = 0.5 * np.bincount(labels, weights=w * g[here, labels], minlength=case.k).sum()
    target = gains.argmax(axis=1)
    eps = np.finfo(case.X.dtype).eps
    with np.errstate(invalid="ignore"):
        size = w * (a * g[here, labels] + g[here, target])
    size[stays] = 0.0
    return Gains(gains[here, target], 100 * eps * size + 1e-12 * within, within)


class Interval(NamedTuple):
    """Bounds on squared distances of rows to centroids, at one level of the ladder."""

    level: int
    rows: np.ndarray
    clusters: np.ndarray
    low: np.ndarray
    high: np.ndarray


def all_intervals(search: Search) -> Iterator[Interval]:
    """What every level says of every row and cluster, as nothing is ever decided."""
    scene: Scene = search._present()
    scene = replace(scene, rule=replace(scene.rule, least=-np.inf))
    index = np.flatnonzero(scene.weights > 0)
    margin = np.zeros(len(scene.labels))
    look = FirstLook.of(scene)
    yield _of_landmarks(look, index)
    seen, _ = look_at_all(scene, look, index, margin, Threads(1))
    yield from _intervals(1, seen)
    for level in range(2, max(len(cluster.levels) for cluster in scene.clusters)):
        seen, _ = look_at_members(scene, seen, level, margin, Threads(1))
        yield from _intervals(level, seen)


def _of_landmarks(look: FirstLook, index: np.ndarray) -> Interval:
    scene = look.scene
    rho = scene.form.distances(scene.points, index)
    table = look.of_landmarks(rho, scene.form.lacking(rho))
    rows = np.repeat(index, len(scene.clusters))
    clusters = np.tile(np.arange(len(scene.clusters)), len(index))
    return Interval(0, rows, clusters, table.low.ravel(), table.high.ravel())


def _intervals(level: int, seen: Open) -> Iterator[Interval]:
    for pairs in (seen.own, seen.others):
        rows = seen.index[pairs.row]
        yield Interval(level, rows, pairs.cluster, pairs.low, pairs.high)


def assert_intervals_hold(case: Case, search: Search) -> int:
    """That each contains the exact number; gives how many there are."""
    d, g = to_centroids(case, search.labels)
    unit, n = search.form.unit, 0
    for level, rows, clusters, low, high in all_intervals(search):
        exact, rounding = d[rows, clusters] / unit, 2e-13 * g[rows, clusters] / unit
        assert np.all(low <= exact + rounding), f"level {level}"
        assert np.all(high >= exact - rounding), f"level {level}"
        n += len(rows)
    return n
