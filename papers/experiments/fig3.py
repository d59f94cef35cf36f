"""Mixtures in many dimensions, of many points or clusters: Fig. 3, and the draft's Fig. 2 and 3."""

from functools import partial

import numpy as np

from kgroups.semimetrics import Energy, Gaussian, Laplacian
from papers import methods
from papers.data import DataFolders
from papers.experiment import Scores, experiment
from papers.plots import curves
from papers.samples import Sample, accuracies, in_equal_parts, lognormal, mixture, signal

# Ten numbers that the authors drew between 1 and 5: Σ̃₁₀ of eq. (57).
_VARIANCES = (1.367, 3.175, 3.247, 4.403, 1.249, 1.969, 4.035, 4.237, 2.813, 3.637)
# The draft has more starts.
_STARTS_OF_DRAFT = 10
# What the paper draws in Fig. 3c, d, and the two forms of the defaults.
_DRAWN = (
    *("kmeans", "gmm", "spectral", "kgroups", "kgroups_half", "kgroups_laplacian"),
    *("default", "default_metric"),
)
_OTHER_METRICS = {
    "kgroups": Energy(),
    "kgroups_half": Energy(0.5),
    "kgroups_gaussian": Gaussian(),
    "kgroups_gaussian_2": Gaussian(sigma=2.0),
}


def growing(n: int) -> partial[Sample]:
    """Variances 1/2 and 1 in 20 dimensions, signal 1/2 in five of them [FRV eq. 58]."""
    return partial(mixture, n, *signal(20, 0.5, 5, first=0.5))


def unbalanced(n: int, m: int) -> partial[Sample]:
    """Classes of probability (n ∓ m)/2n in four dimensions [FRV eq. 59].

    It prints the first class twice and weights n₁/2N, which are read as n₁/2N and n₂/2N.
    """
    weights = ((n - m) / (2 * n), (n + m) / (2 * n))
    return partial(mixture, n, *signal(4, 1.5, 2, second=0.5), weights=weights)


def on_grid(side: int, variance: float, rng: np.random.Generator) -> Sample:
    """Ten points around each point of a square grid of step 1 [FRV section 5.1.2]."""
    means = np.array([(a, b) for a in range(side) for b in range(side)], dtype=np.float64)
    return in_equal_parts(10, means, np.full(means.shape, np.sqrt(variance)), rng)


def compare(sample: Sample, rng: np.random.Generator, *, draft: bool = False) -> Scores:
    """All methods of the papers on two classes, with ρ₁; the draft has no spectral clustering."""
    (X, y), names = sample, () if draft else methods.SPECTRAL
    n_starts = _STARTS_OF_DRAFT if draft else methods.RESTARTS
    G, starts = methods.gram(X, Energy()), methods.plus_plus(X, 2, rng, n_starts)
    labels = methods.compare(X, 2, G, starts, rng, n_starts, names)
    return accuracies(y, labels | {"default": methods.default(X, 2, rng)})


# Equal covariances, signal .7 in ten dimensions [FRV eq. 56].
@experiment(
    "fig3a",
    cases={str(D): partial(mixture, 200, *signal(D, 0.7)) for D in range(10, 201, 10)},
    quick_cases=("10", "100", "200"),
    runs=(100, 20),
    draw=curves("dimension D", {"": ("Fig. 3a: equal covariances, n = 200", 0.866)}),
)
# Signal 1 in ten dimensions, where the second class has other variances [FRV eq. 57].
@experiment(
    "fig3b",
    cases={
        str(D): partial(mixture, 200, *signal(D, 1.0, second=_VARIANCES))
        for D in range(10, 711, 25)
    },
    quick_cases=("10", "110", "310"),
    runs=(100, 15),
    draw=curves("dimension D", {"": ("Fig. 3b: other variances, n = 200", 0.954)}),
)
@experiment(
    "fig3f",
    cases={str(m): unbalanced(300, m) for m in range(0, 241, 10)},
    quick_cases=("0", "120", "240"),
    runs=(100, 6),
    draw=curves("imbalance m", {"": ("Fig. 3f: unbalanced classes, n = 300", None)}),
)
def run(draw: partial[Sample], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of two classes."""
    return compare(draw(rng), rng)


# The means of eq. (56), 100 points in each class [FRV-b eqs. 37 and 38].
@experiment(
    "draft-fig2",
    cases={
        f"{kind} {D}": partial(in_equal_parts, 100, *signal(D, 0.7, second=variance))
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
# 100 points a class, exp of variances .3 and 1, signal in ten dimensions [FRV-b Fig. 3b].
@experiment(
    "draft-fig3",
    cases={f"unbalanced {m}": unbalanced(200, m) for m in range(0, 181, 20)}
    | {
        f"lognormal {D}": partial(lognormal, in_equal_parts, 100, *signal(D, 0.5, first=0.3))
        for D in (10, 25, 50, 75, 100, 150, 200)
    },
    quick_cases=("unbalanced 0", "unbalanced 160", "lognormal 10", "lognormal 100"),
    runs=(50, 5),
    draw=curves("m or D", {
        "unbalanced": ("[FRV-b] Fig. 3a: unbalanced classes, n = 200", None),
        "lognormal": ("[FRV-b] Fig. 3b: lognormal classes, n = 2 × 100", None),
    }),
)  # fmt: skip
def run_draft(draw: partial[Sample], rng: np.random.Generator, data: DataFolders) -> Scores:
    """One sample of the draft; lognormal ones are clustered with ρ½, too."""
    X, y = sample = draw(rng)
    scores = compare(sample, rng, draft=True)
    if draw.func is not lognormal:
        return scores
    starts = methods.plus_plus(X, 2, rng, _STARTS_OF_DRAFT)
    found = methods.search(methods.gram(X, Energy(0.5)), 2, starts)
    return {**scores, **accuracies(y, {"kgroups_half": found})}


# The Bayes accuracy of both mixtures is the same: exponentials are one to one.
@experiment(
    "fig3c",
    cases={str(n): growing(n) for n in range(10, 401, 10)},
    quick_cases=("50", "200", "400"),
    runs=(100, 6),
    draw=curves("points n", {"": ("Fig. 3c: normal mixture", 0.897)}, methods=_DRAWN),
)
@experiment(
    "fig3d",
    cases={str(n): partial(lognormal, growing(n)) for n in range(10, 401, 10)},
    quick_cases=("50", "200", "400"),
    runs=(100, 6),
    draw=curves("points n", {"": ("Fig. 3d: lognormal mixture", 0.897)}, methods=_DRAWN),
)
def run_metrics(draw: partial[Sample], rng: np.random.Generator, data: DataFolders) -> Scores:
    """All methods on one sample of two classes, from the same starts by k-means++."""
    X, y = draw(rng)
    starts, best = methods.plus_plus(X, 2, rng), methods.gram(X, Laplacian())
    labels = methods.compare(X, 2, best, starts, rng)
    labels["kgroups_laplacian"] = labels["kgroups"]
    labels["default"] = methods.default(X, 2, rng)
    labels["default_metric"] = methods.default(X, 2, rng, Laplacian())
    for key, metric in _OTHER_METRICS.items():
        labels[key] = methods.search(methods.gram(X, metric), 2, starts)
    return accuracies(y, labels)


@experiment(
    "fig3e",
    cases={str(side**2): (side, 0.05) for side in range(2, 8)}
    | {f"{side**2}, variance .1": (side, 0.1) for side in range(2, 8)},
    quick_cases=("4", "16", "49"),
    runs=(20, 4),
    draw=curves("k", {"": ("Fig. 3e: grid of k clusters", None)}),
)
def run_grid(case: tuple[int, float], rng: np.random.Generator, data: DataFolders) -> Scores:
    """All methods on one sample, with ρ₁; the kernel methods have the first start in common."""
    (X, y), k = on_grid(*case, rng), case[0] ** 2
    G, starts = methods.gram(X, Energy()), methods.plus_plus(X, k, rng)
    names = ("spectral_before", "spectral")
    labels = methods.compare(X, k, G, starts[:1], rng, names=names)
    labels["kkmeans_batch"] = methods.search(G, k, starts[:1], methods.BATCH)
    labels["kgroups_5"] = methods.search(G, k, starts)
    return accuracies(y, labels | {"default": methods.default(X, k, rng)})
