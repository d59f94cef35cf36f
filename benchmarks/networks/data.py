"""Networks to measure with: those that were collected, and thirty that are generated."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
from scipy.sparse import coo_array, csr_array

from kgroups.graphs import degree_corrected_block_model, lfr_graph, stochastic_block_model

COLLECTED = (
    "dolphins",
    "football",
    "polbooks",
    "polblogs",
    "drosophila_left",
    "drosophila_right",
    "ca_grqc",
)


class Network(NamedTuple):
    """Each edge of a simple undirected graph once; ``truth`` where somebody knows it."""

    name: str
    n_nodes: int
    source: np.ndarray
    target: np.ndarray
    truth: np.ndarray | None = None

    @property
    def adjacency(self) -> csr_array:
        """Zeros and ones, both directions, with the int32 indices that scikit-learn asks for."""
        ends = np.concatenate([[self.source, self.target], [self.target, self.source]], axis=1)
        ones, shape = np.ones(ends.shape[1]), (self.n_nodes, self.n_nodes)
        return csr_array(coo_array((ones, tuple(ends.astype(np.int32))), shape=shape))


def network_of(name: str, A: csr_array, truth: np.ndarray | None = None) -> Network:
    """Directions, weights and loops are dropped."""
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return _simple(name, A.shape[0], rows, A.indices, truth)


def collected(folder: Path | None = None) -> dict[str, Network]:
    """The collected networks of a folder; for None, KGROUPS_REFERENCE names another than usual."""
    default = Path(__file__).resolve().parents[3] / "shared"
    folder = folder or Path(os.environ.get("KGROUPS_REFERENCE", default)) / "data" / "graphs"
    names = [name for name in COLLECTED if (folder / f"{name}.edges.csv").exists()]
    return {name: _read(folder, name) for name in names}


def generated() -> dict[str, Network]:
    """Thirty graphs of 300 to 1,500 nodes: block models, power laws, rings, geometry, chance."""
    makers = {**_block_models(), **_other_models()}
    return {name: network_of(name, make()) for name, make in makers.items()}


Maker = Callable[[], csr_array]


def _block_models() -> dict[str, Maker]:
    makers: dict[str, Maker] = {}
    for k, d, snr in [(2, 3, 1.5), (4, 5, 2), (8, 8, 2), (16, 10, 2), (5, 10, 1.2), (3, 20, 3)]:
        for n in (300, 1000):
            seed, name = len(makers), f"block model n={n} k={k} d={d} snr={snr}"
            makers[name] = lambda n=n, k=k, d=d, snr=snr, seed=seed: stochastic_block_model(
                n, k, d, snr, random_state=seed
            )[0]
    for k, n in [(4, 500), (8, 1500), (3, 1000)]:
        seed, name = len(makers), f"degree-corrected n={n} k={k}"
        makers[name] = lambda n=n, k=k, seed=seed: degree_corrected_block_model(
            n, k, 10, 2.0, random_state=seed
        )[0]
    for mixing in (0.1, 0.3, 0.5):
        seed, name = len(makers), f"LFR n=600 mixing={mixing}"
        makers[name] = lambda mixing=mixing, seed=seed: lfr_graph(
            600, mixing=mixing, average_degree=8, random_state=seed
        )[0]
    return makers


def _other_models() -> dict[str, Maker]:
    makers: dict[str, Callable[[], nx.Graph]] = {}
    for s in range(3):
        makers[f"Barabasi-Albert {s}"] = lambda s=s: nx.barabasi_albert_graph(
            500 * (s + 1), 3, seed=s
        )
        makers[f"Watts-Strogatz {s}"] = lambda s=s: nx.watts_strogatz_graph(
            400 * (s + 1), 8, 0.1, seed=s
        )
        makers[f"geometric {s}"] = lambda s=s: nx.random_geometric_graph(600, 0.08, seed=s)
        makers[f"Erdos-Renyi {s}"] = lambda s=s: nx.gnp_random_graph(500, 0.012 * (s + 1), seed=s)
    return {
        name: lambda make=make: nx.to_scipy_sparse_array(make(), dtype=float, format="csr")
        for name, make in makers.items()
    }


def _read(folder: Path, name: str) -> Network:
    edges = np.loadtxt(folder / f"{name}.edges.csv", delimiter=",", skiprows=1, usecols=(0, 1))
    lines = (folder / f"{name}.labels.csv").read_text().splitlines()[1:]
    classes = np.array([line.split(",")[1] for line in lines])
    truth = np.unique(classes, return_inverse=True)[1] if classes[0] else None
    source, target = edges.T.astype(np.int64)
    return _simple(name, len(lines), source, target, truth)


def _simple(
    name: str, n: int, source: np.ndarray, target: np.ndarray, truth: np.ndarray | None
) -> Network:
    first, second = np.minimum(source, target), np.maximum(source, target)
    codes = np.unique(first[first < second].astype(np.int64) * n + second[first < second])
    return Network(name, n, codes // n, codes % n, truth)
