"""Graphs of the families, as adjacency matrices."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import networkx as nx
import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs, make_circles, make_moons, make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from benchmarks.networks.data import collected
from kgroups.graphs import lfr_graph

DATA_DIR = "KGROUPS_DATA_DIR"
COLLECTED_NAMES = {"dolphins", "football", "polbooks", "polblogs", "ca_grqc"}
LFR_SIZES = {"10-50": (10, 50), "20-100": (20, 100)}


def matrix(graph: nx.Graph, weight: str | None = None) -> csr_array:
    """The adjacency matrix with the nodes in order."""
    return csr_array(nx.to_scipy_sparse_array(graph, dtype=float, weight=weight, format="csr"))


def two_triangles() -> nx.Graph:
    """Two triangles and a bridge between them."""
    return nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)])


TEXTBOOK: dict[str, Callable[[], csr_array]] = {
    "two triangles": lambda: matrix(two_triangles()),
    "davis": lambda: matrix(nx.davis_southern_women_graph()),
    "florentine": lambda: matrix(nx.florentine_families_graph()),
    "caveman (4, 5)": lambda: matrix(nx.connected_caveman_graph(4, 5)),
    "ring (10, 5)": lambda: matrix(nx.ring_of_cliques(10, 5)),
    "ring (30, 5)": lambda: matrix(nx.ring_of_cliques(30, 5)),
    "karate": lambda: matrix(nx.karate_club_graph()),
    "Les Miserables": lambda: matrix(nx.les_miserables_graph(), "weight"),
    "grid (10, 10)": lambda: matrix(nx.grid_2d_graph(10, 10)),
    "dolphins": lambda: of_file("dolphins"),
    "football": lambda: of_file("football"),
    "polbooks": lambda: of_file("polbooks"),
}


@cache
def _files() -> dict[str, csr_array]:
    folder = os.environ.get(DATA_DIR)
    found = collected(Path(folder) / "graphs" if folder else None)
    return {name: network.adjacency for name, network in found.items()}


def available() -> set[str]:
    """Names of the collected networks that are here."""
    return set(_files())


def of_file(name: str) -> csr_array:
    """A collected network as a simple graph."""
    return _files()[name]


def truth_of_file(name: str) -> np.ndarray | None:
    """Its known communities."""
    folder = os.environ.get(DATA_DIR)
    return collected(Path(folder) / "graphs" if folder else None)[name].truth


def largest_component(A: csr_array) -> tuple[csr_array, np.ndarray]:
    """The largest component and the numbers of its nodes."""
    component = connected_components(A)[1]
    nodes = np.flatnonzero(component == np.bincount(component).argmax())
    return A[nodes][:, nodes], nodes


def lfr(n: int, sizes: str, mixing: float, seed: int) -> tuple[csr_array, np.ndarray]:
    """The published settings: mean degree 20, at most 50, exponents 2 and 1."""
    smallest, largest = LFR_SIZES[sizes]
    return lfr_graph(
        n,
        mixing=mixing,
        average_degree=20,
        max_degree=50,
        degree_exponent=2,
        community_exponent=1,
        min_community=smallest,
        max_community=largest,
        random_state=seed,
    )


def neighbors(X: np.ndarray, k: int = 10) -> csr_array:
    """Zeros and ones: each row and its k nearest others, either way round."""
    A = csr_array(kneighbors_graph(X, k))
    joined = csr_array(A + A.T)
    joined.data[:] = 1
    return joined


def _uniform(seed: int, dimensions: int) -> np.ndarray:
    return np.random.default_rng(seed).random((10_000, dimensions))


NEIGHBORS: dict[str, Callable[[], np.ndarray]] = {
    "15 blobs in 10 dimensions": lambda: make_blobs(
        10_000, 10, centers=15, cluster_std=2.0, random_state=0
    )[0],
    "50 blobs in 2 dimensions": lambda: make_blobs(10_000, 2, centers=50, random_state=1)[0],
    "moons": lambda: make_moons(10_000, noise=0.06, random_state=2)[0],
    "circles": lambda: make_circles(10_000, noise=0.05, factor=0.5, random_state=3)[0],
    "square": lambda: _uniform(4, 2),
    "cube": lambda: _uniform(5, 3),
    "normal in 10 dimensions": lambda: np.random.default_rng(6).normal(size=(10_000, 10)),
    "Swiss roll": lambda: make_swiss_roll(10_000, noise=0.1, random_state=7)[0],
}


def shuffled(A: csr_array, seed: int) -> tuple[csr_array, np.ndarray]:
    """The same graph with its nodes in another order, and where each now stands."""
    order = np.random.default_rng(seed).permutation(A.shape[0])
    return csr_array(A[order][:, order]), order


def edges(A: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each edge once: its ends and its weight."""
    upper = coo_array(A)
    once = upper.row < upper.col
    return upper.row[once], upper.col[once], upper.data[once]


def digest(A: csr_array) -> str:
    """What tells this graph from others, whatever made it."""
    ordered = csr_array(A)
    ordered.sort_indices()
    parts = (ordered.indptr.astype(np.int64), ordered.indices.astype(np.int64), ordered.data)
    return sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]
