"""The report of one clustering: every number in it comes from the fitted estimator."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from kgroups.bounds import OptimalityGap
from kgroups.fit.starts_at_best import starts_at_best
from kgroups.input.parameters import check_weights
from kgroups.input.spaces import is_pairwise
from kgroups.report.metric import describe_metric
from kgroups.report.profile import ClusterProfile, profiles
from kgroups.report.scores import Scores, label_scores
from kgroups.report.text import render
from kgroups.typing import Float64Array, IntArray
from kgroups.version import __version__

SCHEMA = "kgroups.cluster/1"


@dataclass(frozen=True, kw_only=True, eq=False)
class ClusterReport:
    """What was clustered, how, and what came out; make one with :meth:`of`."""

    n_samples: int
    #: None for a matrix between points, which has no features.
    n_features: int | None
    metric: dict[str, Any]
    objective: float
    within_dispersion: float
    between_statistic: float
    n_iter: int
    n_moves: int
    converged: bool
    method: str
    exactness: str
    #: Share of the kernel that the sketch behind the starts, or the answer, does not show.
    sketch_error: float | None
    n_starts: int
    n_starts_at_best: int
    random_state: int | None
    labels: IntArray
    clusters: tuple[ClusterProfile, ...]
    seconds: float = 0.0
    scores: Scores | None = None
    #: How much better another clustering can be; None where nobody asked.
    optimality: OptimalityGap | None = None
    source: str = "data"
    label_name: str = "the given labels"
    is_weighted: bool = False

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        *,
        sample_weight: Any = None,
        labels_true: Any = None,
        table: Float64Array | None = None,
        names: Sequence[str] = (),
        **about: Any,
    ) -> Self:
        """The report of a fitted estimator.

        Parameters
        ----------
        model : fitted KernelKGroups or KernelKMeans
        X, sample_weight : as in ``fit``
        labels_true : array (n,) or None
            Known labels to score the clusters against.
        table : array (n, D) or None
            Numeric columns, in any units, by which the clusters are told apart.
        names : sequence of D str
            Their names.
        **about
            ``seconds``, ``source``, ``label_name`` and ``optimality``, which no estimator knows.
        """
        weights = check_weights(sample_weight, len(model.labels_))
        state = model.random_state
        return cls(
            n_samples=len(model.labels_),
            n_features=None if is_pairwise(model.metric) else int(model.n_features_in_),
            metric=describe_metric(model.metric_),
            objective=float(model.objective_),
            within_dispersion=float(model.within_dispersion_),
            between_statistic=float(model.between_statistic_),
            n_iter=int(model.n_iter_),
            n_moves=int(model.n_moves_),
            converged=bool(model.converged_),
            method=str(model.method_),
            exactness=str(model.exactness_),
            sketch_error=model.sketch_error_,
            n_starts=len(model.start_histories_),
            n_starts_at_best=starts_at_best(model),
            random_state=int(state) if isinstance(state, numbers.Integral) else None,
            labels=np.array(model.labels_),
            clusters=profiles(model, weights, table, names),
            scores=None if labels_true is None else label_scores(labels_true, model.labels_),
            is_weighted=sample_weight is not None,
            **about,
        )

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.clusters)

    @property
    def explained(self) -> float | None:
        """S / (S + W), the share of the dispersion that lies between clusters.

        None where the sum is not positive: all points equal, or an indefinite Gram matrix.
        """
        total = self.between_statistic + self.within_dispersion
        return self.between_statistic / total if total > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; its keys stay what they are for ``kgroups.cluster/1``."""
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "n_clusters": self.n_clusters,
            "metric": self.metric,
            "objective": self.objective,
            "within_dispersion": self.within_dispersion,
            "between_statistic": self.between_statistic,
            "explained": self.explained,
            **self._optimality(),
            "cluster_sizes": [cluster.size for cluster in self.clusters],
            "cluster_weights": [cluster.weight for cluster in self.clusters],
            "n_iter": self.n_iter,
            "n_moves": self.n_moves,
            "converged": self.converged,
            "method": self.method,
            "exactness": self.exactness,
            "sketch_error": self.sketch_error,
            "n_starts": self.n_starts,
            "n_starts_at_best": self.n_starts_at_best,
            "random_state": self.random_state,
            "seconds": self.seconds,
            "scores": None if self.scores is None else self.scores._asdict(),
            "labels": self.labels.tolist(),
        }

    def _optimality(self) -> dict[str, Any]:
        found = self.optimality
        return {
            "bound": None if found is None else found.bound,
            "gap": None if found is None else found.gap,
            "gap_kind": None if found is None else found.kind,
        }

    def to_text(self, *, color: bool = False) -> str:
        """The report for people; ``color`` makes headings bold and units dim."""
        return render(self, color=color)
