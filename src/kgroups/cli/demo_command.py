"""``kgroups demo``: three methods on real data with known classes, as a table and a picture."""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from kgroups.cli.column_scales import standardized
from kgroups.cli.console import Console, say, show
from kgroups.cli.recording import command_line
from kgroups.cli.whole_files import (
    check_writable,
    has_matplotlib,
    require_matplotlib,
    saved,
    write_whole,
)
from kgroups.estimators import KernelKGroups
from kgroups.layout import Command, Table
from kgroups.metrics import clustering_accuracy, contingency
from kgroups.plots import PartitionDisplay
from kgroups.report import label_scores, versions
from kgroups.semimetrics import Energy
from kgroups.solvers.objective import objective
from kgroups.typing import Float64Array, IntArray
from kgroups.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PICTURE = Path("kgroups-demo.png")
_DRAWN = "wine"
_NEXT = "kgroups cluster your-data.csv -k 3 --standardize -o labels.csv --plot clusters.png"


@dataclass(frozen=True)
class Data:
    """A table with known classes."""

    name: str
    X: Float64Array
    y: IntArray
    n_clusters: int


@dataclass(frozen=True)
class Outcome:
    """The result of one method on one data set; W uses the energy metric for every method."""

    data: str
    n_samples: int
    n_features: int
    n_clusters: int
    method: str
    accuracy: float
    nmi: float
    within_dispersion: float
    seconds: float


def demo(options: Namespace, console: Console) -> None:
    """Run ``kgroups demo``; without matplotlib it prints the table only."""
    if options.output is not None:
        require_matplotlib("-o")
    picture = (options.output or _PICTURE) if has_matplotlib() else None
    if picture is not None:
        check_writable(picture, "-o")
    with console.status_after(1.0, "compiling (a few seconds, first run only)"):
        warm_up()
    outcomes = []
    for data in data_sets():
        console.status(f"clustering {data.name}")
        found = {name: _timed(method, data) for name, method in METHODS.items()}
        outcomes += _judged(data, found)
        if picture is not None and data.name == _DRAWN:
            figure = comparison(data, {name: labels for name, (labels, _) in found.items()})
            write_whole(picture, saved(figure, picture.suffix))
    console.clear()
    if options.json:
        say(json.dumps(_as_dict(outcomes, picture, options), allow_nan=False))
    else:
        _print(outcomes, picture)


def data_sets() -> list[Data]:
    """Four data sets, standardized except for digits, whose pixels share one scale."""
    loaders: dict[str, Callable[..., Any]] = {
        "iris": load_iris,
        "wine": load_wine,
        "breast cancer": load_breast_cancer,
        "digits": load_digits,
    }
    read = {name: load(return_X_y=True) for name, load in loaders.items()}
    return [
        Data(name, X if name == "digits" else standardized(X)[0], y, len(np.unique(y)))
        for name, (X, y) in read.items()
    ]


def k_groups(data: Data) -> IntArray:
    """The default of kgroups: ρ(x, y) = ‖x − y‖."""
    model = KernelKGroups(data.n_clusters, random_state=0, n_jobs=1)
    return np.asarray(model.fit_predict(data.X))


def k_means(data: Data) -> IntArray:
    """Lloyd's algorithm on squared distances."""
    return np.asarray(KMeans(data.n_clusters, n_init=10, random_state=0).fit_predict(data.X))


def mixture(data: Data) -> IntArray:
    """A Gaussian mixture, with full covariance matrices if the data determine them."""
    # 180 images of 64 pixels, some always blank, do not determine a full covariance matrix.
    shape = {"covariance_type": "diag", "reg_covar": 0.1} if data.name == "digits" else {}
    model = GaussianMixture(data.n_clusters, init_params="kmeans", random_state=0, **shape)
    return np.asarray(model.fit_predict(data.X))


METHODS: dict[str, Callable[[Data], IntArray]] = {
    "k-groups": k_groups,
    "k-means": k_means,
    "mixture": mixture,
}


def warm_up() -> None:
    """Compile what will be timed: searches side by side, and distances in few and many columns."""
    for n_columns in (2, 64):
        points = np.random.default_rng(0).standard_normal((1_000, n_columns))
        KernelKGroups(3, n_init=4, random_state=0).fit(points)


def within_dispersion(X: Float64Array, labels: IntArray, k: int) -> float:
    """W of any labels with the energy metric: −Q of G = −ρ/2, whose diagonal is zero."""
    G = -0.5 * np.asarray(Energy().pairwise(X), np.float64)
    return -objective(G, labels, np.ones(len(X)), k)


def _timed(method: Callable[[Data], IntArray], data: Data) -> tuple[IntArray, float]:
    # One thread for each method: on tables this small, threads of OpenMP and BLAS spend more time
    # waiting for each other than computing.
    with threadpool_limits(1):
        begun = time.perf_counter()
        labels = method(data)
        return labels, time.perf_counter() - begun


def _judged(data: Data, found: dict[str, tuple[IntArray, float]]) -> list[Outcome]:
    scores = {method: label_scores(data.y, labels) for method, (labels, _) in found.items()}
    return [
        Outcome(
            data=data.name,
            n_samples=data.X.shape[0],
            n_features=data.X.shape[1],
            n_clusters=data.n_clusters,
            method=method,
            accuracy=scores[method].accuracy,
            nmi=scores[method].nmi,
            within_dispersion=within_dispersion(data.X, labels, data.n_clusters),
            seconds=seconds,
        )
        for method, (labels, seconds) in found.items()
    ]


def comparison(data: Data, partitions: dict[str, IntArray]) -> Figure:
    """A figure with the known classes and each partition in the same two principal components."""
    from matplotlib.figure import Figure

    pca = PCA(2, random_state=0)
    coordinates = pca.fit_transform(data.X)
    shares = pca.explained_variance_ratio_
    axis_labels = [f"principal component {c + 1}, {shares[c]:.0%} of variance" for c in range(2)]
    figure = Figure(figsize=(11, 8.5), layout="constrained")
    panels = {"known classes": data.y} | {
        f"{method}: accuracy {clustering_accuracy(data.y, labels):.1%}": matched(data.y, labels)
        for method, labels in partitions.items()
    }
    for ax, (title, labels) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
        PartitionDisplay(
            coordinates=coordinates,
            labels=labels,
            sizes=np.bincount(labels),
            axis_labels=(axis_labels[0], axis_labels[1]),
        ).plot(ax)
        _ring(ax, coordinates[labels != data.y])
        ax.set_title(title, loc="left")
    figure.suptitle(f"{data.name.capitalize()}: points outside their known class are ringed")
    return figure


def _ring(ax: Axes, points: Float64Array) -> None:
    x, y = points.T
    ax.scatter(x, y, s=90, facecolors="none", edgecolors="#222222", linewidths=1.2)


def matched(y: IntArray, labels: IntArray) -> IntArray:
    """The labels renamed to agree with the known classes as often as possible, so colors match."""
    classes, clusters = linear_sum_assignment(contingency(y, labels), maximize=True)
    return np.asarray(classes[np.argsort(clusters)][labels])


def _as_dict(outcomes: list[Outcome], picture: Path | None, options: Namespace) -> dict[str, Any]:
    return {
        "schema": "kgroups.demo/1",
        "kgroups_version": __version__,
        "versions": versions(),
        "command": command_line(options),
        "about": " ".join(_LEGEND),
        "results": [asdict(outcome) for outcome in outcomes],
        "picture": None if picture is None else str(picture),
    }


def _print(outcomes: list[Outcome], picture: Path | None) -> None:
    if picture is None:
        drawn = 'No picture, because matplotlib is missing: pip install "kgroups[plot]"'
    else:
        drawn = f"Picture of the {_DRAWN} clusters written to {picture}."
    show([_table(outcomes)], [*_LEGEND, drawn, Command(_NEXT, "Next, try your own data:")])


_LEGEND = (
    "n rows, D columns, k clusters. Accuracy and NMI compare with the known classes.",
    "W: spread within clusters, with the energy metric for every method; lower is tighter.",
    "Seconds on one thread, with the usual number of starts: k-groups 16 to 40, k-means 10, "
    "Gaussian mixture 1 (from k-means).",
    "Columns are standardized, except the pixels of digits.",
)


def _table(outcomes: list[Outcome]) -> Table:
    head = ["data", "n", "D", "k", "method", "accuracy", "NMI", "W", "seconds"]
    return Table([head, *(_cells(outcome) for outcome in outcomes)], left=[0, 4], keys=[0, 4])


def _cells(outcome: Outcome) -> list[str]:
    sizes = (outcome.n_samples, outcome.n_features, outcome.n_clusters)
    return [
        outcome.data,
        *(f"{size:,}" for size in sizes),
        outcome.method,
        f"{outcome.accuracy:.3f}",
        f"{outcome.nmi:.3f}",
        f"{outcome.within_dispersion:.2f}",
        f"{outcome.seconds:.2f}",
    ]
