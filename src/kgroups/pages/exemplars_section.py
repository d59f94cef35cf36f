"""Typical rows: those nearest to the center of each cluster."""

from __future__ import annotations

import numpy as np

from kgroups.pages.cluster_facts import ClusterFacts
from kgroups.pages.described_rows import DescribedRows
from kgroups.pages.nearness import Nearness
from kgroups.pages.parts import Section
from kgroups.pages.row_grid import row_grid
from kgroups.typing import BoolArray

# Rows per cluster, and in all.
_N_ROWS, _MOST = 3, 60


def exemplars_section(facts: ClusterFacts, found: Nearness) -> Section:
    """Some rows per cluster."""
    per_cluster = max(1, min(_N_ROWS, _MOST // facts.n_clusters))
    shown = range(min(facts.n_clusters, _MOST))
    full = None if facts.described is None else _with_few_gaps(facts.described, found)
    rows = [int(row) for j in shown for row in found.nearest(j, per_cluster, full)]
    caption = "The rows nearest to the center of each cluster"
    if facts.n_clusters > _MOST:
        caption += f", of the first {_MOST} of {facts.n_clusters:,} clusters"
    if found.is_sample:
        caption += f"; {len(found.rows):,} of {found.n_given:,} rows were looked at"
    sentence = (
        "These rows show best what a cluster is like. Look at them to give it a name. Rows are "
        "counted from 1, without the line of column names."
    )
    grid = row_grid(facts, rows, caption=f"{caption}.")
    return Section(key="typical", heading="Typical rows", sentence=sentence, parts=[grid])


def _with_few_gaps(described: DescribedRows, found: Nearness) -> BoolArray:
    """Rows with no more empty cells than half of their cluster: empty ones show nothing."""
    n_missing = described.n_missing[found.rows]
    few = np.ones(len(n_missing), np.bool_)
    for cluster in np.unique(found.labels):
        members = found.labels == cluster
        few[members] = n_missing[members] <= np.median(n_missing[members])
    return few
