"""Fits beyond 2,000 rows, where no matrix is held: the oracle adds up some rows at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from benchmarks.hunt.containers import held, metric_of
from benchmarks.hunt.problems import Table
from tests import oracle
from tests.oracle import Labels, Long, long

_ROWS = 64
TOLERANCE = 1e-11


def judge(problem: Table) -> list[str]:
    """All that is wrong with a fit of KernelKGroups."""
    import kgroups

    model = kgroups.KernelKGroups(
        problem.n_clusters, metric=metric_of(problem.metric), **problem.settings
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            model.fit(held(problem.X, problem.form), sample_weight=problem.weights)
        except Exception as error:  # any error is a finding
            return [f"unexpected {type(error).__name__}: {error}"]
    n = len(problem.X)
    w = long(np.ones(n) if problem.weights is None else problem.weights)
    R = sums_of(problem, model.labels_, w)
    return list(faults_of(model, R, w, problem.n_clusters))


def sums_of(problem: Table, labels: Labels, w: Long) -> Long:
    """R_l(i) = Σ_{y ∈ C_l} w_y ρ(i, y), (n, k)."""
    X = long(problem.X)
    weighted = np.zeros((len(X), problem.n_clusters), np.longdouble)
    weighted[np.arange(len(X)), labels] = w
    parts = [
        oracle.distances(problem.metric, X[a : a + _ROWS], X) @ weighted
        for a in range(0, len(X), _ROWS)
    ]
    return long(np.concatenate(parts))


def faults_of(model: object, R: Long, w: Long, k: int) -> Iterator[str]:
    """W, the clusters, and the gains of all moves."""
    labels = np.asarray(vars(model)["labels_"])
    at = np.arange(len(w))
    s, own = oracle.weights_of(labels, w, k), R[at, labels]
    T = long([(w * own)[labels == j].sum() for j in range(k)])
    W, found = (T / (2 * s)).sum(), vars(model)["within_dispersion_"]
    if abs(found - W) > TOLERANCE * W:
        yield f"within_dispersion_ is {found!r} instead of {float(W)!r}"
    rest = s[labels] - w
    leave = w * rest / s[labels] * (own / rest - (T[labels] - 2 * w * own) / (2 * rest**2))
    enter = w[:, None] * s / (s + w[:, None]) * (R / s - T / (2 * s**2))
    enter[at, labels] = np.inf
    gains = leave - enter.min(axis=1)
    if gains.max() > TOLERANCE * W:
        i = int(np.argmax(gains))
        yield f"not one-move optimal: row {i} gains {float(gains[i]):.4g} of W = {found:.6g}"
    history = vars(model)["objective_history_"]
    if (np.diff(history) < -TOLERANCE * float(W)).any():
        yield f"objective_history_ falls: {history.tolist()}"
