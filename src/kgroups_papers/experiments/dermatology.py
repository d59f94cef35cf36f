"""The dermatology set: Table II and Fig. 6."""

from typing import Any

import numpy as np

from kgroups.metrics import contingency
from kgroups.semimetrics import Energy
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.figures.confusion import draw_confusion
from kgroups_papers.figures.curves import figure
from kgroups_papers.recipes import methods
from kgroups_papers.recipes.samples import Sample
from kgroups_papers.recipes.tables import agreement, mean_filled, standardized
from kgroups_papers.role import Role
from kgroups_papers.types import IntArray, Scores

_METRIC = Energy(0.5)
_STARTS = 10
# Random labels reach it once in three, in seven without the rows: 120 starts miss it once in 10⁷.
_STARTS_TO_THE_OPTIMUM = 120
_DISEASES = (
    "psoriasis",
    "seborrheic dermatitis",
    "lichen planus",
    "pityriasis rosea",
    "chronic dermatitis",
    "pityriasis rubra pilaris",
)


def prepared(missing: str, data: DataFolders) -> Sample:
    """Standardized columns; rows without an age are "dropped", or it is "imputed" by the mean."""
    table = data.table("dermatology")
    if missing == "imputed":
        return Sample(standardized(mean_filled(table.X)), table.y)
    whole = ~np.isnan(table.X).any(axis=1)
    return Sample(standardized(table.X[whole]), table.y[whole])


def optimum(kernel: methods.Kernel, rng: np.random.Generator) -> IntArray:
    """The partition of the largest Q that is known, which random starts find."""
    starts = methods.random_starts(len(kernel.matrix), len(_DISEASES), rng, _STARTS_TO_THE_OPTIMUM)
    return kernel.k_groups(len(_DISEASES), starts)


def run(missing: str, rng: np.random.Generator, data: DataFolders) -> Scores:
    """All methods once, each the best of its own starts."""
    (X, y), k = prepared(missing, data), len(_DISEASES)
    kernel, starts = methods.Kernel.of(X, _METRIC), methods.plus_plus(X, k, rng, _STARTS)
    spectral = methods.spectral(kernel.matrix, k, rng)
    labels = {
        "kmeans": methods.k_means(X, k, rng, _STARTS),
        "gmm": methods.gaussian_mixture(X, k, rng, _STARTS),
        "spectral": spectral.divided,
        "spectral_before": spectral.multiplied,
        "kkmeans": kernel.k_means(k, starts),
        "kkmeans_online": kernel.k_means(k, starts, methods.ONLINE),
        "kgroups": optimum(kernel, rng),
        "kgroups_10": kernel.k_groups(k, starts),
        "default": methods.default(X, k, rng),
        "default_metric": methods.default(X, k, rng, _METRIC),
    }
    return {key: agreement(y, found) for key, found in labels.items()}


def draw(outcome: Outcome) -> Any:
    """Classes and clusters of the optimum, ages imputed."""
    X, y = prepared("imputed", outcome.data)
    found = optimum(methods.Kernel.of(X, _METRIC), outcome.rng("fig6"))
    made, ax = figure(size=(6.8, 4.2))
    title = "Fig. 6: dermatology, kernel k-groups with ρ½"
    draw_confusion(ax, contingency(y, found), classes=_DISEASES, title=title)
    return made


TABLE_2 = Experiment(
    name="table2",
    other_names=("fig6",),
    title="Dermatology: six skin diseases",
    source="[FRV] Table II and Fig. 6",
    about=(
        "366 patients, 34 attributes; eight ages are missing and become the mean, or the rows are "
        "dropped; columns are standardized; ρ½."
    ),
    cases=(
        Case(key="imputed", parameters="imputed", data="dermatology"),
        Case(key="dropped", parameters="dropped", data="dermatology"),
    ),
    methods=(
        Method(key="kmeans", title="k-means"),
        Method(key="gmm", title="GMM"),
        Method(key="spectral", title="spectral, rows over √degree", role=Role.INFERRED),
        Method(key="spectral_before", title="spectral, rows times √degree", role=Role.BEYOND),
        Method(key="kkmeans", title="kernel k-means, as printed"),
        Method(key="kkmeans_online", title="kernel k-means, corrected", role=Role.CORRECTED),
        Method(key="kgroups", title="kernel k-groups ρ½, the largest Q", role=Role.INFERRED),
        Method(key="kgroups_10", title="kernel k-groups ρ½, best of 10 k-means++ starts"),
        Method(key="default", title="kgroups' defaults", role=Role.DEFAULT),
        Method(key="default_metric", title="kgroups' defaults with ρ½", role=Role.DEFAULT),
    ),
    run=run,
    draw=draw,
    n_runs=100,
    quick_runs=4,
    measures=("accuracy", "adjusted_rand", "nmi"),
    axis="missing ages",
    notes=(
        "The published figures of k-groups are those of the largest Q: here the best of 120 random "
        "starts, each of which finds it once in three (once in seven where rows are dropped).",
        "One run of the best of 10 k-means++ starts, as the other methods have, sometimes gives "
        "the published partition; the row of that name has its average.",
        "NMI is mutual information over the geometric mean of the entropies.",
        "k-means, GMM and kernel k-means were published from one run of the best of 10 starts; the "
        "spread of our runs is taken to be their error.",
    ),
)

PUBLISHED: tuple[Experiment, ...] = (TABLE_2,)
DRAFT: tuple[Experiment, ...] = ()
