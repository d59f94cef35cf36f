"""How well communities fit a network, when nobody knows the true ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.input.adjacency import check_adjacency
from kgroups.input.networks import is_networkx, type_name
from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IntArray


class CommunitySums(NamedTuple):
    """Nodes and weight of the ends of edges by community; an edge, and a loop, has two ends.

    All scores are made of these. The weight inside and the cut are summed apart, and not one from
    the other and the volume, so that a cut of nothing is exactly 0.
    """

    size: IntArray  # (k,) nodes
    inside: Float64Array  # (k,) of edges whose other end is in the same community
    cut: Float64Array  # (k,) of edges whose other end is in another

    @classmethod
    def of(cls, A: csr_array, labels: IntArray, k: int, *, counted: bool = False) -> CommunitySums:
        """One pass over a clean matrix; ``counted`` takes every edge for one of weight 1."""
        ends = _add_ends(A.indptr, A.indices, A.data, labels, k, counted)
        return cls(np.bincount(labels, minlength=k), *ends)

    @property
    def volume(self) -> Float64Array:
        """Sum of the degrees of each community."""
        return np.asarray(self.inside + self.cut)

    def modularity(self, resolution: float = 1.0) -> float:
        """See :func:`modularity`."""
        volume = self.volume
        total = volume.sum()
        return float((self.inside / total - resolution * (volume / total) ** 2).sum())

    def coverage(self) -> float:
        """See :func:`coverage`, for sums that were counted."""
        return float(self.inside.sum() / self.volume.sum())

    def performance(self) -> float:
        """See :func:`performance`, for sums that were counted."""
        n = int(self.size.sum())
        apart = n**2 - int((self.size**2).sum())
        agreeing = float(self.inside.sum() + apart - self.cut.sum())
        return agreeing / (n * (n - 1)) if n > 1 else 1.0

    def normalized_cut(self) -> float:
        """See :func:`normalized_cut`."""
        return float(_share(self.cut, self.volume).sum())

    def conductance(self) -> Float64Array:
        """See :func:`conductance`."""
        volume = self.volume
        # The other side has no less than the cut, whatever is lost by rounding.
        others = np.maximum(volume.sum() - volume, self.cut)
        return _share(self.cut, np.minimum(volume, others))


def modularity(A: Any, labels: Any, *, resolution: float = 1.0) -> float:
    r"""Weight inside communities beyond what the degrees of the nodes would give by chance.

    .. math:: Q = \sum_c \left[ \frac{L_c}{m} - γ \left(\frac{\text{vol}_c}{2m}\right)^2 \right]

    with m the weight of all edges, L_c that of edges inside community c, and vol_c the sum of its
    degrees, in which a self-loop counts twice. At most 1; 0 for a single community and γ = 1.
    O(edges + n log n) time, O(n) memory; equal to ``networkx.community.modularity``.

    Parameters
    ----------
    A : sparse array or array (n, n), graph of networkx
        Symmetric weights of edges, not negative; zero is no edge.
    labels : array-like (n,), communities as sets of nodes, or dict
        The community of each node, in the order of the rows of A: numbers, strings or any kind. Or
        a list of sets, as algorithms of networkx return, or a dict from nodes to communities;
        nodes are those of the graph, 0..n−1 for a matrix.
    resolution : float, default=1.0
        γ; larger values favor smaller communities.

    Raises
    ------
    ValueError
        Without edges, for a label too many or too few, or a weight that is negative.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(modularity(path, ["a", "a", "b", "b"]), 6)
    0.166667

    References
    ----------
    Newman & Girvan, Phys. Rev. E 69, 026113 (2004); γ: Reichardt & Bornholdt, Phys. Rev. E 74,
    016110 (2006).
    """
    return _some_edges(_community_sums(A, labels), "modularity").modularity(resolution)


def coverage(A: Any, labels: Any) -> float:
    r"""Share of the edges that are inside communities.

    .. math:: \frac{|\{(i, j) \in E : z_i = z_j\}|}{|E|}

    Edges are counted, whatever they weigh, and a self-loop is an edge inside. 1 for a single
    community, so it says little without the number of communities. O(edges + n log n) time, O(n)
    memory; equal to the first of ``networkx.community.partition_quality``.

    Parameters
    ----------
    A, labels
        As for :func:`modularity`.

    Raises
    ------
    ValueError
        As for :func:`modularity`.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(coverage(path, [0, 0, 1, 1]), 6)
    0.666667

    References
    ----------
    Fortunato, Physics Reports 486 (2010).
    """
    return _some_edges(_community_sums(A, labels, counted=True), "coverage").coverage()


def performance(A: Any, labels: Any) -> float:
    r"""Share of all pairs of nodes on which the labels and the edges agree.

    .. math:: \frac{|\{i < j : A_{ij} > 0, z_i = z_j\}| + |\{i < j : A_{ij} = 0, z_i \ne z_j\}|}
              {n(n - 1)/2}

    Edges are counted, whatever they weigh. As in networkx a self-loop is one more edge inside, so
    that loops can carry the value above 1. 1 for a single node, which has no pairs. O(edges +
    n log n) time, O(n) memory; equal to the second of ``networkx.community.partition_quality``.

    Parameters
    ----------
    A, labels
        As for :func:`modularity`.

    Raises
    ------
    ValueError
        For a label too many or too few, or a weight that is negative.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(performance(path, [0, 0, 1, 1]), 6)
    0.833333

    References
    ----------
    Fortunato, Physics Reports 486 (2010).
    """
    return _community_sums(A, labels, counted=True).performance()


def cut_size(A: Any, labels: Any) -> float:
    r"""Weight of the edges between communities, each counted once.

    .. math:: \sum_{i < j} A_{ij} 1[z_i \ne z_j]

    O(edges + n log n) time, O(n) memory; for two communities equal to ``networkx.cut_size``.

    Parameters
    ----------
    A, labels
        As for :func:`modularity`.

    Raises
    ------
    ValueError
        For a label too many or too few, or a weight that is negative.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> cut_size(path, [0, 0, 1, 1])
    1.0

    References
    ----------
    Shi & Malik, IEEE Trans. PAMI 22 (2000).
    """
    return float(_community_sums(A, labels).cut.sum() / 2)


def normalized_cut(A: Any, labels: Any) -> float:
    r"""Share of its weight that each community sends to others, summed over communities.

    .. math:: \sum_c \frac{\text{cut}_c}{\text{vol}_c}

    with cut_c the weight of the edges that leave community c and vol_c the sum of its degrees, in
    which a self-loop counts twice. From 0 to k; a community without edges adds 0. O(edges +
    n log n) time, O(n) memory; for two communities equal to ``networkx.normalized_cut_size``.

    Parameters
    ----------
    A, labels
        As for :func:`modularity`.

    Raises
    ------
    ValueError
        For a label too many or too few, or a weight that is negative.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(normalized_cut(path, [0, 0, 1, 1]), 6)
    0.666667

    References
    ----------
    Shi & Malik, IEEE Trans. PAMI 22 (2000); Yu & Shi, ICCV 2003, for k communities.
    """
    return _community_sums(A, labels).normalized_cut()


def conductance(A: Any, labels: Any) -> Float64Array:
    r"""Weight that leaves each community, relative to the smaller side of that cut.

    .. math:: φ_c = \frac{\text{cut}_c}{\min(\text{vol}_c, \text{vol}_{\bar c})}

    with vol the sum of degrees, in which a self-loop counts twice. From 0 to 1; 0 where one side
    has no edges, as for a single community. O(edges + n log n) time, O(n) memory; equal to
    ``networkx.conductance``.

    Parameters
    ----------
    A, labels
        As for :func:`modularity`.

    Returns
    -------
    array (k,)
        One value a community, in the order of ``numpy.unique(labels)``; sets keep their order.

    Raises
    ------
    ValueError
        For a label too many or too few, or a weight that is negative.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> conductance(path, [0, 1, 1, 1]).tolist()
    [1.0, 1.0]

    References
    ----------
    Kannan, Vempala & Vetta, J. ACM 51 (2004).
    """
    return _community_sums(A, labels).conductance()


def _community_sums(A: Any, labels: Any, *, counted: bool = False) -> CommunitySums:
    matrix = check_adjacency(A)
    codes, k = _communities(_by_node(A, labels, matrix.shape[0]), matrix.shape[0])
    return CommunitySums.of(matrix, codes, k, counted=counted)


def _by_node(A: Any, labels: Any, n: int) -> Any:
    """One label a node, also from sets of nodes and from a dict."""
    if isinstance(labels, Mapping):
        return _looked_up(labels, _node_ids(A, n))
    if not isinstance(labels, (list, tuple, type({}.values()))):
        return labels
    parts = list(labels)
    if not any(isinstance(part, (set, frozenset)) for part in parts):
        return labels if isinstance(labels, (list, tuple)) else parts
    return _looked_up(_memberships(parts), _node_ids(A, n))


def _node_ids(A: Any, n: int) -> list[Any]:
    """What the nodes of a graph are called; numbers for a matrix."""
    if is_networkx(A):
        return list(A)
    nodes = getattr(A, "nodes", None)
    return nodes.tolist() if isinstance(nodes, np.ndarray) else list(range(n))


def _memberships(parts: Iterable[Any]) -> dict[Any, int]:
    """The place of its set for each node."""
    place: dict[Any, int] = {}
    for c, part in enumerate(parts):
        if not isinstance(part, (set, frozenset)):
            raise TypeError(
                f"labels must hold a label a node, or be a list of sets of nodes; community {c} is "
                f"a {type_name(part)}."
            )
        for node in part:
            if place.setdefault(node, c) != c:
                raise ValueError(
                    f"labels: node {node!r} is in communities {place[node]} and {c}; put it in one."
                )
    return place


def _looked_up(place: Mapping[Any, Any], nodes: list[Any]) -> list[Any]:
    missing = next((node for node in nodes if node not in place), None)
    if missing is not None:
        raise ValueError(f"labels: node {missing!r} of A has no community; give every node one.")
    if len(place) > len(nodes):
        known = set(nodes)
        other = next(node for node in place if node not in known)
        raise ValueError(
            f"labels: {other!r} is no node of A; sets and dicts hold nodes as A calls them, such "
            f"as {nodes[0]!r}."
        )
    return [place[node] for node in nodes]


def _communities(labels: Any, n: int) -> tuple[IntArray, int]:
    """Labels as 0..k−1 in sorted order, and k."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(
            f"labels must hold one community for each of the {n} nodes of A, or be a list of sets "
            f"of nodes or a dict; got shape {array.shape}."
        )
    names, codes = np.unique(array, return_inverse=True)
    return codes, len(names)


def _some_edges(sums: CommunitySums, score: str) -> CommunitySums:
    if not sums.volume.any():
        raise ValueError(f"{score} is a share of the edges, and A has none; give it at least one.")
    return sums


def _share(part: Float64Array, whole: Float64Array) -> Float64Array:
    """Part / whole, and 0 for nothing of nothing."""
    return np.divide(part, whole, out=np.zeros_like(part), where=part > 0)


@jit
def _add_ends(
    indptr: NDArray[np.integer[Any]],
    indices: NDArray[np.integer[Any]],
    data: Float64Array,
    codes: IntArray,
    k: int,
    counted: bool,
) -> tuple[Float64Array, Float64Array]:
    """Weight of the ends of edges inside each community, and of those that leave it."""
    inside, cut = np.zeros(k), np.zeros(k)
    for i in range(len(indptr) - 1):
        own = codes[i]
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            weight = 1.0 if counted else data[e]
            if codes[j] != own:
                cut[own] += weight
            else:
                inside[own] += 2 * weight if i == j else weight
    return inside, cut
