"""The objectives for partitions of a graph, each as a sparse Gram matrix with weights.

Hartigan's method maximizes Q = Σ_j Q_j/s_j for some G and w, and each cut, association and
modularity is such a Q, up to sign and constant. The main identity is G = 𝒲⁻¹ M 𝒲⁻¹: Q_j is then the
sum of M within cluster j, and Q the ratio association of M [FRV, eqs. 31 and 34].

[FRV]: G. França, M. L. Rizzo and J. T. Vogelstein, "Kernel k-groups via Hartigan's method", IEEE
Trans. PAMI 43 (2020).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from kgroups.gram import SparseGram
from kgroups.graphs.bethe_hessian import minus_bethe_hessian
from kgroups.input.adjacency import degrees, scaled, with_loops_twice
from kgroups.metrics.community_sums import CommunitySums
from kgroups.names import OBJECTIVES, registered
from kgroups.typing import Float64Array, IntArray


@dataclass(frozen=True, kw_only=True)
class GraphProblem:
    """A Gram matrix with weights, and the quantity that the objective is named after.

    ``named`` computes that quantity from Q and the number of clusters that have weight;
    ``measured``, if given, from labels, without the digits that a difference loses. Without
    ``ratio`` the objective is Σ Q_j instead of Σ Q_j/s_j. The quantity is proportional to
    (unit of A)^``edge_power`` · (unit of w)^``weight_power``.
    """

    gram: SparseGram
    weights: Float64Array
    named: Callable[[float, int], float]
    ratio: bool = True
    measured: Callable[[IntArray, int], float] | None = None
    edge_power: int = 0
    weight_power: int = 0

    def in_units(self, edge: float, weight: float) -> GraphProblem:
        """The same problem, with the quantities of a graph whose A and w are larger by factors."""
        # One after the other: their product may overflow where the quantity does not.
        first, second = edge**self.edge_power, np.float64(weight) ** self.weight_power
        named, measured = self.named, self.measured
        return replace(
            self,
            named=lambda Q, k: float(first * named(Q, k) * second),
            measured=None
            if measured is None
            else lambda z, k: float(first * measured(z, k) * second),
        )

    def together(self) -> float:
        """The value of Q if one cluster holds everything."""
        everything = float(self.weights @ self.gram.matmul(self.weights[:, None])[:, 0])
        return everything / float(self.weights.sum()) if self.ratio else everything


def bethe(A: csr_array, weights: Float64Array, r: float, resolution: float = 1.0) -> GraphProblem:
    """Q itself, to be maximized: G = −H_r, with the weights as they are [FRV, section 5.2]."""
    off, diagonal = minus_bethe_hessian(A, r)
    gram = SparseGram(off, diagonal=diagonal)
    return GraphProblem(gram=gram, weights=weights, named=lambda Q, _: Q, weight_power=1)


def ratio_association(
    A: csr_array, weights: Float64Array, r: float, resolution: float = 1.0
) -> GraphProblem:
    """Σ_j A(C_j, C_j) / w(C_j), to be maximized: G = 𝒲⁻¹A𝒲⁻¹ [FRV, eq. 31]."""
    return GraphProblem(
        gram=_over_weights(A, weights),
        weights=weights,
        named=lambda Q, _: Q,
        edge_power=1,
        weight_power=-1,
    )


def ratio_cut(
    A: csr_array, weights: Float64Array, r: float, resolution: float = 1.0
) -> GraphProblem:
    """Σ_j cut(C_j) / w(C_j), to be minimized: G = −𝒲⁻¹L𝒲⁻¹ with L = D − A [FRV, eq. 32]."""

    def measured(labels: IntArray, k: int) -> float:
        """The ratio cut, summed over the edges that are cut."""
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


def normalized_cut(
    A: csr_array, weights: Float64Array, r: float, resolution: float = 1.0
) -> GraphProblem:
    """Σ_j cut(C_j) / vol(C_j), to be minimized: 𝒲 = D, G = D⁻¹AD⁻¹, Ncut = k − Q.

    A self-loop has two ends, as in networkx. Given weights are not used, because 𝒲 is D.
    """
    ends = with_loops_twice(A)
    volumes = degrees(ends)
    return GraphProblem(
        gram=_over_weights(ends, volumes),
        weights=volumes,
        named=lambda Q, k: k - Q,
        measured=lambda labels, k: CommunitySums.of(A, labels, k).normalized_cut(),
    )


def modularity(
    A: csr_array, weights: Float64Array, r: float, resolution: float = 1.0
) -> GraphProblem:
    """Newman's modularity, to be maximized: (1/2m) Σ_j Q_j, G = A − γ dd'/2m, no denominators s_j.

    γ is the resolution. A self-loop has two ends, as in networkx. Every node has weight 1.
    """
    ends = with_loops_twice(A)
    volumes = degrees(ends)
    total = float(volumes.sum()) or 1.0
    gram = SparseGram(ends, columns=volumes[:, None], signs=np.array([-resolution / total]))
    ones = np.ones(len(weights))
    return GraphProblem(gram=gram, weights=ones, named=lambda Q, _: Q / total, ratio=False)


def constant_potts(
    A: csr_array, weights: Float64Array, r: float, resolution: float = 1.0
) -> GraphProblem:
    """Σ_j [m_j − γ n_j(n_j − 1)/2], to be maximized: m_j edges among the n_j nodes of cluster j.

    Each pair of nodes inside costs the resolution γ, so that communities are denser than γ inside
    and sparser between, whatever the size of the graph. With G = A − γ it is (Σ_j Q_j + γn)/2.

    Source: V. A. Traag, P. Van Dooren and Y. Nesterov, Phys. Rev. E 84, 016114 (2011).
    """
    ones = np.ones(len(weights))
    gram = SparseGram(with_loops_twice(A), columns=ones[:, None], signs=np.array([-resolution]))
    return GraphProblem(
        gram=gram,
        weights=ones,
        named=lambda Q, _: (Q + resolution * len(ones)) / 2.0,
        ratio=False,
        edge_power=1,
    )


def _over_weights(
    M: csr_array, weights: Float64Array, diagonal: Float64Array | None = None
) -> SparseGram:
    """The Gram matrix 𝒲⁻¹ (M + diag) 𝒲⁻¹, with zeros for nodes without weight."""
    extra = np.zeros(len(weights)) if diagonal is None else diagonal
    if (weights == 1.0).all():
        return SparseGram(M, diagonal=extra)
    inverse = np.divide(1.0, weights, out=np.zeros_like(weights), where=weights > 0)
    return SparseGram(scaled(M, inverse), diagonal=extra * inverse**2)


#: A function from (A, weights, r, resolution) to a problem.
Objective = Callable[[csr_array, Float64Array, float, float], GraphProblem]

BY_NAME: dict[str, Objective] = registered(
    OBJECTIVES,
    {
        "bethe_hessian": bethe,
        "ratio_association": ratio_association,
        "ratio_cut": ratio_cut,
        "normalized_cut": normalized_cut,
        "modularity": modularity,
        "cpm": constant_potts,
    },
)
#: Objectives for which negative weights of edges make sense.
SIGNED = ("auto", "bethe_hessian", "ratio_association")
#: Objectives that set the weights of nodes themselves.
OWN_WEIGHTS = ("normalized_cut", "modularity", "cpm")
#: Objectives that decide themselves how many communities there are, at a resolution.
FREE = ("modularity", "cpm")
