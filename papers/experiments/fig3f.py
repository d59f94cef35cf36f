"""Classes of unlike size, Fig. 3f, and the draft's Fig. 3."""

import numpy as np

from kgroups.semimetrics import Energy
from papers import methods
from papers.data import DataFolders
from papers.experiment import Scores, experiment
from papers.experiments import fig3ab
from papers.plots import curves
from papers.samples import Sample, accuracies, in_equal_parts, mixture, signal


def few_and_many(n: int, m: int, rng: np.random.Generator) -> Sample:
    """Classes of probability (n ∓ m)/2n in four dimensions [FRV eq. 59].

    It prints the first class twice and weights n₁/2N, which are read as n₁/2N and n₂/2N.
    """
    means, deviations = signal(4, 1.5, 2)
    deviations[1, :2] = np.sqrt(0.5)
    return mixture(n, means, deviations, rng, ((n - m) / (2 * n), (n + m) / (2 * n)))


def lognormal_in_noise(D: int, rng: np.random.Generator) -> Sample:
    """100 points a class, exp of variances .3 and 1, signal in ten dimensions [FRV-b Fig. 3b]."""
    means, deviations = signal(D, 0.5)
    deviations[0] = np.sqrt(0.3)
    return in_equal_parts(100, means, deviations, rng).exp()


@experiment(
    "fig3f",
    cases={str(m): m for m in range(0, 241, 10)},
    quick_cases=("0", "120", "240"),
    runs=(100, 6),
    draw=curves("imbalance m", {"": ("Fig. 3f: unbalanced classes, n = 300", None)}),
)
def run(m: int, rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of eq. (59)."""
    return fig3ab.compare(few_and_many(300, m, rng), rng)


@experiment(
    "draft-fig3",
    cases={f"unbalanced {m}": ("unbalanced", m) for m in range(0, 181, 20)}
    | {f"lognormal {D}": ("lognormal", D) for D in (10, 25, 50, 75, 100, 150, 200)},
    quick_cases=("unbalanced 0", "unbalanced 160", "lognormal 10", "lognormal 100"),
    runs=(50, 5),
    draw=curves("m or D", {
        "unbalanced": ("[FRV-b] Fig. 3a: unbalanced classes, n = 200", None),
        "lognormal": ("[FRV-b] Fig. 3b: lognormal classes, n = 2 × 100", None),
    }),
)  # fmt: skip
def run_draft(case: tuple[str, int], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of a panel of the draft's Fig. 3."""
    kind, size = case
    if kind == "unbalanced":
        return fig3ab.compare(few_and_many(200, size, rng), rng, **fig3ab.DRAFT)
    X, y = sample = lognormal_in_noise(size, rng)
    scores = fig3ab.compare(sample, rng, **fig3ab.DRAFT)
    starts = methods.plus_plus(X, 2, rng, fig3ab.DRAFT["n_starts"])
    found = methods.Kernel.of(X, Energy(0.5)).k_groups(2, starts)
    return {**scores, **accuracies(y, {"kgroups_half": found})}
