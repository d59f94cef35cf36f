"""Which columns separate the clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kgroups.fit.fitted import FittedClustering
from kgroups.plots._arguments import OF_ROWS, check_fitted, check_result
from kgroups.plots.style import (
    INK,
    SMALL,
    axes_for,
    cluster_colors,
    heading,
    plain,
    require_matplotlib,
    tidy,
)
from kgroups.select.feature_contributions import FeatureContributions, feature_contributions
from kgroups.text import short
from kgroups.typing import Data, Float64Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_COLUMNS = 15
_PALE, _GRAY = 0.4, "#BBBBBB"


@dataclass(kw_only=True, eq=False)
class FeatureContributionsDisplay:
    """One bar per column, the largest share of the separation between clusters on top.

    The bars add up to 100%, where paler ones are negative; a ring is the share that is explained if
    the column stands alone. Make one with :meth:`from_estimator`, or from
    a result with :meth:`from_contributions`.

    Parameters
    ----------
    names : sequence of str
        The D columns.
    shares : array (D,)
        Each column's share of S, the separation between clusters; they add up to 1.
    explained : array (D,)
        S/(S + W) of each column alone.

    Attributes
    ----------
    ax_, figure_, bars_, rings_
        The axes, the figure, the bars from the top, and the rings. Beyond 15 columns one gray
        bar stands for all others.
    """

    names: Sequence[str]
    shares: Float64Array
    explained: Float64Array

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedClustering,
        X: Data,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
        **bar_kw: Any,
    ) -> Self:
        """Draw which columns separate the clusters of ``estimator``, by its own metric.

        Time and errors are those of :func:`kgroups.select.feature_contributions`: O(n²D), and a
        metric that does not add up columns is an error.

        Parameters
        ----------
        estimator : fitted KernelKGroups, KernelKMeans or EnergyAgglomerative
        X, sample_weight : as in ``fit``
        ax : matplotlib axes or None
            None makes a pyplot figure.
        **bar_kw
            Passed on to ``ax.barh``.
        """
        require_matplotlib()
        check_fitted(estimator, OF_ROWS, "metric_")
        found = feature_contributions(
            X, estimator.labels_, metric=estimator.metric, sample_weight=sample_weight
        )
        return cls.from_contributions(found, ax=ax, **bar_kw)

    @classmethod
    def from_contributions(
        cls, contributions: FeatureContributions, *, ax: Axes | None = None, **bar_kw: Any
    ) -> Self:
        """Draw what :func:`kgroups.select.feature_contributions` found.

        Parameters
        ----------
        contributions : FeatureContributions
        ax : matplotlib axes or None
            None makes a pyplot figure.
        **bar_kw
            Passed on to ``ax.barh``.
        """
        require_matplotlib()
        check_result(contributions, FeatureContributions, "feature_contributions")
        numbers = {"shares": contributions.shares, "explained": contributions.explained}
        return cls(names=contributions.names, **numbers).plot(ax, **bar_kw)

    def plot(self, ax: Axes | None = None, **bar_kw: Any) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        top, others = np.split(np.argsort(-self.shares, kind="stable"), [_MAX_COLUMNS])
        lengths, names = 100 * self.shares[top], [plain(short(self.names[d])) for d in top]
        colors = _shades(lengths)
        if others.size:
            lengths = np.append(lengths, 100 * self.shares[others].sum())
            names.append(f"{others.size} {'others' if others.size > 1 else 'other'}")
            colors.append(_GRAY)
        style: dict[str, Any] = {"color": colors, "height": 0.7, **bar_kw}
        self.bars_ = self.ax_.barh(np.arange(len(lengths)), lengths, **style)
        self.rings_ = self.ax_.scatter(
            100 * self.explained[top], np.arange(len(top)), s=26, zorder=3, linewidths=1.2,
            facecolors="white", edgecolors="#666666",
        )  # fmt: skip
        self._describe(names, drawn=len(top))
        return self

    def _describe(self, names: Sequence[str], drawn: int) -> None:
        what = heading("What separates the clusters", drawn, len(self.names), "columns")
        x = "bars: share of the separation (S), %\nrings: share explained by the column alone, %"
        tidy(self.ax_, title=what, x=x, y="")
        self.ax_.axvline(0, color="#999999", lw=0.8)
        self.ax_.spines["left"].set_visible(False)
        self.ax_.set_yticks(np.arange(len(names)), names)
        self.ax_.set_ylim(max(len(names), 4) - 0.4, -0.6)
        self.ax_.tick_params(axis="y", length=0)
        self._write_shares()

    def _write_shares(self) -> None:
        """Write the shares on the right, where no ring is in their way."""
        at: dict[str, Any] = {
            "transform": self.ax_.get_yaxis_transform(),
            "ha": "right",
            "va": "center",
        }
        for place, bar in enumerate(self.bars_):
            self.ax_.text(1.11, place, f"{bar.get_width():.1f}%", fontsize=SMALL, color=INK, **at)
        self.ax_.text(1.11, -0.75, "share", fontsize=SMALL, color="#777777", **at)


def _shades(lengths: Float64Array) -> list[Any]:
    """The first color, and a paler one for negative bars."""
    full = cluster_colors(1)[0]
    pale = 1 - _PALE * (1 - full)
    return [tuple(pale if length < 0 else full) for length in lengths]
