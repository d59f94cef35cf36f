"""What Fig. 5 of the earlier version did with synapses, on data made up in their place."""

from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from kgroups.plots import tidy
from kgroups.select import eigengap, laplacian_spectrum
from kgroups.semimetrics import Energy, Gaussian, Semimetric
from kgroups.typing import Float64Array, IntArray
from papers import methods
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.plots import as_classes, draw_points, figure, finish
from papers.samples import Sample, agreement, standardized

# As many rows and columns as the synapses have.
_N, _MARKERS = 1025, 11
_SHARES = (0.22, 0.20, 0.18, 0.16, 0.13, 0.11)
_MOST = 10
#: By our method and the defaults that take the same metric.
_METRICS: dict[tuple[str, str], Semimetric] = {
    ("kgroups", "default"): Energy(),
    ("kgroups_gaussian", "default_metric"): Gaussian(2.0),
}


def stand_in(rng: np.random.Generator) -> Sample:
    """11 markers at 1,025 places of six kinds; columns are standardized, as the paper's were.

    Logarithms are normal. The first five kinds raise two markers each by 1, the last one a single
    one; a row is brighter or darker as a whole.
    """
    y = rng.choice(len(_SHARES), size=_N, p=_SHARES)
    raised = np.arange(_MARKERS) // 2 == np.arange(len(_SHARES))[:, None]
    staining = 0.05 * rng.standard_normal((_N, 1))
    logarithms = raised[y] + staining + 0.3 * rng.standard_normal((_N, _MARKERS))
    return Sample(standardized(np.exp(logarithms)), y)


def eigengaps(kernel: methods.Kernel) -> Float64Array:
    """λ_{k+1} − λ_k of I − D⁻¹G for k = 1, …, 10: the paper's, with the origin of G at x₀ = 0."""
    return np.diff(laplacian_spectrum(kernel.matrix.copy(), _MOST + 1))


def peak(gaps: Float64Array) -> int:
    """The k ≥ 2 of the largest gap."""
    return 2 + int(np.argmax(gaps[1:]))


def divided(kernel: methods.Kernel, X: Float64Array, k: int, rng: np.random.Generator) -> IntArray:
    """K-groups as the paper ran it."""
    return kernel.k_groups(k, methods.plus_plus(X, k, rng, 10))


def draw(outcome: Outcome) -> Any:
    """The five panels of the figure, of one sample."""
    rng = outcome.rng("picture")
    X, y = stand_in(rng)
    made, axes = figure(5, size=(3.7, 3.9))
    plane = PCA(2, random_state=0).fit_transform(X)
    for place, (name, metric) in enumerate(zip(("ρ₁", "ρ̂₂"), _METRICS.values(), strict=True)):
        kernel = methods.Kernel.of(X, metric)
        gaps = eigengaps(kernel)
        axes[0].plot(range(2, _MOST + 1), gaps[1:], "o-", label=f"{name}: k = {peak(gaps)}")
        labels = as_classes(y, divided(kernel, X, peak(gaps), rng))
        means = np.array([X[labels == j].mean(axis=0) for j in np.unique(labels)])
        axes[1 + 2 * place].imshow(means.T, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
        tidy(axes[1 + 2 * place], title=f"Means of clusters, {name}", x="cluster", y="marker")
        draw_points(axes[2 + 2 * place], plane, labels, f"Clusters, {name}, two components")
    finish(axes[0], "Eigengaps", "k", "gap after the k-th eigenvalue")
    made.suptitle("Fig. 5 of [FRV-a] on a stand-in: the synapse data are not public")
    return made


@experiment("icml-fig5", cases={"stand-in": None}, runs=(20, 3), draw=draw)
def run(case: None, rng: np.random.Generator, data: DataFolders) -> Scores:
    """Find k, then the clusters, for both metrics."""
    X, y = stand_in(rng)
    scores: dict[str, dict[str, float]] = {}
    for (ours, default), metric in _METRICS.items():
        kernel = methods.Kernel.of(X, metric)
        k = peak(eigengaps(kernel))
        scores[ours] = {"k": k, **agreement(y, divided(kernel, X, k, rng))}
        k = eigengap(X, range(1, _MOST + 1), metric=metric, n_jobs=1).n_clusters
        scores[default] = {"k": k, **agreement(y, methods.default(X, k, rng, metric))}
    return scores
