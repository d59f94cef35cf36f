"""How methods gain from more points, by metric: Fig. 3c, d."""

from typing import Any

import numpy as np

from kgroups.semimetrics import Energy, Gaussian, Laplacian
from papers import methods
from papers.data import DataFolders
from papers.experiment import Scores, experiment
from papers.plots import curves
from papers.samples import Sample, accuracies, mixture, signal

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
_SIZES = range(10, 401, 10)
_COMMON: dict[str, Any] = {"quick_cases": ("50", "200", "400"), "runs": (100, 6)}


def narrow_and_wide(n: int, rng: np.random.Generator) -> Sample:
    """Variances 1/2 and 1 in 20 dimensions, signal 1/2 in five of them [FRV eq. 58]."""
    means, deviations = signal(20, 0.5, 5)
    deviations[0] = np.sqrt(0.5)
    return mixture(n, means, deviations, rng)


# The Bayes accuracy of both mixtures is the same: exponentials are one to one.
@experiment(
    "fig3c",
    cases={str(n): (n, False) for n in _SIZES},
    draw=curves("points n", {"": ("Fig. 3c: normal mixture", 0.897)}, methods=_DRAWN),
    **_COMMON,
)
@experiment(
    "fig3d",
    cases={str(n): (n, True) for n in _SIZES},
    draw=curves("points n", {"": ("Fig. 3d: lognormal mixture", 0.897)}, methods=_DRAWN),
    **_COMMON,
)
def run(case: tuple[int, bool], rng: np.random.Generator, data: DataFolders) -> Scores:
    """All methods on one sample of two classes, from the same starts by k-means++."""
    n, is_lognormal = case
    X, y = sample = narrow_and_wide(n, rng)
    X = sample.exp().X if is_lognormal else X
    starts, best = methods.plus_plus(X, 2, rng), methods.Kernel.of(X, Laplacian())
    labels = methods.compare(X, 2, best, starts, rng)
    labels["kgroups_laplacian"] = labels["kgroups"]
    labels["default"] = methods.default(X, 2, rng)
    labels["default_metric"] = methods.default(X, 2, rng, Laplacian())
    for key, metric in _OTHER_METRICS.items():
        labels[key] = methods.Kernel.of(X, metric).k_groups(2, starts)
    return accuracies(y, labels)
