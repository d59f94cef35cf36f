"""Groups with heavy tails: a few rows lie very far out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from kgroups.cli.demo_scenes.scene import KGROUPS, Played, Problem, judged
from kgroups.estimators import KernelKGroups
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DATA = "heavy tails"
_CENTERS = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0]])
_COLUMNS, _FREEDOM, _SAMPLES, _SEEDS = 5, 2.0, 800, 5
_LESSON = (
    "Heavy tails: four groups in 5 columns with Student-t noise (2 degrees of freedom), so that "
    "some rows lie very far out. k-means and the mixture spend clusters on them, because squares "
    "of distances count most; kgroups counts distances, not squares."
)


def prepare() -> None:
    """Load what will be timed."""
    k_groups(problem(0).X)


def play() -> Played:
    """The methods on tables drawn with different seeds."""
    problems = [problem(seed) for seed in range(_SEEDS)]
    methods = {KGROUPS: k_groups, "k-means": k_means, "Gaussian mixture": mixture}
    outcomes, labels = judged(_DATA, problems, methods)
    X = problems[0].X
    centers = [X[labels["k-means"] == j, :2].mean(axis=0) for j in range(len(_CENTERS))]
    shown = {"X": X[:, :2], "labels": labels[KGROUPS], "centers": np.array(centers)}
    return Played(outcomes, _LESSON, shown=shown)


def problem(seed: int) -> Problem:
    """Rows around four centers that differ in the first two of five columns."""
    rng = np.random.default_rng(seed)
    y = np.arange(_SAMPLES) % len(_CENTERS)
    X = rng.standard_t(_FREEDOM, size=(_SAMPLES, _COLUMNS))
    X[:, :2] += _CENTERS[y]
    return Problem(X, y)


def k_groups(X: Any) -> IntArray:
    """The default of kgroups: distances, not their squares."""
    model = KernelKGroups(len(_CENTERS), random_state=0, n_jobs=1)
    return np.asarray(model.fit_predict(X))


def k_means(X: Any) -> IntArray:
    """Ten starts, the best kept."""
    return np.asarray(KMeans(len(_CENTERS), n_init=10, random_state=0).fit_predict(X))


def mixture(X: Any) -> IntArray:
    """One full covariance matrix per group, from k-means."""
    return np.asarray(GaussianMixture(len(_CENTERS), random_state=0).fit_predict(X))


def draw(ax: Axes, played: Played) -> None:
    """The first two columns, with the centers of k-means."""
    from kgroups.plots.style import INK, SMALL, cluster_colors, tidy

    X, labels, centers = (played.shown[key] for key in ("X", "labels", "centers"))
    low, high = np.quantile(X, [0.01, 0.99], axis=0) + np.array([[-1.0], [1.0]])
    ax.scatter(
        X[:, 0], X[:, 1], s=9, c=cluster_colors(len(_CENTERS))[labels], linewidths=0, alpha=0.8
    )
    is_out = np.any((centers < low) | (centers > high), axis=1)
    seen = np.clip(centers, low, high)
    ax.scatter(seen[:, 0], seen[:, 1], s=90, marker="X", c="white", edgecolors=INK,
               clip_on=False, zorder=3, label="centers of k-means")  # fmt: skip
    for x, y in centers[is_out]:
        told = f"center at ({x:.0f}, {y:.0f})"
        ax.annotate(told, np.clip((x, y), low, high), (8, 4), textcoords="offset points",
                    fontsize=SMALL)  # fmt: skip
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.legend(loc="upper right", fontsize=SMALL)
    tidy(ax, title="Heavy tails: four groups, and where k-means looks", x="column 1", y="column 2")
