"""The report of one energy test: every number in it comes from the result of the test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, lgamma
from typing import TYPE_CHECKING, Any

import numpy as np

from kgroups.layout import Block, Heading, Labeled, Page, Table, laid_out
from kgroups.report.in_words import describe_metric, metric_text, size_text
from kgroups.report.run_record import RunRecord
from kgroups.text import counted, printable
from kgroups.version import __version__

if TYPE_CHECKING:
    from kgroups.stats import EnergyTestResult

SCHEMA = "kgroups.test/1"
# Pairs of samples that are shown; if there are more, those farthest apart.
_PAIRS_SHOWN = 28
# p-values up to this count as evidence.
_LEVEL = 0.05
_LEGEND = (
    "e-distance: energy distance of two samples of n and m rows, times nm/(n+m)",
    "coefficient: the energy distance on a scale from 0 (same distribution) to 1",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class EnergyTestReport:
    """Which samples were compared, how, and what came out."""

    result: EnergyTestResult
    #: What the samples are called, in the order of the result.
    names: tuple[str, ...]
    #: None for a matrix between points, which has no features.
    n_features: int | None
    random_state: int
    source: str = "data"
    seconds: float = 0.0
    run: RunRecord | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The metric with every parameter a number."""
        return {"metric": describe_metric(self.result.metric)}

    @property
    def n_as_extreme(self) -> int:
        """How many permutations had a statistic at least as large, from the p-value."""
        return round(self.result.pvalue * (1 + self.result.n_permutations)) - 1

    @property
    def n_distinct_splits(self) -> float:
        """In how many ways the rows can be split, see :func:`distinct_splits`."""
        return distinct_splits(self.result.sizes)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it; its keys stay what they are for ``kgroups.test/1``."""
        found = self.result
        return {
            "schema": SCHEMA,
            "kgroups_version": __version__,
            **({} if self.run is None else self.run.to_dict()),
            "n_samples": found.n_samples,
            "n_features": self.n_features,
            "groups": list(self.names),
            "group_sizes": list(found.sizes),
            "metric": describe_metric(found.metric),
            "statistic": found.statistic,
            "pvalue": found.pvalue,
            "pvalue_resolution": 1 / (1 + found.n_permutations),
            "n_permutations": found.n_permutations,
            "n_as_extreme": self.n_as_extreme,
            "n_distinct_splits": self.n_distinct_splits,
            "pvalue_of_one_split": 1 / self.n_distinct_splits,
            "random_state": self.random_state,
            "e_distances": found.energy.tolist(),
            "energy_coefficients": found.coefficients.tolist(),
            "within_dispersion": found.within,
            "between_statistic": found.between,
            "explained": found.explained,
            "seconds": self.seconds,
        }

    def to_text(self, *, color: bool = False, width: int = 80) -> str:
        """The report for people; ``color`` makes headings bold and labels dim."""
        return laid_out(self.blocks(), Page(width, color))

    def blocks(self) -> list[Block]:
        """What the report consists of, to be laid out on a page."""
        pairs = Table(self._pairs(), left=[0, 1], keys=[0, 1])
        return [
            [Heading(self._head())],
            [Table(self._sizes(), left=[0])],
            [pairs, *self._left_out(), *_LEGEND],
            [Labeled(self._numbers())],
            self._sentences(),
        ]

    def _head(self) -> str:
        size = size_text(self.result.n_samples, self.n_features)
        samples = counted(len(self.names), "sample")
        metric = metric_text(describe_metric(self.result.metric))
        return f"{printable(self.source)}: {size}, {samples} by {metric}"

    def _sizes(self) -> list[list[str]]:
        rows = zip(self.names, self.result.sizes, strict=True)
        return [["sample", "rows"], *([printable(name), f"{size:,}"] for name, size in rows)]

    def _pairs(self) -> list[list[str]]:
        """The pairs of samples in their order; if they are many, those farthest apart."""
        first, second = np.triu_indices(len(self.names), 1)
        energy = self.result.energy[first, second]
        if len(energy) > _PAIRS_SHOWN:
            most = np.argsort(-energy, kind="stable")[:_PAIRS_SHOWN]
            first, second = first[most], second[most]
        rows = [
            [
                printable(self.names[i]),
                printable(self.names[j]),
                f"{self.result.energy[i, j]:.6g}",
                f"{self.result.coefficients[i, j]:.4f}",
            ]
            for i, j in zip(first, second, strict=True)
        ]
        return [["between", "and", "e-distance", "coefficient"], *rows]

    def _left_out(self) -> list[str]:
        k = len(self.names)
        rest = k * (k - 1) // 2 - _PAIRS_SHOWN
        return [f"and {counted(rest, 'pair')} less far apart"] if rest > 0 else []

    def _numbers(self) -> list[tuple[str, str]]:
        found = self.result
        permutations = counted(found.n_permutations, "permutation")
        limit = f"p cannot be smaller than {1 / (1 + found.n_permutations):.4g}"
        return [
            ("test statistic", f"{found.statistic:.6g} (the sum of all e-distances)"),
            ("p-value", f"{found.pvalue:.4g} ({permutations}; {limit})"),
            ("spread within samples (W)", f"{found.within:.6g}"),
            ("separation between samples (S)", f"{found.between:.6g}"),
            ("share explained", f"{found.explained:.1%} (S / (S + W))"),
        ]

    def _sentences(self) -> list[str]:
        found = self.result
        splits = f"{found.n_permutations:,} random splits of all rows into samples of these sizes"
        lines = [
            f"{f'{self.n_as_extreme:,}' if self.n_as_extreme else 'None'} of {splits} "
            f"differed as much; "
            f"{self.seconds:.2f} s in all."
        ]
        exist = self.n_distinct_splits
        if exist < found.n_permutations:
            lines.append(
                f"Only {counted(round(exist), 'such split')} can be told apart: p is "
                f"hardly ever below {1 / exist:.2g}."
            )
        return [*lines, self._conclusion()]

    def _conclusion(self) -> str:
        if self.result.pvalue > _LEVEL:
            return "That is no evidence of a difference, and no proof that there is none."
        if len(self.names) > 2:
            return (
                "That is evidence that the samples do not all have the same distribution; it does "
                "not say which of them differ."
            )
        return "That is evidence that the samples have different distributions."


def distinct_splits(sizes: Sequence[int]) -> float:
    """Number of ways in which rows can be split into samples of these sizes, at most e^700.

    Samples of equal size may change places, which changes no statistic.

    >>> round(distinct_splits([3, 4])), round(distinct_splits([2, 2]))
    (35, 3)
    """
    # Logarithms, because factorials of thousands have thousands of digits.
    samples = sum(lgamma(size + 1) for size in sizes)
    alike = sum(lgamma(count + 1) for count in Counter(sizes).values())
    return exp(min(lgamma(sum(sizes) + 1) - samples - alike, 700.0))
