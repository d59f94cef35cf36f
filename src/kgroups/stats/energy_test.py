"""The k-sample energy test of equal distributions."""

import numpy as np
from numpy.typing import ArrayLike

from kgroups.input.parameters import check_integer, check_n_jobs, group_codes
from kgroups.input.rows import n_rows
from kgroups.runtime.seeds import seed_of
from kgroups.runtime.threads import effective_n_jobs
from kgroups.semimetrics import Metric
from kgroups.stats.group_means import between, dispersion, multisample, multisample_statistic
from kgroups.stats.mean_distances import pairs_of, ratios
from kgroups.stats.permutations import permuted_statistics, pvalue
from kgroups.stats.results import EnergyTestResult
from kgroups.stats.samples import check_several_groups, pooled, read
from kgroups.typing import Data, IntArray, RandomStateLike


def energy_test(
    *samples: Data,
    metric: Metric = "energy",
    labels: ArrayLike | None = None,
    n_permutations: int = 999,
    random_state: RandomStateLike = None,
    n_jobs: int | None = None,
) -> EnergyTestResult:
    r"""Test of equal distributions of two or more samples.

    .. math:: T = \sum_{i<j} \frac{n_i n_j}{n_i + n_j} 𝓔(X_i, X_j)

    If all samples come from one distribution, every assignment of the points to the samples is
    equally likely, so T is compared with its values under random assignments:
    p = (1 + #{T_b ≥ T}) / (1 + B), which is exact for any B. With a semimetric such as ‖x − y‖^α,
    α < 2, or the Gaussian the test detects every difference between distributions as the samples
    grow; α = 2 only compares means.

    O(n²(D + kB)/2) time in matrix products, or O(nkB) on a line and for Manhattan. Memory: about
    256 MB plus 60 MB per thread; beyond 2,000 points no n × n matrix.

    Parameters
    ----------
    *samples : tables (n_i, D) or sequences of objects
        Two or more samples as in :func:`energy_distance`; or one input with all points, along with
        ``labels``.
    metric : str, semimetric or callable, default="energy"
        ``"precomputed"`` and ``"precomputed_kernel"`` for one matrix with ``labels``. Parameters
        such as ``sigma="median"`` are computed from all samples together.
    labels : array (n,) or None
        The sample of each point, when all points are given as one input.
    n_permutations : int, default=999
        The smallest possible p is 1 / (1 + n_permutations).
    random_state : int, RandomState, Generator or None
        An int gives the same p on every call, whatever the threads and the memory.
    n_jobs : int or None
        Number of threads; None uses all cores.

    Returns
    -------
    EnergyTestResult
        ``statistic``, ``pvalue``, ``energy`` (the e-distances of all pairs of samples),
        ``coefficient`` and more.

    Raises
    ------
    ValueError
        For fewer than two samples, samples with different columns, missing values or labels.

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
    G. J. Székely and M. L. Rizzo, "Testing for Equal Distributions in High Dimension", InterStat 5,
    2004.

    [SR13] G. J. Székely and M. L. Rizzo, "Energy Statistics: A Class of Statistics Based on
    Distances", J. Stat. Plan. Inference 143, 2013.

    M. L. Rizzo and G. J. Székely, R package "energy", function ``eqdist.etest``.
    """
    check_integer(n_permutations, "n_permutations")
    n_threads = effective_n_jobs(check_n_jobs(n_jobs))
    X, sizes = _one_input(samples, metric, labels)
    space, data = read(X, metric)
    if labels is not None:
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
    with np.errstate(over="ignore", invalid="ignore"):  # checked with the p-value
        across = observed.across()
        p = pvalue(statistics, float((sizes @ across).sum()))
    return EnergyTestResult(
        statistic=float(multisample_statistic(observed, weight)),
        pvalue=p,
        n_permutations=n_permutations,
        groups=groups,
        sizes=tuple(sizes.tolist()),
        metric=metric if space.semimetric is None else space.semimetric,
        permuted=statistics[1:],
        energy=multisample(observed, weight),
        within=float(dispersion(observed, weight)),
        between=float(between(observed, weight)),
        coefficients=ratios(observed.energy, across),
    )


def _one_input(
    samples: tuple[Data, ...], metric: Metric, labels: ArrayLike | None
) -> tuple[Data, IntArray]:
    """All points, and the sizes of the samples unless labels are given."""
    if labels is not None:
        if len(samples) != 1:
            raise ValueError(
                f"labels= gives the sample of each point of one input; got "
                f"{len(samples)} inputs. Omit labels, or pool the inputs."
            )
        return samples[0], np.empty(0, np.int64)
    if len(samples) < 2:
        raise ValueError(
            f"energy_test compares two or more samples; got {len(samples)}. Give each as a "
            "separate argument, or all points as one with labels=."
        )
    return pooled(samples, _names(samples), metric)


def _names(samples: tuple[Data, ...]) -> list[str]:
    return [f"sample {number}" for number in range(1, len(samples) + 1)]
