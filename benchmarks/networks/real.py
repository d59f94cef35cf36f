"""Collected networks: every objective next to Leiden, Louvain and spectral clustering."""

import time
import warnings
from typing import Any

import numpy as np

from benchmarks.networks.data import Network, collected
from benchmarks.networks.rivals import LEIDEN, LOUVAIN, METHODS, OBJECTIVES, SPECTRAL, ours
from benchmarks.report import number, print_table
from kgroups.metrics import modularity, normalized_cut, overlap
from kgroups.select import bethe_hessian_n_communities

Row = dict[str, Any]


def compare_real() -> list[Row]:
    """A table a network: at the number of classes, then at the number that Leiden chooses."""
    warnings.simplefilter("ignore")
    rows: list[Row] = []
    networks = collected()
    if not networks:
        print("\nthe collected networks are not here; set KGROUPS_REFERENCE")
    for network in networks.values():
        k = _n_classes(network)
        print(f"\n{network.name}: {network.n_nodes:,} nodes, {len(network.source):,} edges, k={k}")
        found = _rows(network, k)
        print_table(
            ["method", "k", "overlap", "modularity", "Ncut", "seconds", "note"],
            [_line(row) for row in found],
        )
        rows += found
    return rows


def _n_classes(network: Network) -> int:
    """Of the truth, else what the Bethe Hessian counts."""
    if network.truth is None:
        return bethe_hessian_n_communities(network.adjacency)
    return len(np.unique(network.truth))


def _rows(network: Network, k: int) -> list[Row]:
    rows = [_row(network, method, k) for method in (*map(ours, OBJECTIVES), SPECTRAL)]
    rows += [_row(network, method, k) for method in (LEIDEN, LOUVAIN)]
    other = rows[-2]["k"] or rows[-1]["k"]
    if other not in (None, k):
        same = (ours("bethe_hessian"), ours("modularity"), ours("normalized_cut"), SPECTRAL)
        rows += [_row(network, method, other) for method in same]
    return rows


def _row(network: Network, name: str, k: int) -> Row:
    method = METHODS[name]
    row: Row = {"network": network.name, "method": name, "note": ""}
    if not method.is_installed:
        scores = dict.fromkeys(("k", "overlap", "modularity", "normalized_cut", "seconds"))
        return row | scores | {"note": "not installed"}
    graph, A = method.read(network), network.adjacency
    begun = time.perf_counter()
    labels = method.cluster(graph, k, 0)
    seconds = time.perf_counter() - begun
    return row | {
        "k": len(np.unique(labels)),
        "overlap": None if network.truth is None else overlap(network.truth, labels),
        "modularity": modularity(A, labels),
        "normalized_cut": normalized_cut(A, labels),
        "seconds": seconds,
    }


def _line(row: Row) -> list[str]:
    return [
        row["method"],
        number(row["k"], "d"),
        number(row["overlap"], ".3f"),
        number(row["modularity"], ".4f"),
        number(row["normalized_cut"], ".4f"),
        number(row["seconds"], ".2f"),
        row["note"],
    ]
