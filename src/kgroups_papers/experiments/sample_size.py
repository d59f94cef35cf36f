"""How methods gain from more points, by metric: Fig. 3c, d."""

from typing import Any

import numpy as np

from kgroups.metrics import clustering_accuracy
from kgroups.semimetrics import Energy, Gaussian, Laplacian
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.figures.curves import Level, draw_curves, figure
from kgroups_papers.recipes import methods
from kgroups_papers.recipes.samples import Sample, narrow_and_wide
from kgroups_papers.role import Role
from kgroups_papers.types import Scores

# Of both mixtures: exponentials are one to one.
_BAYES = 0.897

METHODS = (
    Method(key="kmeans", title="k-means"),
    Method(key="gmm", title="GMM"),
    Method(key="spectral", title="spectral ρ̃₁, rows times √degree", role=Role.INFERRED),
    Method(key="spectral_today", title="spectral ρ̃₁, rows over √degree", role=Role.BEYOND),
    Method(key="kkmeans", title="kernel k-means ρ̃₁, as printed", role=Role.BEYOND),
    Method(key="kkmeans_online", title="kernel k-means ρ̃₁, corrected", role=Role.BEYOND),
    Method(key="kgroups", title="kernel k-groups ρ₁"),
    Method(key="kgroups_half", title="kernel k-groups ρ½"),
    Method(key="kgroups_laplacian", title="kernel k-groups ρ̃₁"),
    Method(key="kgroups_gaussian", title="kernel k-groups ρ̂₁", role=Role.BEYOND),
    Method(key="kgroups_gaussian_2", title="kernel k-groups ρ̂₂", role=Role.BEYOND),
    Method(key="default", title="kgroups' defaults (ρ₁)", role=Role.DEFAULT),
    Method(
        key="default_metric",
        title="kgroups' defaults, ρ̃₁",
        role=Role.DEFAULT,
        against="kgroups_laplacian",
    ),
)

# What the paper draws, and the two forms of the defaults.
_DRAWN = (
    "kmeans", "gmm", "spectral", "kgroups", "kgroups_half", "kgroups_laplacian", "default",
    "default_metric",
)  # fmt: skip

_OTHER_METRICS = {
    "kgroups": Energy(),
    "kgroups_half": Energy(0.5),
    "kgroups_gaussian": Gaussian(),
    "kgroups_gaussian_2": Gaussian(sigma=2.0),
}


def compare(sample: Sample, rng: np.random.Generator) -> Scores:
    """All methods on one sample of two classes, from the same starts by k-means++."""
    X, y = sample
    starts = methods.plus_plus(X, 2, rng)
    best = methods.Kernel.of(X, Laplacian())
    spectral = methods.spectral(best.matrix, 2, rng)
    labels = {
        "kmeans": methods.k_means(X, 2, rng),
        "gmm": methods.gaussian_mixture(X, 2, rng, methods.RESTARTS),
        "spectral": spectral.multiplied,
        "spectral_today": spectral.divided,
        "kkmeans": best.k_means(2, starts),
        "kkmeans_online": best.k_means(2, starts, methods.ONLINE),
        "kgroups_laplacian": best.k_groups(2, starts),
        "default": methods.default(X, 2, rng),
        "default_metric": methods.default(X, 2, rng, Laplacian()),
    }
    for key, metric in _OTHER_METRICS.items():
        labels[key] = methods.Kernel.of(X, metric).k_groups(2, starts)
    return {key: {"accuracy": clustering_accuracy(y, found)} for key, found in labels.items()}


def run_normal(n: int, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of eq. (58)."""
    return compare(narrow_and_wide(n, rng), rng)


def run_lognormal(n: int, rng: np.random.Generator, data: DataFolders) -> Scores:
    """Exponentials of one sample of eq. (58)."""
    return compare(narrow_and_wide(n, rng, lognormal=True), rng)


def draw_normal(outcome: Outcome) -> Any:
    """Accuracy against the number of points."""
    return _draw(outcome, "Fig. 3c: normal mixture")


def draw_lognormal(outcome: Outcome) -> Any:
    """Accuracy against the number of points."""
    return _draw(outcome, "Fig. 3d: lognormal mixture")


def _draw(outcome: Outcome, title: str) -> Any:
    made, ax = figure(size=(7.2, 5.0))
    bayes = Level(at=_BAYES, label="Bayes")
    draw_curves(ax, outcome, title=title, x="points n", methods=_DRAWN, level=bayes)
    ax.set_ylim(top=0.93)  # the name of the line, below the titles
    return made


_CASES = tuple(Case(key=str(n), parameters=n, x=n) for n in range(10, 401, 10))
_QUICK = ("50", "200", "400")
_ABOUT = (
    "Two classes in 20 dimensions, of variances 1/2 and 1, with signal 1/2 in five dimensions{}; "
    "best of 5 starts by k-means++; ρ₁, ρ½ and ρ̃₁ for k-groups, ρ̃₁ for spectral clustering. Kernel "
    "k-means with ρ̃₁ and k-groups with ρ̂₁ and ρ̂₂ are not in the paper."
)
_NOTES = (
    "The paper does not say how rows of eigenvectors were scaled. Both conventions are shown; "
    "rows times √degree, which Fig. 3a, b and f need, agree better here too.",
    "Kernel k-means with ρ̃₁, which the paper does not show, is far below k-groups for few points.",
)

FIG_3C = Experiment(
    name="fig3c",
    title="Normal mixture with more and more points, by metric",
    source="[FRV] Fig. 3c, eq. (58)",
    about=_ABOUT.format(""),
    cases=_CASES,
    quick_cases=_QUICK,
    methods=METHODS,
    run=run_normal,
    draw=draw_normal,
    n_runs=100,
    quick_runs=6,
    axis="n",
    notes=_NOTES,
)

FIG_3D = Experiment(
    name="fig3d",
    title="Lognormal mixture with more and more points, by metric",
    source="[FRV] Fig. 3d, eq. (58)",
    about=_ABOUT.format(", and exponentials of that"),
    cases=_CASES,
    quick_cases=_QUICK,
    methods=METHODS,
    run=run_lognormal,
    draw=draw_lognormal,
    n_runs=100,
    quick_runs=6,
    axis="n",
    notes=_NOTES,
)

PUBLISHED = (FIG_3C, FIG_3D)
DRAFT: tuple[Experiment, ...] = ()
