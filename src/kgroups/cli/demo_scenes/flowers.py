"""Where others win: clusters that are elongated in different directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from kgroups.cli.demo_scenes.scene import KGROUPS, Played, Problem, judged
from kgroups.estimators import KernelKGroups
from kgroups.metrics import contingency
from kgroups.typing import IntArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DATA = "iris"
_CLUSTERS = 3
_LESSON = (
    "Iris: 150 flowers of three species, columns standardized. The Gaussian mixture wins, because "
    "two of the species are elongated and touch along their long sides: it fits the shape of each "
    "cluster, kgroups and k-means do not. Use a mixture for such data."
)


def prepare() -> None:
    """Load what will be timed."""
    k_groups(problem().X)


def play() -> Played:
    """The methods on the measured flowers."""
    given = problem()
    methods = {KGROUPS: k_groups, "k-means": k_means, "Gaussian mixture": mixture}
    outcomes, labels = judged(_DATA, [given], methods)
    shown = {
        "plane": PCA(2, random_state=0).fit_transform(given.X),
        "labels": matched(given.y, labels[KGROUPS]),
        "mixture": matched(given.y, labels["Gaussian mixture"]),
        "y": given.y,
    }
    return Played(outcomes, _LESSON, shown=shown)


def problem() -> Problem:
    """Fisher's iris data, each column divided by its standard deviation."""
    X, y = load_iris(return_X_y=True)
    return Problem(StandardScaler().fit_transform(X), y)


def k_groups(X: Any) -> IntArray:
    """The default of kgroups."""
    return np.asarray(KernelKGroups(_CLUSTERS, random_state=0, n_jobs=1).fit_predict(X))


def k_means(X: Any) -> IntArray:
    """Ten starts, the best kept."""
    return np.asarray(KMeans(_CLUSTERS, n_init=10, random_state=0).fit_predict(X))


def mixture(X: Any) -> IntArray:
    """Ten starts from k-means, one full covariance matrix per species."""
    model = GaussianMixture(_CLUSTERS, n_init=10, random_state=0)
    return np.asarray(model.fit_predict(X))


def matched(y: IntArray, labels: IntArray) -> IntArray:
    """The labels renamed to agree with the known classes as often as possible, so colors match."""
    from scipy.optimize import linear_sum_assignment

    classes, clusters = linear_sum_assignment(contingency(y, labels), maximize=True)
    return np.asarray(classes[np.argsort(clusters)][labels])


def draw(ax: Axes, played: Played) -> None:
    """The clusters of kgroups in a plane, with flowers outside their species ringed."""
    from kgroups.plots.style import INK, cluster_colors, tidy

    plane, labels, theirs, y = (played.shown[key] for key in ("plane", "labels", "mixture", "y"))
    ax.scatter(plane[:, 0], plane[:, 1], s=16, c=cluster_colors(_CLUSTERS)[labels], linewidths=0)
    ringed = plane[labels != y]
    ax.scatter(ringed[:, 0], ringed[:, 1], s=50, facecolors="none", edgecolors=INK, linewidths=0.8)
    wrong, fewer = np.count_nonzero(labels != y), np.count_nonzero(theirs != y)
    title = f"Iris: {wrong} ringed flowers are wrong; of the mixture {fewer}"
    tidy(ax, title=title, x="principal component 1", y="principal component 2")
