"""Classes of unlike size, Fig. 3f, and the draft's Fig. 3."""

from typing import Any, NamedTuple

import numpy as np

from kgroups.metrics import clustering_accuracy
from kgroups.semimetrics import Energy
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.experiments.dimension import METHODS, NOTES
from kgroups_papers.figures.curves import draw_curves, figure
from kgroups_papers.recipes import methods
from kgroups_papers.recipes.samples import few_and_many, lognormal_in_noise
from kgroups_papers.recipes.two_classes import RESTARTS_OF_DRAFT, compare, compare_in_draft
from kgroups_papers.types import Scores

_N, _N_OF_DRAFT = 300, 200


def run_unbalanced(m: int, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of eq. (59)."""
    return compare(few_and_many(_N, m, rng), rng)


def draw_unbalanced(outcome: Outcome) -> Any:
    """Accuracy against the imbalance."""
    made, ax = figure()
    draw_curves(ax, outcome, title="Fig. 3f: unbalanced classes, n = 300", x="imbalance m")
    ax.legend_.set_loc("lower left")
    return made


FIG_3F = Experiment(
    name="fig3f",
    title="Unbalanced classes",
    source="[FRV] Fig. 3f, eq. (59)",
    about=(
        "Two normal classes in four dimensions of probabilities (300 - m)/600 and (300 + m)/600; "
        "300 points in all; best of 5 starts by k-means++; ρ₁."
    ),
    cases=tuple(Case(key=str(m), parameters=m, x=m) for m in range(0, 241, 10)),
    quick_cases=("0", "120", "240"),
    methods=METHODS,
    run=run_unbalanced,
    draw=draw_unbalanced,
    n_runs=100,
    quick_runs=6,
    axis="m",
    notes=(
        "Eq. (59) prints the first class twice and weights n₁/2N; it is read as n₁/2N and n₂/2N "
        "with the two parameters. N = 300 is the number of all points.",
        *NOTES,
    ),
)


class DraftCase(NamedTuple):
    """One of the two panels, and m or D."""

    kind: str
    size: int


def run_draft(case: DraftCase, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of a panel of the draft's Fig. 3."""
    if case.kind == "unbalanced":
        return compare_in_draft(few_and_many(_N_OF_DRAFT, case.size, rng), rng)
    X, y = sample = lognormal_in_noise(case.size, rng)
    scores = compare_in_draft(sample, rng)
    starts = methods.plus_plus(X, 2, rng, RESTARTS_OF_DRAFT)
    found = methods.Kernel.of(X, Energy(0.5)).k_groups(2, starts)
    return {**scores, "kgroups_half": {"accuracy": clustering_accuracy(y, found)}}


def draw_draft(outcome: Outcome) -> Any:
    """Accuracy against the imbalance, and of lognormal classes against dimension."""
    made, panels = figure(2)
    titles = ("a: unbalanced classes, n = 200", "b: lognormal classes, n = 2 × 100")
    axes = ("imbalance m", "dimension D")
    for ax, kind, title, x in zip(panels, ("unbalanced", "lognormal"), titles, axes, strict=True):
        cases = [case for case in outcome.cases if case.panel == kind]
        keys = {case.parameters.size: case.key for case in cases}
        draw_curves(ax, outcome, title=f"[FRV-b] Fig. 3{title}", x=x, keys=keys)
    return made


def _draft_cases(kind: str, sizes: tuple[int, ...]) -> tuple[Case, ...]:
    return tuple(
        Case(key=f"{kind} {size}", parameters=DraftCase(kind, size), x=size, panel=kind)
        for size in sizes
    )


DRAFT_FIG_3 = Experiment(
    name="draft-fig3",
    title="Unbalanced classes, and lognormal ones in growing dimension",
    source="[FRV-b] Fig. 3, eq. (39)",
    about=(
        "(a) The classes of [FRV] Fig. 3f with N = 200. (b) Exponentials of normal classes of "
        "variances .3 and 1, 100 points each, with signal 1/2 in ten dimensions; ρ₁, and ρ½ in "
        "(b). Best of 10 starts by k-means++. The draft prints no numbers, and does not say how "
        "many runs."
    ),
    cases=(
        *_draft_cases("unbalanced", tuple(range(0, 181, 20))),
        *_draft_cases("lognormal", (10, 25, 50, 75, 100, 150, 200)),
    ),
    quick_cases=("unbalanced 0", "unbalanced 160", "lognormal 10", "lognormal 100"),
    methods=(
        *(m for m in METHODS if not m.key.startswith("spectral") and m.key != "default"),
        Method(key="kgroups_half", title="kernel k-groups ρ½"),
        *(m for m in METHODS if m.key == "default"),
    ),
    run=run_draft,
    draw=draw_draft,
    n_runs=50,
    quick_runs=5,
    axis="case",
    default_against="",
    notes=(
        "The draft's weights n₁/N and n₂/N add up to 2. They are read as n₁/2N and n₂/2N, as in "
        "[FRV] later, and N as the number of all points, which agrees with Fig. 3f.",
    ),
)

PUBLISHED = (FIG_3F,)
DRAFT = (DRAFT_FIG_3,)
