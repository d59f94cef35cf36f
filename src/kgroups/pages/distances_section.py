"""Distances between rows, ordered by cluster."""

from __future__ import annotations

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.parts import Section
from kgroups.plots import GramDisplay
from kgroups.plots.style import blank

_ROWS = 300


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
    return Section(key="distances", heading="Distances", sentence=_lead(display), parts=[made])


def _lead(display: GramDisplay) -> str:
    """How to read the picture; of distances dark is near, of similarities it is far."""
    color = "light" if display.quantity.startswith("similarity") else "dark"
    return (
        f"Each row is compared with every other one; {color} is alike. Rows are ordered by "
        f"cluster, so clear clusters are {color} squares along the diagonal. Where the squares "
        "next to them are as good, two clusters run into each other."
    )


def _caption(display: GramDisplay) -> str:
    caption = f"The color is the {display.quantity}."
    drawn, total = len(display.index), display.n_points
    if drawn < total:
        caption += f" {drawn:,} of {total:,} rows are drawn, in proportion to the clusters."
    return caption
