"""How methods bear dimensions without signal: Fig. 3a, b and the draft's Fig. 2."""

from typing import Any

import numpy as np

from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.figures.curves import Level, draw_curves, figure
from kgroups_papers.recipes.samples import Sample, in_equal_parts, mixture
from kgroups_papers.recipes.two_classes import compare, compare_in_draft
from kgroups_papers.role import Role
from kgroups_papers.types import Scores

_N = 200

# Ten numbers that the authors drew between 1 and 5: Σ̃₁₀ of eq. (57).
_VARIANCES = (1.367, 3.175, 3.247, 4.403, 1.249, 1.969, 4.035, 4.237, 2.813, 3.637)

_KINDS_OF_DRAFT = ("equal", "unequal")

METHODS = (
    Method(key="kmeans", title="k-means"),
    Method(key="gmm", title="GMM"),
    Method(key="spectral", title="spectral, rows times √degree", role=Role.INFERRED),
    Method(key="spectral_today", title="spectral, rows over √degree", role=Role.BEYOND),
    Method(key="kkmeans", title="kernel k-means, as printed"),
    Method(key="kkmeans_online", title="kernel k-means, corrected", role=Role.CORRECTED),
    Method(key="kgroups", title="kernel k-groups ρ₁"),
    Method(key="default", title="kgroups' defaults", role=Role.DEFAULT),
)


NOTES = (
    "Spectral clustering matches with rows times √degree, as scikit-learn once had them; today "
    "it divides by √degree.",
    "Kernel k-means as printed lacks (𝒲G𝒲)ᵢᵢ in lines 12 and 13 of Algorithm 1: Q_j drifts, and "
    "labels depend on where x₀ is, here at 0.",
)


def shifted(D: int, rng: np.random.Generator) -> Sample:
    """Equal covariances, signal .7 in ten dimensions [FRV eq. 56]."""
    means = np.zeros((2, D))
    means[1, :10] = 0.7
    return mixture(_N, means, np.ones((2, D)), rng)


def with_other_variances(D: int, rng: np.random.Generator) -> Sample:
    """Signal 1 in ten dimensions, where the second class has other variances [FRV eq. 57]."""
    means, deviations = np.zeros((2, D)), np.ones((2, D))
    means[1, :10] = 1.0
    deviations[1, :10] = np.sqrt(_VARIANCES)
    return mixture(_N, means, deviations, rng)


def in_halves(D: int, rng: np.random.Generator, *, equal: bool) -> Sample:
    """The means of eq. (56), 100 points in each class [FRV-b eqs. 37 and 38].

    Unless variances are ``equal``, they are 1/2 in the ten dimensions of the second class.
    """
    means, deviations = np.zeros((2, D)), np.ones((2, D))
    means[1, :10] = 0.7
    if not equal:
        deviations[1, :10] = np.sqrt(0.5)
    return in_equal_parts(_N // 2, means, deviations, rng)


def run_draft(case: tuple[str, int], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of eqs. (37) or (38) of the draft."""
    kind, D = case
    return compare_in_draft(in_halves(D, rng, equal=kind == "equal"), rng)


def run_shifted(D: int, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of eq. (56)."""
    return compare(shifted(D, rng), rng)


def run_other_variances(D: int, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of eq. (57)."""
    return compare(with_other_variances(D, rng), rng)


def draw_shifted(outcome: Outcome) -> Any:
    """Accuracy against dimension."""
    made, ax = figure()
    title = "Fig. 3a: equal covariances, n = 200"
    draw_curves(ax, outcome, title=title, x="dimension D", level=Level(at=0.866, label="Bayes"))
    return made


FIG_3A = Experiment(
    name="fig3a",
    title="Normal mixture with equal covariances in growing dimension",
    source="[FRV] Fig. 3a, eq. (56)",
    about=(
        "Two normal classes of unit covariance whose means differ by .7 in ten dimensions; 200 "
        "points; best of 5 starts by k-means++; ρ₁."
    ),
    cases=tuple(Case(key=str(D), parameters=D, x=D) for D in range(10, 201, 10)),
    quick_cases=("10", "100", "200"),
    methods=METHODS,
    run=run_shifted,
    draw=draw_shifted,
    n_runs=100,
    quick_runs=20,
    axis="D",
    notes=NOTES,
)


def draw_other_variances(outcome: Outcome) -> Any:
    """Accuracy against dimension."""
    made, ax = figure()
    title = "Fig. 3b: other variances, n = 200"
    draw_curves(ax, outcome, title=title, x="dimension D", level=Level(at=0.954, label="Bayes"))
    return made


FIG_3B = Experiment(
    name="fig3b",
    title="Normal mixture with unequal covariances in growing dimension",
    source="[FRV] Fig. 3b, eq. (57)",
    about=(
        "Two normal classes whose means differ by 1 in ten dimensions, in which the second class "
        "has variances from 1.2 to 4.4 instead of 1; 200 points; best of 5 starts by k-means++; ρ₁."
    ),
    cases=tuple(Case(key=str(D), parameters=D, x=D) for D in range(10, 711, 25)),
    quick_cases=("10", "110", "310"),
    methods=METHODS,
    run=run_other_variances,
    draw=draw_other_variances,
    n_runs=100,
    quick_runs=15,
    axis="D",
    notes=NOTES,
)


def draw_draft(outcome: Outcome) -> Any:
    """Accuracy against dimension, for equal and for unequal covariances."""
    made, panels = figure(2)
    for ax, letter, kind, bayes in zip(panels, "ab", _KINDS_OF_DRAFT, (0.866, 0.933), strict=True):
        draw_curves(
            ax,
            outcome,
            title=f"[FRV-b] Fig. 2{letter}: {kind} covariances, n = 2 × 100",
            x="dimension D",
            keys={case.x: case.key for case in outcome.cases
                  if case.x is not None and case.panel == kind},
            level=Level(at=bayes, label="Bayes"),
        )  # fmt: skip
    return made


DRAFT_FIG_2 = Experiment(
    name="draft-fig2",
    title="Two normal classes of 100 points in growing dimension",
    source="[FRV-b] Fig. 2, eqs. (37) and (38)",
    about=(
        "100 points in each class, whose means differ by .7 in ten dimensions: (a) unit "
        "covariances, (b) variances 1/2 in these dimensions of the second class; best of 10 "
        "starts by k-means++; ρ₁. The draft prints no numbers, and does not say how many runs."
    ),
    cases=tuple(
        Case(key=f"{kind} {D}", parameters=(kind, D), x=D, panel=kind)
        for kind in _KINDS_OF_DRAFT
        for D in (10, 40, 70, 100, 130, 160, 200)
    ),
    quick_cases=tuple(f"{kind} {D}" for kind in _KINDS_OF_DRAFT for D in (10, 100)),
    methods=tuple(method for method in METHODS if not method.key.startswith("spectral")),
    run=run_draft,
    draw=draw_draft,
    n_runs=50,
    quick_runs=6,
    axis="D",
    default_against="",
)

PUBLISHED = (FIG_3A, FIG_3B)
DRAFT = (DRAFT_FIG_2,)
