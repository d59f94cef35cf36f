"""W estimated from the distances within a sample, where all pairs would take too long."""

from typing import Any, NamedTuple

import numpy as np

from kgroups.gram.matrix_free import MatrixFreeGram
from kgroups.input.rows import Rows
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.solvers.draws import drawn_by_potential
from kgroups.typing import Float64Array, IntArray

#: Rows from which W is estimated, in all and at least per cluster.
ROWS_FOR_W, LEAST_FOR_W = 20_000, 64


class Dispersion(NamedTuple):
    """W and the dispersion of everything as one cluster, S + W."""

    by_cluster: Float64Array
    total: float

    @property
    def within(self) -> float:
        """W, the sum over the clusters."""
        return float(self.by_cluster.sum())


def estimated_dispersion(
    rows: Rows,
    semimetric: Semimetric,
    labels: IntArray,
    weights: Float64Array,
    k: int,
    rng: np.random.Generator,
    n_threads: int,
    n_drawn: int = ROWS_FOR_W,
) -> Dispersion:
    """W and S + W from distances within a sample, drawn cluster by cluster; without bias.

    Rows are drawn with probability proportional to their weight; the mean over pairs of draws
    estimates that over a cluster. The error of both is about W times the relative spread of
    distances over √(rows drawn).
    """
    index, share = _drawn(labels, weights, k, rng, n_drawn)
    full = np.asarray(np.bincount(labels, weights=weights, minlength=k), np.float64)
    count = np.bincount(labels[weights > 0], minlength=k)
    return dispersion_of_sample(
        rows.take(index), semimetric, labels[index], share, full, count, n_threads=n_threads
    )


def dispersion_of_sample(
    rows: Any,
    semimetric: Semimetric,
    own: IntArray,
    share: Float64Array,
    full: Float64Array,
    count: IntArray,
    *,
    n_threads: int,
) -> Dispersion:
    """W and S + W from rows of a sample, their clusters and their shares in these.

    ``full`` and ``count`` are the weight of each cluster and the number of its members with weight.
    O(m² D) for m rows.
    """
    k = len(full)
    gram = MatrixFreeGram.from_points(rows, semimetric, n_threads=n_threads)
    table = gram.running_sums(own, share, k).block(0, len(own))
    # mean[a, b] = Σ_{x ∈ a, y ∈ b} p_x p_y ρ(x, y) with p the shares within each cluster
    mean = -2.0 * np.array([np.bincount(own, weights=share * row, minlength=k) for row in table])
    apart = 1.0 - np.bincount(own, weights=share**2, minlength=k)
    # Of a cluster that was drawn from, the draws that are compared with themselves do not count.
    complete = np.bincount(own, minlength=k) == count
    factor = np.divide(1.0, apart, out=np.ones(k), where=~complete & (apart > 0))
    mean[np.diag_indices(k)] *= factor
    T = np.asarray(np.outer(full, full) * mean, np.float64)
    within = np.asarray(0.5 * full * np.diagonal(mean), np.float64)
    return Dispersion(within, float(T.sum() / (2 * full.sum())))


def _drawn(
    labels: IntArray, weights: Float64Array, k: int, rng: np.random.Generator, n_drawn: int
) -> tuple[IntArray, Float64Array]:
    """Points of each cluster and their shares in it: all, or draws by weight with replacement."""
    alive = np.flatnonzero(weights > 0)
    order = alive[np.argsort(labels[alive], kind="stable")]
    part = min(1.0, n_drawn / len(alive))
    index, share = [np.empty(0, np.int64)], [np.empty(0)]
    for members in np.split(order, np.cumsum(np.bincount(labels[alive], minlength=k))[:-1]):
        size, w = max(LEAST_FOR_W, int(part * len(members))), weights[members]
        if size >= len(members):
            index.append(members)
            share.append(w / w.sum() if len(w) else w)
        else:
            index.append(members[np.sort(drawn_by_potential(w, size, rng))])
            share.append(np.full(size, 1.0 / size))
    return np.concatenate(index), np.concatenate(share)
