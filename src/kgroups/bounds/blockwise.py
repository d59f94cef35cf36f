"""The spectral bound for many points, as a sum of bounds for a few hundred points each."""

from contextlib import suppress
from typing import cast

import numpy as np

from kgroups.input.matrices import check_made_distances
from kgroups.input.rows import is_table, n_rows, take
from kgroups.input.spaces import Space
from kgroups.runtime.blas import one_thread_a_product
from kgroups.runtime.eigenpairs import eigenpairs_by_division, eigenvalues
from kgroups.runtime.memory import require
from kgroups.runtime.scaling import power_of_two
from kgroups.runtime.threads import at_most, default_threads, run
from kgroups.semimetrics.finite import check_finite_distances
from kgroups.semimetrics.semimetric import Semimetric
from kgroups.typing import Data, Float64Array, IntArray

# Beyond this many points a few products with the n × n matrix take longer than a fit.
_EXACT_UP_TO = 2_000
# Points of a block: √(12n), but at least 10 per cluster.
_FOR_ROOT, _PER_CLUSTER = 12, 10
# Fewer blocks than this save little time.
_FEW_BLOCKS = 4
# Columns in addition to 1.5 per eigenvalue; from this share of all columns on, a full
# decomposition is faster.
_SPARE, _MANY = 10, 0.2
# Candidates for t − β, as shares of the largest eigenvalue.
_ROOM = np.geomspace(1e-6, 1.0, 25)
# Share of the trace that is added to t, so that rounding does not invalidate the proof.
_MARGIN = 1e-12
_EPS = float(np.finfo(np.float64).eps)


def is_in_blocks(asked: str, space: Space, data: Data, k: int) -> bool:
    """Whether the blockwise bound is requested, by its name or by "auto" if it saves time.

    Raises ValueError if it is requested by name but may not hold, because it requires points with a
    semimetric of negative type.
    """
    holds = space.semimetric is not None and space.semimetric.is_negative_type
    if asked == "blockwise" and not holds:
        raise ValueError(
            "A blockwise bound needs points with a metric known to be of negative type, such as "
            '"energy"; use the spectral bound for this input.'
        )
    return asked == "blockwise" or (asked == "auto" and holds and blocks_save_time(n_rows(data), k))


def blocks_save_time(n: int, k: int) -> bool:
    """Whether n points are so many that blocks save time; one cluster needs no eigenvalue."""
    return k > 1 and n > _EXACT_UP_TO and n >= _block_size(n, k) * _FEW_BLOCKS


def blockwise(space: Space, data: Data, weights: Float64Array, k: int) -> tuple[float, float]:
    r"""A lower bound on W of every partition, as a sum of spectral bounds.

    Split the points into blocks in any way. The points of a cluster in one block spread less around
    their own mean than around the mean of the cluster, so that

    .. math:: W(C_1, …, C_k) ≥ \sum_b W(C_1 ∩ b, …, C_k ∩ b) ≥ \sum_b B_b

    with the spectral bound B_b for the points of block b. Random blocks of m points are like the
    whole except for sampling: the bound loses 1/m of W and the overfit of k − 1 eigenvectors. It is
    returned with the rounding error of W itself, both in the units of the input.
    O(nm(D + m)) time, O(m²) memory per thread.
    """
    alive = np.flatnonzero(weights > 0)
    n = len(alive)
    size, n_threads = _block_size(n, k), default_threads()
    count = max(1, n // size)
    require(
        4 * 8 * n_threads * (n // count + 1) ** 2,
        what=f"Blocks of {n // count:,} points",
        instead="Ask for fewer clusters or bound a sample of the rows.",
    )
    order = np.random.default_rng(0).permutation(alive)
    unit = power_of_two(weights.max())
    semimetric = cast(Semimetric, space.semimetric)  # is_in_blocks has checked that there is one

    def bound(block: IntArray) -> tuple[float, float]:
        """The bound for one block and its rounding error."""
        A, rounding = _centered(semimetric, take(data, block), weights[block] / unit)
        least = A.trace() - _largest_sum(A, k - 1) - k * rounding if k < len(A) else 0.0
        return max(0.0, unit * least), unit * rounding

    with one_thread_a_product():
        found = list(run(bound, np.array_split(order, count), n_threads))
    value, rounding = np.sum(found, axis=0).tolist()
    return value, rounding


def _centered(
    semimetric: Semimetric, points: Data, weights: Float64Array
) -> tuple[Float64Array, float]:
    """The centered matrix of some points, and the rounding error of its trace."""
    if is_table(points):
        points = np.asarray(points, np.float64)
    with at_most(1):
        A = np.array(semimetric.pairwise(points), np.float64)  # changed in place below
    if not semimetric.is_symmetric_by_construction:
        check_made_distances(A, semimetric)
    share = weights / weights.sum()
    mean = A @ share
    check_finite_distances(mean)
    A -= mean
    A -= (mean - share @ mean)[:, None]
    A *= np.sqrt(weights)
    A *= -0.5 * np.sqrt(weights)[:, None]
    return A, (len(A) + 16) * _EPS * float(weights @ mean)


def _block_size(n: int, k: int) -> int:
    return max(int(np.sqrt(_FOR_ROOT * n)), _PER_CLUSTER * k)


def _largest_sum(A: Float64Array, count: int) -> float:
    r"""An upper bound on the sum of the largest eigenvalues of a semidefinite A, scaled in place.

    The sum is at most count · t + ‖L‖² for any t and L with A ⪯ tI + LL', which a Cholesky
    factorization of the difference proves; if it fails, all eigenvalues are computed. L is Ul with
    Ritz vectors U, Ritz values θ and residuals E = AU − UΘ. In a basis that begins with U

    .. math:: tI + LL' - A = \begin{pmatrix} t + l^2 - Θ & -E' \\ -E & t - B \end{pmatrix} ⪰ 0
              \quad\text{if}\quad l^2 ⪰ Θ - t + E'E / (t - β), \quad β ≥ \|B\| .
    """
    scale, m, columns = float(A.trace()), len(A), count + count // 2 + _SPARE
    if count == 0 or not scale > 0:
        return 0.0
    A /= scale
    if columns <= _MANY * m:
        start = np.random.default_rng(0).standard_normal((m, columns))
        basis = np.linalg.qr(A @ (A @ start))[0]
        image = A @ basis
        values, vectors = eigenpairs_by_division(basis.T @ image)
        U = basis @ vectors
        residual = image @ vectors - U * values
        mixed = np.abs(residual.T @ residual).sum(axis=1)  # as a diagonal, at least E'E
        beta = (values[0] + values[-count]) / 2  # a guess
        t = beta + values[-1] * _ROOM
        t = np.append(t, values[values > t[0]])[:, None]
        squared_l = np.maximum(values - t + mixed / (t - beta), 0.0)
        sums = count * t[:, 0] + squared_l.sum(axis=1)
        best = int(np.argmin(sums))
        L = U * np.sqrt(squared_l[best])
        room = L @ L.T
        room -= A
        room.flat[:: m + 1] += t[best] + _MARGIN
        with suppress(np.linalg.LinAlgError):
            np.linalg.cholesky(room)
            return scale * float(sums[best] + count * _MARGIN)
    return scale * float(eigenvalues(A)[-count:].sum())
