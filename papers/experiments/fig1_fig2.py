"""Two classes on a line: Fig. 1 and 2, and the draft's Fig. 1."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from kgroups import KGroups1D
from kgroups.semimetrics import Energy
from kgroups.typing import Float64Array, IntArray
from papers import methods
from papers.data import DataFolders
from papers.experiment import Method, Outcome, Role, Scores, experiment
from papers.plots import curves, draw_densities, figure
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


def draw_densities_of_clusters(outcome: Outcome) -> Any:
    """Classes of one sample, and its clusters by each method of the paper."""
    made, panels = figure(2)
    rng = outcome.rng("densities")
    for ax, kind in zip(panels, _KINDS, strict=True):
        X, y = draw_sample(kind, _N, rng)
        found = divide(X, rng)
        parts = {"classes": y} | {m.title: found[m.key] for m in _METHODS[:3]}
        draw_densities(ax, X[:, 0], parts, title=f"Fig. 2: {kind}, n = {_N}")
    return made


_K_MEANS, _GMM = Method("kmeans", "k-means"), Method("gmm", "GMM")
_DEFAULT = Method("default", "kgroups' defaults", Role.DEFAULT)
_METHODS = (
    _K_MEANS,
    _GMM,
    Method("kgroups", "kernel k-groups ρ₁"),
    Method("exact", "exact split (Algorithm 3)"),
    _DEFAULT,
)


@experiment(
    "fig1",
    "Normal and lognormal mixtures on a line",
    source="[FRV] Fig. 1; parameters in [FRV-a] eqs. (23)–(25)",
    about="Two classes with equal probabilities: (a) N(0, 1.5²) and N(1.5, .3²), (b) exponentials "
    "of these; best of 5 starts by k-means++; ρ₁. The exact split needs no start.",
    cases=_cases(range(10, 791, 20)),
    quick_cases=tuple(_cases((50, 190))),
    methods=_METHODS,
    runs=100,
    quick_runs=25,
    axis="points",
    draw=curves("points", {kind: (f"Fig. 1: {kind}", 0.883) for kind in _KINDS}),
)
@experiment(
    "fig2",
    "Densities of clusters on a line",
    source="[FRV] Fig. 2 and its caption",
    about="2000 points of the distributions of Fig. 1. Published is one sample; ours are means "
    "over 100, and the spread between our samples is taken as the error of the published number.",
    cases={kind: (kind, _N) for kind in _KINDS},
    methods=_METHODS,
    runs=100,
    quick_runs=10,
    axis="distribution",
    draw=draw_densities_of_clusters,
)
def run(case: tuple[str, int], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of [FRV] Fig. 1 or 2."""
    X, y = draw_sample(*case, rng)
    return accuracies(y, divide(X, rng))


@experiment(
    "draft-fig1",
    "The exact split of points on a line",
    source="[FRV-b] Fig. 1, Algorithm 1",
    about="Half of the points in each class: (a) N(0, 1) and N(5, 2²), (b) exponentials of "
    "N(0, .3²) and N(−1.5, 1.5²). GMM and k-means: best of 5 starts, where the draft says a few. "
    "It prints no numbers and states neither how many points nor how many runs there were.",
    cases=_cases((20, 50, 100, 200, 400, 800, 1600)),
    quick_cases=tuple(_cases((50, 400))),
    methods=(Method("exact", "exact split (Algorithm 1)"), _GMM, _K_MEANS, _DEFAULT),
    runs=50,
    quick_runs=10,
    axis="points",
    default_against="",
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
