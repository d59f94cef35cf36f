"""The picture of ``kgroups demo``: partitions of one table next to its known classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.decomposition import PCA

from kgroups.metrics import clustering_accuracy, contingency
from kgroups.plots import PartitionDisplay
from kgroups.typing import Float64Array, IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def comparison(name: str, X: Float64Array, y: IntArray, partitions: dict[str, IntArray]) -> Figure:
    """A figure with the known classes and each partition in the same two principal components."""
    from matplotlib.figure import Figure

    pca = PCA(2, random_state=0)
    coordinates = pca.fit_transform(X)
    shares = pca.explained_variance_ratio_
    axis_labels = [f"principal component {c + 1}, {shares[c]:.0%} of variance" for c in range(2)]
    figure = Figure(figsize=(11, 8.5), layout="constrained")
    panels = {"known classes": y} | {
        f"{method}: accuracy {clustering_accuracy(y, labels):.1%}": matched(y, labels)
        for method, labels in partitions.items()
    }
    for ax, (title, labels) in zip(figure.subplots(2, 2).flat, panels.items(), strict=True):
        PartitionDisplay(
            coordinates=coordinates,
            labels=labels,
            sizes=np.bincount(labels),
            axis_labels=(axis_labels[0], axis_labels[1]),
        ).plot(ax)
        _ring(ax, coordinates[labels != y])
        ax.set_title(title, loc="left")
    figure.suptitle(f"{name.capitalize()}: points outside their known class are ringed")
    return figure


def _ring(ax: Axes, points: Float64Array) -> None:
    x, y = points.T
    ax.scatter(x, y, s=90, facecolors="none", edgecolors="#222222", linewidths=1.2)


def matched(y: IntArray, labels: IntArray) -> IntArray:
    """The labels renamed to agree with the known classes as often as possible, so colors match."""
    classes, clusters = linear_sum_assignment(contingency(y, labels), maximize=True)
    return np.asarray(classes[np.argsort(clusters)][labels])
