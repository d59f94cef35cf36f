"""Random problems for fits that compute no pairs, with the numbers that are hardest on them."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from benchmarks.hunt.problems import Array, Table, draw_clusters, draw_settings, draw_weights
from benchmarks.hunt.ways import WAYS
from tests.oracle import Metric

#: One fit in so many.
PAIRLESS_EVERY = 4


def draw_pairless(seed: int, number: int) -> Table:
    """Problem of a number: squared distances, or sums over single columns."""
    rng = np.random.default_rng([seed, number, 2])
    n = int(rng.integers(1, 9) if rng.random() < 0.15 else rng.integers(2, 61))
    if rng.random() < 0.04:
        n = int(rng.integers(61, 301))
    D = int(rng.integers(1, 6))
    metric = _metric(rng, D)
    rows = _rows(rng, n + 3, D)
    if metric[0] == "hamming" and rows.dtype.kind == "f" and rng.random() < 0.8:
        rows = np.rint(np.clip(rows, -9, 9))
    k = draw_clusters(rng, n)
    settings = draw_settings(rng, "KernelKGroups", n, k, metric)
    if settings["method"] == "nystroem":
        settings["method"] = "auto"
    act = "KernelKGroups" if rng.random() < 0.9 else "threads"
    return Table(
        act=act,
        X=rows[:n],
        metric=metric,
        n_clusters=k,
        weights=None if rng.random() < 0.4 else draw_weights(rng, n),
        new=rows[n:],
        form="array" if rng.random() < 0.8 else "fortran",
        settings=settings,
        block=256 if rng.random() < 0.5 else int(rng.integers(1, 12)),
        way=str(rng.choice(WAYS)),
    )


def _metric(rng: Generator, D: int) -> Metric:
    p = rng.random()
    if p < 0.4:
        return "energy", {"alpha": 2.0}
    if p < 0.6:
        return "manhattan", {}
    if p < 0.75:
        return "hamming", {}
    if D == 1 and p < 0.85:
        return "energy", {"alpha": 1.0}
    parts = []
    for d in rng.permutation(D).tolist():
        name = str(rng.choice(["energy", "manhattan", "hamming"]))
        given = {"alpha": 1.0} if name == "energy" else {}
        parts.append(((name, given), [d], float(rng.choice([1.0, 0.5, 3.0, 1e-3]))))
    return "column_sum", {"parts": parts}


def _rows(rng: Generator, n: int, D: int) -> Array:
    """Clusters, few different rows or integers, mostly somewhere else or in other units."""
    centers = rng.normal(scale=float(rng.uniform(0, 8)), size=(int(rng.integers(1, 6)), D))
    rows = centers[rng.integers(len(centers), size=n)] + rng.normal(size=(n, D))
    p = rng.random()
    if p < 0.2:
        rows = rows[rng.integers(int(rng.integers(1, n + 1)), size=n)]
    elif p < 0.4:
        rows = np.rint(rows)
    if rng.random() < 0.25:
        rows[:, rng.random(D) < 0.5] = rng.choice([0.0, 1.0, -1e8, 1e150, 1e-310])
    rows = _moved(rng, rows)
    return rows.astype(np.float32) if rng.random() < 0.15 and np.abs(rows).max() < 1e30 else rows


def _moved(rng: Generator, rows: Array) -> Array:
    """The rows far from 0, in other units, or one of them far from the others."""
    n, D = rows.shape
    p = int(rng.integers(12))
    if p == 0:
        rows = rows + 10 ** rng.uniform(6, 12)
    elif p == 1:
        rows = np.rint(rows * 50) + 1e15
    elif p == 2:
        rows = (np.rint(np.clip(rows, -99, 99)) * 1025).astype(np.int64) + 2**60 + 1
    elif p == 3:
        rows = rows * 10 ** float(rng.choice([-150, 150, -300, 120]))
    elif p == 4:
        rows[int(rng.integers(n))] = 10 ** rng.uniform(4, 25)
    elif p == 5:
        rows = rows * 10 ** rng.uniform(-12, 12, (n, 1))
    elif p == 6:
        rows = rows * 10 ** rng.uniform(-12, 12, D)
    elif p == 7:
        rows = np.repeat(rows[:1], n, axis=0)
    return rows
