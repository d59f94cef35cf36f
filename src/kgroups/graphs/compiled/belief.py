"""Belief propagation on a sparse graph, message by message."""

import numpy as np

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IndexArray

# After this many factors, each at most a thousand, a product is brought back into range.
_FACTORS = 32


@jit
def normalized(values: Float64Array, out: Float64Array) -> None:
    """Writes values over their sum to ``out``; equal shares if all have vanished."""
    total = values.sum()
    for cluster in range(values.shape[0]):
        out[cluster] = values[cluster] / total if total > 0.0 else 1.0 / values.shape[0]


@jit
def propagate(
    indptr: IndexArray,
    reverse: IndexArray,
    activity: Float64Array,
    inside: float,
    across: float,
    messages: Float64Array,
    beliefs: Float64Array,
    n_rounds: int,
    tol: float,
) -> int:
    """Update beliefs node by node, in rounds, until they change by less than ``tol`` on average.

    ``messages[e]`` is what the edge's row tells its column about its own community;
    ``reverse[e]`` is the position of the edge in the other direction. An edge between nodes of
    activity a and b exists at the rate ``inside`` · a b within a community and ``across`` · a b
    between two. IN-OUT: messages (nnz, k) and beliefs (n, k). Returns the number of
    rounds.
    """
    n, k = beliefs.shape
    excess = inside / across - 1.0
    field = np.zeros(k)
    for node in range(n):
        field += activity[node] * beliefs[node]
    product, without, new = np.empty(k), np.empty(k), np.empty(k)
    for number in range(1, n_rounds + 1):
        change = 0.0
        for node in range(n):
            # Evidence from all nodes that are not neighbors: missing edges speak against large
            # communities.
            least = field.min()
            for c in range(k):
                product[c] = np.exp(-(inside - across) * activity[node] * (field[c] - least))
            for e in range(indptr[node], indptr[node + 1]):
                told = messages[reverse[e]]
                for c in range(k):
                    product[c] *= 1.0 + excess * told[c]
                if (e - indptr[node]) % _FACTORS == 0:
                    product /= product.max()
            for e in range(indptr[node], indptr[node + 1]):
                told = messages[reverse[e]]
                for c in range(k):
                    without[c] = product[c] / (1.0 + excess * told[c])
                normalized(without, messages[e])
            normalized(product, new)
            for c in range(k):
                change += abs(new[c] - beliefs[node, c])
                field[c] += activity[node] * (new[c] - beliefs[node, c])
                beliefs[node, c] = new[c]
        if change < tol * n:
            return number
    return n_rounds
