"""Data whose number of clusters is known: 16 families of random data, real data, and no clusters.

A family draws its centers and points from a seed. The real data are those on which k-groups finds
the classes at all: at the true k the share of rows in the right cluster is .68 (synthetic control)
to .97 (wine).
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

Table = NDArray[np.float64]


class Known(NamedTuple):
    """A table and the numbers of clusters that are right."""

    name: str
    X: Table
    right: tuple[int, ...]


def apart(rng: np.random.Generator, k: int, d: int, least: float) -> Table:
    """K random centers in d dimensions with no two nearer than ``least``."""
    while True:
        centers = rng.uniform(-1, 1, (k, d)) * least * max(1.0, k ** (1 / d))
        gaps = np.linalg.norm(centers[:, None] - centers, axis=2) + np.diag(np.full(k, np.inf))
        if gaps.min() > least:
            return np.asarray(centers)


def gaussians(
    rng: np.random.Generator, sizes: Sequence[int], centers: Table, sds: Sequence[float] | float = 1
) -> Table:
    """Round Gaussian clusters."""
    widths = np.broadcast_to(sds, len(sizes))
    parts = [
        rng.standard_normal((n, centers.shape[1])) * sd + center
        for n, center, sd in zip(sizes, centers, widths, strict=True)
    ]
    return np.concatenate(parts)


def three_blobs(rng: np.random.Generator) -> Table:
    """3 of equal size in the plane, 6 sd apart or more."""
    return gaussians(rng, [100] * 3, apart(rng, 3, 2, 6))


def five_scales(rng: np.random.Generator) -> Table:
    """5 whose widths differ by a factor of three."""
    return gaussians(rng, [80] * 5, apart(rng, 5, 2, 9), [0.6, 0.9, 1.2, 1.5, 1.8])


def eight_in_5d(rng: np.random.Generator) -> Table:
    """8 of 60 points in five dimensions."""
    return gaussians(rng, [60] * 8, apart(rng, 8, 5, 6))


def two_in_10d(rng: np.random.Generator) -> Table:
    """2 in ten dimensions, 4.5 sd apart."""
    centers = np.zeros((2, 10))
    centers[1] = 4.5 / np.sqrt(10)
    return gaussians(rng, [150] * 2, centers)


def ellipses(rng: np.random.Generator) -> Table:
    """4 ellipsoids with axes 0.6, 1 and 2, turned at random."""
    parts = []
    for center in apart(rng, 4, 3, 10):
        turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        parts.append(rng.standard_normal((90, 3)) * [0.6, 1, 2] @ turn.T + center)
    return np.concatenate(parts)


def unbalanced(rng: np.random.Generator) -> Table:
    """3 of 300, 60 and 30 points."""
    return gaussians(rng, [300, 60, 30], apart(rng, 3, 2, 7))


def heavy_tails(rng: np.random.Generator) -> Table:
    """3 of Student's t with 3 degrees of freedom in four dimensions."""
    parts = []
    for center in apart(rng, 3, 4, 12):
        scale = np.sqrt(rng.chisquare(3, (120, 1)) / 3)
        parts.append(rng.standard_normal((120, 4)) / scale + center)
    return np.concatenate(parts)


def lognormal(rng: np.random.Generator) -> Table:
    """3 skewed clusters in the plane."""
    centers = np.array([[0, 0], [7, 0], [0, 7]])
    return np.concatenate([rng.lognormal(0, 0.6, (120, 2)) + center for center in centers])


def boxes(rng: np.random.Generator) -> Table:
    """4 squares with streets between them."""
    corners = np.array([[0, 0], [1.6, 0], [0, 1.6], [1.6, 1.6]])
    return np.concatenate([rng.uniform(0, 1, (100, 2)) + corner for corner in corners])


def exponentials(rng: np.random.Generator) -> Table:
    """2 with exponential tails that point away from each other."""
    return np.concatenate([rng.exponential(1, (150, 3)), -rng.exponential(1, (150, 3)) - 2])


def three_in_100d(rng: np.random.Generator) -> Table:
    """3 that differ in ten of a hundred dimensions."""
    centers = np.zeros((3, 100))
    centers[1, :5] = centers[2, 5:10] = 4
    return gaussians(rng, [70] * 3, centers)


def outliers(rng: np.random.Generator) -> Table:
    """6, and 5 % of points anywhere."""
    X = gaussians(rng, [80] * 6, apart(rng, 6, 2, 8))
    return np.concatenate([X, rng.uniform(X.min(axis=0) - 3, X.max(axis=0) + 3, (25, 2))])


def cigars(rng: np.random.Generator) -> Table:
    """2 side by side, six times as long as wide."""
    side = np.array([3, 0.5])
    return np.concatenate([rng.standard_normal((150, 2)) * side + [0, y] for y in (-2.2, 2.2)])


def ten_in_10d(rng: np.random.Generator) -> Table:
    """10 of 50 points with random centers."""
    return gaussians(rng, [50] * 10, rng.standard_normal((10, 10)) * 2.2)


def latent_classes(rng: np.random.Generator) -> Table:
    """3 classes of 30 answers yes or no."""
    chances = rng.choice([0.1, 0.9], (3, 30))
    return np.concatenate([(rng.random((120, 30)) < p) * 1.0 for p in chances])


def on_line(rng: np.random.Generator) -> Table:
    """3 on a line."""
    parts = [rng.normal(m, sd, 150) for m, sd in ((0, 1), (6, 1), (13, 1.5))]
    return np.concatenate(parts)[:, None]


FAMILIES: dict[str, tuple[Callable[[np.random.Generator], Table], int]] = {
    made.__name__: (made, k)
    for made, k in (
        (three_blobs, 3),
        (five_scales, 5),
        (eight_in_5d, 8),
        (two_in_10d, 2),
        (ellipses, 4),
        (unbalanced, 3),
        (heavy_tails, 3),
        (lognormal, 3),
        (boxes, 4),
        (exponentials, 2),
        (three_in_100d, 3),
        (outliers, 6),
        (cigars, 2),
        (ten_in_10d, 10),
        (latent_classes, 3),
        (on_line, 3),
    )
}
# Of these eight the suite holds a second draw: every other family.
TWICE = tuple(FAMILIES)[::2]


def generated(seed: int, names: Sequence[str] = tuple(FAMILIES)) -> Iterator[Known]:
    """One draw of each family."""
    for name in names:
        made, k = FAMILIES[name]
        number = list(FAMILIES).index(name)
        yield Known(f"{name} {seed}", made(np.random.default_rng([seed, number])), (k,))


def bundled() -> Iterator[Known]:
    """The 27 data sets of the suite that need no files."""
    yield from generated(0)
    yield from generated(1, TWICE)
    yield Known("iris", load_iris().data, (2, 3))
    yield Known("wine", standardized(load_wine().data), (3,))
    yield Known("breast cancer", standardized(load_breast_cancer().data), (2,))


def suite(uci: Path) -> Iterator[Known]:
    """The 30 data sets: 16 families, 8 of them twice, and 6 real ones, three of them from UCI.

    ``uci`` holds seeds.csv, dermatology.csv and synthetic_control.csv, with a header and the class
    in the last column; those that are absent are named and left out.
    """
    yield from bundled()
    # Dermatology's 33 columns are grades of one scale.
    for name, n_grades, k in (("seeds", 0, 3), ("dermatology", 33, 6), ("synthetic control", 0, 6)):
        path = uci / f"{name.replace(' ', '_')}.csv"
        if not path.exists():
            print(f"  left out: {name}, for there is no {path} (--uci FOLDER)")
            continue
        X = from_csv(path)
        yield Known(name, X[:, :n_grades] if n_grades else standardized(X), (k,))


def nulls(count: int, n: int = 200) -> Iterator[Known]:
    """No clusters: Gaussians and uniform boxes in turn, in 1 to 20 dimensions."""
    return (null(number, n) for number in range(count))


def null(number: int, n: int = 200) -> Known:
    """One of them."""
    rng = np.random.default_rng([2, number])
    d = (1, 2, 3, 5, 10, 20)[number // 2 % 6]
    X = rng.standard_normal((n, d)) if number % 2 == 0 else rng.uniform(size=(n, d))
    return Known(f"{'Gaussian' if number % 2 == 0 else 'box'} {d}d {number}", X, (1,))


def from_csv(path: Path) -> Table:
    """All columns but the last; a missing value gets the mean of its column."""
    with path.open(newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    X = np.array([[float(cell) if cell else np.nan for cell in row[:-1]] for row in rows])
    return np.where(np.isnan(X), np.nanmean(X, axis=0), X)


def standardized(X: Table) -> Table:
    """Columns with mean 0 and standard deviation 1; constant ones 0."""
    sd = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(sd > 0, sd, 1))
