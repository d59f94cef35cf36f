"""What the clusters are: each column in each cluster, compared with all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse

from kgroups.answers.profiles import Profiles, profiles
from kgroups.fit.fitted import FittedClustering
from kgroups.input.parameters import check_weights
from kgroups.input.rows import n_rows
from kgroups.plots._arguments import OF_ROWS, check_fitted
from kgroups.plots._data import cluster_counts
from kgroups.plots._legend import color_bar, strip_below
from kgroups.plots._order import order_of
from kgroups.plots._tile_words import short_names, words_of, write_in_tiles
from kgroups.plots.style import (
    SMALL,
    axes_for,
    bare,
    cluster_colors,
    heading,
    require_matplotlib,
)
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The scale of colors ends at so many standard deviations.
_LIMIT = 2.0
_LONGEST = 26


@dataclass(kw_only=True, eq=False)
class ProfileDisplay:
    r"""One tile per column and cluster, colored by how much the cluster differs from all rows.

    For a column of numbers the color is :math:`(m_{jc} - m_c) / σ_c`: the cluster's mean less that
    of all rows, in standard deviations; the tile says the mean. For categories it is the same of
    the most characteristic category, :math:`(p_{jc} - p_c) / \sqrt{p_c (1 - p_c)}`, and the tile
    says its share in the cluster and in all rows. Colors end at two standard deviations. Make one
    with :meth:`from_estimator`.

    Parameters
    ----------
    profiles : Profiles
        The columns that are drawn, from the top.
    order : array (k,)
        The clusters from the left.
    n_columns : int
        Number of columns in the whole table.

    Attributes
    ----------
    ax_, figure_, image_, texts_
        The axes, the figure, the tiles, and their words, by column and then by cluster; what does
        not fit its tile is hidden when the picture is drawn.
    """

    profiles: Profiles
    order: IntArray
    n_columns: int

    @classmethod
    def from_estimator(
        cls,
        estimator: FittedClustering,
        X: object,
        *,
        table: Any = None,
        feature_names: Sequence[str] | None = None,
        sample_weight: ArrayLike | None = None,
        order: Sequence[int] | None = None,
        max_columns: int = 24,
        ax: Axes | None = None,
        **image_kw: Any,
    ) -> Self:
        """Draw how the clusters of ``estimator`` differ, column by column.

        O(n D) time and the memory of some columns, with a sort of each column of categories.

        Parameters
        ----------
        estimator : fitted KernelKGroups or KernelKMeans
        X : as in ``fit``
        table : frame or array (n, D'), Profiles or None
            The rows of the fit in units that people know, before they were scaled, or with other
            columns than X; None takes X. Profiles are drawn as they are.
        feature_names : list of str or None
            Names of the columns; None takes those of the table.
        sample_weight : as in ``fit``
        order : sequence of int or None
            The clusters from the left; None puts near ones next to each other.
        max_columns : int, default=24
            If there are more columns, those that tell the clusters apart most are drawn.
        ax : matplotlib axes or None
            None makes a pyplot figure.
        **image_kw
            Passed on to ``ax.imshow``.

        Raises
        ------
        ValueError
            If there are no columns, as in a list of texts or a given matrix, and no ``table``.
        """
        require_matplotlib()
        check_fitted(estimator, OF_ROWS, "metric_")
        reason = why_no_columns(estimator, X, table)
        if reason is not None:
            raise ValueError(reason)
        found = table
        if not isinstance(table, Profiles):
            shown = X if table is None else table
            found = _profiles_of(estimator, shown, feature_names, sample_weight)
        display = cls(
            profiles=found.most_telling(max_columns),
            order=order_of(estimator, X, order),
            n_columns=len(found.columns),
        )
        return display.plot(ax, **image_kw)

    def plot(self, ax: Axes | None = None, **image_kw: Any) -> Self:
        """Draw on ``ax``, or on a new pyplot figure."""
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        columns, colors = self.profiles.columns, cluster_colors(len(self.order))
        values = np.array([column.values[self.order] for column in columns])
        style: dict[str, Any] = {
            "cmap": "RdBu_r", "vmin": -_LIMIT, "vmax": _LIMIT, "aspect": "auto",
            "interpolation": "nearest", **image_kw,
        }  # fmt: skip
        self.image_ = self.ax_.imshow(values, **style)
        bare(self.ax_, heading("Profile", len(columns), self.n_columns, "columns"))
        self._separate_tiles(values.shape)
        self._name_columns()
        strip_below(self.ax_, self.order, colors)
        if len(self.order) > 1:
            quantity, ends = _scale(values)
            color_bar(self.ax_, self.image_, quantity, attached=True, **ends)
        words = [[words_of(column, cluster) for cluster in self.order] for column in columns]
        self.texts_ = write_in_tiles(self.ax_, words, self.image_)
        return self

    def _separate_tiles(self, shape: tuple[int, ...]) -> None:
        for border in np.arange(shape[0] - 1) + 0.5:
            self.ax_.axhline(border, color="white", lw=0.8)
        for border in np.arange(shape[1] - 1) + 0.5:
            self.ax_.axvline(border, color="white", lw=0.8)

    def _name_columns(self) -> None:
        names = short_names([column.name for column in self.profiles.columns], _LONGEST)
        size = min(SMALL, 175 / len(names))
        self.ax_.set_yticks(np.arange(len(names)), names)
        self.ax_.tick_params(axis="y", length=0, labelsize=size)


def _profiles_of(
    estimator: FittedClustering,
    table: Any,
    feature_names: Sequence[str] | None,
    sample_weight: ArrayLike | None,
) -> Profiles:
    n = len(estimator.labels_)
    if n_rows(table) != n:
        raise ValueError(
            f"table has {n_rows(table)} rows and the estimator was fitted on {n}; pass the rows "
            "of the fit."
        )
    return profiles(
        table,
        estimator.labels_,
        len(cluster_counts(estimator)),
        weights=check_weights(sample_weight, n),
        names=_names(estimator, table, feature_names),
    )


def why_no_columns(estimator: FittedClustering, X: Any, table: Any) -> str | None:
    """Why there is nothing to compare column by column, or None."""
    if table is not None:
        return None
    if isinstance(estimator.metric_, str):
        return "a matrix between rows has no columns to compare; pass table= with the rows."
    if issparse(X):
        return "sparse rows are not compared column by column; pass table= with some columns."
    if not hasattr(estimator, "n_features_in_") or np.ndim(X) != 2:
        return "rows without columns have nothing to compare; pass table= with what is known."
    return None


def _names(
    estimator: FittedClustering, table: Any, given: Sequence[str] | None
) -> list[str] | None:
    """Names of the columns: given, of the table, or of the fit if it had as many."""
    width = np.shape(table)[1]
    if given is not None and len(given) != width:
        raise ValueError(f"feature_names has {len(given)} names for {width} columns.")
    if given is not None or hasattr(table, "columns"):
        return None if given is None else [str(name) for name in given]
    of_fit = getattr(estimator, "feature_names_in_", ())
    return list(of_fit) if len(of_fit) == width else [f"column {c}" for c in range(width)]


def _scale(values: Float64Array) -> tuple[str, dict[str, Any]]:
    """What the colors measure, and the ends of their scale where some values lie beyond."""
    words = "standard deviations from all rows"
    below, above = bool(values.min() < -_LIMIT), bool(values.max() > _LIMIT)
    if not (below or above):
        return words, {}
    ends = {(True, True): "both", (True, False): "min", (False, True): "max"}[below, above]
    return f"{words}, clipped at {_LIMIT:.0f}", {"extend": ends}
