"""How reliably each cluster is found again in resampled data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kgroups.fit.fitted import FittedClustering
from kgroups.plots._arguments import OF_ROWS, check_fitted, check_result
from kgroups.plots.style import (
    SMALL,
    axes_for,
    cluster_colors,
    name_rows,
    plain,
    require_matplotlib,
    tidy,
)
from kgroups.select.cluster_stability import (
    HIGHLY_STABLE,
    PATTERN,
    STABLE,
    ClusterStability,
    cluster_stability,
)
from kgroups.text import short
from kgroups.typing import Data, Float64Array, RandomStateLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BANDS = (
    (PATTERN, STABLE, "a pattern"),
    (STABLE, HIGHLY_STABLE, "stable"),
    (HIGHLY_STABLE, 1.0, "highly stable"),
)
_LINE = "#BBBBBB"


@dataclass(kw_only=True, eq=False)
class ClusterStabilityDisplay:
    """One dot per cluster, at its mean Jaccard similarity over bootstrap samples.

    The bars are two standard errors to either side; the dashed lines are the limits by which Hennig
    interprets the similarities. Make one with :meth:`from_estimator`, or from
    a result with :meth:`from_stability`.

    Parameters
    ----------
    names : sequence of str
        The k clusters, from the top.
    jaccard, errors : array (k,)
        Means and their standard errors.

    Attributes
    ----------
    ax_, figure_, dots_, bars_
        The axes, the figure, the dots and the error bars.
    """

    names: Sequence[str]
    jaccard: Float64Array
    errors: Float64Array

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedClustering,
        X: Data,
        *,
        n_resamples: int = 50,
        random_state: RandomStateLike = None,
        n_jobs: int | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw how surely k-groups finds the clusters of ``estimator`` again, by its own metric.

        Time and errors are those of :func:`kgroups.select.cluster_stability`: one fit for each
        bootstrap sample, without weights.

        Parameters
        ----------
        estimator : fitted KernelKGroups, KernelKMeans or EnergyAgglomerative
        X : as in ``fit``
        n_resamples, random_state, n_jobs
            As in :func:`kgroups.select.cluster_stability`.
        ax : matplotlib axes or None
            None makes a pyplot figure.
        """
        require_matplotlib()
        check_fitted(estimator, OF_ROWS, "metric_")
        found = cluster_stability(
            X, estimator.labels_, metric=estimator.metric, n_resamples=n_resamples,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        return cls.from_stability(found, ax=ax)

    @classmethod
    def from_stability(cls, stability: ClusterStability, *, ax: Axes | None = None) -> Self:
        """Draw what :func:`kgroups.select.cluster_stability` found.

        Parameters
        ----------
        stability : ClusterStability
        ax : matplotlib axes or None
            None makes a pyplot figure.
        """
        require_matplotlib()
        check_result(stability, ClusterStability, "cluster_stability")
        names = [
            f"{plain(short(cluster))} ({size:,})"
            for cluster, size in zip(stability.clusters, stability.sizes, strict=True)
        ]
        return cls(names=names, jaccard=stability.jaccard, errors=stability.errors).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        k = len(self.names)
        places, colors = np.arange(k), cluster_colors(k)
        reach = 2 * np.nan_to_num(self.errors)
        left, right = self.jaccard - reach, np.minimum(self.jaccard + reach, 1.0)
        self.bars_ = self.ax_.hlines(places, left, right, colors=colors, lw=2, zorder=2)
        self.dots_ = self.ax_.scatter(self.jaccard, places, c=colors, s=45, zorder=3)
        least = float(np.nanmin(np.append(left, 1.0)))
        self.ax_.set_xlim(max(-0.02, min(0.5, least - 0.05)), 1.02)
        self.ax_.set_ylim(max(k, 3) - 0.4, -1.0)
        self._mark_thresholds()
        title, x = "Cluster stability", "mean Jaccard similarity, ± 2 standard errors"
        tidy(self.ax_, title=title, x=x, y="cluster")
        name_rows(self.ax_, self.names)
        return self

    def _mark_thresholds(self) -> None:
        """Draw a line at each threshold, and write between them what it means."""
        at = self.ax_.get_xaxis_transform()
        words: dict[str, Any] = {"fontsize": SMALL, "color": "#666666", "ha": "center", "va": "top"}
        for low, high, reading in _BANDS:
            self.ax_.axvline(low, color=_LINE, lw=0.9, ls="--", zorder=1)
            self.ax_.text((low + high) / 2, 0.985, reading, transform=at, **words)
