"""Scores of a partition of a graph, from their definitions: node by node and edge by edge."""

from __future__ import annotations

import numpy as np

from tests.oracle import Labels, Long, cuts, over, volumes


def conductance(A: Long, labels: Labels, k: int) -> Long:
    """cut_c over the smaller of the two volumes."""
    volume, cut = volumes(A, labels, k), cuts(A, labels, k)
    return over(cut, np.minimum(volume, volume.sum() - volume))


def coverage(A: Long, labels: Labels) -> float:
    """The share of edges inside, loops among them."""
    edges = [(i, j) for i, j in np.argwhere(A != 0) if i <= j]
    return sum(labels[i] == labels[j] for i, j in edges) / len(edges)


def performance(A: Long, labels: Labels) -> float:
    """The share of pairs on which edges and labels agree; self-loops do not count."""
    n = len(A)
    inside = sum(labels[i] == labels[j] for i, j in np.argwhere(A != 0) if i < j)
    apart = sum(A[i, j] == 0 and labels[i] != labels[j] for i in range(n) for j in range(i))
    return (inside + apart) / (n * (n - 1) / 2) if n > 1 else 1.0
