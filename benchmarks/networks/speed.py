"""How quick on planted communities, and how good what is found, next to Leiden."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from benchmarks.networks.data import Network, network_of
from benchmarks.networks.process import SWEEP, Run, measure
from benchmarks.networks.rivals import LEIDEN, LEIDENALG, ours
from benchmarks.report import megabytes, number, print_table
from kgroups.graphs import planted_partition
from kgroups.metrics import modularity, normalized_cut

K, DEGREE, INSIDE = 50, 20, 0.7
TITLES = [
    "method",
    "read s",
    "cluster s",
    "peak MB",
    "k",
    "modularity",
    "Ncut",
    "ARI",
    "note",
]
Row = dict[str, Any]


def compare_speed(n: int, limit: float) -> list[Row]:
    """One graph: ours at the planted k, both Leidens, and ours again at the k of Leiden."""
    A, truth = planted_partition(n, K, DEGREE, INSIDE, random_state=0)
    network = network_of("planted", A, truth)
    print(
        f"\nplanted_partition({n:,}, {K}, {DEGREE}, {INSIDE}): {len(network.source):,} edges; "
        "each in a fresh process, compiled; read is the graph from arrays of edges"
    )
    rows = [_row(run, A, truth) for run in _runs(network, limit)]
    true = _scores(A, truth, truth)
    rows.append(_row(Run("planted"), A, truth) | true)
    print_table(TITLES, [_line(row) for row in rows])
    return rows


def _runs(network: Network, limit: float) -> list[Run]:
    runs = [measure(SWEEP, network, K, limit)]
    runs.append(measure(ours("bethe_hessian"), network, K, limit))
    leiden = measure(LEIDEN, network, K, limit)
    runs += [leiden, measure(LEIDENALG, network, K, limit)]
    if leiden.labels is not None:
        k = len(np.unique(leiden.labels))
        runs += [measure(ours(o), network, k, limit) for o in ("modularity", "normalized_cut")]
    return runs


def _row(run: Run, A: csr_array, truth: np.ndarray) -> Row:
    row: Row = {
        "n": A.shape[0],
        "method": run.method,
        "read_seconds": run.read_seconds,
        "seconds": run.seconds,
        "peak_bytes": run.peak_bytes,
        "note": run.note,
    }
    return row | _scores(A, truth, run.labels)


def _scores(A: csr_array, truth: np.ndarray, labels: np.ndarray | None) -> Row:
    if labels is None:
        return dict.fromkeys(("k", "modularity", "normalized_cut", "ari"))
    return {
        "k": len(np.unique(labels)),
        "modularity": modularity(A, labels),
        "normalized_cut": normalized_cut(A, labels),
        "ari": float(adjusted_rand_score(truth, labels)),
    }


def _line(row: Row) -> list[str]:
    return [
        row["method"],
        number(row["read_seconds"], ".2f"),
        number(row["seconds"], ".2f"),
        megabytes(row["peak_bytes"]),
        number(row["k"], "d"),
        number(row["modularity"], ".4f"),
        number(row["normalized_cut"], ".3f"),
        number(row["ari"], ".4f"),
        row["note"],
    ]
