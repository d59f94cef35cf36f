"""Tests and distances between samples."""

import numpy as np

from kgroups.stats import disco, energy_distance, energy_test

COLUMNS = 10


def samples(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two samples of n/2 rows that are shifted a little."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n // 2, COLUMNS)), 0.05 + rng.normal(size=(n // 2, COLUMNS))


class EnergyTest:
    """The two-sample test by permutations."""

    params = ([1_000, 4_000], [99, 999])
    param_names = ("n", "permutations")

    def setup(self, n: int, permutations: int) -> None:
        """Draw the samples."""
        self.X, self.Y = samples(n)

    def time_test(self, n: int, permutations: int) -> None:
        """The whole test."""
        energy_test(self.X, self.Y, n_permutations=permutations, random_state=0)

    def peakmem_test(self, n: int, permutations: int) -> None:
        """The memory of the process."""
        energy_test(self.X, self.Y, n_permutations=permutations, random_state=0)

    def track_pvalue(self, n: int, permutations: int) -> float:
        """The p-value, which the seed decides."""
        test = energy_test(self.X, self.Y, n_permutations=permutations, random_state=0)
        return float(test.pvalue)


class Disco:
    """Differences among five groups."""

    params = ([1_000, 4_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        """Draw the rows of groups in turn."""
        self.X, self.labels = np.vstack(samples(n)), np.arange(n) % 5

    def time_test(self, n: int) -> None:
        """The whole test."""
        disco(self.X, self.labels, n_permutations=199, random_state=0)

    def track_statistic(self, n: int) -> float:
        """The statistic, which may only change by rounding."""
        return float(disco(self.X, self.labels, n_permutations=1, random_state=0).statistic)


class Distance:
    """The energy distance alone."""

    params = ([1_000, 10_000],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        """Draw the samples."""
        self.X, self.Y = samples(n)

    def time_distance(self, n: int) -> None:
        """All pairs once."""
        energy_distance(self.X, self.Y)

    def track_distance(self, n: int) -> float:
        """The number, which may only change by rounding."""
        return float(energy_distance(self.X, self.Y))
