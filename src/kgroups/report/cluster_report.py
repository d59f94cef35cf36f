"""The report of one clustering: every number in it comes from the fitted estimator."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from kgroups.answers.characteristic_words import Words
from kgroups.bounds import SEMIDEFINITE_UP_TO, Certificate, OptimalityGap
from kgroups.bounds.optimality_gap import percent_above
from kgroups.certificate.proof_text import proof_text
from kgroups.fit.fitted import FittedClustering
from kgroups.fit.starts_at_best import best_end, last_objectives, starts_at_best, total_dispersion
from kgroups.input.parameters import check_weights
from kgroups.input.spaces import is_pairwise
from kgroups.layout import Block, Heading, Labeled, Page, Table, laid_out, tied
from kgroups.report.chosen_number import chosen_dict, chosen_text
from kgroups.report.cluster_profile import ClusterProfile, cluster_profiles
from kgroups.report.clustered_rows import (
    MEAN_SPREAD,
    SD,
    apart_dicts,
    apart_text,
    approximation_text,
    as_list,
    decimals,
    end_sentence,
    explained_text,
    method_text,
    named_scores,
    result_dict,
    search_dict,
    share_explained,
    starts_text,
)
from kgroups.report.exemplars import exemplars
from kgroups.report.in_words import describe_metric, metric_text, size_text
from kgroups.report.known_labels import Scores, label_scores
from kgroups.report.run_record import RunRecord, parameters_of
from kgroups.text import counted, printable, quoted
from kgroups.typing import Float64Array, IntArray
from kgroups.version import __version__

if TYPE_CHECKING:
    from kgroups.select import ClusterCount


SCHEMA = "kgroups.cluster/1"
# More columns with missing values would hide the rest.
_COLUMNS_SHOWN = 8
# A longer text would hide the others.
_LONGEST_TEXT = 40


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
    #: Share of the kernel's trace that the sketch behind the starts, or the answer, does not show.
    sketch_error: float | None
    #: What is proved of W and S, and how much of it; None where they are estimates.
    within_dispersion_interval: tuple[float, float] | None
    between_statistic_interval: tuple[float, float] | None
    certificate: Certificate | None
    n_starts: int
    n_starts_at_best: int
    random_state: int | None
    labels: IntArray
    clusters: tuple[ClusterProfile, ...]
    seconds: float = 0.0
    scores: Scores | None = None
    #: How much better another clustering can be; None if it was not asked for.
    optimality: OptimalityGap | None = None
    source: str = "data"
    label_name: str = "the given labels"
    is_weighted: bool = False
    #: Names of the rows, if they have any.
    ids: Sequence[str] | None = None
    #: How many entries are compared as missing, by column.
    n_missing: Mapping[str, int] = field(default_factory=dict)
    #: What ``n_features`` counts.
    unit: str = "column"
    #: The parameters of the estimator, as they were given.
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: What the number of clusters follows from; None where it was given.
    cluster_count: ClusterCount | None = None
    run: RunRecord | None = None

    @classmethod
    def of(
        cls,
        model: FittedClustering,
        X: object,
        *,
        sample_weight: ArrayLike | None = None,
        labels_true: ArrayLike | None = None,
        table: Float64Array | None = None,
        names: Sequence[str] = (),
        categories: Mapping[str, ArrayLike] | None = None,
        seconds: float = 0.0,
        optimality: OptimalityGap | None = None,
        source: str = "data",
        label_name: str = "the given labels",
        ids: Sequence[str] | None = None,
        words: Words | None = None,
        texts: Sequence[str] | None = None,
        unit: str = "column",
        n_missing: Mapping[str, int] | None = None,
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
        categories : dict of str to array (n,), or None
            Columns of categories by name, by which the clusters are told apart too.
        seconds : float
            How long it took.
        optimality : OptimalityGap or None
            What :meth:`KernelKGroups.optimality_gap` found.
        source, label_name : str
            What the data and the known labels are called.
        ids : sequence of n str, or None
            Names of the rows.
        words : Words or None
            Sparse rows with the names of their columns, by which the clusters are told apart.
        texts : sequence of n str, or None
            What the rows look like; some of those nearest to the center of each cluster are shown.
        unit : str
            What a feature is called.
        n_missing : dict of str to int, or None
            How many entries are compared as missing, by column.
        """
        weights = check_weights(sample_weight, len(model.labels_))
        shown = None if texts is None else exemplars(
            model.metric_, _items(X), texts, model.labels_, weights, len(model.cluster_weights_)
        )  # fmt: skip
        state = model.random_state
        return cls(
            n_samples=len(model.labels_),
            n_features=_n_features(model),
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
            within_dispersion_interval=model.within_dispersion_interval_,
            between_statistic_interval=model.between_statistic_interval_,
            certificate=model.certificate_,
            n_starts=len(model.start_histories_),
            n_starts_at_best=starts_at_best(
                last_objectives(model), best_end(model), total_dispersion(model)
            ),
            random_state=int(state) if isinstance(state, numbers.Integral) else None,
            labels=np.array(model.labels_),
            clusters=cluster_profiles(
                model, weights, table, names, categories or {}, words=words, shown=shown
            ),
            scores=None if labels_true is None else label_scores(labels_true, model.labels_),
            is_weighted=sample_weight is not None,
            seconds=seconds,
            optimality=optimality,
            source=source,
            label_name=label_name,
            ids=ids,
            unit=unit,
            n_missing=n_missing or {},
            parameters=parameters_of(model),
            cluster_count=model.cluster_count_,
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
        return share_explained(self.within_dispersion, self.between_statistic)

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters with what stood for ``"auto"``, "median" and the like."""
        return {
            **self.parameters,
            "metric": self.metric,
            "n_init": self.n_starts,
            "method": self.method,
            "bound": "none" if self.optimality is None else self.optimality.kind,
        }

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; its keys stay what they are for ``kgroups.cluster/1``.

        ``docs/json.md`` explains them. The command line adds what it knows of its run.
        """
        found = self.optimality
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            **({} if self.run is None else self.run.to_dict()),
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "n_clusters": self.n_clusters,
            **chosen_dict(self.cluster_count),
            "metric": self.metric,
            "objective": self.objective,
            "within_dispersion": self.within_dispersion,
            "between_statistic": self.between_statistic,
            "within_dispersion_interval": as_list(self.within_dispersion_interval),
            "between_statistic_interval": as_list(self.between_statistic_interval),
            "explained": self.explained,
            "bound": None if found is None else found.bound,
            "gap": None if found is None else found.gap,
            "gap_kind": None if found is None else found.kind,
            "cluster_sizes": [cluster.size for cluster in self.clusters],
            "cluster_weights": [cluster.weight for cluster in self.clusters],
            "cluster_shares": [cluster.share for cluster in self.clusters],
            "mean_dispersions": [cluster.dispersion for cluster in self.clusters],
            "sets_apart": apart_dicts([cluster.sets_apart for cluster in self.clusters]),
            "exemplars": [[e._asdict() for e in cluster.exemplars] for cluster in self.clusters],
            **search_dict(self),
            "method": self.method,
            "exactness": self.exactness,
            "sketch_error": self.sketch_error,
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "n_starts": self.n_starts,
            "n_starts_at_best": self.n_starts_at_best,
            **result_dict(self),
        }

    # --- as text -----------------------------------------------------------------------------

    def to_text(self, *, color: bool = False, width: int = 80) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return laid_out(self.blocks(), Page(width, color))

    def blocks(self) -> list[Block]:
        """What the report consists of, to be laid out on a page."""
        return [
            [Heading(self._head())],
            [self._table(), *self._legend()],
            [Labeled(self._numbers())],
            self._sentences(),
        ]

    def _head(self) -> str:
        size = size_text(self.n_samples, self.n_features, self.unit)
        clusters = counted(self.n_clusters, "cluster")
        return f"{printable(self.source)}: {size}, {clusters} by {metric_text(self.metric)}"

    @property
    def _has_spread(self) -> bool:
        return all(cluster.dispersion is not None for cluster in self.clusters)

    @property
    def _has_deviations(self) -> bool:
        return any(cluster.sets_apart for cluster in self.clusters)

    @property
    def _has_exemplars(self) -> bool:
        return any(cluster.exemplars for cluster in self.clusters)

    def _table(self) -> Table:
        """The table of clusters, without the columns in which there is nothing to say."""
        head = ["cluster", "size", "weight", "share", "mean spread", "what sets it apart",
                "near its center"]  # fmt: skip
        shown = [True, True, self.is_weighted, True, self._has_spread, self._has_deviations,
                 self._has_exemplars]  # fmt: skip
        n_decimals = decimals([cluster.dispersion or 0.0 for cluster in self.clusters])
        rows = [head, *(_row(j, cluster, n_decimals) for j, cluster in enumerate(self.clusters))]
        kept = [[cell for cell, show in zip(row, shown, strict=True) if show] for row in rows]
        words = [len(kept[0]) - 1] if self._has_deviations or self._has_exemplars else []
        return Table(kept, left=words, words=words)

    def _legend(self) -> list[str]:
        """What the columns mean."""
        words = []
        if self._has_spread:
            words.append(MEAN_SPREAD)
        if any(cluster.deviations for cluster in self.clusters):
            words.append(SD)
        if any(cluster.words for cluster in self.clusters):
            words.append(
                f"what sets it apart: the {self.unit}s whose mean weight here most exceeds that of "
                "all rows"
            )
        if any(cluster.prevalences for cluster in self.clusters):
            words.append(
                "=: a category more frequent here than in all rows, with its share of the cluster"
            )
        return words

    def _numbers(self) -> list[tuple[str, str]]:
        pairs = [
            ("spread within clusters (W)", f"{self.within_dispersion:.6g} (minimized)"),
            ("separation between clusters (S)", f"{self.between_statistic:.6g}"),
            ("share explained", explained_text(self.explained)),
            starts_text(self.n_starts, self.n_starts_at_best),
        ]
        if self.optimality is not None:
            pairs.append(("room to improve", self._room(self.optimality)))
        if self.n_missing:
            shown = [f"{printable(name)} {count:,}" for name, count in self.n_missing.items()]
            more = len(shown) - _COLUMNS_SHOWN
            rest = f" and {more:,} more" if more > 0 else ""
            pairs.append(("missing values", ", ".join(shown[:_COLUMNS_SHOWN]) + rest))
        if self.certificate is not None and self.method == "certified":
            pairs.append(("proof", proof_text(self.certificate)))
        pairs.append(("method", method_text(self.method)))
        return [*pairs, *named_scores(self)]

    def _room(self, found: OptimalityGap) -> str:
        """What is proved, in one line; rounded so that it stays true."""
        if found.proves_optimal:
            return f"none: it is proved that no clustering into {self.n_clusters} is tighter"
        percent = percent_above(found.gap)
        room = f"no clustering into {self.n_clusters} can be more than {percent} tighter"
        is_quick = found.kind == "spectral" and self.n_samples <= SEMIDEFINITE_UP_TO
        hint = "; --bound semidefinite gives a sharper limit" if is_quick else ""
        return f"{room} (W ≥ {found.bound:.6g}){hint}"

    def _sentences(self) -> list[str]:
        lines = [*chosen_text(self.cluster_count), end_sentence(self)]
        if self.method == "nystroem":
            found = approximation_text(self.sketch_error)
            lines.append(f"{found}; for an exact result: --method certified.")
        return lines


def _row(number: int, cluster: ClusterProfile, n_decimals: int) -> list[str]:
    return [
        str(number),
        f"{cluster.size:,}",
        f"{cluster.weight:.6g}",
        f"{cluster.share:.1%}",
        "" if cluster.dispersion is None else f"{cluster.dispersion:.{n_decimals}f}",
        apart_text(cluster.sets_apart),
        ", ".join(tied(quoted(exemplar.text, _LONGEST_TEXT)) for exemplar in cluster.exemplars),
    ]


def _n_features(model: FittedClustering) -> int | None:
    """The number of columns; None for a matrix between points and for rows that are no table."""
    found = None if is_pairwise(model.metric) else getattr(model, "n_features_in_", None)
    return None if found is None else int(found)


def _items(X: object) -> Sequence[Any]:
    """Rows that are compared as they are; TypeError for those that have no order."""
    if not isinstance(X, Sequence):
        raise TypeError(f"texts describe a list of rows; got {type(X).__name__}.")
    return X
