"""The page about the communities of a network."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from kgroups.graphs import Graph
from kgroups.pages.block_parts import parts_of
from kgroups.pages.cluster_words import listed
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.label_data import LabelData
from kgroups.pages.labels_section import labels_section
from kgroups.pages.parts import Bullets, Cell, Grid, Heading, Part, Section
from kgroups.pages.report_page import ReportPage
from kgroups.pages.settings_section import settings_section
from kgroups.pages.shown_names import in_sentence, shown
from kgroups.plots import cluster_colors, network_overview
from kgroups.plots.style import hex_colors
from kgroups.report import CommunityReport, RunRecord
from kgroups.text import counted

# Communities with a line each in the verdict, and in the table.
_DESCRIBED, _LISTED = 8, 200


def community_page(
    model: Any,
    graph: Graph,
    report: CommunityReport,
    run: RunRecord,
    labels_true: Collection[object] | None = None,
) -> ReportPage:
    """The answer, the communities, pictures, the numbers, and how to repeat it.

    Parameters
    ----------
    model : fitted GraphKGroups
    graph : Graph
        The one that ``model`` was fitted to.
    report : CommunityReport
    run : RunRecord
    labels_true : sequence of n labels, or None
        Known communities, for the title of the picture.
    """
    names = [str(node) for node in report.nodes.tolist()]
    labels = LabelData.of(report.labels, names, row_name="node", group_name="community")
    return ReportPage(
        title=f"{_communities(report)} in {in_sentence(report.source)}",
        verdict=_verdict(report),
        sections=[
            _table(report),
            _pictures(model, graph, report, labels_true),
            _numbers(report),
            settings_section(run),
            labels_section(labels),
        ],
        labels=labels,
    )


def _communities(report: CommunityReport) -> str:
    return counted(report.n_communities, "community", "communities")


def _verdict(report: CommunityReport) -> Section:
    what = "no communities."
    if report.n_communities > 1:
        inside = sum(one.edges_inside for one in report.communities)
        links = counted(report.n_edges, "link")
        what = f"{_communities(report)}, with {inside:,} of {links} inside them."
    nodes = counted(report.n_nodes, "node")
    lead = f"The {nodes} of {in_sentence(report.source)} form {what}"
    parts: list[Part] = [Heading("What they are"), Bullets(_described(report))]
    parts += [Heading("What to do next"), Bullets(_next(report))]
    return Section(
        key="verdict", heading="In short", sentence=f"{lead} {_sure(report)}", parts=parts
    )


def _sure(report: CommunityReport) -> str:
    """Where their number comes from, and whether searches agree on the division."""
    decision = report.decision
    if report.n_communities == 1:
        return f"{decision.in_words(1).capitalize()}."
    how = "was asked for" if decision.chosen_by == "asked" else "was chosen automatically"
    agreement = decision.agreement
    if agreement is None:
        return f"Their number {how}. How sure the division is was not examined."
    said = (
        f"Their number {how}. Searches that begin elsewhere agree to {agreement:.0%}; that alone "
        "does not tell whether the groups are distinct."
    )
    if decision.evidence is not None and decision.evidence < 0:
        said += (
            " That there are communities at all is not certain: a network without any could look "
            "like this, too."
        )
    return said


def _described(report: CommunityReport) -> list[str]:
    lines = []
    for number, one in enumerate(report.communities[:_DESCRIBED]):
        names = [in_sentence(member.node, 30) for member in one.best_connected]
        around = f", around {listed(names)}" if names else ""
        lines.append(f"Community {number}: {counted(one.nodes, 'node')}{around}.")
    rest = report.n_communities - _DESCRIBED
    return [*lines, f"And {rest:,} more, see below."] if rest > 0 else lines


def _next(report: CommunityReport) -> list[str]:
    if report.n_communities == 1:
        return ["If groups are needed all the same, ask for a number of them with -k."]
    steps = ["Look at the nodes with most links in each community, and give it a name."]
    loose = [
        str(number)
        for number, one in enumerate(report.communities)
        if one.edges_leaving > one.edges_inside
    ]
    if loose:
        many = len(loose) > 1
        steps.append(
            f"Be careful with {'communities' if many else 'community'} {listed(loose[:10])}: more "
            f"links leave {'them' if many else 'it'} than stay inside."
        )
    return steps


def _table(report: CommunityReport) -> Section:
    colors = hex_colors(cluster_colors(report.n_communities))
    rows: list[list[str | Cell]] = [
        [
            Cell(text=str(number), color=colors[number]),
            f"{one.nodes:,}",
            Cell(text=f"{one.share:.1%}", share=one.share),
            f"{one.edges_inside:,}",
            f"{one.edges_leaving:,}",
            listed([shown(member.node, 30) for member in one.best_connected]),
        ]
        for number, one in enumerate(report.communities[:_LISTED])
    ]
    caption = "Communities are numbered from 0, the largest, as in the file of labels."
    if report.n_communities > _LISTED:
        caption += f" The first {_LISTED} of {report.n_communities:,}."
    head = ["community", "nodes", "share", "links inside", "links leaving", "most links"]
    grid = Grid(caption=caption, head=head, rows=rows, words=[5])
    sizes = [one.nodes for one in report.communities]
    sentence = f"The largest has {counted(max(sizes), 'node')}, the smallest {min(sizes):,}."
    return Section(key="sizes", heading="The communities", sentence=sentence, parts=[grid])


def _pictures(
    model: Any, graph: Graph, report: CommunityReport, labels_true: Collection[object] | None
) -> Section:
    names = np.array([shown(node, 30) for node in graph.nodes.tolist()], dtype=object)
    with drawing():
        figure = network_overview(model, graph.adjacency, node_names=names, labels_true=labels_true)
        made = picture(
            figure,
            key="network",
            title="The network",
            description=f"Nodes and links in the colors of {_communities(report)}",
            caption="Top left nodes and links; top right who is linked with whom, ordered by "
            "community; below sizes, and how the number was found.",
        )
    sentence = "Nodes of one color are one community; near nodes have many links in common."
    return Section(key="map", heading="The network", sentence=sentence, parts=[made])


def _numbers(report: CommunityReport) -> Section:
    _, _, *blocks = report.blocks()
    decision = report.decision.in_words(report.n_communities)
    sentence = f"For specialists: {decision}."
    return Section(
        key="numbers", heading="The numbers", sentence=sentence, parts=parts_of(blocks, "Scores")
    )
