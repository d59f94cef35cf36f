"""The eigengap criterion: the largest gap in the spectrum of the random walk on the data."""

from collections.abc import Iterable
from typing import Unpack

import numpy as np

from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.largest_eigenvalues import largest_eigenvalues
from kgroups.select.criterion import Criterion, check_k_range
from kgroups.select.subject import Sampling, Subject
from kgroups.semimetrics import Gaussian, Laplacian, kernel_from_semimetric
from kgroups.typing import Data, Float64Array, IntArray


def eigengap(
    X: Data, k_range: Iterable[int] | None = None, **sampling: Unpack[Sampling]
) -> Criterion:
    r"""Number of clusters by the largest gap in the spectrum of the random-walk Laplacian.

    .. math:: L = I - D^{-1} G, \qquad \text{gap}(k) = λ_{k+1}(L) - λ_k(L)

    where G is the kernel that generates ρ and D its row sums. For Gaussian and Laplacian, G is the
    exponential itself. Otherwise its origin is the mean of all points in feature space, and a
    negative entry, between points on opposite sides of the mean, counts as 0. The answer is the
    k ≥ 2 with the largest gap. O(n²) memory for the n rows used; time O(n² k) for each of some ten
    to thirty products, or O(n³) where eigenvalues lie too close.

    Parameters
    ----------
    X, k_range, metric, max_samples, random_state, n_jobs
        As in :func:`gap_statistic`.

    Returns
    -------
    Criterion
        ``values`` are the gaps.

    Raises
    ------
    ValueError
        As for :func:`silhouette`.

    Examples
    --------
    >>> from kgroups.semimetrics import Gaussian
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]
    >>> eigengap(X, range(1, 6), metric=Gaussian(1.0)).n_clusters
    3

    References
    ----------
    [FRV-a] G. França, M. L. Rizzo and J. T. Vogelstein, "Clustering via Generalized Energy
    Statistics", the earlier version of "Kernel k-Groups via Hartigan's Method", IEEE TPAMI 43 (12),
    2020, section 5.2.

    U. von Luxburg, "A Tutorial on Spectral Clustering", Stat. Comput. 17 (4), 2007.
    """
    subject = Subject.of(X, **sampling)
    return eigengap_of(subject, check_k_range(k_range, subject.n))


def eigengap_of(subject: Subject, k: IntArray) -> Criterion:
    """The eigengap criterion of data that have been read."""
    spectrum = laplacian_spectrum(_similarities(subject), int(k[-1]) + 1)
    inside = (k > 1) & (k < len(spectrum))
    gaps = np.full(len(k), np.nan)
    gaps[inside] = spectrum[k[inside]] - spectrum[k[inside] - 1]
    best = k[np.nanargmax(gaps)] if inside.any() else k[0]
    return Criterion(
        name="eigengap",
        n_clusters=int(best),
        k=k,
        values=gaps,
        rule="the k ≥ 2 with the largest gap; it cannot be 1",
        knows_one=False,
        n_samples=subject.n,
    )


def laplacian_spectrum(similarity: Float64Array, count: int) -> Float64Array:
    """The ``count`` smallest eigenvalues of I − D⁻¹G; a point similar to no other stays put.

    ``similarity`` is used up.
    """
    degree = similarity.sum(axis=1)
    isolated = degree <= 0
    similarity[isolated, isolated] = 1.0
    degree[isolated] = 1.0
    root = 1.0 / np.sqrt(degree)
    similarity *= root[:, None]
    similarity *= root
    with one_thread_a_product():
        walk = largest_eigenvalues(similarity, min(count, len(root)))
    return np.asarray(1.0 - walk, np.float64)


def _similarities(subject: Subject) -> Float64Array:
    rho = np.asarray(subject.distances(), np.float64)
    if isinstance(subject.semimetric, (Gaussian, Laplacian)):
        return np.asarray(1.0 - rho / 2, np.float64)
    return np.maximum(kernel_from_semimetric(rho), 0.0)
