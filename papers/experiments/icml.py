"""The earlier version's Table 1 and Fig. 4, the draft's Fig. 4: clusters that are not balls.

And what Fig. 5 of the earlier version did with synapses, on data made up in their place.
"""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.decomposition import PCA

from kgroups.exceptions import TheoryWarning
from kgroups.plots import tidy
from kgroups.select import eigengap, laplacian_spectrum
from kgroups.semimetrics import DampedSquared, Energy, Gaussian, Laplacian, Semimetric, SineSquared
from kgroups.typing import Float64Array, IntArray
from papers import methods
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.plots import as_classes, draw_dots, draw_points, figure, finish
from papers.samples import Sample, accuracies, agreement, cigars, circles, spirals, standardized


class Shape(NamedTuple):
    """Points, their number of clusters, metrics, and the starts of each method."""

    draw: Callable[[np.random.Generator], Sample]
    k: int
    metrics: Mapping[str, Semimetric]
    #: The metric of the picture, of spectral clustering, and of the defaults that know one.
    best: str
    init: str = "k-means++"
    n_starts: int = methods.RESTARTS

    def starts(self, X: Float64Array, rng: np.random.Generator) -> list[IntArray]:
        """Labels from which k-groups sets out, the same for all metrics."""
        if self.init == "random":
            return [rng.integers(self.k, size=len(X)) for _ in range(self.n_starts)]
        return methods.plus_plus(X, self.k, rng, self.n_starts)


def draw(outcome: Outcome) -> Any:
    """Each set as k-groups divides it, and how well each method did."""
    made, (above, below) = figure(len(outcome.cases), n_rows=2, squeeze=False)
    for ax, place, case in zip(above, below, outcome.cases, strict=True):
        shape, rng = outcome.experiment.cases[case], outcome.rng(case)
        X, y = shape.draw(rng)
        G = methods.gram(X, shape.metrics[shape.best])
        labels = as_classes(y, methods.search(G, shape.k, shape.starts(X, rng)))
        wrong = f"{np.count_nonzero(labels != y):,} of {len(X):,} in another class"
        draw_points(ax, X, labels, f"{case.capitalize()}: k-groups, best metric, {wrong}")
        draw_dots(place, outcome, [(case, "accuracy")], title=case)
    return made


def _metrics(sigma: float) -> dict[str, Semimetric]:
    """The four metrics of Table 1."""
    return {
        "kgroups": Energy(),
        "kgroups_half": Energy(0.5),
        "kgroups_laplacian": Laplacian(sigma),
        "kgroups_gaussian": Gaussian(sigma),
    }


_TWO, _THREE = (partial(circles, radii, 400, 0.2) for radii in ((1.0, 3.0), (1.0, 3.0, 5.0)))
_SHAPES = {
    "cigars": Shape(partial(cigars, 200), 2, _metrics(2.0), "kgroups_laplacian"),
    "two circles": Shape(_TWO, 2, _metrics(1.0), "kgroups_gaussian", "random"),
    "three circles": Shape(_THREE, 3, _metrics(2.0), "kgroups_gaussian", "random"),
}
_SHAPES_OF_DRAFT = {
    name: Shape(draw, 2, {"kgroups": metric}, "kgroups", n_starts=10)
    for name, draw, metric in (
        ("cigars", partial(cigars, 100), Energy(0.5)),
        ("circles", partial(circles, (1.0, 3.0), 150, 0.1), DampedSquared()),
        ("spirals", partial(spirals, 150, 0.15), SineSquared(0.9)),
    )
}


# Radii and noise of the circles are those of the authors' programs.
@experiment("icml-table1", cases=_SHAPES, runs=(100, 3), draw=draw)
@experiment("draft-fig4", cases=_SHAPES_OF_DRAFT, runs=(100, 3), draw=draw)
def run(shape: Shape, rng: np.random.Generator, data: DataFolders) -> Scores:
    """All columns of Table 1 on one sample, or what the draft compares with its one metric."""
    (X, y), k, n_starts = shape.draw(rng), shape.k, shape.n_starts
    starts = shape.starts(X, rng)
    grams = {key: methods.gram(X, metric) for key, metric in shape.metrics.items()}
    labels = {key: methods.search(G, k, starts) for key, G in grams.items()}
    if shape.best == "kgroups":
        labels["kkmeans"] = methods.batch_to_the_limit(grams["kgroups"], k, starts)
    else:
        rows = methods.spectral_rows(grams[shape.best], k, rng)
        found = [methods.k_means(of, k, rng, n_init=10) for of in rows]
        labels |= dict(zip(methods.SPECTRAL, found, strict=True))
    first = "random" if shape.init == "random" else "kmeans"
    labels["kmeans"] = methods.k_means(X, k, rng, n_starts, shape.init)
    labels["gmm"] = methods.gaussian_mixture(X, k, rng, n_starts, first)
    with warnings.catch_warnings():
        # Two of the draft's metrics are not of negative type, and the defaults say so.
        warnings.simplefilter("ignore", TheoryWarning)
        labels["default"] = methods.default(X, k, rng)
        labels["default_metric"] = methods.default(X, k, rng, shape.metrics[shape.best])
    return accuracies(y, labels)


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


def eigengaps(G: Float64Array) -> Float64Array:
    """λ_{k+1} − λ_k of I − D⁻¹G for k = 1, …, 10: the paper's, with the origin of G at x₀ = 0."""
    return np.diff(laplacian_spectrum(G.copy(), _MOST + 1))


def peak(gaps: Float64Array) -> int:
    """The k ≥ 2 of the largest gap."""
    return 2 + int(np.argmax(gaps[1:]))


def divided(X: Float64Array, G: Float64Array, k: int, rng: np.random.Generator) -> IntArray:
    """Clusters as the paper had them."""
    return methods.search(G, k, methods.plus_plus(X, k, rng, 10))


def draw_stand_in(outcome: Outcome) -> Any:
    """The five panels of the figure, of one sample."""
    rng = outcome.rng("picture")
    X, y = stand_in(rng)
    made, axes = figure(5, size=(3.7, 3.9))
    plane = PCA(2, random_state=0).fit_transform(X)
    for place, (name, metric) in enumerate(zip(("ρ₁", "ρ̂₂"), _METRICS.values(), strict=True)):
        G = methods.gram(X, metric)
        gaps = eigengaps(G)
        axes[0].plot(range(2, _MOST + 1), gaps[1:], "o-", label=f"{name}: k = {peak(gaps)}")
        labels = as_classes(y, divided(X, G, peak(gaps), rng))
        means = np.array([X[labels == j].mean(axis=0) for j in np.unique(labels)])
        axes[1 + 2 * place].imshow(means.T, cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto")
        tidy(axes[1 + 2 * place], title=f"Means of clusters, {name}", x="cluster", y="marker")
        draw_points(axes[2 + 2 * place], plane, labels, f"Clusters, {name}, two components")
    finish(axes[0], "Eigengaps", "k", "gap after the k-th eigenvalue")
    made.suptitle("Fig. 5 of [FRV-a] on a stand-in: the synapse data are not public")
    return made


@experiment("icml-fig5", cases={"stand-in": None}, runs=(20, 3), draw=draw_stand_in)
def run_stand_in(case: None, rng: np.random.Generator, data: DataFolders) -> Scores:
    """Find k, then the clusters, for both metrics."""
    X, y = stand_in(rng)
    scores: dict[str, dict[str, float]] = {}
    for (ours, default), metric in _METRICS.items():
        G = methods.gram(X, metric)
        k = peak(eigengaps(G))
        scores[ours] = {"k": k, **agreement(y, divided(X, G, k, rng))}
        k = eigengap(X, range(1, _MOST + 1), metric=metric, n_jobs=1).n_clusters
        scores[default] = {"k": k, **agreement(y, methods.default(X, k, rng, metric))}
    return scores
