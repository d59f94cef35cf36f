"""Clusters that are not balls: Table 1 and Fig. 4 of the earlier version, Fig. 4 of the draft."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from kgroups.exceptions import TheoryWarning
from kgroups.metrics import clustering_accuracy, contingency
from kgroups.plots import SMALL
from kgroups.semimetrics import DampedSquared, Energy, Gaussian, Laplacian, Semimetric, SineSquared
from kgroups_papers.data import DataFolders
from kgroups_papers.experiment import Case, Experiment, Method, Outcome
from kgroups_papers.figures.scatter import Bars, draw_dots, draw_points, grid
from kgroups_papers.recipes import methods
from kgroups_papers.recipes.chance import seed
from kgroups_papers.recipes.plane import cigars, circles, spirals
from kgroups_papers.recipes.samples import Sample
from kgroups_papers.role import Role
from kgroups_papers.types import Float64Array, IntArray, Scores

# Number of starts of each method, of which the best counts.
_STARTS = methods.RESTARTS
_STARTS_OF_DRAFT = 10


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Points, and what the methods are told about them."""

    draw: Callable[[np.random.Generator], Sample]
    k: int
    metrics: Mapping[str, Semimetric]
    #: The metric of spectral clustering, and of the defaults that know one.
    best: str
    #: The metric of the picture, as the papers write it.
    symbol: str
    start: Literal["k-means++", "random"] = "k-means++"
    n_starts: int = _STARTS

    def starts(self, X: Float64Array, rng: np.random.Generator) -> list[IntArray]:
        """Labels from which k-groups sets out, the same for all metrics."""
        if self.start == "random":
            return methods.random_starts(len(X), self.k, rng, self.n_starts)
        return methods.plus_plus(X, self.k, rng, self.n_starts)

    def k_groups(
        self, X: Float64Array, rng: np.random.Generator
    ) -> tuple[dict[str, IntArray], methods.Kernel]:
        """Labels by metric, and the kernel of the best one."""
        starts = self.starts(X, rng)
        kernels = {key: methods.Kernel.of(X, metric) for key, metric in self.metrics.items()}
        labels = {key: kernel.k_groups(self.k, starts) for key, kernel in kernels.items()}
        return labels, kernels[self.best]

    def k_means(self, X: Float64Array, rng: np.random.Generator) -> IntArray:
        """k-means from the same kind of start."""
        model = KMeans(self.k, init=self.start, n_init=self.n_starts, random_state=seed(rng))
        return np.asarray(model.fit_predict(X), np.int64)

    def mixture(self, X: Float64Array, rng: np.random.Generator) -> IntArray:
        """EM with full covariances, from k-means or from random shares in the classes."""
        first = "random" if self.start == "random" else "kmeans"
        model = GaussianMixture(
            self.k, n_init=self.n_starts, init_params=first, random_state=seed(rng)
        )
        return np.asarray(model.fit_predict(X), np.int64)


def run_table(shape: Shape, rng: np.random.Generator, data: DataFolders) -> Scores:
    """All columns of Table 1 on one sample."""
    X, y = shape.draw(rng)
    found, kernel = shape.k_groups(X, rng)
    spectral = methods.spectral(kernel.matrix, shape.k, rng)
    found |= {"spectral": spectral.multiplied, "spectral_today": spectral.divided}
    return _accuracies(y, found | _others(shape, X, rng))


def run_draft(shape: Shape, rng: np.random.Generator, data: DataFolders) -> Scores:
    """What the draft compares, on one sample."""
    X, y = shape.draw(rng)
    starts = shape.starts(X, rng)
    kernel = methods.Kernel.of(X, shape.metrics[shape.best])
    found = {
        "kgroups": kernel.k_groups(shape.k, starts),
        "kkmeans": methods.batch_to_the_limit(kernel, shape.k, starts),
    }
    with warnings.catch_warnings():
        # Two of the draft's metrics are not of negative type, and the defaults say so.
        warnings.simplefilter("ignore", TheoryWarning)
        return _accuracies(y, found | _others(shape, X, rng))


def _others(shape: Shape, X: Float64Array, rng: np.random.Generator) -> dict[str, IntArray]:
    return {
        "kmeans": shape.k_means(X, rng),
        "gmm": shape.mixture(X, rng),
        "default": methods.default(X, shape.k, rng),
        "default_metric": methods.default(X, shape.k, rng, shape.metrics[shape.best]),
    }


def _accuracies(y: IntArray, labels: Mapping[str, IntArray]) -> Scores:
    return {key: {"accuracy": clustering_accuracy(y, found)} for key, found in labels.items()}


def as_classes(y: IntArray, labels: IntArray) -> IntArray:
    """Clusters by the numbers of the classes that they match best, and those left over behind."""
    counts = contingency(y, labels)
    classes, clusters = linear_sum_assignment(counts, maximize=True)
    is_left = np.ones(counts.shape[1], np.bool_)
    is_left[clusters] = False
    names = len(counts) - 1 + np.cumsum(is_left)
    names[clusters] = classes
    return np.asarray(names[labels], np.int64)


def draw_table(outcome: Outcome) -> Any:
    """The three sets as k-groups divides them, and the numbers of Table 1."""
    legend = "bars: standard errors; open marks: published; orange: kgroups' defaults"
    return _draw(outcome, "error", legend)


def draw_draft(outcome: Outcome) -> Any:
    """The three sets, and mean, least and best accuracy of all runs."""
    return _draw(
        outcome,
        "range",
        "bars: from the least run to the best; open marks: published; orange: kgroups' defaults",
    )


def _draw(outcome: Outcome, bars: Bars, legend: str) -> Any:
    shown = outcome.experiment.methods
    made, axes = grid(len(outcome.cases), len(shown))
    for column, case in enumerate(outcome.cases):
        shape, rng = case.parameters, outcome.rng(case.key)
        X, y = shape.draw(rng)
        labels = as_classes(y, shape.k_groups(X, rng)[0][shape.best])
        title = f"{case.key.capitalize()}: k-groups, {shape.symbol}"
        draw_points(axes[0, column], X, labels, title=title, wrong=labels != y)
        draw_dots(axes[1, column], outcome, case.key, shown, bars=bars, names=column == 0)
    made.supxlabel(legend, fontsize=SMALL, color="#666666")
    return made


def _metrics(scale: float) -> dict[str, Semimetric]:
    """The four metrics of Table 1."""
    return {
        "kgroups": Energy(),
        "kgroups_half": Energy(0.5),
        "kgroups_laplacian": Laplacian(scale),
        "kgroups_gaussian": Gaussian(scale),
    }


_CIGARS = Shape(
    draw=partial(cigars, 200),
    k=2,
    metrics=_metrics(2.0),
    best="kgroups_laplacian",
    symbol="ρ̃₂",
)
_TWO_CIRCLES = Shape(
    draw=partial(circles, (1.0, 3.0), 400, 0.2),
    k=2,
    metrics=_metrics(1.0),
    best="kgroups_gaussian",
    symbol="ρ̂₁",
    start="random",
)
_THREE_CIRCLES = Shape(
    draw=partial(circles, (1.0, 3.0, 5.0), 400, 0.2),
    k=3,
    metrics=_metrics(2.0),
    best="kgroups_gaussian",
    symbol="ρ̂₂",
    start="random",
)


ICML_TABLE_1 = Experiment(
    name="icml-table1",
    other_names=("icml-fig4",),
    title="Cigars, two circles and three circles with four metrics",
    source="[FRV-a] Table 1 and Fig. 4",
    about=(
        "Two cigars of 200 points each, or circles of 400 points each with noise .2; best of 5 "
        "starts, by k-means++ for the cigars and random for the circles, for k-means and GMM "
        "too; the length σ of ρ̃ and ρ̂ is 2, 1 for two circles. Spectral clustering, and the "
        "defaults with the best metric, take ρ̃ for the cigars and ρ̂ for the circles."
    ),
    cases=(
        Case(key="cigars", parameters=_CIGARS),
        Case(key="two circles", parameters=_TWO_CIRCLES),
        Case(key="three circles", parameters=_THREE_CIRCLES),
    ),
    methods=(
        Method(key="kgroups", title="kernel k-groups ρ₁"),
        Method(key="kgroups_half", title="kernel k-groups ρ½"),
        Method(key="kgroups_laplacian", title="kernel k-groups ρ̃"),
        Method(key="kgroups_gaussian", title="kernel k-groups ρ̂"),
        Method(key="spectral", title="spectral, rows times √degree", role=Role.INFERRED),
        Method(key="spectral_today", title="spectral, rows over √degree", role=Role.BEYOND),
        Method(key="kmeans", title="k-means"),
        Method(key="gmm", title="GMM"),
        Method(key="default", title="kgroups' defaults", role=Role.DEFAULT),
        Method(
            key="default_metric",
            title="kgroups' defaults, best metric",
            role=Role.DEFAULT,
            against={
                "cigars": "kgroups_laplacian",
                "two circles": "kgroups_gaussian",
                "three circles": "kgroups_gaussian",
            },
        ),
    ),
    run=run_table,
    draw=draw_table,
    n_runs=100,
    quick_runs=3,
    axis="shape",
    notes=(
        "Table 1 has 10 runs; we have more, which makes our error small relative to theirs.",
        "The radii 1, 3 and noise .2 of two circles, and 1, 3, 5 of three, are not in the paper: "
        "they are those of the authors' programs.",
        "Spectral clustering matches with rows times √degree, as scikit-learn once had them. For "
        "cigars the printed error, .014, was estimated from the ten runs themselves and is small: "
        "ours differ by .07 from run to run, so that means of ten have an error of .022. With this "
        "error the difference is 2.3 errors.",
        "None of these metrics separates three circles: the objective of the classes is below "
        "that of the clusters found.",
    ),
)


def _of_draft(
    name: str, draw: Callable[[np.random.Generator], Sample], metric: Semimetric, symbol: str
) -> Case:
    """Two clusters of the draft, each method the best of ten starts."""
    shape = Shape(draw=draw, k=2, metrics={"kgroups": metric}, best="kgroups", symbol=symbol,
                  n_starts=_STARTS_OF_DRAFT)  # fmt: skip
    return Case(key=name, parameters=shape)


DRAFT_FIG_4 = Experiment(
    name="draft-fig4",
    title="Cigars, circles and spirals with a metric made for each",
    source="[FRV-b] Fig. 4",
    about=(
        "Two cigars of 100 points each with ρ½; two circles of 150 points each, radii 1 and 3 and "
        "noise .1, with ρ = ‖x − y‖² exp(−‖x − y‖/2); two spirals ± t (cos t, sin t) of 150 points "
        "each, t from 0 to 4π in even steps and noise .15, with ρ = ‖x − y‖² θ sin(‖x − y‖/θ), "
        "θ = .9. Best of 10 starts by k-means++."
    ),
    cases=(
        _of_draft("cigars", partial(cigars, 100), Energy(0.5), "ρ½"),
        _of_draft("circles", partial(circles, (1.0, 3.0), 150, 0.1), DampedSquared(), "ρ damped"),
        _of_draft("spirals", partial(spirals, 150, 0.15), SineSquared(0.9), "ρ sine"),
    ),
    methods=(
        Method(key="kmeans", title="k-means"),
        Method(key="gmm", title="GMM"),
        Method(key="kkmeans", title="kernel k-means, all points at once", role=Role.INFERRED),
        Method(key="kgroups", title="kernel k-groups, metric made for it"),
        Method(key="default", title="kgroups' defaults", role=Role.DEFAULT),
        Method(key="default_metric", title="kgroups' defaults, same metric", role=Role.DEFAULT),
    ),
    run=run_draft,
    draw=draw_draft,
    n_runs=100,
    quick_runs=3,
    axis="shape",
    notes=(
        "The draft has a picture and no numbers. The numbers, the noise, the arms of the spirals "
        "and the number of starts are those of the authors' programs and results, which are "
        "public.",
        "They ran each method ten times on each of ten samples. The errors of spirals are those of "
        "the ten samples' means; others are taken from the spread of our runs. For circles .9953 "
        "and .9969 are one run of a hundred that stopped at .53 and at .69, if all others were "
        "right, and their errors are for that; one of our runs stopped likewise.",
        "With the sine metric batch kernel k-means does not settle: labels repeat in a cycle, and "
        "where they are after the last of 300 sweeps decides. It is nearer to the "
        "classes than k-groups only in runs that end at a small Q: Q of the classes is below that "
        "of k-groups' clusters, so that no search for the largest Q finds the spirals.",
        "Neither the damped nor the sine semimetric is of negative type in general. KernelKGroups "
        "warns of that; Hartigan's method works all the same.",
    ),
)

PUBLISHED: tuple[Experiment, ...] = (ICML_TABLE_1,)
DRAFT: tuple[Experiment, ...] = (DRAFT_FIG_4,)
