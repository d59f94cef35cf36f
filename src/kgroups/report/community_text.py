"""The report of communities as aligned plain text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgroups.report.text import bold, ending, joined, labeled
from kgroups.text import aligned, counted, printable

if TYPE_CHECKING:
    from kgroups.report.communities import CommunityReport, TruthScores
    from kgroups.report.community_profile import CommunityProfile, Member

#: Communities that are shown, of any number.
N_SHOWN = 20
_LONGEST_NAME = 28
_OBJECTIVES = {
    "bethe_hessian": "Q of the Bethe Hessian",
    "ratio_association": "ratio association",
    "ratio_cut": "ratio cut",
    "normalized_cut": "normalized cut",
    "modularity": "modularity",
}


def render(report: CommunityReport, *, color: bool) -> str:
    """The whole report: the graph, its communities, the scores, the search."""
    head, *table = _communities(report)
    return joined(
        [bold(_head(report), color), _number_of_communities(report)],
        [bold(head, color), *table, *_rest(report.communities[N_SHOWN:])],
        labeled([*_scores(report), *_search(report)], color),
        _truth(report, color),
        [ending(report, how=report.exactness, what="nodes")],
    )


def _head(report: CommunityReport) -> str:
    parts = [
        *_nodes(report),
        _edges(report),
        f"mean degree {report.mean_degree:.2f}{' (unweighted)' if report.is_weighted else ''}",
        _components(report.component_sizes),
    ]
    return f"{printable(report.source)}: {', '.join(parts)}"


def _nodes(report: CommunityReport) -> list[str]:
    nodes = [counted(report.n_nodes, "node")]
    if report.n_isolated:
        nodes.append(f"{report.n_isolated:,} of them isolated")
    if report.n_left_out:
        nodes.append(f"{report.n_left_out:,} outside the largest component left out")
    return nodes


def _edges(report: CommunityReport) -> str:
    """Self-loops are counted apart, as the picture counts them."""
    edges = counted(report.n_edges - report.n_loops, "edge")
    if report.n_loops:
        edges += f" and {counted(report.n_loops, 'self-loop')}"
    if report.is_weighted:
        edges += f" of total weight {report.total_weight:,.6g}"
    return edges


def _components(sizes: Sequence[int]) -> str:
    if len(sizes) == 1:
        return "connected"
    return f"{len(sizes):,} components, the largest of {counted(sizes[0], 'node')}"


def _number_of_communities(report: CommunityReport) -> str:
    number = counted(report.n_communities, "community", "communities")
    if report.chosen_by == "asked":
        return f"{number}, as asked for"
    if report.chosen_by == "init":
        return f"{number}, as in the labels to begin with"
    if report.n_communities == 1:
        return f"{number}: the Bethe Hessian has no second negative eigenvalue"
    return f"{number}: the Bethe Hessian has {report.n_communities:,} negative eigenvalues"


# --- the table -------------------------------------------------------------------------------


def _communities(report: CommunityReport) -> list[str]:
    """Conductance is left out where weights below zero leave it undefined."""
    head = [
        "community", "nodes", "share", "edges inside", "leaving", "conductance",
        f"best connected ({_degree(report)})",
    ]  # fmt: skip
    rows = [head, *(_row(j, c) for j, c in enumerate(report.communities[:N_SHOWN]))]
    if report.is_signed:
        rows = [[*row[:5], row[6]] for row in rows]
    return aligned(rows, left=[len(rows[0]) - 1])


def _degree(report: CommunityReport) -> str:
    if report.is_signed:
        return "edges"
    return "weighted degree" if report.is_weighted else "degree"


def _row(number: int, community: CommunityProfile) -> list[str]:
    return [
        str(number),
        f"{community.nodes:,}",
        f"{community.share:.1%}",
        f"{community.edges_inside:,}",
        f"{community.edges_leaving:,}",
        _decimal(community.conductance),
        ", ".join(_member(member) for member in community.best_connected),
    ]


def _member(member: Member) -> str:
    name = printable(str(member.node))
    if len(name) > _LONGEST_NAME:
        name = f"{name[: _LONGEST_NAME - 3]}..."
    return f"{name} ({member.degree:,.6g})"


def _rest(others: Sequence[CommunityProfile]) -> list[str]:
    """A line on the communities that are not shown."""
    if not others:
        return []
    sizes = [community.nodes for community in others]
    few, many = min(sizes), max(sizes)
    span = counted(many, "node") if few == many else f"{few:,} to {counted(many, 'node')}"
    return [f"and {len(others):,} more of {span}"]


# --- numbers ---------------------------------------------------------------------------------


def _scores(report: CommunityReport) -> list[tuple[str, str]]:
    """The scores that are defined, and the objective unless it is one of them."""
    pairs = [
        ("modularity", report.scores.modularity),
        ("coverage", report.scores.coverage),
        ("performance", report.scores.performance),
        ("normalized cut", report.scores.normalized_cut),
    ]
    shown = {name: _decimal(value) for name, value in pairs if value is not None}
    objective = _OBJECTIVES[report.objective]
    value = f"{shown.get(objective, f'{report.objective_value:.6g}')}, the objective"
    return list((shown | {objective: value}).items())


def _search(report: CommunityReport) -> list[tuple[str, str]]:
    """The regularizer, and which of the starts was kept."""
    pairs = [] if report.r is None else [("regularizer r", f"{report.r:.6g}")]
    names, at_best = report.starts.names, report.starts.n_at_best
    if len(names) == 1:
        return [*pairs, ("start", names[0])]
    kinds = ", ".join(f"{count} {name}" for name, count in Counter(names).items())
    end_there = f"{at_best} of {len(names)} end there"
    return [
        *pairs,
        ("starts", f"{len(names)}: {kinds}"),
        ("kept", f"{report.starts.kept}, best by {_judge(report)}; {end_there}"),
    ]


def _judge(report: CommunityReport) -> str:
    return "likelihood" if report.starts.selected_by == "likelihood" else "the objective"


def _truth(report: CommunityReport, color: bool) -> list[str]:
    truth = report.truth_scores
    if truth is None:
        return []
    pairs = [
        ("overlap", truth.overlap),
        ("accuracy", truth.accuracy),
        ("normalized mutual information", truth.nmi),
        ("adjusted Rand index", truth.ari),
    ]
    return [
        bold(_truth_title(report.truth_source, truth), color),
        *labeled([(name, _decimal(value)) for name, value in pairs], color),
    ]


def _truth_title(source: str, truth: TruthScores) -> str:
    classes = counted(truth.classes, "class", "classes")
    title = f"Against {printable(source)}: {classes}, {counted(truth.labeled, 'node')}"
    if not truth.unlabeled:
        return title
    return f"{title}; {truth.unlabeled:,} without a label do not count"


def _decimal(value: float | None) -> str:
    """Four decimals, and a dash for what is undefined."""
    # Adding zero takes the sign from a number that is zero up to rounding.
    return "-" if value is None else f"{round(value, 4) + 0.0:.4f}"
