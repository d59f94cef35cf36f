"""Results of the permutation tests, with a short text."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kgroups.runtime.result_table import Columns, ResultTable
from kgroups.typing import Float64Array


@dataclass(frozen=True, kw_only=True, eq=False)
class _PermutationResult(ResultTable):
    """The fields that both results share."""

    #: The statistic of the samples.
    statistic: float
    #: (1 + permutations at least as extreme) / (1 + n_permutations).
    pvalue: float
    n_permutations: int
    #: Name and number of points of each group.
    groups: tuple[Any, ...]
    sizes: tuple[int, ...]
    #: The semimetric with all parameters as numbers, or "precomputed", "precomputed_kernel".
    metric: Any
    #: The statistic of each permutation, shape (n_permutations,).
    permuted: Float64Array = field(repr=False)
    #: W and S of the samples as groups, see :func:`~kgroups.stats.within_dispersion`.
    within: float
    between: float

    @property
    def n_samples(self) -> int:
        """Total number of points."""
        return sum(self.sizes)

    @property
    def explained(self) -> float:
        """S / (S + W), the share of the dispersion between groups; 0 without dispersion."""
        total = self.between + self.within
        return self.between / total if total > 0 else 0.0

    def _columns(self) -> Columns:
        """The numbers that both results have."""
        names = ("statistic", "pvalue", "n_permutations", "n_samples", "within", "between")
        found = {name: [getattr(self, name)] for name in names}
        return {**found, "explained": [self.explained], "n_groups": [len(self.sizes)]}

    def _sizes_text(self) -> str:
        sizes = ", ".join(
            f"{group}: {size}" for group, size in zip(self.groups, self.sizes, strict=True)
        )
        return f"{len(self.sizes)} groups ({sizes}) by {self.metric}"

    def _p_text(self) -> str:
        return f"p = {self.pvalue:.4g} from {self.n_permutations} permutations"


@dataclass(frozen=True, kw_only=True, eq=False)
class EnergyTestResult(_PermutationResult):
    """The result of :func:`~kgroups.stats.energy_test`.

    ``to_frame()`` has one row: ``statistic``, ``pvalue``, ``n_permutations``, ``n_samples``,
    ``within``, ``between``, ``explained``, ``n_groups``, ``coefficient``.

    Examples
    --------
    >>> from kgroups.stats import energy_test
    >>> found = energy_test([[0.0], [0.0]], [[1.0], [1.0]], random_state=0)
    >>> found.to_frame()[["statistic", "coefficient"]].values.tolist()
    [[2.0, 1.0]]
    """

    #: e-distances n_i n_j / (n_i + n_j) 𝓔(i, j), shape (k, k); half their sum is the statistic.
    energy: Float64Array
    #: Energy coefficients H(i, j) = 𝓔(i, j) / 2Eρ(X_i, X_j), shape (k, k), between 0 and 1 for
    #: semimetrics of negative type: 0 for equal samples, 1 for two different constants.
    coefficients: Float64Array

    @property
    def coefficient(self) -> float:
        """The energy coefficient of two samples, or the largest among all pairs of samples."""
        return float(self.coefficients[np.triu_indices(len(self.sizes), 1)].max())

    def _columns(self) -> Columns:
        return {**super()._columns(), "coefficient": [self.coefficient]}

    def _caption(self) -> str:
        return f"Energy test of equal distributions: {self._sizes_text()}"

    def __str__(self) -> str:
        """The samples, the statistic with its p-value, and the energy coefficient."""
        return (
            f"Energy test of equal distributions: {self._sizes_text()}\n"
            f"statistic {self.statistic:.6g}, {self._p_text()}\n"
            f"energy coefficient {self.coefficient:.4g}"
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class DiscoResult(_PermutationResult):
    """The result of :func:`~kgroups.stats.disco`; ``statistic`` is the F ratio.

    ``to_frame()`` has one row: ``statistic``, ``pvalue``, ``n_permutations``, ``n_samples``,
    ``within``, ``between``, ``explained``, ``n_groups``, ``total``, ``df_between``, ``df_within``.

    Examples
    --------
    >>> from kgroups.stats import disco
    >>> found = disco([[0.0], [2.0], [5.0], [7.0]], ["a", "a", "b", "b"], random_state=0)
    >>> found.to_frame()[["within", "between", "df_within"]].values.tolist()
    [[2.0, 4.0, 2.0]]
    """

    total: float
    df_between: int
    df_within: int

    def _columns(self) -> Columns:
        names = ("total", "df_between", "df_within")
        return {**super()._columns(), **{name: [getattr(self, name)] for name in names}}

    def _caption(self) -> str:
        return f"Distance components: {self._sizes_text()}"

    def __str__(self) -> str:
        """A small table of the decomposition."""
        rows = [
            ("between", self.df_between, self.between),
            ("within", self.df_within, self.within),
            ("total", self.df_between + self.df_within, self.total),
        ]
        lines = [f"{name:<8}{df:>8}{value:>14.6g}" for name, df, value in rows]
        return "\n".join(
            [
                f"Distance components: {self._sizes_text()}",
                f"{'':<8}{'df':>8}{'dispersion':>14}",
                *lines,
                f"F = {self.statistic:.6g}, {self._p_text()}",
            ]
        )
