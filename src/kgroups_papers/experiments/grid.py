"""What many clusters do: a grid of small ones, Fig. 3e."""

from typing import Any, NamedTuple

import numpy as np

from kgroups.metrics import clustering_accuracy
from kgroups.semimetrics import Energy
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.figures.curves import draw_curves, figure
from kgroups_papers.recipes import methods
from kgroups_papers.recipes.samples import on_grid
from kgroups_papers.role import Role
from kgroups_papers.types import Scores

# With which the published numbers come out, and which the paper prints.
_VARIANCE, _PRINTED_VARIANCE = 0.05, 0.1
_SIDES = range(2, 8)


class Grid(NamedTuple):
    """Clusters along a side, and the variance of their coordinates."""

    side: int
    variance: float


METHODS = (
    Method(key="kmeans", title="k-means", role=Role.INFERRED),
    Method(key="gmm", title="GMM", role=Role.INFERRED),
    Method(key="spectral", title="spectral, rows over √degree", role=Role.INFERRED),
    Method(key="spectral_before", title="spectral, rows times √degree", role=Role.BEYOND),
    Method(key="kkmeans", title="kernel k-means, as printed, 1 start", role=Role.INFERRED),
    Method(key="kkmeans_online", title="kernel k-means, corrected, 1 start", role=Role.CORRECTED),
    Method(key="kkmeans_batch", title="kernel k-means, all at once, 1 start", role=Role.CORRECTED),
    Method(key="kgroups", title="kernel k-groups ρ₁, 1 start", role=Role.INFERRED),
    Method(key="kgroups_5", title="kernel k-groups ρ₁, 5 starts", role=Role.BEYOND),
    Method(key="default", title="kgroups' defaults", role=Role.DEFAULT),
)


def run(case: Grid, rng: np.random.Generator, data: DataFolders) -> Scores:
    """All methods on one sample, with ρ₁; the kernel methods have the first start in common."""
    X, y = on_grid(case.side, case.variance, rng)
    k = case.side**2
    kernel, starts = methods.Kernel.of(X, Energy()), methods.plus_plus(X, k, rng)
    one, spectral = starts[:1], methods.spectral(kernel.matrix, k, rng)
    labels = {
        "kmeans": methods.k_means(X, k, rng),
        "gmm": methods.gaussian_mixture(X, k, rng, methods.RESTARTS),
        "spectral": spectral.divided,
        "spectral_before": spectral.multiplied,
        "kkmeans": kernel.k_means(k, one),
        "kkmeans_online": kernel.k_means(k, one, methods.ONLINE),
        "kkmeans_batch": kernel.k_means(k, one, methods.BATCH),
        "kgroups": kernel.k_groups(k, one),
        "kgroups_5": kernel.k_groups(k, starts),
        "default": methods.default(X, k, rng),
    }
    return {key: {"accuracy": clustering_accuracy(y, found)} for key, found in labels.items()}


def draw(outcome: Outcome) -> Any:
    """Accuracy against the root of the number of clusters."""
    made, ax = figure(size=(7.2, 5.0))
    shown = [m.key for m in METHODS if m.key != "kkmeans_batch"]
    draw_curves(ax, outcome, title="Fig. 3e: grid of k clusters", x="√k", methods=shown)
    ax.set_xticks(_SIDES)
    return made


FIG_3E = Experiment(
    name="fig3e",
    title="Many clusters on a grid",
    source="[FRV] Fig. 3e",
    about=(
        "Ten points around each point of a square grid of step 1; ρ₁. Normal of variance .05 "
        "with one start of the kernel methods and five of k-means, which give the published "
        "numbers; five starts of GMM. The paper prints variance .1; cases of that variance are "
        "shown as well."
    ),
    cases=(
        *(Case(key=str(side**2), parameters=Grid(side, _VARIANCE), x=side) for side in _SIDES),
        *(
            Case(
                key=f"{side**2}, variance .1",
                parameters=Grid(side, _PRINTED_VARIANCE),
                panel="variance .1",
            )
            for side in _SIDES
        ),
    ),
    quick_cases=("4", "16", "49"),
    methods=METHODS,
    run=run,
    draw=draw,
    n_runs=20,
    quick_runs=4,
    axis="k",
    notes=(
        "Variance .05 and the single start are inferred: with the printed variance .1 every method "
        "is far below its published curve, as the cases of that variance show.",
        "Kernel k-means degenerates because lines 12 and 13 of Algorithm 1 lack (𝒲G𝒲)ᵢᵢ: with it, "
        "many clusters are no harder than for k-groups from the same start.",
        "Spectral clustering is far behind because of the scaling of rows: with rows times "
        "√degree it is near k-groups on the same kernel, so the metric is not the reason.",
        "The paper mentions five starts; its programs fed the first start back here, so that all "
        "five were one. k-means is above k-groups in the published picture as well.",
    ),
)

PUBLISHED = (FIG_3E,)
DRAFT: tuple[Experiment, ...] = ()
