"""A planted graph with so many edges that only one process can hold it at a time."""

import multiprocessing
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.networks.process import SWEEP, measure_in
from benchmarks.networks.rivals import ours
from benchmarks.networks.speed import DEGREE, INSIDE, K
from benchmarks.report import megabytes, number, print_table
from kgroups.graphs import planted_partition

TITLES = ["method", "read s", "cluster s", "peak MB", "ARI", "note"]


def measure_large(n_edges: int, limit: float) -> list[dict[str, Any]]:
    """One sweep, and a whole fit, each in a process that has the memory for itself."""
    n = 2 * n_edges // DEGREE
    print(f"\nplanted_partition({n:,}, {K}, {DEGREE}, {INSIDE})", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pool.apply(save_planted, (n, folder))
        with np.load(folder / "network.npz") as file:
            truth = file["truth"]
        rows = []
        for method in (SWEEP, ours("bethe_hessian")):
            run = measure_in(folder, method, K, limit)
            ari = None if run.labels is None else float(adjusted_rand_score(truth, run.labels))
            rows.append({**vars(run), "labels": None, "ari": ari})
    print_table(TITLES, [_line(row) for row in rows])
    return rows


def save_planted(n: int, folder: Path) -> None:
    """Write each edge of a planted graph once, and the communities."""
    A, truth = planted_partition(n, K, DEGREE, INSIDE, random_state=0)
    source = np.repeat(np.arange(n, dtype=np.int32), np.diff(A.indptr))
    once = source < A.indices
    ends = {"source": source[once], "target": A.indices[once].astype(np.int32)}
    np.savez(folder / "network.npz", n_nodes=n, truth=truth, **ends)


def _line(row: dict[str, Any]) -> list[str]:
    return [
        row["method"],
        number(row["read_seconds"], ".1f"),
        number(row["seconds"], ".1f"),
        megabytes(row["peak_bytes"]),
        number(row["ari"], ".4f"),
        row["note"],
    ]
