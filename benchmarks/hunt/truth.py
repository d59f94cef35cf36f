"""What the oracle knows of a problem: G with its rounding, weights, and which errors are due."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.hunt import rounding, trajectory
from benchmarks.hunt.containers import as_read
from benchmarks.hunt.problems import HISTOGRAMS, Table
from tests import oracle
from tests.oracle import Long, Metric, long

MATRICES = ("precomputed", "precomputed_kernel")
INDEFINITE = ("damped_squared", "sine_squared")


@dataclass(frozen=True, kw_only=True)
class Truth:
    """G = −ρ/2, or the Gram matrix given; E is how far rounding may take an entry."""

    G: Long
    E: Long
    #: Between new points and those of the fit.
    K: Long
    EK: Long
    w: Long
    is_kernel: bool
    negative_type: bool
    single: bool

    @property
    def rho(self) -> Long:
        """−2 G."""
        return -2 * self.G

    @property
    def error(self) -> Long:
        """What G, and sums over it, may be wrong by."""
        return self.E + rounding.SUMS * np.abs(self.G)

    @property
    def error_of_new(self) -> Long:
        """The same for new points."""
        return self.EK + rounding.SUMS * np.abs(self.K)


@dataclass(frozen=True, kw_only=True)
class Due:
    """Pieces of messages: of errors that must come, and of those that may."""

    must: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


def settled(metric: Metric, X: Long) -> Metric | None:
    """The metric with numbers for all parameters; None where the data give none."""
    name, given = metric
    if name == "column_sum":
        parts = [(settled(m, X[:, at]), at, c) for m, at, c in given["parts"]]
        return None if any(m is None for m, *_ in parts) else (name, {"parts": parts})
    if given.get("sigma") != "median":
        return metric
    sigma = oracle.median_distance(X)
    return None if sigma is None else (name, {"sigma": float(sigma)})


def is_negative_type(metric: Metric) -> bool:
    """Whether theory covers it, as far as is claimed."""
    if metric[0] == "column_sum":
        return all(is_negative_type(m) for m, *_ in metric[1]["parts"])
    return metric[0] not in INDEFINITE


def truth_of(problem: Table) -> Truth | None:
    """The oracle's view; None where the metric cannot be settled."""
    X, new = as_read(problem.X, problem.form), as_read(problem.new, problem.form)
    dtype = X.dtype
    rows, others = long(X), long(new)
    w = oracle.long(np.ones(len(X)) if problem.weights is None else problem.weights)
    name = problem.metric[0]
    common: dict[str, Any] = {"w": w, "single": dtype == np.float32}
    if name == "precomputed_kernel":
        # Entries are held about their mean, in float64, where rounding is that of the largest.
        eps = long(32 * np.finfo(np.float64).eps + 4 * np.finfo(dtype).eps) * np.abs(rows).max()
        G = (rows + rows.T) / 2
        E = np.full(G.shape, eps) + np.abs(rows - rows.T)
        most = np.abs(others).max(initial=0)
        EK = np.full(others.shape, long(4 * np.finfo(dtype).eps) * most + eps)
        return Truth(G=G, E=E, K=others, EK=EK, is_kernel=True, negative_type=False, **common)
    if name == "precomputed":
        rho, to = (rows + rows.T) / 2, others
        tiny = long(4 * np.finfo(dtype).tiny)
        E, EK = np.abs(rows - rows.T) + tiny * (rho != 0), tiny + 0 * to
        negative = False
    else:
        metric = settled(problem.metric, rows)
        if metric is None:
            return None
        rho = oracle.distances(metric, rows, rows)
        to = oracle.distances(metric, others, rows)
        E = rounding.of_distances(metric, rows, rows, rho, dtype)
        EK = rounding.of_distances(metric, others, rows, to, dtype)
        negative = is_negative_type(metric)
    return Truth(
        G=-rho / 2, E=E / 2, K=-to / 2, EK=EK / 2, is_kernel=False, negative_type=negative, **common
    )


DISTINCT = ("distinct rows with weight", "different points")
OVERFLOWS = ("not a finite number", "too large", "gives inf", "gives nan", "infinity")


def due(problem: Table, truth: Truth | None) -> Due:
    """The errors that a fit of the problem must or may end in."""
    n, k = len(problem.X), problem.n_clusters
    if _is_infinite(problem):
        return Due(must=("infinity", "too large"))
    if k > n and problem.act != "statistics":
        # One row has no median distance either, and either error is right.
        no_median = () if truth is not None else ("needs two different points",)
        return Due(must=("is more than n_samples", *no_median))
    settings = problem.settings
    given = isinstance(settings.get("init"), np.ndarray)
    if given and (settings["init"].min() < 0 or settings["init"].max() >= k):
        return Due(must=("init must hold integers",))
    if truth is None:
        return Due(must=("needs two different points", *DISTINCT))
    must = [*_of_method(problem, truth), *_of_rows(problem)]
    may = []
    if _may_overflow(problem, truth) or _new_may_overflow(problem, truth):
        may.extend(OVERFLOWS)
    distinct, sure = _distinct(problem, truth)
    if problem.act not in ("statistics", "EnergyAgglomerative"):
        if distinct < k:
            must.extend(DISTINCT)
        elif sure < k:
            may.extend(DISTINCT)
    return Due(must=tuple(must), may=tuple(may))


def _is_infinite(problem: Table) -> bool:
    """Whether a long double is beyond float64."""
    return not np.isfinite(as_read(problem.X, problem.form)).all()


def _of_method(problem: Table, truth: Truth) -> list[str]:
    is_matrix = problem.metric[0] in MATRICES
    found = []
    if problem.settings.get("method") == "nystroem" and not truth.negative_type and not is_matrix:
        found.append("needs a semimetric of negative type")
    init = problem.settings.get("init")
    if isinstance(init, str) and init == "euclidean-k-means++" and is_matrix:
        found.append("needs a table of numbers")
    return found


def _of_rows(problem: Table) -> list[str]:
    if problem.metric[0] in HISTOGRAMS:
        X = as_read(problem.X, problem.form)
        if (X < 0).any():
            return ["whose entries are not negative"]
        if (X.sum(axis=1) == 0).any():
            return ["whose rows have a positive sum"]
    if problem.metric[0] == "kendall_tau" and problem.X.shape[1] < 2:
        return ["rankings of 2 items or more"]
    return []


def _may_overflow(problem: Table, truth: Truth) -> bool:
    """Whether a square, a distance or a weighted sum comes near the end of its type."""
    X = long(as_read(problem.X, problem.form))
    most = float(np.finfo(np.float32 if truth.single else np.float64).max) / 1e3
    if problem.metric[0] in MATRICES:
        largest = np.abs(X).max() * len(X) * 2
    else:
        reach = X.max(axis=0) - X.min(axis=0)
        # What an expansion about the mean, or the mean itself, may hold.
        largest = max((reach**2).sum(), np.abs(X).max() * len(X), np.abs(truth.rho).max())
    # Sums over all pairs are refused by a bound, before any distance is computed.
    pairs = len(X) ** 2 * np.abs(truth.rho).max() / 8
    heavy = max(truth.w.sum() * max(np.abs(truth.G).max(), np.longdouble(1)), pairs)
    return bool(largest > most or heavy > np.finfo(np.float64).max / 1e3)


def _new_may_overflow(problem: Table, truth: Truth) -> bool:
    """The same of distances from new points."""
    most = float(np.finfo(np.float32 if truth.single else np.float64).max) / 1e3
    return bool(len(truth.K) and np.abs(truth.K).max() > most)


def _distinct(problem: Table, truth: Truth) -> tuple[int, int]:
    """How many points differ, and how many by more than rounding."""
    alive = truth.w > 0
    if truth.is_kernel:
        return int(alive.sum()), int(alive.sum())
    apart = np.where(np.abs(truth.rho) / 2 > truth.E, truth.rho, 0)
    if problem.act == "KGroups1D":
        apart = truth.rho
    return tuple(trajectory.count_apart(np.abs(rho), alive) for rho in (truth.rho, apart))
