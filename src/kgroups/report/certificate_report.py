"""The report on labels that somebody else found: what is proved of them, and which rows to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.bounds import CertifiedLabels
from kgroups.certificate.proof_text import proof_text
from kgroups.layout import Block, Heading, Labeled, Page, Table, laid_out
from kgroups.report.in_words import size_text
from kgroups.report.run_record import RunRecord
from kgroups.text import counted, printable
from kgroups.version import __version__

SCHEMA = "kgroups.certify/1"
# Rows that are shown: those that gain most.
_ROWS_SHOWN = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class CertificateReport:
    """Labels, and what a proof says of them."""

    found: CertifiedLabels
    #: The label of each row, as text.
    labels: Sequence[str]
    n_features: int | None
    metric: dict[str, Any]
    source: str = "data"
    label_source: str = "labels"
    #: Names of the rows, if they have any.
    ids: Sequence[str] | None = None
    seconds: float = 0.0
    run: RunRecord | None = None

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; the command line adds what it knows of its run."""
        found = self.found
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            **({} if self.run is None else self.run.to_dict()),
            "n_samples": len(self.labels),
            "n_features": self.n_features,
            "n_clusters": len(set(self.labels)),
            "metric": self.metric,
            "is_optimal": found.is_optimal,
            "within_dispersion": found.within_dispersion,
            "within_dispersion_interval": list(found.within_dispersion_interval),
            "certificate": found.to_dict(),
            "moves": [
                {
                    "row": row + 1,
                    "id": None if self.ids is None else self.ids[row],
                    "cluster": self.labels[row],
                    "target": target,
                    "gain": gain,
                }
                for row, target, gain in self._moves()
            ],
            "seconds": self.seconds,
        }

    def to_text(self, *, color: bool = False, width: int = 80) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return laid_out(self.blocks(), Page(width, color))

    def blocks(self) -> list[Block]:
        """What the report consists of, to be laid out on a page."""
        size = size_text(len(self.labels), self.n_features)
        clusters = counted(len(set(self.labels)), "cluster")
        head = f"{printable(self.source)}: {size}, {clusters} of {printable(self.label_source)}"
        numbers = [
            ("spread within clusters (W)", self._spread()),
            ("proof", proof_text(self.found)),
        ]
        blocks: list[Block] = [[Heading(head)], [Labeled(numbers)]]
        if len(self.found.rows):
            blocks.append([self._table()])
        return [*blocks, [self._sentence()]]

    def _moves(self) -> list[tuple[int, str, float]]:
        """Rows, the clusters they should go to and what that gains; the largest gain first."""
        found = self.found
        order = np.argsort(-found.gains, kind="stable")
        targets = [str(target) for target in found.targets[order].tolist()]
        rows, gains = found.rows[order].tolist(), found.gains[order].tolist()
        return list(zip(rows, targets, gains, strict=True))

    def _table(self) -> Table:
        names = ["row", "cluster", "better", "W falls by"]
        shown = [
            [
                str(row + 1) if self.ids is None else printable(self.ids[row]),
                printable(self.labels[row]),
                printable(target),
                f"{gain:.4g}",
            ]
            for row, target, gain in self._moves()[:_ROWS_SHOWN]
        ]
        return Table([names, *shown])

    def _spread(self) -> str:
        """W, or what is proved of it where that are fewer digits than are shown."""
        shown = f"{self.found.within_dispersion:.6g}"
        ends = [f"{end:.6g}" for end in self.found.within_dispersion_interval]
        return shown if ends == [shown, shown] else f"between {ends[0]} and {ends[1]}"

    def _sentence(self) -> str:
        count = len(self.found.rows)
        took = f"{self.seconds:.2f} s in all."
        if count == 0:
            if self.found.proved:
                return f"No move of a single row improves these labels; {took}"
            left = counted(self.found.n_open, "row")
            return f"No move is known to improve these labels, but {left} are undecided; {took}"
        shown = f"; the {_ROWS_SHOWN} largest are shown" if count > _ROWS_SHOWN else ""
        return (
            f"{counted(count, 'row')} would each lower W by a move alone{shown}. Gains of several "
            f"rows do not add up: KernelKGroups(k, init=labels).fit(X) carries them out; {took}"
        )
