"""How often the number of clusters is right, and clusters of nothing are called real.

``python -m comparisons.counts [--data-dir FOLDER] [--sets N]``: ``choose_n_clusters`` on 30 data
sets (16 families drawn from seeds, half of them twice, and six real ones, three from ``uci/``
of the folder) and on 100 without clusters; ``cluster_significance`` on 500 others without clusters,
next to the naive test of equality. The real data are those on which k-groups finds the classes.
"""

from __future__ import annotations

import csv
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from comparisons.common import Limits, data_folder, options, print_table
from kgroups import KernelKGroups
from kgroups.select import choose_n_clusters, cluster_significance

Table = np.ndarray
Rng = np.random.Generator
K_RANGE = range(1, 13)
RIGHT = 27  # of the 30; wrong are the three from UCI
DIVIDED = 1  # of the 100 without clusters
SEPARATED, NAIVE = 0.005, 0.995  # shares of the 500
LEVEL = 0.05


class Known(NamedTuple):
    """A table and the numbers of clusters that are right."""

    name: str
    X: Table
    right: tuple[int, ...]


def apart(rng: Rng, k: int, d: int, least: float) -> Table:
    """Random centers in d dimensions with no two nearer than ``least``."""
    while True:
        centers = rng.uniform(-1, 1, (k, d)) * least * max(1.0, k ** (1 / d))
        gaps = np.linalg.norm(centers[:, None] - centers, axis=2) + np.diag(np.full(k, np.inf))
        if gaps.min() > least:
            return centers


def gaussians(rng: Rng, sizes: Sequence[int], centers: Table, sds: object = 1.0) -> Table:
    """Round Gaussian clusters."""
    clusters = zip(sizes, centers, np.broadcast_to(sds, len(sizes)), strict=True)
    return np.concatenate(
        [rng.standard_normal((n, len(center))) * sd + center for n, center, sd in clusters]
    )


def ellipses(rng: Rng) -> Table:
    """Ellipsoids with axes 0.6, 1 and 2, turned at random."""
    parts = []
    for center in apart(rng, 4, 3, 10):
        turn = np.linalg.qr(rng.standard_normal((3, 3)))[0]
        parts.append(rng.standard_normal((90, 3)) * [0.6, 1, 2] @ turn.T + center)
    return np.concatenate(parts)


def heavy_tails(rng: Rng) -> Table:
    """Student's t with 3 degrees of freedom in four dimensions."""
    parts = []
    for center in apart(rng, 3, 4, 12):
        scale = np.sqrt(rng.chisquare(3, (120, 1)) / 3)
        parts.append(rng.standard_normal((120, 4)) / scale + center)
    return np.concatenate(parts)


def outliers(rng: Rng) -> Table:
    """Six clusters, and 5 % of points anywhere."""
    X = gaussians(rng, [80] * 6, apart(rng, 6, 2, 8))
    return np.concatenate([X, rng.uniform(X.min(axis=0) - 3, X.max(axis=0) + 3, (25, 2))])


def latent_classes(rng: Rng) -> Table:
    """Three classes of 30 answers yes or no."""
    chances = rng.choice([0.1, 0.9], (3, 30))
    return np.concatenate([(rng.random((120, 30)) < p) * 1.0 for p in chances])


def exponentials(rng: Rng) -> Table:
    """Two clusters with exponential tails that point away from each other."""
    return np.concatenate([rng.exponential(1, (150, 3)), -rng.exponential(1, (150, 3)) - 2])


def around(centers: Iterable[object], draw: Callable[[], Table]) -> Table:
    """A draw at each center."""
    return np.concatenate([draw() + center for center in centers])


WIDTHS, ON_LINE = [0.6, 0.9, 1.2, 1.5, 1.8], np.array([[0], [6], [13]])
TWO, SIDES = np.outer([0, 1], np.full(10, 4.5 / np.sqrt(10))), ([0, -2.2], [0, 2.2])
THREE, AT_7 = np.zeros((3, 100)), ([0, 0], [7, 0], [0, 7])
THREE[1, :5] = THREE[2, 5:10] = 4
CORNERS = ([0, 0], [1.6, 0], [0, 1.6], [1.6, 1.6])
# The number of clusters, and what draws them; the order is part of the seeds.
FAMILIES: dict[str, tuple[int, Callable[[Rng], Table]]] = {
    "three_blobs": (3, lambda rng: gaussians(rng, [100] * 3, apart(rng, 3, 2, 6))),
    "five_scales": (5, lambda rng: gaussians(rng, [80] * 5, apart(rng, 5, 2, 9), WIDTHS)),
    "eight_in_5d": (8, lambda rng: gaussians(rng, [60] * 8, apart(rng, 8, 5, 6))),
    "two_in_10d": (2, lambda rng: gaussians(rng, [150] * 2, TWO)),
    "ellipses": (4, ellipses),
    "unbalanced": (3, lambda rng: gaussians(rng, [300, 60, 30], apart(rng, 3, 2, 7))),
    "heavy_tails": (3, heavy_tails),
    "lognormal": (3, lambda rng: around(AT_7, lambda: rng.lognormal(0, 0.6, (120, 2)))),
    "boxes": (4, lambda rng: around(CORNERS, lambda: rng.uniform(0, 1, (100, 2)))),
    "exponentials": (2, exponentials),
    "three_in_100d": (3, lambda rng: gaussians(rng, [70] * 3, THREE)),
    "outliers": (6, outliers),
    "cigars": (2, lambda rng: around(SIDES, lambda: rng.standard_normal((150, 2)) * [3, 0.5])),
    "ten_in_10d": (10, lambda rng: gaussians(rng, [50] * 10, rng.standard_normal((10, 10)) * 2.2)),
    "latent_classes": (3, latent_classes),
    "on_line": (3, lambda rng: gaussians(rng, [150] * 3, ON_LINE, [1, 1, 1.5])),
}


def generated(seed: int, names: Sequence[str] = tuple(FAMILIES)) -> Iterator[Known]:
    """One draw of each family."""
    for name in names:
        k, draw = FAMILIES[name]
        number = list(FAMILIES).index(name)
        yield Known(f"{name} {seed}", draw(np.random.default_rng([seed, number])), (k,))


def bundled() -> Iterator[Known]:
    """The 27 data sets that need no files."""
    yield from generated(0)
    yield from generated(1, tuple(FAMILIES)[::2])
    yield Known("iris", load_iris().data, (2, 3))
    yield Known("wine", standardized(load_wine().data), (3,))
    yield Known("breast cancer", standardized(load_breast_cancer().data), (2,))


def from_uci(folder: Path | None) -> Iterator[Known]:
    """Three more; the 33 columns of dermatology that are kept are grades of one scale."""
    for name, k in (("seeds", 3), ("dermatology", 6), ("synthetic control", 6)):
        path = (folder or Path()) / f"{name.replace(' ', '_')}.csv"
        if not path.is_file():
            print(f"not here: {name}, left out")
            continue
        with path.open(newline="") as lines:
            rows = list(csv.reader(lines))[1:]
        X = np.array([[float(cell) if cell else np.nan for cell in row[:-1]] for row in rows])
        X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
        yield Known(name, X[:, :33] if name == "dermatology" else standardized(X), (k,))


def standardized(X: Table) -> Table:
    """Columns with mean 0 and standard deviation 1; constant ones 0."""
    sd = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(sd > 0, sd, 1)


def null(number: int, n: int = 200) -> Known:
    """No clusters: Gaussians and uniform boxes in turn, in 1 to 20 dimensions."""
    rng = np.random.default_rng([2, number])
    d = (1, 2, 3, 5, 10, 20)[number // 2 % 6]
    X = rng.standard_normal((n, d)) if number % 2 == 0 else rng.uniform(size=(n, d))
    return Known(f"{'Gaussian' if number % 2 == 0 else 'box'} {d}d {number}", X, (1,))


def judged(number: int, n: int) -> tuple[str, bool, bool]:
    """The kind, whether a pair of three clusters is called real, and whether all are naively."""
    rng = np.random.default_rng([3, number])
    kinds = {
        "Gaussian": lambda: rng.standard_normal((n, d)),
        "correlated": lambda: rng.standard_normal((n, d)) @ rng.standard_normal((d, d)),
        "box": lambda: rng.uniform(size=(n, d)),
        "exponential": lambda: rng.exponential(size=(n, d)),
        "Laplace": lambda: rng.laplace(size=(n, d)),
    }
    kind, d = list(kinds)[number % 5], (1, 2, 3, 5, 10, 20)[number // 5 % 6]
    X = kinds[kind]()
    labels = KernelKGroups(3, random_state=number).fit_predict(X)
    found = cluster_significance(X, labels, random_state=number)
    return kind, found.any_separated(), all(pair.naive_pvalue <= LEVEL for pair in found.pairs)


def count(title: str, data: Iterable[Known]) -> tuple[int, int]:
    """Print the number that each criterion finds; how many are right, of how many."""
    right: Counter[str] = Counter()
    rows = []
    for known in data:
        begun = time.perf_counter()
        chosen = choose_n_clusters(known.X, K_RANGE, random_state=0)
        found = {"chosen": chosen.n_clusters} | {c.name: c.n_clusters for c in chosen.criteria}
        right.update(name for name, k in found.items() if k in known.right)
        known_k = " or ".join(map(str, known.right))
        spent = f"{time.perf_counter() - begun:.1f}"
        rows.append([known.name, known_k, *map(str, found.values()), spent])
    print_table([title, "known", *found, "seconds"], rows)
    print(f"right of {len(rows)}: " + ", ".join(f"{name} {n}" for name, n in right.items()))
    return right["chosen"], len(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; 1 if a limit is missed."""
    parser = options(__doc__, data_dir="folder with uci/", sets="so many without clusters at most")
    given, limits = parser.parse_args(arguments), Limits()
    most = int(given.sets or (4 if given.quick else 500))
    if given.quick:
        right, n = count("data", generated(0, ("two_in_10d", "ellipses", "on_line")))
        limits.at_least(f"right of {n}", right, n)
    else:
        folder = data_folder(given.data_dir, "uci")
        right, n = count("data", chain(bundled(), from_uci(folder)))
        limits.at_least(f"right of {n}", right, RIGHT)
    right, n = count("no clusters", map(null, range(min(most, 100))))
    limits.at_least(f"one cluster of {n}", right, n - DIVIDED)
    found = np.array([judged(number, 200)[1:] for number in range(most)])
    separated, naive = found.mean(axis=0)
    limits.at_most(f"a pair of {most} without clusters is called real, share", separated, SEPARATED)
    limits.at_least("the naive test calls all pairs real, share", naive, NAIVE)
    return limits.status()


if __name__ == "__main__":
    raise SystemExit(main())
