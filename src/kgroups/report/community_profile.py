"""What communities look like from outside: sizes, edges kept and lost, and who stands out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.input.adjacency import degrees, with_loops_twice
from kgroups.layout import Block, Table, tied
from kgroups.metrics.community_sums import CommunitySums
from kgroups.text import counted, short
from kgroups.typing import Float64Array, IntArray

#: Members named for a community.
N_MEMBERS = 3
#: Communities that are shown, of any number.
N_SHOWN = 20
_LONGEST_NAME = 28


class Member(NamedTuple):
    """A node by the id that its graph has for it, and its degree."""

    node: int | str
    degree: float


class CommunityScores(NamedTuple):
    """Scores that need no known communities; None where weights below zero leave one undefined."""

    modularity: float | None
    coverage: float
    performance: float
    normalized_cut: float | None


@dataclass(frozen=True, kw_only=True)
class CommunityProfile:
    """One community; edges are counted, and ``conductance`` is by their weight."""

    nodes: int
    share: float
    edges_inside: int
    edges_leaving: int
    weight_inside: float
    weight_leaving: float
    conductance: float | None
    best_connected: tuple[Member, ...]


@dataclass(frozen=True, eq=False)
class Portrait:
    """A partition as the scores see it: sums over edges by community, counted and by weight."""

    counted: CommunitySums
    weighed: CommunitySums
    is_signed: bool

    @classmethod
    def of(cls, A: csr_array, labels: IntArray, k: int) -> Portrait:
        """Two passes over the edges of a clean matrix, or one if all weights are 1."""
        plain = CommunitySums.of(A, labels, k, counted=True)
        weighed = CommunitySums.of(A, labels, k) if (A.data != 1).any() else plain
        return cls(plain, weighed, bool(A.data.min(initial=0) < 0))

    @property
    def conductances(self) -> list[float | None]:
        """One per community; unknown where weights are negative or there are no edges."""
        if self.is_signed:
            return [None] * len(self.weighed.size)
        shares = zip(self.weighed.conductance(), self.counted.volume, strict=True)
        return [float(share) if ends else None for share, ends in shares]

    def scores(self) -> CommunityScores:
        """All scores of the partition."""
        return CommunityScores(
            modularity=None if self.is_signed else self.weighed.modularity(),
            coverage=self.counted.coverage(),
            performance=self.counted.performance(),
            normalized_cut=None if self.is_signed else self.weighed.normalized_cut(),
        )


def community_profiles(
    portrait: Portrait, members: list[tuple[Member, ...]]
) -> tuple[CommunityProfile, ...]:
    """Each community for which there are members, in the order of the labels."""
    plain, weighed = portrait.counted, portrait.weighed
    n = int(plain.size.sum())
    return tuple(
        CommunityProfile(
            nodes=int(plain.size[j]),
            share=int(plain.size[j]) / n,
            edges_inside=round(plain.inside[j] / 2),
            edges_leaving=round(plain.cut[j]),
            weight_inside=float(weighed.inside[j] / 2),
            weight_leaving=float(weighed.cut[j]),
            conductance=conductance,
            best_connected=members[j],
        )
        for j, conductance in enumerate(portrait.conductances[: len(members)])
    )


def best_connected(
    degree: Float64Array, labels: IntArray, k: int, nodes: NDArray[Any]
) -> list[tuple[Member, ...]]:
    """The members of largest degree of communities 0..k−1, the first of equals. O(n log n)."""
    order = np.lexsort((-degree, labels))
    ends = np.cumsum(np.bincount(labels, minlength=k)[:k])
    return [
        tuple(_member(nodes[i], degree[i]) for i in own[:N_MEMBERS])
        for own in np.split(order[: ends[-1]], ends[:-1])
    ]


def node_degrees(A: csr_array, *, is_signed: bool) -> Float64Array:
    """Sum of the weights at each node, a self-loop twice; numbers of edges if some are negative."""
    if is_signed:
        A = csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    return degrees(with_loops_twice(A))


def community_table(
    communities: Sequence[CommunityProfile], degree: str, *, is_signed: bool
) -> Block:
    """The first communities, one line each, and a line on the others; ``degree`` names a column.

    Conductance is left out where weights below zero leave it undefined.
    """
    head = [
        "community", "nodes", "share", "edges inside", "edges leaving", "conductance",
        f"best connected ({degree})",
    ]  # fmt: skip
    rows = [head, *(_row(j, c) for j, c in enumerate(communities[:N_SHOWN]))]
    if is_signed:
        rows = [[*row[:5], row[6]] for row in rows]
    words = [len(rows[0]) - 1]
    return [Table(rows, left=words, words=words), *_rest(communities[N_SHOWN:])]


def decimal(value: float | None) -> str:
    """Four decimals, and a dash for what is undefined.

    >>> decimal(0.5), decimal(None), decimal(-1e-17)
    ('0.5000', '-', '0.0000')
    """
    # Adding zero takes the sign from a number that is zero up to rounding.
    return "-" if value is None else f"{round(value, 4) + 0.0:.4f}"


def _row(number: int, community: CommunityProfile) -> list[str]:
    return [
        str(number),
        f"{community.nodes:,}",
        f"{community.share:.1%}",
        f"{community.edges_inside:,}",
        f"{community.edges_leaving:,}",
        decimal(community.conductance),
        ", ".join(
            tied(f"{short(node, _LONGEST_NAME)} ({degree:,.6g})")
            for node, degree in community.best_connected
        ),
    ]


def _rest(others: Sequence[CommunityProfile]) -> list[str]:
    """One line about the communities that are not shown."""
    if not others:
        return []
    sizes = [community.nodes for community in others]
    few, many = min(sizes), max(sizes)
    span = counted(many, "node") if few == many else f"{few:,} to {counted(many, 'node')}"
    return [f"and {len(others):,} more with {span}"]


def _member(node: Any, degree: float) -> Member:
    is_integer = isinstance(node, (int, np.integer)) and not isinstance(node, bool)
    return Member(int(node) if is_integer else str(node), float(degree))
