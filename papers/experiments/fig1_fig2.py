"""Two classes on a line: Fig. 1 and 2, and the draft's Fig. 1."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.stats import gaussian_kde

from kgroups import KGroups1D
from kgroups.plots import cluster_colors
from kgroups.semimetrics import Energy
from kgroups.typing import Float64Array, IntArray
from papers import methods
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.plots import curves, figure, finish
from papers.samples import Sample, accuracies, in_equal_parts, mixture

_KINDS = ("normal", "lognormal")
_N = 2000
# In N(0, 1.5) and N(1.5, .3) the second number is a deviation, as eq. (25) of [FRV-a] says.
_MEANS, _DEVIATIONS = np.array([[0.0], [1.5]]), np.array([[1.5], [0.3]])
# The draft's lognormal classes are those of [FRV], times e^−1.5.
_DRAFT = {
    "normal": (np.array([[0.0], [5.0]]), np.array([[1.0], [2.0]])),
    "lognormal": (np.array([[0.0], [-1.5]]), np.array([[0.3], [1.5]])),
}


def _cases(sizes: Iterable[int]) -> dict[str, tuple[str, int]]:
    return {f"{kind} {n}": (kind, n) for kind in _KINDS for n in sizes}


def draw_sample(kind: str, n: int, rng: np.random.Generator) -> Sample:
    """Points of [FRV] Fig. 1 and 2; each class with probability one half."""
    sample = mixture(n, _MEANS, _DEVIATIONS, rng)
    return sample.exp() if kind == "lognormal" else sample


def divide(X: Float64Array, rng: np.random.Generator) -> dict[str, IntArray]:
    """Labels by the methods of [FRV]; Algorithm 3 is the split with the least W."""
    return {
        "kmeans": methods.k_means(X, 2, rng, methods.RESTARTS),
        "gmm": methods.gaussian_mixture(X, 2, rng, methods.RESTARTS),
        "kgroups": methods.Kernel.of(X, Energy()).k_groups(2, methods.plus_plus(X, 2, rng)),
        "exact": KGroups1D(2).fit(X).labels_,
        "default": methods.default(X, 2, rng),
    }


def draw_densities(outcome: Outcome) -> Any:
    """Shares and densities of the classes of one sample, and of its clusters by each method."""
    made, panels = figure(2)
    rng = outcome.rng("densities")
    for ax, kind in zip(panels, _KINDS, strict=True):
        X, y = draw_sample(kind, _N, rng)
        low, high = np.quantile(X, [0.005, 0.95])
        at = np.linspace(low, high, 400)
        parts = {"classes": y, **divide(X, rng)}
        for (name, labels), color in zip(parts.items(), cluster_colors(len(parts)), strict=True):
            for j, count in enumerate(np.bincount(labels)):
                heights = count / _N * gaussian_kde(X[labels == j, 0], 0.1)(at)
                ax.plot(at, heights, color=color, label="" if j else name)
        finish(ax, f"Fig. 2: {kind}, n = {_N}", "x", "density × share")
    return made


@experiment(
    "fig1",
    cases=_cases(range(10, 791, 20)),
    quick_cases=tuple(_cases((50, 190))),
    runs=(100, 25),
    draw=curves("points", {kind: (f"Fig. 1: {kind}", 0.883) for kind in _KINDS}),
)
@experiment(
    "fig2",
    cases={kind: (kind, _N) for kind in _KINDS},
    runs=(100, 10),
    draw=draw_densities,
)
def run(case: tuple[str, int], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of [FRV] Fig. 1 or 2."""
    X, y = draw_sample(*case, rng)
    return accuracies(y, divide(X, rng))


@experiment(
    "draft-fig1",
    cases=_cases((20, 50, 100, 200, 400, 800, 1600)),
    quick_cases=tuple(_cases((50, 400))),
    runs=(50, 10),
    draw=curves("points", {
        "normal": ("[FRV-b] Fig. 1a: normal", 0.955),
        "lognormal": ("[FRV-b] Fig. 1b: lognormal", 0.883),
    }),
)  # fmt: skip
def run_draft(case: tuple[str, int], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of [FRV-b] Fig. 1."""
    kind, n = case
    X, y = sample = in_equal_parts(n // 2, *_DRAFT[kind], rng)
    X = sample.exp().X if kind == "lognormal" else X
    return accuracies(y, {
        "exact": KGroups1D(2).fit(X).labels_,
        "gmm": methods.gaussian_mixture(X, 2, rng, methods.RESTARTS),
        "kmeans": methods.k_means(X, 2, rng, methods.RESTARTS),
        "default": methods.default(X, 2, rng),
    })  # fmt: skip
