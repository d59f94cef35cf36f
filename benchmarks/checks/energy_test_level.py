"""How often the energy test and DISCO reject samples of one distribution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

from benchmarks.checks.check import Check, Summary, Unit
from kgroups.semimetrics import Energy, Gaussian, Manhattan, Semimetric
from kgroups.stats import disco, energy_test

LEVEL = 0.05

Draw = Callable[[np.random.Generator, int], np.ndarray]


def normal(rng: np.random.Generator, n: int) -> np.ndarray:
    """Light tails."""
    return rng.normal(size=(n, 3))


def heavy(rng: np.random.Generator, n: int) -> np.ndarray:
    """Tails without a variance."""
    return rng.standard_t(2, size=(n, 3))


def tied(rng: np.random.Generator, n: int) -> np.ndarray:
    """Counts, of which many are equal."""
    return rng.poisson(1.0, size=(n, 2)).astype(float)


def on_a_line(rng: np.random.Generator, n: int) -> np.ndarray:
    """One column."""
    return rng.exponential(size=(n, 1))


def by_energy_test(X: np.ndarray, labels: np.ndarray, metric: Semimetric, seed: int) -> Any:
    """The energy test with 199 permutations."""
    return energy_test(X, labels=labels, metric=metric, n_permutations=199, random_state=seed)


def by_disco(X: np.ndarray, labels: np.ndarray, metric: Semimetric, seed: int) -> Any:
    """DISCO with 199 permutations."""
    return disco(X, labels, metric=metric, n_permutations=199, random_state=seed)


class Case(NamedTuple):
    """A test, a distribution, a metric, and the sizes of the samples."""

    test: Callable[..., Any]
    draw: Draw
    metric: Semimetric
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.test.__name__} {self.draw.__name__} {self.metric!r} {self.sizes}"

    def pvalue(self, rng: np.random.Generator, seed: int) -> float:
        """The p-value of one set of samples of the same distribution."""
        labels = np.repeat(np.arange(len(self.sizes)), self.sizes)
        return float(self.test(self.draw(rng, len(labels)), labels, self.metric, seed).pvalue)


CASES = (
    Case(by_energy_test, normal, Energy(), (30, 40)),
    Case(by_energy_test, heavy, Energy(0.5), (10, 50)),
    Case(by_energy_test, tied, Manhattan(), (30, 40)),
    Case(by_energy_test, on_a_line, Energy(), (20, 20, 30)),
    Case(by_disco, heavy, Energy(), (15, 25, 30)),
    Case(by_disco, normal, Gaussian("median"), (30, 40)),
)


def run(number: int) -> Unit:
    """The p-value of each case."""
    return {
        str(case): case.pvalue(np.random.default_rng([4, number, i]), number)
        for i, case in enumerate(CASES)
    }


def fold(units: Sequence[Unit]) -> Summary:
    """The share of rejections of each case."""
    return {
        str(case): float(np.mean([unit[str(case)] <= LEVEL for unit in units])) for case in CASES
    }


def holds(summary: Summary, n: int) -> bool:
    """No share is further from the level than chance takes it once in a thousand."""
    return all(binomtest(round(p * n), n, LEVEL).pvalue > 1e-3 for p in summary.values())


CHECK = Check(
    name="energy-test-level",
    claim="At level .05, samples of one distribution are rejected in 5 % of all cases.",
    n_units=1000,
    run=run,
    fold=fold,
    holds=holds,
)
