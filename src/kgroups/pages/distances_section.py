"""Distances between rows, ordered by cluster."""

from __future__ import annotations

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.parts import Section
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
        made = picture(
            figure,
            key="pairs",
            title="Distances by cluster",
            description=f"The {display.quantity} between {len(display.index):,} rows",
            caption=_caption(display),
        )
    return Section(key="distances", heading="Distances", sentence=_LEAD, parts=[made])


def _caption(display: GramDisplay) -> str:
    caption = f"The color is the {display.quantity}."
    drawn, total = len(display.index), display.n_points
    if drawn < total:
        caption += f" {drawn:,} of {total:,} rows are drawn, in proportion to the clusters."
    return caption
