"""Random graphs with the degrees of a given one."""

from kgroups.runtime.jit import jit
from kgroups.typing import Float64Array, IndexArray, IntArray


@jit
def swap_ends(
    indptr: IndexArray,
    indices: IndexArray,
    data: Float64Array,
    rows: IntArray,
    back: IntArray,
    drawn: IntArray,
) -> int:
    """Pairs of edges a–b, c–d become a–d, c–b, unless that makes a loop or a second edge.

    IN-OUT: ``indices`` and ``data``, whose rows lose their order, and ``back``, the position of
    (j, i) for each entry (i, j). ``drawn`` (2, tries) holds positions. Weights go with the first
    nodes. Returns the number of swaps. O(degree) a try.
    """
    swaps = 0
    for turn in range(drawn.shape[1]):
        e, f = drawn[0, turn], drawn[1, turn]
        a, b, c, d = rows[e], indices[e], rows[f], indices[f]
        is_loop = a in (b, d) or c in (b, d)
        if is_loop or a == c or b == d:
            continue
        if is_linked(indptr, indices, a, d) or is_linked(indptr, indices, c, b):
            continue
        e_back, f_back = back[e], back[f]
        indices[e], indices[f], indices[e_back], indices[f_back] = d, b, c, a
        data[e_back], data[f_back] = data[f], data[e]
        back[e], back[f_back], back[f], back[e_back] = f_back, e, e_back, f
        swaps += 1
    return swaps


@jit
def is_linked(indptr: IndexArray, indices: IndexArray, node: int, other: int) -> bool:
    """Whether there is an edge between two nodes."""
    return bool((indices[indptr[node] : indptr[node + 1]] == other).any())
