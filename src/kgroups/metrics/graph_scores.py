"""How well communities fit a network, when the true ones are not known."""

from kgroups.input.networks import GraphLike, check_network
from kgroups.metrics.community_labels import Communities, community_codes
from kgroups.metrics.community_sums import CommunitySums
from kgroups.typing import Float64Array


def modularity(A: GraphLike, labels: Communities, *, resolution: float = 1.0) -> float:
    r"""Share of weight inside communities beyond what the degrees alone would give by chance.

    .. math:: Q = \sum_c \left[ \frac{L_c}{m} - γ \left(\frac{\text{vol}_c}{2m}\right)^2 \right]

    with m the weight of all edges, L_c that of edges inside community c, and vol_c the sum of its
    degrees, in which a self-loop counts twice. O(edges + n log n) time, O(n) memory; equal to
    ``networkx.community.modularity``.

    Parameters
    ----------
    A : sparse array or array (n, n), graph of networkx
        Symmetric, nonnegative weights of edges; zero means that there is no edge.
    labels : array-like (n,), communities as sets or lists of nodes, or dict
        The community of each node, in the order of the rows of A: numbers, strings or labels of
        any kind, none of them missing. Or the nodes of each community, as ``model.communities_``
        and algorithms of networkx and igraph have them, or a dict from nodes to communities; both
        name nodes as the graph does, 0..n−1 for a matrix.
    resolution : float, default=1.0
        γ; larger values favor smaller communities.

    Returns
    -------
    float <= 1
        It is 0 for a single community with γ = 1.

    Raises
    ------
    ValueError
        If A has no edges or a negative weight, or labels are too many, too few or missing.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(modularity(path, ["a", "a", "b", "b"]), 6)
    0.166667

    References
    ----------
    M. E. J. Newman and M. Girvan, "Finding and evaluating community structure in networks",
    Phys. Rev. E 69, 026113 (2004). γ: J. Reichardt and S. Bornholdt, "Statistical mechanics of
    community detection", Phys. Rev. E 74, 016110 (2006).
    """
    return _some_edges(_community_sums(A, labels), "modularity").modularity(resolution)


def coverage(A: GraphLike, labels: Communities) -> float:
    r"""Share of the edges that are inside communities.

    .. math:: \frac{|\{(i, j) \in E : z_i = z_j\}|}{|E|}

    Edges are counted, whatever their weight, and a self-loop is an edge inside. O(edges + n log n)
    time, O(n) memory; equal to the first of ``networkx.community.partition_quality``.

    Parameters
    ----------
    A, labels : the same as for :func:`modularity`

    Returns
    -------
    float in [0, 1]
        It is 1 for a single community, so it says little without the number of communities.

    Raises
    ------
    ValueError
        Under the same conditions as for :func:`modularity`.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(coverage(path, [0, 0, 1, 1]), 6)
    0.666667

    References
    ----------
    S. Fortunato, "Community detection in graphs", Physics Reports 486, 75-174 (2010).
    """
    return _some_edges(_community_sums(A, labels, counted=True), "coverage").coverage()


def performance(A: GraphLike, labels: Communities) -> float:
    r"""Share of all pairs of nodes on which the labels and the edges agree.

    .. math:: \frac{|\{i < j : A_{ij} > 0, z_i = z_j\}| + |\{i < j : A_{ij} = 0, z_i \ne z_j\}|}
              {n(n - 1)/2}

    Edges are counted, whatever their weight; self-loops are not, because a node is not a pair.
    O(edges + n log n) time, O(n) memory; equal to the second of
    ``networkx.community.partition_quality`` for the network without its loops, which
    it counts as edges inside.

    Parameters
    ----------
    A, labels : the same as for :func:`modularity`

    Returns
    -------
    float in [0, 1]
        1 for a single node, which has no pairs.

    Raises
    ------
    ValueError
        If a weight is negative, or labels are too many, too few or missing.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(performance(path, [0, 0, 1, 1]), 6)
    0.833333

    References
    ----------
    S. Fortunato, "Community detection in graphs", Physics Reports 486, 75-174 (2010).
    """
    return _community_sums(A, labels, counted=True).performance()


def cut_size(A: GraphLike, labels: Communities) -> float:
    r"""Weight of the edges between communities, each counted once.

    .. math:: \sum_{i < j} A_{ij} 1[z_i \ne z_j]

    O(edges + n log n) time, O(n) memory; equal to ``networkx.cut_size`` for two communities.

    Parameters
    ----------
    A, labels : the same as for :func:`modularity`

    Returns
    -------
    float >= 0
        It is 0 if there are no edges between communities.

    Raises
    ------
    ValueError
        If A has a negative weight, or not every node has one label.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> cut_size(path, [0, 0, 1, 1])
    1.0

    References
    ----------
    J. Shi and J. Malik, "Normalized cuts and image segmentation", IEEE Trans. PAMI 22 (2000).
    """
    return float(_community_sums(A, labels).cut.sum() / 2)


def normalized_cut(A: GraphLike, labels: Communities) -> float:
    r"""Share of its weight that each community sends to others, summed over communities.

    .. math:: \sum_c \frac{\text{cut}_c}{\text{vol}_c}

    with cut_c the weight of the edges that leave community c and vol_c the sum of its degrees, in
    which a self-loop counts twice. O(edges + n log n) time, O(n) memory; equal to
    ``networkx.normalized_cut_size`` for two communities.

    Parameters
    ----------
    A, labels : the same as for :func:`modularity`

    Returns
    -------
    float in [0, k]
        A community without edges adds 0.

    Raises
    ------
    ValueError
        If some weight of A is negative, or a node has no label or several.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> round(normalized_cut(path, [0, 0, 1, 1]), 6)
    0.666667

    References
    ----------
    J. Shi and J. Malik, "Normalized cuts and image segmentation", IEEE Trans. PAMI 22 (2000);
    for k communities: S. X. Yu and J. Shi, "Multiclass spectral clustering", ICCV 2003.
    """
    return _community_sums(A, labels).normalized_cut()


def conductance(A: GraphLike, labels: Communities) -> Float64Array:
    r"""Weight that leaves each community, relative to the smaller side of that cut.

    .. math:: φ_c = \frac{\text{cut}_c}{\min(\text{vol}_c, \text{vol}_{\bar c})}

    with vol the sum of degrees, in which a self-loop counts twice. O(edges + n log n) time, O(n)
    memory; equal to ``networkx.conductance``.

    Parameters
    ----------
    A, labels : the same as for :func:`modularity`

    Returns
    -------
    array (k,)
        One value from 0 to 1 per community, in the order of ``numpy.unique(labels)``; sets keep
        their order. It is 0 where one side has no edges, as for a single community.

    Raises
    ------
    ValueError
        If A has a negative weight, or labels are too many, too few or missing.

    Examples
    --------
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> conductance(path, [0, 1, 1, 1]).tolist()
    [1.0, 1.0]

    References
    ----------
    R. Kannan, S. Vempala and A. Vetta, "On clusterings: good, bad and spectral", J. ACM 51 (2004).
    """
    return _community_sums(A, labels).conductance()


def _community_sums(A: GraphLike, labels: Communities, *, counted: bool = False) -> CommunitySums:
    network = check_network(A)
    codes, k = community_codes(network.nodes, labels)
    return CommunitySums.of(network.adjacency, codes, k, counted=counted)


def _some_edges(sums: CommunitySums, score: str) -> CommunitySums:
    if not sums.volume.any():
        raise ValueError(f"{score} is a share of the edges, and A has none; give it at least one.")
    return sums
