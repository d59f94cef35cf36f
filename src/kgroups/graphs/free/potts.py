"""A graph and what it costs a community to be large: modularity and the constant Potts model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from kgroups.gram.csr import Csr, contract
from kgroups.graphs.compiled.local_moves import weight_inside
from kgroups.input.adjacency import degrees, with_loops_twice
from kgroups.typing import Float64Array, IntArray


@dataclass(frozen=True, eq=False)
class PottsGraph:
    r"""Σ_C A(C, C) − rate · size(C)², where A(C, C) counts each edge inside a community twice.

    Newman's modularity, times 2m, has the degrees for sizes and resolution / 2m for the rate; the
    constant Potts model has sizes of 1. No community need be empty, and none need not be: the
    number of communities is free.
    """

    matrix: csr_array
    sizes: Float64Array
    rate: float

    @classmethod
    def of_modularity(cls, A: csr_array, resolution: float = 1.0) -> PottsGraph:
        """2m times the modularity; a self-loop has two ends."""
        ends = with_loops_twice(A)
        volumes = degrees(ends)
        return cls(ends, volumes, resolution / (float(volumes.sum()) or 1.0))

    @classmethod
    def of_constant(cls, A: csr_array, resolution: float) -> PottsGraph:
        """Twice the constant Potts model, less the number of nodes times the resolution."""
        return cls(with_loops_twice(A), np.ones(A.shape[0]), resolution)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.sizes)

    def value(self, labels: IntArray) -> float:
        """The sum for labels 0..n−1, O(edges)."""
        S, size = self.matrix, np.bincount(labels, weights=self.sizes)
        inside = weight_inside(S.indptr, S.indices, S.data, labels)
        return float(inside - self.rate * (size**2).sum())

    def contracted(self, groups: IntArray, n_groups: int) -> PottsGraph:
        """Groups of nodes as nodes: labels of groups have the value that they have here."""
        S = self.matrix
        entries = Csr.of(S.indptr, S.indices, S.data, self.n)
        matrix = contract(entries, np.ones(self.n), groups, n_groups)
        sizes = np.bincount(groups, weights=self.sizes, minlength=n_groups)
        return PottsGraph(matrix, sizes.astype(np.float64), self.rate)
