"""Distances between rows, ordered by cluster."""

from __future__ import annotations

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.inline_svg import drawing, inline_svg
from kgroups.pages.parts import Picture, Section
from kgroups.plots import GramDisplay
from kgroups.plots.style import blank

_ROWS = 300
_LEAD = (
    "Every row is compared with every other one, ordered by cluster. Rows of one cluster are alike "
    "where the squares along the diagonal differ in color from what is next to them; where they do "
    "not, two clusters run into each other."
)


def distances_section(facts: ClusterFacts) -> Section:
    """A heat map of some rows of each cluster."""
    with drawing():
        figure = blank(7.0, 5.6)
        display = GramDisplay.from_estimator(
            facts.model, facts.X, max_points=_ROWS, ax=figure.add_subplot()
        )
        what = f"{display.quantity} between {len(display.index):,} rows ordered by cluster"
        svg = inline_svg(figure, key="pairs", title="Distances by cluster", description=what)
    caption = f"The color is the {display.quantity}."
    if len(display.index) < facts.report.n_samples:
        caption += (
            f" {len(display.index):,} of {facts.report.n_samples:,} rows are drawn, in proportion "
            "to the clusters."
        )
    picture = Picture(svg=svg, caption=caption)
    return Section(key="distances", heading="Distances", sentence=_LEAD, parts=[picture])
