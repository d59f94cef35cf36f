"""How often the number of communities is found."""

from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from benchmarks.networks.workers import in_parallel
from benchmarks.report import print_table
from kgroups.graphs import stochastic_block_model
from kgroups.select import bethe_hessian_n_communities

Row = dict[str, Any]


class Task(NamedTuple):
    """One graph of a block model."""

    n: int
    k: int
    degree: float
    snr: float
    seed: int


def counted(task: Task) -> int:
    """The number of communities that ``n_clusters="auto"`` takes."""
    if task.k > 1:
        A = stochastic_block_model(*task[:4], random_state=task.seed)[0]
    else:
        chance = task.degree / (task.n - 1)
        graph = nx.fast_gnp_random_graph(task.n, chance, seed=task.seed)
        A = nx.to_scipy_sparse_array(graph, dtype=float, format="csr")
    return bethe_hessian_n_communities(A)


def compare_counts(n_graphs: int, workers: int) -> list[Row]:
    """How often k is found: λ = 2, and graphs of chance alone, which are one community."""
    print(f'\nn_clusters="auto": n=5,000, d=10, snr=2, {n_graphs} graphs a row; k=1 is Erdos-Renyi')
    ks = (1, 2, 5, 10)
    tasks = [Task(5000, k, 10, 2.0, seed) for k in ks for seed in range(n_graphs)]
    found = np.reshape(in_parallel(counted, tasks, workers), (len(ks), n_graphs))
    rows: list[Row] = [
        {"k": k, "right": int((row == k).sum()), "found": np.unique(row).tolist()}
        for k, row in zip(ks, found, strict=True)
    ]
    lines = [
        [str(r["k"]), f"{r['right'] / n_graphs:.1%}", ", ".join(map(str, r["found"]))] for r in rows
    ]
    print_table(["k", "right", "values"], lines)
    return rows
