"""What sets each cluster apart."""

from __future__ import annotations

import numpy as np

from kgroups.answers.profiles import CategoryProfile, NumberProfile, Profiles
from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.cluster_words import AS_ALL, listed, number_text, percent
from kgroups.pages.described_rows import DescribedRows
from kgroups.pages.inline_figure import picture
from kgroups.pages.inline_svg import drawing
from kgroups.pages.parts import Cell, Details, Grid, Part, Section
from kgroups.pages.shown_names import in_sentence, shown
from kgroups.plots import ProfileDisplay
from kgroups.plots.style import blank

#: Columns in the table of averages, and clusters next to each other in it.
N_COLUMNS, N_CLUSTERS = 24, 12
# Clusters that the picture has room for.
_DRAWN = 30
# Clusters with a line of words.
_LINES = 100


def profile_section(facts: ClusterFacts) -> Section:
    """One line of words per cluster, a picture, and the averages of the most telling columns."""
    parts: list[Part] = [_in_words(facts)]
    if facts.described is not None:
        parts += [*_tiles(facts, facts.described), *_averages(facts, facts.described.profiles)]
    return Section(
        key="profile", heading="What sets each cluster apart", sentence=_lead(facts), parts=parts
    )


def _lead(facts: ClusterFacts) -> str:
    if facts.described is None:
        return "The words that a cluster has more of than all rows, the most telling first."
    best = facts.described.profiles.most_telling(3).columns
    names = [in_sentence(column.name) for column in best if column.explained > 0.1]
    text = "Each cluster is compared with all rows."
    if names:
        text += f" The clusters differ most in {listed(names)}."
    return text


def _in_words(facts: ClusterFacts) -> Grid:
    rows: list[list[str | Cell]] = []
    for number in range(min(facts.n_clusters, _LINES)):
        what = listed(facts.apart(number)) or AS_ALL
        rows.append([Cell(text=str(number), color=facts.colors[number]), what])
    caption = "High and low are compared with all rows: by half a standard deviation or more."
    if facts.described is None:
        caption = "In words"
    if facts.n_clusters > _LINES:
        caption += f" The first {_LINES} of {facts.n_clusters:,} clusters."
    return Grid(caption=caption, head=["cluster", "what sets it apart"], rows=rows, words=[1])


def _tiles(facts: ClusterFacts, described: DescribedRows) -> list[Part]:
    """The picture of clusters and columns; with more clusters nothing could be read."""
    if facts.n_clusters > _DRAWN:
        return []
    told = described.profiles.most_telling(N_COLUMNS)
    total = len(described.profiles.columns)
    with drawing():
        figure = blank(8.0, 1.6 + 0.3 * max(len(told.columns), 4))
        order = np.arange(facts.n_clusters)
        ProfileDisplay(profiles=told, order=order, n_columns=total).plot(figure.add_subplot())
        made = picture(
            figure,
            key="tiles",
            title="Profile of the clusters",
            description=f"{len(told.columns)} columns by {facts.n_clusters} clusters",
            caption="Red is above all rows and blue below; the darker, the more. Numbers in the "
            "tiles are averages, or shares of a category.",
        )
    return [made]


def _averages(facts: ClusterFacts, profiles: Profiles) -> list[Part]:
    """The table of averages, of as many clusters as stand next to each other."""
    total, k = len(profiles.columns), facts.n_clusters
    told = profiles.most_telling(N_COLUMNS).columns
    shown_clusters = range(min(k, N_CLUSTERS))
    caption = "Averages, and of categories the most characteristic one with its share."
    if len(told) < total:
        caption += f" The {len(told)} of {total:,} columns that tell the clusters apart best."
    if k > N_CLUSTERS:
        caption += f" The first {N_CLUSTERS} of {k:,} clusters."
    grid = Grid(
        caption=caption,
        head=["column", "all rows", *(f"cluster {j}" for j in shown_clusters)],
        rows=[
            [column.name, _of_all(column), *(_of_cluster(column, j) for j in shown_clusters)]
            for column in told
        ],
        words=[0],
    )
    return [Details(summary="The averages by cluster", parts=[grid])]


def _of_all(column: NumberProfile | CategoryProfile) -> str:
    return number_text(column, column.mean_of_all) if isinstance(column, NumberProfile) else ""


def _of_cluster(column: NumberProfile | CategoryProfile, cluster: int) -> str:
    if isinstance(column, NumberProfile):
        return number_text(column, float(column.means[cluster]))
    category = column.categories[cluster]
    if category is None:
        return "as in all rows"
    return f"{shown(category)} {percent(float(column.shares[cluster]))}"
