"""What a partition of a graph is judged by, each as a sparse Gram matrix with weights.

Every objective is Q = Σ_j Q_j/s_j of some G and w, which Hartigan's method maximizes, and has a
name of its own: a cut, an association, a modularity. The paper's identity is G = 𝒲⁻¹ M 𝒲⁻¹, for
which Q_j is the sum of M within a cluster, and Q its ratio association [FRV eqs. 31 and 34].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from kgroups.gram import SparseGram
from kgroups.graphs.bethe_hessian import minus_bethe_hessian
from kgroups.input.adjacency import degrees, with_loops_twice
from kgroups.metrics.graph_scores import CommunitySums
from kgroups.names import OBJECTIVES, registered
from kgroups.typing import Float64Array, IntArray


@dataclass(frozen=True, kw_only=True)
class GraphProblem:
    """A Gram matrix with weights, and the quantity that goes by the objective's name.

    ``named`` makes that quantity from Q and the number of clusters that have weight; ``measured``,
    where it is there, from labels, without the digits that a difference loses. Without ``ratio``
    the objective is Σ Q_j instead of Σ Q_j/s_j. The quantity grows with the ``edge_power`` of the
    unit of A, and with the ``weight_power`` of that of the weights.
    """

    gram: SparseGram
    weights: Float64Array
    named: Callable[[float, int], float]
    ratio: bool = True
    measured: Callable[[IntArray, int], float] | None = None
    edge_power: int = 0
    weight_power: int = 0

    def in_units(self, edge: float, weight: float) -> GraphProblem:
        """The same problem, with quantities of graphs whose A and w are so many times as large."""
        unit = edge**self.edge_power * weight**self.weight_power
        named, measured = self.named, self.measured
        return replace(
            self,
            named=lambda Q, k: unit * named(Q, k),
            measured=None if measured is None else lambda z, k: unit * measured(z, k),
        )

    def together(self) -> float:
        """Q when one cluster holds everything."""
        everything = float(self.weights @ self.gram.matmul(self.weights[:, None])[:, 0])
        return everything / float(self.weights.sum()) if self.ratio else everything


def bethe(A: csr_array, weights: Float64Array, r: float) -> GraphProblem:
    """G = −H_r with the weights as they are: Q itself [FRV section 5.2]."""
    off, diagonal = minus_bethe_hessian(A, r)
    gram = SparseGram(off, diagonal=diagonal)
    return GraphProblem(gram=gram, weights=weights, named=lambda Q, _: Q, weight_power=1)


def ratio_association(A: csr_array, weights: Float64Array, r: float) -> GraphProblem:
    """Σ_j A(C_j, C_j) / w(C_j), to be maximized: G = 𝒲⁻¹A𝒲⁻¹ [FRV eq. 31]."""
    return GraphProblem(
        gram=_over_weights(A, weights),
        weights=weights,
        named=lambda Q, _: Q,
        edge_power=1,
        weight_power=-1,
    )


def ratio_cut(A: csr_array, weights: Float64Array, r: float) -> GraphProblem:
    """Σ_j cut(C_j) / w(C_j), to be minimized: G = −𝒲⁻¹L𝒲⁻¹ with L = D − A [FRV eq. 32]."""

    def measured(labels: IntArray, k: int) -> float:
        """From the edges that are cut."""
        shares = np.bincount(labels, weights=weights, minlength=k)
        return float((CommunitySums.of(A, labels, k).cut / shares).sum())

    return GraphProblem(
        gram=_over_weights(A, weights, -degrees(A)),
        weights=weights,
        named=lambda Q, _: -Q,
        measured=measured if weights.all() else None,
        edge_power=1,
        weight_power=-1,
    )


def normalized_cut(A: csr_array, weights: Float64Array, r: float) -> GraphProblem:
    """Σ_j cut(C_j) / vol(C_j), to be minimized: 𝒲 = D, G = D⁻¹AD⁻¹, Ncut = k − Q.

    A self-loop has two ends, as in networkx. Weights that are given are not used: they are D.
    """
    ends = with_loops_twice(A)
    volumes = degrees(ends)
    gram = _over_weights(ends, volumes)
    return GraphProblem(
        gram=gram,
        weights=volumes,
        named=lambda Q, k: k - Q,
        measured=lambda labels, k: CommunitySums.of(A, labels, k).normalized_cut(),
    )


def modularity(A: csr_array, weights: Float64Array, r: float) -> GraphProblem:
    """Newman's modularity, (1/2m) Σ_j Q_j for G = A − dd'/2m: a sum without denominators.

    A self-loop has two ends, as in networkx. Each node weighs 1.
    """
    ends = with_loops_twice(A)
    volumes = degrees(ends)
    total = float(volumes.sum()) or 1.0
    gram = SparseGram(ends, columns=volumes[:, None], signs=np.array([-1.0 / total]))
    ones = np.ones(len(weights))
    return GraphProblem(gram=gram, weights=ones, named=lambda Q, _: Q / total, ratio=False)


def _over_weights(
    M: csr_array, weights: Float64Array, diagonal: Float64Array | None = None
) -> SparseGram:
    """𝒲⁻¹ (M + diag) 𝒲⁻¹, with 0 for what has no weight."""
    extra = np.zeros(len(weights)) if diagonal is None else diagonal
    if (weights == 1.0).all():
        return SparseGram(M, diagonal=extra)
    inverse = np.divide(1.0, weights, out=np.zeros_like(weights), where=weights > 0)
    rows = np.repeat(inverse, np.diff(M.indptr))
    scaled = csr_array((M.data * rows * inverse[M.indices], M.indices, M.indptr), shape=M.shape)
    return SparseGram(scaled, diagonal=extra * inverse**2)


#: From (A, weights, r) to a problem.
Objective = Callable[[csr_array, Float64Array, float], GraphProblem]

BY_NAME: dict[str, Objective] = registered(
    OBJECTIVES,
    {
        "bethe_hessian": bethe,
        "ratio_association": ratio_association,
        "ratio_cut": ratio_cut,
        "normalized_cut": normalized_cut,
        "modularity": modularity,
    },
)
#: Those that weights below zero make sense for.
SIGNED = ("bethe_hessian", "ratio_association")
#: Those whose weights are not for the user to choose.
OWN_WEIGHTS = ("normalized_cut", "modularity")
