"""What all sections of a page about clusters read: the fit, its report, and what was examined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.answers.profiles import Profiles
from kgroups.fit.fitted import FittedClustering
from kgroups.pages.cluster_words import apart_in_words
from kgroups.pages.evidence import Evidence
from kgroups.plots import cluster_colors
from kgroups.report import ClusterReport


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterFacts:
    """A fit and what is known of it; names are as they are shown."""

    model: FittedClustering
    X: Any
    report: ClusterReport
    evidence: Evidence
    #: Columns by cluster; None where rows have none.
    profiles: Profiles | None
    #: The table that the profiles describe.
    table: Any
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
        colors = np.round(255 * cluster_colors(self.n_clusters)[:, :3]).astype(int)
        return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in colors.tolist()]

    def apart(self, cluster: int) -> list[str]:
        """What sets a cluster apart, in words; of sparse rows their heaviest columns."""
        if self.profiles is not None:
            return apart_in_words(self.profiles, cluster)
        return [str(word) for word in self.report.clusters[cluster].words]
