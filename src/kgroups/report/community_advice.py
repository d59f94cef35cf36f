"""Notes on what may mislead in a result of communities, each with the option that helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kgroups.fit.fitted import FittedGraphKGroups
from kgroups.input.adjacency import components
from kgroups.report.community_number import AGREEMENT, bits
from kgroups.report.community_report import CommunityReport
from kgroups.text import counted
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from kgroups.graphs import Graph

# Degrees whose variance is more than this many times their mean are very uneven; the ratio is
# about 1 in a random graph.
_UNEVEN = 10
# Alternatives that a note lists.
_SHOWN = 4
# What the objectives that decide the number are called.
_GOOD_BY = {"modularity": "modularity", "cpm": "the constant Potts model"}
_OTHERS = "compare --objective modularity or normalized_cut"


def advice(report: CommunityReport, model: FittedGraphKGroups, graph: Graph) -> list[str]:
    """One sentence for each thing that may mislead. O(edges)."""
    return [
        *_on_signs(report),
        *_on_the_number(report, graph),
        *_on_other_divisions(report),
        *_on_pieces(report),
        *_on_nodes_alone(report),
        *_on_hubs(report, model, graph),
        *_on_components(report, model.labels_, graph),
    ]


def _on_signs(report: CommunityReport) -> list[str]:
    """What the report lacks because of negative weights."""
    if not report.is_signed:
        return []
    notes = [
        "some weights are negative: modularity, the normalized cut and conductance are left out, "
        "because they are shares of weights; degrees count edges"
    ]
    if report.decision.chosen_by == "bethe_hessian":
        notes.append(
            "evidence is not used with negative weights: the number of communities follows from "
            "eigenvalues of the Bethe Hessian that chance does not give; use -k to choose another"
        )
    return notes


def _on_the_number(report: CommunityReport, graph: Graph) -> list[str]:
    is_found = report.decision.chosen_by in ("auto", "bethe_hessian")
    return [_none_found(graph)] if is_found and report.n_communities == 1 else []


def _on_other_divisions(report: CommunityReport) -> list[str]:
    """Whether there is a single best division at all."""
    decision = report.decision
    if decision.alternatives:
        shown = [f"{k:,} ({bits(support)})" for k, support in decision.alternatives[:_SHOWN]]
        more = ", ..." if len(decision.alternatives) > _SHOWN else ""
        return [
            f"other divisions are supported nearly as well: k = {', '.join(shown)}{more}; there "
            "may be no single best one"
        ]
    agreement = decision.agreement
    if decision.decided_by == "objective" and agreement is not None and agreement < AGREEMENT:
        return [
            f"independent searches agree little ({agreement:.2f} of 1): many different divisions "
            f"are nearly as good by {_GOOD_BY[report.objective]}"
        ]
    return []


def _on_pieces(report: CommunityReport) -> list[str]:
    """What the graph falls into, and whether communities hold several of its pieces."""
    sizes = [f"{size:,}" for size in report.component_sizes if size > 1]
    if len(sizes) < 2 or report.n_communities == 1:
        return []
    if len(sizes) > _SHOWN:
        of = f"{', '.join(sizes[:_SHOWN])}, ..."
    else:
        of = f"{', '.join(sizes[:-1])} and {sizes[-1]}"
    said = f"the graph is not connected: it has {len(sizes):,} components, of {of} nodes"
    if report.n_isolated:
        said += f", and {counted(report.n_isolated, 'node without edges', 'nodes without edges')}"
    n_across = report.n_across
    if not n_across:
        return [said]
    hold = "1 community holds" if n_across == 1 else f"{n_across:,} communities hold"
    return [f"{said}; {hold} nodes of several components, which no edge links"]


def _on_nodes_alone(report: CommunityReport) -> list[str]:
    """Nodes without edges have labels of their own, or are put somewhere if a number was asked."""
    n_put, notes = report.n_isolated - report.n_alone, []
    if n_put > 0:
        are = "1 node without edges is" if n_put == 1 else f"{n_put:,} nodes without edges are"
        notes.append(f"{are} in communities, and nothing in the graph says where they belong")
    if report.n_alone == 1:
        notes.append("1 node without edges has a label of its own, after those of the communities")
    elif report.n_alone:
        notes.append(
            f"{report.n_alone:,} nodes without edges each have a label of their own, after those "
            "of the communities"
        )
    return notes


def _none_found(graph: Graph) -> str:
    _, component = components(graph.adjacency)
    # A node without an edge does not count as a community.
    pieces = len(np.unique(component[np.diff(graph.adjacency.indptr) > 0]))
    if pieces == 1:
        return "no communities detected; use -k to ask for a number anyway"
    return f"no communities detected, but {pieces:,} components; -k {pieces} would separate them"


def _on_hubs(report: CommunityReport, model: FittedGraphKGroups, graph: Graph) -> list[str]:
    is_asked = report.objective == "bethe_hessian" and isinstance(model.weights, str)
    if not is_asked or model.weights != "unit" or report.n_communities == 1:
        return []
    degrees = np.diff(graph.adjacency.indptr)
    if degrees.var() > _UNEVEN * degrees.mean():
        words = "degrees are very uneven: hubs may form communities of their own"
        return [f"{words}; {_OTHERS}"]
    largest = max(report.communities, key=lambda community: community.nodes)
    if largest.edges_leaving > largest.edges_inside:
        return [f"most edges of the largest community lead to other communities; {_OTHERS}"]
    return []


def _on_components(report: CommunityReport, labels: IntArray, graph: Graph) -> list[str]:
    """If the cut is minimized, a small component is the cheapest community of all."""
    if report.objective not in ("normalized_cut", "ratio_cut"):
        return []
    own = _components_of_their_own(labels, graph)
    if not own:
        return []
    smallest = counted(own[0], "node")
    if len(own) == 1:
        what = f"a component of {smallest} is a community of its own, because that cuts no edge"
    else:
        what = (
            f"{len(own):,} components, the smallest of {smallest}, are communities of their own, "
            "because that cuts no edge"
        )
    return [f"{what}; --largest-component leaves such components out"]


def _components_of_their_own(labels: IntArray, graph: Graph) -> list[int]:
    """Sizes of the communities that are a whole component but not a largest one, ascending."""
    count, component = components(graph.adjacency)
    sizes = np.bincount(component, minlength=count)
    pairs = np.unique(np.column_stack([labels, component]), axis=0)
    parts, holders = np.bincount(pairs[:, 0]), np.bincount(pairs[:, 1])
    alone = (parts[pairs[:, 0]] == 1) & (holders[pairs[:, 1]] == 1)
    own = sizes[pairs[alone, 1]]
    return sorted(own[own < sizes.max()].tolist())
