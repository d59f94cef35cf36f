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
from papers.experiment import Method, Outcome, Role, Scores, experiment
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
    made, axes = figure(len(outcome.cases), n_rows=2, squeeze=False)
    for (above, below), case in zip(axes.T, outcome.cases, strict=True):
        shape, rng = outcome.experiment.cases[case], outcome.rng(case)
        X, y = shape.draw(rng)
        labels = as_classes(y, shape.kernel(X).k_groups(shape.k, shape.starts(X, rng)))
        draw_points(above, X, labels, f"{case.capitalize()}: k-groups, best metric", y)
        draw_dots(below, outcome, case)
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
_BEST = {name: shape.best for name, shape in _SHAPES.items()}
_OTHERS = (Method("kmeans", "k-means"), Method("gmm", "GMM"))
_DEFAULT = Method("default", "kgroups' defaults", Role.DEFAULT)


# Radii and noise of the circles are those of the authors' programs.
@experiment(
    "icml-table1",
    "Cigars, two circles and three circles with four metrics",
    source="[FRV-a] Table 1 and Fig. 4",
    about="Two cigars of 200 points each, or circles of 400 points each with noise .2; best of 5 "
    "starts, by k-means++ for the cigars and random for the circles, for k-means and GMM too; the "
    "length σ of ρ̃ and ρ̂ is 2, 1 for two circles. Spectral clustering, and the defaults with the "
    "best metric, take ρ̃ for the cigars and ρ̂ for the circles.",
    cases=_SHAPES,
    methods=(
        Method("kgroups", "kernel k-groups ρ₁"),
        Method("kgroups_half", "kernel k-groups ρ½"),
        Method("kgroups_laplacian", "kernel k-groups ρ̃"),
        Method("kgroups_gaussian", "kernel k-groups ρ̂"),
        Method("spectral", "spectral, rows times √degree", Role.INFERRED),
        Method("spectral_today", "spectral, rows over √degree", Role.BEYOND),
        *_OTHERS,
        _DEFAULT,
        Method("default_metric", "kgroups' defaults, best metric", Role.DEFAULT, _BEST),
    ),
    runs=100,
    quick_runs=3,
    axis="shape",
    other_names=("icml-fig4",),
    draw=draw,
)
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


@experiment(
    "draft-fig4",
    "Cigars, circles and spirals with a metric made for each",
    source="[FRV-b] Fig. 4",
    about="Two cigars of 100 points each with ρ½; two circles of 150 points each, radii 1 and 3 "
    "and noise .1, with ρ = ‖x − y‖² exp(−‖x − y‖/2); two spirals ± t (cos t, sin t) of 150 points "
    "each, t from 0 to 4π in even steps and noise .15, with ρ = ‖x − y‖² θ sin(‖x − y‖/θ), "
    "θ = .9. Best of 10 starts by k-means++.",
    cases=_SHAPES_OF_DRAFT,
    methods=(
        *_OTHERS,
        Method("kkmeans", "kernel k-means, all points at once", Role.INFERRED),
        Method("kgroups", "kernel k-groups, metric made for it"),
        _DEFAULT,
        Method("default_metric", "kgroups' defaults, same metric", Role.DEFAULT),
    ),
    runs=100,
    quick_runs=3,
    axis="shape",
    draw=draw,
)
def run_draft(shape: Shape, rng: np.random.Generator, data: DataFolders) -> Scores:
    """What the draft compares, on one sample."""
    X, y = shape.draw(rng)
    starts, kernel = shape.starts(X, rng), shape.kernel(X)
    found = {
        "kgroups": kernel.k_groups(shape.k, starts),
        "kkmeans": methods.batch_to_the_limit(kernel, shape.k, starts),
    }
    return accuracies(y, found | shape.others(X, rng))
