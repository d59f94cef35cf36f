"""Rows for Dask: twenty tables, their weights, and chunks in which a cluster may hold them.

Rows lie in an NPY file, and each chunk of a Dask array reads its own from there. So an array is
small, whatever its rows, and is made again wherever a worker was lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np

from kgroups.solvers.block_search import rows_at_once
from kgroups.typing import Float64Array, FloatArray, IntArray

#: How the rows of a Dask array may be split.
CHUNKS = ("even", "uneven", "one row", "empty", "unknown", "aligned")


class Data(NamedTuple):
    """A table: clusters with centers N(0, I) times a spread, and noise of a kind around them."""

    name: str
    n: int
    D: int
    k: int
    spread: float = 2.0
    kind: str = "normal"

    def make(self) -> Float64Array:
        """The rows."""
        rng = np.random.default_rng([self.n, self.D, self.k])
        centers = self.spread * rng.normal(size=(self.k, self.D))
        labels = rng.integers(self.k, size=self.n)
        noise = rng.standard_t(1.5, (self.n, self.D)) if self.kind == "heavy" else None
        rows = centers[labels] + (rng.normal(size=(self.n, self.D)) if noise is None else noise)
        return _CHANGED[self.kind](rows, rng)


def _outlying(rows: Float64Array, rng: np.random.Generator) -> Float64Array:
    rows[rng.integers(len(rows), size=3)] *= 1e9
    return rows


def _few_different(n: int) -> Callable[[Float64Array, np.random.Generator], Float64Array]:
    return lambda rows, rng: rows[rng.integers(n, size=len(rows))]


_CHANGED: dict[str, Callable[[Float64Array, np.random.Generator], Float64Array]] = {
    "normal": lambda rows, rng: rows,
    "heavy": lambda rows, rng: rows,
    "skewed": lambda rows, rng: np.exp(rows / 2),
    "lattice": lambda rows, rng: np.round(rows),
    "signs": lambda rows, rng: np.sign(rows),
    "300 different": _few_different(300),
    "50 different": _few_different(50),
    "far": lambda rows, rng: rows + 1e4,
    "tiny": lambda rows, rng: 1e-22 * rows,
    "outliers": _outlying,
}

#: The tables of the benchmark; the last three are gathered, one of them only just.
DATA = [
    Data("overlapping", 60_000, 2, 3, spread=1.0),
    Data("overlapping, 8 columns", 100_000, 8, 10, spread=1.0),
    Data("no clusters", 70_000, 4, 6, spread=0.0),
    Data("separate, 1 column", 51_000, 1, 5, spread=20.0),
    Data("separate", 80_000, 4, 20, spread=5.0),
    Data("heavy tails", 70_000, 3, 4, kind="heavy"),
    Data("heavy tails, 2 columns", 120_000, 2, 6, kind="heavy"),
    Data("skewed", 90_000, 6, 8, kind="skewed"),
    Data("lattice", 55_000, 2, 7, kind="lattice"),
    Data("signs", 65_537, 12, 6, kind="signs"),
    Data("three hundred different rows", 60_000, 5, 12, kind="300 different"),
    Data("fifty different rows", 51_000, 2, 40, kind="50 different"),
    Data("far from the origin", 75_000, 3, 5, kind="far"),
    Data("tiny numbers", 52_000, 2, 3, kind="tiny"),
    Data("outliers", 131_073, 5, 15, kind="outliers"),
    Data("sixty columns", 51_000, 60, 10),
    Data("many rows", 200_000, 2, 40, spread=4.0),
    Data("gathered, 50,000 rows", 50_000, 3, 4),
    Data("gathered, 20,000 rows", 20_000, 4, 6),
    Data("gathered, 3,000 rows", 3_000, 2, 2),
]


def weights_of(n: int) -> Float64Array:
    """Random weights, a tenth of them zero."""
    rng = np.random.default_rng(n)
    weights = rng.lognormal(size=n)
    weights[rng.random(n) < 0.1] = 0.0
    return weights


def lengths_of(chunks: str, n: int) -> tuple[int, ...]:
    """Rows of each chunk."""
    rng = np.random.default_rng([n, CHUNKS.index(chunks)])
    cuts: IntArray | list[int] = np.sort(rng.integers(n, size=6))
    if chunks in ("even", "unknown"):
        cuts = list(range(0, n, -(-n // 7)))[1:]
    if chunks == "one row":
        cuts = [1, 2, n // 3, n // 3 + 1, n // 2, n - 1]
    if chunks == "empty":
        cuts = [0, 0, n // 5, n // 5, n // 2, n, n]
    if chunks == "aligned":
        cuts = list(range(0, n, rows_at_once(n)))[1:]
    return tuple(np.diff([0, *cuts, n]).tolist())


def read(path: str, start: int, stop: int) -> FloatArray:
    """Some rows of an NPY file."""
    return np.array(np.load(path, mmap_mode="r")[start:stop])


def lazy(path: Path, lengths: Sequence[int], *, are_known: bool = True) -> Any:
    """The array of an NPY file as a Dask array, which may not know the lengths of its chunks."""
    stored = np.load(path, mmap_mode="r")
    columns = stored.shape[1:]
    rows = da.map_blocks(
        read_chunk,
        str(path),
        np.cumsum([0, *lengths]),
        chunks=(tuple(lengths), *((width,) for width in columns)),
        dtype=stored.dtype,
        meta=np.empty((0, *(0 for _ in columns)), stored.dtype),
    )
    return rows if are_known else rows[rows[:, 0] > -np.inf]


def read_chunk(path: str, edges: IntArray, *, block_id: tuple[int, ...]) -> FloatArray:
    """A chunk of an NPY file."""
    return read(path, *edges[block_id[0] :][:2].tolist())
