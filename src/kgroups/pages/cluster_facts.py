"""What all sections of a page about clusters read: the fit, its report, and what was examined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kgroups.fit.fitted import FittedClustering
from kgroups.pages.cluster_evidence import Evidence
from kgroups.pages.cluster_words import apart_in_words
from kgroups.pages.described_rows import DescribedRows
from kgroups.pages.shown_names import in_sentence
from kgroups.plots import cluster_colors
from kgroups.plots.style import hex_colors
from kgroups.report import ClusterReport


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterFacts:
    """A fit and what is known of it; names are as they are shown."""

    model: FittedClustering
    X: Any
    report: ClusterReport
    evidence: Evidence
    #: Columns by cluster; None where rows have none.
    described: DescribedRows | None
    #: What rows look like that have no columns, such as texts.
    texts: Sequence[str] | None
    #: Names of the columns of X for its pictures, where it has columns.
    feature_names: Sequence[str] | None
    #: Seed of the samples that are drawn for the page.
    seed: int

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return self.report.n_clusters

    @property
    def colors(self) -> list[str]:
        """The color of each cluster, as in the pictures."""
        return hex_colors(cluster_colors(self.n_clusters))

    def apart(self, cluster: int) -> list[str]:
        """What sets a cluster apart, in words; of sparse rows their heaviest columns."""
        if self.described is not None:
            return apart_in_words(self.described.profiles, cluster)
        return [in_sentence(word) for word in self.report.clusters[cluster].words]
