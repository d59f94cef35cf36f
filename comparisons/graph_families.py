"""Graphs that communities are compared on: drawn from seeds, well known, or collected."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from itertools import product

import networkx as nx
import numpy as np
from scipy.sparse import coo_array, csr_array, eye_array, kron
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs, make_circles, make_moons, make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from comparisons.common import data_folder
from kgroups.graphs import (
    degree_corrected_block_model,
    lfr_graph,
    planted_partition,
    stochastic_block_model,
)
from kgroups.graphs.models.compiled.stubs import is_graphical
from kgroups.graphs.models.mixed_communities import Stubs, joined
from kgroups.graphs.models.power_law import power_law_of_mean
from kgroups.graphs.models.random_edges import adjacency_of_edges

Planted = tuple[csr_array, np.ndarray]
LIKE = {"karate": nx.karate_club_graph, "Les Miserables": nx.les_miserables_graph}
LFR = {"average_degree": 20, "max_degree": 50, "degree_exponent": 2, "community_exponent": 1}
MODELS = ("Erdos-Renyi", "regular", "power-law")
WITHOUT_COMMUNITIES = [
    *LIKE,
    *map(
        " ".join,
        product(("30", "60", "100", "400", "1000", "5000"), MODELS, ("3", "4", "6", "10", "20")),
    ),
]


def one(cell: str, seed: int) -> Planted:
    """A random graph of a size, a model and a mean degree, or with the degrees of another."""
    A = _without_communities(cell, seed)
    return A, np.zeros(A.shape[0])


def _without_communities(cell: str, seed: int) -> csr_array:
    if cell in LIKE:
        return _of_degrees(np.array([degree for _, degree in LIKE[cell]().degree()]), seed)
    n, model, degree = (int(word) if word.isdigit() else word for word in cell.split())
    if model == "Erdos-Renyi":
        return stochastic_block_model(n, 1, degree, 0.0, random_state=seed)[0]
    if model == "regular":
        return _of_degrees(np.full(n, degree), seed)
    law, rng = power_law_of_mean(2.5, min(6 * degree, n - 1), degree), np.random.default_rng(seed)
    while True:
        degrees = law.draw(n, rng)
        if degrees.sum() % 2 == 0 and is_graphical(np.sort(degrees)[::-1].copy()):
            return _of_degrees(degrees, seed)


def _of_degrees(degrees: np.ndarray, seed: int) -> csr_array:
    nothing = np.zeros_like(degrees)
    edges = joined(Stubs(nothing, degrees, nothing), np.random.default_rng(seed))
    return adjacency_of_edges(edges, len(degrees))


def blocks(cell: str, seed: int) -> Planted:
    """A block model above the limit of what can be found; the cell is the number of blocks."""
    return stochastic_block_model(5000, int(cell), 10, 2.0, random_state=seed)


def corrected(cell: str, seed: int) -> Planted:
    """A block model with power laws of degrees; the cell is "2 1.5": blocks and their strength."""
    k, snr = cell.split()[:2]
    return degree_corrected_block_model(5000, int(k), 10, float(snr), random_state=seed)


def lfr(cell: str, seed: int) -> Planted:
    """Lancichinetti, Fortunato and Radicchi; the cell is "1000 10-50 0.1": sizes and mixing."""
    n, sizes, mixing = cell.split()
    low, high = map(int, sizes.split("-"))
    sizes = {"min_community": low, "max_community": high}
    return lfr_graph(int(n), mixing=float(mixing), **LFR, **sizes, random_state=seed)


def planted(n: int) -> Planted:
    """Fifty communities, mean degree 20, 70 % of the edges inside."""
    return planted_partition(n, 50, 20, 0.7, random_state=0)


def huge(cell: str) -> csr_array:
    """Planted communities, or many components, one hub, no hub at all."""
    if cell == "components":
        return kron(eye_array(100_000), np.ones((5, 5)) - np.eye(5), format="csr")
    if cell == "star":
        return _simple(np.zeros(1_000_000, int), np.arange(1, 1_000_001), 1_000_001)
    if cell == "path":
        return _simple(np.arange(99_999), np.arange(1, 100_000), 100_000)
    return planted(1_000_000)[0]


def _matrix(graph: nx.Graph, weight: str | None = None) -> csr_array:
    return csr_array(nx.to_scipy_sparse_array(graph, dtype=float, weight=weight, format="csr"))


TWO_TRIANGLES = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5)]
TEXTBOOK: dict[str, Callable[[], csr_array]] = {
    "two triangles": lambda: _matrix(nx.Graph(TWO_TRIANGLES)),
    "florentine": lambda: _matrix(nx.florentine_families_graph()),
    "caveman (4, 5)": lambda: _matrix(nx.connected_caveman_graph(4, 5)),
    "ring (10, 5)": lambda: _matrix(nx.ring_of_cliques(10, 5)),
    "ring (30, 5)": lambda: _matrix(nx.ring_of_cliques(30, 5)),
    "karate": lambda: _matrix(nx.karate_club_graph()),
    "davis": lambda: _matrix(nx.davis_southern_women_graph()),
    "Les Miserables": lambda: _matrix(nx.les_miserables_graph(), "weight"),
    "grid (10, 10)": lambda: _matrix(nx.grid_2d_graph(10, 10)),
}
ROWS = 10_000
TABLES: dict[str, Callable[[], np.ndarray]] = {
    "15 blobs": lambda: make_blobs(ROWS, 10, centers=15, cluster_std=2.0, random_state=0)[0],
    "50 blobs": lambda: make_blobs(ROWS, 2, centers=50, random_state=1)[0],
    "moons": lambda: make_moons(ROWS, noise=0.06, random_state=2)[0],
    "circles": lambda: make_circles(ROWS, noise=0.05, factor=0.5, random_state=3)[0],
    "square": lambda: np.random.default_rng(4).random((ROWS, 2)),
    "cube": lambda: np.random.default_rng(5).random((ROWS, 3)),
    "normal": lambda: np.random.default_rng(6).normal(size=(ROWS, 10)),
    "Swiss roll": lambda: make_swiss_roll(ROWS, noise=0.1, random_state=7)[0],
}
COLLECTED = ("dolphins", "football", "polbooks", "polblogs", "ca_grqc")


def is_here(name: str) -> bool:
    """Whether a graph can be made, or its file be read."""
    folder = data_folder(None, "graphs")
    return name not in COLLECTED or bool(folder and (folder / f"{name}.edges.csv").exists())


def named(name: str) -> csr_array:
    """A graph by its name: of a textbook, of LFR, of nearest neighbors, or of a file."""
    if name in TEXTBOOK:
        return TEXTBOOK[name]()
    if name in TABLES:
        source, target = kneighbors_graph(TABLES[name](), 10).nonzero()
        return _simple(source, target, ROWS)
    return collected(name)[0] if name in COLLECTED else lfr(name, 0)[0]


@cache
def collected(name: str) -> Planted:
    """A collected network as a simple graph, and its classes."""
    folder = data_folder(None, "graphs")
    rows = (folder / f"{name}.labels.csv").read_text("utf-8").splitlines()[1:]
    classes = np.unique([row.split(",")[1] for row in rows], return_inverse=True)[1]
    file = folder / f"{name}.edges.csv"
    edges = np.loadtxt(file, int, delimiter=",", skiprows=1, usecols=(0, 1))
    return _simple(*edges.T, len(rows)), classes


def _simple(source: np.ndarray, target: np.ndarray, n: int) -> csr_array:
    """Zeros and ones, both directions, without loops."""
    codes = np.unique(np.concatenate([source * n + target, target * n + source]))
    ends = np.array([codes // n, codes % n])[:, codes // n != codes % n]
    return csr_array((np.ones(ends.shape[1]), tuple(ends)), shape=(n, n))


def connected(name: str) -> tuple[csr_array, np.ndarray | None]:
    """The largest component, and its classes if the network was collected."""
    A = named(name)
    component = connected_components(A)[1]
    nodes = np.flatnonzero(component == np.bincount(component).argmax())
    return A[nodes][:, nodes], collected(name)[1][nodes] if name in COLLECTED else None


def edges_of(A: csr_array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each edge once: its ends and its weight."""
    upper = coo_array(A)
    once = upper.row < upper.col
    return upper.row[once], upper.col[once], upper.data[once]


def digest(A: csr_array) -> str:
    """A digest of the graph, whatever made it."""
    ordered = csr_array(A)
    ordered.sort_indices()
    parts = (ordered.indptr.astype(np.int64), ordered.indices.astype(np.int64), ordered.data)
    return sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:8]
