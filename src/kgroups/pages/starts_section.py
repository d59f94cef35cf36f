"""Whether searches that begin elsewhere end alike."""

from __future__ import annotations

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.parts import Details, Part, Section
from kgroups.plots import ObjectiveHistoryDisplay
from kgroups.plots.style import blank


def starts_section(facts: ClusterFacts) -> Section:
    """How many searches reached the result, with their course for specialists."""
    return Section(
        key="starts",
        heading="Do repeated searches agree?",
        sentence=_lead(facts),
        parts=[_course(facts)] if facts.report.n_starts > 1 else [],
    )


def _lead(facts: ClusterFacts) -> str:
    best, starts = facts.report.n_starts_at_best, facts.report.n_starts
    if starts == 1:
        return "There was one search, so there is nothing to compare."
    text = f"The search for clusters was made {starts:,} times from different starting points; "
    if best == starts:
        return f"{text}all of them ended with the same result."
    if best == 0:
        return f"{text}the best of them was improved afterwards, to the result shown here."
    return (
        f"{text}{best:,} ended with the result shown here, and the others with one that is no "
        "better. The more agree, the surer it is that there is no better one."
    )


def _course(facts: ClusterFacts) -> Part:
    with drawing():
        figure = blank(7.0, 3.6)
        ObjectiveHistoryDisplay.from_estimator(facts.model, ax=figure.add_subplot())
        made = picture(
            figure,
            key="course",
            title="Course of the searches",
            description="The objective after each pass over the rows, one line per search",
            caption="Each line is a search; it climbs until no row can be moved to improve it.",
        )
    return Details(summary="The course of the searches", parts=[made])
