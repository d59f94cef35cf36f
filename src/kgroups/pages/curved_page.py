"""The page about clusters of any shape, which were found in a graph of neighboring rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgroups.pages.block_parts import parts_of
from kgroups.pages.cluster_words import AS_ALL, apart_in_words, listed, percent
from kgroups.pages.described_rows import DescribedRows
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.label_data import LabelData
from kgroups.pages.labels_section import labels_section
from kgroups.pages.parts import Bullets, Cell, Grid, Heading, Part, Section
from kgroups.pages.report_page import ReportPage
from kgroups.pages.settings_section import settings_section
from kgroups.pages.shown_names import column_names, in_sentence
from kgroups.plots import PartitionDisplay, cluster_colors
from kgroups.plots.style import blank, hex_colors
from kgroups.report import CurvedReport, RunRecord
from kgroups.text import counted

# Clusters with a line each.
_DESCRIBED = 100
# Clusters that a sentence lists.
_IN_SHORT = 10


def curved_page(
    model: Any,
    X: Any,
    report: CurvedReport,
    run: RunRecord,
    described: DescribedRows,
    feature_names: Sequence[object],
) -> ReportPage:
    """The answer, what sets clusters apart, the map, the numbers, and how to repeat it.

    Parameters
    ----------
    model : fitted GraphKGroups
        Its ``fit`` took a table.
    X : as in ``fit``
    report : CurvedReport
    run : RunRecord
    described : DescribedRows
        Columns by which clusters are described.
    feature_names : sequence of str
        Names of the columns of X.
    """
    labels = LabelData.of(report.labels, report.ids)
    clusters = counted(len(report.sizes), "cluster")
    return ReportPage(
        title=f"{clusters} of any shape in {in_sentence(report.source)}",
        verdict=_verdict(report, described),
        sections=[
            _table(report, described),
            _map(model, X, column_names(feature_names)),
            _numbers(report),
            settings_section(run),
            labels_section(labels),
        ],
        labels=labels,
    )


def _verdict(report: CurvedReport, described: DescribedRows) -> Section:
    k = len(report.sizes)
    how = (
        "Their number was asked for."
        if report.decided_by == "given"
        else f"Their number was counted: so many groups of {report.least_counted} have empty space "
        "around them, and those that touch count as one, so there may be more."
    )
    if k == 1 and report.decided_by != "given":
        return _nothing_found(report)
    lead = (
        f"The {counted(report.n_samples, 'row')} of {in_sentence(report.source)} form "
        f"{counted(k, 'cluster')} of any shape: rows that are linked from neighbor to neighbor. "
        f"{how} How sure that is was not examined.{_apart(report)}"
    )
    lines = [_line(report, described, number) for number in range(min(k, _IN_SHORT))]
    steps = [
        "Look at the map: do the clusters follow shapes that mean something?",
        "Compare with kgroups cluster without --curved, whose report says how sure its clusters "
        "are.",
    ]
    parts: list[Part] = [
        Heading("The clusters"),
        Bullets(lines),
        Heading("What to do next"),
        Bullets(steps),
    ]
    return Section(key="verdict", heading="In short", sentence=lead, parts=parts)


def _apart(report: CurvedReport) -> str:
    return f" {report.small_groups}" if report.small_groups else ""


def _nothing_found(report: CurvedReport) -> Section:
    """The verdict where no empty space divides the rows."""
    rows = counted(report.n_samples, "row")
    lead = (
        f"The {rows} of {in_sentence(report.source)} are one cluster: no empty space between "
        f"groups of {report.least_counted} was found.{_apart(report)}"
    )
    steps = [
        "Groups that touch each other need a number: give one with -k.",
        "Let kgroups choose-k say how many clusters there are, without --curved.",
    ]
    parts: list[Part] = [Heading("What to do next"), Bullets(steps)]
    return Section(key="verdict", heading="In short", sentence=lead, parts=parts)


def _line(report: CurvedReport, described: DescribedRows, number: int) -> str:
    what = listed(apart_in_words(described.profiles, number))
    size = report.sizes[number]
    share = percent(size / report.n_samples)
    return f"Cluster {number} ({counted(size, 'row')}, {share}){f': {what}' if what else ''}."


def _table(report: CurvedReport, described: DescribedRows) -> Section:
    colors = hex_colors(cluster_colors(len(report.sizes)))
    rows: list[list[str | Cell]] = [
        [
            Cell(text=str(number), color=colors[number]),
            f"{size:,}",
            Cell(text=f"{size / report.n_samples:.1%}", share=size / report.n_samples),
            listed(apart_in_words(described.profiles, number)) or AS_ALL,
        ]
        for number, size in enumerate(report.sizes[:_DESCRIBED])
    ]
    grid = Grid(
        caption="Clusters are numbered from 0, as in the file of labels.",
        head=["cluster", "rows", "share", "what sets it apart"],
        rows=rows,
        words=[3],
    )
    sentence = "Each cluster is compared with all rows."
    return Section(
        key="profile", heading="What sets each cluster apart", sentence=sentence, parts=[grid]
    )


def _map(model: Any, X: Any, names: Sequence[str]) -> Section:
    with drawing():
        figure = blank(8.0, 5.2)
        PartitionDisplay.from_estimator(model, X, feature_names=names, ax=figure.add_subplot())
        made = picture(
            figure,
            key="map-picture",
            title="Map of the rows",
            description="Rows as dots, colored by cluster",
            caption="At most 20,000 rows are drawn.",
        )
    sentence = "Each dot is a row; its color is its cluster."
    return Section(key="map", heading="The map", sentence=sentence, parts=[made])


def _numbers(report: CurvedReport) -> Section:
    _, _, *blocks = report.blocks()
    sentence = "For specialists: how the graph of neighbors was cut."
    return Section(
        key="numbers", heading="The numbers", sentence=sentence, parts=parts_of(blocks, "Numbers")
    )
