"""The number of communities of a network."""

from kgroups.graphs.bethe_hessian import regularizer
from kgroups.graphs.community_estimator import communities_by_bethe_hessian, without_own_similarity
from kgroups.input.networks import GraphLike, check_adjacency


def bethe_hessian_n_communities(A: GraphLike, *, r: float | str = "average_degree") -> int:
    r"""Number of communities as the number of negative eigenvalues of the Bethe Hessian.

    .. math:: \#\{p : λ_p(H_r) < 0\}, \qquad H_r = (r^2 - 1) I - r A + D

    With negative weights, eigenvalues that chance gives do not count, and of correlations their
    factors do. Self-loops do not count there, nor where all nodes have the largest of the weights.

    Eigenvalues are counted by the signs of the pivots of a sparse factorization if that fits, and
    otherwise by Lanczos iterations until a positive one appears. Above the detectability threshold
    every planted community has one negative eigenvalue; a graph without structure has one in total,
    or in about one of twenty cases two, because random fluctuations reach the threshold. The answer
    is at least 1. Memory is O(edges) if the graph has a small core, and at most O(core²) for a core
    of up to 6,000 nodes.

    Parameters
    ----------
    A : sparse array (n, n), array (n, n), networkx graph or Graph
        Weights may be negative.
    r : float or "average_degree", default="average_degree"
        Regularizer; "average_degree" is √(mean degree).

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If A is not square, symmetric and finite, or r is not valid.

    Examples
    --------
    >>> import numpy as np
    >>> bethe_hessian_n_communities(np.kron(np.eye(3), np.ones((4, 4)) - np.eye(4)))
    3

    References
    ----------
    [SKZ] A. Saade, F. Krzakala and L. Zdeborová, "Spectral Clustering of Graphs with the Bethe
    Hessian", NeurIPS 2014.
    """
    matrix = without_own_similarity(check_adjacency(A, allow_negative=True))
    return communities_by_bethe_hessian(matrix, regularizer(matrix, r))
