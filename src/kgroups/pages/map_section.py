"""The rows in a plane, colored by cluster."""

from __future__ import annotations

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.parts import Section
from kgroups.plots import PartitionDisplay
from kgroups.plots.style import blank

_LEAD = (
    "Each dot is a row; its color is its cluster. Near dots are rows that are alike, as far as two "
    "dimensions can show: clusters that overlap here may be apart in the other columns."
)

# Names of axes that are not columns.
_COMBINED = ("principal component", "classical scaling")


def map_section(facts: ClusterFacts) -> Section:
    """A picture of at most 20,000 rows."""
    with drawing():
        figure = blank(8.0, 5.2)
        display = PartitionDisplay.from_estimator(
            facts.model, facts.X, feature_names=facts.feature_names, ax=figure.add_subplot()
        )
        drawn = len(display.labels)
        made = picture(
            figure,
            key="map-picture",
            title="Map of the rows",
            description=f"{drawn:,} rows as dots, colored by {facts.n_clusters:,} clusters",
            caption=_caption(display, facts.report.n_samples),
        )
    return Section(key="map", heading="The map", sentence=_LEAD, parts=[made])


def _caption(display: PartitionDisplay, n_rows: int) -> str:
    axes = " and ".join(label.replace("\n", ", ") for label in display.axis_labels if label)
    what = f"The axes are {axes}."
    if axes.startswith(_COMBINED):
        what = f"The axes have no unit; they show as much as two dimensions can: {axes}."
    drawn = len(display.labels)
    if drawn < n_rows:
        what += f" {drawn:,} of {n_rows:,} rows, evenly spaced, are drawn."
    return what
