"""What the community estimators share: reading a graph, the number of communities, the answer."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import csr_array, eye_array
from sklearn.base import ClusterMixin

from kgroups.exceptions import ComponentsNotice
from kgroups.graphs.bethe_hessian import bethe_hessian
from kgroups.graphs.factors import ROUNDED, count_groups
from kgroups.graphs.spectrum import count_negative
from kgroups.input.adjacency import components, like, without_loops
from kgroups.input.estimator import Estimator
from kgroups.input.networks import check_network
from kgroups.input.parameters import check_integer
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.runtime.scaling import power_of_two
from kgroups.solvers.objective import sum_by_cluster
from kgroups.solvers.partition import largest_first
from kgroups.text import counted
from kgroups.typing import BoolArray, Float64Array, IntArray

# Sizes of components that a message lists.
_SHOWN = 5
# Below 0 by this share of r² − 1 an eigenvalue of a graph with random signs is once in 100 graphs.
_CHANCE = 0.03
# Weights whose sums of squares are safe without another unit.
_FAR = 1e30


class CommunityEstimator(ClusterMixin, Estimator):
    """Reading and bookkeeping for any estimator of communities."""

    n_clusters: Any
    r: Any
    random_state: Any
    labels_: IntArray
    n_clusters_: int

    def _read(self, A: Any, *, allow_negative: bool) -> csr_array:
        """A clean adjacency matrix, with a notice when it falls into components."""
        network = check_network(A, allow_negative=allow_negative)
        self.nodes_ = network.nodes
        matrix = without_own_similarity(network.adjacency)
        if matrix.nnz == 0:
            nodes = "1 node" if matrix.shape[0] == 1 else f"{matrix.shape[0]:,} nodes"
            raise ValueError(f"A has {nodes} and no edges: there are no communities to find.")
        self.n_features_in_ = matrix.shape[0]
        count, labels = components(matrix)
        self.component_sizes_ = -np.sort(-np.bincount(labels, minlength=count))
        if len(self.component_sizes_) > 1:
            warnings.warn(_in_pieces(self.component_sizes_), ComponentsNotice, stacklevel=3)
        return matrix

    @property
    def communities_(self) -> list[list[Any]]:
        """The nodes of each community, by the ids that the graph has for them.

        Nodes without an edge that have labels of their own come after the communities, each alone.
        """
        by_community = np.argsort(self.labels_, kind="stable")
        ends = np.cumsum(np.bincount(self.labels_, minlength=self.n_clusters_))
        return [self.nodes_[part].tolist() for part in np.split(by_community, ends[:-1])]

    def _check_parameters(self) -> None:
        if self._is_auto:
            return
        try:
            check_integer(self.n_clusters, "n_clusters")
        except ValueError as error:
            raise ValueError(
                f'n_clusters must be "auto" or an integer >= 1; got {self.n_clusters!r}.'
            ) from error

    @property
    def _is_auto(self) -> bool:
        return isinstance(self.n_clusters, str) and self.n_clusters == "auto"

    def __sklearn_tags__(self) -> Any:
        """A is a square matrix between nodes, sparse or not."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.sparse = True
        return tags


def number_of_communities(n_clusters: Any, A: csr_array, alive: BoolArray, r: float) -> int:
    """The number asked for, or that of the negative eigenvalues of the Bethe Hessian."""
    if not alive.any():
        raise ValueError("weights are positive for none of the nodes that have an edge.")
    if isinstance(n_clusters, str):
        progress.tell(Progress(phase="plan", note="counting negative eigenvalues"))
        return min(communities_by_bethe_hessian(A, r), int(alive.sum()))
    k, n = check_integer(n_clusters, "n_clusters"), A.shape[0]
    if k > n:
        raise ValueError(f"n_clusters={k} is more than the number of nodes, {n}.")
    if k > alive.sum():
        raise ValueError(
            f"n_clusters={k} is more than the number of nodes with an edge and weight, "
            f"{alive.sum()} of {n}; ask for at most {alive.sum()} communities."
        )
    return k


def communities_by_bethe_hessian(A: csr_array, r: float) -> int:
    """Negative eigenvalues of H_r; 1 when there are none, since every graph is one community.

    With negative weights, k groups that oppose each other have k − 1 such eigenvectors, and the
    constant vector is none of them: H_r sums to 0 or more. Where it sums to less, weights are so
    positive on the whole that the constant vector counts as one. Of weights that may be
    correlations, the factors behind them count instead: a common one hides others from H_r.
    """
    if A.data.min() >= 0:
        return max(1, count_negative(bethe_hessian(A, r)))
    of_correlations = count_groups(A)
    if of_correlations is not None:
        return of_correlations
    H = bethe_hessian(A, r)
    above_chance = _CHANCE * (r * r - 1.0) * eye_array(A.shape[0], format="csr")
    opposed = count_negative(csr_array(H + above_chance))
    return opposed + 1 if float(H.sum()) >= 0.0 else max(1, opposed)


def without_own_similarity(A: csr_array) -> csr_array:
    """The graph, without self-loops where they say that each node is like itself.

    They do if a weight is negative, or if weights differ and all nodes have the largest one: that
    is the diagonal of correlations and other similarities.
    """
    own, weights = A.diagonal(), A.data
    most = float(weights.max(initial=0.0))
    least = most * (1.0 - ROUNDED)  # the ones of correlations are rounded
    is_like_itself = own.min(initial=np.inf) >= least > weights.min(initial=most)
    return without_loops(A) if weights.min(initial=0.0) < 0 or is_like_itself else A


def has_edges(A: csr_array) -> BoolArray:
    """Which nodes have an edge."""
    return np.asarray(np.diff(A.indptr) > 0)


def in_units(A: csr_array) -> tuple[csr_array, float]:
    """Weights of edges in units in which no square or sum is beyond numbers, and the unit."""
    largest = float(np.abs(A.data).max())
    if 1.0 / _FAR <= largest <= _FAR:
        return A, 1.0
    unit = power_of_two(largest)
    return like(A, A.data / unit), unit


def permuted(A: csr_array, order: IntArray) -> csr_array:
    """The graph with its nodes in this order, and those of each row sorted."""
    matrix = csr_array(A[order][:, order])
    matrix.sort_indices()
    return matrix


def renumbered(labels: IntArray, weights: Float64Array, k: int) -> IntArray:
    """The labels with communities numbered by falling weight, then by first member."""
    order = largest_first(labels, np.ones(len(labels)), sum_by_cluster(labels, weights, k))
    return np.asarray(np.argsort(order)[labels], np.int64)


def _in_pieces(sizes: IntArray) -> str:
    alone, larger = int((sizes == 1).sum()), [f"{size:,}" for size in sizes[sizes > 1].tolist()]
    if len(larger) > _SHOWN:
        parts = [f"with {', '.join(larger[:_SHOWN])}, ... nodes"]
    elif len(larger) > 1:
        parts = [f"with {', '.join(larger[:-1])} and {larger[-1]} nodes"]
    else:
        parts = [f"one with {size} nodes" for size in larger]
    if alone:
        parts.append(counted(alone, "isolated node"))
    said = f"the graph is not connected: it has {len(sizes):,} components"
    return f"{said}, {', and '.join(parts)}."
