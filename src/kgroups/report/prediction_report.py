"""The report on new rows: how many of them went to each cluster of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.layout import Block, Heading, Page, Table, laid_out
from kgroups.report.in_words import describe_metric, metric_text
from kgroups.report.run_record import RunRecord
from kgroups.text import counted, printable
from kgroups.typing import IntArray
from kgroups.version import __version__

SCHEMA = "kgroups.predict/1"


@dataclass(frozen=True, kw_only=True, eq=False)
class PredictionReport:
    """The cluster of each new row."""

    labels: IntArray
    n_clusters: int
    #: Rows of the fit.
    n_samples_fit: int
    metric: Any
    source: str = "data"
    model_source: str = "model"
    #: Names of the rows, if they have any.
    ids: Sequence[str] | None = None
    seconds: float = 0.0
    run: RunRecord | None = None

    @property
    def sizes(self) -> list[int]:
        """How many new rows each cluster got."""
        found: list[int] = np.bincount(self.labels, minlength=self.n_clusters).tolist()
        return found

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; the command line adds what it knows of its run."""
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            **({} if self.run is None else self.run.to_dict()),
            "n_samples": len(self.labels),
            "n_clusters": self.n_clusters,
            "n_samples_fit": self.n_samples_fit,
            "metric": describe_metric(self.metric),
            "labels": self.labels.tolist(),
            "ids": None if self.ids is None else list(self.ids),
            "cluster_sizes": self.sizes,
            "seconds": self.seconds,
        }

    def to_text(self, *, color: bool = False, width: int = 80) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return laid_out(self.blocks(), Page(width, color))

    def blocks(self) -> list[Block]:
        """What the report consists of, to be laid out on a page."""
        rows = counted(len(self.labels), "row")
        clusters = counted(self.n_clusters, "cluster")
        head = f"{printable(self.source)}: {rows} to {clusters} of {printable(self.model_source)}"
        sizes = [[str(cluster), f"{size:,}"] for cluster, size in enumerate(self.sizes)]
        metric = metric_text(describe_metric(self.metric))
        fit = f"The fit had {counted(self.n_samples_fit, 'row')}, compared by {metric}"
        return [
            [Heading(head)],
            [Table([["cluster", "rows"], *sizes])],
            [f"{fit}; {self.seconds:.2f} s in all."],
        ]
