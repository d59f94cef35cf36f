"""The methods that the papers compare, as their experiments ran them.

Each gives labels. All randomness comes from the generator, and one thread does the work.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.manifold import spectral_embedding
from sklearn.metrics import pairwise_distances_argmin
from sklearn.mixture import GaussianMixture

from kgroups import KernelKGroups
from kgroups.gram import DenseGram
from kgroups.semimetrics import Energy, Semimetric
from kgroups.solvers import Hartigan, Lloyd, OnlineLloyd, Problem, Solver
from kgroups.typing import Float64Array, IntArray

#: Restarts of the published experiments, unless they say otherwise.
RESTARTS = 5
#: Both conventions of spectral clustering.
SPECTRAL = ("spectral", "spectral_today")

#: Algorithm 1 as its lines 12 and 13 are printed, with the term that they lack, and all at once.
PRINTED = OnlineLloyd(max_iter=300, as_printed=True)
ONLINE = OnlineLloyd(max_iter=300)
BATCH = Lloyd(max_iter=300)
K_GROUPS = Hartigan()


def seed(rng: Generator) -> int:
    """A seed for programs that take no generator."""
    return int(rng.integers(2**31 - 1))


def k_means(
    X: Float64Array, k: int, rng: Generator, n_init: int = RESTARTS, init: str = "k-means++"
) -> IntArray:
    """scikit-learn's, the best of ``n_init`` starts."""
    model = KMeans(k, init=init, n_init=n_init, random_state=seed(rng))
    return np.asarray(model.fit_predict(X), np.int64)


def gaussian_mixture(
    X: Float64Array, k: int, rng: Generator, n_init: int = RESTARTS, init: str = "kmeans"
) -> IntArray:
    """EM with full covariances, started from the labels of k-means or as ``init`` says."""
    model = GaussianMixture(k, n_init=n_init, init_params=init, random_state=seed(rng))
    return np.asarray(model.fit_predict(X), np.int64)


def gram(X: Float64Array, metric: Semimetric) -> Float64Array:
    """The Gram matrix that a semimetric generates with its origin at x₀ = 0 [FRV eq. 7].

    Labels by k-groups do not depend on x₀, those by Algorithm 1 as printed do.
    """
    to_origin = metric.pairwise(X, np.zeros((1, X.shape[1])))[:, 0]
    return np.asarray(0.5 * (to_origin[:, None] + to_origin - metric.pairwise(X)))


def search(
    G: Float64Array, k: int, starts: Sequence[IntArray], solver: Solver = K_GROUPS
) -> IntArray:
    """Kernel k-groups [FRV Algorithm 2], or another: the largest Q reached from the starts."""
    problem = Problem(DenseGram(G), np.ones(len(G)), k)
    reached = (solver.solve(problem, start) for start in starts)
    return max(reached, key=lambda partition: partition.objective).labels


def batch_to_the_limit(G: Float64Array, k: int, starts: Sequence[IntArray]) -> IntArray:
    """Batch kernel k-means as the draft's program ran it: the largest Q reached from the starts.

    Where the kernel is indefinite labels may repeat in a cycle: those after 300 sweeps count.
    """
    reached = []
    for start in starts:
        nearest = start
        for _ in range(301):
            labels = nearest
            member = np.eye(k)[labels]
            sums, sizes = G @ member, member.sum(axis=0)
            values = (member * sums).sum(axis=0) / np.maximum(sizes, 1.0)
            # ‖φ(x) − μ_j‖² without K(x, x); no point is near an empty cluster.
            with np.errstate(divide="ignore", invalid="ignore"):
                distances = np.where(sizes > 0, (values - 2 * sums) / sizes, np.inf)
            nearest = distances.argmin(axis=1)
            if np.array_equal(nearest, labels):
                break
        reached.append((float(values.sum()), labels))
    return max(reached, key=lambda pair: pair[0])[1]


def plus_plus(X: Float64Array, k: int, rng: Generator, count: int = RESTARTS) -> list[IntArray]:
    """Starts of the published experiments: k-means++ by squared Euclidean distance.

    One candidate for each center, and each point in the cluster of its nearest center, whatever
    kernel is used afterward.
    """
    starts = []
    for _ in range(count):
        centers, _ = kmeans_plusplus(X, k, random_state=seed(rng), n_local_trials=1)
        starts.append(np.asarray(pairwise_distances_argmin(X, centers), np.int64))
    return starts


def spectral_rows(affinity: Float64Array, k: int, rng: Generator) -> list[Float64Array]:
    """What spectral clustering gives to k-means, as scikit-learn had it earlier and has it now.

    The k lowest eigenvectors of the normalized Laplacian, whose rows earlier versions multiplied by
    the root of the degree and later ones divide by it.
    """
    with warnings.catch_warnings():
        # The kernel may be 0 between a row of zeros and all others.
        warnings.filterwarnings("ignore", "Graph is not fully connected", UserWarning)
        settings = {"n_components": k, "drop_first": False, "random_state": seed(rng)}
        over = spectral_embedding(affinity, **settings)
    # The Laplacian ignores loops.
    degree = affinity.sum(axis=1) - affinity.diagonal()
    return [over * degree[:, None], over]


def compare(
    X: Float64Array,
    k: int,
    G: Float64Array,
    starts: Sequence[IntArray],
    rng: Generator,
    n_init: int = RESTARTS,
    names: Sequence[str] = SPECTRAL,
) -> dict[str, IntArray]:
    """Labels by k-groups and what it is compared with; ``names`` are those of both spectral."""
    rows = spectral_rows(G, k, rng) if names else ()
    of_rows = [k_means(found, k, rng, n_init=10) for found in rows]
    return {
        **dict(zip(names, of_rows, strict=True)),
        "kmeans": k_means(X, k, rng, n_init),
        "gmm": gaussian_mixture(X, k, rng, n_init),
        "kkmeans": search(G, k, starts, PRINTED),
        "kkmeans_online": search(G, k, starts, ONLINE),
        "kgroups": search(G, k, starts),
    }


def default(X: Float64Array, k: int, rng: Generator, metric: Semimetric | None = None) -> IntArray:
    """What ``KernelKGroups(k).fit(X)`` gives a user, with another metric where one is named."""
    model = KernelKGroups(k, metric=metric or Energy(), random_state=seed(rng), n_jobs=1)
    return np.asarray(model.fit(X).labels_, np.int64)
