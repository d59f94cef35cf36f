"""The gap statistic: the within dispersion compared to that of data without clusters."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from kgroups.input.parameters import check_integer, check_tol
from kgroups.runtime.seeds import seeds_of
from kgroups.select.criterion import Criterion, check_k_range
from kgroups.select.rounding import rounded_columns, smoothed
from kgroups.select.subject import MAX_SAMPLES, Subject
from kgroups.semimetrics import Metric
from kgroups.typing import Data, Float64Array, IntArray, RandomStateLike

#: Number of reference data sets: at most, and before the first look at whether more are needed.
N_REFERENCES, N_FIRST = 10, 4
# References between looks.
_MORE = 2
# More references cannot change the answer if no difference of gaps comes near the bound: within so
# many of its own standard errors, with a standard deviation that is this many times as large.
_ERRORS, _LARGER = 6.0, 3.0


def gap_statistic(
    X: Data,
    k_range: Iterable[int] | None = None,
    *,
    metric: Metric = "energy",
    n_references: int | None = None,
    se_factor: float = 1.0,
    max_samples: int = MAX_SAMPLES,
    random_state: RandomStateLike = None,
    n_jobs: int | None = None,
) -> Criterion:
    r"""Number of clusters by the gap statistic on the within dispersion of k-groups.

    .. math:: \mathrm{gap}(k) = \frac1B \sum_b \log W_k(X_b^*) - \log W_k(X), \qquad
              s(k) = \mathrm{sd}_b \sqrt{1 + 1/B}

    The reference data X* are uniform over the box of the principal components of X. The answer is
    the smallest k with gap(k) ≥ gap(k+1) − c s(k+1), which may be 1; k+1 means the next number in
    ``k_range``, and c is ``se_factor``. Rounded columns are first spread over their rounding
    interval, because otherwise every value that many rows share would be a tight cluster. For input
    other than a numeric table whose metric depends on differences of columns, coordinates by
    classical scaling replace X, and the energy semimetric replaces ρ. Partitions of the data and of
    each reference set are found in the same way, from those into one cluster less and one more, see
    :func:`choose_n_clusters`, so that W is above the optimum by the same share in both. Time: that
    of partitions of B + 1 tables; memory: that of a fit for each thread.

    Parameters
    ----------
    X : table (n, D), sequence of n objects, or matrix (n, n)
        As in :meth:`kgroups.KernelKGroups.fit`.
    k_range : iterable of int, default 1 to 10, fewer below 20 rows
        Numbers of clusters to try.
    metric : as in :class:`kgroups.KernelKGroups`, default="energy"
    n_references : int or None, default=None
        The number B of reference data sets, at least 2. With None B is 4, or up to 10 where the
        answer would otherwise be in doubt.
    se_factor : float, default=1.0
        The factor c ≥ 0. 1 is the rule of Tibshirani, Walther & Hastie; a larger factor requires
        clearer structure and never gives a larger k. :func:`choose_n_clusters` uses 1.5.
    max_samples : int, default=2000
        Number of rows used; larger inputs are sampled.
    random_state : int, RandomState, Generator or None
        An int gives the same answer on every call, for any ``n_jobs``.
    n_jobs : int or None
        Number of threads; None uses all cores.

    Returns
    -------
    Criterion
        ``n_clusters``, ``k``, ``values`` and ``errors``, which are s(k).

    Raises
    ------
    ValueError
        If ``k_range`` is empty or goes beyond the rows, ``n_references`` is below 2, ``se_factor``
        is negative or not finite, or X does not fit the metric.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 1, (40, 2)) for m in (0, 9)])
    >>> gap_statistic(X, range(1, 5), random_state=0).n_clusters
    2

    References
    ----------
    R. Tibshirani, G. Walther and T. Hastie, "Estimating the Number of Clusters in a Data Set via
    the Gap Statistic", J. R. Statist. Soc. B 63 (2), 2001.
    """
    subject = Subject.of(
        X, metric, max_samples=max_samples, random_state=random_state, n_jobs=n_jobs
    )
    k = check_k_range(k_range, subject.n)
    if n_references is not None:
        n_references = check_integer(n_references, "n_references", least=2)
    return gap_of(subject, k, check_tol(se_factor, "se_factor"), n_references)


def gap_of(
    subject: Subject, k: IntArray, se_factor: float, n_references: int | None = None
) -> Criterion:
    """The gap criterion of data that have been read."""
    most = N_REFERENCES if n_references is None else n_references
    table = _smooth(subject)
    rng = np.random.default_rng([table.seed, 2])
    seeds = seeds_of(rng, most + 1)
    box = _Box(table.coordinates)

    def log_dispersions(number: int) -> Float64Array:
        """log W for each k: of the data for number 0, otherwise of a reference set."""
        some = table if number == 0 else box.filled(table, seeds[number])
        most = some.count_distinct(int(k[-1]) + 1)
        return np.array([_log_dispersion(some, j) if j < most else np.nan for j in k.tolist()])

    made = subject.each(log_dispersions, range(1 + (n_references or N_FIRST)), "gap")
    while len(made) <= most and not _is_settled(k, np.array(made), se_factor):
        more = range(len(made), min(len(made) + _MORE, most + 1))
        made += subject.each(log_dispersions, more, "gap", len(made))
    gap, error = _gaps(np.array(made))
    times = "" if se_factor == 1 else f"{se_factor:g} "
    return Criterion(
        name="gap",
        n_clusters=_first_maximum(k, gap, se_factor * error),
        k=k,
        values=gap,
        errors=error,
        rule=f"the smallest k with gap(k) ≥ gap(k+1) − {times}s(k+1)",
        n_samples=subject.n,
        rounded_columns=rounded_columns(subject.coordinates),
    )


def _gaps(logs: Float64Array) -> tuple[Float64Array, Float64Array]:
    """gap(k) and s(k) from log W of the data, in the first row, and of references."""
    gap = logs[1:].mean(axis=0) - logs[0]
    return gap, logs[1:].std(axis=0) * np.sqrt(1 + 1 / (len(logs) - 1))


def _is_settled(k: IntArray, logs: Float64Array, se_factor: float) -> bool:
    """Whether the answer is the same wherever gaps and s may be with more references.

    A rise of the gap from k to k + 1 then is above every slack, or above none, up to the answer.
    """
    known = np.isfinite(logs).all(axis=0)
    if known.sum() < 2:
        return True
    gap, error = _gaps(logs[:, known])
    rises = np.diff(logs[1:, known], axis=1)
    doubt = _ERRORS * rises.std(axis=0, ddof=1) / np.sqrt(len(rises))
    rise, slack = np.diff(gap), _LARGER * se_factor * error[1:]
    goes_on, ends = rise - doubt > slack, rise + doubt <= 0.0
    first = np.flatnonzero(~goes_on)
    return not len(first) or bool(ends[first[0]])


class _Box:
    """The box of the principal components of a table."""

    def __init__(self, table: Float64Array) -> None:
        self.mean = table.mean(axis=0)
        _, _, self.axes = np.linalg.svd(table - self.mean, full_matrices=False)
        turned = (table - self.mean) @ self.axes.T
        self.low, self.high = turned.min(axis=0), turned.max(axis=0)

    def filled(self, subject: Subject, seed: int) -> Subject:
        """A reference set: as many rows as the subject, uniform over the box."""
        uniform = np.random.default_rng(seed).uniform(size=(subject.n, len(self.low)))
        turned = self.low + uniform * (self.high - self.low)
        return replace(subject, data=turned @ self.axes + self.mean, seed=seed)


def _smooth(subject: Subject) -> Subject:
    """A table with rounded columns spread; the subject itself if it is one and none is rounded."""
    table = subject.as_table()
    smooth = smoothed(table.coordinates)
    return table if np.array_equal(smooth, table.data) else replace(table, data=smooth)


def _log_dispersion(subject: Subject, k: int) -> float:
    """The logarithm of W; NaN if W ≤ 0, which semimetrics not of negative type allow."""
    within = subject.partitions.within_dispersion(k)
    return float(np.log(within)) if within > 0 else float(np.nan)


def _first_maximum(k: IntArray, gap: Float64Array, slack: Float64Array) -> int:
    """The smallest k with gap(k) ≥ gap(k') − slack(k'), where k' is the next one; else the last."""
    known = np.isfinite(gap)
    numbers, gap, slack = k[known], gap[known], slack[known]
    if not len(numbers):
        return int(k[0])
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - slack[1:])
    return int(numbers[enough[0] if len(enough) else -1])
