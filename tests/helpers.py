"""Problems that many tests share. No test draws from a generator that it did not seed."""

import csv
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from kgroups.semimetrics import Energy


def reference_folder(*names: str) -> Path:
    """A file of the collection of reference data, which is not part of the project."""
    root = os.environ.get("KGROUPS_REFERENCE")
    default = Path(__file__).resolve().parents[2] / "shared"
    path = Path(root) if root else default
    path = path.joinpath(*names)
    if not path.exists():
        pytest.skip(f"reference data are not here: {Path(*names)}; set KGROUPS_REFERENCE")
    return path


def random_gram(rng: np.random.Generator, n: int, kind: str) -> np.ndarray:
    """A symmetric matrix: of a kernel, of distances as G = −ρ/2, or indefinite."""
    if kind == "kernel":
        F = rng.normal(size=(n, 3))
        return F @ F.T
    if kind == "distance":
        return -0.5 * Energy(float(rng.uniform(0.3, 1.9))).pairwise(rng.normal(size=(n, 2)))
    A = rng.normal(size=(n, n))
    return A + A.T


def random_start(rng: np.random.Generator, n: int, k: int) -> np.ndarray:
    """Labels in 0..k−1 in which no cluster is empty."""
    labels = rng.integers(k, size=n)
    labels[rng.permutation(n)[:k]] = np.arange(k)
    return labels


def weighted_problem(
    rng: np.random.Generator, n: int, k: int, kind: str, *, weighted: bool, zeros: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """A random matrix, labels, weights and number of clusters; some weights may be zero."""
    G = random_gram(rng, n, kind)
    w = rng.uniform(0.05, 3.0, n) if weighted else np.ones(n)
    if zeros:
        w[rng.random(n) < 0.3] = 0.0
        w[0] = 1.0
    return G, random_start(rng, n, k), w, k


def write_csv(path: Path, rows: Iterable[Iterable[object]]) -> str:
    """Write rows, the first of which may be names; gives the name of the file."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path.name
