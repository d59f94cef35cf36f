"""The page about how many clusters there are."""

from __future__ import annotations

from kgroups.pages.block_parts import parts_of
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.parts import Bullets, Heading, Section
from kgroups.pages.report_page import ReportPage
from kgroups.pages.settings_section import settings_section
from kgroups.pages.shown_names import in_sentence
from kgroups.plots import ClusterCountDisplay
from kgroups.report import ClusterCountReport, RunRecord
from kgroups.text import counted

_QUESTIONS = {
    "separation": "Gaps between the clusters, on rows that did not determine them",
    "gap": "Clusters tighter than those of data without any",
    "prediction strength": "The same clusters in two halves of the rows",
}


def cluster_count_page(report: ClusterCountReport, run: RunRecord) -> ReportPage:
    """The answer, the votes behind it, each criterion as a picture, and how to repeat it."""
    source = in_sentence(report.source)
    return ReportPage(
        title=f"How many clusters are in {source}?",
        verdict=_verdict(report, source),
        sections=[_criteria(report), _numbers(report), settings_section(run)],
    )


def _verdict(report: ClusterCountReport, source: str) -> Section:
    votes = report.count.votes
    said = [f"{_QUESTIONS.get(name, name)}: {counted(k, 'cluster')}." for name, k in votes.items()]
    return Section(
        key="verdict",
        heading="In short",
        sentence=f"{_answer(report, source)} {_sure(report)}",
        parts=[
            Heading("What speaks for which number"),
            Bullets(said),
            Heading("What to do next"),
            Bullets(_next(report)),
        ],
    )


def _answer(report: ClusterCountReport, source: str) -> str:
    k = report.count.n_clusters
    rows = f"The {counted(report.count.n_given, 'row')} of {source}"
    if report.count.k.tolist() == [1]:
        return f"{rows} were not divided, because only one cluster was tried."
    if k == 1:
        return f"{rows} show no clusters: nothing that these checks can tell from chance."
    return f"{rows} are best divided into {k} clusters."


def _sure(report: ClusterCountReport) -> str:
    votes = sorted(report.count.votes.values())
    if limit := report.count.limit:
        return f"That is not sure: {limit}."
    if votes[0] == votes[-1]:
        return f"That is rather sure: all {len(votes)} checks say so."
    if votes[-1] - votes[0] == 1:
        return f"That is fairly sure: the checks say {votes[0]} or {votes[-1]}."
    return (
        f"That is not sure: the checks say anything between {votes[0]} and {votes[-1]}, and this "
        "is the median of their answers."
    )


def _next(report: ClusterCountReport) -> list[str]:
    votes = sorted(report.count.votes.values())
    if report.count.limit:
        tried = int(report.count.k[-1])
        return [f"Try more than {tried} clusters: kgroups choose-k with --k-max {2 * tried}."]
    if report.count.n_clusters == 1:
        return [
            "Do not divide the rows on the strength of these columns. If groups are needed all "
            "the same, their borders are a choice.",
            "Check that the columns measure what should make rows similar.",
        ]
    k = report.count.n_clusters
    steps = [f"Cluster the rows: kgroups cluster with -k {k}, and --report."]
    if votes[0] != votes[-1]:
        steps.append(f"Compare the clusters for {votes[0]} to {votes[-1]}; keep what is useful.")
    return steps


def _criteria(report: ClusterCountReport) -> Section:
    with drawing():
        figure = ClusterCountDisplay(count=report.count).on_page()
        made = picture(
            figure,
            key="criteria",
            title="Criteria by number of clusters",
            description="One panel per check: its value for each number of clusters",
            caption="A ring marks the number that a check suggests; the band is the answer.",
        )
    sentence = "Each check was made for every number of clusters. Three of them have a vote."
    return Section(key="checks", heading="What the checks say", sentence=sentence, parts=[made])


def _numbers(report: ClusterCountReport) -> Section:
    _, table, notes = report.blocks()
    parts = parts_of([table, notes], "Value of each criterion for each number of clusters")
    sentence = "The same as numbers, with the rule of each check."
    return Section(key="numbers", heading="The numbers", sentence=sentence, parts=parts)
