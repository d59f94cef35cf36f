"""The report of the communities of a graph."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kgroups.fit.fitted import FittedGraphKGroups
from kgroups.input.adjacency import components
from kgroups.layout import Block, Heading, Labeled, Page, laid_out
from kgroups.report.community_number import Decision, bits
from kgroups.report.community_profile import (
    CommunityProfile,
    CommunityScores,
    Portrait,
    best_connected,
    community_profiles,
    community_table,
    decimal,
    node_degrees,
)
from kgroups.report.community_search import Starts, search_of
from kgroups.report.in_words import end_text
from kgroups.report.known_labels import TruthScores, truth_scores
from kgroups.report.run_record import RunRecord
from kgroups.text import counted, printable
from kgroups.typing import IntArray
from kgroups.version import __version__

if TYPE_CHECKING:
    from kgroups.graphs import Graph

SCHEMA = "kgroups.communities/1"
# What objectives are called; two of them are scores.
_OBJECTIVES = {
    "bethe_hessian": "Q of the Bethe Hessian",
    "ratio_association": "ratio association",
    "ratio_cut": "ratio cut",
    "normalized_cut": "normalized cut",
    "modularity": "modularity",
    "cpm": "constant Potts value",
}
# What scores mean.
_MEANING = {
    "modularity": "edges inside communities beyond what chance gives",
    "coverage": "share of the edges inside communities",
    "performance": "share of the node pairs that are linked inside or not linked across",
    "normalized cut": "share of edge ends that leave, summed over communities",
    "Q of the Bethe Hessian": "larger is better",
    "evidence": "how much communities shorten the description of the graph; below 0, not at all",
    "agreement": "mean adjusted Rand index between independent searches; 1 is the same communities",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class CommunityReport:
    """A graph, its communities and how they were found; make one with :meth:`of`."""

    source: str
    n_nodes: int
    #: Self-loops included.
    n_edges: int
    n_loops: int
    #: Nodes without any edge.
    n_isolated: int
    is_weighted: bool
    is_signed: bool
    total_weight: float
    component_sizes: tuple[int, ...]
    #: Why there are so many communities.
    decision: Decision
    #: Those that hold an edge; nodes without one may have labels of their own after these.
    communities: tuple[CommunityProfile, ...]
    #: What was optimized in the end.
    objective: str
    objective_value: float
    #: None for an objective that has none.
    resolution: float | None
    scores: CommunityScores
    starts: Starts
    n_iter: int
    n_moves: int
    converged: bool
    exactness: str
    #: None where the Bethe Hessian was not used.
    r: float | None
    random_state: int | None
    #: The nodes by the ids that the graph has for them, and the community of each.
    nodes: NDArray[Any]
    labels: IntArray
    truth_scores: TruthScores | None = None
    truth_source: str = "the known communities"
    #: Nodes of the file that are in no community, because another component has them.
    n_left_out: int = 0
    #: Communities that hold edges of several components.
    n_across: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    #: The parameters of the estimator, with what stood for r and for the number of starts.
    settings: Mapping[str, Any] = field(default_factory=dict)
    run: RunRecord | None = None

    @classmethod
    def of(
        cls,
        model: FittedGraphKGroups,
        graph: Graph,
        *,
        labels_true: Collection[object] | None = None,
        truth_source: str = "the known communities",
        n_left_out: int = 0,
        seconds: float = 0.0,
        notes: tuple[str, ...] = (),
    ) -> Self:
        """The report of a fitted estimator. O(edges + n log n).

        Parameters
        ----------
        model : fitted GraphKGroups
        graph : Graph
            The one that ``model`` was fitted to.
        labels_true : sequence of n labels, or None
            Known communities to score against; None among them is a node that has none.
        truth_source : str
            What the known communities are called.
        n_left_out : int
            Nodes of the file that are in no community, because another component has them.
        seconds : float
            How long it took.
        notes : tuple of str
            What the reader should know of the data and the result.
        """
        A, k = graph.adjacency, int(model.n_clusters_)
        portrait = Portrait.of(A, model.labels_, max(k, int(model.labels_.max()) + 1))
        degree = node_degrees(A, is_signed=portrait.is_signed)
        members = best_connected(degree, model.labels_, k, graph.nodes)
        return cls(
            source=graph.source or "graph",
            n_nodes=graph.n_nodes,
            n_edges=graph.n_edges,
            n_loops=int(np.count_nonzero(A.diagonal())),
            n_isolated=int(np.count_nonzero(np.diff(A.indptr) == 0)),
            is_weighted=graph.is_weighted,
            is_signed=portrait.is_signed,
            total_weight=float(portrait.weighed.volume.sum() / 2),
            nodes=graph.nodes,
            labels=np.array(model.labels_),
            communities=community_profiles(portrait, members),
            scores=portrait.scores(),
            truth_scores=None if labels_true is None else truth_scores(labels_true, model.labels_),
            truth_source=truth_source,
            n_left_out=n_left_out,
            n_across=_across(A, model.labels_),
            seconds=seconds,
            notes=notes,
            **search_of(model),
        )

    @property
    def n_communities(self) -> int:
        """Number of communities."""
        return len(self.communities)

    @property
    def n_alone(self) -> int:
        """Number of nodes that have a label of their own, because they have no edge."""
        return int(np.count_nonzero(self.labels >= self.n_communities))

    @property
    def mean_degree(self) -> float:
        """Edge ends per node, whatever the edges weigh."""
        return 2 * self.n_edges / self.n_nodes

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; its keys stay what they are for ``kgroups.communities/1``.

        A number that is not finite, as sums of huge weights may be, is None.
        """
        report = {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            "source": self.source,
            "nodes": self.n_nodes,
            "edges": self.n_edges,
            "self_loops": self.n_loops,
            "edges_between": self.n_edges - self.n_loops,
            "isolated": self.n_isolated,
            "left_out": self.n_left_out,
            "weighted": self.is_weighted,
            "total_weight": self.total_weight,
            "mean_degree": self.mean_degree,
            "n_components": len(self.component_sizes),
            "component_sizes": list(self.component_sizes),
            "n_communities": self.n_communities,
            **self.decision.to_dict(),
            "communities": [
                {"community": j, **_profile_dict(c)} for j, c in enumerate(self.communities)
            ],
            "objective": {
                "name": self.objective,
                "value": self.objective_value,
                "resolution": self.resolution,
            },
            "scores": self.scores._asdict(),
            "truth_scores": None if self.truth_scores is None else self.truth_scores._asdict(),
            "starts": {
                "n": len(self.starts.names),
                "names": list(self.starts.names),
                "kinds": dict(Counter(self.starts.names)),
                "values": list(self.starts.values),
                "selected_by": self.starts.selected_by,
                "kept": self.starts.kept,
                "at_best": self.starts.n_at_best,
            },
            "n_iter": self.n_iter,
            "n_moves": self.n_moves,
            "converged": self.converged,
            "exactness": self.exactness,
            "r": self.r,
            "random_state": self.random_state,
            "seconds": self.seconds,
            "notes": list(self.notes),
            **({} if self.run is None else self.run.to_dict()),
            "ids": [node if isinstance(node, int) else str(node) for node in self.nodes.tolist()],
            "labels": self.labels.tolist(),
        }
        return {key: _finite(value) for key, value in report.items()}

    # --- as text -----------------------------------------------------------------------------

    def to_text(self, *, color: bool = False, width: int = 80) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return laid_out(self.blocks(), Page(width, color))

    def blocks(self) -> list[Block]:
        """What the report consists of, to be laid out on a page."""
        table = community_table(self.communities, self._degree(), is_signed=self.is_signed)
        return [
            [Heading(self._head()), self.decision.in_words(self.n_communities)],
            [*table, *self._legend()],
            [Labeled([*self._scores(), *self._search()])],
            self._truth(),
            [self._end()],
        ]

    def _head(self) -> str:
        of_edges = " (edges, not weights)" if self.is_weighted else ""
        parts = [
            *self._nodes(),
            self._edges(),
            f"mean degree {self.mean_degree:.2f}{of_edges}",
            _components(self.component_sizes),
        ]
        return f"{printable(self.source)}: {', '.join(parts)}"

    def _nodes(self) -> list[str]:
        nodes = [counted(self.n_nodes, "node")]
        if self.n_isolated:
            nodes.append(f"{self.n_isolated:,} of them isolated")
        if self.n_left_out:
            nodes.append(f"{self.n_left_out:,} outside the largest component left out")
        return nodes

    def _edges(self) -> str:
        """Self-loops are counted apart, as the picture counts them."""
        edges = counted(self.n_edges - self.n_loops, "edge")
        if self.n_loops:
            edges += f" and {counted(self.n_loops, 'self-loop')}"
        if self.is_weighted:
            edges += f" of total weight {self.total_weight:,.6g}"
        return edges

    def _degree(self) -> str:
        if self.is_signed:
            return "edges"
        return "weighted degree" if self.is_weighted else "degree"

    def _legend(self) -> list[str]:
        if self.is_signed:
            return []
        ends = "edges that leave / edge ends of the community, or of the rest if it has fewer"
        return [f"conductance: {ends}; smaller is better"]

    def _scores(self) -> list[tuple[str, str]]:
        """The scores that are defined, and the objective unless it is one of them."""
        scores = self.scores._asdict().items()
        shown = {name.replace("_", " "): decimal(v) for name, v in scores if v is not None}
        objective = self._objective()
        shown.setdefault(objective, f"{self.objective_value:.6g}")
        shown.update(self._support())
        return [(name, f"{value}{_explained(name, objective)}") for name, value in shown.items()]

    def _objective(self) -> str:
        """What was optimized; modularity at another resolution is not the score of that name."""
        name = _OBJECTIVES[self.objective]
        is_score = self.resolution is None or (self.objective, self.resolution) == ("modularity", 1)
        return name if is_score else f"{name} at resolution {self.resolution:.4g}"

    def _support(self) -> dict[str, str]:
        """What speaks for the communities, where there are several."""
        decision, found = self.decision, {}
        if decision.evidence is not None and self.n_communities > 1:
            found["evidence"] = bits(decision.evidence)
        if decision.agreement is not None:
            found["agreement"] = f"{decision.agreement:.2f}"
        return found

    def _search(self) -> list[tuple[str, str]]:
        """The parameter of the Bethe Hessian, and which of the starts was kept."""
        if self.r is None:
            return self.starts.in_words()
        return [("parameter r", f"{self.r:.6g} (of the Bethe Hessian)"), *self.starts.in_words()]

    def _truth(self) -> Block:
        truth = self.truth_scores
        if truth is None:
            return []
        pairs = [
            ("overlap (accuracy beyond chance)", truth.overlap),
            ("accuracy", truth.accuracy),
            ("normalized mutual information", truth.nmi),
            ("adjusted Rand index", truth.ari),
        ]
        return [
            Heading(_truth_title(self.truth_source, truth)),
            Labeled([(name, decimal(value)) for name, value in pairs]),
        ]

    def _end(self) -> str:
        end = end_text(
            self.n_iter,
            self.n_moves,
            exactness=self.exactness,
            converged=self.converged,
            unit="node",
        )
        return f"{end}; {self.seconds:.2f} s in all."


def _explained(score: str, objective: str) -> str:
    """What a score means, and whether it was optimized."""
    words = [_MEANING.get(score, ""), "the objective" if score == objective else ""]
    shown = "; ".join(word for word in words if word)
    return f" ({shown})" if shown else ""


def _components(sizes: Sequence[int]) -> str:
    if len(sizes) == 1:
        return "connected"
    return f"{len(sizes):,} components, the largest with {counted(sizes[0], 'node')}"


def _truth_title(source: str, truth: TruthScores) -> str:
    classes = counted(truth.classes, "class", "classes")
    title = f"Against {printable(source)}: {classes}, {counted(truth.labeled, 'node')}"
    if not truth.unlabeled:
        return title
    return f"{title}; {counted(truth.unlabeled, 'node')} without a label not counted"


def _across(A: csr_array, labels: IntArray) -> int:
    """The number of communities with edges in several components."""
    linked = np.diff(A.indptr) > 0
    pairs = np.unique(np.column_stack([labels, components(A)[1]])[linked], axis=0)
    return int(np.count_nonzero(np.bincount(pairs[:, 0]) > 1))


def _profile_dict(community: CommunityProfile) -> dict[str, Any]:
    members = [member._asdict() for member in community.best_connected]
    return asdict(community) | {"best_connected": members}


def _finite(value: Any) -> Any:
    """The same value with None for every float that JSON cannot hold."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
