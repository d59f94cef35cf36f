"""How often the number of communities is found: λ = 2, and graphs of chance alone."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx
import numpy as np
from scipy.stats import binom

from benchmarks.checks.check import Check, Summary, Unit
from kgroups.graphs import stochastic_block_model
from kgroups.select import bethe_hessian_n_communities

NODES, DEGREE, SNR = 5000, 10, 2.0
KS = (1, 2, 5, 10)


def run(number: int) -> Unit:
    """One graph with 5,000 nodes of degree 10."""
    k, seed = KS[number % len(KS)], number // len(KS)
    if k > 1:
        A = stochastic_block_model(NODES, k, DEGREE, SNR, random_state=seed)[0]
    else:
        graph = nx.fast_gnp_random_graph(NODES, DEGREE / (NODES - 1), seed=seed)
        A = nx.to_scipy_sparse_array(graph, dtype=float, format="csr")
    return {"k": k, "found": int(bethe_hessian_n_communities(A))}


def fold(units: Sequence[Unit]) -> Summary:
    """The share that is right, by the number of communities."""
    right: dict[str, list[bool]] = {}
    for unit in units:
        right.setdefault(f"k={unit['k']}", []).append(unit["found"] == unit["k"])
    return {k: float(np.mean(found)) for k, found in right.items()}


def holds(summary: Summary, n: int) -> bool:
    """At least 95 % for each k, but for what chance takes away once in a thousand."""
    graphs = n // len(summary)
    return all(binom.cdf(round(p * graphs), graphs, 0.95) > 1e-3 for p in summary.values())


CHECK = Check(
    name="community-counts",
    claim="The number of communities is found for at least 95 % of the graphs of each kind.",
    n_units=400,
    run=run,
    fold=fold,
    holds=holds,
)
