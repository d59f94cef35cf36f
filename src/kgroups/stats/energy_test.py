"""The k-sample energy test of equal distributions."""

from __future__ import annotations

from typing import Any

import numpy as np

from kgroups.input.parameters import check_integer, check_n_jobs
from kgroups.input.rows import n_rows
from kgroups.runtime.threads import effective_n_jobs
from kgroups.stats._groups import between, dispersion, multisample, multisample_statistic
from kgroups.stats._means import pairs_of, per
from kgroups.stats._permutations import permuted_statistics, pvalue, seed_of
from kgroups.stats._samples import check_several_groups, group_codes, pooled, read
from kgroups.stats.results import EnergyTestResult
from kgroups.typing import IntArray


def energy_test(
    *samples: Any,
    metric: Any = "energy",
    labels: Any = None,
    n_permutations: int = 999,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> EnergyTestResult:
    r"""Test of equal distributions of two or more samples.

    .. math:: T = \sum_{i<j} \frac{n_i n_j}{n_i + n_j} 𝓔(X_i, X_j)

    Under the hypothesis that all samples come from one distribution every assignment of the points
    to the samples is as likely as any other, so T is compared with its values under random ones:
    p = (1 + #{T_b ≥ T}) / (1 + B), which is exact for any B. With a semimetric such as ‖x − y‖^α,
    α < 2, or the Gaussian the test finds every difference of distributions as the samples grow;
    α = 2 sees means alone.

    O(n²(D + kB)/2) time in matrix products, or O(nkB) on a line and for Manhattan. About 256 MB and
    60 MB a thread, never n × n beyond 2,000 points.

    Parameters
    ----------
    *samples : tables (n_i, D) or sequences of objects
        Two or more samples as :func:`energy_distance` takes them; or one input that holds all
        points, with ``labels``.
    metric : str, semimetric or callable, default="energy"
        ``"precomputed"`` and ``"precomputed_kernel"`` for one matrix with ``labels``. Parameters
        that come from data are taken from all samples together.
    labels : array (n,) or None
        The sample of each point, when all points are given as one input.
    n_permutations : int, default=999
        The smallest p that can be found is 1 / (1 + n_permutations).
    random_state : int, RandomState, Generator or None
        The same number gives the same p, whatever the threads and the memory.
    n_jobs : int or None
        Threads; None for all cores.

    Returns
    -------
    EnergyTestResult
        ``statistic``, ``pvalue``, ``energy`` (the e-distances of all pairs of samples),
        ``coefficient`` and more.

    Raises
    ------
    ValueError
        For fewer than two samples, samples of different columns, missing values or labels.

    Examples
    --------
    >>> from kgroups.stats import energy_test
    >>> result = energy_test([1.0, 2.0, 3.0, 4.0], [11.0, 12.0, 13.0, 14.0], random_state=0)
    >>> round(result.statistic, 6), result.pvalue < 0.05
    (35.0, True)
    >>> energy_test([[0.0], [0.0], [1.0]], labels=["a", "b", "b"], random_state=0).sizes
    (1, 2)

    References
    ----------
    Székely & Rizzo, InterStat (2004); [SR13]; R's energy::eqdist.etest.
    """
    check_integer(n_permutations, "n_permutations")
    n_threads = effective_n_jobs(check_n_jobs(n_jobs))
    X, sizes = _one_input(samples, metric, labels)
    space, data = read(X, metric)
    if sizes is None:
        groups, codes = group_codes(labels, n_rows(data))
    else:
        groups = tuple(_names(samples))
        codes = np.repeat(np.arange(len(sizes)), sizes)
    check_several_groups(groups)
    pairs, seed = pairs_of(space, data, n_threads), seed_of(random_state)
    sizes = np.bincount(codes)
    weight = sizes.astype(np.float64)
    observed, statistics = permuted_statistics(
        pairs, codes, len(groups), n_permutations, seed, n_threads,
        lambda means: multisample_statistic(means, weight),
    )  # fmt: skip
    across = observed.across()
    return EnergyTestResult(
        statistic=float(multisample_statistic(observed, weight)),
        pvalue=pvalue(statistics, float((sizes @ across).sum())),
        n_permutations=n_permutations,
        groups=groups,
        sizes=tuple(sizes.tolist()),
        metric=metric if space.semimetric is None else space.semimetric,
        permuted=statistics[1:],
        energy=multisample(observed, weight),
        within=float(dispersion(observed, weight)),
        between=float(between(observed, weight)),
        coefficients=per(observed.energy, across),
    )


def _one_input(samples: tuple[Any, ...], metric: Any, labels: Any) -> tuple[Any, IntArray | None]:
    """All points, and how many each sample brought when they came apart."""
    if labels is not None:
        if len(samples) != 1:
            raise ValueError(
                f"labels= says which sample each point of one input belongs to; got "
                f"{len(samples)} inputs. Leave labels out, or pool them."
            )
        return samples[0], None
    if len(samples) < 2:
        raise ValueError(
            f"energy_test compares two or more samples; got {len(samples)}. Give each as an "
            "argument of its own, or all points in one with labels=."
        )
    return pooled(samples, _names(samples), metric)


def _names(samples: tuple[Any, ...]) -> list[str]:
    return [f"sample {number}" for number in range(1, len(samples) + 1)]
