"""Edges as a file lists them, and the undirected graph that they make."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.exceptions import DataError
from kgroups.input.adjacency import ADDED, EITHER, both_directions, like
from kgroups.input.graph_files.graph import Graph
from kgroups.input.networks import drop_zeros
from kgroups.input.parallel_edges import summed
from kgroups.runtime.memory import require
from kgroups.text import counted
from kgroups.typing import Float64Array, IndexArray


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges as they are listed: positions in ``nodes``, and weights if the file has any."""

    source: IndexArray
    target: IndexArray
    weights: Float64Array | None
    nodes: NDArray[Any]
    notes: list[str] = field(default_factory=list)


def check_memory(n_edges: int) -> None:
    """MemoryError unless as many edges as were read fit once more, as a matrix is made of them."""
    require(
        40 * n_edges, what=f"A list of more than {n_edges:,} edges", instead="Keep fewer edges."
    )


def graph_of_edges(edges: Edges, notes: list[str], source: str) -> Graph:
    """The undirected graph; edges listed more than once are added, and notes say so."""
    n = len(edges.nodes)
    weights = np.ones(len(edges.source)) if edges.weights is None else edges.weights
    unweighted = edges.weights is None or bool(np.all(weights == 1))
    listed_ = summed(edges.source, edges.target, weights, n)
    repeats = len(weights) - listed_.nnz
    if repeats:
        lines_ = counted(repeats, "line repeats", "lines repeat")
        notes.append(f"{lines_} an edge in the same direction; weights were added.")
    notes.extend(drop_zeros(listed_))
    adjacency = _undirected(listed_, edges, notes, unweighted=unweighted)
    if not np.all(np.isfinite(adjacency.data)):
        raise DataError(f"{source}: sums of weights are too large for a float.")
    return Graph(adjacency, edges.nodes, tuple(notes), source)


def _undirected(
    directed: csr_array, edges: Edges, notes: list[str], *, unweighted: bool
) -> csr_array:
    """One graph of both directions; a note says how pairs listed both ways are read."""
    transposed = directed.T.tocsr()
    loops = int(np.count_nonzero(directed.diagonal()))
    ones = np.ones(directed.nnz, np.int8)
    both_ways = (like(directed, ones).multiply(like(transposed, ones)).nnz - loops) // 2
    n_pairs = directed.nnz - loops
    if not both_ways:
        return both_directions(directed)
    parts = ("indptr", "indices", "data")
    if 2 * both_ways == n_pairs and all(
        np.array_equal(getattr(directed, part), getattr(transposed, part)) for part in parts
    ):
        each = "the only edge" if both_ways == 1 else f"each of {both_ways:,} edges"
        notes.append(f"{each} is listed in both directions, and counted once.")
        return directed
    pairs = counted(both_ways, "pair of nodes is", "pairs of nodes are")
    notes.append(
        f"{pairs} listed in both directions, {n_pairs - 2 * both_ways:,} in one only. The graph is "
        f"read as directed and made undirected: {EITHER if unweighted else ADDED}."
    )
    if unweighted or edges.weights is None:
        return csr_array(directed.maximum(transposed))
    low, high = np.minimum(edges.source, edges.target), np.maximum(edges.source, edges.target)
    return both_directions(summed(low, high, edges.weights, len(edges.nodes)))
