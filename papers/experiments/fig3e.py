"""What many clusters do: a grid of small ones, Fig. 3e."""

import numpy as np

from kgroups.semimetrics import Energy
from papers import methods
from papers.data import DataFolders
from papers.experiment import Scores, experiment
from papers.plots import curves
from papers.samples import Sample, accuracies, in_equal_parts

_SIDES = range(2, 8)


def on_grid(side: int, variance: float, rng: np.random.Generator) -> Sample:
    """Ten points around each point of a square grid of step 1 [FRV section 5.1.2]."""
    means = np.array([(a, b) for a in range(side) for b in range(side)], dtype=np.float64)
    return in_equal_parts(10, means, np.full(means.shape, np.sqrt(variance)), rng)


@experiment(
    "fig3e",
    cases={str(side**2): (side, 0.05) for side in _SIDES}
    | {f"{side**2}, variance .1": (side, 0.1) for side in _SIDES},
    quick_cases=("4", "16", "49"),
    runs=(20, 4),
    draw=curves("k", {"": ("Fig. 3e: grid of k clusters", None)}),
)
def run(case: tuple[int, float], rng: np.random.Generator, data: DataFolders) -> Scores:
    """All methods on one sample, with ρ₁; the kernel methods have the first start in common."""
    (X, y), k = on_grid(*case, rng), case[0] ** 2
    kernel, starts = methods.Kernel.of(X, Energy()), methods.plus_plus(X, k, rng)
    names = ("spectral_before", "spectral")
    labels = methods.compare(X, k, kernel, starts[:1], rng, names=names)
    labels["kkmeans_batch"] = kernel.k_means(k, starts[:1], methods.BATCH)
    labels["kgroups_5"] = kernel.k_groups(k, starts)
    return accuracies(y, labels | {"default": methods.default(X, k, rng)})
