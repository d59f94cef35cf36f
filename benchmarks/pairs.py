"""Sums of ||x - y||^alpha over pairs, written apart from the package: the judge and the yardstick.

Every pair is computed, by direct differences and without an n x n array. The columns stand in tiles
of 128, one row of the tile a dimension, so that the inner loop runs over pairs; two rows of X read
a tile together. Distances and the sum over a tile are in the type of X, the rest is in float64.
"""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from benchmarks.report import cores

TILE = 128
TOGETHER = 16  # rows that pass over a tile while it is near
PIECE = 256  # rows that a thread takes at once

jit = numba.njit(
    nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"}
)


def sums_of_distances(rows: np.ndarray, others: np.ndarray, alpha: float = 1.0) -> np.ndarray:
    """Sum over y in ``others`` of ||x - y||^alpha for each x in ``rows``, on all cores."""
    rows = np.ascontiguousarray(rows)
    tiles = _tiles(others)
    out = np.zeros(len(rows))

    def piece(start: int) -> None:
        stop = start + PIECE
        _add_sums(rows[start:stop], tiles, len(others), alpha, out[start:stop])

    with ThreadPoolExecutor(cores()) as pool:
        for _ in pool.map(piece, range(0, len(rows), PIECE)):
            pass
    return out


def _tiles(points: np.ndarray) -> np.ndarray:
    """The points as (tile, dimension, place in the tile), the last tile filled up with zeros."""
    n, n_features = points.shape
    filled = np.zeros((-(-n // TILE) * TILE, n_features), points.dtype)
    filled[:n] = points
    return np.ascontiguousarray(filled.reshape(-1, TILE, n_features).transpose(0, 2, 1))


@jit
def _add_sums(
    rows: np.ndarray, tiles: np.ndarray, n_others: int, alpha: float, out: np.ndarray
) -> None:
    n = rows.shape[0]
    first, second = np.empty(TILE, rows.dtype), np.empty(TILE, rows.dtype)
    for start in range(0, n, TOGETHER):
        stop = min(start + TOGETHER, n)
        for t in range(tiles.shape[0]):
            size = min(TILE, n_others - t * TILE)
            for i in range(start, stop, 2):
                j = min(i + 1, n - 1)
                _squared(rows[i], rows[j], tiles[t], first, second)
                out[i] += _sum_of_powers(first, size, alpha)
                if j > i:
                    out[j] += _sum_of_powers(second, size, alpha)


@jit
def _squared(
    x: np.ndarray, y: np.ndarray, tile: np.ndarray, first: np.ndarray, second: np.ndarray
) -> None:
    """Squared distances of x and of y to the points of a tile, four dimensions at a time."""
    first[:] = 0
    second[:] = 0
    fours = x.shape[0] - x.shape[0] % 4
    for d in range(0, fours, 4):
        x0, x1, x2, x3 = x[d], x[d + 1], x[d + 2], x[d + 3]
        y0, y1, y2, y3 = y[d], y[d + 1], y[d + 2], y[d + 3]
        for p in range(TILE):
            z0, z1, z2, z3 = tile[d, p], tile[d + 1, p], tile[d + 2, p], tile[d + 3, p]
            a, b, c, e = x0 - z0, x1 - z1, x2 - z2, x3 - z3
            first[p] += a * a + b * b + c * c + e * e
            a, b, c, e = y0 - z0, y1 - z1, y2 - z2, y3 - z3
            second[p] += a * a + b * b + c * c + e * e
    for d in range(fours, x.shape[0]):
        for p in range(TILE):
            first[p] += (x[d] - tile[d, p]) ** 2
            second[p] += (y[d] - tile[d, p]) ** 2


@jit
def _sum_of_powers(squared: np.ndarray, size: int, alpha: float) -> float:
    """Sum of t^(alpha/2) over the first ``size`` squared distances."""
    total = squared.dtype.type(0)
    if alpha == 1.0:
        for p in range(size):
            total += np.sqrt(squared[p])
    else:
        power = squared.dtype.type(alpha / 2)
        for p in range(size):
            total += squared[p] ** power
    return total
