"""How methods bear dimensions without signal: Fig. 3a, b and the draft's Fig. 2."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from kgroups.semimetrics import Energy
from papers import methods
from papers.data import DataFolders
from papers.experiment import Scores, experiment
from papers.plots import curves
from papers.samples import Sample, accuracies, in_equal_parts, mixture, signal

#: The draft has no spectral clustering, and more starts.
DRAFT: dict[str, Any] = {"n_starts": 10, "names": ()}
_N = 200
# Ten numbers that the authors drew between 1 and 5: Σ̃₁₀ of eq. (57).
_VARIANCES = (1.367, 3.175, 3.247, 4.403, 1.249, 1.969, 4.035, 4.237, 2.813, 3.637)


def shifted(D: int, rng: np.random.Generator) -> Sample:
    """Equal covariances, signal .7 in ten dimensions [FRV eq. 56]."""
    return mixture(_N, *signal(D, 0.7), rng)


def with_other_variances(D: int, rng: np.random.Generator) -> Sample:
    """Signal 1 in ten dimensions, where the second class has other variances [FRV eq. 57]."""
    means, deviations = signal(D, 1.0)
    deviations[1, :10] = np.sqrt(_VARIANCES)
    return mixture(_N, means, deviations, rng)


def in_halves(D: int, variance: float, rng: np.random.Generator) -> Sample:
    """The means of eq. (56), 100 points in each class [FRV-b eqs. 37 and 38].

    ``variance`` is that of the second class in the ten dimensions.
    """
    means, deviations = signal(D, 0.7)
    deviations[1, :10] = np.sqrt(variance)
    return in_equal_parts(_N // 2, means, deviations, rng)


def compare(
    sample: Sample, rng: np.random.Generator, n_starts: int = methods.RESTARTS, **settings: Any
) -> Scores:
    """All methods of the papers on two classes, with ρ₁."""
    X, y = sample
    kernel, starts = methods.Kernel.of(X, Energy()), methods.plus_plus(X, 2, rng, n_starts)
    labels = methods.compare(X, 2, kernel, starts, rng, n_starts, **settings)
    return accuracies(y, labels | {"default": methods.default(X, 2, rng)})


@experiment(
    "fig3a",
    cases={str(D): partial(shifted, D) for D in range(10, 201, 10)},
    quick_cases=("10", "100", "200"),
    runs=(100, 20),
    draw=curves("dimension D", {"": ("Fig. 3a: equal covariances, n = 200", 0.866)}),
)
@experiment(
    "fig3b",
    cases={str(D): partial(with_other_variances, D) for D in range(10, 711, 25)},
    quick_cases=("10", "110", "310"),
    runs=(100, 15),
    draw=curves("dimension D", {"": ("Fig. 3b: other variances, n = 200", 0.954)}),
)
def run(
    sample: Callable[[np.random.Generator], Sample], rng: np.random.Generator, data: DataFolders
) -> Scores:
    """One sample of eq. (56) or (57)."""
    return compare(sample(rng), rng)


@experiment(
    "draft-fig2",
    cases={
        f"{kind} {D}": partial(in_halves, D, variance)
        for kind, variance in (("equal", 1.0), ("unequal", 0.5))
        for D in (10, 40, 70, 100, 130, 160, 200)
    },
    quick_cases=("equal 10", "equal 100", "unequal 10", "unequal 100"),
    runs=(50, 6),
    draw=curves("dimension D", {
        "equal": ("[FRV-b] Fig. 2a: equal covariances, n = 2 × 100", 0.866),
        "unequal": ("[FRV-b] Fig. 2b: unequal covariances, n = 2 × 100", 0.933),
    }),
)  # fmt: skip
def run_draft(
    sample: Callable[[np.random.Generator], Sample], rng: np.random.Generator, data: DataFolders
) -> Scores:
    """One sample of eq. (37) or (38) of the draft."""
    return compare(sample(rng), rng, **DRAFT)
