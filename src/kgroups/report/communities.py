"""The report of the communities of a graph."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from kgroups.metrics import overlap
from kgroups.report.community_profile import (
    CommunityProfile,
    CommunityScores,
    Portrait,
    best_connected,
    community_profiles,
    node_degrees,
)
from kgroups.report.community_text import render
from kgroups.report.scores import label_scores
from kgroups.version import __version__

if TYPE_CHECKING:
    from kgroups.graphs import Graph

SCHEMA = "kgroups.communities/1"
# Starts whose values differ by less, relative to the best, ended at the same partition.
_SAME_VALUE = 1e-9


class TruthScores(NamedTuple):
    """Agreement with known communities, on the nodes that have a label; 1 is perfect."""

    #: None for a single class, which any guess has right.
    overlap: float | None
    accuracy: float
    nmi: float
    ari: float
    classes: int
    labeled: int
    unlabeled: int


class Starts(NamedTuple):
    """The kind of each start and what it competed by, larger is better."""

    names: tuple[str, ...]
    values: tuple[float, ...]
    selected_by: str
    best: int

    @property
    def kept(self) -> str:
        """The kind of the one that was kept."""
        return self.names[self.best]

    @property
    def n_at_best(self) -> int:
        """How many ended at its value."""
        value = self.values[self.best]
        return sum(math.isclose(other, value, rel_tol=_SAME_VALUE) for other in self.values)


@dataclass(frozen=True, kw_only=True, eq=False)
class CommunityReport:
    """A graph, its communities and how they were found; make one with :meth:`of`."""

    source: str
    n_nodes: int
    #: Self-loops among them.
    n_edges: int
    n_loops: int
    #: Nodes without any edge.
    n_isolated: int
    is_weighted: bool
    is_signed: bool
    total_weight: float
    component_sizes: tuple[int, ...]
    #: Whether k was counted by the Bethe Hessian ("bethe_hessian"), "asked" for, or of "init".
    chosen_by: str
    communities: tuple[CommunityProfile, ...]
    objective: str
    objective_value: float
    scores: CommunityScores
    starts: Starts
    n_iter: int
    n_moves: int
    converged: bool
    exactness: str
    #: None where the Bethe Hessian was not used.
    r: float | None
    random_state: int | None
    truth_scores: TruthScores | None = None
    truth_source: str = "the known communities"
    #: Nodes of the file that are in no community, because another component has them.
    n_left_out: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: Any, graph: Graph, *, labels_true: Any = None, **about: Any) -> Self:
        """The report of a fitted estimator. O(edges + n log n).

        Parameters
        ----------
        model : fitted GraphKGroups
        graph : Graph
            The one that ``model`` was fitted to.
        labels_true : sequence of n labels, or None
            Known communities to score against; None among them is a node that has none.
        **about
            ``seconds``, ``truth_source``, ``n_left_out`` and ``notes``, which neither of the two
            knows.
        """
        A, k = graph.adjacency, int(model.n_clusters_)
        portrait = Portrait.of(A, model.labels_, k)
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
            communities=community_profiles(portrait, members),
            scores=portrait.scores(),
            truth_scores=None if labels_true is None else truth_scores(labels_true, model.labels_),
            **_of_the_search(model),
            **about,
        )

    @property
    def n_communities(self) -> int:
        """Number of communities."""
        return len(self.communities)

    @property
    def mean_degree(self) -> float:
        """Ends of edges a node, whatever the edges weigh."""
        return 2 * self.n_edges / self.n_nodes

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; its keys stay what they are for ``kgroups.communities/1``.

        A number that is not finite, as sums of huge weights may be, is None.
        """
        known: dict[str, Any] = _finite(self._as_dict())
        return known

    def _as_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            "source": self.source,
            "nodes": self.n_nodes,
            "edges": self.n_edges,
            "self_loops": self.n_loops,
            "isolated": self.n_isolated,
            "left_out": self.n_left_out,
            "weighted": self.is_weighted,
            "total_weight": self.total_weight,
            "mean_degree": self.mean_degree,
            "component_sizes": list(self.component_sizes),
            "n_communities": self.n_communities,
            "chosen_by": self.chosen_by,
            "communities": [
                {"community": j, **_profile_dict(c)} for j, c in enumerate(self.communities)
            ],
            "objective": {"name": self.objective, "value": self.objective_value},
            "scores": self.scores._asdict(),
            "truth_scores": None if self.truth_scores is None else self.truth_scores._asdict(),
            "starts": {
                "names": list(self.starts.names),
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
        }

    def to_text(self, *, color: bool = False) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return render(self, color=color)


def truth_scores(labels_true: Sequence[Any], labels: Any) -> TruthScores:
    """The scores on the nodes whose label is not None."""
    known = np.array([label is not None for label in labels_true])
    if not known.any():
        raise ValueError("labels_true has no label for any node; leave it out.")
    codes: dict[Any, int] = {}
    true = [codes.setdefault(label, len(codes)) for label in labels_true if label is not None]
    found = np.asarray(labels)[known]
    return TruthScores(
        overlap(true, found) if len(codes) > 1 else None,
        *label_scores(true, found),
        classes=len(codes),
        labeled=int(known.sum()),
        unlabeled=int((~known).sum()),
    )


def _of_the_search(model: Any) -> dict[str, Any]:
    """What the estimator itself knows."""
    chosen_by, state = _chosen_by(model), model.random_state
    uses_r = chosen_by == "bethe_hessian" or model.objective == "bethe_hessian"
    return {
        "component_sizes": tuple(model.component_sizes_.tolist()),
        "chosen_by": chosen_by,
        "objective": str(model.objective),
        "objective_value": float(model.objective_),
        "starts": Starts(
            tuple(model.start_names_),
            tuple(map(float, model.start_values_)),
            model.selected_by_,
            int(model.best_start_),
        ),
        "n_iter": int(model.n_iter_),
        "n_moves": int(model.n_moves_),
        "converged": bool(model.converged_),
        "exactness": str(model.exactness_),
        "r": float(model.r_) if uses_r else None,
        "random_state": int(state) if isinstance(state, numbers.Integral) else None,
    }


def _chosen_by(model: Any) -> str:
    if model.n_clusters != "auto":
        return "asked"
    is_given = not isinstance(model.init, str) and not callable(model.init)
    return "init" if is_given else "bethe_hessian"


def _profile_dict(community: CommunityProfile) -> dict[str, Any]:
    members = [member._asdict() for member in community.best_connected]
    return asdict(community) | {"best_connected": members}


def _finite(value: Any) -> Any:
    """The same with None for every float that JSON cannot hold."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
