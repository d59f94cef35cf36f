"""Points in the plane that lie along shapes: cigars, circles, spirals. Rows in random order."""

from collections.abc import Sequence

import numpy as np

from kgroups_papers.recipes.samples import Sample, in_equal_parts

# Two turns from the center outward.
_TURNS = 2


def cigars(n_each: int, rng: np.random.Generator) -> Sample:
    """Two normal classes side by side, 4.5 times as long as wide [FRV-b, eq. of the cigars]."""
    means = np.array([[0.0, 0.0], [6.5, 0.0]])
    deviations = np.tile([1.0, np.sqrt(20.0)], (2, 1))
    return _in_any_order(in_equal_parts(n_each, means, deviations, rng), rng)


def circles(radii: Sequence[float], n_each: int, noise: float, rng: np.random.Generator) -> Sample:
    """Concentric circles, uniform in the angle, with normal noise in both coordinates."""
    y = np.repeat(np.arange(len(radii)), n_each)
    angle = rng.uniform(0, 2 * np.pi, len(y))
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    X = np.asarray(radii)[y, None] * around + noise * rng.standard_normal((len(y), 2))
    return _in_any_order(Sample(X, y), rng)


def spirals(n_each: int, noise: float, rng: np.random.Generator) -> Sample:
    """Two arms of Archimedes' spiral, opposite each other, with normal noise.

    The arms are ± t (cos t, sin t) at angles t evenly spaced over two turns.
    """
    t = np.linspace(0, 2 * np.pi * _TURNS, n_each)
    arm = t[:, None] * np.column_stack([np.cos(t), np.sin(t)])
    X = np.concatenate([arm, -arm]) + noise * rng.standard_normal((2 * n_each, 2))
    return _in_any_order(Sample(X, np.repeat([0, 1], n_each)), rng)


def _in_any_order(sample: Sample, rng: np.random.Generator) -> Sample:
    order = rng.permutation(len(sample.y))
    return Sample(sample.X[order], sample.y[order])
