"""What a result should not be shown without at the command line, with the option that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.input.adjacency import components
from kgroups.text import counted
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.graphs import Graph
    from kgroups.report.communities import CommunityReport

# Degrees whose variance is so many times their mean are very uneven; it is about 1 where edges
# fall by chance.
_UNEVEN = 10
# Of the ends of edges of the largest community; more of them outside make it none.
_LOOSE = 0.5
_OTHERS = "compare --objective modularity or normalized_cut"


def advice(report: CommunityReport, model: Any, graph: Graph) -> list[str]:
    """One sentence for each thing that may mislead. O(edges)."""
    return [
        *_on_the_number(report, graph),
        *_on_hubs(report, model, graph),
        *_on_components(report, model.labels_, graph),
    ]


def _on_the_number(report: CommunityReport, graph: Graph) -> list[str]:
    if report.chosen_by != "bethe_hessian":
        return []
    if report.n_communities == 1:
        return [_none_found(_pieces(graph))]
    if report.objective == "modularity":
        return ["the number of communities is that of the Bethe Hessian; -k asks for another"]
    return []


def _none_found(pieces: int) -> str:
    if pieces == 1:
        return "no communities are in sight; -k asks for a number of them all the same"
    return f"the graph falls into {pieces:,} components; -k {pieces} tells them apart"


def _on_hubs(report: CommunityReport, model: Any, graph: Graph) -> list[str]:
    is_asked = report.objective == "bethe_hessian" and isinstance(model.weights, str)
    if not is_asked or model.weights != "unit" or report.n_communities == 1:
        return []
    if _are_uneven(np.diff(graph.adjacency.indptr)):
        words = "degrees are very uneven: hubs may make communities of their own here"
        return [f"{words}; {_OTHERS}"]
    largest = max(report.communities, key=lambda community: community.nodes)
    if largest.conductance is not None and largest.conductance > _LOOSE:
        return [f"the largest community has most of its edges to others; {_OTHERS}"]
    return []


def _are_uneven(degrees: IntArray) -> bool:
    return bool(degrees.var() > _UNEVEN * degrees.mean())


def _on_components(report: CommunityReport, labels: IntArray, graph: Graph) -> list[str]:
    """Where the cut is minimized, a small piece is the cheapest community of all."""
    if report.objective not in ("normalized_cut", "ratio_cut"):
        return []
    own = _components_of_their_own(labels, graph)
    if not own:
        return []
    smallest = counted(own[0], "node")
    if len(own) == 1:
        what = f"a component of {smallest} is a community of its own, which costs no cut"
    else:
        what = (
            f"{len(own):,} components, the smallest of {smallest}, are communities of their own, "
            "which costs no cut"
        )
    return [f"{what}; --largest-component leaves such pieces out"]


def _components_of_their_own(labels: IntArray, graph: Graph) -> list[int]:
    """Sizes of the communities that are a component each but not a largest one, rising."""
    count, component = components(graph.adjacency)
    sizes = np.bincount(component, minlength=count)
    pairs = np.unique(np.column_stack([labels, component]), axis=0)
    parts, holders = np.bincount(pairs[:, 0]), np.bincount(pairs[:, 1])
    alone = (parts[pairs[:, 0]] == 1) & (holders[pairs[:, 1]] == 1)
    own = sizes[pairs[alone, 1]]
    return sorted(own[own < sizes.max()].tolist())


def _pieces(graph: Graph) -> int:
    """Components that have an edge: k counts no others."""
    _, component = components(graph.adjacency)
    return len(np.unique(component[np.diff(graph.adjacency.indptr) > 0]))
