"""The report of a number of clusters: the answer, and the value of each criterion for each k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.layout import Block, Heading, Page, Table, laid_out
from kgroups.report.in_words import describe_metric, metric_text, size_text
from kgroups.report.run_record import RunRecord
from kgroups.text import counted, printable
from kgroups.version import __version__

if TYPE_CHECKING:
    from kgroups.select import ClusterCount, Criterion

SCHEMA = "kgroups.choose-k/1"


@dataclass(frozen=True, kw_only=True)
class ClusterCountReport:
    """A :class:`~kgroups.select.ClusterCount` with what is known of its input."""

    count: ClusterCount
    source: str
    metric: Any
    n_features: int | None = None
    #: What a feature is called.
    unit: str = "column"
    label_name: str = ""
    n_classes: int | None = None
    seconds: float = 0.0
    run: RunRecord | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The metric, and the largest number of clusters that was tried."""
        return {"metric": describe_metric(self.metric), "k_max": int(self.count.k[-1])}

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; its keys stay what they are for ``kgroups.choose-k/1``."""
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            **({} if self.run is None else self.run.to_dict()),
            "n_clusters": self.count.n_clusters,
            "reason": self.count.reason,
            "votes": self.count.votes,
            "at_limit": list(self.count.at_limit),
            "criteria": {c.name: c.to_dict() for c in self.count.criteria},
            "rounded_columns": list(self.count.rounded_columns),
            "n_samples": self.count.n_samples,
            "n_given": self.count.n_given,
            "n_features": self.n_features,
            "n_classes": self.n_classes,
            "metric": describe_metric(self.metric),
            "seconds": self.seconds,
        }

    def to_text(self, *, color: bool = False, width: int = 80) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return laid_out(self.blocks(), Page(width, color))

    def blocks(self) -> list[Block]:
        """What the report consists of, to be laid out on a page."""
        return [[Heading(self._head())], [self._table()], [self._answer(), *self._notes()]]

    def _head(self) -> str:
        size = size_text(self.count.n_given, self.n_features, self.unit)
        metric = metric_text(describe_metric(self.metric))
        return f"{printable(self.source)}: {size}, how many clusters by {metric}?"

    def _table(self) -> Table:
        """One line per criterion and one column per k; the suggested k is in brackets."""
        rows = [["criterion", "suggests", *(f"k={number}" for number in self.count.k)]]
        rows += [[c.name, str(c.n_clusters), *_cells(c)] for c in self.count.criteria]
        return Table(rows, left=[0])

    def _answer(self) -> str:
        count = self.count
        answer = counted(count.n_clusters, "cluster")
        limit = f" {count.limit[0].upper()}{count.limit[1:]}: raise --k-max." if count.limit else ""
        if count.k.tolist() == [1]:
            return f"1 cluster, because no other number was tried; {self.seconds:.2f} s in all."
        if count.n_clusters == 1 and count.agrees:
            answer = "1 cluster: no structure that these criteria can tell from chance"
        return f"{answer} ({count.reason}); {self.seconds:.2f} s in all.{limit}"

    def _who_votes(self) -> list[str]:
        """Which criteria are counted, and which are only shown."""
        shown = [criterion.name for criterion in self.count.criteria if not criterion.knows_one]
        lines = [f"Votes: {', '.join(self.count.votes)}."]
        return [*lines, f"Only shown, because they cannot suggest 1: {', '.join(shown)}."]

    def _sample(self) -> str:
        """How many rows were used, and how to use more."""
        used = self.count.n_samples
        return f"Computed from a random sample of {used:,} rows; --max-samples sets their number."

    def _notes(self) -> list[str]:
        from kgroups.select.rounding import spread_in_words

        count = self.count
        notes = self._who_votes()
        notes += ["[ ] = suggested k. Separation shows p-values (smaller = stronger evidence)."]
        notes += [f"{criterion.name}: {criterion.rule}" for criterion in count.criteria]
        votes = sorted(count.votes.values())
        if votes[-1] - votes[0] > 1:
            notes.append(
                f"The criteria disagree: look at the picture (--plot), and try {votes[0]} to "
                f"{votes[-1]} clusters."
            )
        if count.rounded_columns:
            notes.append(f"Separation, gap: {spread_in_words(len(count.rounded_columns))}.")
        if count.left_out:
            notes.append(f"{count.left_out[0].upper()}{count.left_out[1:]}.")
        if count.n_samples < count.n_given:
            notes.append(self._sample())
        if self.n_classes is not None:
            classes = counted(self.n_classes, "class", "classes")
            notes.append(f"{printable(self.label_name)} has {classes}.")
        return notes


def _cells(criterion: Criterion) -> list[str]:
    """Values with three decimals; that of the suggested k in brackets."""
    cells = []
    for number, value in zip(criterion.k, criterion.values, strict=True):
        text = f"{value:.3f}" if np.isfinite(value) else "-"
        cells.append(f"[{text}]" if number == criterion.n_clusters else f"{text} ")
    return cells
