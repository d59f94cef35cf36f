"""How far partitions of the same nodes agree, by the pairs of nodes that are together in them."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from kgroups.typing import IntArray


def agreement(runs: Sequence[IntArray]) -> float:
    """The mean adjusted Rand index between all pairs of partitions; 1 for a single one."""
    pairs = [adjusted_rand(a, b) for a, b in combinations(runs, 2)]
    return float(np.mean(pairs)) if pairs else 1.0


def adjusted_rand(a: IntArray, b: IntArray) -> float:
    """The adjusted Rand index of two partitions, O(n log n) time and O(n) memory.

    Source: L. Hubert and P. Arabie, J. Classification 2 (1985), eq. 5.
    """
    together, in_a, in_b, all_pairs = _pairs_together(a, b)
    expected, most = in_a * in_b / max(all_pairs, 1.0), (in_a + in_b) / 2.0
    return 1.0 if most == expected else (together - expected) / (most - expected)


def nested(a: IntArray, b: IntArray) -> float:
    """Share of the pairs together in the finer partition that are together in the coarser one."""
    together, in_a, in_b, _ = _pairs_together(a, b)
    return together / min(in_a, in_b) if min(in_a, in_b) > 0 else 1.0


def _pairs_together(a: IntArray, b: IntArray) -> tuple[float, float, float, float]:
    """Numbers of pairs that are together in both partitions, in each, and of all pairs."""
    both = np.unique(a * (int(b.max()) + 1) + b, return_counts=True)[1]
    counts = (both, np.bincount(a), np.bincount(b), np.array([len(a)]))
    together, in_a, in_b, every = (float((s * (s - 1.0)).sum()) / 2.0 for s in counts)
    return together, in_a, in_b, every
