"""The rows on which a sketch is made: landmarks, and the sample on which starts compete."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from kgroups.gram.low_rank import CHUNK
from kgroups.input.rows import Rows, n_rows, over_rows
from kgroups.runtime.threads import Executor, at_most
from kgroups.semimetrics.canonical_rows import is_sparse, row_key
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.solvers.draws import drawn_by_potential
from kgroups.typing import Float64Array, FloatArray, IntArray

# Rows on which starts compete: per cluster, at least, at most, and as a share of all rows.
_SAMPLE_A_CLUSTER = 100
_SAMPLE_LEAST, _SAMPLE_MOST = 2_000, 50_000
_SAMPLE_SHARE = 8


@dataclass(frozen=True, kw_only=True)
class Landmarks:
    """Which rows were drawn as landmarks, and how far every row is from the first of them."""

    index: IntArray
    #: Squared distance to the mean of the first half of the landmarks; ones where all are uniform.
    far: Float64Array


def drawn_landmarks(
    rows: Rows,
    semimetric: Semimetric,
    weights: Float64Array,
    m: int,
    how: str,
    rng: np.random.Generator,
    executor: Executor,
) -> Landmarks:
    """At most ``m`` rows that differ, drawn uniformly, or half of them by distance to the others.

    ``how="distant"`` draws the second half with probability proportional to w ρ to the nearest of
    the first (D² sampling), so that small groups far away have landmarks too. O(n m D).
    """
    alive = np.flatnonzero(weights > 0)
    all_uniform = how == "uniform" or m >= len(alive)
    wanted = m if all_uniform else max(1, m // 2)
    pool = _different(rows, uniform_landmarks(alive, 4 * m, rng))
    index = uniform_landmarks(pool, wanted, rng)
    if how == "uniform":
        return Landmarks(index=index, far=np.ones(rows.n_rows))
    nearest, far = distances_to(rows, rows.take(index), semimetric, executor)
    wanted = m - len(index)
    by_distance = np.unique(drawn_by_potential(weights * nearest, 2 * wanted, rng))
    more = uniform_landmarks(_different(rows, by_distance), wanted, rng)
    return Landmarks(index=np.union1d(index, more), far=far)


def uniform_landmarks(candidates: IntArray, m: int, rng: np.random.Generator) -> IntArray:
    """At most ``m`` candidates, drawn uniformly, in rising order."""
    return np.sort(rng.choice(candidates, size=min(m, len(candidates)), replace=False))


def _different(rows: Rows, index: IntArray) -> IntArray:
    """One of each set of equal rows of a table; objects are taken to differ."""
    if rows.n_columns is None:
        return index
    some = rows.take(index)
    if is_sparse(some):
        first_of = {row_key(some, row): row for row in reversed(range(len(index)))}
        return index[np.sort(np.fromiter(first_of.values(), np.int64))]
    _, first = np.unique(some, axis=0, return_index=True)
    return index[np.sort(first)]


def distances_to(
    rows: Rows, landmarks: Any, semimetric: Semimetric, executor: Executor
) -> tuple[Float64Array, Float64Array]:
    """ρ of each row to the nearest landmark, and its squared distance to the landmarks' mean.

    The latter is the mean of ρ to them, less half their own mean ρ. O(n m D).
    """
    nearest, far = np.empty(rows.n_rows), np.empty(rows.n_rows)
    with at_most(1), np.errstate(over="ignore"):
        spread = 0.5 * float(np.asarray(semimetric.pairwise(landmarks)).mean(dtype=np.float64))

    def distances(start: int, chunk: Any) -> tuple[slice, FloatArray, Float64Array]:
        """Both distances for some rows, and where these are."""
        # Overflow is noticed below.
        with at_most(1), np.errstate(over="ignore", invalid="ignore"):
            rho = np.asarray(semimetric.pairwise(chunk, landmarks))
            mean = rho.mean(axis=1, dtype=np.float64) - spread
        return slice(start, start + n_rows(chunk)), rho.min(axis=1), mean

    for some, least, mean in over_rows(distances, rows, CHUNK, executor):
        nearest[some], far[some] = least, mean
    check_finite_distances(far)
    return np.maximum(nearest, 0.0), np.maximum(far, 0.0)


def sample_size(n: int, k: int) -> int:
    """Rows on which the starts compete."""
    wanted = max(_SAMPLE_LEAST, _SAMPLE_A_CLUSTER * k, n // _SAMPLE_SHARE)
    return min(n, max(min(wanted, _SAMPLE_MOST), 20 * k))


def coreset(
    weights: Float64Array, far: Float64Array, size: int, rng: np.random.Generator, least: int = 1
) -> tuple[IntArray, Float64Array]:
    """Rows that represent all, and their weights: drawn half by weight, half by distance.

    Sums over the sample estimate sums over all without bias, and groups that are small but far away
    are represented. If weights are so uneven that fewer than ``least`` rows are drawn, the
    likeliest others join them and represent themselves. Source: Bachem, Lucic & Krause, KDD 2018,
    "lightweight coresets".
    """
    inertia = weights * far
    chance = 0.5 * weights / weights.sum()
    chance += 0.5 * inertia / inertia.sum() if inertia.sum() > 0 else chance
    index, count = np.unique(drawn_by_potential(chance, size, rng), return_counts=True)
    drawn = count * weights[index] / (size * chance[index])
    if len(index) >= least:
        return index, drawn
    others = np.setdiff1d(np.flatnonzero(weights > 0), index)
    more = others[np.argsort(-chance[others], kind="stable")][: least - len(index)]
    both = np.concatenate([index, more])
    order = np.argsort(both)
    return both[order], np.concatenate([drawn, weights[more]])[order]
