"""The largest gap in the spectrum of the random walk on the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

from kgroups.select.criterion import Criterion, check_k_range
from kgroups.select.subject import MAX_SAMPLES, Subject
from kgroups.semimetrics import Gaussian, Laplacian, kernel_from_semimetric
from kgroups.typing import Float64Array, IntArray


def eigengap(
    X: Any,
    k_range: Any = None,
    *,
    metric: Any = "energy",
    max_samples: int = MAX_SAMPLES,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Criterion:
    r"""Number of clusters by the largest gap in the spectrum of the random-walk Laplacian.

    .. math:: L = I - D^{-1} G, \qquad \text{gap}(k) = λ_{k+1}(L) - λ_k(L)

    with G the kernel that generates ρ and D its row sums. For Gaussian and Laplacian, G is the
    exponential itself. Otherwise its origin is the mean of all points in feature space, and what is
    negative, points on opposite sides of the mean, counts as no similarity. The answer is the k ≥ 2
    with the largest gap. O(n²) memory and O(n³) time for the n rows that are looked at.

    Parameters
    ----------
    X, k_range, metric, max_samples, random_state, n_jobs
        As in :func:`gap_statistic`.

    Returns
    -------
    Criterion
        ``values`` are the gaps.

    Examples
    --------
    >>> from kgroups.semimetrics import Gaussian
    >>> X = [[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]]
    >>> eigengap(X, range(1, 6), metric=Gaussian(1.0)).n_clusters
    3

    References
    ----------
    [FRV-a] §5.2; von Luxburg, "A tutorial on spectral clustering", Stat. Comput. 17 (2007).
    """
    subject = Subject.of(
        X, metric, max_samples=max_samples, random_state=random_state, n_jobs=n_jobs
    )
    return eigengap_of(subject, check_k_range(k_range, subject.n))


def eigengap_of(subject: Subject, k: IntArray) -> Criterion:
    """The criterion of a subject."""
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
        rule="the k ≥ 2 with the largest gap; it cannot say 1",
        knows_one=False,
        n_samples=subject.n,
    )


def laplacian_spectrum(similarity: Float64Array, count: int) -> Float64Array:
    """The ``count`` least eigenvalues of I − D⁻¹G; a point like nothing has a walk of its own."""
    degree = similarity.sum(axis=1)
    lonely = degree <= 0
    similarity[lonely, lonely] = 1.0
    degree[lonely] = 1.0
    root = 1.0 / np.sqrt(degree)
    n = len(degree)
    top = (max(0, n - count), n - 1)
    walk = eigh(root[:, None] * similarity * root, eigvals_only=True, subset_by_index=top)
    return np.asarray(1.0 - walk[::-1], np.float64)


def _similarities(subject: Subject) -> Float64Array:
    rho = np.asarray(subject.distances(), np.float64)
    if isinstance(subject.semimetric, (Gaussian, Laplacian)):
        return np.asarray(1.0 - rho / 2, np.float64)
    return np.maximum(kernel_from_semimetric(rho), 0.0)
