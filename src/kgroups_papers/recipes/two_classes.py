"""All methods of the papers on one sample of two classes, with ρ₁."""

from collections.abc import Mapping

import numpy as np

from kgroups.metrics import clustering_accuracy
from kgroups.semimetrics import Energy
from kgroups_papers.recipes import methods
from kgroups_papers.recipes.samples import Sample
from kgroups_papers.types import IntArray, Scores

RESTARTS_OF_DRAFT = 10


def compare(sample: Sample, rng: np.random.Generator) -> Scores:
    """All methods of the paper on one sample of two classes, with ρ₁."""
    X, y = sample
    kernel, starts = methods.Kernel.of(X, Energy()), methods.plus_plus(X, 2, rng)
    spectral = methods.spectral(kernel.matrix, 2, rng)
    labels = {
        "kmeans": methods.k_means(X, 2, rng),
        "gmm": methods.gaussian_mixture(X, 2, rng, methods.RESTARTS),
        "spectral": spectral.multiplied,
        "spectral_today": spectral.divided,
        "kkmeans": kernel.k_means(2, starts),
        "kkmeans_online": kernel.k_means(2, starts, methods.ONLINE),
        "kgroups": kernel.k_groups(2, starts),
        "default": methods.default(X, 2, rng),
    }
    return _accuracies(y, labels)


def compare_in_draft(sample: Sample, rng: np.random.Generator) -> Scores:
    """All methods of the draft, each the best of ten starts, with ρ₁."""
    X, y = sample
    starts = methods.plus_plus(X, 2, rng, RESTARTS_OF_DRAFT)
    kernel = methods.Kernel.of(X, Energy())
    return _accuracies(y, {
        "kmeans": methods.k_means(X, 2, rng, RESTARTS_OF_DRAFT),
        "gmm": methods.gaussian_mixture(X, 2, rng, RESTARTS_OF_DRAFT),
        "kkmeans": kernel.k_means(2, starts),
        "kkmeans_online": kernel.k_means(2, starts, methods.ONLINE),
        "kgroups": kernel.k_groups(2, starts),
        "default": methods.default(X, 2, rng),
    })  # fmt: skip


def _accuracies(y: IntArray, labels: Mapping[str, IntArray]) -> Scores:
    return {key: {"accuracy": clustering_accuracy(y, found)} for key, found in labels.items()}
