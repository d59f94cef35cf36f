"""Rows as people have them, at size: ``python -m benchmarks.rows embeddings sparse mixed``.

Each part draws rows, fits them once with the defaults, and prints seconds, memory and what came out
next to its limit; ``directions`` compares with KMeans of scikit-learn on unit rows. The exit status
is 1 where a limit is missed. Limits are those of two cores that nothing else uses.
"""

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks.report import number, peak_bytes, print_machine, print_table
from kgroups import KernelKGroups
from kgroups.typing import FloatArray, IntArray

# Rows that are drawn at a time.
_AT_ONCE = 20_000
_GB = 1e9


class Figure(NamedTuple):
    """One number that was measured, and the most that it may be."""

    name: str
    value: float
    limit: float
    note: str = ""

    @property
    def is_met(self) -> bool:
        """Whether it is within its limit."""
        return self.value <= self.limit

    @property
    def verdict(self) -> str:
        """A word where it is not."""
        return "" if self.is_met else "MISSED"


def embeddings(
    n: int, k: int, noise: float, dtype: type = np.float16, n_columns: int = 768, seed: int = 0
) -> tuple[FloatArray, IntArray]:
    """Unit rows around k directions, and which; never more than some of them in float32."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((k, n_columns), dtype=np.float32)
    labels = rng.integers(k, size=n)
    rows = np.empty((n, n_columns), dtype)
    for start in range(0, n, _AT_ONCE):
        some = labels[start : start + _AT_ONCE]
        drawn = rng.standard_normal((len(some), n_columns), dtype=np.float32)
        drawn = centers[some] + noise * drawn
        rows[start : start + len(some)] = drawn / np.linalg.norm(drawn, axis=1)[:, None]
    return rows, labels


def documents(n: int, k: int, seed: int = 0) -> tuple[csr_array, IntArray]:
    """Rows of about 50 entries in 50,000 columns, 30 % of them from 400 columns of a topic."""
    rng = np.random.default_rng(seed)
    n_columns, size = 50_000, 50
    labels = rng.integers(k, size=n)
    topics = rng.integers(n_columns, size=(k, 400))
    columns = rng.integers(n_columns, size=(n, size))
    own = topics[labels[:, None], rng.integers(400, size=(n, size))]
    columns = np.where(rng.random((n, size)) < 0.3, own, columns)
    values = rng.lognormal(sigma=0.5, size=n * size)
    rows = csr_array((values, columns.ravel(), np.arange(n + 1) * size), shape=(n, n_columns))
    rows.sum_duplicates()
    lengths = np.sqrt(np.asarray((rows * rows).sum(axis=1)))
    rows.data /= np.repeat(lengths, np.diff(rows.indptr))
    return rows, labels


def people(n: int, k: int, share_missing: float, seed: int = 0) -> tuple[pd.DataFrame, IntArray]:
    """Six columns of numbers and four of categories, with entries missing at random."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(k, size=n)
    columns: dict[str, Any] = {}
    for d in range(6):
        numbers = rng.normal(3 * rng.normal(size=k)[labels], 1)
        numbers = np.exp(numbers / 2) if d % 2 else numbers
        columns[f"number {d}"] = np.where(rng.random(n) < share_missing, np.nan, numbers)
    for d, n_categories in enumerate((3, 5, 8, 12)):
        chances = rng.dirichlet(np.full(n_categories, 0.3), size=k).cumsum(axis=1)
        codes = (rng.random(n)[:, None] > chances[labels]).sum(axis=1).clip(0, n_categories - 1)
        codes = np.where(rng.random(n) < share_missing, -1, codes)
        names = [f"c{c}" for c in range(n_categories)]
        columns[f"category {d}"] = pd.Categorical.from_codes(codes, names)
    return pd.DataFrame(columns), labels


def fitted(name: str, X: Any, truth: IntArray, k: int, metric: str, limit: float) -> list[Figure]:
    """Seconds of one fit after another on few rows, which compiles; and the memory of it all."""
    KernelKGroups(3, metric=metric, random_state=0).fit(X[:3000])
    begun = time.perf_counter()
    model = KernelKGroups(k, metric=metric, random_state=0).fit(X)
    seconds = time.perf_counter() - begun
    ari = adjusted_rand_score(truth, model.labels_)
    said = f"{model.exactness_}, {model.n_iter_} sweeps at the end, ARI {ari:.3f}"
    is_exact = float(model.exactness_ != "one-move optimal")
    return [
        Figure(f"{name}: seconds", seconds, limit, said),
        Figure(f"{name}: not one-move optimal", is_exact, 0),
        Figure(f"{name}: GB of the process", peak_bytes() / _GB, np.inf),
    ]


def large_embeddings() -> list[Figure]:
    """A million rows in float16, 3 GB in all."""
    *figures, memory = fitted(
        "10^6 x 768 float16, k=50, cosine", *embeddings(1_000_000, 50, 3.0), 50, "cosine", 60
    )
    return [*figures, memory._replace(limit=3.0)]


def large_sparse() -> list[Figure]:
    """200,000 rows in 50,000 columns, by cosine and by all pairs."""
    rows, labels = documents(200_000, 10)
    name = "200,000 x 50,000 sparse, k=10"
    figures = fitted(f"{name}, cosine", rows, labels, 10, "cosine", 10)
    *more, memory = fitted(f"{name}, energy", rows, labels, 10, "energy", 60)
    return [*figures, *more, memory._replace(limit=2.0)]


def large_mixed() -> list[Figure]:
    """300,000 rows of 10 columns, without and with missing entries."""
    figures: list[Figure] = []
    for share in (0.0, 0.05):
        table, labels = people(300_000, 10, share)
        name = f"300,000 x 10 mixed, {share:.0%} missing, k=10"
        figures += fitted(name, table, labels, 10, "mixed", 20)
    return figures


def within(X: FloatArray, labels: IntArray) -> float:
    """Σ over clusters of the sum of 1 − cosine to the mean direction, by unit rows in float64."""
    parts = [X[labels == j].astype(np.float64) for j in np.unique(labels)]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)) / 2


def against_kmeans(n_seeds: int = 3) -> list[Figure]:
    """Seconds and W over those of KMeans(n_init=10) on the same unit rows, for easy and hard."""
    figures: list[Figure] = []
    for n, k, noise in ((4_000, 10, 3), (4_000, 50, 3), (4_000, 10, 12), (20_000, 20, 6)):
        seconds, W = np.zeros(2), np.zeros((n_seeds, 2))
        for seed in range(n_seeds):
            X, _ = embeddings(n, k, noise, np.float32, seed=seed)
            X /= np.linalg.norm(X, axis=1)[:, None]
            models = (
                KernelKGroups(k, metric="cosine", random_state=seed),
                KMeans(k, n_init=10, random_state=seed),
            )
            for place, model in enumerate(models):
                if seed == 0:
                    model.fit(X)
                begun = time.perf_counter()
                model.fit(X)
                seconds[place] += time.perf_counter() - begun
                W[seed, place] = within(X, model.labels_)
        name = f"n={n:,} k={k} noise {noise}"
        said = f"{seconds[0] / n_seeds:.3f} s; KMeans {seconds[1] / n_seeds:.3f} s"
        limit = 0.5 if n == 4_000 and k == 10 else np.inf
        figures += [
            Figure(f"{name}: seconds", float(seconds[0]) / n_seeds, limit),
            Figure(f"{name}: seconds over KMeans(10)", float(seconds[0] / seconds[1]), 1.0, said),
            Figure(f"{name}: W over KMeans(10)", float(W[:, 0].mean() / W[:, 1].mean()), 1 + 1e-9),
        ]
    return figures


PARTS: dict[str, Callable[[], list[Figure]]] = {
    "directions": against_kmeans,
    "embeddings": large_embeddings,
    "sparse": large_sparse,
    "mixed": large_mixed,
}


def main() -> int:
    """Measure the parts that are asked for, each in what memory the earlier ones have left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    figures: list[Figure] = []
    for part in parser.parse_args().parts:
        figures += PARTS[part]()
        for figure in figures[-3:]:
            print(f"{figure.name}: {figure.value:.4g}  {figure.note}", flush=True)
    print_machine()
    print_table(
        ["figure", "measured", "limit", "", "note"],
        [
            [f.name, number(f.value, ".4g"), number(f.limit, ".4g"), f.verdict, f.note]
            for f in figures
        ],
    )
    return 0 if all(figure.is_met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
