"""Two classes on a line: Fig. 1 and 2, and the draft's Fig. 1."""

from functools import partial
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
from papers.samples import Sample, accuracies, in_equal_parts, lognormal, mixture

_KINDS = ("normal", "lognormal")
_N = 2000
# In N(0, 1.5) and N(1.5, .3) the second number is a deviation, as eq. (25) of [FRV-a] says.
_CLASSES = np.array([[0.0], [1.5]]), np.array([[1.5], [0.3]])
# The draft's lognormal classes are those of [FRV], times e^−1.5.
_DRAFT = np.array([[0.0], [5.0]]), np.array([[1.0], [2.0]])
_DRAFT_LOGNORMAL = np.array([[0.0], [-1.5]]), np.array([[0.3], [1.5]])


def sample(kind: str, n: int) -> partial[Sample]:
    """What draws points of [FRV] Fig. 1 and 2; each class with probability one half."""
    draw = partial(mixture, n, *_CLASSES)
    return partial(lognormal, draw) if kind == "lognormal" else draw


def divide(X: Float64Array, rng: np.random.Generator) -> dict[str, IntArray]:
    """Labels by the methods of [FRV]; Algorithm 3 is the split with the least W."""
    G = methods.gram(X, Energy())
    return {
        "kmeans": methods.k_means(X, 2, rng),
        "gmm": methods.gaussian_mixture(X, 2, rng),
        "kgroups": methods.search(G, 2, methods.plus_plus(X, 2, rng)),
        "exact": KGroups1D(2).fit(X).labels_,
        "default": methods.default(X, 2, rng),
    }


def draw_densities(outcome: Outcome) -> Any:
    """Shares and densities of the classes of one sample, and of its clusters by each method."""
    made, panels = figure(2)
    rng = outcome.rng("densities")
    for ax, kind in zip(panels, _KINDS, strict=True):
        X, y = sample(kind, _N)(rng)
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
    cases={f"{kind} {n}": sample(kind, n) for kind in _KINDS for n in range(10, 791, 20)},
    quick_cases=("normal 50", "normal 190", "lognormal 50", "lognormal 190"),
    runs=(100, 25),
    draw=curves("points", {kind: (f"Fig. 1: {kind}", 0.883) for kind in _KINDS}),
)
@experiment(
    "fig2", cases={kind: sample(kind, _N) for kind in _KINDS}, runs=(100, 10), draw=draw_densities
)
def run(draw: partial[Sample], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of [FRV] Fig. 1 or 2."""
    X, y = draw(rng)
    return accuracies(y, divide(X, rng))


_SIZES = (20, 50, 100, 200, 400, 800, 1600)


@experiment(
    "draft-fig1",
    cases={f"normal {n}": partial(in_equal_parts, n // 2, *_DRAFT) for n in _SIZES}
    | {
        f"lognormal {n}": partial(lognormal, in_equal_parts, n // 2, *_DRAFT_LOGNORMAL)
        for n in _SIZES
    },
    quick_cases=("normal 50", "normal 400", "lognormal 50", "lognormal 400"),
    runs=(50, 10),
    draw=curves("points", {
        "normal": ("[FRV-b] Fig. 1a: normal", 0.955),
        "lognormal": ("[FRV-b] Fig. 1b: lognormal", 0.883),
    }),
)  # fmt: skip
def run_draft(draw: partial[Sample], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of [FRV-b] Fig. 1."""
    X, y = draw(rng)
    return accuracies(y, {
        "exact": KGroups1D(2).fit(X).labels_,
        "gmm": methods.gaussian_mixture(X, 2, rng),
        "kmeans": methods.k_means(X, 2, rng),
        "default": methods.default(X, 2, rng),
    })  # fmt: skip
