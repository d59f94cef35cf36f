"""What reports and pictures read of a fitted estimator, whatever its class."""

from typing import Any, Protocol

from kgroups.certificate.certificate import Certificate
from kgroups.semimetrics.semimetric import Metric, Semimetric
from kgroups.typing import Float64Array, IntArray


class Fitted(Protocol):
    """An estimator that has labeled something."""

    labels_: IntArray


class FittedClustering(Fitted, Protocol):
    """Clusters of rows, objects or a matrix: a fitted KernelKGroups or KernelKMeans."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""

    random_state: object
    metric: Metric
    metric_: Semimetric | str
    method_: str
    exactness_: str
    sketch_error_: float | None
    certificate_: Certificate | None
    within_dispersion_interval_: tuple[float, float] | None
    between_statistic_interval_: tuple[float, float] | None
    objective_: float
    objective_history_: Float64Array
    within_dispersion_: float
    between_statistic_: float
    #: A ``kgroups.select.ClusterCount``, or None where the number was given.
    cluster_count_: Any
    cluster_weights_: Float64Array
    cluster_dispersions_: Float64Array
    start_names_: list[str]
    start_histories_: list[Float64Array]
    #: The objective of the best of them, improved, on the rows on which they competed.
    _best_start: float
    n_iter_: int
    n_moves_: int
    converged_: bool
    n_features_in_: int

    @property
    def temperature_(self) -> float:
        """How fast probabilities of labels fall with squared distances."""


class FittedCommunities(Fitted, Protocol):
    """Communities of a network: a fitted GraphKGroups or BetheHessianClustering."""

    r: float | str
    n_clusters: object
    n_clusters_: int
    component_sizes_: IntArray


class FittedNeighborClusters(Fitted, Protocol):
    """Clusters of rows as nodes of a graph of neighbors: a fitted GraphKGroups."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""

    random_state: object
    n_neighbors_: int
    #: Rows far from all others that are not a cluster of their own, in words.
    _small_groups: str
    decided_by_: str
    objective_: float
    component_sizes_: IntArray
    cluster_sizes_: IntArray
    n_iter_: int
    n_moves_: int
    converged_: bool
    exactness_: str
    n_features_in_: int


class FittedGraphKGroups(FittedCommunities, Protocol):
    """Communities found by moving nodes: a fitted GraphKGroups."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""

    random_state: object
    objective: str
    chosen_objective_: str
    resolution_: float
    decided_by_: str
    evidence_: float | None
    agreement_: float | None
    alternatives_: list[tuple[int, float]]
    candidates_: list[tuple[int, float]]
    weights: object
    init: object
    r_: float
    objective_: float
    start_names_: list[str]
    start_values_: list[float]
    best_start_: int
    selected_by_: str
    n_iter_: int
    n_moves_: int
    converged_: bool
    exactness_: str
