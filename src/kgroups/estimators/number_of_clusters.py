"""How many clusters a fit looks for: as many as it was told, or what the rows suggest."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from kgroups.input.parameters import check_n_clusters
from kgroups.names import AUTO
from kgroups.runtime import progress
from kgroups.runtime.progress import Progress
from kgroups.typing import Float64Array

if TYPE_CHECKING:
    from kgroups.estimators.kernel_clustering import KernelClustering
    from kgroups.select.choose_n_clusters import ClusterCount


class NumberOfClusters(NamedTuple):
    """How many clusters, and what says so: None if the number was given."""

    k: int
    chosen_by: ClusterCount | None = None


def number_of_clusters(
    model: KernelClustering, X: Any, n: int, weights_are_equal: bool
) -> NumberOfClusters:
    """The number that the model was given, or for "auto" what ``choose_n_clusters`` finds in X."""
    if not is_auto(model.n_clusters):
        return NumberOfClusters(check_n_clusters(model.n_clusters, n))
    if not weights_are_equal:
        warnings.warn(
            'n_clusters="auto" counts all rows alike, because its criteria take no weights; the '
            "clusters themselves are those of the weighted rows.",
            UserWarning,
            stacklevel=3,
        )
    count = _chosen(model, X)
    progress.tell(Progress(phase="number", note=count.sentence))
    return NumberOfClusters(count.n_clusters, count)


def is_auto(n_clusters: object) -> bool:
    """Whether the number is left to the rows."""
    return isinstance(n_clusters, str) and n_clusters == AUTO


def check_without_labels(n_clusters: object, init: object) -> None:
    """ValueError for labels to start from where the number of clusters is to be chosen."""
    if is_auto(n_clusters) and not isinstance(init, str) and not callable(init):
        raise ValueError(
            "init gives the labels to start from, and with them the number of clusters, which "
            'n_clusters="auto" would choose anew; write n_clusters=len(np.unique(init)).'
        )


@contextmanager
def asking_for(model: KernelClustering, number: NumberOfClusters) -> Iterator[None]:
    """A block in which the model is fitted with this number; it keeps what says so."""
    asked, model.n_clusters = model.n_clusters, number.k
    try:
        yield
    finally:
        model.n_clusters = asked
    model.cluster_count_ = number.chosen_by


def are_weights_equal(weights: Float64Array | None) -> bool:
    """Whether all rows have the same weight."""
    return weights is None or bool((weights == weights[0]).all())


def _chosen(model: KernelClustering, X: Any) -> ClusterCount:
    from kgroups.select.choose_n_clusters import choose_n_clusters

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about the rows, which the fit says
        return choose_n_clusters(
            X,
            metric=model.metric,
            random_state=model.random_state,
            n_jobs=model.n_jobs,
            verbose=model.verbose,
        )
