"""What the clusters of an estimator are, on one page."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, issparse

from kgroups.answers.characteristic_words import Words
from kgroups.answers.profiles import Profiles
from kgroups.fit.fitted import FittedClustering
from kgroups.graphs.community_estimator import CommunityEstimator
from kgroups.input.parameters import check_weights
from kgroups.input.rows import n_rows
from kgroups.plots._arguments import OF_ROWS, check_fitted
from kgroups.plots._cluster_lines import MAX_LINES, characteristic, list_lines, typical_rows
from kgroups.plots._order import order_of
from kgroups.plots.gram_display import GramDisplay
from kgroups.plots.partition_display import PartitionDisplay
from kgroups.plots.profile_display import ProfileDisplay, why_no_columns
from kgroups.plots.separation_display import TITLE, SeparationDisplay, why_unknown
from kgroups.plots.sizes_display import ClusterSizesDisplay
from kgroups.plots.style import INK, page_of_rows, say
from kgroups.semimetrics import Semimetric
from kgroups.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def overview(
    estimator: FittedClustering,
    X: object,
    *,
    table: Any = None,
    feature_names: Sequence[str] | None = None,
    names: Sequence[object] | None = None,
    sample_weight: ArrayLike | None = None,
    title: str | None = None,
) -> Figure:
    """Partition, matrix, profile and separation on one landscape page.

    The figure belongs to no window and no pyplot state, so it may be made in any thread and without
    a screen; ``figure.savefig(path)`` writes it. Clusters stand next to those that are near. Where
    rows have no columns to compare, other words take the place of the profile: of sparse rows the
    columns that a cluster has more of than all rows, such as words; else the rows nearest to each
    center, if rows have names; else the sizes of the clusters. How the search went is on the page
    of :func:`search_overview`.

    Parameters
    ----------
    estimator : fitted KernelKGroups or KernelKMeans
    X : as in ``fit``
    table : frame or array (n, D'), Profiles, Words or None
        The rows of the fit as people know them, for the profile: in their own units, with other
        columns if these tell more. None takes X.
    feature_names : list of str or None
        Names of the columns of X, and of the table if it has as many; None takes those seen at fit.
    names : sequence of n names or None
        What the rows are called; up to 30 have them next to their points. None takes texts for
        their own names.
    sample_weight : as in ``fit``
        For the profile.
    title : str or None
        None says what was clustered and how.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if isinstance(estimator, CommunityEstimator):
        name = type(estimator).__name__
        raise TypeError(f"{name} clusters a network; use kgroups.plots.network_overview.")
    check_fitted(estimator, OF_ROWS, "metric_")
    figure, ((top_left, top_right), (bottom_left, bottom_right)) = page_of_rows()
    PartitionDisplay.from_estimator(
        estimator, X, feature_names=feature_names, names=names, ax=top_left
    )
    order = order_of(estimator, X, None).tolist()
    pairs = GramDisplay.from_estimator(estimator, X, order=order, ax=top_right)
    told = _words(X, table, feature_names)
    if told is not None and len(order) <= MAX_LINES:
        _characteristic(bottom_left, told, estimator, order, sample_weight)
    elif told is None and why_no_columns(estimator, X, table) is None:
        ProfileDisplay.from_estimator(
            estimator, X, table=table, feature_names=_if_as_many(feature_names, X, table),
            sample_weight=sample_weight, order=order, ax=bottom_left,
        )  # fmt: skip
    else:
        _without_columns(bottom_left, estimator, pairs, _texts(X) if names is None else names)
    _separation(bottom_right, estimator, X, order)
    figure.suptitle(title or _title(estimator), fontsize=13, color=INK)
    return figure


def _if_as_many(names: Sequence[str] | None, X: Any, table: Any) -> Sequence[str] | None:
    """Names of the columns of X where the table has none of its own and as many columns."""
    if names is None or isinstance(table, Profiles) or hasattr(table, "columns"):
        return None
    return names if len(names) == np.shape(X if table is None else table)[1] else None


def _words(X: Any, table: Any, names: Sequence[str] | None) -> Words | None:
    """Words that were given, or sparse rows whose columns have names."""
    if isinstance(table, Words):
        return table
    is_sparse: bool = issparse(X)
    if table is not None or names is None or not is_sparse or len(names) != X.shape[1]:
        return None
    return Words(csr_array(X), lambda column: str(names[column]))


def _characteristic(
    ax: Axes,
    words: Words,
    estimator: FittedClustering,
    order: Sequence[int],
    sample_weight: ArrayLike | None,
) -> None:
    weights = check_weights(sample_weight, len(estimator.labels_))
    lines = characteristic(words, estimator.labels_, weights, order)
    list_lines(ax, "Characteristic columns", lines, len(order))


def _without_columns(
    ax: Axes, estimator: FittedClustering, pairs: GramDisplay, names: Sequence[object] | None
) -> None:
    """Names of typical rows, or else sizes."""
    if names is not None and pairs.n_clusters <= MAX_LINES:
        list_lines(ax, "Typical rows", typical_rows(pairs, names), pairs.n_clusters)
    else:
        ClusterSizesDisplay.from_estimator(estimator, ax=ax)


def _texts(X: Any) -> list[str] | None:
    """Texts, which are their own names; None for other rows."""
    if hasattr(X, "columns") or hasattr(X, "nnz"):
        return None
    return list(X) if n_rows(X) and all(isinstance(row, str) for row in X) else None


def _separation(ax: Axes, estimator: FittedClustering, X: object, order: list[int]) -> None:
    reason = why_unknown(estimator)
    if reason is None:
        SeparationDisplay.from_estimator(estimator, X, order=order, ax=ax)
    else:
        say(ax, TITLE, fill(reason[0].upper() + reason[1:], 48))


def _title(estimator: FittedClustering) -> str:
    clusters = counted(len(estimator.cluster_weights_), "cluster")
    what = f"{clusters} in {counted(len(estimator.labels_), 'point')}"
    return f"{type(estimator).__name__}: {what}, {_metric(estimator.metric_)}"


def _metric(metric: Semimetric | str) -> str:
    """The semimetric in a few words; if its representation is long, by its class alone."""
    if isinstance(metric, str):
        return {"precomputed": "given distances"}.get(metric, "given Gram matrix")
    function = getattr(metric, "function", None)
    if function is not None:
        return getattr(function, "__name__", type(metric).__name__)
    words = repr(metric)
    return words if len(words) <= 40 else type(metric).__name__
