"""How often clusters of data without clusters are called real."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import binom

from benchmarks.checks.check import Check, Summary, Unit
from comparisons.counts import judged

N_ROWS = 200


def run(number: int) -> Unit:
    """Whether any pair of three clusters is apart, and all pairs by the naive test."""
    kind, honest, naive = judged(number, N_ROWS)
    return {"kind": kind, "any pair apart": int(honest), "naive test": int(naive)}


def fold(units: Sequence[Unit]) -> Summary:
    """The shares."""
    names = ("any pair apart", "naive test")
    return {name: float(np.mean([unit[name] for unit in units])) for name in names}


def holds(summary: Summary, n: int) -> bool:
    """Not more often than 6 %, but for what chance adds once in a thousand."""
    return bool(binom.sf(round(summary["any pair apart"] * n) - 1, n, 0.06) > 1e-3)


CHECK = Check(
    name="false-clusters",
    claim="Of data without clusters at most 6 % have a pair of clusters that is called real.",
    n_units=500,
    run=run,
    fold=fold,
    holds=holds,
)
