"""What many clusters do: a grid of small ones, Fig. 3e."""

import numpy as np

from kgroups.semimetrics import Energy
from papers import methods
from papers.data import DataFolders
from papers.experiment import Method, Role, Scores, experiment
from papers.plots import curves
from papers.samples import Sample, accuracies, in_equal_parts

_SIDES = range(2, 8)
_METHODS = (
    Method("kmeans", "k-means", Role.INFERRED),
    Method("gmm", "GMM", Role.INFERRED),
    Method("spectral", "spectral, rows over √degree", Role.INFERRED),
    Method("spectral_before", "spectral, rows times √degree", Role.BEYOND),
    Method("kkmeans", "kernel k-means, as printed, 1 start", Role.INFERRED),
    Method("kkmeans_online", "kernel k-means, corrected, 1 start", Role.CORRECTED),
    Method("kkmeans_batch", "kernel k-means, all at once, 1 start", Role.CORRECTED),
    Method("kgroups", "kernel k-groups ρ₁, 1 start", Role.INFERRED),
    Method("kgroups_5", "kernel k-groups ρ₁, 5 starts", Role.BEYOND),
    Method("default", "kgroups' defaults", Role.DEFAULT),
)


def on_grid(side: int, variance: float, rng: np.random.Generator) -> Sample:
    """Ten points around each point of a square grid of step 1 [FRV section 5.1.2]."""
    means = np.array([(a, b) for a in range(side) for b in range(side)], dtype=np.float64)
    return in_equal_parts(10, means, np.full(means.shape, np.sqrt(variance)), rng)


@experiment(
    "fig3e",
    "Many clusters on a grid",
    source="[FRV] Fig. 3e",
    about="Ten points around each point of a square grid of step 1; ρ₁. Normal of variance .05 "
    "with one start of the kernel methods and five of k-means, which give the published numbers; "
    "five starts of GMM. The paper prints variance .1; cases of that variance are shown as well.",
    cases={str(side**2): (side, 0.05) for side in _SIDES}
    | {f"{side**2}, variance .1": (side, 0.1) for side in _SIDES},
    quick_cases=("4", "16", "49"),
    methods=_METHODS,
    runs=20,
    quick_runs=4,
    axis="k",
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
