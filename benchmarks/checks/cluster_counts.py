"""How often ``choose_n_clusters`` is right, with clusters and without."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.stats import binom

from benchmarks.checks.check import Check, Summary, Unit
from comparisons.counts import K_RANGE, Known, bundled, null
from kgroups.select import choose_n_clusters


@cache
def with_clusters() -> tuple[Known, ...]:
    """The data sets in the order of their units."""
    return tuple(bundled())


def counted(known: Known) -> Unit:
    """The number that is chosen, and that of each criterion."""
    count = choose_n_clusters(known.X, K_RANGE, random_state=0)
    criteria = {criterion.name: int(criterion.n_clusters) for criterion in count.criteria}
    right = int(count.n_clusters in known.right)
    return {"data": known.name, "right": right, "chosen": int(count.n_clusters), **criteria}


def run(number: int) -> Unit:
    """One data set with clusters."""
    return counted(with_clusters()[number])


def run_null(number: int) -> Unit:
    """One data set without clusters."""
    return counted(null(number))


def fold(units: Sequence[Unit]) -> Summary:
    """The share that is right."""
    return {"right": float(np.mean([unit["right"] for unit in units]))}


def holds(summary: Summary, n: int) -> bool:
    """At least 85 %, but for what chance takes away once in a thousand."""
    return bool(binom.cdf(round(summary["right"] * n), n, 0.85) > 1e-3)


def holds_without_clusters(summary: Summary, n: int) -> bool:
    """At least 95 %, but for what chance takes away once in a thousand."""
    return bool(binom.cdf(round(summary["right"] * n), n, 0.95) > 1e-3)


CHECK = Check(
    name="cluster-counts",
    claim="The number of clusters is right for at least 85 % of the data sets.",
    n_units=27,
    run=run,
    fold=fold,
    holds=holds,
)
NULLS = Check(
    name="cluster-counts-of-nothing",
    claim="At least 95 % of the data sets without clusters are one cluster.",
    n_units=100,
    run=run_null,
    fold=fold,
    holds=holds_without_clusters,
)
