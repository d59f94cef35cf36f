"""The report of clustered rows that were read block by block: it has nothing for single rows."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from kgroups.bounds import Certificate
from kgroups.certificate.proof_text import proof_text
from kgroups.fit.fitted import FittedClustering
from kgroups.fit.starts_at_best import best_end, last_objectives, starts_at_best, total_dispersion
from kgroups.layout import Block, Heading, Labeled, Page, Table, laid_out
from kgroups.report.chosen_number import chosen_dict, chosen_text
from kgroups.report.clustered_rows import (
    MEAN_SPREAD,
    approximation_text,
    as_list,
    decimals,
    explained_text,
    method_text,
    share_explained,
    starts_text,
)
from kgroups.report.in_words import describe_metric, end_text, metric_text, size_text
from kgroups.report.run_record import RunRecord, parameters_of
from kgroups.text import counted, printable
from kgroups.version import __version__

if TYPE_CHECKING:
    from kgroups.select import ClusterCount


SCHEMA = "kgroups.cluster-stream/1"


class FittedToBlocks(FittedClustering, Protocol):
    """A fitted KernelKGroups, of one machine or of a cluster."""

    method_reason_: str


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamReport:
    """What was clustered and what came out; make one with :meth:`of`."""

    n_samples: int
    n_features: int
    metric: dict[str, Any]
    objective: float
    within_dispersion: float
    between_statistic: float
    #: What is proved of W and S; None where they are estimates.
    within_dispersion_interval: tuple[float, float] | None
    between_statistic_interval: tuple[float, float] | None
    cluster_sizes: tuple[int, ...]
    #: Mean spread of each cluster.
    mean_dispersions: tuple[float, ...]
    n_iter: int
    n_moves: int
    converged: bool
    method: str
    method_reason: str
    exactness: str
    #: Share of the variation that the approximation misses; None without one.
    sketch_error: float | None
    certificate: Certificate | None
    n_starts: int
    n_starts_at_best: int
    #: Workers of the cluster; None for a fit on this machine.
    n_workers: int | None
    random_state: int | None
    seconds: float
    source: str = "data"
    #: The parameters of the estimator, as they were given.
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: What the number of clusters follows from; None where it was given.
    cluster_count: ClusterCount | None = None
    run: RunRecord | None = None

    @classmethod
    def of(
        cls,
        model: FittedToBlocks,
        *,
        n_samples: int,
        seconds: float = 0.0,
        source: str = "data",
        n_workers: int | None = None,
    ) -> Self:
        """The report of a fitted estimator, for rows without weights.

        Parameters
        ----------
        model : fitted KernelKGroups, or one of :mod:`kgroups.dask`
        n_samples : int
            Number of rows.
        seconds : float
            How long it took.
        source : str
            What the data are called.
        n_workers : int or None
            Workers of the cluster that was used, if there was one.
        """
        state, weights = model.random_state, model.cluster_weights_
        spread = np.divide(
            model.cluster_dispersions_, weights, out=np.zeros(len(weights)), where=weights > 0
        )
        return cls(
            n_samples=n_samples,
            n_features=int(model.n_features_in_),
            metric=describe_metric(model.metric_),
            objective=float(model.objective_),
            within_dispersion=float(model.within_dispersion_),
            between_statistic=float(model.between_statistic_),
            within_dispersion_interval=model.within_dispersion_interval_,
            between_statistic_interval=model.between_statistic_interval_,
            # Sums of ones are whole numbers.
            cluster_sizes=tuple(round(float(weight)) for weight in weights),
            mean_dispersions=tuple(spread.tolist()),
            n_iter=int(model.n_iter_),
            n_moves=int(model.n_moves_),
            converged=bool(model.converged_),
            method=str(model.method_),
            method_reason=str(model.method_reason_),
            exactness=str(model.exactness_),
            sketch_error=model.sketch_error_,
            certificate=model.certificate_,
            n_starts=len(model.start_histories_),
            n_starts_at_best=starts_at_best(
                last_objectives(model), best_end(model), total_dispersion(model)
            ),
            n_workers=n_workers,
            random_state=int(state) if isinstance(state, numbers.Integral) else None,
            seconds=seconds,
            source=source,
            parameters=parameters_of(model),
            cluster_count=model.cluster_count_,
        )

    @property
    def explained(self) -> float | None:
        """S / (S + W), or None where the sum is not positive."""
        return share_explained(self.within_dispersion, self.between_statistic)

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters with what stood for ``"auto"``, "median" and the like."""
        found = {"metric": self.metric, "n_init": self.n_starts, "method": self.method}
        return {**self.parameters, **found}

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; the command line adds what it knows of its run."""
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            **({} if self.run is None else self.run.to_dict()),
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "n_clusters": len(self.cluster_sizes),
            **chosen_dict(self.cluster_count),
            "metric": self.metric,
            "objective": self.objective,
            "within_dispersion": self.within_dispersion,
            "between_statistic": self.between_statistic,
            "within_dispersion_interval": as_list(self.within_dispersion_interval),
            "between_statistic_interval": as_list(self.between_statistic_interval),
            "explained": self.explained,
            "cluster_sizes": list(self.cluster_sizes),
            "cluster_shares": [size / self.n_samples for size in self.cluster_sizes],
            "mean_dispersions": list(self.mean_dispersions),
            "n_iter": self.n_iter,
            "n_moves": self.n_moves,
            "converged": self.converged,
            "method": self.method,
            "method_reason": self.method_reason,
            "exactness": self.exactness,
            "sketch_error": self.sketch_error,
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "n_starts": self.n_starts,
            "n_starts_at_best": self.n_starts_at_best,
            "n_workers": self.n_workers,
            "random_state": self.random_state,
            "seconds": self.seconds,
        }

    # --- as text -----------------------------------------------------------------------------

    def to_text(self, *, color: bool = False, width: int = 80) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return laid_out(self.blocks(), Page(width, color))

    def blocks(self) -> list[Block]:
        """What the report consists of, to be laid out on a page."""
        size = size_text(self.n_samples, self.n_features)
        clusters = counted(len(self.cluster_sizes), "cluster")
        head = f"{printable(self.source)}: {size}, {clusters} by {metric_text(self.metric)}"
        return [
            [Heading(head)],
            [self._table(), MEAN_SPREAD],
            [Labeled(self._numbers())],
            self._sentences(),
        ]

    def _table(self) -> Table:
        n_decimals = decimals(self.mean_dispersions)
        rows = [["cluster", "size", "share", "mean spread"]]
        pairs = zip(self.cluster_sizes, self.mean_dispersions, strict=True)
        for number, (size, spread) in enumerate(pairs):
            share = f"{size / self.n_samples:.1%}"
            rows.append([str(number), f"{size:,}", share, f"{spread:.{n_decimals}f}"])
        return Table(rows)

    def _numbers(self) -> list[tuple[str, str]]:
        estimated = " (estimated)" if self.between_statistic_interval is None else ""
        pairs = [
            ("spread within clusters (W)", self._spread()),
            ("separation between clusters (S)", f"{self.between_statistic:.6g}{estimated}"),
            ("share explained", explained_text(self.explained)),
            starts_text(self.n_starts, self.n_starts_at_best),
        ]
        if self.certificate is not None and self.method == "certified":
            pairs.append(("proof", proof_text(self.certificate)))
        pairs.append(("method", method_text(self.method)))
        pairs.append(("reason", printable(self.method_reason)))
        if self.n_workers is not None:
            pairs.append(("computed by", f"{counted(self.n_workers, 'worker')} of the cluster"))
        return pairs

    def _spread(self) -> str:
        """W, and how well it is known where not all digits are."""
        shown, interval = f"{self.within_dispersion:.6g}", self.within_dispersion_interval
        if interval is None:
            return f"{shown} (minimized, estimated from a sample of the rows)"
        ends = [f"{end:.6g}" for end in interval]
        known = "" if ends == [shown, shown] else f", proved to be from {ends[0]} to {ends[1]}"
        return f"{shown} (minimized{known})"

    def _sentences(self) -> list[str]:
        end = end_text(
            self.n_iter,
            self.n_moves,
            exactness=self.exactness,
            converged=self.converged,
            unit="row",
        )
        lines = [*chosen_text(self.cluster_count), f"{end}; {self.seconds:.2f} s in all."]
        if self.method == "nystroem":
            lines.append(f"{approximation_text(self.sketch_error)}.")
        return lines
