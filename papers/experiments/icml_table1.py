"""Clusters that are not balls: Table 1 and Fig. 4 of the earlier version, Fig. 4 of the draft."""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from kgroups.exceptions import TheoryWarning
from kgroups.semimetrics import DampedSquared, Energy, Gaussian, Laplacian, Semimetric, SineSquared
from kgroups.typing import Float64Array, IntArray
from papers import methods
from papers.data import DataFolders
from papers.experiment import Outcome, Scores, experiment
from papers.plots import as_classes, draw_dots, draw_points, figure
from papers.samples import Sample, accuracies, cigars, circles, spirals


class Shape(NamedTuple):
    """Points, their number of clusters, metrics, and the starts of each method."""

    draw: Callable[[np.random.Generator], Sample]
    k: int
    metrics: Mapping[str, Semimetric]
    #: The metric of the picture, of spectral clustering, and of the defaults that know one.
    best: str
    init: str = "k-means++"
    n_starts: int = methods.RESTARTS

    def kernel(self, X: Float64Array) -> methods.Kernel:
        """That of the best metric."""
        return methods.Kernel.of(X, self.metrics[self.best])

    def starts(self, X: Float64Array, rng: np.random.Generator) -> list[IntArray]:
        """Labels from which k-groups sets out, the same for all metrics."""
        if self.init == "random":
            return methods.random_starts(len(X), self.k, rng, self.n_starts)
        return methods.plus_plus(X, self.k, rng, self.n_starts)

    def others(self, X: Float64Array, rng: np.random.Generator) -> dict[str, IntArray]:
        """Labels by methods that choose their own starts, of the same kind."""
        first = "random" if self.init == "random" else "kmeans"
        with warnings.catch_warnings():
            # Two of the draft's metrics are not of negative type, and the defaults say so.
            warnings.simplefilter("ignore", TheoryWarning)
            return {
                "kmeans": methods.k_means(X, self.k, rng, self.n_starts, self.init),
                "gmm": methods.gaussian_mixture(X, self.k, rng, self.n_starts, first),
                "default": methods.default(X, self.k, rng),
                "default_metric": methods.default(X, self.k, rng, self.metrics[self.best]),
            }


def draw(outcome: Outcome) -> Any:
    """Each set as k-groups divides it, and how well each method did."""
    made, (above, below) = figure(len(outcome.cases), n_rows=2, squeeze=False)
    for ax, place, case in zip(above, below, outcome.cases, strict=True):
        shape, rng = outcome.experiment.cases[case], outcome.rng(case)
        X, y = shape.draw(rng)
        labels = as_classes(y, shape.kernel(X).k_groups(shape.k, shape.starts(X, rng)))
        wrong = f"{np.count_nonzero(labels != y):,} of {len(X):,} in another class"
        draw_points(ax, X, labels, f"{case.capitalize()}: k-groups, best metric, {wrong}")
        draw_dots(place, outcome, [(case, "accuracy")], title=case)
    return made


def _metrics(sigma: float) -> dict[str, Semimetric]:
    """The four metrics of Table 1."""
    return {
        "kgroups": Energy(),
        "kgroups_half": Energy(0.5),
        "kgroups_laplacian": Laplacian(sigma),
        "kgroups_gaussian": Gaussian(sigma),
    }


_TWO, _THREE = (partial(circles, radii, 400, 0.2) for radii in ((1.0, 3.0), (1.0, 3.0, 5.0)))
_SHAPES = {
    "cigars": Shape(partial(cigars, 200), 2, _metrics(2.0), "kgroups_laplacian"),
    "two circles": Shape(_TWO, 2, _metrics(1.0), "kgroups_gaussian", "random"),
    "three circles": Shape(_THREE, 3, _metrics(2.0), "kgroups_gaussian", "random"),
}
_SHAPES_OF_DRAFT = {
    name: Shape(draw, 2, {"kgroups": metric}, "kgroups", n_starts=10)
    for name, draw, metric in (
        ("cigars", partial(cigars, 100), Energy(0.5)),
        ("circles", partial(circles, (1.0, 3.0), 150, 0.1), DampedSquared()),
        ("spirals", partial(spirals, 150, 0.15), SineSquared(0.9)),
    )
}


# Radii and noise of the circles are those of the authors' programs.
@experiment("icml-table1", cases=_SHAPES, runs=(100, 3), draw=draw)
def run(shape: Shape, rng: np.random.Generator, data: DataFolders) -> Scores:
    """All columns of Table 1 on one sample."""
    X, y = shape.draw(rng)
    starts = shape.starts(X, rng)
    found = {
        key: methods.Kernel.of(X, metric).k_groups(shape.k, starts)
        for key, metric in shape.metrics.items()
    }
    times, over = methods.spectral(shape.kernel(X).matrix, shape.k, rng)
    found |= {"spectral": times, "spectral_today": over}
    return accuracies(y, found | shape.others(X, rng))


@experiment("draft-fig4", cases=_SHAPES_OF_DRAFT, runs=(100, 3), draw=draw)
def run_draft(shape: Shape, rng: np.random.Generator, data: DataFolders) -> Scores:
    """What the draft compares, on one sample."""
    X, y = shape.draw(rng)
    starts, kernel = shape.starts(X, rng), shape.kernel(X)
    found = {
        "kgroups": kernel.k_groups(shape.k, starts),
        "kkmeans": methods.batch_to_the_limit(kernel, shape.k, starts),
    }
    return accuracies(y, found | shape.others(X, rng))
