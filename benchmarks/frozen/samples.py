"""Rows to cluster, drawn from simple generators with fixed seeds; continuous, so without ties.

Sets, categories, rankings and words have few distances by nature: fits to them take weights that
differ, so that no two moves gain the same.
"""

from collections.abc import Callable
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

Rng = np.random.Generator


class Sample(NamedTuple):
    """How rows are drawn, and how many unless a fit says otherwise."""

    n: int
    make: Callable[[Rng, int], Any]


def draw(name: str, n: int | None = None) -> Any:
    """The rows called ``name``; the seed is their number."""
    sample = SAMPLES[name]
    n = n or sample.n
    return sample.make(np.random.default_rng(n), n)


def mixture(
    rng: Rng, n: int, n_columns: int, n_groups: int, spread: float, decay: float = 1.0
) -> np.ndarray:
    """Gaussian groups around centers spread · normal, each ``decay`` times as large as the last."""
    centers = spread * rng.normal(size=(n_groups, n_columns))
    shares = decay ** np.arange(n_groups)
    return rng.normal(size=(n, n_columns)) + centers[draw_groups(rng, n, shares)]


def draw_groups(rng: Rng, n: int, shares: np.ndarray) -> np.ndarray:
    """A group for each row, drawn with these chances."""
    return np.searchsorted(np.cumsum(shares / shares.sum()), rng.random(n))


def _rings(rng: Rng, n: int) -> np.ndarray:
    angle = 2 * np.pi * rng.random(n)
    radius = 1.0 + 2.0 * rng.integers(3, size=n) + 0.15 * rng.normal(size=n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _histograms(rng: Rng, n: int) -> np.ndarray:
    shapes = 0.5 + 4 * rng.random((4, 8))
    return shapes[rng.integers(4, size=n)] * (0.5 + rng.random((n, 8)))


def _globe(rng: Rng, n: int) -> np.ndarray:
    centers = np.column_stack([100 * rng.random(5) - 50, 360 * rng.random(5) - 180])
    return centers[rng.integers(5, size=n)] + 8 * rng.normal(size=(n, 2))


def _rankings(rng: Rng, n: int) -> np.ndarray:
    return rng.normal(size=(4, 9))[rng.integers(4, size=n)] + 0.5 * rng.normal(size=(n, 9))


def _sets(rng: Rng, n: int) -> np.ndarray:
    chances = rng.random((4, 40)) ** 2
    return (rng.random((n, 40)) < chances[rng.integers(4, size=n)]).astype(np.float64)


def _categories(rng: Rng, n: int) -> np.ndarray:
    typical = rng.integers(5, size=(3, 15))[rng.integers(3, size=n)]
    return np.where(rng.random((n, 15)) < 0.6, typical, rng.integers(5, size=(n, 15))).astype(float)


def _words(rng: Rng, n: int) -> list[str]:
    stems = ["".join(rng.choice(list(ascii_lowercase), 9)) for _ in range(3)]
    return ["".join(_misspelled(rng, stems[rng.integers(3)])) for _ in range(n)]


def _misspelled(rng: Rng, stem: str) -> list[str]:
    return [c if rng.random() < 0.7 else str(rng.choice(list(ascii_lowercase))) for c in stem]


def _frame(rng: Rng, n: int) -> pd.DataFrame:
    group = rng.integers(3, size=n)
    towns = np.array(["Ulm", "Bonn", "Kiel", "Jena"])
    return pd.DataFrame(
        {
            "age": 2.5 * group + rng.normal(size=n),
            "income": rng.lognormal(size=n) + group,
            "town": towns[np.where(rng.random(n) < 0.7, group, rng.integers(4, size=n))],
        }
    )


def _counts(rng: Rng, n: int) -> csr_array:
    """Twelve weights in each row, most of them in columns that its group likes."""
    liked = np.cumsum(rng.random((4, 60)) ** 6, axis=1)
    liked /= liked[:, -1:]
    columns = [np.searchsorted(liked[i % 4], rng.random(12)) for i in range(n)]
    places = (np.repeat(np.arange(n), 12), np.concatenate(columns))
    return csr_array((0.5 + rng.random(12 * n), places), shape=(n, 60))


def _series(rng: Rng, n: int) -> list[np.ndarray]:
    steps = np.outer(1 + rng.integers(3, size=n), np.arange(24)) + 2 * rng.random((n, 1))
    return list(np.sin(np.pi * steps / 12) + 0.3 * rng.normal(size=(n, 24)))


def _drawn(rng: Rng, n: int) -> list[np.ndarray]:
    return [group + (1 + group) * rng.normal(size=12) for group in rng.integers(3, size=n)]


def _distances(rng: Rng, n: int) -> np.ndarray:
    X = mixture(rng, n, 3, 4, 2.0)
    return np.abs(X[:, None] - X).sum(axis=2)


def _kernel(rng: Rng, n: int) -> np.ndarray:
    X = mixture(rng, n, 5, 4, 1.5)
    return X @ X.T


def _sparse_kernel(rng: Rng, n: int) -> csr_array:
    F = rng.random((n, n // 2)) * (rng.random((n, n // 2)) < 0.06)
    group = np.arange(n) * 4 // n
    F[np.arange(n), group] += 1 + rng.random(n)
    return csr_array(F @ F.T)


def _indefinite(rng: Rng, n: int) -> np.ndarray:
    A = rng.normal(size=(n, n))
    group = rng.integers(4, size=n)
    return A + A.T + 1.5 * (group[:, None] == group)


SAMPLES = {
    "blobs": Sample(150, lambda rng, n: mixture(rng, n, 4, 5, 2.5)),
    "close": Sample(120, lambda rng, n: mixture(rng, n, 3, 4, 1.2)),
    "noise": Sample(100, lambda rng, n: rng.normal(size=(n, 3))),
    "wide": Sample(80, lambda rng, n: mixture(rng, n, 60, 6, 0.6)),
    "unequal": Sample(200, lambda rng, n: mixture(rng, n, 4, 7, 3.0, decay=0.6)),
    "tails": Sample(160, lambda rng, n: mixture(rng, n, 3, 4, 3.0) + rng.standard_t(2, (n, 3))),
    "skewed": Sample(140, lambda rng, n: rng.lognormal(size=(n, 3))),
    "rings": Sample(180, _rings),
    "far": Sample(90, lambda rng, n: 1e3 + mixture(rng, n, 4, 3, 3.0)),
    "small": Sample(90, lambda rng, n: 1e-9 * mixture(rng, n, 4, 3, 3.0)),
    "cloud": Sample(100, lambda rng, n: rng.normal(size=(n, 16))),
    "drift": Sample(90, lambda rng, n: rng.normal(size=(n, 3)) + np.linspace(0, 0.4, n)[:, None]),
    "line": Sample(200, lambda rng, n: mixture(rng, n, 1, 6, 4.0)),
    "histograms": Sample(120, _histograms),
    "globe": Sample(120, _globe),
    "rankings": Sample(100, _rankings),
    "sets": Sample(100, _sets),
    "categories": Sample(100, _categories),
    "words": Sample(60, _words),
    "frame": Sample(120, _frame),
    "gaps": Sample(120, lambda rng, n: _frame(rng, n).mask(rng.random((n, 3)) < 0.1)),
    "counts": Sample(120, _counts),
    "series": Sample(60, _series),
    "drawn": Sample(80, _drawn),
    "distances": Sample(130, _distances),
    "kernel": Sample(130, _kernel),
    "sparse-kernel": Sample(120, _sparse_kernel),
    "indefinite": Sample(80, _indefinite),
}
